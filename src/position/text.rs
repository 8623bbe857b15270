//! The text form of positions.

use std::fmt;

use super::{Position, PositionError};
use crate::board::text::{parse_points, parse_ranks, ranks, shown};
use crate::board::{POINTS, ParseBoardError, ParsePointError};
use crate::rules::{Rules, Side};

/// Why a text is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum ParsePositionError {
    #[error("the position is empty; write for instance 5/1b3/2w2/5/5 w, or start")]
    Empty,
    #[error(transparent)]
    Board(#[from] ParseBoardError),
    #[error("the side to move is missing; write w or b after the board")]
    NoSide,
    #[error("'{0}' is no side to move; write w or b")]
    Side(String),
    #[error("'{0}' is no forbidden step; write steps like d3-c3, separated by commas, or -")]
    ForbiddenStep(String),
    #[error(transparent)]
    Point(#[from] ParsePointError),
    #[error("'{0}' is no ply counter; write a whole number")]
    Counter(String),
    #[error("'{0}' follows the ply counter; nothing may")]
    Trailing(String),
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl Position {
    /// Reads a position: `start`, or the board from rank 5 to rank 1 with `/` between ranks (stones `w` and
    /// `b`, digits for runs of empty points), or the 25 points from a1 to e5 (`-` for an empty point, spaces
    /// anywhere); then the side to move; then, optionally, the forbidden steps and the ply counter.
    ///
    /// ```
    /// use alquerque::{position::Position, rules::QIRKAT};
    ///
    /// let long = Position::parse(&QIRKAT, "5/5/3b1/5/3w1 b d1-e1 0").unwrap();
    /// let short = Position::parse(&QIRKAT, "---w- ----- ---b- ----- ----- b d1-e1").unwrap();
    /// assert_eq!(long, short);
    /// ```
    ///
    /// # Errors
    /// [`ParsePositionError`] with a sentence for the user.
    pub fn parse(rules: &Rules, text: &str) -> Result<Position, ParsePositionError> {
        let mut fields = text.split_whitespace().peekable();
        let first = *fields.peek().ok_or(ParsePositionError::Empty)?;
        if first == "start" {
            fields.next();
            return match fields.next() {
                None => Ok(Position::start(rules)),
                Some(rest) => Err(ParsePositionError::Trailing(shown(rest))),
            };
        }
        let [white, black] = if first.contains('/') {
            fields.next();
            parse_ranks(first)?
        } else {
            let mut points = String::new();
            while points.chars().count() < POINTS
                && let Some(field) = fields.next()
            {
                points.push_str(field);
            }
            parse_points(&points)?
        };
        let side = match fields.next() {
            Some("w") => Side::White,
            Some("b") => Side::Black,
            Some(other) => return Err(ParsePositionError::Side(shown(other))),
            None => return Err(ParsePositionError::NoSide),
        };
        let mut position = Position::new(white, black, side)?;
        let forbidden = fields.next().unwrap_or("-");
        if forbidden != "-" {
            for step in forbidden.split(',') {
                let parts = step.split_once('-');
                let (from, to) = parts.ok_or_else(|| ParsePositionError::ForbiddenStep(shown(step)))?;
                position = position.forbid(rules, from.parse()?, to.parse()?)?;
            }
        }
        let counter = fields.next().unwrap_or("0");
        let plies: u64 = counter.parse().map_err(|_| ParsePositionError::Counter(shown(counter)))?;
        match fields.next() {
            None => Ok(position.with_plies(rules, plies)?),
            Some(rest) => Err(ParsePositionError::Trailing(shown(rest))),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&ranks([self.white, self.black]))?;
        f.write_str(match self.side {
            Side::White => " w ",
            Side::Black => " b ",
        })?;
        let mut steps = self.forbidden_steps().peekable();
        if steps.peek().is_none() {
            f.write_str("-")?;
        }
        for (index, (from, to)) in steps.enumerate() {
            write!(f, "{}{from}-{to}", if index == 0 { "" } else { "," })?;
        }
        write!(f, " {}", self.plies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{BRAINKING, CLASSIC, YOUZAI};

    fn error(rules: &Rules, text: &str) -> String {
        Position::parse(rules, text).unwrap_err().to_string()
    }

    #[test]
    fn text_forms_agree() {
        let start = Position::start(&CLASSIC);
        for text in [
            "start",
            "bbbbb/bbbbb/bb1ww/wwwww/wwwww w - 0",
            "bbbbb/bbbbb/bb1ww/wwwww/wwwww w",
            "wwwww wwwww bb-ww bbbbb bbbbb w",
            "wwwwwwwwwwbb-wwbbbbbbbbbb w - 0",
        ] {
            assert_eq!(Position::parse(&CLASSIC, text), Ok(start), "{text}");
        }
        assert_eq!(start.colours_swapped().colours_swapped(), start);
        assert_eq!(start.colours_swapped().white(), start.white());
        assert_eq!(Position::start(&YOUZAI).side(), Side::Black);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (text, part) in [
            ("", "empty"),
            ("5/5/5/5 w", "4 ranks"),
            ("5/5/5/5/5/5 w", "6 ranks"),
            ("5/5/5/5/4 w", "4 points"),
            ("5/5/5w/5/5 w", "6 points"),
            ("wwwwwwwwwwbb-wwbbbbbbbbbbb w", "26 points"),
            ("wwwww wwwww w", "11 points"),
            ("5/5/2x2/5/5 w", "unknown letter 'x'"),
            ("5/5/é4/5/5 w", "unknown letter 'é'"),
            ("5/5/5/5/5 w", "no stone"),
            ("wwwww/wwwww/www2/5/5 w", "White has 13 stones"),
            ("5/5/2w2/5/5", "side to move is missing"),
            ("5/5/2w2/5/5 x", "'x' is no side"),
            ("5/5/2w2/5/5 w c3-d3", "no forbidden steps"),
            ("5/5/2w2/5/5 w - 3", "no ply counter"),
            ("5/5/2w2/5/5 w - x", "'x' is no ply counter"),
            ("5/5/2w2/5/5 w - -1", "'-1' is no ply counter"),
            ("5/5/2w2/5/5 w - 0 0", "'0' follows"),
            ("start w", "'w' follows"),
        ] {
            let message = error(&CLASSIC, text);
            assert!(message.contains(part), "{text}: {message}");
        }
        for (text, part) in [
            ("5/5/2w2/5/5 w c3", "'c3' is no forbidden step"),
            ("5/5/2w2/5/5 w f3-c3", "'f3' is not a point"),
            ("5/5/2w2/5/5 w c3-c4", "same rank"),
            ("5/5/2w2/5/5 w c3-e3", "same rank"),
            ("5/5/2w2/5/5 w d3-e3", "d3 has no stone"),
            ("2w2/5/5/5/5 w c5-d5", "far rank"),
            ("5/5/5/5/2b2 w c1-d1", "far rank"),
            ("5/5/2w2/5/5 w c3-d3,c3-b3", "two forbidden steps"),
        ] {
            let message = error(&BRAINKING, text);
            assert!(message.contains(part), "{text}: {message}");
        }
        assert!(error(&YOUZAI, "5/5/2w2/5/5 w - 51").contains("counter is 51"));
        assert!(error(&YOUZAI, "5/5/2w2/5/5 w - 99999999999").contains("from 0 to 50"));
    }

    #[test]
    fn text_survives_a_round_trip() {
        for text in ["5/5/3b1/5/3w1 b d1-e1 0", "w4/5/2w2/5/b4 w c3-b3 0"] {
            assert_eq!(Position::parse(&BRAINKING, text).unwrap().to_string(), text);
        }
        let text = "5/5/3b1/5/3w1 b - 49";
        assert_eq!(Position::parse(&YOUZAI, text).unwrap().to_string(), text);
    }
}
