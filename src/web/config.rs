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

/// What a client may ask for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Positions of a batch.
    pub batch: usize,
    /// Moves of a game.
    pub moves: usize,
    /// Time from a request to its answer, and for a request to arrive.
    pub time: Duration,
    /// Time of a search where no table reaches.
    pub search: Duration,
    /// Questions about positions that are worked on at the same time.
    pub probes: usize,
    /// Such questions that may wait for their turn.
    pub queue: usize,
    /// Such questions, in work or waiting, of one client address.
    pub per_client: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            listen: (Ipv4Addr::LOCALHOST, 8025).into(),
            dir: PathBuf::from("tables"),
            rules: Vec::new(),
            cors: Origins::None,
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
        }
    }
}
