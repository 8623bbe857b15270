//! The files of the page, which are part of the program.

use std::borrow::Cow;

use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header::HOST;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use rust_embed::{Embed, EmbeddedFile};
use serde::Deserialize;

use super::app::{App, Segment};
use super::error::ApiError;
use super::headers::{Answer, Keep, tagged};
use super::image;
use crate::game::Game;
use crate::position::Position;

#[derive(Embed)]
#[folder = "src/web/page"]
struct Files;

/// Where the texts of the page are, a file a language.
const LANGUAGES: &str = "lang/";
const TEXTS: &str = ".txt";
/// The key of a language's own name.
const NAME: &str = "language.name";

/// What the page is opened with.
#[derive(Default, Deserialize)]
pub struct Opened {
    rules: Option<String>,
    position: Option<String>,
    moves: Option<String>,
}

/// `/`: the page, with what previews of links show.
pub async fn index(
    State(app): State<App>,
    headers: HeaderMap,
    opened: Result<Query<Opened>, QueryRejection>,
) -> Result<Response, ApiError> {
    let file = Files::get("index.html").ok_or_else(|| ApiError::Internal("there is no page".to_owned()))?;
    let html = String::from_utf8_lossy(&file.data);
    // What makes no sense is for the page itself to complain about.
    let shown = opened.ok().and_then(|Query(opened)| preview(&app, &headers, &opened));
    let html = match shown {
        Some(preview) => html.replacen("</head>", &format!("{preview}</head>"), 1),
        None => html.into_owned(),
    };
    Ok(tagged(html, HeaderValue::from_static("text/html; charset=utf-8"), Keep::No))
}

/// The lines that describe the position of a link. They hold nothing as it was given: the names of rules and
/// the text of a position need no escapes, and a host that could is left out.
fn preview(app: &App, headers: &HeaderMap, opened: &Opened) -> Option<String> {
    let position = opened.position.as_deref()?;
    let rules = app.knowledge(opened.rules.as_deref().unwrap_or("classic")).ok()?.rules();
    let first = Position::parse(rules, position).ok()?;
    let moves = opened.moves.as_deref().unwrap_or_default();
    let moves = moves.split(',').filter(|text| !text.is_empty()).take(app.limits().moves);
    let (game, _) = Game::replay_legal_part(rules, first, moves);
    let (name, position, side) = (rules.name(), game.position(), game.position().side());
    let mut lines = format!(
        "<meta property=\"og:title\" content=\"Alquerque ({name}): {side} to move\">\n\
         <meta property=\"og:description\" content=\"{position}\">\n"
    );
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let is_plain =
        |host: &&str| host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte));
    if let Some(host) = host.filter(is_plain) {
        // A proxy says by which scheme it was asked.
        let is_secure = headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https");
        let scheme = if is_secure { "https" } else { "http" };
        let position = position.to_string().replace(' ', "+");
        lines.push_str(&format!(
            "<meta property=\"og:image\" content=\"{scheme}://{host}/api/v1/{name}/png?position={position}\">\n\
             <meta property=\"og:image:type\" content=\"image/png\">\n\
             <meta property=\"og:image:width\" content=\"{}\">\n\
             <meta property=\"og:image:height\" content=\"{}\">\n\
             <meta name=\"twitter:card\" content=\"summary_large_image\">\n",
            image::WIDTH,
            image::HEIGHT
        ));
    }
    Some(lines)
}

/// `/page/…`: what belongs to it.
pub async fn file(Segment(name): Segment<String>) -> Response {
    serve(&name).into_response()
}

/// `/page/languages.json`: the codes of all languages that there are texts in, with their own names.
pub async fn languages() -> Result<Answer, ApiError> {
    let languages: Vec<[String; 2]> = Files::iter()
        .filter_map(|path| {
            let code = path.strip_prefix(LANGUAGES)?.strip_suffix(TEXTS)?.to_owned();
            let file = Files::get(&path)?;
            let lines = String::from_utf8_lossy(&file.data);
            let name = lines.lines().find_map(|line| {
                let (key, name) = line.split_once('=')?;
                (key.trim() == NAME).then(|| name.trim().to_owned())
            });
            Some([code, name?])
        })
        .collect();
    Answer::new(&languages, Keep::No)
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
    // In a release the files are part of the program, and are not copied.
    let data = match data {
        Cow::Borrowed(data) => Bytes::from_static(data),
        Cow::Owned(data) => data.into(),
    };
    Ok(tagged(data, HeaderValue::from_static(content_type), Keep::No))
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
