//! Looking for positions in a slice.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::scan::{Lane, Slice};
use super::walk::{chunk, chunks, walk};
use super::{Condition, Monitor, Motif, StudyError};
use crate::material::Material;
use crate::moves::Move;
use crate::position::Position;
use crate::progress::{Progress, Stage};
use crate::table::Value;
use crate::tablebase::{Tablebase, Verdict};

/// What to look for, and how much of it is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// What is looked for.
    pub motif: Motif,
    /// What must hold beside it.
    pub conditions: Vec<Condition>,
    /// How many are wanted, and which.
    pub quantity: Quantity,
}

/// How many positions are wanted, and which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// All, in the order of the table; the longest ones longest first.
    All,
    /// The first ones in that order, at most this many.
    First(usize),
    /// So many of all that are found, chosen by the seed. Each position of the slice is as likely as any
    /// other; of those that are equal by symmetry one is given.
    Sample(usize, u64),
}

impl Query {
    /// All positions with this motif.
    pub fn new(motif: Motif) -> Query {
        Query { motif, conditions: Vec::new(), quantity: Quantity::All }
    }
}

/// A position that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Study {
    /// The position; no other one found is equal to it by symmetry.
    pub position: Position,
    /// What it is worth.
    pub verdict: Verdict,
    /// The moves that keep the value, best first.
    pub moves: Vec<Move>,
    /// How many moves are legal.
    pub legal: usize,
    /// What the side to move would get if the other side had the move, if that was looked for.
    pub passed: Option<Value>,
}

/// Chunks that are scanned before what they hold is passed on.
const BATCH: u64 = 64;

/// Looks for positions in the slice of `material` and calls `found` with each, distinct up to symmetry, in an
/// order that does not depend on threads.
///
/// # Errors
/// [`StudyError`] when a table of the slice, or one that its moves lead to, is missing or damaged, or `stop`
/// was set.
pub fn mine(
    tables: &Tablebase,
    material: Material,
    query: &Query,
    progress: &dyn Progress,
    stop: &AtomicBool,
    mut found: impl FnMut(Study),
) -> Result<(), StudyError> {
    let monitor = Monitor { progress, stop };
    let slice = Slice::new(tables, material, query.motif.needs(), monitor)?;
    progress.stage(Stage::Scanning(material));
    let mining = Mining { slice, query, monitor };
    match (query.quantity, query.motif) {
        (Quantity::Sample(count, seed), motif) => {
            let least = match motif {
                Motif::Longest(..) => mining.least_distance(usize::MAX)?,
                _ => 0,
            };
            mining.sample(count, seed, least, &mut found)
        }
        (Quantity::First(0), _) => Ok(()),
        (quantity, Motif::Longest(..)) => {
            mining.longest(if let Quantity::First(count) = quantity { count } else { usize::MAX }, &mut found)
        }
        (quantity, _) => {
            mining.first(if let Quantity::First(count) = quantity { count } else { usize::MAX }, &mut found)
        }
    }
}

struct Mining<'a> {
    slice: Slice<'a>,
    query: &'a Query,
    monitor: Monitor<'a>,
}

impl<'a> Mining<'a> {
    /// Calls `visit` with every position of a chunk that fulfils the query, distances included.
    fn scan(
        &self,
        number: u64,
        mut visit: impl FnMut(u64, u32, &Position, &mut Lane<'a>) -> Result<(), StudyError>,
    ) -> Result<(), StudyError> {
        self.monitor.check()?;
        let slice = &self.slice;
        let rules = slice.rules();
        let mut lane = Lane::new(slice)?;
        let entries = chunk(slice.layout, number);
        let has_distances = self.query.conditions.iter().any(|condition| condition.is_about_distance());
        walk(slice.layout, slice.material, entries.clone(), |entry, row, position| {
            let value = lane.value(entry, position)?;
            let holds = |condition: &Condition| condition.holds_before_distance(rules, position, value);
            if !self.query.conditions.iter().all(holds)
                || !self.query.motif.matches(slice, entry, position, value)?
                || !slice.is_first_image(entry, row, position)
            {
                return Ok(());
            }
            if has_distances {
                let verdict = lane.verdict(entry, position)?;
                if !self.query.conditions.iter().all(|condition| condition.holds_for(&verdict)) {
                    return Ok(());
                }
            }
            if let Motif::OnlyMove(length) = self.query.motif
                && length > 1
                && !self.has_series(position, length)?
            {
                return Ok(());
            }
            visit(entry, row, position, &mut lane)
        })?;
        self.monitor.progress.advanced(entries.end - entries.start);
        Ok(())
    }

    /// Whether so many only moves of the side to move follow each other along best play, the one in
    /// `position` included.
    fn has_series(&self, position: &Position, length: usize) -> Result<bool, StudyError> {
        let tables = self.slice.tables;
        let mut position = *position;
        for remaining in (0..length).rev() {
            let (verdict, moves) = tables.probe_with_moves(&position)?;
            let keeping = moves.iter().filter(|ranked| ranked.verdict.value == verdict.value).count();
            if keeping != 1 || moves.len() < 2 {
                return Ok(false);
            }
            if remaining == 0 {
                break;
            }
            let replies = tables.ranked_moves(&moves[0].position)?;
            let Some(reply) = replies.first() else { return Ok(false) };
            position = reply.position;
        }
        Ok(true)
    }

    /// The study of a position that was found.
    fn study(&self, entry: u64, position: &Position) -> Result<Study, StudyError> {
        let (verdict, ranked) = self.slice.tables.probe_with_moves(position)?;
        let keeping = ranked.iter().filter(|ranked| ranked.verdict.value == verdict.value);
        let passed = match self.query.motif {
            Motif::Zugzwang => Some(self.slice.passed(entry, position)?),
            _ => None,
        };
        Ok(Study {
            position: *position,
            verdict,
            moves: keeping.map(|ranked| ranked.mv).collect(),
            legal: ranked.len(),
            passed,
        })
    }

    /// Passes on the first positions in the order of the table.
    fn first(&self, mut wanted: usize, found: &mut dyn FnMut(Study)) -> Result<(), StudyError> {
        let all = chunks(self.slice.layout);
        for first in (0..all).step_by(BATCH as usize) {
            let batch: Vec<u64> = (first..(first + BATCH).min(all)).collect();
            let studies: Vec<Vec<Study>> = batch
                .into_par_iter()
                .with_max_len(1)
                .map(|number| {
                    let mut studies = Vec::new();
                    self.scan(number, |entry, _, position, _| {
                        if studies.len() < wanted {
                            studies.push(self.study(entry, position)?);
                        }
                        Ok(())
                    })?;
                    Ok(studies)
                })
                .collect::<Result<_, StudyError>>()?;
            for study in studies.into_iter().flatten().take(wanted) {
                found(study);
                wanted -= 1;
            }
            if wanted == 0 {
                break;
            }
        }
        Ok(())
    }

    /// The distance that counts, if the value is one that is wanted.
    fn distance(&self, verdict: &Verdict) -> Option<u16> {
        let Motif::Longest(metric, value) = self.query.motif else { return None };
        if value.is_some_and(|value| value != verdict.value) {
            return None;
        }
        verdict.distance(metric)
    }

    /// The distance above which there are fewer than so many positions: those with this distance are wanted
    /// still.
    fn least_distance(&self, wanted: usize) -> Result<u16, StudyError> {
        if wanted == usize::MAX {
            // All means all that share the largest distance.
            return self.largest(1);
        }
        self.largest(wanted)
    }

    fn largest(&self, wanted: usize) -> Result<u16, StudyError> {
        let counts: Vec<AtomicU64> = (0..=u16::MAX).map(|_| AtomicU64::new(0)).collect();
        (0..chunks(self.slice.layout)).into_par_iter().try_for_each(|number| {
            self.scan(number, |entry, _, position, lane| {
                if let Some(plies) = self.distance(&lane.verdict(entry, position)?) {
                    counts[usize::from(plies)].fetch_add(1, Ordering::Relaxed);
                }
                Ok(())
            })
        })?;
        let mut sum = 0;
        for (plies, count) in counts.iter().enumerate().rev() {
            sum += count.load(Ordering::Relaxed);
            if sum >= wanted as u64 {
                return Ok(plies as u16);
            }
        }
        Ok(0)
    }

    /// Passes on the positions with the largest distances, longest first.
    fn longest(&self, wanted: usize, found: &mut dyn FnMut(Study)) -> Result<(), StudyError> {
        let least = self.least_distance(wanted)?;
        let mut places: Vec<(Reverse<u16>, u64)> = (0..chunks(self.slice.layout))
            .into_par_iter()
            .map(|number| {
                let mut places = Vec::new();
                self.scan(number, |entry, _, position, lane| {
                    let plies = self.distance(&lane.verdict(entry, position)?);
                    places.extend(plies.filter(|&plies| plies >= least).map(|plies| (Reverse(plies), entry)));
                    Ok(())
                })?;
                Ok(places)
            })
            .try_reduce(Vec::new, |mut one, mut other| {
                one.append(&mut other);
                Ok::<_, StudyError>(one)
            })?;
        places.sort_unstable();
        for (_, entry) in places.into_iter().take(wanted) {
            found(self.study_of(entry)?);
        }
        Ok(())
    }

    fn study_of(&self, entry: u64) -> Result<Study, StudyError> {
        let layout = self.slice.layout;
        self.study(entry, &layout.position(self.slice.material, layout.location_of(entry)))
    }

    /// Passes on a random sample of the positions, in the order of the table. Every image of a position draws
    /// a number, and the positions with the lowest are chosen.
    fn sample(
        &self,
        wanted: usize,
        seed: u64,
        least: u16,
        found: &mut dyn FnMut(Study),
    ) -> Result<(), StudyError> {
        if wanted == 0 {
            return Ok(());
        }
        let limit = AtomicU64::new(u64::MAX);
        let lowest = |mut one: BinaryHeap<(u64, u64)>, other: BinaryHeap<(u64, u64)>| {
            one.extend(other);
            while one.len() > wanted {
                one.pop();
            }
            if let (true, Some(&(highest, _))) = (one.len() == wanted, one.peek()) {
                // There are enough below it already.
                limit.fetch_min(highest, Ordering::Relaxed);
            }
            one
        };
        let rows = self.slice.layout.rows();
        let chosen = (0..chunks(self.slice.layout))
            .into_par_iter()
            .map(|number| {
                let mut drawn = BinaryHeap::new();
                self.scan(number, |entry, row, position, lane| {
                    if least > 0 {
                        let plies = self.distance(&lane.verdict(entry, position)?);
                        if plies.is_none_or(|plies| plies < least) {
                            return Ok(());
                        }
                    }
                    let draws = (0..rows.orbit(row)).map(|image| draw(seed, entry, image));
                    if let Some(lowest) = draws.min()
                        && lowest <= limit.load(Ordering::Relaxed)
                    {
                        drawn.push((lowest, entry));
                        if drawn.len() > wanted {
                            drawn.pop();
                        }
                    }
                    Ok(())
                })?;
                Ok(drawn)
            })
            .try_reduce(BinaryHeap::new, |one, other| Ok::<_, StudyError>(lowest(one, other)))?;
        let mut entries: Vec<u64> = chosen.into_iter().map(|(_, entry)| entry).collect();
        entries.sort_unstable();
        for entry in entries {
            found(self.study_of(entry)?);
        }
        Ok(())
    }
}

/// The number that an image of a position draws.
fn draw(seed: u64, entry: u64, image: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&entry.to_le_bytes());
    bytes[8..].copy_from_slice(&image.to_le_bytes());
    xxh3_64_with_seed(&bytes, seed)
}
