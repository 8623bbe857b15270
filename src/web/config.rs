//! What can be set.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::rules::Rules;

/// How to serve.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address to listen on; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The directory of the tables, with one folder per rule set. It need not exist.
    pub dir: PathBuf,
    /// Rule sets that are served besides the built-in ones, such as those of rule files.
    pub rules: Vec<&'static Rules>,
    /// Whose pages may use the API from a browser, besides the page that is served along with it.
    pub cors: Origins,
    /// Whose pages may show the page of this server in a frame.
    pub embedding: Origins,
    /// The names by which clients may address the server.
    pub hosts: Hosts,
    /// What a client may ask for.
    pub limits: Limits,
}

/// Origins of pages, as in `https://example.org`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Origins {
    /// None.
    #[default]
    None,
    /// All there are.
    Any,
    /// These.
    Only(Vec<String>),
}

/// The names by which clients may address the server, as in the `Host` header of a request.
///
/// A page of another site can have its own name lead to this machine (DNS rebinding) and would then be let in
/// by the browser; the name gives it away.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Hosts {
    /// This machine's own names if it listens on a loopback address, else all.
    #[default]
    Automatic,
    /// All there are.
    Any,
    /// These, IP addresses and `localhost`. Ports do not matter.
    Only(Vec<String>),
}

/// What a client may ask for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Positions of a batch.
    pub batch: usize,
    /// Moves of a game.
    pub moves: usize,
    /// Time from a request to its answer, for a request to arrive, and for a client to take 64 KB of an
    /// answer.
    pub time: Duration,
    /// Time of a search where no table reaches.
    pub search: Duration,
    /// Look-ups that are worked on at the same time. They never wait for a search.
    pub probes: usize,
    /// Look-ups that may wait for their turn.
    pub queue: usize,
    /// Look-ups of one client address that are in work, waiting, or being read by the client; also its
    /// connections.
    pub per_client: usize,
    /// Searches that run at the same time.
    pub searches: usize,
    /// Searches of one client address that run or wait.
    pub searches_per_client: usize,
    /// Bytes of decoded blocks of tables that are kept, for all rule sets together.
    pub cache: u64,
}

/// Batches of one client address at the same time, and other requests that read much of a table.
pub(super) const BULK_PER_CLIENT: usize = 4;
/// Such requests of all clients together.
pub(super) const BULK: usize = 16;
/// Searches that may wait for their turn.
pub(super) const SEARCH_QUEUE: usize = 64;
/// Connections of all clients together.
pub(super) const CONNECTIONS: usize = 1024;
/// Bytes that a search remembers positions in.
pub(super) const SEARCH_HASH: u64 = 4 << 20;

impl Default for Config {
    fn default() -> Config {
        Config {
            listen: (Ipv4Addr::LOCALHOST, 8025).into(),
            dir: PathBuf::from("tables"),
            rules: Vec::new(),
            cors: Origins::None,
            embedding: Origins::None,
            hosts: Hosts::Automatic,
            limits: Limits::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        let processors = thread::available_parallelism().map_or(1, |count| count.get());
        Limits {
            body: 1 << 20,
            batch: 10_000,
            moves: 1_000,
            time: Duration::from_secs(30),
            search: Duration::from_secs(2),
            probes: 2 * processors,
            queue: 1024,
            per_client: 256,
            searches: processors,
            searches_per_client: 4,
            cache: 16 << 20,
        }
    }
}
