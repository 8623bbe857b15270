//! Deriving tables again, whole rows at a time.
//!
//! For each pair of slices, in the order of their totals:
//!
//! 1. *Values.* The stored entries are read into planes of bits: won, and not lost, 64 columns to a word. Where
//!    captures are compulsory the other entries follow: all chains of a row are followed at once, and the values
//!    in the smaller slices are pulled into the columns in which a chain ends.
//! 2. *Steps.* The planes of the successors, with the binary digits of their distances, are pulled into each row
//!    along the steps that lead there. The least of them, in the order in which the opponent prefers them, says
//!    what the stored entry must be, and is compared with it.
//! 3. The planes are packed and kept for larger pairs.
//!
//! Board, rules, index and the reading of files are shared with the solver, and nothing else. The solver pushes
//! what is new from row to row, in passes; here every entry asks all its successors, once. A wrong entry is
//! reported by the derivation entry by entry in [`verify`](crate::verify), which uses the move generator and
//! probes instead: the two must agree that it is wrong.
//!
//! Stones with states have no rows as bits: these rule sets are derived entry by entry. So are pairs whose
//! planes do not fit in the memory that may be used, and those with captures that lead to such a pair.

mod captures;
mod finished;
mod outcome;
mod pair;
mod pull;
mod row;
mod steps;
mod stored;
mod totals;

pub use totals::Totals;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::index::Location;
use crate::material::{Material, Pair};
use crate::metric::Metric;
use crate::progress::Progress;
use crate::table::TableError;
use crate::tablebase::Tablebase;
use finished::Shelf;
use outcome::digits;
use pair::Work;

/// Why a pair was not found sound.
#[derive(Debug, thiserror::Error)]
pub enum DeriveError {
    #[error(transparent)]
    Table(#[from] TableError),
    /// There is no memory, or data that was packed cannot be unpacked.
    #[error(transparent)]
    Memory(#[from] io::Error),
    /// An entry is not what its successors say.
    #[error("an entry of {0} is wrong")]
    Wrong(Material, Location),
    #[error("stopped")]
    Stopped,
}

/// What all work needs.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub tables: &'a Tablebase,
    /// Bytes that may be used.
    pub memory: u64,
    pub progress: &'a dyn Progress,
    pub stop: &'a AtomicBool,
}

impl Context<'_> {
    fn check_stop(&self) -> Result<(), DeriveError> {
        if self.stop.load(Ordering::Relaxed) { Err(DeriveError::Stopped) } else { Ok(()) }
    }

    /// How many slices of a pair have a table of a metric: all, some or none.
    fn tables_of(&self, pair: Pair, metric: Metric) -> Presence {
        let has = |material: &Material| self.tables.has_table(*material, metric);
        match (pair.slices().all(|material| has(&material)), pair.slices().any(|material| has(&material))) {
            (true, _) => Presence::All,
            (false, true) => Presence::Some,
            (false, false) => Presence::None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    All,
    Some,
    None,
}

/// Derives pairs, smaller ones first.
pub struct Rows<'a> {
    context: Context<'a>,
    /// The pairs that are still to be derived, the next one last.
    pairs: Vec<Pair>,
    values: Shelf,
    /// With distances that reach past captures, and how many digits these have.
    distances: Shelf,
    digits: usize,
}

/// The distance that reaches past captures.
const FAR: Metric = Metric::Dtw;
/// The distance that ends with them.
const NEAR: Metric = Metric::Dtc;

impl<'a> Rows<'a> {
    /// For all `pairs`, in the order in which [`pair`](Self::pair) will be called for them.
    pub fn new(context: Context<'a>, pairs: &[Pair]) -> Rows<'a> {
        let far = context.tables.tables().map(crate::table::Table::info).filter(|info| info.metric == FAR);
        let digits = far.map(|info| digits(info.longest.max())).max().unwrap_or(0).max(1);
        let pairs = pairs.iter().rev().copied().collect();
        Rows { context, pairs, values: Shelf::default(), distances: Shelf::default(), digits }
    }

    /// Derives a pair and returns what its slices add up to; `None` if it cannot be done in rows.
    ///
    /// # Errors
    /// [`DeriveError`] for an entry that is wrong, or when tables cannot be read.
    pub fn pair(&mut self, pair: Pair) -> Result<Option<Vec<(Material, Totals)>>, DeriveError> {
        self.pairs.retain(|&left| left != pair);
        let context = self.context;
        let (near, far) = (context.tables_of(pair, NEAR), context.tables_of(pair, FAR));
        let has_states = context.tables.rules().no_return();
        let has_values = context.tables_of(pair, Metric::Wdl) == Presence::All;
        if has_states || !has_values || near == Presence::Some {
            return Ok(None);
        }
        let others = self.distances.bytes();
        let near = (near == Presence::All).then_some(NEAR);
        let Some(mut totals) = derive(context, pair, &mut self.values, (near, 0), others)? else {
            return Ok(None);
        };
        if far == Presence::All {
            let others = self.values.bytes();
            let far = derive(context, pair, &mut self.distances, (Some(FAR), self.digits), others)?;
            let Some(far) = far else { return Ok(None) };
            for ((_, totals), (_, far)) in totals.iter_mut().zip(far) {
                totals.longest[FAR as usize] = far.longest[FAR as usize];
            }
        }
        for shelf in [&mut self.values, &mut self.distances] {
            shelf.keep_for(&self.pairs);
        }
        Ok((far != Presence::Some).then_some(totals))
    }
}

/// Derives a pair with one distance, or none, and keeps its planes, which have so many digits. `others` are
/// bytes that are taken besides.
fn derive(
    context: Context,
    pair: Pair,
    shelf: &mut Shelf,
    (metric, digits): (Option<Metric>, usize),
    others: u64,
) -> Result<Option<Vec<(Material, Totals)>>, DeriveError> {
    if !pair.captures_lead_to().into_iter().all(|material| shelf.has(material)) {
        return Ok(None);
    }
    let Some(work) = Work::new(context, pair, metric, digits) else { return Ok(None) };
    if work.bytes() + shelf.bytes() + others > context.memory {
        return Ok(None);
    }
    work.derive(shelf).map(Some)
}
