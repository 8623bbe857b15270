//! A game: a position, the moves that led to it, and the result.

use crate::moves::{Move, ParseMoveError, has_legal_move};
use crate::position::{ParsePositionError, Position};
use crate::rules::{NoMoves, Rules, Side};

/// A game: its positions from the first to the one on the board.
#[derive(Clone, Debug)]
pub struct Game {
    rules: &'static Rules,
    before: Vec<Position>,
    moves: Vec<Move>,
    position: Position,
}

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameEnd {
    /// The side to move has no stones and loses.
    NoStone,
    /// The side to move has stones but no legal move: it loses, or the game is drawn, as the rules say.
    NoMove,
    /// The ply counter has reached its limit: the game is drawn.
    PlyLimit,
    /// The position occurs for the third time: the game is drawn.
    Repetition,
}

/// How a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameResult {
    /// Won by this side.
    Won(Side),
    /// A draw.
    Drawn,
}

/// Why a list of moves is not a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GameError {
    /// The first position is malformed or illegal.
    #[error(transparent)]
    Position(#[from] ParsePositionError),
    /// A move is not legal.
    #[error("move {number}: {error}")]
    #[allow(missing_docs)]
    Move {
        number: usize,
        #[source]
        error: ParseMoveError,
    },
    /// A move comes after the end of the game.
    #[error("move {number}: the game was drawn before it")]
    #[allow(missing_docs)]
    Over { number: usize },
}

/// A game is drawn when a position occurs for this time.
pub const DRAWING_REPETITIONS: usize = 3;

impl Game {
    /// The game from the start position.
    pub fn start(rules: &'static Rules) -> Game {
        Game::from_position(rules, Position::start(rules))
    }

    /// The game that begins with `position`.
    pub fn from_position(rules: &'static Rules, position: Position) -> Game {
        Game { rules, before: Vec::new(), moves: Vec::new(), position }
    }

    /// The game from `fen`, or from the start position, with these `moves`.
    ///
    /// # Errors
    /// [`GameError`] if the position is malformed or illegal, or a move is illegal or comes after a draw by
    /// the ply counter.
    pub fn replay<'a>(
        rules: &'static Rules,
        fen: Option<&str>,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<Game, GameError> {
        let first = fen.map_or_else(|| Ok(Position::start(rules)), |fen| Position::parse(rules, fen))?;
        match Game::replay_legal_part(rules, first, moves) {
            (game, None) => Ok(game),
            (_, Some(error)) => Err(error),
        }
    }

    /// The game that began with `first` and went on with `moves`, up to the first one that cannot be played;
    /// and why it cannot.
    pub fn replay_legal_part<'a>(
        rules: &'static Rules,
        first: Position,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> (Game, Option<GameError>) {
        let mut game = Game::from_position(rules, first);
        for (index, text) in moves.into_iter().enumerate() {
            let number = index + 1;
            if game.position.is_drawn_by_counter(rules) {
                return (game, Some(GameError::Over { number }));
            }
            match Move::parse(rules, &game.position, text) {
                Ok(mv) => game.play(mv),
                Err(error) => return (game, Some(GameError::Move { number, error })),
            }
        }
        (game, None)
    }

    /// Plays a legal move of the position on the board.
    pub fn play(&mut self, mv: Move) {
        self.before.push(self.position);
        self.moves.push(mv);
        self.position = self.position.play(self.rules, &mv);
    }

    /// Takes the last move back. Returns `false` if there is none.
    pub fn take_back(&mut self) -> bool {
        self.moves.pop();
        match self.before.pop() {
            Some(before) => {
                self.position = before;
                true
            }
            None => false,
        }
    }

    /// The rules of the game.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The positions before it, oldest first.
    pub fn history(&self) -> &[Position] {
        &self.before
    }

    /// The moves that were played, oldest first.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Whether `side` is the first player, who moves first in the start position.
    pub fn is_first_player(&self, side: Side) -> bool {
        side == self.rules.parameters().first_to_move
    }

    /// Why the game is over, if it is. A player with no stones or no legal move loses; this takes precedence
    /// over any draw.
    pub fn end(&self) -> Option<GameEnd> {
        let position = &self.position;
        if !has_legal_move(self.rules, position) {
            return Some(if position.own().is_empty() { GameEnd::NoStone } else { GameEnd::NoMove });
        }
        if position.is_drawn_by_counter(self.rules) {
            return Some(GameEnd::PlyLimit);
        }
        let repeated = self.before.iter().filter(|before| *before == position).count() + 1;
        (repeated >= DRAWING_REPETITIONS).then_some(GameEnd::Repetition)
    }

    /// How the game has ended, if it has.
    pub fn result(&self) -> Option<GameResult> {
        Some(match self.end()? {
            GameEnd::NoMove if self.rules.no_moves() == NoMoves::Draw => GameResult::Drawn,
            GameEnd::NoStone | GameEnd::NoMove => GameResult::Won(self.position.side().other()),
            GameEnd::PlyLimit | GameEnd::Repetition => GameResult::Drawn,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CLASSIC, YOUZAI};

    fn result(rules: &'static Rules, fen: &str, moves: &str) -> Option<GameResult> {
        Game::replay(rules, Some(fen), moves.split_whitespace()).unwrap().result()
    }

    #[test]
    fn games_end_as_the_rules_say() {
        assert_eq!(result(&CLASSIC, "start", "d2-c3"), None);
        assert_eq!(result(&CLASSIC, "5/5/5/5/b4 w", ""), Some(GameResult::Won(Side::Black)));
        let there_and_back = "a1-a2 e5-e4 a2-a1 e4-e5 ";
        assert_eq!(result(&CLASSIC, "4b/5/5/5/w4 w", there_and_back), None);
        assert_eq!(result(&CLASSIC, "4b/5/5/5/w4 w", &there_and_back.repeat(2)), Some(GameResult::Drawn));
        assert_eq!(result(&YOUZAI, "4b/5/5/5/w4 w - 49", "a1-b1"), Some(GameResult::Drawn));
        let over = Game::replay(&YOUZAI, Some("4b/5/5/5/w4 w - 49"), ["a1-b1", "e5-d5"]);
        assert!(matches!(over, Err(GameError::Over { number: 2 })));
    }

    #[test]
    fn ends_have_reasons_and_can_be_taken_back() {
        let bare = Position::parse(&CLASSIC, "5/5/5/5/b4 w").unwrap();
        assert_eq!(Game::from_position(&CLASSIC, bare).end(), Some(GameEnd::NoStone));
        let mut game = Game::replay(&YOUZAI, Some("4b/5/5/5/w4 w - 49"), ["a1-b1"]).unwrap();
        assert_eq!(game.end(), Some(GameEnd::PlyLimit));
        assert!(game.take_back() && !game.take_back());
        assert_eq!((game.end(), game.moves().len(), game.position().plies()), (None, 0, 49));
    }

    #[test]
    fn the_first_player_is_who_begins() {
        assert!(Game::start(&CLASSIC).is_first_player(Side::White));
        assert!(Game::start(&YOUZAI).is_first_player(Side::Black));
    }
}
