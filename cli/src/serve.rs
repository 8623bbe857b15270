//! `serve`: the board in the browser and the HTTP API.

use std::io::{self, IsTerminal, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::time::Duration;

use alquerque::rules::Rules;
use alquerque::web::{Config, Limits, Origins, Server};
use clap::{Args, ValueEnum};
use tracing_subscriber::filter::LevelFilter;

use super::failure::Failure;
use super::memory;
use super::options::{DirOption, rules_parser};
use super::output::{Output, flush, message};

/// Serve a board for the browser, and an HTTP API for programs
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Serve {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value_t = Config::default().listen, value_parser = parse_address)]
    listen: SocketAddr,
    #[command(flatten)]
    dir: DirOption,
    /// Serve the rules of this file too; can be repeated
    #[arg(long, value_name = "FILE", value_parser = rules_parser())]
    rules: Vec<&'static Rules>,
    /// Let pages of this origin use the API, as https://example.org; '*' for all. Can be repeated
    #[arg(long, value_name = "ORIGIN", value_parser = parse_origin)]
    cors: Vec<String>,
    /// What to log on standard error; 'info' has a line for each request
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: Log,
    /// Longest request body: 1M, 64K or bytes
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = memory::parse_bytes)]
    max_body: u64,
    /// Most positions in a batch
    #[arg(long, value_name = "N", default_value_t = most_in_batch())]
    max_batch: NonZeroUsize,
    /// Longest time for a request, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().time.as_secs(),
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Longest search where no table reaches, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = Limits::default().search.as_millis() as u64)]
    search_time: u64,
    /// Questions worked on at the same time [default: two for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    probes: Option<u16>,
    /// Questions that may wait; more are answered with status 503
    #[arg(long, value_name = "N", default_value_t = Limits::default().queue)]
    queue: usize,
    /// Questions of one address in work or waiting; more are answered with status 429
    #[arg(long, value_name = "N", default_value_t = Limits::default().per_client)]
    per_client: usize,
}

/// How much is logged.
#[derive(Clone, Copy, ValueEnum)]
enum Log {
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

const HELP: &str = "\
Prints the address of the page once it can be opened. By default only this
machine can reach it; think of a reverse proxy before you change that. Ctrl-C
finishes the requests that have begun. /api/openapi.json describes the API.

Examples:
  alquerque serve
  alquerque serve --dir /srv/tables --listen 127.0.0.1:9000 --log warn
  curl 'http://127.0.0.1:8025/api/v1/classic?position=5/5/1w3/5/w2b1+w'";

impl Serve {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        tracing_subscriber::fmt()
            .with_writer(io::stderr)
            .with_ansi(io::stderr().is_terminal())
            .with_target(false)
            .with_max_level(LevelFilter::from(self.log))
            .init();
        check_names(&self.rules)?;
        let dir = self.dir.dir.clone();
        let server = Server::bind(self.into_config()).map_err(Failure::failed)?;
        if !server.has_tables() {
            message(format!(
                "there are no tables in '{}'; positions will be searched. Give the place of tables with --dir",
                dir.display()
            ));
        }
        writeln!(out, "{}", server.url())?;
        flush(out)?;
        server.run().map_err(Failure::failed)
    }

    fn into_config(self) -> Config {
        let defaults = Limits::default();
        let limits = Limits {
            body: usize::try_from(self.max_body).unwrap_or(usize::MAX),
            batch: self.max_batch.get(),
            time: Duration::from_secs(self.timeout),
            search: Duration::from_millis(self.search_time),
            probes: self.probes.map_or(defaults.probes, usize::from),
            queue: self.queue,
            per_client: self.per_client,
            ..defaults
        };
        let cors = match self.cors {
            origins if origins.is_empty() => Origins::None,
            origins if origins.iter().any(|origin| origin == "*") => Origins::Any,
            origins => Origins::Only(origins),
        };
        let rules = self.rules.into_iter().filter(|rules| Rules::by_name(rules.name()).is_err()).collect();
        Config { listen: self.listen, dir: self.dir.dir, rules, cors, limits }
    }
}

impl From<Log> for LevelFilter {
    fn from(log: Log) -> LevelFilter {
        match log {
            Log::Off => LevelFilter::OFF,
            Log::Error => LevelFilter::ERROR,
            Log::Warn => LevelFilter::WARN,
            Log::Info => LevelFilter::INFO,
            Log::Debug => LevelFilter::DEBUG,
        }
    }
}

/// Clients ask for rules by name, so that two rule sets must not share one.
fn check_names(rules: &[&Rules]) -> Result<(), Failure> {
    for (index, one) in rules.iter().enumerate() {
        if rules[..index].iter().any(|other| other.name() == one.name() && other != one) {
            let name = one.name();
            return Err(Failure::Usage(format!("two rule files have the name '{name}'; rename one of them")));
        }
    }
    Ok(())
}

fn most_in_batch() -> NonZeroUsize {
    NonZeroUsize::new(Limits::default().batch).unwrap_or(NonZeroUsize::MIN)
}

/// An address, or the name of a machine, and a port.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| "write the address of this machine and a port, as in 127.0.0.1:8025".to_owned())
}

/// An origin as browsers send it: scheme, host and perhaps port, nothing after that.
fn parse_origin(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let sound = host.is_some_and(|host| {
        !host.is_empty()
            && host.bytes().all(|byte| byte.is_ascii_graphic() && !b"/?#@\"'<>*,".contains(&byte))
    });
    if sound || text == "*" {
        Ok(text.to_owned())
    } else {
        Err("write an origin like https://example.org, or *".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_may_be_names() {
        assert_eq!(parse_address("127.0.0.1:8025"), Ok(([127, 0, 0, 1], 8025).into()));
        assert!(parse_address("localhost:0").is_ok_and(|address| address.ip().is_loopback()));
        for text in ["", "127.0.0.1", "localhost", "127.0.0.1:x", "127.0.0.1:70000"] {
            assert!(parse_address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn origins_have_no_path() {
        for text in ["https://example.org", "http://localhost:8000", "*"] {
            assert_eq!(parse_origin(text).as_deref(), Ok(text));
        }
        for text in ["", "example.org", "https://", "https://example.org/", "https://*.org", "null"] {
            assert!(parse_origin(text).is_err(), "{text}");
        }
    }
}
