//! The files of the page, which are part of the program.

use axum::Json;
use axum::http::HeaderValue;
use axum::response::{IntoResponse, Response};
use rust_embed::{Embed, EmbeddedFile};

use super::app::Segment;
use super::error::ApiError;
use super::headers::{Keep, tagged};

#[derive(Embed)]
#[folder = "src/web/page"]
struct Files;

/// Where the texts of the page are, a file a language.
const LANGUAGES: &str = "lang/";
const TEXTS: &str = ".txt";
/// The key of a language's own name.
const NAME: &str = "language.name";

/// `/`: the page.
pub async fn index() -> Response {
    serve("index.html").into_response()
}

/// `/page/…`: what belongs to it.
pub async fn file(Segment(name): Segment<String>) -> Response {
    serve(&name).into_response()
}

/// `/page/languages.json`: the codes of all languages that there are texts in, with their own names.
pub async fn languages() -> Json<Vec<[String; 2]>> {
    let languages = Files::iter().filter_map(|path| {
        let code = path.strip_prefix(LANGUAGES)?.strip_suffix(TEXTS)?.to_owned();
        let file = Files::get(&path)?;
        let lines = String::from_utf8_lossy(&file.data);
        let name = lines.lines().find_map(|line| {
            let (key, name) = line.split_once('=')?;
            (key.trim() == NAME).then(|| name.trim().to_owned())
        });
        Some([code, name?])
    });
    Json(languages.collect())
}

fn serve(name: &str) -> Result<Response, ApiError> {
    let none = || ApiError::NotFound(format!("there is no page '{}'", crate::position::shown(name)));
    let EmbeddedFile { data, .. } = Files::get(name).ok_or_else(none)?;
    let content_type = match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };
    Ok(tagged(data.into_owned(), HeaderValue::from_static(content_type), Keep::No))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn text(path: &str) -> String {
        String::from_utf8(Files::get(path).unwrap().data.into_owned()).unwrap()
    }

    /// The texts of every language, by its code.
    fn languages() -> BTreeMap<String, BTreeMap<String, String>> {
        let files = Files::iter().filter(|path| path.starts_with(LANGUAGES));
        files.map(|path| (path.to_string(), entries(&path))).collect()
    }

    fn entries(path: &str) -> BTreeMap<String, String> {
        let mut entries = BTreeMap::new();
        for line in
            text(path).lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (key, value) = line.split_once('=').unwrap_or_else(|| panic!("{path}: {line}"));
            let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
            assert!(!value.is_empty(), "{path}: {key} is empty");
            assert_eq!(entries.insert(key, value), None, "{path}: twice: {line}");
        }
        entries
    }

    fn placeholders(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
    }

    #[test]
    fn all_languages_have_the_same_keys_and_placeholders() {
        let languages = languages();
        let english = &languages["lang/en.txt"];
        assert!(languages.len() >= 6);
        for (path, texts) in &languages {
            let keys = |texts: &BTreeMap<String, String>| texts.keys().cloned().collect::<Vec<_>>();
            assert_eq!(keys(texts), keys(english), "{path}");
            for (key, value) in texts {
                assert_eq!(placeholders(value), placeholders(&english[key]), "{path}: {key}");
            }
        }
    }

    /// What stands between `before` and the next quotation mark, wherever it does.
    fn quoted<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
        text.split(before).skip(1).filter_map(|rest| rest.split('"').next())
    }

    #[test]
    fn every_text_that_the_page_names_exists() {
        let english = entries("lang/en.txt");
        let exists = |key: &str| english.contains_key(key) || english.contains_key(&format!("{key}.other"));
        let html = text("index.html");
        let in_html = ["data-text=\"", "data-label=\"", "data-tip=\""];
        let mut named: Vec<&str> = in_html.iter().flat_map(|before| quoted(&html, before)).collect();
        let scripts: Vec<String> =
            Files::iter().filter(|path| path.ends_with(".js")).map(|path| text(&path)).collect();
        let calls = [" t(\"", "(t(\"", "{t(\"", "!t(\""];
        named
            .extend(scripts.iter().flat_map(|script| calls.iter().flat_map(|before| quoted(script, before))));
        assert!(named.len() > 80, "{}", named.len());
        for key in named {
            assert!(exists(key), "{key}");
        }
    }

    #[test]
    fn the_page_is_small() {
        let size = |path: &str| Files::get(path).unwrap().data.len();
        let (texts, others): (Vec<_>, Vec<_>) = Files::iter().partition(|path| path.starts_with(LANGUAGES));
        // A reader loads one language.
        let largest = texts.iter().map(|path| size(path)).max().unwrap();
        let bytes = others.iter().map(|path| size(path)).sum::<usize>() + largest;
        assert!(bytes < 190_000, "{bytes} bytes in all");
    }

    #[test]
    fn every_script_is_asked_for_at_once() {
        let html = text("index.html");
        for path in Files::iter().filter(|path| path.ends_with(".js")) {
            assert!(html.contains(&format!("\"page/{path}\"")), "{path} is loaded late: no modulepreload");
        }
    }
}
