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

mod line;
mod longest;
mod probe;
mod rank;

pub use crate::table::SliceSummary;
pub use line::{LineEnd, MainLine};
pub(crate) use line::{Next, follow};
pub use longest::LongestError;
pub(crate) use probe::covered;
pub use probe::{ProbeError, Verdict};
pub use rank::RankedMove;

use std::path::{Path, PathBuf};

use crate::board::MAX_STONES;
use crate::index::Index;
use crate::material::Material;
use crate::rules::Rules;
use crate::table::{BlockCache, Metric, Table, TableError, folder, parse_file_name};

/// Bytes of decoded blocks that are kept unless [`Tablebase::with_cache`] says otherwise: 64 MiB.
pub const DEFAULT_CACHE: u64 = 64 << 20;

/// The open tables of one rule set. It can be shared between threads; it holds no state but a cache.
pub struct Tablebase {
    index: Index,
    folder: PathBuf,
    tables: Vec<Option<Table>>,
    cache: BlockCache,
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Tablebase>();
};

/// The place of a table among all of a rule set; also its number in the cache.
#[inline]
fn place(material: Material, metric: Metric) -> usize {
    ((material.mover() - 1) * MAX_STONES + material.opponent() - 1) * Metric::ALL.len() + metric as usize
}

impl Tablebase {
    /// Opens all tables for `rules` below `dir`, which holds a folder for each rule set. The files are mapped, not
    /// read. Files that do not have the name of a table are passed over.
    ///
    /// # Errors
    /// [`TableError`] when there is no such folder, or a file with the name of a table is not that table in whole.
    pub fn open(dir: impl AsRef<Path>, rules: &'static Rules) -> Result<Tablebase, TableError> {
        Tablebase::with_cache(dir, rules, DEFAULT_CACHE)
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
        let dir = dir.as_ref();
        let folder = folder(dir, rules);
        let index = Index::new(rules);
        let mut tables: Vec<Option<Table>> = Vec::new();
        tables.resize_with(MAX_STONES * MAX_STONES * Metric::ALL.len(), || None);
        for name in Self::table_names(dir, rules)? {
            let Some((material, metric)) = parse_file_name(&name) else { continue };
            let table = Table::open(&folder, index.layout(material.pair()), material, metric)?;
            tables[place(material, metric)] = Some(table);
        }
        Ok(Tablebase { index, folder, tables, cache: BlockCache::new(bytes) })
    }

    /// The names in the folder for `rules` below `dir` that are names of tables, whether finished or not.
    pub(crate) fn table_names(dir: &Path, rules: &'static Rules) -> Result<Vec<String>, TableError> {
        let folder = folder(dir, rules);
        let entries = std::fs::read_dir(&folder).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => TableError::NoFolder { dir: dir.to_owned(), rules: rules.name() },
            _ => TableError::Io { path: folder.clone(), error },
        })?;
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(TableError::io(&folder))?.file_name();
            let name = name.to_str().filter(|name| parse_file_name(name).is_some());
            names.extend(name.map(str::to_owned));
        }
        Ok(names)
    }

    /// The rule sets that have a folder of tables below `dir`.
    pub fn rule_sets_in(dir: impl AsRef<Path>) -> Vec<&'static Rules> {
        Rules::ALL.into_iter().filter(|rules| folder(dir.as_ref(), rules).is_dir()).collect()
    }

    /// The rules of the tables.
    pub fn rules(&self) -> &'static Rules {
        self.index.rules()
    }

    /// The index by which the tables are numbered.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The table of `metric` for `material`.
    ///
    /// # Errors
    /// [`TableError::NoTable`] when there is none.
    pub fn table(&self, material: Material, metric: Metric) -> Result<&Table, TableError> {
        let table = self.tables[place(material, metric)].as_ref();
        table.ok_or_else(|| TableError::NoTable { folder: self.folder.clone(), material, metric })
    }

    /// Whether there is a table of `metric` for `material`.
    #[inline]
    pub fn has_table(&self, material: Material, metric: Metric) -> bool {
        self.tables[place(material, metric)].is_some()
    }

    /// All open tables, by material.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().flatten()
    }

    /// The figures of every slice that has a table: by total, those in which the side to move has more first.
    pub fn slices(&self) -> Vec<SliceSummary> {
        let mut slices: Vec<SliceSummary> = self
            .tables
            .chunks(Metric::ALL.len())
            .filter_map(|tables| SliceSummary::of(tables.iter().flatten()))
            .collect();
        slices.sort_by_key(|slice| (slice.material.total(), std::cmp::Reverse(slice.material.mover())));
        slices
    }
}
