//! One pair: the planes of its slices, and the comparison of every stored entry with its successors.

use std::ops::Range;

use rayon::prelude::*;

use super::captures::Captures;
use super::finished::{Finished, Opened, Shelf};
use super::outcome::{MOST_PLANES, VALUES, before, digits};
use super::row::Row;
use super::steps::{Steps, Successors};
use super::totals::Totals;
use super::{Context, DeriveError, NEAR, stored};
use crate::index::{Location, Mover, PlainLayout};
use crate::material::{Material, Pair};
use crate::metric::{Metric, Value};
use crate::progress::Stage;
use crate::region::Region;
use crate::table::{Decoder, Symbol};

/// About how many entries a thread takes at a time.
const PIECE_ENTRIES: u64 = 1 << 20;

/// Memory for what a thread needs, and for what is small.
const ROOM: u64 = 64 << 20;

/// A pair in work.
pub struct Work<'a> {
    context: Context<'a>,
    pair: Pair,
    layout: PlainLayout<'a>,
    metric: Option<Metric>,
    /// Digits of the distances in the planes that are kept; none if only values are.
    kept_digits: usize,
    /// Digits of the distances that are compared.
    digits: usize,
}

/// What a thread keeps from one piece to the next.
struct Hand<'a> {
    decoder: Decoder,
    captures: Captures<'a>,
    steps: Steps,
    /// Which entries of a piece are stored.
    stored: Vec<u64>,
    /// What they hold.
    planes: Vec<u64>,
}

impl<'a> Work<'a> {
    /// `None` if stones have states.
    pub fn new(
        context: Context<'a>,
        pair: Pair,
        metric: Option<Metric>,
        kept_digits: usize,
    ) -> Option<Work<'a>> {
        let layout = context.tables.index().layout(pair).plain()?;
        let longest = |metric| {
            let tables = pair.slices().filter_map(|material| context.tables.table(material, metric).ok());
            tables.map(|table| digits(table.info().longest.max())).max().unwrap_or(0).max(1)
        };
        let digits = metric.map_or(0, longest).max(kept_digits);
        Some(Work { context, pair, layout, metric, kept_digits, digits })
    }

    /// The most bytes that the work takes.
    pub fn bytes(&self) -> u64 {
        let planes = |pair: Pair, planes: usize| {
            self.context.tables.index().layout(pair).words() * (planes * size_of::<u64>()) as u64
        };
        let stride = VALUES + self.kept_digits;
        let own = self.pair.slices().count() as u64 * planes(self.pair, stride);
        let smaller: u64 =
            self.pair.captures_lead_to().into_iter().map(|material| planes(material.pair(), stride)).sum();
        let successors = if self.has_own_successors() { planes(self.pair, VALUES + self.digits) } else { 0 };
        let later = if self.is_compulsory() { smaller.max(successors) } else { smaller + successors };
        own + later + ROOM
    }

    /// Whether the planes of successors are others than those that are kept.
    fn has_own_successors(&self) -> bool {
        self.digits > self.kept_digits
    }

    fn is_compulsory(&self) -> bool {
        self.layout.rules().captures_are_compulsory()
    }

    /// Derives the pair, and keeps its planes.
    pub fn derive(&self, shelf: &mut Shelf) -> Result<Vec<(Material, Totals)>, DeriveError> {
        let Context { tables, stop, .. } = self.context;
        let stride = VALUES + self.kept_digits;
        let mut opened = Some(shelf.open(self.pair, tables.index(), stride, stop)?);
        let mut slices = Vec::new();
        for material in self.pair.slices() {
            self.context.progress.stage(Stage::Deriving(material));
            let (planes, totals) = self.values(material, opened.as_ref())?;
            slices.push((material, planes, totals));
        }
        if self.is_compulsory() {
            opened = None;
        }
        let mut all = Vec::new();
        for (material, planes, totals) in &slices {
            let other = slices.iter().find(|(other, ..)| *other == material.passed());
            let (_, others, _) = other.unwrap_or(&slices[0]);
            let longest = self.compare(*material, planes, others, opened.as_ref())?;
            let mut totals = *totals;
            totals.longest = longest.longest;
            all.push((*material, totals));
        }
        drop(opened);
        for (material, planes, _) in slices {
            shelf.put(material, &planes, stride, stop)?;
        }
        Ok(all)
    }

    /// Rows of a piece.
    fn piece_rows(&self) -> u32 {
        (PIECE_ENTRIES / self.layout.entries_in(0).max(1)).max(1) as u32
    }

    /// The rows of the piece with this number.
    fn rows(&self, piece: usize) -> Range<u32> {
        let (each, rows) = (self.piece_rows(), self.layout.rows().len() as u32);
        let first = piece as u32 * each;
        first..(first + each).min(rows)
    }

    /// Words of a row.
    fn row_words(&self) -> usize {
        self.layout.membership().words()
    }

    /// Words of a piece; the last one may have fewer.
    fn piece_words(&self) -> usize {
        self.piece_rows() as usize * self.row_words()
    }

    fn hand<'f>(&self, finished: &'f Finished<'f>) -> Result<Hand<'f>, DeriveError> {
        Ok(Hand {
            decoder: Decoder::new()?,
            captures: Captures::new(finished, self.kept_digits),
            steps: Steps::default(),
            stored: Vec::new(),
            planes: Vec::new(),
        })
    }

    /// The planes of a slice: what its tables store, and what captures decide.
    fn values(
        &self,
        material: Material,
        opened: Option<&Opened>,
    ) -> Result<(Region<u64>, Totals), DeriveError> {
        let stride = VALUES + self.kept_digits;
        let mut planes = Region::<u64>::new(self.layout.words() as usize * stride)?;
        let finished = &Finished::new(opened);
        let pieces = planes.par_chunks_mut(self.piece_words() * stride).enumerate();
        let totals = pieces
            .map_init(
                || self.hand(finished),
                |hand, (piece, planes)| {
                    let hand = hand.as_mut().map_err(|error| error.again())?;
                    self.values_of_piece(material, self.rows(piece), hand, planes)
                },
            )
            .try_reduce(Totals::default, |one, other| Ok(one.merged(other)))?;
        Ok((planes, totals))
    }

    fn values_of_piece<'f>(
        &self,
        material: Material,
        rows: Range<u32>,
        hand: &mut Hand<'f>,
        planes: &mut [u64],
    ) -> Result<Totals, DeriveError>
    where
        'a: 'f,
    {
        self.context.check_stop()?;
        let stride = VALUES + self.kept_digits;
        let Hand { decoder, captures, stored, .. } = hand;
        stored.clear();
        stored.resize(planes.len() / stride, 0);
        let table = self.context.tables.table(material, Metric::Wdl)?;
        stored::each(table, self.layout, rows.clone(), decoder, |word, place, symbol| {
            stored[word] |= 1 << place;
            planes[stride * word] |= u64::from(symbol == Value::Win.symbol()) << place;
            planes[stride * word + 1] |= u64::from(symbol != Value::Loss.symbol()) << place;
        })?;
        if let Some(metric) = self.metric.filter(|_| self.kept_digits > 0) {
            self.add_distances(material, metric, rows.clone(), decoder, planes, |_, _, _| ())?;
        }
        let mut totals = Totals::default();
        let mover = Mover::of(material);
        let words = self.row_words();
        for (number, row) in rows.zip(planes.chunks_exact_mut(words * stride)) {
            let row = (Row::new(self.layout, number), row);
            let first = (number as usize * words) % self.piece_words();
            if self.is_compulsory() {
                self.context.check_stop()?;
                self.add_captures(material, mover, row.0, captures, &stored[first..first + words], row.1)?;
            }
            let all = row.0.all();
            let orbit = self.layout.rows().orbit(number);
            for (values, all) in row.1.chunks_exact(stride).zip(all) {
                let count = |columns: u64| u64::from((columns & all).count_ones()) * orbit;
                totals.add(Value::Win, count(values[0]));
                totals.add(Value::Draw, count(values[1] & !values[0]));
                totals.add(Value::Loss, count(!values[1]));
            }
        }
        Ok(totals)
    }

    /// Adds what captures decide. All other positions must be stored.
    fn add_captures<'f>(
        &self,
        material: Material,
        mover: Mover,
        row: Row<'f>,
        captures: &mut Captures<'f>,
        stored: &[u64],
        planes: &mut [u64],
    ) -> Result<(), DeriveError>
    where
        'a: 'f,
    {
        let stride = VALUES + self.kept_digits;
        captures.resolve(&row, mover);
        let mut found = [0; MOST_PLANES];
        for (word, planes) in planes.chunks_exact_mut(stride).enumerate() {
            let capturing = captures.capturing[word];
            let wrong = (stored[word] ^ !capturing) & row.all()[word];
            if wrong != 0 {
                return Err(self.wrong(material, row.number, word, wrong));
            }
            if capturing == 0 {
                continue;
            }
            let found = &mut found[..stride];
            if captures.has_distances() {
                captures.least.get(word, found);
                // Distances without room are longer than any that is stored: they are kept as too long.
                let too_long = before(found);
                found[VALUES..].iter_mut().for_each(|digit| *digit |= too_long);
            } else {
                found.copy_from_slice(&[captures.won[word], captures.held[word] | captures.won[word]]);
            }
            for (plane, found) in planes.iter_mut().zip(found) {
                *plane |= *found & capturing;
            }
        }
        Ok(())
    }

    /// Adds the distances that a table stores for the positions of `rows` that are not drawn, whose values
    /// are in `planes`. `visit` gets each of them with its value and the number of its word.
    fn add_distances(
        &self,
        material: Material,
        metric: Metric,
        rows: Range<u32>,
        decoder: &mut Decoder,
        planes: &mut [u64],
        mut visit: impl FnMut(usize, u32, Option<(Value, Symbol)>),
    ) -> Result<(), DeriveError> {
        let stride = VALUES + self.digits;
        let table = self.context.tables.table(material, metric)?;
        let mut too_long = None;
        stored::each(table, self.layout, rows.clone(), decoder, |word, place, plies| {
            let planes = &mut planes[stride * word..][..stride];
            let [won, held] = [0, 1].map(|plane| planes[plane] >> place & 1 != 0);
            if won != held {
                return visit(word, place, None);
            }
            visit(word, place, Some((if won { Value::Win } else { Value::Loss }, plies)));
            if u32::from(plies) >> self.digits != 0 && too_long.is_none() {
                too_long = Some((word, place));
            }
            for (digit, plane) in planes[VALUES..].iter_mut().enumerate() {
                *plane |= u64::from(plies >> digit & 1) << place;
            }
        })?;
        match too_long {
            None => Ok(()),
            Some((word, place)) => {
                let row = rows.start + (word / self.row_words()) as u32;
                Err(self.wrong(material, row, word % self.row_words(), 1 << place))
            }
        }
    }

    /// The error about the first of these columns.
    fn wrong(&self, material: Material, row: u32, word: usize, columns: u64) -> DeriveError {
        let offset = 64 * word as u64 + u64::from(columns.trailing_zeros());
        DeriveError::Wrong(material, Location { row, offset })
    }

    /// The planes of a slice as the successors of another: with the distances that are compared, and as they
    /// count one ply later under a ply limit.
    fn successors(&self, material: Material, values: &[u64]) -> Result<Region<u64>, DeriveError> {
        let stride = VALUES + self.digits;
        let mut planes = Region::<u64>::new(self.layout.words() as usize * stride)?;
        let pieces = planes.par_chunks_mut(self.piece_words() * stride).enumerate();
        let values = values.par_chunks(self.piece_words() * VALUES);
        pieces.zip(values).try_for_each_init(
            || (Decoder::new().map_err(DeriveError::from), Vec::new()),
            |(decoder, stored), ((piece, planes), values)| {
                self.context.check_stop()?;
                let decoder = decoder.as_mut().map_err(|error| error.again())?;
                self.successors_of_piece(material, self.rows(piece), (decoder, stored), values, planes)
            },
        )?;
        Ok(planes)
    }

    fn successors_of_piece(
        &self,
        material: Material,
        rows: Range<u32>,
        (decoder, stored): (&mut Decoder, &mut Vec<u64>),
        values: &[u64],
        planes: &mut [u64],
    ) -> Result<(), DeriveError> {
        let stride = VALUES + self.digits;
        copy_values(values, planes, stride);
        stored.clear();
        stored.resize(values.len() / VALUES, 0);
        self.add_distances(material, NEAR, rows, decoder, planes, |word, place, _| {
            stored[word] |= 1 << place;
        })?;
        let all = self.layout.membership().all();
        for (word, (planes, stored)) in planes.chunks_exact_mut(stride).zip(&*stored).enumerate() {
            if self.is_compulsory() {
                // The capture is the conversion.
                let decided = !(planes[0] ^ planes[1]) & all[word % all.len()];
                planes[VALUES] |= decided & !stored;
            }
            if let Some(limit) = self.layout.rules().ply_limit() {
                let late = at_least(&planes[VALUES..], limit) & !(planes[0] ^ planes[1]);
                planes[0] &= !late;
                planes[1] |= late;
                planes[VALUES..].iter_mut().for_each(|digit| *digit &= !late);
            }
        }
        Ok(())
    }

    /// Compares what a slice stores with its successors, which have the values `others`. Returns the longest
    /// distances.
    fn compare(
        &self,
        material: Material,
        own: &[u64],
        others: &[u64],
        opened: Option<&Opened>,
    ) -> Result<Totals, DeriveError> {
        let stride = VALUES + self.digits;
        let finished = &Finished::new(opened);
        let turned = self.pair.is_even();
        self.context.progress.stage(Stage::Deriving(material));
        let made =
            self.has_own_successors().then(|| self.successors(material.passed(), others)).transpose()?;
        let planes = made.as_deref().unwrap_or(others);
        let successors = Successors { layout: self.layout, planes, stride, turned };
        let own_stride = VALUES + self.kept_digits;
        let pieces = own.par_chunks(self.piece_words() * own_stride).enumerate();
        pieces
            .map_init(
                || self.hand(finished),
                |hand, (piece, own)| {
                    let hand = hand.as_mut().map_err(|error| error.again())?;
                    self.compare_piece(material, self.rows(piece), hand, own, &successors)
                },
            )
            .try_reduce(Totals::default, |one, other| Ok(one.merged(other)))
    }

    fn compare_piece<'f>(
        &self,
        material: Material,
        rows: Range<u32>,
        hand: &mut Hand<'f>,
        own: &[u64],
        successors: &Successors,
    ) -> Result<Totals, DeriveError>
    where
        'a: 'f,
    {
        self.context.check_stop()?;
        let (stride, own_stride) = (VALUES + self.digits, VALUES + self.kept_digits);
        let Hand { decoder, captures, steps, stored, planes } = hand;
        let mut totals = Totals::default();
        planes.clear();
        planes.resize(own.len() / own_stride * stride, 0);
        stored.clear();
        stored.resize(own.len() / own_stride, 0);
        copy_values(own, planes, stride);
        match self.metric {
            Some(metric) => {
                self.add_distances(material, metric, rows.clone(), decoder, planes, |word, place, entry| {
                    stored[word] |= 1 << place;
                    if let Some((value, plies)) = entry {
                        totals.reach(metric, value, plies);
                    }
                })?;
            }
            None => {
                let table = self.context.tables.table(material, Metric::Wdl)?;
                stored::each(table, self.layout, rows.clone(), decoder, |word, place, _| {
                    stored[word] |= 1 << place;
                })?;
            }
        }
        let mover = Mover::of(material);
        let words = self.row_words();
        let rows_of_planes = planes.chunks_exact(words * stride).zip(own.chunks_exact(words * own_stride));
        for ((number, stored), (planes, own)) in rows.zip(stored.chunks_exact(words)).zip(rows_of_planes) {
            self.context.check_stop()?;
            let row = Row::new(self.layout, number);
            if self.is_compulsory() {
                self.reach_by_captures(&row, stored, own, &mut totals);
            }
            let optional = if self.is_compulsory() {
                None
            } else {
                captures.resolve(&row, mover);
                Some(&*captures)
            };
            if let Some(column) = steps.check(&row, mover, stored, planes, successors, optional) {
                return Err(self.wrong(material, number, column as usize / 64, 1 << (column % 64)));
            }
        }
        let entries = rows_entries(self.layout, own.len() / own_stride / words);
        self.context.progress.advanced(entries);
        Ok(totals)
    }

    /// Takes the distances of positions with captures into account, which are not stored.
    fn reach_by_captures(&self, row: &Row, stored: &[u64], own: &[u64], totals: &mut Totals) {
        let Some(metric) = self.metric else { return };
        let own_stride = VALUES + self.kept_digits;
        let planes = || own.chunks_exact(own_stride).zip(stored).zip(row.all());
        for (value, decided) in [(Value::Win, 1), (Value::Loss, 0)] {
            let columns = |planes: &[u64], stored: u64, all: u64| {
                let of_value = if decided == 1 { planes[0] } else { !planes[1] };
                of_value & !stored & all
            };
            let any = planes().any(|((planes, stored), all)| columns(planes, *stored, *all) != 0);
            if any && self.kept_digits == 0 {
                totals.reach(metric, value, 1);
            } else if any {
                let words = planes().map(|((planes, stored), all)| {
                    longest(&planes[VALUES..], columns(planes, *stored, *all))
                });
                words.flatten().for_each(|plies| totals.reach(metric, value, plies));
            }
        }
    }
}

/// The largest number that the digits of one of `columns` make; `None` if there are no columns.
fn longest(digits: &[u64], mut columns: u64) -> Option<u16> {
    let mut plies = 0;
    if columns == 0 {
        return None;
    }
    for (digit, &plane) in digits.iter().enumerate().rev() {
        if columns & plane != 0 {
            columns &= plane;
            plies |= 1 << digit;
        }
    }
    Some(plies)
}

/// The columns whose digits make at least this number.
fn at_least(digits: &[u64], number: u8) -> u64 {
    if u32::from(number) >> digits.len() != 0 {
        return 0;
    }
    let (mut equal, mut more) = (u64::MAX, 0);
    for (digit, &plane) in digits.iter().enumerate().rev() {
        if number >> digit & 1 != 0 {
            equal &= plane;
        } else {
            more |= equal & plane;
            equal &= !plane;
        }
    }
    equal | more
}

/// Entries of so many rows.
fn rows_entries(layout: PlainLayout, rows: usize) -> u64 {
    layout.entries_in(0) * rows as u64
}

/// Copies the values of words to those of other planes.
fn copy_values(from: &[u64], to: &mut [u64], stride: usize) {
    let from_stride = from.len() / (to.len() / stride).max(1);
    for (to, from) in to.chunks_exact_mut(stride).zip(from.chunks_exact(from_stride.max(1))) {
        to[..VALUES].copy_from_slice(&from[..VALUES]);
    }
}

impl DeriveError {
    /// The same error, for every piece that meets it.
    fn again(&self) -> DeriveError {
        match self {
            DeriveError::Stopped => DeriveError::Stopped,
            other => DeriveError::Memory(std::io::Error::other(other.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_of_columns(numbers in prop::collection::vec(0..64_u16, 64), limit: u8, columns: u64) {
            let mut digits = [0; 6];
            for (place, number) in numbers.iter().enumerate() {
                for (digit, plane) in digits.iter_mut().enumerate() {
                    *plane |= u64::from(number >> digit & 1) << place;
                }
            }
            let reached = at_least(&digits, limit);
            let of_columns = || numbers.iter().enumerate().filter(|(place, _)| columns >> place & 1 != 0);
            prop_assert_eq!(longest(&digits, columns), of_columns().map(|(_, number)| *number).max());
            for (place, &number) in numbers.iter().enumerate() {
                prop_assert_eq!(reached >> place & 1 != 0, number >= limit.into());
            }
        }
    }
}
