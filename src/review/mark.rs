//! Marks, and the figures of a player.

use std::fmt;

use super::{ReviewedMove, Worth};
use crate::rules::Side;
use crate::table::Value;

/// What a move deserves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// `!`: the only move that keeps the value, among several legal ones.
    Only,
    /// `?`: a win that got longer than necessary, by the threshold or more.
    Slow,
    /// `??`: a win became a draw or a loss, or a draw a loss.
    Blunder,
}

impl Mark {
    pub(super) fn of(
        before: &Worth,
        after: &Worth,
        keeping: Option<usize>,
        legal: usize,
        lost: Option<u16>,
        threshold: u16,
    ) -> Option<Mark> {
        let (had, left) = (before.value()?, after.value()?);
        match () {
            () if left < had => Some(Mark::Blunder),
            () if keeping == Some(1) && legal > 1 => Some(Mark::Only),
            () if had == Value::Win && lost.is_some_and(|plies| plies > 0 && plies >= threshold) => {
                Some(Mark::Slow)
            }
            () => None,
        }
    }

    /// The mark as it is written behind a move.
    pub const fn text(self) -> &'static str {
        match self {
            Mark::Only => "!",
            Mark::Slow => "?",
            Mark::Blunder => "??",
        }
    }

    /// The number of the annotation glyph.
    pub const fn nag(self) -> u8 {
        match self {
            Mark::Only => 1,
            Mark::Slow => 2,
            Mark::Blunder => 4,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The figures of a player.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Moves.
    pub moves: usize,
    /// Moves whose value is known, before and after.
    pub known: usize,
    /// Positions in which one move alone kept the value, among several legal ones.
    pub only_moves: usize,
    /// How often that move was found.
    pub only_moves_found: usize,
    /// The plies that threw the result away: a win or draw became worse.
    pub thrown_away: Vec<usize>,
    /// Wins that got longer than necessary, by the threshold or more.
    pub slow: usize,
    /// Plies lost altogether by moves that kept a win.
    pub plies_lost: u32,
}

impl Summary {
    pub(super) fn of(moves: &[ReviewedMove], side: Side) -> Summary {
        let mut summary = Summary::default();
        for mv in moves.iter().filter(|mv| mv.side == side) {
            summary.moves += 1;
            summary.known += usize::from(mv.value.value().is_some() && mv.best_value.value().is_some());
            summary.only_moves += usize::from(mv.keeping == Some(1) && mv.legal > 1);
            match mv.mark {
                Some(Mark::Only) => summary.only_moves_found += 1,
                Some(Mark::Blunder) => summary.thrown_away.push(mv.ply),
                Some(Mark::Slow) => summary.slow += 1,
                None => {}
            }
            if mv.value.value() == Some(Value::Win) {
                summary.plies_lost += u32::from(mv.lost.unwrap_or(0));
            }
        }
        summary
    }
}

impl fmt::Display for Summary {
    /// A sentence: `12 moves, 2 of 3 only moves found, result thrown away at ply 9, 14 plies lost`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} moves, {} of known value", self.moves, self.known)?;
        if self.only_moves > 0 {
            write!(f, ", {} of {} only moves found", self.only_moves_found, self.only_moves)?;
        }
        if !self.thrown_away.is_empty() {
            let plies: Vec<String> = self.thrown_away.iter().map(ToString::to_string).collect();
            let word = if plies.len() == 1 { "ply" } else { "plies" };
            write!(f, ", result thrown away at {word} {}", plies.join(", "))?;
        }
        if self.plies_lost > 0 {
            write!(f, ", wins made {} plies longer", self.plies_lost)?;
        }
        Ok(())
    }
}
