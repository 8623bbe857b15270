//! What the engine says about its thinking.

use std::fmt;

use super::command::Query;
use crate::game::{Game, GameResult};
use crate::search::{Found, Proven, Score};
use crate::table::Value;

/// The answer to a question about `game`, as UGI words it.
pub(super) fn answer(game: &Game, query: Query) -> &'static str {
    let truth = |fact| if fact { "true" } else { "false" };
    match query {
        Query::GameOver => truth(game.result().is_some()),
        Query::FirstPlayersTurn => truth(game.is_first_player(game.position().side())),
        Query::Result => match game.result() {
            None => "none",
            Some(GameResult::Drawn) => "draw",
            Some(GameResult::Won(side)) if game.is_first_player(side) => "p1win",
            Some(GameResult::Won(_)) => "p2win",
        },
    }
}

/// A proven win of which the plies are not known, in hundredths of a stone.
const WIN: i32 = 20_000;

/// `info depth … score … nodes … nps … time … pv …`.
pub(super) struct Info<'a>(pub &'a Found);

impl fmt::Display for Info<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Info(found) = self;
        write!(f, "info depth {} score ", found.depth)?;
        match found.score {
            Score::Estimate(hundredths) => write!(f, "cp {hundredths}")?,
            Score::Proven(proven) => write_proven(f, proven)?,
        }
        write!(f, " nodes {} nps {}", found.nodes, found.nodes_per_second())?;
        write!(f, " time {} pv", found.time.as_millis())?;
        found.line.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}

/// As engines say it: the moves of the winner to the end where they are known.
fn write_proven(f: &mut fmt::Formatter<'_>, proven: Proven) -> fmt::Result {
    match (proven.value(), proven.within()) {
        (Value::Win, Some(plies)) => write!(f, "mate {}", plies.div_ceil(2)),
        (Value::Loss, Some(plies)) => write!(f, "mate -{}", plies / 2),
        (Value::Win, None) => write!(f, "cp {WIN}"),
        (Value::Loss, None) => write!(f, "cp -{WIN}"),
        (Value::Draw, _) => write!(f, "cp 0"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn scores_are_told_as_engines_do() {
        let info = |score| {
            let time = Duration::from_millis(20);
            Info(&Found { score, line: Vec::new(), depth: 3, nodes: 1000, time }).to_string()
        };
        let win = Score::Proven(Proven::Win { within: Some(11) });
        assert_eq!(info(win), "info depth 3 score mate 6 nodes 1000 nps 50000 time 20 pv");
        let loss = Score::Proven(Proven::Loss { within: Some(10) });
        assert!(info(loss).starts_with("info depth 3 score mate -5 "));
        assert!(info(Score::Proven(Proven::Draw)).contains("score cp 0 "));
        assert!(info(Score::Estimate(-54)).contains("score cp -54 "));
    }
}
