//! A folder of tables: the exact value of a position, its moves in order of merit, and the line of best play.
//!
//! ```
//! use alquerque::{position::Position, rules::CLASSIC, table::Value, tablebase::Tablebase};
//!
//! let tables = Tablebase::open("tables", &CLASSIC)?;
//! let position = Position::parse(&CLASSIC, "5/1w3/1w3/5/4b w")?;
//! assert_eq!(tables.probe(&position)?.value, Value::Win);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Numbers here come from files that are not trusted: none may overflow unnoticed.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

mod captures;
mod known;
mod line;
mod longest;
mod probe;
mod rank;
mod slot;
mod verdict;

pub use crate::table::SliceSummary;
use known::Known;
pub use line::{LineEnd, MainLine};
pub(crate) use line::{Next, follow};
pub use longest::LongestError;
pub use probe::ProbeError;
pub(crate) use probe::covered;
pub use rank::RankedMove;
use slot::{Listing, Slot};
pub use verdict::Verdict;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::board::MAX_STONES;
use crate::index::Index;
use crate::material::{Material, Pair};
use crate::rules::Rules;
use crate::table::{
    Access, BlockCache, BlockSource, Metric, Table, TableError, folder, parse_file_name, roots,
};

/// Bytes of decoded blocks that are kept unless [`Tablebase::with_cache`] says otherwise: 64 MiB.
pub const DEFAULT_CACHE: u64 = 64 << 20;

/// What part of the cache, and how many bytes at most, hold values of positions instead of blocks.
const KNOWN_SHARE: u64 = 32;
const MAX_KNOWN: u64 = 16 << 20;

/// How a [`Tablebase`] is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Bytes of decoded blocks that are kept, [`DEFAULT_CACHE`] unless chosen.
    pub cache: u64,
    /// How files are read, block by block unless chosen.
    pub access: Access,
}

impl Default for Options {
    fn default() -> Options {
        Options { cache: DEFAULT_CACHE, access: Access::default() }
    }
}

impl Options {
    /// The same with a cache of about `bytes` bytes.
    #[must_use]
    pub fn cache(self, bytes: u64) -> Options {
        Options { cache: bytes, ..self }
    }

    /// The same with files read in this way.
    #[must_use]
    pub fn access(self, access: Access) -> Options {
        Options { access, ..self }
    }
}

/// The open tables of one rule set. It can be shared between threads; it holds no state but a cache.
pub struct Tablebase {
    index: Arc<Index>,
    folder: PathBuf,
    tables: Vec<Slot>,
    cache: BlockCache,
    known: Known,
    /// Which metrics there are tables of.
    metrics: [bool; Metric::ALL.len()],
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rules, tables) = (self.rules().name(), self.tables().count());
        f.debug_struct("Tablebase")
            .field("rules", &rules)
            .field("folder", &self.folder)
            .field("tables", &tables)
            .finish_non_exhaustive()
    }
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Tablebase>();
};

/// How many tables a rule set can have.
const PLACES: usize = MAX_STONES * MAX_STONES * Metric::ALL.len();

/// The place of a table among all of a rule set; also its number in the cache.
// Each side has 1 to 12 stones.
#[allow(clippy::arithmetic_side_effects)]
#[inline]
fn place(material: Material, metric: Metric) -> usize {
    ((material.mover() - 1) * MAX_STONES + material.opponent() - 1) * Metric::ALL.len() + metric as usize
}

impl Tablebase {
    /// Opens all tables for `rules` below `dir`, which holds a folder for each rule set. Several directories
    /// can be given, separated as in `PATH`; a table is taken from the first that has it. Headers and
    /// sizes are checked; nothing else is read before a probe needs it. Files that do not have the name of a
    /// table are passed over.
    ///
    /// With the feature `remote`, a directory can be an `http://` or `https://` URL on any server that answers
    /// range requests. Its manifest lists the tables; each is opened when a probe first needs it. See
    /// [`roots`] for lists with URLs.
    ///
    /// # Errors
    /// [`TableError`] when there is no such folder, a file with the name of a table is not that table by its
    /// header and size, or a server cannot be reached.
    pub fn open(dir: impl AsRef<Path>, rules: &'static Rules) -> Result<Tablebase, TableError> {
        Tablebase::open_with(dir, rules, &Options::default())
    }

    /// As [`open`](Self::open), with a cache of about `bytes` bytes for decoded blocks.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn with_cache(
        dir: impl AsRef<Path>,
        rules: &'static Rules,
        bytes: u64,
    ) -> Result<Tablebase, TableError> {
        Tablebase::open_with(dir, rules, &Options::default().cache(bytes))
    }

    /// As [`open`](Self::open), as `options` say.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_with(
        dir: impl AsRef<Path>,
        rules: &'static Rules,
        options: &Options,
    ) -> Result<Tablebase, TableError> {
        let dir = dir.as_ref();
        let folder = folder(dir, rules);
        let index = Arc::new(Index::new(rules));
        let mut tables: Vec<Slot> = Vec::new();
        tables.resize_with(PLACES, Slot::default);
        let mut is_there = false;
        for root in roots(dir) {
            let Some(listing) = Listing::of(&root, rules)? else { continue };
            is_there = true;
            for name in listing.names() {
                let Some((material, metric)) = parse_file_name(name) else { continue };
                let place = &mut tables[place(material, metric)];
                if !place.is_taken() {
                    *place = listing.slot(&index, material, metric, options.access)?;
                }
            }
        }
        if !is_there {
            return Err(TableError::NoFolder { dir: dir.to_owned(), rules: rules.name() });
        }
        Ok(Tablebase::of(index, folder, tables, options))
    }

    /// The tables for `rules` that these sources hold, each with the name of its file, for instance `3v2.wdl`.
    /// Sources that do not have the name of a table are passed over. Of several with the same name, the first
    /// counts. `options` say how much is cached.
    ///
    /// # Errors
    /// [`TableError`] when a source is not the table of its name by header and size.
    pub fn from_sources(
        rules: &'static Rules,
        sources: impl IntoIterator<Item = (String, Box<dyn BlockSource>)>,
        options: &Options,
    ) -> Result<Tablebase, TableError> {
        let index = Arc::new(Index::new(rules));
        let mut tables: Vec<Slot> = Vec::new();
        tables.resize_with(PLACES, Slot::default);
        for (name, source) in sources {
            let Some((material, metric)) = parse_file_name(&name) else { continue };
            let place = &mut tables[place(material, metric)];
            if !place.is_taken() {
                *place = Slot::of(Table::from_source(name, source, &index, material, metric)?);
            }
        }
        Ok(Tablebase::of(index, PathBuf::from(rules.name()), tables, options))
    }

    /// These tables, each in its place.
    fn of(index: Arc<Index>, folder: PathBuf, tables: Vec<Slot>, options: &Options) -> Tablebase {
        let metrics = Metric::ALL
            .map(|metric| tables.iter().skip(metric as usize).step_by(Metric::ALL.len()).any(Slot::is_taken));
        let known = Known::new((options.cache / KNOWN_SHARE).min(MAX_KNOWN));
        Tablebase { index, folder, tables, cache: BlockCache::new(options.cache), known, metrics }
    }

    /// The names in the folder for `rules` below `dir` that are names of tables, whether finished or not.
    pub(crate) fn table_names(dir: &Path, rules: &'static Rules) -> Result<Vec<String>, TableError> {
        let folder = folder(dir, rules);
        let entries = std::fs::read_dir(&folder).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => TableError::NoFolder { dir: dir.to_owned(), rules: rules.name() },
            _ => TableError::io(&folder)(error),
        })?;
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(TableError::io(&folder))?.file_name();
            let name = name.to_str().filter(|name| parse_file_name(name).is_some());
            names.extend(name.map(str::to_owned));
        }
        Ok(names)
    }

    /// The rule sets that have a folder of tables below `dir`. A server that cannot be asked counts as one that
    /// has all of them: to open them tells what is wrong.
    pub fn rule_sets_in(dir: impl AsRef<Path>) -> Vec<&'static Rules> {
        let found: Vec<&Rules> = roots(dir.as_ref()).iter().flat_map(|root| slot::rule_sets(root)).collect();
        Rules::ALL.into_iter().filter(|rules| found.contains(rules)).collect()
    }

    /// Empties the caches. Answers stay the same, and the next ones take as long as the first.
    pub fn forget(&self) {
        self.cache.forget();
        self.known.forget();
    }

    /// The rules of the tables.
    pub fn rules(&self) -> &'static Rules {
        self.index.rules()
    }

    /// The index by which the tables are numbered.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The table of `metric` for `material`. One on a server is opened the first time.
    ///
    /// # Errors
    /// [`TableError::NoTable`] when there is none; any other when one on a server cannot be opened.
    #[inline]
    pub fn table(&self, material: Material, metric: Metric) -> Result<&Table, TableError> {
        let slot = &self.tables[place(material, metric)];
        match slot.opened() {
            Some(table) => Ok(table),
            None => slot.open(&self.index, &self.folder, material, metric),
        }
    }

    /// Whether there is a table of `metric` for `material`.
    #[inline]
    pub fn has_table(&self, material: Material, metric: Metric) -> bool {
        self.tables[place(material, metric)].is_taken()
    }

    /// Opens all tables that are on a server. [`tables`](Self::tables) and [`slices`](Self::slices) pass over
    /// those that are not open.
    ///
    /// # Errors
    /// [`TableError`] for the first that cannot be opened.
    pub fn open_all(&self) -> Result<(), TableError> {
        /// The server is waited for most of the time.
        const THREADS: usize = 8;
        let materials = Pair::up_to(2 * MAX_STONES).into_iter().flat_map(Pair::slices);
        let all = materials.flat_map(|material| Metric::ALL.map(|metric| (material, metric)));
        let is_closed = |&(material, metric): &(Material, Metric)| {
            let slot = &self.tables[place(material, metric)];
            slot.is_taken() && slot.opened().is_none()
        };
        let closed: Vec<_> = all.filter(is_closed).collect();
        if closed.is_empty() {
            return Ok(());
        }
        let open = |part: &[(Material, Metric)]| {
            part.iter().try_for_each(|&(material, metric)| self.table(material, metric).map(drop))
        };
        std::thread::scope(|scope| {
            let parts = closed.chunks(closed.len().div_ceil(THREADS));
            let threads: Vec<_> = parts.map(|part| scope.spawn(move || open(part))).collect();
            threads.into_iter().try_for_each(|thread| match thread.join() {
                Ok(opened) => opened,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    }

    /// The metric by which positions of `material` are ranked: the first of [`Metric::DISTANCES`] that has a
    /// table, or the last.
    pub fn ranking_metric(&self, material: Material) -> Metric {
        let [_, last] = Metric::DISTANCES;
        Metric::DISTANCES.into_iter().find(|&metric| self.has_table(material, metric)).unwrap_or(last)
    }

    /// Whether there is a table of `metric` at all.
    pub(crate) fn has_any(&self, metric: Metric) -> bool {
        self.metrics[metric as usize]
    }

    /// All open tables, by material.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().filter_map(Slot::opened)
    }

    /// The figures of every slice that has an open table: by total, those in which the side to move has more
    /// first.
    pub fn slices(&self) -> Vec<SliceSummary> {
        let mut slices: Vec<SliceSummary> = self
            .tables
            .chunks(Metric::ALL.len())
            .filter_map(|tables| SliceSummary::of(tables.iter().filter_map(Slot::opened)))
            .collect();
        slices.sort_by_key(|slice| (slice.material.total(), std::cmp::Reverse(slice.material.mover())));
        slices
    }
}
