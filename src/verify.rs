//! Checking tables: their checksums, and every value against its successors.
//!
//! The full check does not repeat the solver's work. It derives each entry of each table again from the
//! entries of its successors, and compares. It shares the board, the rules, the numbering of entries and the
//! files with the solver, but not its passes. There are two ways. `derive` works on whole rows as words, which
//! is about as fast as solving. Where that is impossible, and for samples, each position is taken by itself:
//! the legal moves are generated and the successors looked up as any user would.
//!
//! Where a DTC table is there this proves the values: every win and loss then stands on a shorter one. A WDL
//! table alone is checked for consistency: wins that rest on each other in a circle would not be found.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::derive::{Context, DeriveError, Rows, Totals};
use crate::index::{Index, Location, RowBlock};
use crate::material::{Material, Pair};
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
    /// Bytes for deriving whole rows when all values are derived again. Pairs of slices that need more are
    /// derived position by position, which takes many times as long.
    pub memory: u64,
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
    /// How many of these were derived in whole rows; the others were position by position.
    pub in_rows: u64,
    /// How long deriving took.
    pub deriving: Duration,
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
    #[error(
        "an entry of {material} is wrong when derived in its row, but right by itself: {position}; please report this"
    )]
    Disagreement { material: Material, position: String },
    #[error("there is not enough memory to derive values again: {0}")]
    Memory(std::io::Error),
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
            let begun = Instant::now();
            Check { tables, monitor }.values(options, &mut report)?;
            report.deriving = begun.elapsed();
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

/// Takes positions with this verdict into account, so many times.
fn add(totals: &mut Totals, verdict: &Verdict, times: u64) {
    totals.add(verdict.value, times);
    for metric in Metric::DISTANCES {
        verdict.distance(metric).into_iter().for_each(|plies| totals.reach(metric, verdict.value, plies));
    }
}

impl Check<'_> {
    /// Derives values again and reports how many.
    fn values(&self, options: &VerifyOptions, report: &mut VerifyReport) -> Result<(), VerifyError> {
        let slices: Vec<Material> = self.tables.slices().into_iter().map(|slice| slice.material).collect();
        let quota = match options.derived {
            Derived::Sample(entries) => self.quota(entries),
            Derived::None | Derived::All => 0,
        };
        let mut pairs: Vec<Pair> = Vec::new();
        for pair in slices.iter().map(|material| material.pair()) {
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        let Monitor { progress, stop } = self.monitor;
        let context = Context { tables: self.tables, memory: options.memory, progress, stop };
        let mut rows = Rows::new(context, &pairs);
        for pair in pairs {
            let in_pair = slices.iter().copied().filter(|material| material.pair() == pair);
            for material in in_pair.clone() {
                if self.tables.rules().ply_limit().is_some() && !self.tables.has_table(material, Metric::Dtc)
                {
                    return Err(VerifyError::NeedsDtc(material));
                }
            }
            if options.derived == Derived::All
                && let Some(totals) = rows.pair(pair).map_err(|error| self.explain(error))?
            {
                for (material, totals) in totals {
                    self.counts(material, &totals)?;
                    let entries = self.tables.index().layout(pair).entries();
                    report.positions += entries;
                    report.in_rows += entries;
                }
                continue;
            }
            for material in in_pair.filter(|&material| self.tables.has_table(material, Metric::Wdl)) {
                self.monitor.progress.stage(Stage::Deriving(material));
                report.positions += match options.derived {
                    Derived::None => 0,
                    Derived::Sample(_) => self.sample(material, quota)?,
                    Derived::All => self.slice(material)?,
                };
            }
        }
        Ok(())
    }

    /// What is wrong, in terms of the position.
    fn explain(&self, error: DeriveError) -> VerifyError {
        match error {
            DeriveError::Table(error) => error.into(),
            DeriveError::Memory(error) => VerifyError::Memory(error),
            DeriveError::Stopped => VerifyError::Stopped,
            DeriveError::Wrong(material, location) => self.explain_entry(material, location),
        }
    }

    /// Derives a wrong entry by itself, to tell why it is wrong.
    fn explain_entry(&self, material: Material, location: Location) -> VerifyError {
        let position = self.tables.index().layout(material.pair()).position(material, location);
        // The entry may be right, but longer than the header says.
        match self.position(material, &position).and_then(|_| self.slice(material)) {
            Err(error) => error,
            Ok(_) => VerifyError::Disagreement { material, position: position.to_string() },
        }
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
                add(&mut totals, &self.position(material, &position)?, layout.rows().orbit(location.row));
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
