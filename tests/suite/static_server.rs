//! A small web server of static files that can be made to lie.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What is wrong with an answer to a range request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lie {
    /// Nothing.
    None,
    /// A bit of each part is turned over.
    WrongBytes,
    /// The connection ends in the middle of the body.
    Truncated,
    /// The whole file, with status 200.
    WholeFile,
    /// Bytes come for ever, in chunks.
    Endless,
    /// A body of another length than the range, in chunks.
    OneMore,
    OneLess,
    /// `Content-Range` is of the bytes before.
    WrongRange,
    NoRange,
    /// The length or the tag of the file is another one.
    OtherLength,
    OtherTag,
    /// No answer: the connection is closed.
    Silence,
    /// Status 503 or 403.
    Busy,
    Forbidden,
    /// The bytes from the start of the file, as if they were those asked for.
    OtherBytes,
}

impl Lie {
    pub const ALL: [Lie; 14] = [
        Lie::WrongBytes,
        Lie::Truncated,
        Lie::WholeFile,
        Lie::Endless,
        Lie::OneMore,
        Lie::OneLess,
        Lie::WrongRange,
        Lie::NoRange,
        Lie::OtherLength,
        Lie::OtherTag,
        Lie::Silence,
        Lie::Busy,
        Lie::Forbidden,
        Lie::OtherBytes,
    ];
}

struct Shared {
    dir: PathBuf,
    lie: Mutex<Lie>,
    /// How many range requests are answered well before the lies, and how many with the lie.
    honest: AtomicU64,
    lies: AtomicU64,
    delay: Duration,
    ranges: AtomicU64,
    wholes: AtomicU64,
    bytes: AtomicU64,
    stop: AtomicBool,
}

/// A server of the files below a directory.
pub struct StaticServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl StaticServer {
    /// Serves `dir`, each answer after `delay`.
    pub fn new(dir: &Path, delay: Duration) -> StaticServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let shared = Arc::new(Shared {
            dir: dir.to_owned(),
            lie: Mutex::new(Lie::None),
            honest: AtomicU64::new(0),
            lies: AtomicU64::new(0),
            delay,
            ranges: AtomicU64::new(0),
            wholes: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        });
        let server = StaticServer { address: listener.local_addr().unwrap(), shared: Arc::clone(&shared) };
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.stop.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&shared);
                // An error means that the client has gone.
                thread::spawn(move || stream.and_then(|stream| serve(&shared, stream)));
            }
        });
        server
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on, after `honest` answers to range requests, `lies` answers are wrong in this way.
    pub fn lie(&self, lie: Lie, honest: u64, lies: u64) {
        *self.shared.lie.lock().unwrap() = lie;
        self.shared.honest.store(honest, Ordering::Relaxed);
        self.shared.lies.store(lies, Ordering::Relaxed);
    }

    /// Range requests, other requests and bytes of bodies since the last call.
    pub fn counts(&self) -> (u64, u64, u64) {
        let Shared { ranges, wholes, bytes, .. } = &*self.shared;
        let taken = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        (taken(ranges), taken(wholes), taken(bytes))
    }
}

impl Drop for StaticServer {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(self.address);
    }
}

/// Answers the requests of a connection until it ends.
fn serve(shared: &Shared, mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    loop {
        let Some(first) = lines.next() else { return Ok(()) };
        let path = first?.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut range = None;
        loop {
            let line = lines.next().unwrap_or(Ok(String::new()))?;
            if line.is_empty() {
                break;
            }
            if let Some(bytes) = line.to_lowercase().strip_prefix("range: bytes=") {
                let (first, last) = bytes.split_once('-').unwrap();
                range = Some((first.parse().unwrap(), last.parse().unwrap()));
            }
        }
        thread::sleep(shared.delay);
        let Ok(file) = std::fs::read(shared.dir.join(path.trim_start_matches('/'))) else {
            write!(stream, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")?;
            continue;
        };
        let Some((first, last)) = range else {
            shared.wholes.fetch_add(1, Ordering::Relaxed);
            whole(&mut stream, &file)?;
            continue;
        };
        shared.ranges.fetch_add(1, Ordering::Relaxed);
        let take = |count: &AtomicU64| {
            count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
        };
        let lie =
            if !take(&shared.honest) && take(&shared.lies) { *shared.lie.lock().unwrap() } else { Lie::None };
        if !part(shared, &mut stream, &file, (first, last), lie)? {
            return Ok(());
        }
    }
}

fn whole(stream: &mut TcpStream, file: &[u8]) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", file.len())?;
    stream.write_all(file)
}

/// Answers a range request; whether the connection goes on.
fn part(
    shared: &Shared,
    stream: &mut TcpStream,
    file: &[u8],
    (first, last): (usize, usize),
    lie: Lie,
) -> std::io::Result<bool> {
    let total = file.len();
    if first >= total {
        write!(stream, "HTTP/1.1 416 No\r\ncontent-range: bytes */{total}\r\ncontent-length: 0\r\n\r\n")?;
        return Ok(true);
    }
    let last = last.min(total - 1);
    let mut body = file[first..=last].to_vec();
    shared.bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
    let mut content_range = format!("content-range: bytes {first}-{last}/{total}\r\n");
    let mut tag = "\"one\"";
    match lie {
        Lie::None | Lie::Endless | Lie::OneMore | Lie::OneLess | Lie::Truncated => {}
        Lie::Silence => return Ok(false),
        Lie::WholeFile => return whole(stream, file).map(|()| true),
        Lie::Busy | Lie::Forbidden => {
            let status = if lie == Lie::Busy { "503 Busy" } else { "403 Forbidden" };
            write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n")?;
            return Ok(true);
        }
        Lie::WrongBytes => {
            let middle = body.len() / 2;
            body[middle] ^= 1;
        }
        Lie::OtherBytes => {
            let length = body.len();
            body = file[..length].iter().map(|byte| byte.wrapping_add(u8::from(first == 0))).collect();
        }
        Lie::WrongRange => {
            content_range = format!("content-range: bytes {}-{}/{total}\r\n", first + 1, last + 1);
        }
        Lie::NoRange => content_range.clear(),
        Lie::OtherLength => {
            content_range = format!("content-range: bytes {first}-{last}/{}\r\n", total + 1);
        }
        Lie::OtherTag => tag = "\"two\"",
    }
    write!(stream, "HTTP/1.1 206 Partial Content\r\netag: {tag}\r\n{content_range}")?;
    match lie {
        Lie::Endless => {
            write!(stream, "transfer-encoding: chunked\r\n\r\n")?;
            loop {
                chunk(stream, &[7; 1 << 16])?;
            }
        }
        Lie::OneMore | Lie::OneLess => {
            write!(stream, "transfer-encoding: chunked\r\n\r\n")?;
            if lie == Lie::OneMore {
                body.push(0);
            } else {
                body.pop();
            }
            if !body.is_empty() {
                chunk(stream, &body)?;
            }
            write!(stream, "0\r\n\r\n")?;
            Ok(true)
        }
        _ => {
            write!(stream, "content-length: {}\r\n\r\n", body.len())?;
            let sent = if lie == Lie::Truncated { body.len() / 2 } else { body.len() };
            stream.write_all(&body[..sent])?;
            Ok(lie != Lie::Truncated)
        }
    }
}

fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    write!(stream, "{:x}\r\n", bytes.len())?;
    stream.write_all(bytes)?;
    stream.write_all(b"\r\n")
}
