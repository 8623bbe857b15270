//! Which moves to try first.

use crate::board::POINTS;
use crate::moves::Move;
use crate::rules::Side;

/// A move to be tried.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub mv: Move,
    /// Its number in the order of generation.
    pub number: u8,
    /// The higher the sooner it is tried.
    pub merit: u32,
}

const BEST_BEFORE: u32 = u32::MAX;
const CAPTURED_STONE: u32 = 1 << 26;
const REFUTATION: u32 = 1 << 25;
const MOST_MERIT: u32 = 1 << 24;

/// What earlier nodes teach about moves: which of them refuted others at the same ply, and which did so
/// anywhere.
pub(super) struct Experience {
    refutations: Vec<[Option<Move>; 2]>,
    merits: Vec<u32>,
}

fn place(side: Side, mv: &Move) -> usize {
    (side as usize * POINTS + mv.from().index()) * POINTS + mv.to().index()
}

impl Experience {
    pub fn new(plies: usize) -> Experience {
        Experience { refutations: vec![[None; 2]; plies], merits: vec![0; 2 * POINTS * POINTS] }
    }

    /// How promising `mv` is at `ply`; `best_before` is the number of the best move found earlier.
    #[inline]
    pub fn merit(&self, side: Side, ply: usize, mv: &Move, number: u8, best_before: Option<u8>) -> u32 {
        if best_before == Some(number) {
            BEST_BEFORE
        } else if mv.is_capture() {
            mv.captured().count() as u32 * CAPTURED_STONE
        } else if self.refutations[ply].contains(&Some(*mv)) {
            REFUTATION
        } else {
            self.merits[place(side, mv)]
        }
    }

    /// The step `mv` was good enough to cut the search of a node at `ply` short.
    pub fn learn(&mut self, side: Side, ply: usize, mv: &Move, depth: i32) {
        let [first, second] = &mut self.refutations[ply];
        if *first != Some(*mv) {
            *second = first.replace(*mv);
        }
        let merit = &mut self.merits[place(side, mv)];
        *merit += (depth * depth) as u32;
        if *merit > MOST_MERIT {
            self.merits.iter_mut().for_each(|merit| *merit /= 2);
        }
    }
}

/// Brings the best of `candidates` to the front.
#[inline]
pub(super) fn best_first(candidates: &mut [Candidate]) {
    let mut best = 0;
    for index in 1..candidates.len() {
        if candidates[index].merit > candidates[best].merit {
            best = index;
        }
    }
    candidates.swap(0, best);
}
