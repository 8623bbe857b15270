//! Checking tables: their checksums, and every value against its successors.
//!
//! The full check does not repeat the solver's work: it enumerates the entries of each table, generates the
//! legal moves of the position, looks the successors up as any user would, and compares. It shares the board,
//! the rules, the numbering of entries and the files with the solver, but not its passes and not its words of
//! many positions at once. Where a DTC table is there this proves the values: every win and loss then stands
//! on a shorter one. A WDL table alone is checked for consistency.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::index::{Index, RowBlock};
use crate::material::Material;
use crate::position::Position;
use crate::progress::{Progress, Stage};
use crate::rules::Rules;
use crate::table::{
    Access, Cursor, Longest, Manifest, Metric, Table, TableError, Value, display_name, folder,
    parse_file_name,
};
use crate::tablebase::{ProbeError, Tablebase, Verdict};

/// Which values to derive again from their successors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Derived {
    /// None: checksums only.
    None,
    /// Those of a sample of about this many entries, as many from each slice as far as it has them. The choice
    /// looks random but is always the same. At least one in each slice; all if there are no more.
    Sample(u64),
    /// All, and their counts.
    All,
}

/// How much to check, and with what.
#[derive(Clone, Copy, Debug)]
pub struct VerifyOptions {
    /// Which values are derived again.
    pub derived: Derived,
    /// How many threads work, at least 1.
    pub threads: usize,
    /// Bytes for decoded blocks of tables while values are derived. Positions with many captures to play out
    /// read hundreds of blocks, mostly of smaller slices: the more are kept, the faster.
    pub cache: u64,
}

/// What was checked and found right.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VerifyReport {
    /// Table files.
    pub files: u64,
    /// Blocks of them.
    pub blocks: u64,
    /// Entries derived again, captures included.
    pub positions: u64,
}

/// What is wrong. Each is one sentence; several have a line each.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum VerifyError {
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error("{material}.{metric} is wrong: {position} is stored as {stored}, its successors say {derived}")]
    Value { material: Material, metric: Metric, position: String, stored: String, derived: String },
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<VerifyError>),
    #[error("{material}.{metric} is wrong: its header says {stored}; the positions say {derived}")]
    Counts { material: Material, metric: Metric, stored: String, derived: String },
    #[error("the values of {0} can be checked only with its dtc table, because a ply counter can end games")]
    NeedsDtc(Material),
    #[error("the threads could not be started: {0}")]
    ThreadPool(#[from] rayon::ThreadPoolBuildError),
    #[error("stopped")]
    Stopped,
}

/// Checks the tables for `rules` below `dir`.
///
/// # Errors
/// [`VerifyError`] for every file that is damaged, or for the first value that is wrong; the order in which
/// tables are checked is fixed, within one table it is not.
pub fn verify(
    dir: &Path,
    rules: &'static Rules,
    options: &VerifyOptions,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<VerifyReport, VerifyError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.max(1)).build()?;
    let monitor = Monitor { progress, stop };
    pool.install(|| {
        let mut report = check_files(dir, rules, monitor)?;
        if options.derived != Derived::None {
            let tables = &Tablebase::with_cache(dir, rules, options.cache)?;
            report.positions = Check { tables, monitor }.values(options.derived)?;
        }
        Ok(report)
    })
}

struct Check<'a> {
    tables: &'a Tablebase,
    monitor: Monitor<'a>,
}

#[derive(Clone, Copy)]
struct Monitor<'a> {
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
}

impl Monitor<'_> {
    fn check_stop(self) -> Result<(), VerifyError> {
        if self.stop.load(Ordering::Relaxed) { Err(VerifyError::Stopped) } else { Ok(()) }
    }
}

/// Compares all files that are tables by their names, or that the manifest lists, with the manifest, and
/// decodes every block.
fn check_files(dir: &Path, rules: &'static Rules, monitor: Monitor) -> Result<VerifyReport, VerifyError> {
    let folder = folder(dir, rules);
    let manifest = Manifest::read(&folder)?;
    let mut names: BTreeSet<String> = manifest.entries().map(|entry| entry.name.to_owned()).collect();
    names.extend(Tablebase::table_names(dir, rules)?);
    let index = Arc::new(Index::new(rules));
    let mut report = VerifyReport::default();
    let mut wrong = Vec::new();
    for name in names {
        let Some((material, metric)) = parse_file_name(&name) else { continue };
        monitor.progress.stage(Stage::Checksums { material, metric });
        let path = folder.join(&name);
        let checked = match Table::open(&folder, &index, material, metric, Access::Read) {
            Err(TableError::NoTable { .. }) => Err(TableError::Missing(display_name(&path)).into()),
            Err(error) => Err(error.into()),
            // A block that is damaged says more than the checksum of the file.
            Ok(table) => check_blocks(&table, monitor).and_then(|()| {
                let listed = manifest.checksum(&name);
                let listed = listed.ok_or_else(|| TableError::Unlisted(display_name(&path)))?;
                let actual = table.checksum_unless(Some(monitor.stop))?.ok_or(VerifyError::Stopped)?;
                if listed == actual {
                    Ok(table.blocks())
                } else {
                    Err(TableError::Checksum(display_name(&path)).into())
                }
            }),
        };
        match checked {
            Ok(blocks) => {
                report.files += 1;
                report.blocks += blocks;
            }
            Err(VerifyError::Stopped) => return Err(VerifyError::Stopped),
            Err(error) => wrong.push(error),
        }
    }
    match wrong.len() {
        0 => Ok(report),
        1 => Err(wrong.remove(0)),
        _ => Err(VerifyError::Several(wrong)),
    }
}

fn check_blocks(table: &Table, monitor: Monitor) -> Result<(), VerifyError> {
    let first_entries = (0..table.blocks()).into_par_iter().map(|block| table.entries_of(block).start);
    first_entries.try_for_each_init(
        || Cursor::new(table),
        |cursor, entry| {
            monitor.check_stop()?;
            cursor.get(entry)?;
            Ok(())
        },
    )
}

/// What the positions of a slice add up to, by value; and the longest distances by metric.
#[derive(Clone, Copy, Default)]
struct Totals {
    positions: [u64; 3],
    longest: [Longest; Metric::ALL.len()],
}

impl Totals {
    fn add(&mut self, verdict: &Verdict, times: u64) {
        self.positions[verdict.value as usize] += times;
        for (metric, longest) in Metric::ALL.into_iter().zip(&mut self.longest) {
            verdict.distance(metric).into_iter().for_each(|plies| longest.add(verdict.value, plies));
        }
    }

    fn merged(self, other: Totals) -> Totals {
        let positions = std::array::from_fn(|value| self.positions[value] + other.positions[value]);
        let longest = std::array::from_fn(|metric| self.longest[metric].merged(other.longest[metric]));
        Totals { positions, longest }
    }
}

impl Check<'_> {
    /// Derives values again and returns how many.
    fn values(&self, which: Derived) -> Result<u64, VerifyError> {
        let mut derived = 0;
        let quota = match which {
            Derived::Sample(entries) => self.quota(entries),
            Derived::None | Derived::All => 0,
        };
        for slice in self.tables.slices() {
            let has = |metric| self.tables.table(slice.material, metric).is_ok();
            if self.tables.rules().ply_limit().is_some() && !has(Metric::Dtc) {
                return Err(VerifyError::NeedsDtc(slice.material));
            }
            if has(Metric::Wdl) {
                self.monitor.progress.stage(Stage::Deriving(slice.material));
                derived += match which {
                    Derived::None => 0,
                    Derived::Sample(_) => self.sample(slice.material, quota)?,
                    Derived::All => self.slice(slice.material)?,
                };
            }
        }
        Ok(derived)
    }

    /// How many entries of each slice make so many together, when smaller slices give all that they have.
    fn quota(&self, mut left: u64) -> u64 {
        let with_values = self.tables.slices().into_iter().map(|slice| slice.material);
        let with_values = with_values.filter(|&material| self.tables.table(material, Metric::Wdl).is_ok());
        let layout = |material: Material| self.tables.index().layout(material.pair());
        let mut sizes: Vec<u64> = with_values.map(|material| layout(material).entries()).collect();
        sizes.sort_unstable();
        let mut slices = sizes.len() as u64;
        for size in sizes {
            let quota = left.div_ceil(slices);
            if size >= quota {
                return quota;
            }
            left -= size;
            slices -= 1;
        }
        u64::MAX
    }

    fn slice(&self, material: Material) -> Result<u64, VerifyError> {
        const BLOCK_ENTRIES: u64 = 1 << 14;
        let layout = self.tables.index().layout(material.pair());
        let derived = AtomicU64::new(0);
        let check_block = |block: RowBlock| {
            let mut totals = Totals::default();
            for entry in block.entries.clone() {
                // Playing out the captures of one position can take as long as reading hundreds of blocks.
                self.monitor.check_stop()?;
                let location = layout.location_of(entry);
                let position = layout.position(material, location);
                totals.add(&self.position(material, &position)?, layout.rows().orbit(location.row));
            }
            let entries = block.entries.end - block.entries.start;
            derived.fetch_add(entries, Ordering::Relaxed);
            self.monitor.progress.advanced(entries);
            Ok(totals)
        };
        let totals = layout
            .blocks(BLOCK_ENTRIES)
            .into_par_iter()
            .map(check_block)
            .try_reduce(Totals::default, |a, b| Ok::<Totals, VerifyError>(a.merged(b)))?;
        self.counts(material, &totals)?;
        Ok(derived.into_inner())
    }

    /// Derives this many values of a slice again, or all if there are fewer.
    fn sample(&self, material: Material, count: u64) -> Result<u64, VerifyError> {
        let layout = self.tables.index().layout(material.pair());
        let entries = layout.entries();
        let count = count.min(entries);
        let check = |number: u64| {
            self.monitor.check_stop()?;
            // One out of every stretch of the slice, so that none is taken twice.
            let start = |number: u64| (u128::from(entries) * u128::from(number) / u128::from(count)) as u64;
            let stretch = start(number)..start(number + 1);
            let entry = stretch.start + xxh3_64(&number.to_le_bytes()) % (stretch.end - stretch.start);
            let position = layout.position(material, layout.location_of(entry));
            self.position(material, &position)?;
            self.monitor.progress.advanced(1);
            Ok(())
        };
        (0..count).into_par_iter().try_for_each(check).map(|()| count)
    }

    /// The verdict on a position, which must be what its successors say.
    fn position(&self, material: Material, position: &Position) -> Result<Verdict, VerifyError> {
        let stored = self.tables.probe(position)?;
        let derived = self.derive(position)?;
        let differs = |metric: &Metric| match metric {
            Metric::Wdl => stored.value != derived.value,
            _ => stored.distance(*metric).is_some_and(|plies| derived.distance(*metric) != Some(plies)),
        };
        let Some(differing) = Metric::ALL.into_iter().find(differs) else { return Ok(stored) };
        Err(VerifyError::Value {
            material,
            metric: differing,
            position: position.to_string(),
            stored: describe(&stored, differing),
            derived: describe(&derived, differing),
        })
    }

    /// What the successors of a position say about it.
    fn derive(&self, position: &Position) -> Result<Verdict, VerifyError> {
        let rules = self.tables.rules();
        let moves = self.tables.ranked_moves(position)?;
        let best = moves.iter().map(|mv| mv.verdict).reduce(Verdict::or);
        Ok(best.unwrap_or_else(|| {
            let value = Value::without_moves(rules, position);
            Verdict::new(value, |metric| metric.at_end(rules).filter(|_| value != Value::Draw))
        }))
    }

    /// Compares the totals with the headers of the slice's tables.
    fn counts(&self, material: Material, totals: &Totals) -> Result<(), VerifyError> {
        for metric in Metric::ALL {
            let Ok(table) = self.tables.table(material, metric) else { continue };
            let info = table.info();
            let longest = totals.longest[metric as usize];
            let stored = counts(info.positions, [info.loss, info.draw, info.win], info.longest);
            let derived = counts(totals.positions.iter().sum(), totals.positions, longest);
            if stored != derived {
                return Err(VerifyError::Counts { material, metric, stored, derived });
            }
        }
        Ok(())
    }
}

/// The counts of a table in words.
fn counts(positions: u64, [loss, draw, win]: [u64; 3], longest: Longest) -> String {
    let plies = |plies: Option<u16>| plies.map_or("-".to_owned(), |plies| plies.to_string());
    let (win_in, loss_in) = (plies(longest.win), plies(longest.loss));
    format!(
        "{positions} positions, {win} won (longest {win_in}), {draw} drawn, {loss} lost (longest {loss_in})"
    )
}

fn describe(verdict: &Verdict, metric: Metric) -> String {
    match verdict.distance(metric) {
        Some(plies) => format!("{} in {plies}", verdict.value),
        None => verdict.value.to_string(),
    }
}
