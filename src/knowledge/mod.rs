//! Everything that is known about a position, from one source: the rules, the tables, certificates and
//! search.
//!
//! `probe`, `play`, the server and the engine ask a [`Knowledge`]. It asks its sources in turn: the rules
//! (the game may be over), the tables, the certificates and, if the caller allows the time, a search with the
//! tables at its leaves. Every answer says who knows it ([`Source`]) and how certain it is ([`Worth`]).
//!
//! - [`look_up`](Knowledge::look_up) answers from what is proven, at once, or says that nothing covers the
//!   position.
//! - [`consult`](Knowledge::consult) always answers; it searches where nothing is proven.
//! - [`choose`](Knowledge::choose) picks the move to play.
//!
//! A value holds for the position by itself ([`Insight::known`]) or in a game, where a position that occurs
//! for the third time is a draw ([`Insight::in_game`]).
//!
//! ```
//! use std::time::Duration;
//! use alquerque::knowledge::{Effort, Knowledge, Source};
//! use alquerque::position::Position;
//! use alquerque::rules::CLASSIC;
//!
//! let knowledge = Knowledge::open("tables", &CLASSIC)?;
//! let covered = knowledge.look_up(&Position::parse(&CLASSIC, "5/5/1w3/5/w2b1 w")?, &[])?;
//! assert_eq!(covered.source(), Some(Source::Tables));
//! let effort = Effort::within(Duration::from_millis(50));
//! let start = knowledge.consult(&Position::start(&CLASSIC), &[], Some(effort))?;
//! assert_eq!(start.source(), Some(Source::Search));
//! println!("looks best: {}", start.moves[0].mv);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choose;
mod error;
mod insight;
mod proven;
mod repetition;
mod searched;
mod searchers;
mod trainer;
mod worth;

pub use choose::Choice;
pub use error::KnowledgeError;
pub use insight::{Insight, Prospect};
pub use searched::Effort;
pub use searchers::SearcherPool;
pub use trainer::Wish;
pub use worth::{Known, Source, Worth};

use std::path::Path;

use crate::certificate::Certificates;
use crate::rules::Rules;
use crate::table::TableError;
use crate::tablebase::Tablebase;

/// All that is known about positions of one rule set. Threads can share it.
pub struct Knowledge {
    rules: &'static Rules,
    tables: Option<Tablebase>,
    certificates: Certificates,
    searchers: SearcherPool,
}

crate::debug::debug_as!(Knowledge, |known| rules = known.rules.name(), has_tables = known.tables.is_some());

impl Knowledge {
    /// Knowledge from these tables and certificates, and from search.
    ///
    /// # Panics
    /// When the tables are of other rules.
    pub fn new(rules: &'static Rules, tables: Option<Tablebase>, certificates: Certificates) -> Knowledge {
        assert!(tables.as_ref().is_none_or(|tables| tables.rules() == rules), "tables of other rules");
        Knowledge { rules, tables, certificates, searchers: SearcherPool::default() }
    }

    /// Knowledge from the tables and certificates for `rules` below `dir`.
    ///
    /// # Errors
    /// [`KnowledgeError`] when there is no folder for the rules, or a table or certificate in it is damaged
    /// or cannot be read.
    pub fn open(dir: impl AsRef<Path>, rules: &'static Rules) -> Result<Knowledge, KnowledgeError> {
        let dir = dir.as_ref();
        Ok(Knowledge::new(rules, Some(Tablebase::open(dir, rules)?), Certificates::open(dir, rules)?))
    }

    /// As [`open`](Self::open), but without any tables if there is no folder for the rules.
    ///
    /// # Errors
    /// [`KnowledgeError`] when a table or certificate is damaged or cannot be read.
    pub fn open_or_empty(dir: impl AsRef<Path>, rules: &'static Rules) -> Result<Knowledge, KnowledgeError> {
        match Knowledge::open(dir, rules) {
            Err(KnowledgeError::Table(TableError::NoFolder { .. })) => {
                Ok(Knowledge::new(rules, None, Certificates::default()))
            }
            opened => opened,
        }
    }

    /// The same with searchers from `pool`, which other rule sets may share.
    #[must_use]
    pub fn with_searchers(mut self, pool: SearcherPool) -> Knowledge {
        self.searchers = pool;
        self
    }

    /// The rules of the positions that it knows about.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// Its tables.
    pub fn tables(&self) -> Option<&Tablebase> {
        self.tables.as_ref()
    }

    /// Its certificates.
    pub fn certificates(&self) -> &Certificates {
        &self.certificates
    }
}

#[cfg(test)]
mod tests;
