//! What the stored positions of a row must be, by their steps: the least outcome among the successors, pulled
//! from their rows. Where enough columns are wanted whole words move; else each column is looked at by
//! itself.

use super::captures::Captures;
use super::outcome::{Least, MOST_PLANES, Outcome, VALUES, before};
use super::pull::{Count, Pull};
use super::row::{Row, select};
use crate::board::{Bitboard, POINTS, Point};
use crate::index::{
    BitOps, BitWork, ColumnAddress, Mover, PlainLayout, TurnedAddress, each_bit, with_best_bits,
};
use crate::rules::NoMoves;

/// Wanted columns per word from which on whole words are moved.
const DENSE: usize = 6;

/// The outcomes of all positions that steps lead to.
#[derive(Clone, Copy)]
pub struct Successors<'a> {
    pub layout: PlainLayout<'a>,
    /// The planes of each word, one word after the other.
    pub planes: &'a [u64],
    pub stride: usize,
    /// Whether these are seen from the side that has just moved: the sides have as many stones, and swap
    /// roles.
    pub turned: bool,
}

impl<'a> Successors<'a> {
    fn row(&self, row: u32) -> &'a [u64] {
        let words = self.layout.first_word(row)..self.layout.first_word(row + 1);
        &self.planes[words.start * self.stride..words.end * self.stride]
    }

    #[inline(always)]
    fn read(&self, (word, place): (usize, u32)) -> Outcome {
        Outcome::read(&self.planes[self.stride * word..][..self.stride], place)
    }
}

/// Derives rows.
#[derive(Default)]
pub struct Steps {
    least: Least,
    domain: Vec<u64>,
    image: Vec<u64>,
    pulled: Vec<u64>,
    packed: Vec<[u64; 2]>,
}

impl Steps {
    /// Compares the columns of `row` in `wanted`, of which `stored` gives the planes, with what follows from
    /// their steps and, where captures are optional, from `captures`. Returns the first column that is wrong.
    pub fn check(
        &mut self,
        row: &Row,
        mover: Mover,
        wanted: &[u64],
        stored: &[u64],
        successors: &Successors,
        captures: Option<&Captures>,
    ) -> Option<u32> {
        let count = with_best_bits(Count(wanted));
        if count == 0 {
            return None;
        }
        self.least.reset(row.words(), successors.stride - VALUES);
        if let Some(captures) = captures {
            self.take_captures(captures, wanted, successors.stride);
        }
        if successors.turned || count < DENSE * row.words() {
            return with_best_bits(Singly {
                routes: Routes::new(row, mover, successors),
                row,
                mover,
                wanted,
                stored,
                successors,
                least: &self.least,
            });
        }
        match mover {
            Mover::RowSide => self.row_side(row, wanted, successors),
            Mover::ColumnSide => self.column_side(row, wanted, successors),
        }
        self.compare(row, wanted, stored, successors.stride)
    }

    /// Offers what captures lead to, where they are optional.
    fn take_captures(&mut self, captures: &Captures, wanted: &[u64], stride: usize) {
        let mut planes = [0; MOST_PLANES];
        for (word, &wanted) in wanted.iter().enumerate() {
            let columns = captures.capturing[word] & wanted;
            if columns == 0 {
                continue;
            }
            if captures.has_distances() {
                captures.least.get(word, &mut planes[..stride]);
            } else {
                // The conversion is this capture, as if the game ended with it.
                planes[..VALUES].copy_from_slice(&[!captures.held[word], !captures.won[word]]);
            }
            self.least.offer(word, columns, &planes[..stride]);
        }
    }

    fn row_side(&mut self, row: &Row, wanted: &[u64], successors: &Successors) {
        let geometry = row.layout.geometry(Mover::RowSide);
        for from in row.own.iter() {
            for to in (geometry.steps(from) & row.free).iter() {
                let taken = row.with(Bitboard::of(to));
                self.domain.clear();
                self.domain.extend(row.all().iter().zip(taken).map(|(all, taken)| all & !taken));
                if !meet(&self.domain, wanted) {
                    continue;
                }
                let placement = row.own.without(Bitboard::of(from)).with(to);
                let target = row.layout.target(placement.bits().into());
                if target.is_own() {
                    let lacks = [Bitboard::EMPTY, Bitboard::of(from)];
                    select(row.layout, !placement, lacks, &mut self.image);
                    self.pull(successors.row(target.row()), wanted, successors.stride);
                } else {
                    let Steps { least, domain, .. } = self;
                    let address = row.layout.address(&target);
                    let source = successors.row(target.row());
                    let stride = successors.stride;
                    with_best_bits(ThroughSymmetry { row, address, source, stride, domain, wanted, least });
                }
            }
        }
    }

    fn column_side(&mut self, row: &Row, wanted: &[u64], successors: &Successors) {
        let geometry = row.layout.geometry(Mover::ColumnSide);
        for from in row.free.iter() {
            for to in (geometry.steps(from) & row.free).iter() {
                let ends = [Bitboard::of(from), Bitboard::of(to)].map(|point| row.with(point));
                let between = |[has, lacks]: [&[u64]; 2], into: &mut Vec<u64>| {
                    into.clear();
                    into.extend(has.iter().zip(lacks).map(|(has, lacks)| has & !lacks));
                };
                between(ends, &mut self.domain);
                if meet(&self.domain, wanted) {
                    between([ends[1], ends[0]], &mut self.image);
                    self.pull(successors.row(row.number), wanted, successors.stride);
                }
            }
        }
    }

    /// Pulls outcomes from the columns in `image` of a row with these `planes` into those in `domain`.
    fn pull(&mut self, planes: &[u64], wanted: &[u64], stride: usize) {
        let Steps { least, domain, image, pulled, packed } = self;
        pulled.clear();
        pulled.resize(domain.len() * stride, 0);
        for first in (0..stride).step_by(2) {
            // With an odd number of planes the last one is pulled twice.
            let second = (first + 1).min(stride - 1);
            let sink = |word: usize, [one, two]: [u64; 2]| {
                pulled[word * stride + first] = one;
                pulled[word * stride + second] = two;
            };
            with_best_bits(Pull {
                source: planes,
                stride,
                planes: [first, second],
                from: image,
                to: domain,
                wanted,
                packed,
                sink,
            });
        }
        for (word, planes) in pulled.chunks_exact(stride).enumerate() {
            let columns = domain[word] & wanted[word];
            if columns != 0 {
                least.offer(word, columns, planes);
            }
        }
    }

    /// Compares `wanted` columns with what the least outcomes say.
    fn compare(&self, row: &Row, wanted: &[u64], stored: &[u64], stride: usize) -> Option<u32> {
        let drawn = stuck_is_drawn(row);
        let mut derived = [0; MOST_PLANES];
        let derived = &mut derived[..stride];
        for (word, (&wanted, stored)) in wanted.iter().zip(stored.chunks_exact(stride)).enumerate() {
            if wanted == 0 {
                continue;
            }
            self.least.get(word, derived);
            let too_far = before(derived);
            let moves = self.least.seen[word];
            let mut differs = too_far & moves;
            for (plane, (derived, stored)) in derived.iter().zip(stored).enumerate() {
                // Without a move it is a draw, or a loss in 0.
                let stuck = if plane == 1 && drawn { u64::MAX } else { 0 };
                differs |= (derived & moves | stuck & !moves) ^ stored;
            }
            if differs & wanted != 0 {
                return Some(64 * word as u32 + (differs & wanted).trailing_zeros());
            }
        }
        None
    }
}

fn stuck_is_drawn(row: &Row) -> bool {
    row.layout.rules().no_moves() == NoMoves::Draw
}

/// Whether two sets of columns have one in common.
fn meet(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

/// A step into a row that is laid out for an image of the placement: columns change their order.
struct ThroughSymmetry<'s, 'a> {
    row: &'s Row<'a>,
    address: ColumnAddress<'s>,
    source: &'s [u64],
    stride: usize,
    domain: &'s [u64],
    wanted: &'s [u64],
    least: &'s mut Least,
}

impl BitWork for ThroughSymmetry<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) {
        let ThroughSymmetry { row, address, source, stride, domain, wanted, least } = self;
        for (word, (domain, wanted)) in domain.iter().zip(wanted).enumerate() {
            let columns = domain & wanted;
            if columns == 0 {
                continue;
            }
            let mut found = [0; MOST_PLANES];
            each_bit(columns, |bit| {
                let offset = address.offset(bits, row.occupied(bits, 64 * word + bit as usize));
                let planes = &source[stride * (offset as usize / 64)..][..stride];
                for (found, plane) in found.iter_mut().zip(planes) {
                    *found |= (plane >> (offset % 64) & 1) << bit;
                }
            });
            least.offer(word, columns, &found[..stride]);
        }
    }
}

/// Where the steps of the row side from a row lead.
struct Routes<'a> {
    /// By points from and to: the number in the list.
    numbers: [[u8; POINTS]; POINTS],
    list: Vec<Route<'a>>,
}

enum Route<'a> {
    /// A row, and its first word.
    Row(ColumnAddress<'a>, usize),
    /// Each column is a row of its own.
    Turned(TurnedAddress<'a>),
}

impl<'a> Routes<'a> {
    fn new(row: &Row<'a>, mover: Mover, successors: &Successors<'a>) -> Routes<'a> {
        let mut routes = Routes { numbers: [[0; POINTS]; POINTS], list: Vec::new() };
        let layout = row.layout;
        if mover == Mover::ColumnSide {
            let target = layout.stay(row.number, 0);
            routes.list.push(Route::Row(layout.address(&target), layout.first_word(row.number)));
            return routes;
        }
        let geometry = layout.geometry(mover);
        for from in row.own.iter() {
            for to in (geometry.steps(from) & row.free).iter() {
                let placement = row.own.without(Bitboard::of(from)).with(to);
                routes.numbers[from.index()][to.index()] = routes.list.len() as u8;
                routes.list.push(if successors.turned {
                    Route::Turned(layout.turned_address(placement))
                } else {
                    let target = layout.target(placement.bits().into());
                    Route::Row(layout.address(&target), layout.first_word(target.row()))
                });
            }
        }
        routes
    }

    /// The place of the position after a step.
    #[inline(always)]
    fn place<B: BitOps>(&self, bits: B, layout: PlainLayout, number: usize, occupied: u32) -> (usize, u32) {
        match &self.list[number] {
            Route::Row(address, first) => {
                let offset = address.offset(bits, occupied);
                (first + offset as usize / 64, offset % 64)
            }
            Route::Turned(address) => layout.bit(address.location(bits, occupied)),
        }
    }
}

/// More steps than a position has.
const MOST_STEPS: usize = 12 * 8;

struct Singly<'s, 'a> {
    routes: Routes<'a>,
    row: &'s Row<'a>,
    mover: Mover,
    wanted: &'s [u64],
    stored: &'s [u64],
    successors: &'s Successors<'a>,
    /// What captures lead to.
    least: &'s Least,
}

impl BitWork for Singly<'_, '_> {
    type Output = Option<u32>;

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) -> Option<u32> {
        let Singly { routes, row, mover, wanted, stored, successors, least } = self;
        let geometry = row.layout.geometry(mover);
        let stride = successors.stride;
        let stuck = if stuck_is_drawn(row) { Outcome::DRAW } else { Outcome::lost(0) };
        let mut targets = [Bitboard::EMPTY; POINTS];
        for point in Point::all() {
            targets[point.index()] = geometry.steps(point) & row.free;
        }
        let (mut wrong, mut places) = (None, [(0, 0); MOST_STEPS]);
        for (word, &wanted) in wanted.iter().enumerate() {
            each_bit(wanted, |bit| {
                let occupied = row.occupied(bits, 64 * word + bit as usize);
                let column = Bitboard::new(occupied);
                // Places first: what is read from memory for them is then read side by side.
                let mut count = 0;
                match mover {
                    Mover::RowSide => {
                        for from in row.own.iter() {
                            for to in targets[from.index()].without(column).iter() {
                                let number = routes.numbers[from.index()][to.index()];
                                places[count % MOST_STEPS] =
                                    routes.place(bits, row.layout, number.into(), occupied);
                                count += 1;
                            }
                        }
                    }
                    Mover::ColumnSide => {
                        for from in column.iter() {
                            for to in targets[from.index()].without(column).iter() {
                                let occupied = column.without(Bitboard::of(from)).with(to).bits();
                                places[count % MOST_STEPS] = routes.place(bits, row.layout, 0, occupied);
                                count += 1;
                            }
                        }
                    }
                }
                let steps = places[..count].iter().map(|&place| successors.read(place)).min();
                let captures = (least.seen[word] >> bit & 1 != 0).then(|| least.outcome(word, bit));
                let after = [steps, captures].into_iter().flatten().min();
                let derived = after.map_or(stuck, |after| after.before(stride > VALUES));
                if derived != Outcome::read(&stored[stride * word..][..stride], bit) && wrong.is_none() {
                    wrong = Some(64 * word as u32 + bit);
                }
            });
        }
        wrong
    }
}
