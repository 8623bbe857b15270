//! What captures are worth, for all columns of a row at once.
//!
//! A chain of one stone is possible in the columns with stones on some points and none on others. Where it
//! ends, the outcomes in the smaller slice are pulled into these columns. Chains that end in a row that is
//! laid out for the placement as it is come first: whole words move there. The others are put off until
//! those have won what they can; what is left of them goes column by column, chains that differ only on
//! their way together.

use super::finished::Finished;
use super::outcome::{Least, MOST_PLANES, VALUES};
use super::pull::Pull;
use super::row::{Row, select};
use crate::board::{Bitboard, Point};
use crate::index::{
    BitOps, BitWork, ColumnAddress, Mover, PlainLayout, RowTarget, TurnedAddress, each_bit, with_best_bits,
};
use crate::material::Material;
use crate::rules;

/// Columns per word from which on whole words are moved.
const DENSE: usize = 1;

/// Finds what captures of one side are worth.
pub struct Captures<'a> {
    finished: &'a Finished<'a>,
    /// Digits of distances; without any, only the values are found.
    digits: usize,
    /// The columns in which the first jumps of the chain in work are possible, by their number.
    possible: Vec<Vec<u64>>,
    /// Those of them in which it can go on.
    going_on: Vec<Vec<u64>>,
    later: Vec<Later>,
    /// The first of these that begins with the stone in work.
    of_stone: usize,
    spare: Vec<Vec<u64>>,
    image: Vec<u64>,
    pulled: Vec<u64>,
    packed: Vec<[u64; 2]>,
    /// The columns where the side to move can capture.
    pub capturing: Vec<u64>,
    /// Those where a capture wins.
    pub won: Vec<u64>,
    /// Those where a capture does not lose.
    pub held: Vec<u64>,
    /// With distances: the least outcomes after captures.
    pub least: Least,
}

/// A chain, or its beginning.
#[derive(Clone, Copy)]
struct Chain {
    from: Point,
    at: Point,
    taken: Bitboard,
    /// All points where it landed.
    landings: Bitboard,
    jumps: usize,
}

/// A chain that was put off, with the columns in which it ends.
struct Later {
    from: Point,
    at: Point,
    taken: Bitboard,
    columns: Vec<u64>,
}

impl<'a> Captures<'a> {
    /// For captures that lead to `finished` slices, with so many digits of distances.
    pub fn new(finished: &'a Finished<'a>, digits: usize) -> Captures<'a> {
        Captures {
            finished,
            digits,
            possible: Vec::new(),
            going_on: Vec::new(),
            later: Vec::new(),
            of_stone: 0,
            spare: Vec::new(),
            image: Vec::new(),
            pulled: Vec::new(),
            packed: Vec::new(),
            capturing: Vec::new(),
            won: Vec::new(),
            held: Vec::new(),
            least: Least::default(),
        }
    }

    /// Whether distances are found, too.
    pub fn has_distances(&self) -> bool {
        self.digits > 0
    }

    /// Finds what captures of `mover` are worth in the columns of `row`.
    pub fn resolve(&mut self, row: &Row<'a>, mover: Mover) {
        let words = row.words();
        for plane in [&mut self.capturing, &mut self.won, &mut self.held] {
            plane.clear();
            plane.resize(words, 0);
        }
        if self.digits > 0 {
            self.least.reset(words, self.digits);
        }
        let stones = match mover {
            Mover::RowSide => row.own,
            Mover::ColumnSide => row.free,
        };
        for from in stones.iter() {
            let columns = match mover {
                Mover::RowSide => row.all(),
                Mover::ColumnSide => row.with(Bitboard::of(from)),
            };
            let possible = plane(&mut self.possible, 0);
            possible.clear();
            possible.extend_from_slice(columns);
            let (taken, landings) = (Bitboard::EMPTY, Bitboard::EMPTY);
            let chain = Chain { from, at: from, taken, landings, jumps: 0 };
            self.of_stone = self.later.len();
            self.go_on(row, mover, chain, row.layout.geometry(mover).first_jumps(from));
        }
        // A row of its own for each column is the most expensive.
        let mut later = std::mem::take(&mut self.later);
        later.sort_by_key(|later| (self.swaps_sides(row, mover, later.taken), later.taken.count()));
        for Later { from, at, taken, mut columns } in later.drain(..) {
            if self.without_won(&mut columns) {
                self.end_singly(row, mover, [from, at], taken, &columns);
            }
            self.spare.push(columns);
        }
        self.later = later;
    }

    /// Removes the columns that need no more. Returns whether any is left.
    fn without_won(&self, columns: &mut [u64]) -> bool {
        let mut any = 0;
        if self.digits > 0 {
            return columns.iter().any(|&word| word != 0);
        }
        for (word, won) in columns.iter_mut().zip(&self.won) {
            *word &= !won;
            any |= *word;
        }
        any != 0
    }

    /// Continues `chain` by each of `jumps`, and ends it in the columns where it cannot go on, or may stop.
    fn go_on(&mut self, row: &Row<'a>, mover: Mover, chain: Chain, jumps: &[rules::Jump]) {
        let depth = chain.jumps;
        let on = plane(&mut self.going_on, depth);
        on.clear();
        on.resize(row.words(), 0);
        for jump in jumps {
            let (over, landing) = (Bitboard::new(jump.over), Bitboard::new(jump.landing));
            let opponents = match mover {
                Mover::RowSide => row.free,
                Mover::ColumnSide => row.own,
            };
            let vacated = chain.taken | Bitboard::of(chain.from);
            let is_vacated = !(landing & vacated).is_empty();
            let is_blocked = !is_vacated && (landing & row.free).is_empty();
            if is_blocked || (over & opponents.without(chain.taken)).is_empty() {
                continue;
            }
            let over_columns = if mover == Mover::RowSide { row.with(over) } else { row.all() };
            let landing_columns = if is_vacated { row.none() } else { row.with(landing) };
            if !self.jump(depth, over_columns, landing_columns) {
                continue;
            }
            let Some(at) = landing.iter().next() else { continue };
            let (taken, landings) = (chain.taken | over, chain.landings | landing);
            let longer = Chain { at, taken, landings, jumps: depth + 1, ..chain };
            self.go_on(row, mover, longer, row.layout.geometry(mover).later_jumps(at));
        }
        if depth == 0 {
            let on = &self.going_on[0];
            self.capturing.iter_mut().zip(on).for_each(|(capturing, on)| *capturing |= on);
            return;
        }
        let mut columns = self.spare.pop().unwrap_or_default();
        columns.resize(row.words(), 0);
        let may_stop = row.layout.geometry(mover).may_stop();
        let count = with_best_bits(Ending {
            possible: &self.possible[depth],
            on: if may_stop { row.none() } else { &self.going_on[depth] },
            enough: if self.digits > 0 { row.none() } else { &self.won },
            columns: &mut columns,
        });
        if count > 0 {
            self.end(row, mover, &chain, (columns, count));
        } else {
            self.spare.push(columns);
        }
    }

    /// The columns in which one more jump is possible, over the stones in `over` to where those in `landing`
    /// are not. Returns whether there are any that need it.
    fn jump(&mut self, depth: usize, over: &[u64], landing: &[u64]) -> bool {
        let words = self.capturing.len();
        plane(&mut self.possible, depth + 1).resize(words, 0);
        let (before, after) = self.possible.split_at_mut(depth + 1);
        let on = &mut self.going_on[depth][..];
        let (before, after) = (&before[depth][..words], &mut after[0][..words]);
        let condition = [over, landing];
        if self.digits > 0 {
            // Even a column that is won may be won sooner.
            with_best_bits(Jump { before, condition, on, after, enough: None })
        } else {
            with_best_bits(Jump { before, condition, on, after, enough: Some(&self.won) })
        }
    }

    /// The slice to which a chain leads that takes so many stones; `None` if it takes the last.
    fn material(row: &Row, mover: Mover, taken: Bitboard) -> Option<Material> {
        let (a, b) = (row.layout.pair().larger(), row.layout.pair().smaller());
        match mover {
            Mover::RowSide => Material::new(b.checked_sub(taken.count())?, a),
            Mover::ColumnSide => Material::new(a.checked_sub(taken.count())?, b),
        }
    }

    /// Whether the row side has fewer stones than the column side when it has lost these.
    fn swaps_sides(&self, row: &Row, mover: Mover, taken: Bitboard) -> bool {
        let pair = row.layout.pair();
        mover == Mover::ColumnSide && pair.larger() - taken.count() < pair.smaller()
    }

    /// The chain ends in these columns.
    fn end(&mut self, row: &Row<'a>, mover: Mover, chain: &Chain, (columns, count): (Vec<u64>, usize)) {
        let Chain { from, at, taken, landings, .. } = *chain;
        let Some(material) = Self::material(row, mover, taken) else {
            // The last stone is gone: the other side has lost.
            for (word, &columns) in columns.iter().enumerate() {
                self.won[word] |= columns;
                self.held[word] |= columns;
                if self.digits > 0 {
                    let lost = [0; MOST_PLANES];
                    self.least.offer(word, columns, &lost[..VALUES + self.digits]);
                }
            }
            self.spare.push(columns);
            return;
        };
        let Some(finished) = self.finished.get(material) else {
            self.spare.push(columns);
            return;
        };
        let layout = finished.layout;
        if !self.swaps_sides(row, mover, taken) {
            let placement = placement_after(row, mover, [from, at], taken);
            let target = layout.target(placement.bits().into());
            if target.is_own() && count >= DENSE * columns.len() {
                let free = !placement;
                let came = Bitboard::of(from) | taken | landings;
                let condition = match mover {
                    Mover::RowSide => [Bitboard::EMPTY, came & free],
                    Mover::ColumnSide => [Bitboard::of(at), came.without(Bitboard::of(at)) & free],
                };
                select(layout, free, condition, &mut self.image);
                let planes = finished.row(target.row());
                self.pull(planes, chain.jumps, &columns);
                self.spare.push(columns);
                return;
            }
        }
        // Chains with the same ends over the same stones lead to the same positions.
        let same = |later: &&mut Later| later.taken == taken && later.at == at;
        if let Some(later) = self.later[self.of_stone..].iter_mut().find(same) {
            later.columns.iter_mut().zip(&columns).for_each(|(word, more)| *word |= more);
            self.spare.push(columns);
        } else {
            self.later.push(Later { from, at, taken, columns });
        }
    }

    /// Pulls the outcomes in a row with these `planes` from the columns in `image` into those where the chain
    /// of so many jumps is possible, and takes what is in `columns`.
    fn pull(&mut self, planes: &[u64], jumps: usize, columns: &[u64]) {
        let stride = VALUES + self.digits;
        let to = &self.possible[jumps];
        if self.digits == 0 {
            let (won, held) = (&mut self.won, &mut self.held);
            let sink = |word: usize, [they_win, they_hold]: [u64; 2]| {
                won[word] |= columns[word] & !they_hold;
                held[word] |= columns[word] & !they_win;
            };
            let (from, packed) = (&self.image, &mut self.packed);
            let (wanted, planes_of) = (columns, [0, 1]);
            with_best_bits(Pull {
                source: planes,
                stride,
                planes: planes_of,
                from,
                to,
                wanted,
                packed,
                sink,
            });
            return;
        }
        self.pulled.clear();
        self.pulled.resize(columns.len() * stride, 0);
        for first in (0..stride).step_by(2) {
            // With an odd number of planes the last one is pulled twice.
            let second = (first + 1).min(stride - 1);
            let pulled = &mut self.pulled;
            let sink = |word: usize, [one, two]: [u64; 2]| {
                pulled[word * stride + first] = one;
                pulled[word * stride + second] = two;
            };
            let (from, packed) = (&self.image, &mut self.packed);
            let (wanted, planes_of) = (columns, [first, second]);
            with_best_bits(Pull {
                source: planes,
                stride,
                planes: planes_of,
                from,
                to,
                wanted,
                packed,
                sink,
            });
        }
        for (word, planes) in self.pulled.chunks_exact(stride).enumerate() {
            if columns[word] != 0 {
                self.least.offer(word, columns[word], planes);
            }
        }
    }

    /// As [`end`](Self::end), column by column.
    fn end_singly(
        &mut self,
        row: &Row<'a>,
        mover: Mover,
        [from, at]: [Point; 2],
        taken: Bitboard,
        columns: &[u64],
    ) {
        let Some(finished) =
            Self::material(row, mover, taken).and_then(|material| self.finished.get(material))
        else {
            return;
        };
        let layout = finished.layout;
        let (remove, add) = match mover {
            Mover::RowSide => (taken, Bitboard::EMPTY),
            Mover::ColumnSide => (Bitboard::of(from), Bitboard::of(at)),
        };
        let after = placement_after(row, mover, [from, at], taken);
        let address = if self.swaps_sides(row, mover, taken) {
            Address::Turned(layout.turned_address(after))
        } else {
            let target = layout.target(after.bits().into());
            Address::Column(layout.address(&target), target)
        };
        with_best_bits(Singly {
            captures: self,
            row,
            planes: finished.planes,
            layout,
            address,
            change: [!remove.bits(), add.bits()],
            columns,
        });
    }
}

/// One more jump: see [`Captures::jump`].
struct Jump<'s> {
    before: &'s [u64],
    condition: [&'s [u64]; 2],
    on: &'s mut [u64],
    after: &'s mut [u64],
    /// The columns that need no more.
    enough: Option<&'s [u64]>,
}

impl BitWork for Jump<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<B: BitOps>(self, _: B) -> bool {
        let Jump { before, condition: [has, lacks], on, after, enough } = self;
        let words = before.len();
        let (has, lacks, on, after) = (&has[..words], &lacks[..words], &mut on[..words], &mut after[..words]);
        let (mut any, enough) = (0, enough.map_or(lacks, |enough| &enough[..words]));
        for word in 0..words {
            let columns = before[word] & has[word] & !lacks[word];
            after[word] = columns;
            on[word] |= columns;
            any |= columns & !enough[word];
        }
        any != 0
    }
}

/// Where a chain ends: the columns in which it is possible and does not go on, but for those that have enough.
struct Ending<'s> {
    possible: &'s [u64],
    on: &'s [u64],
    enough: &'s [u64],
    columns: &'s mut [u64],
}

impl BitWork for Ending<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<B: BitOps>(self, _: B) -> usize {
        let Ending { possible, on, enough, columns } = self;
        let words = columns.len();
        let (possible, on, enough) = (&possible[..words], &on[..words], &enough[..words]);
        let mut count = 0;
        for word in 0..words {
            columns[word] = possible[word] & !(on[word] | enough[word]);
            count += u64::from(columns[word].count_ones());
        }
        count as usize
    }
}

/// The row side's stones after a chain of `mover`.
fn placement_after(row: &Row, mover: Mover, [from, at]: [Point; 2], taken: Bitboard) -> Bitboard {
    match mover {
        Mover::RowSide => row.own.without(Bitboard::of(from)) | Bitboard::of(at),
        Mover::ColumnSide => row.own.without(taken),
    }
}

/// How columns are found after a chain.
enum Address<'a> {
    /// In one row.
    Column(ColumnAddress<'a>, RowTarget),
    /// Each is a row of its own.
    Turned(TurnedAddress<'a>),
}

struct Singly<'s, 'a> {
    captures: &'s mut Captures<'a>,
    row: &'s Row<'a>,
    planes: &'s [u64],
    layout: PlainLayout<'s>,
    address: Address<'s>,
    change: [u32; 2],
    columns: &'s [u64],
}

impl BitWork for Singly<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) {
        let Singly { captures, row, planes, layout, address, change: [keep, add], columns } = self;
        let stride = VALUES + captures.digits;
        let mut places = [(0, 0); 64];
        for (word, &columns) in columns.iter().enumerate() {
            if columns == 0 {
                continue;
            }
            // Places first: what is read from memory for them is then read side by side.
            match &address {
                Address::Column(address, target) => {
                    let first = layout.first_word(target.row());
                    each_bit(columns, |bit| {
                        let occupied = row.occupied(bits, 64 * word + bit as usize) & keep | add;
                        let offset = address.offset(bits, occupied);
                        places[bit as usize] = (first + offset as usize / 64, offset % 64);
                    });
                }
                Address::Turned(address) => each_bit(columns, |bit| {
                    let occupied = row.occupied(bits, 64 * word + bit as usize) & keep | add;
                    places[bit as usize] = layout.bit(address.location(bits, occupied));
                }),
            }
            if captures.digits == 0 {
                let (mut they_win, mut they_hold) = (0, 0);
                each_bit(columns, |bit| {
                    let (word, place) = places[bit as usize];
                    let values = &planes[VALUES * word..][..VALUES];
                    they_win |= (values[0] >> place & 1) << bit;
                    they_hold |= (values[1] >> place & 1) << bit;
                });
                captures.won[word] |= columns & !they_hold;
                captures.held[word] |= columns & !they_win;
                continue;
            }
            let mut found = [0; MOST_PLANES];
            each_bit(columns, |bit| {
                let (word, place) = places[bit as usize];
                for (found, plane) in found.iter_mut().zip(&planes[stride * word..][..stride]) {
                    *found |= (plane >> place & 1) << bit;
                }
            });
            captures.least.offer(word, columns, &found[..stride]);
        }
    }
}

/// The plane with this number, made if there is none yet.
fn plane(planes: &mut Vec<Vec<u64>>, number: usize) -> &mut Vec<u64> {
    if planes.len() <= number {
        planes.resize_with(number + 1, Vec::new);
    }
    &mut planes[number]
}
