//! Moves as people and other programs write them.

use winnow::Parser;
use winnow::combinator::{preceded, repeat};
use winnow::error::{ContextError, ErrMode};
use winnow::token::one_of;

use crate::board::Point;
use crate::moves::{Move, playable_moves};
use crate::position::{Position, shown};
use crate::rules::Rules;

/// Why a text names no move of a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum NotationError {
    #[error("'{0}' is not a move; write c2-c3 for a step and c3xc5xe3 for a capture")]
    NotAMove(String),
    #[error("the move is not legal here{}", .legal.as_ref().map_or(String::new(), |legal| format!("; {legal} is")))]
    NotLegal { legal: Option<String> },
    #[error("the move is ambiguous: {0} and {1} both fit")]
    Ambiguous(String, String),
}

/// The points of a move as it is written: separated by `-`, `x`, `:`, `*`, `×` or a dash, or not at all.
/// Letters can be of either case.
pub(super) fn points(text: &str) -> Option<Vec<Point>> {
    type Error = ErrMode<ContextError>;
    let point = || {
        (one_of(|c: char| matches!(c.to_ascii_lowercase(), 'a'..='e')), one_of('1'..='5')).verify_map(
            |(file, rank): (char, char)| {
                let file = file.to_ascii_lowercase() as usize - 'a' as usize;
                Point::at(file, rank as usize - '1' as usize)
            },
        )
    };
    let separator = winnow::combinator::opt(one_of(['-', 'x', 'X', ':', '*', '×', '–', '—', '−']));
    let mut path = (point(), repeat(1.., preceded(separator, point())));
    let parsed: Result<(Point, Vec<Point>), _> = Parser::<&str, _, Error>::parse(&mut path, text);
    parsed.ok().map(|(first, rest)| std::iter::once(first).chain(rest).collect())
}

/// The legal move of `position` that `text` names.
///
/// A capture may leave out landing points, as in `c4xa2` for `c4xc2xa2`, or end early, as long as what is
/// written fits one legal move only. A move that is written in full comes first, then one with the same ends,
/// then one that passes the given points. Moves that lead to the same position count as one.
///
/// # Errors
/// [`NotationError`] when the text is no move, or fits no legal move or several.
pub fn find_move(rules: &Rules, position: &Position, text: &str) -> Result<Move, NotationError> {
    let path = points(text.trim()).ok_or_else(|| NotationError::NotAMove(shown(text)))?;
    let legal = playable_moves(rules, position);
    if let Some(&exact) = legal.iter().find(|mv| mv.path() == path) {
        return Ok(exact);
    }
    let passes = |mv: &&Move| {
        let mut rest = mv.path().iter();
        mv.is_capture() && mv.from() == path[0] && path.iter().all(|point| rest.any(|on| on == point))
    };
    let ends = |mv: &&Move| Some(&mv.to()) == path.last();
    let fitting: Vec<&Move> = legal.iter().filter(passes).collect();
    let same_end: Vec<&Move> = fitting.iter().copied().filter(ends).collect();
    let fitting = if same_end.is_empty() { fitting } else { same_end };
    let Some((&first, others)) = fitting.split_first() else {
        // With one legal move there is little doubt what was meant.
        let legal = if let [only] = &legal[..] { Some(only.to_string()) } else { None };
        return Err(NotationError::NotLegal { legal });
    };
    let after = position.play(rules, first);
    match others.iter().find(|mv| position.play(rules, mv) != after) {
        Some(other) => Err(NotationError::Ambiguous(first.to_string(), other.to_string())),
        None => Ok(*first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::CLASSIC;

    fn find(position: &str, text: &str) -> Result<String, String> {
        let position = Position::parse(&CLASSIC, position).unwrap();
        find_move(&CLASSIC, &position, text).map(|mv| mv.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn other_programs_are_understood() {
        for text in ["d2-c3", "d2c3", "D2-C3", "d2–c3", "d2xc3", " d2-c3 "] {
            assert_eq!(find("start", text).as_deref(), Ok("d2-c3"), "{text}");
        }
        assert_eq!(find("5/2b2/2w2/5/5 w", "c3:c5").as_deref(), Ok("c3xc5"));
    }

    #[test]
    fn chains_can_be_abbreviated() {
        let twice = "5/5/w4/1b1b1/5 w";
        for text in ["a3xc1xe3", "a3xe3", "a3-e3", "a3xc1", "a3c1"] {
            assert_eq!(find(twice, text).as_deref(), Ok("a3xc1xe3"), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(find("start", "castle").unwrap_err().contains("'castle' is not a move"));
        assert!(find("start", "c3").unwrap_err().contains("'c3' is not a move"));
        assert!(find("start", "a1-a2").unwrap_err().contains("not legal"));
        assert!(find("5/5/w4/1b1b1/5 w", "a3-a2").unwrap_err().contains("a3xc1xe3 is"));
        let fork = "5/1b1b1/5/1b1b1/w3w w";
        assert_eq!(find(fork, "a1xc3").unwrap_err(), "the move is ambiguous: a1xc3xe5 and a1xc3xa5 both fit");
        assert_eq!(find(fork, "a1xa5").as_deref(), Ok("a1xc3xa5"));
        // Two ways round that lead to the same position are one.
        assert_eq!(find("5/1b1b1/5/1b1b1/2w2 w", "c1xc1").as_deref(), Ok("c1xe3xc5xa3xc1"));
    }
}
