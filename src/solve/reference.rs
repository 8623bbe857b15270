//! A plain solver for comparison in tests: every pass looks at every open position. It shares the kernel with
//! the sweep and with the distances to win, and nothing with the planes.

use std::ops::ControlFlow;

use super::single::{Kernel, Placed, best_value, for_each_arrangement, without_moves};
use super::values::{Distances, PairWork, value_at};
use crate::index::Mover;
use crate::table::Value;

/// Decides everything that is not a draw, with the distances to conversion, for which `work` must have room.
/// Pass *d* decides exactly the positions with a distance of *d*: it takes only distances below *d* as known.
pub fn solve(work: &PairWork) {
    let Some(dtc) = &work.dtc else { unreachable!("the reference solver needs distances to conversion") };
    each_position(work, |kernel, mover, placed| {
        let rules = kernel.rules();
        let captures = kernel.can_capture(mover, placed);
        let best = captures.then(|| best_value(kernel, mover, placed, work.slices));
        let steps_matter = !rules.captures_are_compulsory() && kernel.has_step(mover, placed);
        match best {
            Some(value) if value == Value::Win || !steps_matter => decide(work, mover, placed, value, 1),
            None if !kernel.has_step(mover, placed) => decide(work, mover, placed, without_moves(rules), 0),
            _ => {}
        }
        false
    });
    let limit = work.layout.rules().ply_limit().map_or(u16::MAX - 1, u16::from);
    for pass in 1..=limit {
        let decided = each_position(work, |kernel, mover, placed| {
            if value_at(work.layout, &work.cells[mover as usize], placed.location).is_some() {
                return false;
            }
            let value = follows(work, kernel, mover, placed, dtc, pass);
            value.inspect(|&value| decide(work, mover, placed, value, pass)).is_some()
        });
        if !decided && pass > 1 {
            break;
        }
    }
}

/// Calls `visit` with every position of the pair. Returns whether it said yes to any.
fn each_position(work: &PairWork, mut visit: impl FnMut(&mut Kernel, Mover, &Placed) -> bool) -> bool {
    let (mut kernel, mut any) = (Kernel::of(work), false);
    for mover in Mover::BOTH {
        for block in &work.blocks {
            for_each_arrangement(&mut kernel, block, |kernel| {
                for number in 0..kernel.len() {
                    let placed = kernel.placed(number);
                    any |= visit(kernel, mover, &placed);
                }
            });
        }
    }
    any
}

/// Enters the value of a position, and its distance to conversion if it has one.
fn decide(work: &PairWork, mover: Mover, placed: &Placed, value: Value, distance: u16) {
    let (word, bit) = work.layout.bit(placed.location);
    work.cells[mover as usize][word].set(bit, value);
    if let Some(dtc) = &work.dtc
        && value != Value::Draw
    {
        dtc[mover as usize].set(work.layout.entry(placed.location), distance);
    }
}

/// The value of an open position as far as it follows from successors with a distance below `pass`.
fn follows(
    work: &PairWork,
    kernel: &mut Kernel,
    mover: Mover,
    placed: &Placed,
    dtc: &[Distances; 2],
    pass: u16,
) -> Option<Value> {
    let other = mover.other() as usize;
    let mut all_won = true;
    let lost = kernel.for_each_step(mover, placed, |location| {
        let known = dtc[other].get(work.layout.entry(location)) < pass;
        match value_at(work.layout, &work.cells[other], location).filter(|_| known) {
            Some(Value::Loss) => ControlFlow::Break(()),
            value => {
                all_won &= value == Some(Value::Win);
                ControlFlow::Continue(())
            }
        }
    });
    match lost {
        ControlFlow::Break(()) => Some(Value::Win),
        ControlFlow::Continue(()) => {
            let saved = |kernel: &mut Kernel| {
                kernel.can_capture(mover, placed)
                    && best_value(kernel, mover, placed, work.slices) > Value::Loss
            };
            (all_won && !saved(kernel)).then_some(Value::Loss)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::AtomicBool;

    use std::sync::Arc;

    use super::super::monitor::Monitor;
    use super::super::values::{Cell, Kept, Room, Slices};
    use super::super::{planes, single};
    use super::*;
    use crate::board::Directions;
    use crate::index::{Index, PairLayout};
    use crate::material::Pair;
    use crate::region::Region;
    use crate::rules::{
        ALFONSO, BRAINKING, CLASSIC, Captures, Chains, MURRAY, NoMoves, QIRKAT, Rules, YOUZAI,
    };

    /// All values and distances of a pair, by the reference or by the sweep.
    fn solved<'a>(
        index: &'a Index,
        pair: Pair,
        slices: &'a Slices,
        room: &'a Room,
        by_reference: bool,
    ) -> (Vec<String>, PairWork<'a>) {
        let monitor = Monitor { progress: &(), stop: &AtomicBool::new(false) };
        let mut work = PairWork::new(index, pair, slices, room).unwrap();
        let entries = work.layout.entries();
        work.dtc = Some(Distances::of_both(entries).unwrap());
        if by_reference {
            solve(&work);
            single::solve_dtw(&mut work, &monitor).unwrap();
        } else {
            work.dtw = Some(Distances::of_both(entries).unwrap());
            single::sweep(&work, &monitor).unwrap();
        }
        let mut all = Vec::new();
        for mover in Mover::BOTH.map(|mover| mover as usize) {
            let (dtc, dtw) = (&work.dtc.as_ref().unwrap()[mover], &work.dtw.as_ref().unwrap()[mover]);
            all.extend((0..entries).map(|entry| {
                let value = value_at(work.layout, &work.cells[mover], work.layout.location_of(entry));
                // What is open is a draw.
                format!("{} {} {}", value.unwrap_or(Value::Draw), dtc.get(entry), dtw.get(entry))
            }));
        }
        (all, work)
    }

    /// Keeps a solved pair for larger ones.
    fn hold(
        slices: &mut Slices,
        layout: &Arc<PairLayout>,
        cells: [Region<Cell>; 2],
        dtw: Option<[Distances; 2]>,
    ) {
        let keep = |_, cells| Ok::<_, Infallible>(Some(Kept::Memory(cells)));
        slices.hold(layout, cells, dtw, keep).unwrap();
    }

    #[test]
    fn sweep_and_reference_agree() {
        let optional = Rules::builder("sweep-optional")
            .steps(Directions::FORWARD_AND_SIDEWAYS, false)
            .captures(Captures::Optional)
            .chains(Chains::MayStop)
            .no_return(true);
        let blocked = Rules::builder("sweep-blocked")
            .steps(Directions::FORWARD_AND_SIDEWAYS, false)
            .captures(Captures::Optional)
            .no_return(true)
            .no_moves(NoMoves::Draw);
        for rules in [&BRAINKING, &QIRKAT, optional.build().unwrap(), blocked.build().unwrap()] {
            let index = Index::new(rules);
            let (mut slices, room) = (Slices::default(), Room::default());
            for pair in Pair::up_to(3) {
                let (expected, _) = solved(&index, pair, &slices, &room, true);
                let (by_sweep, work) = solved(&index, pair, &slices, &room, false);
                for (entry, (expected, found)) in expected.iter().zip(&by_sweep).enumerate() {
                    assert_eq!(expected, found, "{} {pair} {entry}", rules.name());
                }
                let (cells, dtw) = (work.cells, work.dtw);
                hold(&mut slices, index.layout(pair), cells, dtw);
            }
        }
    }

    #[test]
    fn planes_and_reference_agree() {
        let monitor = Monitor { progress: &(), stop: &AtomicBool::new(false) };
        let forward = Rules::builder("planes-forward")
            .steps(Directions::FORWARD_AND_SIDEWAYS, false)
            .captures(Captures::Optional)
            .jumps(Directions::FORWARD_AND_SIDEWAYS, Directions::ALL)
            .ply_limit(Some(9));
        let lopsided = Rules::builder("planes-lopsided")
            .steps(Directions::from_bits(0b1001_1011), true)
            .captures(Captures::Optional)
            .no_moves(NoMoves::Draw);
        let blocked =
            Rules::builder("planes-blocked").no_moves(NoMoves::Draw).jumps(Directions::ALL, Directions::NONE);
        let stopping = Rules::builder("planes-stopping").chains(Chains::MayStop);
        let others = [forward, lopsided, blocked, stopping].map(|rules| rules.build().unwrap());
        for (rules, stones) in [(&CLASSIC, 5), (&YOUZAI, 5), (&ALFONSO, 5), (&MURRAY, 4)]
            .into_iter()
            .chain(others.map(|rules| (rules, 4)))
        {
            let index = Index::new(rules);
            let mut slices = Slices::default();
            // Lists of the pair before are used again.
            let room = Room::for_pairs(Pair::up_to(stones).iter().map(|&pair| &**index.layout(pair)));
            for pair in Pair::up_to(stones) {
                let begun = || {
                    let mut work = PairWork::new(&index, pair, &slices, &room).unwrap();
                    work.dtc = Some(Distances::of_both(work.layout.entries()).unwrap());
                    work
                };
                let (planes, reference) = (begun(), begun());
                planes::solve(&planes, &monitor).unwrap();
                solve(&reference);
                for mover in Mover::BOTH.map(|mover| mover as usize) {
                    for entry in 0..planes.layout.entries() {
                        let location = planes.layout.location_of(entry);
                        let found = |work: &PairWork| {
                            let value = value_at(work.layout, &work.cells[mover], location);
                            (value.unwrap_or(Value::Draw), work.dtc.as_ref().unwrap()[mover].get(entry))
                        };
                        assert_eq!(
                            found(&planes),
                            found(&reference),
                            "{} {pair} {mover} {entry}",
                            rules.name()
                        );
                    }
                }
                let PairWork { cells, .. } = planes;
                hold(&mut slices, index.layout(pair), cells, None);
            }
        }
    }
}
