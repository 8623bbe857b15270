//! Win, draw or loss, and with it the distance to conversion: the number of the pass that decides a position.

use std::ops::ControlFlow;

use bitvec::vec::BitVec;
use rayon::prelude::*;

use super::GenerateError;
use super::cells::{Cell, UNKNOWN, existing, split_mut};
use super::kernel::{Captured, Kernel, Mover, Placed, for_each_row};
use super::monitor::Monitor;
use super::slices::Slices;
use crate::index::{Index, Location, PairLayout, RowBlock};
use crate::material::Pair;
use crate::table::Value;

/// Entries of a block of rows: small enough to share the work evenly, large enough to hide what sharing costs.
const BLOCK_ENTRIES: u64 = 1 << 14;

/// A pair in work: both tables, the row side to move and the column side to move.
pub struct PairWork<'a> {
    pub index: &'a Index,
    pub layout: &'a PairLayout,
    pub slices: &'a Slices,
    pub blocks: Vec<RowBlock>,
    /// The values, by [`Mover`].
    pub cells: [Vec<Cell>; 2],
    /// Distances to conversion by entry, by [`Mover`], if wanted.
    pub dtc: Option<[Vec<u16>; 2]>,
}

/// A set of rows for each table.
type RowSets = [BitVec; 2];

/// What a pass decided in one block: row, word within the row, and the columns.
type Decisions = Vec<(u32, usize, Cell)>;

impl<'a> PairWork<'a> {
    /// The pair with nothing decided.
    pub fn new(index: &'a Index, pair: Pair, slices: &'a Slices, with_dtc: bool) -> PairWork<'a> {
        let layout = &**index.layout(pair);
        let cells = || vec![Cell::default(); layout.words() as usize];
        let distances = || vec![UNKNOWN; layout.entries() as usize];
        PairWork {
            index,
            layout,
            slices,
            blocks: layout.blocks(BLOCK_ENTRIES),
            cells: [cells(), cells()],
            dtc: with_dtc.then(|| [distances(), distances()]),
        }
    }

    /// Decides everything: what is open afterwards is a draw.
    pub fn solve(&mut self, monitor: &Monitor) -> Result<(), GenerateError> {
        monitor.progress.stage("captures");
        let blocked = self.resolve(monitor)?;
        self.propagate(blocked, monitor)?;
        let slices = self.layout.pair().slices().count() as u64;
        let advanced: u64 = self.blocks.iter().map(|block| slices * resolve_share(block)).sum();
        monitor.progress.advanced(slices * self.layout.entries() - advanced);
        Ok(())
    }

    /// Decides all positions in which the side to move can capture, from the smaller slices, and those in which
    /// it has no legal move. Returns the rows that hold some of the latter.
    pub fn resolve(&mut self, monitor: &Monitor) -> Result<RowSets, GenerateError> {
        let (index, layout, slices) = (self.index, self.layout, self.slices);
        let counted = layout.pair().slices().count();
        let blocks = &self.blocks;
        let resolve_table = |mover: Mover, cells: &mut Vec<Cell>| {
            let pieces = split_mut(cells, blocks.iter().map(|block| block.words.len()));
            let resolve_block = |kernel: &mut Kernel, (block, cells): (&RowBlock, &mut [Cell])| {
                let mut blocked = Vec::new();
                if monitor.stopped() {
                    return blocked;
                }
                for_each_row(kernel, block, |kernel, row, word, _| {
                    for column in 0..kernel.len() {
                        let placed = kernel.placed(column);
                        let value = if kernel.can_capture(mover, &placed) {
                            best_capture(kernel, mover, &placed, slices)
                        } else if has_step(kernel, mover, &placed) {
                            continue;
                        } else {
                            if blocked.last() != Some(&row) {
                                blocked.push(row);
                            }
                            Value::Loss
                        };
                        cells[word + column as usize / 64].set(column % 64, value);
                    }
                });
                if (mover as usize) < counted {
                    monitor.progress.advanced(resolve_share(block));
                }
                blocked
            };
            let kernel = || Kernel::new(index, layout.pair());
            let blocked: Vec<Vec<u32>> =
                blocks.par_iter().zip(pieces).map_init(kernel, resolve_block).collect();
            rows_of(layout, blocked.iter().flatten())
        };
        let [by_row, by_column] = &mut self.cells;
        let blocked = [resolve_table(Mover::RowSide, by_row), resolve_table(Mover::ColumnSide, by_column)];
        monitor.check()?;
        Ok(blocked)
    }

    /// Passes over the open positions. Pass *d* decides exactly those with a distance to conversion of *d*: it
    /// reads what the passes before it decided, and its own decisions count from the next one on.
    fn propagate(&mut self, blocked: RowSets, monitor: &Monitor) -> Result<(), GenerateError> {
        let all = || BitVec::repeat(true, self.layout.rows().len());
        let everything = [all(), all()];
        self.set_first_distances(monitor)?;
        let limit = self.layout.rules().ply_limit().map_or(u16::MAX - 1, u16::from);
        // A captured position is decided in one ply, a blocked one in none: only the latter count for pass 1.
        let mut changed = blocked;
        for pass in 1..=limit {
            monitor.progress.stage(&format!("pass {pass}"));
            let decided = Mover::BOTH.map(|mover| self.pass(mover, pass, &changed, monitor));
            monitor.check()?;
            changed = Mover::BOTH.map(|mover| {
                let rows = decided[mover as usize].iter().flatten().map(|(row, _, _)| row);
                rows_of(self.layout, rows)
            });
            for (mover, decided) in Mover::BOTH.into_iter().zip(&decided) {
                self.apply(mover, pass, decided);
            }
            if pass == 1 {
                changed = everything.clone();
            } else if changed.iter().all(|rows| rows.not_any()) {
                break;
            }
        }
        Ok(())
    }

    /// What pass number `pass` decides in one table, where the rows in `changed` are new.
    fn pass(&self, mover: Mover, pass: u16, changed: &RowSets, monitor: &Monitor) -> Vec<Decisions> {
        let own = &self.cells[mover as usize];
        let other = &self.cells[mover.other() as usize];
        let news = &changed[mover.other() as usize];
        if news.not_any() {
            return Vec::new();
        }
        let pass_row = |kernel: &mut Kernel, row: u32, decisions: &mut Decisions| {
            let first_word = self.layout.first_word(row);
            let columns = self.layout.columns_in(row);
            let words = columns.div_ceil(64) as usize;
            let open = |word: usize| own[first_word + word].open(existing(columns, word));
            if mover == Mover::ColumnSide && !news[row as usize] || (0..words).all(|word| open(word) == 0) {
                return;
            }
            kernel.enter(row);
            if mover == Mover::RowSide && !kernel.step_rows().any(|row| news[row as usize]) {
                return;
            }
            for word in 0..words {
                let mut decided = Cell::default();
                let mut rest = open(word);
                while rest != 0 {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    let placed = kernel.placed(64 * word as u32 + bit);
                    let value = if pass == 1 {
                        blocks_opponent(kernel, mover, &placed, other)
                    } else {
                        decide(kernel, mover, &placed, other)
                    };
                    if let Some(value) = value {
                        decided.set(bit, value);
                    }
                }
                if decided != Cell::default() {
                    decisions.push((row, word, decided));
                }
            }
        };
        let pass_block = |kernel: &mut Kernel, block: &RowBlock| {
            let mut decisions = Decisions::new();
            if !monitor.stopped() {
                block.rows.clone().for_each(|row| pass_row(kernel, row, &mut decisions));
            }
            decisions
        };
        let kernel = || Kernel::new(self.index, self.layout.pair());
        self.blocks.par_iter().map_init(kernel, pass_block).collect()
    }

    /// Enters what a pass decided.
    fn apply(&mut self, mover: Mover, pass: u16, decided: &[Decisions]) {
        for &(row, word, cell) in decided.iter().flatten() {
            self.cells[mover as usize][self.layout.first_word(row) + word].merge(cell);
            if let Some(dtc) = &mut self.dtc {
                let first = self.layout.entry(Location { row, column: 64 * word as u32 }) as usize;
                let mut rest = cell.won | cell.lost;
                while rest != 0 {
                    dtc[mover as usize][first + rest.trailing_zeros() as usize] = pass;
                    rest &= rest - 1;
                }
            }
        }
    }

    /// Distances of the positions that are decided before the first pass: 1 with a capture, 0 without a move.
    fn set_first_distances(&mut self, monitor: &Monitor) -> Result<(), GenerateError> {
        let (index, layout, blocks) = (self.index, self.layout, &self.blocks);
        let Some(dtc) = &mut self.dtc else { return Ok(()) };
        for mover in Mover::BOTH {
            let cells = &self.cells[mover as usize];
            let lengths = blocks.iter().map(|block| (block.entries.end - block.entries.start) as usize);
            let pieces = split_mut(&mut dtc[mover as usize], lengths);
            let kernel = || Kernel::new(index, layout.pair());
            blocks.par_iter().zip(pieces).for_each_init(kernel, |kernel, (block, dtc)| {
                if monitor.stopped() {
                    return;
                }
                for_each_row(kernel, block, |kernel, row, _, entry| {
                    for column in 0..kernel.len() {
                        let word = layout.first_word(row) + column as usize / 64;
                        match cells[word].get(column % 64) {
                            None | Some(Value::Draw) => {}
                            Some(Value::Win) => dtc[entry + column as usize] = 1,
                            Some(Value::Loss) => {
                                let capture = kernel.can_capture(mover, &kernel.placed(column));
                                dtc[entry + column as usize] = capture.into();
                            }
                        }
                    }
                });
            });
        }
        monitor.check()
    }
}

/// The part of a block's entries that counts as done when its captures are resolved.
fn resolve_share(block: &RowBlock) -> u64 {
    (block.entries.end - block.entries.start) / 2
}

/// The set of these rows.
fn rows_of<'r>(layout: &PairLayout, rows: impl Iterator<Item = &'r u32>) -> BitVec {
    let mut set = BitVec::repeat(false, layout.rows().len());
    rows.for_each(|&row| set.set(row as usize, true));
    set
}

fn has_step(kernel: &Kernel, mover: Mover, placed: &Placed) -> bool {
    kernel.for_each_step(mover, placed, |_| ControlFlow::Break(())).is_break()
}

/// The best that `mover`, who can capture, gets by a capture.
fn best_capture(kernel: &mut Kernel, mover: Mover, placed: &Placed, slices: &Slices) -> Value {
    let mut best = Value::Loss;
    let _ = kernel.for_each_capture(mover, placed, |captured| {
        let value = match captured {
            Captured::All => Value::Win,
            Captured::Smaller(material, location) => slices.get(material).value(location).reversed(),
        };
        best = best.max(value);
        if best == Value::Win { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    best
}

fn at(layout: &PairLayout, cells: &[Cell], location: Location) -> Option<Value> {
    cells[layout.first_word(location.row) + location.column as usize / 64].get(location.column % 64)
}

/// The value of an open position as far as it follows from what `other` holds of its successors.
fn decide(kernel: &Kernel, mover: Mover, placed: &Placed, other: &[Cell]) -> Option<Value> {
    let layout = kernel.layout();
    let mut all_won = true;
    let lost = kernel.for_each_step(mover, placed, |step| match at(layout, other, step.location) {
        Some(Value::Loss) => ControlFlow::Break(()),
        value => {
            all_won &= value == Some(Value::Win);
            ControlFlow::Continue(())
        }
    });
    match lost {
        ControlFlow::Break(()) => Some(Value::Win),
        ControlFlow::Continue(()) => all_won.then_some(Value::Loss),
    }
}

/// The first pass: a win if a step leaves the opponent without a legal move. Before it, a lost position without
/// a capture is one without a move.
fn blocks_opponent(kernel: &Kernel, mover: Mover, placed: &Placed, other: &[Cell]) -> Option<Value> {
    let layout = kernel.layout();
    let found = kernel.for_each_step(mover, placed, |step| {
        let lost = at(layout, other, step.location) == Some(Value::Loss);
        if lost && !kernel.can_capture_with(mover.other(), step.rows, step.columns) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    found.is_break().then_some(Value::Win)
}
