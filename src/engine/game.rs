//! The game that is played.

use std::fmt;

use super::command::Query;
use crate::moves::{Move, ParseMoveError, has_legal_move};
use crate::position::{ParsePositionError, Position};
use crate::rules::{Rules, Side};

/// A game: its positions from the first to the one on the board.
pub(super) struct Game {
    rules: &'static Rules,
    before: Vec<Position>,
    position: Position,
}

/// How a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GameResult {
    Won(Side),
    Drawn,
}

/// Why there is no such game.
#[derive(Debug, thiserror::Error)]
pub(super) enum GameError {
    #[error(transparent)]
    Position(#[from] ParsePositionError),
    #[error("move {number}: {error}")]
    Move { number: usize, error: ParseMoveError },
    #[error("move {number}: the game was drawn before it")]
    Over { number: usize },
}

/// So many times a position occurs in a game at most: then it is a draw.
const DRAWING_REPETITIONS: usize = 3;

impl Game {
    pub fn start(rules: &'static Rules) -> Game {
        Game { rules, before: Vec::new(), position: Position::start(rules) }
    }

    /// The game that began with `fen`, or at the start, and went on with `moves`.
    pub fn replay(rules: &'static Rules, fen: Option<&str>, moves: &[&str]) -> Result<Game, GameError> {
        let mut game = Game::start(rules);
        if let Some(fen) = fen {
            game.position = Position::parse(rules, fen)?;
        }
        for (index, text) in moves.iter().enumerate() {
            let number = index + 1;
            if game.position.is_drawn_by_counter(rules) {
                return Err(GameError::Over { number });
            }
            let mv = Move::parse(rules, &game.position, text)
                .map_err(|error| GameError::Move { number, error })?;
            game.before.push(game.position);
            game.position = game.position.play(rules, &mv);
        }
        Ok(game)
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The positions before it, oldest first.
    pub fn history(&self) -> &[Position] {
        &self.before
    }

    /// Whether `side` is the first player: the one who begins at the start.
    pub fn is_first_player(&self, side: Side) -> bool {
        side == self.rules.parameters().first_to_move
    }

    /// How the game has ended, if it has.
    pub fn result(&self) -> Option<GameResult> {
        let position = &self.position;
        if !has_legal_move(self.rules, position) {
            return Some(GameResult::Won(position.side().other()));
        }
        let repeated = self.before.iter().filter(|before| *before == position).count() + 1;
        let drawn = position.is_drawn_by_counter(self.rules) || repeated >= DRAWING_REPETITIONS;
        drawn.then_some(GameResult::Drawn)
    }

    /// The answer to a question, as UGI words it.
    pub fn answer(&self, query: Query) -> impl fmt::Display {
        let truth = |fact| if fact { "true" } else { "false" };
        match query {
            Query::GameOver => truth(self.result().is_some()),
            Query::FirstPlayersTurn => truth(self.is_first_player(self.position.side())),
            Query::Result => match self.result() {
                None => "none",
                Some(GameResult::Drawn) => "draw",
                Some(GameResult::Won(side)) if self.is_first_player(side) => "p1win",
                Some(GameResult::Won(_)) => "p2win",
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CLASSIC, YOUZAI};

    fn result(rules: &'static Rules, fen: &str, moves: &str) -> Option<GameResult> {
        let moves: Vec<&str> = moves.split_whitespace().collect();
        Game::replay(rules, Some(fen), &moves).unwrap().result()
    }

    #[test]
    fn games_end_as_the_rules_say() {
        assert_eq!(result(&CLASSIC, "start", "d2-c3"), None);
        assert_eq!(result(&CLASSIC, "5/5/5/5/b4 w", ""), Some(GameResult::Won(Side::Black)));
        let there_and_back = "a1-a2 e5-e4 a2-a1 e4-e5 ";
        assert_eq!(result(&CLASSIC, "4b/5/5/5/w4 w", there_and_back), None);
        assert_eq!(result(&CLASSIC, "4b/5/5/5/w4 w", &there_and_back.repeat(2)), Some(GameResult::Drawn));
        assert_eq!(result(&YOUZAI, "4b/5/5/5/w4 w - 49", "a1-b1"), Some(GameResult::Drawn));
        let over = Game::replay(&YOUZAI, Some("4b/5/5/5/w4 w - 49"), &["a1-b1", "e5-d5"]);
        assert!(matches!(over, Err(GameError::Over { number: 2 })));
    }

    #[test]
    fn the_first_player_is_who_begins() {
        assert!(Game::start(&CLASSIC).is_first_player(Side::White));
        assert!(Game::start(&YOUZAI).is_first_player(Side::Black));
    }
}
