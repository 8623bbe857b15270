//! What captures are worth, for all columns of a row at once.
//!
//! A path of jumps of one stone is possible in the columns that have stones on some points and none on
//! others. Each path carries the set of its columns along. Where it ends, the values of the smaller slice are
//! fetched for those columns.

use super::mask::Condition;
use super::readable::Values;
use super::route::Route;
use super::row::Row;
use super::smaller::{Smaller, Window};
use super::traffic::Traffic;
use super::turned::fetch_turned;
use crate::board::{Bitboard, Point};
use crate::index::{Mover, add_capturing};
use crate::material::Material;
use crate::rules::Jump;
use crate::solve::values::Cell;

/// Finds what captures are worth.
pub struct Captures<'a> {
    smaller: &'a Smaller<'a>,
    traffic: Traffic,
    /// The columns of the path in work, by the number of its jumps.
    paths: Vec<Vec<u64>>,
    /// The columns in which it can go on.
    going_on: Vec<Vec<u64>>,
    /// The columns where the mover can capture.
    pub captures: Vec<u64>,
    /// Those where a capture wins.
    pub won: Vec<u64>,
    /// Those where a capture draws.
    pub drawn: Vec<u64>,
}

/// A path of jumps.
#[derive(Clone, Copy)]
struct Path {
    from: Point,
    at: Point,
    captured: Bitboard,
    jumps: usize,
}

impl<'a> Captures<'a> {
    /// For captures that lead to these slices.
    pub fn new(smaller: &'a Smaller<'a>) -> Captures<'a> {
        Captures {
            smaller,
            traffic: Traffic::default(),
            paths: Vec::new(),
            going_on: Vec::new(),
            captures: Vec::new(),
            won: Vec::new(),
            drawn: Vec::new(),
        }
    }

    /// Fills [`captures`](Self::captures), [`won`](Self::won) and [`drawn`](Self::drawn) for `mover` to move.
    /// A column that is in both `won` and `drawn` is won. `known` gives the words of columns that are known to
    /// be won, and of those that are known to be at least drawn: captures to slices that are not at hand may
    /// have been looked at before.
    pub fn resolve(&mut self, row: &Row<'a>, mover: Mover, known: Option<impl Iterator<Item = (u64, u64)>>) {
        for plane in [&mut self.captures, &mut self.won, &mut self.drawn] {
            plane.clear();
            plane.resize(row.membership.words(), 0);
        }
        for (index, (won, drawn)) in known.into_iter().flatten().enumerate() {
            (self.won[index], self.drawn[index]) = (won, drawn);
        }
        let stones = match mover {
            Mover::RowSide => row.own,
            Mover::ColumnSide => row.free,
        };
        for from in stones.iter() {
            self.begin_path(row, mover, from);
            let path = Path { from, at: from, captured: Bitboard::EMPTY, jumps: 0 };
            self.follow(row, mover, path, row.geometry(mover).first_jumps(from));
        }
    }

    /// Fills [`captures`](Self::captures) only.
    pub fn find(&mut self, row: &Row<'a>, mover: Mover) {
        self.captures.clear();
        self.captures.resize(row.membership.words(), 0);
        add_capturing(row.layout, mover, row.number, &mut self.captures);
    }

    fn begin_path(&mut self, row: &Row, mover: Mover, from: Point) {
        let columns = match mover {
            Mover::RowSide => row.membership.all(),
            Mover::ColumnSide => row.columns_with(Bitboard::of(from)),
        };
        let path = plane_of(&mut self.paths, 0);
        path.clear();
        path.extend_from_slice(columns);
    }

    /// Goes on with `jumps` wherever they are possible, and fetches what the path is worth where none is.
    fn follow(&mut self, row: &Row<'a>, mover: Mover, path: Path, jumps: &[Jump]) {
        let words = row.membership.words();
        let on = plane_of(&mut self.going_on, path.jumps);
        on.clear();
        on.resize(words, 0);
        for jump in jumps {
            let Some((over, landing)) = stones_on_the_way(row, mover, &path, jump) else { continue };
            if !self.jump(path.jumps, over, landing) {
                continue;
            }
            let Some(at) = Bitboard::new(jump.landing).iter().next() else { continue };
            let captured = path.captured | Bitboard::new(jump.over);
            let longer = Path { at, captured, jumps: path.jumps + 1, ..path };
            self.follow(row, mover, longer, row.geometry(mover).later_jumps(at));
        }
        if path.jumps == 0 {
            return;
        }
        // The path ends in its columns where it cannot go on, or in all if it may stop. Those that are won
        // need no more.
        let must_go_on = if row.geometry(mover).may_stop() { 0 } else { u64::MAX };
        let ending = &mut self.paths[path.jumps];
        let mut any = 0;
        for ((word, on), won) in ending.iter_mut().zip(&self.going_on[path.jumps]).zip(&self.won) {
            *word &= !(on & must_go_on | won);
            any |= *word;
        }
        if any != 0 {
            self.end(row, mover, &path);
        }
    }

    /// The columns of a path of so many jumps in which it can go on over the stones in `over` to where the
    /// stones in `landing` are not. Returns whether there is any that is not won already.
    fn jump(&mut self, jumps: usize, over: Option<&[u64]>, landing: Option<&[u64]>) -> bool {
        plane_of(&mut self.paths, jumps + 1);
        let (shorter, longer) = self.paths.split_at_mut(jumps + 1);
        let (shorter, longer) = (&shorter[jumps], &mut longer[0]);
        longer.clear();
        longer.extend_from_slice(shorter);
        if let Some(over) = over {
            longer.iter_mut().zip(over).for_each(|(word, mask)| *word &= mask);
        }
        if let Some(landing) = landing {
            longer.iter_mut().zip(landing).for_each(|(word, mask)| *word &= !mask);
        }
        if jumps == 0 {
            self.captures.iter_mut().zip(&*longer).for_each(|(captures, word)| *captures |= word);
        }
        let mut any = 0;
        for ((word, on), won) in longer.iter_mut().zip(&mut self.going_on[jumps]).zip(&self.won) {
            *on |= *word;
            *word &= !won;
            any |= *word;
        }
        any != 0
    }

    /// Fetches the values of the smaller slice for the columns of a path that ends.
    fn end(&mut self, row: &Row<'a>, mover: Mover, path: &Path) {
        let wanted = std::mem::take(&mut self.paths[path.jumps]);
        let pair = row.layout.pair();
        let (a, b) = (pair.larger(), pair.smaller());
        let taken = path.captured.count();
        let material = match mover {
            Mover::RowSide => Material::new(b.saturating_sub(taken), a),
            Mover::ColumnSide => Material::new(a.saturating_sub(taken), b),
        };
        match material.map(|material| self.smaller.get(material)) {
            // The last stone was taken.
            None => self.won.iter_mut().zip(&wanted).for_each(|(won, word)| *won |= word),
            // The slice is not at hand now.
            Some(None) => {}
            Some(Some(window)) => {
                let (won, drawn) = (&mut self.won, &mut self.drawn);
                let take = |word: usize, columns: u64, their_win: u64, their_loss: u64| {
                    let columns = columns & wanted[word];
                    won[word] |= columns & their_loss;
                    drawn[word] |= columns & !(their_win | their_loss);
                };
                if mover == Mover::ColumnSide && a - taken < b {
                    let left = row.own.without(path.captured);
                    let change = [Bitboard::of(path.from), Bitboard::of(path.at)];
                    fetch_turned(row, window, (left, change), &wanted, take);
                } else {
                    let route = route(row, mover, window, path);
                    if let Some(route) = route {
                        self.traffic.fetch(row, &route, &wanted, Values::all(window.cells), take);
                    }
                }
            }
        }
        self.paths[path.jumps] = wanted;
    }

    /// Copies the values of the columns where the column side can capture from the other table of a pair with
    /// equal sides, which holds the same positions seen from the other side. [`captures`](Self::captures)
    /// must be filled.
    pub fn copy_turned(&mut self, row: &Row, cells: &[Cell]) {
        for plane in [&mut self.won, &mut self.drawn] {
            plane.clear();
            plane.resize(row.membership.words(), 0);
        }
        let no_change = [Bitboard::EMPTY; 2];
        let (won, drawn) = (&mut self.won, &mut self.drawn);
        let take = |word: usize, columns: u64, wins: u64, losses: u64| {
            won[word] = wins;
            drawn[word] = columns & !(wins | losses);
        };
        let window = Window::whole(row.layout, cells);
        fetch_turned(row, &window, (row.own, no_change), &self.captures, take);
    }
}

/// What `jump` requires of the columns: a stone on one of the free points, and none on another, each as the
/// columns with a stone there. `None` if it is not possible in any column.
#[allow(clippy::type_complexity)]
fn stones_on_the_way<'a>(
    row: &Row<'a>,
    mover: Mover,
    path: &Path,
    jump: &Jump,
) -> Option<(Option<&'a [u64]>, Option<&'a [u64]>)> {
    let (over, landing) = (Bitboard::new(jump.over), Bitboard::new(jump.landing));
    let opponents = match mover {
        Mover::RowSide => row.free,
        Mover::ColumnSide => row.own,
    };
    if (over & opponents.without(path.captured)).is_empty() {
        return None;
    }
    let over = (mover == Mover::RowSide).then(|| row.columns_with(over));
    // Where the stone came from and where one was captured nothing stands.
    let vacated = path.captured | Bitboard::of(path.from);
    if !(landing & vacated).is_empty() {
        return Some((over, None));
    }
    (!(landing & row.free).is_empty()).then(|| (over, Some(row.columns_with(landing))))
}

/// The route of the columns of a path that ends, if it leads into the window.
fn route<'a>(row: &Row<'a>, mover: Mover, window: &Window<'a>, path: &Path) -> Option<Route<'a>> {
    let layout = window.layout;
    let (from, to) = (Bitboard::of(path.from), Bitboard::of(path.at));
    let vacated = path.captured | from;
    let landing = to.without(vacated);
    let (placement, condition, change) = match mover {
        Mover::RowSide => (
            row.own.without(from) | to,
            Condition { has: path.captured, lacks: landing },
            [path.captured, Bitboard::EMPTY, vacated],
        ),
        Mover::ColumnSide => {
            (row.own.without(path.captured), Condition { has: from, lacks: landing }, [from, to, vacated])
        }
    };
    let target = layout.target(placement.bits().into());
    let slot = window.slot(target.row())?;
    // The columns of a path meet the condition, so that it matters only where they move as words.
    let domain = if target.is_own() { condition } else { Condition::default() };
    Some(Route::new(layout, (target, slot), placement, change, domain))
}

/// The plane with this number, made when there is none yet.
fn plane_of(planes: &mut Vec<Vec<u64>>, number: usize) -> &mut Vec<u64> {
    if planes.len() <= number {
        planes.resize_with(number + 1, Vec::new);
    }
    &mut planes[number]
}
