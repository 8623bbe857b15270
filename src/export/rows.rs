//! The rows of an export.

use rayon::prelude::*;

use super::population::{Place, Population};
use crate::board::{Point, Transform};
use crate::moves::{Move, for_each_move, legal_moves};
use crate::position::{Position, PositionBits};
use crate::rules::Rules;
use crate::study::{Monitor, Sampler, StudyError};
use crate::table::{Metric, Value};
use crate::tablebase::{Tablebase, Verdict};

/// Stands for a distance that there is not.
const NONE: i16 = -1;

/// A column: its name and what it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// White's stones: bit n for point n, a1 = 0.
    White,
    /// Black's stones.
    Black,
    /// Stones that may not step towards file a; only under rules with forbidden steps.
    NoWest,
    /// Stones that may not step towards file e.
    NoEast,
    /// The side to move: 0 White, 1 Black.
    Side,
    /// 1 win, 0 draw, -1 loss, for the side to move.
    Value,
    /// A distance in plies, -1 for none.
    Distance(Metric),
    /// The best moves: bit n for the n-th legal move, counted from 0.
    Best,
}

/// The columns of an export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Columns(Vec<Column>);

impl Columns {
    /// Those that positions of `rules` have.
    pub fn of(rules: &Rules) -> Columns {
        let all = [Column::White, Column::Black, Column::NoWest, Column::NoEast, Column::Side, Column::Value];
        let all =
            all.into_iter().chain(Metric::shown_distances().map(Column::Distance)).chain([Column::Best]);
        let is_there =
            |column: &Column| rules.no_return() || !matches!(column, Column::NoWest | Column::NoEast);
        Columns(all.filter(is_there).collect())
    }

    /// The columns in order.
    pub fn iter(&self) -> impl Iterator<Item = Column> + '_ {
        self.0.iter().copied()
    }
}

impl Column {
    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Column::White => "white",
            Column::Black => "black",
            Column::NoWest => "no_west",
            Column::NoEast => "no_east",
            Column::Side => "side",
            Column::Value => "value",
            Column::Distance(metric) => metric.name(),
            Column::Best => "best",
        }
    }
}

/// What a column of a batch holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Data<'a> {
    U32(&'a [u32]),
    U8(&'a [u8]),
    I8(&'a [i8]),
    I16(&'a [i16]),
    U64(&'a [u64]),
}

/// Some rows, column by column.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Batch {
    sets: [Vec<u32>; 4],
    side: Vec<u8>,
    value: Vec<i8>,
    /// By metric.
    distances: [Vec<i16>; Metric::ALL.len()],
    best: Vec<u64>,
}

impl Batch {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.side.len()
    }

    /// What `column` holds.
    pub fn data(&self, column: Column) -> Data<'_> {
        match column {
            Column::White => Data::U32(&self.sets[0]),
            Column::Black => Data::U32(&self.sets[1]),
            Column::NoWest => Data::U32(&self.sets[2]),
            Column::NoEast => Data::U32(&self.sets[3]),
            Column::Side => Data::U8(&self.side),
            Column::Value => Data::I8(&self.value),
            Column::Distance(metric) => Data::I16(&self.distances[metric as usize]),
            Column::Best => Data::U64(&self.best),
        }
    }

    fn push(&mut self, position: &Position, verdict: &Verdict, best: u64) {
        let PositionBits { white, black, no_west, no_east, side, .. } = PositionBits::from(position);
        for (column, set) in self.sets.iter_mut().zip([white, black, no_west, no_east]) {
            column.push(set);
        }
        self.side.push(side);
        self.value.push(match verdict.value {
            Value::Loss => -1,
            Value::Draw => 0,
            Value::Win => 1,
        });
        for metric in Metric::shown_distances() {
            let plies = verdict.distance(metric);
            self.distances[metric as usize]
                .push(plies.map_or(NONE, |plies| i16::try_from(plies).unwrap_or(i16::MAX)));
        }
        self.best.push(best);
    }

    fn append(&mut self, mut other: Batch) {
        self.sets.iter_mut().zip(&mut other.sets).for_each(|(one, other)| one.append(other));
        self.side.append(&mut other.side);
        self.value.append(&mut other.value);
        self.distances.iter_mut().zip(&mut other.distances).for_each(|(one, other)| one.append(other));
        self.best.append(&mut other.best);
    }
}

/// Rows that a thread makes at a time.
const SHARE: usize = 2048;

/// The rows of a sample of a population, in batches of `rows` rows.
pub fn batches<'a>(
    tables: &'a Tablebase,
    population: &'a Population,
    sampler: &'a Sampler,
    rows: u64,
    monitor: Monitor<'a>,
) -> impl Iterator<Item = Result<Batch, StudyError>> + 'a {
    let mut numbers = sampler.numbers();
    std::iter::from_fn(move || {
        let numbers: Vec<u64> = numbers.by_ref().take(rows as usize).collect();
        if numbers.is_empty() {
            return None;
        }
        let shares: Result<Vec<Batch>, StudyError> = numbers
            .par_chunks(SHARE)
            .map(|numbers| {
                monitor.check()?;
                let share = share(tables, population, numbers)?;
                monitor.progress.advanced(numbers.len() as u64);
                Ok(share)
            })
            .collect();
        Some(shares.map(|shares| {
            shares.into_iter().fold(Batch::default(), |mut batch, share| {
                batch.append(share);
                batch
            })
        }))
    })
}

/// What is known of an entry, for all its images.
struct Entry<'a> {
    place: Place<'a>,
    position: Position,
    verdict: Verdict,
    best: Vec<Move>,
}

fn share(tables: &Tablebase, population: &Population, numbers: &[u64]) -> Result<Batch, StudyError> {
    let rules = tables.rules();
    let mut batch = Batch::default();
    let mut current: Option<Entry> = None;
    for &number in numbers {
        let place = population.place(number);
        let entry = match current.take().filter(|entry| entry.place.is_same_entry(&place)) {
            Some(entry) => entry,
            None => {
                let position = place.position();
                let verdict = tables.probe(&position)?;
                let best = best_moves(tables, &position, &verdict)?;
                Entry { place, position, verdict, best }
            }
        };
        let transform = place.transform(rules);
        let image = if place.image == 0 { entry.position } else { entry.position.transformed(transform) };
        let best = mask(rules, &image, &entry.best, transform);
        batch.push(&image, &entry.verdict, best);
        current = Some(entry);
    }
    Ok(batch)
}

/// The moves that keep the value and, where distances are known, win soonest or lose last.
fn best_moves(tables: &Tablebase, position: &Position, verdict: &Verdict) -> Result<Vec<Move>, StudyError> {
    let rules = tables.rules();
    let mut best = Vec::new();
    for mv in legal_moves(rules, position) {
        let after = position.play(rules, &mv);
        if tables.probe_value(&after)?.reversed() != verdict.value {
            continue;
        }
        let ranking = Metric::DISTANCES.into_iter().find(|&metric| verdict.distance(metric).is_some());
        let is_best = match ranking {
            // A capture is the conversion.
            Some(metric) if metric.reaches_past_captures() || !mv.is_capture() => {
                let with_move = metric.before_move(tables.probe(&after)?.distance(metric), mv.is_capture());
                with_move.is_none_or(|plies| Some(plies) == verdict.distance(metric))
            }
            _ => true,
        };
        if is_best {
            best.push(mv);
        }
    }
    Ok(best)
}

/// The images of `best` among the legal moves of `image`, a bit each.
fn mask(rules: &Rules, image: &Position, best: &[Move], transform: Transform) -> u64 {
    let (mut mask, mut number) = (0, 0);
    let is_image = |mv: &Move, of: &Move| {
        let path = of.path().iter().map(|&point| -> Point { transform.apply(point) });
        mv.path().len() == of.path().len() && path.eq(mv.path().iter().copied())
    };
    let _ = for_each_move(rules, image, |mv| {
        if best.iter().any(|of| is_image(&mv, of)) && number < u64::BITS {
            mask |= 1_u64 << number;
        }
        number += 1;
        std::ops::ControlFlow::<()>::Continue(())
    });
    mask
}
