//! Exercises: positions from the tables in which one move alone keeps the value.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Insight, Knowledge, KnowledgeError, Known};
use crate::material::Material;
use crate::position::Position;
use crate::table::{Metric, Value};
use crate::tablebase::ProbeError;

/// How many positions are tried for an exercise.
const MOST_TRIES: u64 = 200_000;

/// What an exercise is to be like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wish {
    /// The stones of the side to move and of the other side.
    pub material: Material,
    /// What the side to move is to reach: a win or a draw.
    pub goal: Value,
    /// The fewest plies to the end of the win, or to its next capture where the end is not known.
    pub least: u16,
    /// The most plies.
    pub most: u16,
}

impl Knowledge {
    /// A position of the wished kind, and what is known about its moves: exactly one of several legal moves,
    /// the first, reaches the goal. The same seed finds the same position in the same tables. `None` when
    /// no such position was found among 200,000, or `stop` was set.
    ///
    /// # Errors
    /// [`KnowledgeError`] when there is no table for the material, or for what its captures lead to, or one
    /// is damaged.
    pub fn exercise(
        &self,
        wish: &Wish,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Option<(Position, Insight)>, KnowledgeError> {
        let tables = self.tables().ok_or(KnowledgeError::NoTables { rules: self.rules().name() })?;
        tables.table(wish.material, Metric::Wdl)?;
        let layout = tables.index().layout(wish.material.pair());
        let mut random = Random(seed);
        for _ in 0..MOST_TRIES {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let entry = random.below(layout.entries());
            let position = layout.position(wish.material, layout.location_of(entry));
            let goes_on = || !stop.load(Ordering::Relaxed);
            let found = match tables.probe_value_while(&position, goes_on) {
                Ok(value) if value != wish.goal => continue,
                Ok(_) => self.look_up_while(&position, &[], goes_on),
                Err(error) => Err(error.into()),
            };
            match found {
                Ok(insight) if wish.fits(&insight) => return Ok(Some((position, insight))),
                Ok(_) => {}
                Err(KnowledgeError::Probe(ProbeError::Stopped)) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

impl Wish {
    fn fits(&self, insight: &Insight) -> bool {
        let reaches = |known: Option<Known>| known.and_then(Known::value) == Some(self.goal);
        let [first, second, ..] = insight.moves.as_slice() else { return false };
        if !reaches(first.known) || reaches(second.known) {
            return false;
        }
        let verdict = insight.known.and_then(|known| known.worth.verdict());
        let plies = verdict.and_then(|verdict| verdict.ranking_distance());
        // Draws have no distance.
        plies.is_none_or(|plies| (self.least..=self.most).contains(&plies))
    }
}

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `limit`, which is at least 1.
    fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::CLASSIC;

    #[test]
    fn one_move_alone_reaches_the_goal() {
        let knowledge = Knowledge::open("tables", &CLASSIC).unwrap();
        let stop = AtomicBool::new(false);
        for (goal, least, most) in [(Value::Win, 5, 15), (Value::Win, 20, 60), (Value::Draw, 0, u16::MAX)] {
            let wish = Wish { material: Material::new(2, 2).unwrap(), goal, least, most };
            for seed in 0..5 {
                let (position, insight) = knowledge.exercise(&wish, seed, &stop).unwrap().unwrap();
                assert_eq!(insight.value(), Some(goal));
                let reaching =
                    insight.moves.iter().filter(|mv| mv.known.and_then(Known::value) == Some(goal));
                assert_eq!(reaching.count(), 1, "{position}");
                assert!(insight.moves.len() > 1);
                let verdict = knowledge.verdict(&position).unwrap();
                assert!(goal == Value::Draw || (least..=most).contains(&verdict.plies_to_end().unwrap()));
                assert_eq!(knowledge.exercise(&wish, seed, &stop).unwrap().unwrap().0, position);
            }
        }
        let impossible =
            Wish { material: Material::new(1, 1).unwrap(), goal: Value::Win, least: 500, most: 600 };
        assert!(knowledge.exercise(&impossible, 1, &stop).unwrap().is_none());
        let missing = Wish { material: Material::new(5, 4).unwrap(), ..impossible };
        assert!(knowledge.exercise(&missing, 1, &stop).unwrap_err().is_lack_of_tables());
    }
}
