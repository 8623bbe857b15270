//! `serve`: the board in the browser and the HTTP API.

use std::io::{self, IsTerminal, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::time::Duration;

use alquerque::rules::Rules;
use alquerque::web::{Config, Hosts, Limits, Origins, Server};
use clap::{Args, ValueEnum};
use tracing_subscriber::filter::LevelFilter;

use super::failure::Failure;
use super::message::message;
use super::options::{DirOption, rules_parser};
use super::output::{Output, flush};
use super::{memory, pool};

/// Serve a board to the browser, and an HTTP API to programs
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Serve {
    /// Address and port to listen on; port 0 chooses a free one
    #[arg(long, value_name = "ADDRESS", default_value_t = Config::default().listen, value_parser = parse_address)]
    listen: SocketAddr,
    #[command(flatten)]
    dir: DirOption,
    /// Also serve the rules of this file. Can be repeated
    #[arg(long, value_name = "FILE", value_parser = rules_parser())]
    rules: Vec<&'static Rules>,
    /// Allow pages of this origin to use the API, for instance `https://example.org`; '*' allows all. May be repeated
    #[arg(long, value_name = "ORIGIN", value_parser = parse_origin)]
    cors: Vec<String>,
    /// Let pages of this origin show the board in a frame; '*' for all. Can be repeated
    #[arg(long, value_name = "ORIGIN", value_parser = parse_origin)]
    allow_embedding: Vec<String>,
    /// A host name that clients may use, as in example.org; '*' for all. Can be repeated [default: if only
    /// this machine can reach the server, its own names, else all]
    #[arg(long, value_name = "NAME", value_parser = parse_host)]
    allow_host: Vec<String>,
    /// What to log on standard error; 'info' logs a line for each request
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: Log,
    /// Longest request body: 1M, 64K or bytes
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = memory::parse_bytes)]
    max_body: u64,
    /// Most positions in a batch
    #[arg(long, value_name = "N", default_value_t = most_in_batch())]
    max_batch: NonZeroUsize,
    /// Longest time, in seconds, for a request to arrive, to be answered, and for a client to take 64 KB of
    /// the answer
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().time.as_secs(),
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Longest search where tables do not cover the position, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = Limits::default().search.as_millis() as u64)]
    search_time: u64,
    /// Look-ups worked on at the same time [default: two for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    probes: Option<u16>,
    /// Look-ups that may wait; more are answered with status 503
    #[arg(long, value_name = "N", default_value_t = Limits::default().queue)]
    queue: usize,
    /// Look-ups of one address in work, waiting or not yet read, at least 1; more are answered with status
    /// 429. Also the connections of one address
    #[arg(long, value_name = "N", default_value_t = Limits::default().per_client as u64,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    per_client: u64,
    /// Searches that run at the same time [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    searches: Option<u16>,
    /// Searches of one address that run or wait; more are answered with status 429
    #[arg(long, value_name = "N", default_value_t = Limits::default().searches_per_client as u64,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    searches_per_client: u64,
    /// Memory for decoded blocks of tables: 64M, 1.5G or bytes
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = memory::parse_bytes)]
    cache: u64,
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
machine can reach it; put a reverse proxy in front before you change that. Ctrl-C
lets requests that have begun finish, for at most 10 seconds. The API is described
by /api/openapi.json.

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
        pool::prepare()?;
        let server = Server::bind(self.into_config()).map_err(Failure::failed)?;
        if !server.has_tables() {
            message(format!(
                "there are no tables in '{}', so positions will be searched; give the directory of tables with --dir",
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
            per_client: self.per_client as usize,
            searches: self.searches.map_or(defaults.searches, usize::from),
            searches_per_client: self.searches_per_client as usize,
            cache: self.cache,
            ..defaults
        };
        let hosts = match self.allow_host {
            names if names.is_empty() => Hosts::Automatic,
            names if names.iter().any(|name| name == "*") => Hosts::Any,
            names => Hosts::Only(names),
        };
        let rules = self.rules.into_iter().filter(|rules| Rules::by_name(rules.name()).is_err()).collect();
        Config {
            listen: self.listen,
            dir: self.dir.dir,
            rules,
            cors: origins(self.cors),
            embedding: origins(self.allow_embedding),
            hosts,
            limits,
        }
    }
}

fn origins(given: Vec<String>) -> Origins {
    match given {
        origins if origins.is_empty() => Origins::None,
        origins if origins.iter().any(|origin| origin == "*") => Origins::Any,
        origins => Origins::Only(origins),
    }
}

/// The name of a host without a port.
fn parse_host(text: &str) -> Result<String, String> {
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
    };
    if text == "*" || is_name(text) {
        return Ok(text.to_owned());
    }
    Err("write the name of a host without a port, as in example.org".to_owned())
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
            && host.bytes().all(|byte| byte.is_ascii_graphic() && !b"/?#@\"'<>*,;".contains(&byte))
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
