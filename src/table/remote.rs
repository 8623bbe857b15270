//! Tables on a web server: any that serves files and answers range requests.
//!
//! A server is trusted as little as a file. An answer that is not exactly what was asked for is an error, and
//! no more of it is held in memory than was asked for.

use std::io::{self, ErrorKind, Read};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body};

use super::manifest::MAX_BYTES;
use super::{BlockSource, MANIFEST_NAME, Manifest, TableError};

/// Bytes that opening a file asks for: its header, and the whole of a small table.
const HEAD_BYTES: usize = 4096;

/// How long a request may take from the first connection to the last byte.
const REQUEST_TIME: Duration = Duration::from_secs(60);
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// How long to wait before each further attempt.
const PAUSES: [Duration; 3] =
    [Duration::from_millis(100), Duration::from_millis(300), Duration::from_millis(900)];

/// The client that the whole process shares, with its open connections.
static AGENT: LazyLock<Agent> = LazyLock::new(|| {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        // Ranges count the bytes of the file, not those of a compressed form.
        .accept_encoding("identity")
        .user_agent(concat!("alquerque/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(CONNECT_TIME))
        .timeout_global(Some(REQUEST_TIME));
    config.build().into()
});

/// The folder of one rule set on a server.
#[derive(Clone, Debug)]
pub struct RemoteFolder {
    url: String,
}

impl RemoteFolder {
    /// The folder called `name` below the directory at `url`.
    pub fn new(url: &str, name: &str) -> RemoteFolder {
        RemoteFolder { url: format!("{}/{name}", url.trim_end_matches('/')) }
    }

    /// The URL of a file in the folder.
    pub fn file_url(&self, name: &str) -> String {
        format!("{}/{name}", self.url)
    }

    /// The bytes of the manifest; `None` when the server has none.
    fn manifest_bytes(&self) -> Result<Option<Vec<u8>>, TableError> {
        let name = self.file_url(MANIFEST_NAME);
        persist(|| whole(&name)).map_err(|source| TableError::Io { name, source })
    }

    /// Whether the server has a manifest.
    ///
    /// # Errors
    /// [`TableError::Io`] when the server cannot be reached or answers with an error or with more than 1 MiB.
    pub fn exists(&self) -> Result<bool, TableError> {
        Ok(self.manifest_bytes()?.is_some())
    }

    /// The manifest; `None` when the server has none.
    ///
    /// # Errors
    /// As for [`exists`](Self::exists); [`TableError::Manifest`] when it has another form.
    pub fn manifest(&self) -> Result<Option<Manifest>, TableError> {
        let bytes = self.manifest_bytes()?;
        bytes.map(|bytes| Manifest::parse(&bytes, &self.file_url(MANIFEST_NAME))).transpose()
    }

    /// Opens the file called `name`, with one request.
    ///
    /// # Errors
    /// [`TableError::Io`] when the server does not have it, cannot be reached or does not serve ranges.
    pub fn open(&self, name: &str) -> Result<RemoteFile, TableError> {
        let url = self.file_url(name);
        RemoteFile::open(url.clone()).map_err(|source| TableError::Io { name: url, source })
    }
}

/// A file on a server, which is read in ranges.
#[derive(Debug)]
pub struct RemoteFile {
    url: String,
    version: Version,
    /// The first bytes, which came when it was opened.
    head: Vec<u8>,
}

impl RemoteFile {
    fn open(url: String) -> io::Result<RemoteFile> {
        let (head, version) = persist(|| range(&url, 0, HEAD_BYTES, None))?;
        Ok(RemoteFile { url, version, head })
    }
}

impl BlockSource for RemoteFile {
    fn length(&self) -> u64 {
        self.version.length
    }

    fn read<'a>(&'a self, offset: u64, length: usize, room: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        let end = offset.checked_add(length as u64).filter(|&end| end <= self.version.length);
        let end = end.ok_or(ErrorKind::UnexpectedEof)?;
        if end <= self.head.len() as u64 {
            return Ok(&self.head[offset as usize..end as usize]);
        }
        if length == 0 {
            return Ok(&[]);
        }
        (*room, _) = persist(|| range(&self.url, offset, length, Some(&self.version)))?;
        Ok(room)
    }
}

/// What tells a file from one that replaced it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Version {
    length: u64,
    /// The entity tag, else the time of the last change.
    tag: Option<String>,
}

/// Why an attempt failed.
enum Fault {
    /// It may be gone a moment later.
    Passing(io::Error),
    Lasting(io::Error),
}

impl Fault {
    fn lasting(text: impl Into<String>) -> Fault {
        Fault::Lasting(io::Error::other(text.into()))
    }

    fn passing(text: impl Into<String>) -> Fault {
        Fault::Passing(io::Error::other(text.into()))
    }

    /// For `map_err`: no answer, or half of one.
    fn of(error: ureq::Error) -> Fault {
        use ureq::Error::{BadUri, Http, InvalidProxyUrl, TooManyRedirects};
        match error {
            BadUri(_) | Http(_) | InvalidProxyUrl | TooManyRedirects => Fault::lasting(error.to_string()),
            error => Fault::Passing(error.into_io()),
        }
    }

    /// An answer with this status, which is not the one hoped for.
    fn status(status: StatusCode) -> Fault {
        let text = format!("the server answers with status {status}");
        if status == StatusCode::NOT_FOUND {
            return Fault::Lasting(io::Error::new(ErrorKind::NotFound, "the server does not have this file"));
        }
        let is_passing = status.is_server_error()
            || [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT].contains(&status);
        if is_passing { Fault::passing(text) } else { Fault::lasting(text) }
    }
}

/// Attempts something several times, unless it is of no use.
fn persist<T>(mut attempt: impl FnMut() -> Result<T, Fault>) -> io::Result<T> {
    let mut pauses = PAUSES.into_iter();
    loop {
        match attempt() {
            Ok(done) => return Ok(done),
            Err(Fault::Lasting(error)) => return Err(error),
            Err(Fault::Passing(error)) => thread::sleep(pauses.next().ok_or(error)?),
        }
    }
}

/// The bytes of the manifest at `url`; `None` when there is no such file.
fn whole(url: &str) -> Result<Option<Vec<u8>>, Fault> {
    let response = AGENT.get(url).call().map_err(Fault::of)?;
    match response.status() {
        StatusCode::OK => {}
        StatusCode::NOT_FOUND | StatusCode::GONE => return Ok(None),
        status => return Err(Fault::status(status)),
    }
    let bytes = body(response, MAX_BYTES)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Fault::lasting(format!("the file is too long: more than {MAX_BYTES} bytes")));
    }
    Ok(Some(bytes))
}

/// The `length` bytes of the file at `url` from `offset` on, and which version of the file they are from. Fewer
/// come only from a file that is new, at its end. `length` is not 0.
fn range(
    url: &str,
    offset: u64,
    length: usize,
    known: Option<&Version>,
) -> Result<(Vec<u8>, Version), Fault> {
    let last = offset.saturating_add(length as u64).saturating_sub(1);
    let request = AGENT.get(url).header(header::RANGE, format!("bytes={offset}-{last}"));
    let response = request.call().map_err(Fault::of)?;
    let field = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    match response.status() {
        StatusCode::PARTIAL_CONTENT => {}
        StatusCode::OK => return Err(Fault::lasting("the server does not answer range requests")),
        StatusCode::RANGE_NOT_SATISFIABLE if known.is_none() => {
            return Err(Fault::lasting("the file is empty"));
        }
        StatusCode::RANGE_NOT_SATISFIABLE => return Err(changed()),
        status => return Err(Fault::status(status)),
    }
    let other = || Fault::lasting("the server sent other bytes than were asked for");
    let (first, end, total) = field(header::CONTENT_RANGE).and_then(content_range).ok_or_else(other)?;
    let tag = field(header::ETAG).or_else(|| field(header::LAST_MODIFIED)).map(str::to_owned);
    let version = Version { length: total, tag };
    if known.is_some_and(|known| *known != version) {
        return Err(changed());
    }
    if (first, end) != (offset, last.min(total.saturating_sub(1))) || end < first {
        return Err(other());
    }
    let expected = end.saturating_sub(first).saturating_add(1);
    let bytes = body(response, expected)?;
    match (bytes.len() as u64).cmp(&expected) {
        std::cmp::Ordering::Equal => Ok((bytes, version)),
        std::cmp::Ordering::Less => Err(Fault::passing("the server sent fewer bytes than it announced")),
        std::cmp::Ordering::Greater => Err(Fault::lasting("the server sent more bytes than were asked for")),
    }
}

fn changed() -> Fault {
    Fault::lasting("the file changed on the server while it was in use; open the tables again")
}

/// At most `most` bytes of an answer, or one more when there are more. The connection can be used again when
/// it came to its end.
fn body(response: Response<Body>, most: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    let mut reader = response.into_body().into_reader().take(most.saturating_add(1));
    reader.read_to_end(&mut bytes).map_err(Fault::Passing)?;
    Ok(bytes)
}

/// First and last byte and the length of the file, of `bytes 0-99/1234`.
fn content_range(text: &str) -> Option<(u64, u64, u64)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?, total.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_ranges_are_read() {
        assert_eq!(content_range("bytes 0-99/1234"), Some((0, 99, 1234)));
        for text in ["bytes */1234", "bytes 0-99/*", "0-99/1234", "bytes 0-99", "", "bytes -1-5/9"] {
            assert_eq!(content_range(text), None, "{text}");
        }
    }

    #[test]
    fn only_passing_faults_are_met_again() {
        let mut attempts = 0;
        let result = persist(|| {
            attempts += 1;
            if attempts < 2 { Err(Fault::passing("busy")) } else { Ok(attempts) }
        });
        assert_eq!(result.unwrap(), 2);
        let mut attempts = 0;
        let result: io::Result<()> = persist(|| {
            attempts += 1;
            Err(Fault::lasting("no"))
        });
        assert!(result.is_err() && attempts == 1);
    }
}
