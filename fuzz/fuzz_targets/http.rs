//! Paths and queries of the HTTP API, asked of a server in this process. No answer is an internal error.

#![no_main]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use alquerque::web::{Config, Server};
use libfuzzer_sys::fuzz_target;

/// The address of the server, as a `Host` header has it.
fn address() -> &'static str {
    static ADDRESS: OnceLock<String> = OnceLock::new();
    ADDRESS.get_or_init(|| {
        let mut config = Config::default();
        config.listen.set_port(0);
        config.dir = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tables"));
        config.limits.search = Duration::from_millis(1);
        let server = Server::bind(config).expect("the server starts");
        let address = server.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
        thread::spawn(move || server.run().expect("the server runs"));
        address
    })
}

/// Sends a request and reads the status and the whole answer.
fn ask(connection: &mut BufReader<TcpStream>, target: &str) -> std::io::Result<u16> {
    let request = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", address());
    connection.get_mut().write_all(request.as_bytes())?;
    let (mut status, mut length) = (0, None);
    loop {
        let mut line = String::new();
        if connection.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(code) = line.strip_prefix("http/1.1 ") {
            status = code.split(' ').next().and_then(|code| code.parse().ok()).unwrap_or(0);
        } else if let Some(bytes) = line.strip_prefix("content-length: ") {
            length = bytes.parse::<u64>().ok();
        } else if line.is_empty() {
            break;
        }
    }
    // Every answer here has a length: nothing is streamed without compression.
    let length = length.ok_or(std::io::ErrorKind::InvalidData)?;
    std::io::copy(&mut connection.by_ref().take(length), &mut std::io::sink())?;
    Ok(status)
}

fuzz_target!(|text: &str| {
    static CONNECTION: Mutex<Option<BufReader<TcpStream>>> = Mutex::new(None);
    let Some(line) = text.lines().next() else { return };
    // What a client of HTTP would send: everything else is escaped.
    let mut target = String::from("/");
    for byte in line.bytes() {
        match byte {
            b'!' | b'#'..=b';' | b'=' | b'?'..=b'_' | b'a'..=b'z' => target.push(byte as char),
            byte => target.push_str(&format!("%{byte:02X}")),
        }
    }
    let mut connection = CONNECTION.lock().expect("no other thread");
    let open = match connection.take() {
        Some(open) => open,
        None => BufReader::new(TcpStream::connect(address()).expect("the server accepts")),
    };
    let mut open = open;
    match ask(&mut open, &target) {
        Ok(status) => {
            assert!(status != 500, "internal error for {target}");
            *connection = Some(open);
        }
        // The server may close a connection after an error; the next request opens a new one.
        Err(_) => *connection = None,
    }
});
