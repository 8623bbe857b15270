//! The directories of tables that one name stands for: folders and URLs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The directories that `dir` names: itself, or several, separated as in `PATH` (by `:` on Unix). A directory
/// that exists under the whole name is one.
///
/// Each can be a URL, which begins with `http://` or `https://`. On Unix, the `:` after the scheme and the one
/// before a port do not separate; later ones do, so that a `:` in the path of a URL is written `%3A`.
pub fn roots(dir: &Path) -> Vec<PathBuf> {
    if dir.is_dir() {
        return vec![dir.to_owned()];
    }
    let roots: Vec<PathBuf> = split(dir.as_os_str());
    if roots.is_empty() { vec![dir.to_owned()] } else { roots }
}

/// The URL that `root`, one of the [`roots`], is; `None` if it is a folder.
pub fn url_of(root: &Path) -> Option<&str> {
    root.to_str().filter(|url| scheme_length(url.as_bytes()).is_some())
}

/// How many bytes `http://` or `https://` takes, if the text begins so.
fn scheme_length(text: &[u8]) -> Option<usize> {
    let begins = |scheme: &&str| {
        let start = text.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    ["http://", "https://"].into_iter().find(begins).map(str::len)
}

#[cfg(unix)]
fn split(names: &OsStr) -> Vec<PathBuf> {
    use std::os::unix::ffi::OsStrExt;

    let mut rest = names.as_bytes();
    let mut roots = Vec::new();
    while !rest.is_empty() {
        let fixed = url_start(rest);
        let end = rest[fixed..].iter().position(|&byte| byte == b':');
        let end = end.map_or(rest.len(), |end| fixed.saturating_add(end));
        if end > 0 {
            roots.push(PathBuf::from(OsStr::from_bytes(&rest[..end])));
        }
        rest = rest.get(end.saturating_add(1)..).unwrap_or_default();
    }
    roots
}

/// How many bytes at the start are scheme, host and port of a URL; 0 if there is none.
#[cfg(unix)]
fn url_start(text: &[u8]) -> usize {
    let Some(scheme) = scheme_length(text) else { return 0 };
    let rest = &text[scheme..];
    // An address of IPv6 stands in brackets.
    let bracket = if rest.first() == Some(&b'[') { rest.iter().position(|&byte| byte == b']') } else { None };
    let in_brackets = bracket.unwrap_or(0);
    let host = rest[in_brackets..].iter().take_while(|byte| !b":/".contains(byte)).count();
    let host = in_brackets.saturating_add(host);
    let after = &rest[host..];
    let digits = after.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
    let has_port = after.first() == Some(&b':')
        && digits > 0
        && after.get(digits.saturating_add(1)).is_none_or(|byte| b":/".contains(byte));
    let port = if has_port { digits.saturating_add(1) } else { 0 };
    scheme.saturating_add(host).saturating_add(port)
}

/// Here the separator cannot occur in a URL.
#[cfg(not(unix))]
fn split(names: &OsStr) -> Vec<PathBuf> {
    std::env::split_paths(names).filter(|root| !root.as_os_str().is_empty()).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn urls_and_folders_are_told_apart() {
        for (dir, expected) in [
            ("a:b", &["a", "b"][..]),
            (":a::b:", &["a", "b"]),
            ("http://h/t", &["http://h/t"]),
            ("HTTP://h:80/t", &["HTTP://h:80/t"]),
            ("http://h:8000/t:/srv/t", &["http://h:8000/t", "/srv/t"]),
            ("http://h:8000:/srv/t", &["http://h:8000", "/srv/t"]),
            ("http://h:/srv/t", &["http://h", "/srv/t"]),
            ("a:https://h:1/t:b:http://[::1]:2/:c", &["a", "https://h:1/t", "b", "http://[::1]:2/", "c"]),
            ("http://[::1]:a", &["http://[::1]", "a"]),
            ("http://[::1", &["http://[", "", "1"]),
            ("http:a", &["http", "a"]),
            ("http://h:12ab", &["http://h", "12ab"]),
        ] {
            let expected: Vec<_> =
                expected.iter().filter(|root| !root.is_empty()).map(PathBuf::from).collect();
            assert_eq!(roots(Path::new(dir)), expected, "{dir}");
        }
        assert_eq!(roots(Path::new(":")), [PathBuf::from(":")]);
        assert_eq!(url_of(Path::new("https://h/t")), Some("https://h/t"));
        assert_eq!(url_of(Path::new("httpd/t")), None);
    }
}
