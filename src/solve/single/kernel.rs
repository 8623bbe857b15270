//! One arrangement of the row side at a time: where its positions lead by steps and by captures.
//!
//! What depends on that arrangement alone is found once and kept while the columns pass by: the targets of
//! the row side's steps and captures, each with the symmetry that brings it to its own row.

use std::ops::ControlFlow;

use crate::board::{Bitboard, POINTS};
use crate::index::{
    Column, Index, Location, Mover, PairLayout, PlainLayout, RowBlock, RowTarget, Slots, extract,
};
use crate::material::{Material, Pair};
use crate::moves::{Chain, for_each_chain};
use crate::rules::{Rules, SideGeometry};
use crate::solve::values::PairWork;

/// A position of the arrangement in work.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// The column side's arrangement.
    pub column: Slots,
    /// Its points.
    pub occupied: Bitboard,
    /// Where the position stands.
    pub location: Location,
}

/// A position after a capture: the other side is to move.
#[derive(Clone, Copy, Debug)]
pub enum Captured {
    /// It has no stone left.
    All,
    /// It is to move in a smaller slice.
    Smaller(Material, Location),
}

/// A step of the row side: the point that must be empty, and where it leads.
struct StepTarget {
    to: Bitboard,
    target: RowTarget,
}

/// Targets by a small key, forgotten when the arrangement changes.
struct Targets {
    generation: u32,
    entries: Vec<(u32, Option<RowTarget>)>,
}

impl Targets {
    fn new(keys: usize) -> Targets {
        Targets { generation: 0, entries: vec![(0, None); keys] }
    }

    fn forget(&mut self) {
        self.generation += 1;
    }

    #[inline]
    fn get(&mut self, key: usize, find: impl FnOnce() -> RowTarget) -> RowTarget {
        let (generation, target) = &mut self.entries[key];
        if *generation != self.generation {
            *generation = self.generation;
            *target = None;
        }
        *target.get_or_insert_with(find)
    }
}

/// The row in work, and the arrangement in it.
pub struct Kernel<'a> {
    layout: &'a PairLayout,
    /// The layout again, if stones have no states.
    plain: Option<PlainLayout<'a>>,
    rules: &'static Rules,
    smaller: Vec<Vec<Option<&'a PairLayout>>>,
    row: u32,
    occupied: Bitboard,
    /// All columns of the row, when the stones have states; else they are made as they are needed.
    columns: Vec<Column>,
    len: u32,
    /// The number of the row side's states, and the arrangement that it means.
    code: u32,
    own: Slots,
    steps: Vec<StepTarget>,
    /// Rows after a chain of the row side, by its ends.
    moved: Targets,
    /// Rows after the column side captured, by the set of captured stones.
    thinned: Targets,
}

impl<'a> Kernel<'a> {
    /// A kernel for the pair in work.
    pub fn of(work: &PairWork<'a>) -> Kernel<'a> {
        Kernel::new(work.index, work.layout.pair())
    }

    fn new(index: &'a Index, pair: Pair) -> Kernel<'a> {
        let a = pair.larger();
        let mut smaller = vec![vec![None; a + 1]; a + 1];
        for material in pair.captures_lead_to() {
            let pair = material.pair();
            smaller[pair.larger()][pair.smaller()] = Some(&**index.layout(pair));
        }
        let layout = &**index.layout(pair);
        Kernel {
            layout,
            plain: layout.plain(),
            rules: layout.rules(),
            smaller,
            row: 0,
            occupied: Bitboard::EMPTY,
            columns: Vec::new(),
            len: 0,
            code: 0,
            own: 0,
            steps: Vec::new(),
            moved: Targets::new(POINTS * POINTS),
            thinned: Targets::new(1 << a),
        }
    }

    /// Goes to `row`; an arrangement must be selected next.
    pub fn enter(&mut self, row: u32) {
        self.row = row;
        self.occupied = self.layout.rows().placement(row);
        self.len = self.layout.column_count(row);
        if self.plain.is_none() {
            self.layout.columns(row, &mut self.columns);
        }
    }

    /// How many arrangements the row has: combinations of its stones' states.
    pub fn arrangements(&self) -> u32 {
        self.layout.row_slots().state_count(self.occupied)
    }

    /// Goes to the arrangement with the number `code` in the row.
    pub fn select(&mut self, code: u32) {
        let slots = self.layout.row_slots();
        self.code = code;
        self.own = slots.with_states(self.occupied, code);
        self.moved.forget();
        self.thinned.forget();
        self.steps.clear();
        for (slot, from, steps) in slots.steps(self.rules, self.own) {
            for to in (steps & !self.occupied).iter() {
                let target = self.layout.target(self.own & !slot | slots.stepped(from, to));
                self.steps.push(StepTarget { to: Bitboard::of(to), target });
            }
        }
    }

    /// How many columns the arrangement has.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// The position in the column with this number.
    #[inline]
    pub fn placed(&self, number: u32) -> Placed {
        let column = match self.plain {
            Some(plain) => plain.column(!self.occupied, number),
            None => self.columns[number as usize],
        };
        let location = Location { row: self.row, offset: column.offset(self.code) };
        Placed { column: column.slots, occupied: column.occupied, location }
    }

    /// Calls `work` with every position of the arrangement whose bit is set; `marked` gives the bits of each
    /// word of the row.
    #[inline]
    pub fn for_each_marked(
        &mut self,
        marked: impl Fn(usize) -> u64,
        mut work: impl FnMut(&mut Self, Placed),
    ) {
        if self.plain.is_none() {
            for number in 0..self.len {
                let placed = self.placed(number);
                let (word, bit) = (placed.location.offset as usize / 64, placed.location.offset % 64);
                if marked(word) >> bit & 1 != 0 {
                    work(self, placed);
                }
            }
            return;
        }
        // Without states offsets are columns: words without a marked position are passed over.
        for word in 0..self.len.div_ceil(64) {
            let mut rest = marked(word as usize);
            while rest != 0 {
                let placed = self.placed(64 * word + rest.trailing_zeros());
                rest &= rest - 1;
                work(self, placed);
            }
        }
    }

    /// The rules that are played.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    fn geometry(&self, mover: Mover) -> &'static SideGeometry {
        self.layout.geometry(mover)
    }

    /// Whether `mover` can capture.
    #[inline]
    pub fn can_capture(&self, mover: Mover, placed: &Placed) -> bool {
        let (own, opponent) = match mover {
            Mover::RowSide => (self.occupied, placed.occupied),
            Mover::ColumnSide => (placed.occupied, self.occupied),
        };
        !self.geometry(mover).jumpers(own, opponent).is_empty()
    }

    /// Calls `visit` with every position that a step of `mover` leads to, until it breaks. Does not check
    /// whether the mover must capture instead.
    #[inline]
    pub fn for_each_step<B>(
        &self,
        mover: Mover,
        placed: &Placed,
        mut visit: impl FnMut(Location) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match mover {
            Mover::RowSide => {
                for step in &self.steps {
                    if (step.to & placed.occupied).is_empty() {
                        visit(self.layout.location(&step.target, placed.column))?;
                    }
                }
            }
            Mover::ColumnSide => {
                let slots = self.layout.column_slots();
                let own = self.layout.stay(self.row, self.code);
                let empty = !(self.occupied | placed.occupied);
                for (slot, from, steps) in slots.steps(self.rules, placed.column) {
                    for to in (steps & empty).iter() {
                        let column = placed.column & !slot | slots.stepped(from, to);
                        visit(self.layout.location(&own, column))?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether `mover` has a step.
    pub fn has_step(&self, mover: Mover, placed: &Placed) -> bool {
        self.for_each_step(mover, placed, |_| ControlFlow::Break(())).is_break()
    }

    /// Calls `visit` with every position that a capture of `mover` leads to, until it breaks.
    #[inline]
    pub fn for_each_capture<B>(
        &mut self,
        mover: Mover,
        placed: &Placed,
        mut visit: impl FnMut(Captured) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let geometry = self.geometry(mover);
        match mover {
            Mover::RowSide => for_each_chain(geometry, self.occupied, placed.occupied, |chain| {
                visit(self.after_row_side(placed, chain))
            }),
            Mover::ColumnSide => for_each_chain(geometry, placed.occupied, self.occupied, |chain| {
                visit(self.after_column_side(placed, chain))
            }),
        }
    }

    fn smaller(&self, material: Material) -> Option<&'a PairLayout> {
        let pair = material.pair();
        self.smaller[pair.larger()][pair.smaller()]
    }

    /// The row side moved one stone, and the column side lost some: the larger side stays the row side.
    fn after_row_side(&mut self, placed: &Placed, chain: &Chain) -> Captured {
        let left = self.layout.pair().smaller() - chain.captured().count();
        let Some(material) = Material::new(left, self.layout.pair().larger()) else { return Captured::All };
        let Some(layout) = self.smaller(material) else { return Captured::All };
        let (from, to) = (chain.from(), chain.to());
        let own = self.own;
        let target = self.moved.get(from.index() * POINTS + to.index(), || {
            let slots = layout.row_slots();
            layout.target(own & !slots.slots_on(Bitboard::of(from)) | slots.free_on(to))
        });
        let column = placed.column & !layout.column_slots().slots_on(chain.captured());
        Captured::Smaller(material, layout.location(&target, column))
    }

    /// The column side moved one stone, and the row side lost some: if it has fewer stones now, the sides
    /// swap roles.
    fn after_column_side(&mut self, placed: &Placed, chain: &Chain) -> Captured {
        let (a, b) = (self.layout.pair().larger(), self.layout.pair().smaller());
        let left = a - chain.captured().count();
        let Some(material) = Material::new(left, b) else { return Captured::All };
        let Some(layout) = self.smaller(material) else { return Captured::All };
        let (from, to) = (Bitboard::of(chain.from()), chain.to());
        let slots = layout.column_slots();
        let column = placed.column & !slots.slots_on(from) | slots.free_on(to);
        let row = self.own & !layout.row_slots().slots_on(chain.captured());
        if left >= b {
            let key = extract(chain.captured().bits(), self.occupied.bits()) as usize;
            let target = self.thinned.get(key, || layout.target(row));
            Captured::Smaller(material, layout.location(&target, column))
        } else {
            let (row, column) = (slots.turned(column), layout.row_slots().turned(row));
            Captured::Smaller(material, layout.location(&layout.target(row), column))
        }
    }
}

/// Calls `work` for every arrangement of the rows in `block`, each selected in turn.
pub fn for_each_arrangement<'a>(
    kernel: &mut Kernel<'a>,
    block: &RowBlock,
    mut work: impl FnMut(&mut Kernel<'a>),
) {
    for row in block.rows.clone() {
        kernel.enter(row);
        for code in 0..kernel.arrangements() {
            kernel.select(code);
            work(kernel);
        }
    }
}
