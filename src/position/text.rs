//! The text form of positions.

use std::fmt;

use super::{Position, PositionError, picture};
use crate::board::text::{parse_points, parse_ranks, ranks, shown};
use crate::board::{Bitboard, POINTS, ParseBoardError, ParsePointError, SIDE_LENGTH};
use crate::rules::{Rules, Side};

/// Why a text is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum ParsePositionError {
    #[error("the position is empty; write for instance 5/1b3/2w2/5/5 w, or start")]
    Empty,
    #[error(transparent)]
    Board(#[from] ParseBoardError),
    #[error(
        "a board on several lines has one rank of {SIDE_LENGTH} points on each line, rank 5 first, but a line \
         reads '{0}'"
    )]
    Picture(String),
    #[error("the ranks of the board are numbered neither from 5 down to 1 nor from 1 up to 5")]
    RankNumbers,
    #[error("the side to move is missing; write w or b after the board")]
    NoSide,
    #[error("invalid side to move '{0}'; write w or b")]
    Side(String),
    #[error("invalid forbidden step '{0}'; write steps like d3-c3, separated by commas, or -")]
    ForbiddenStep(String),
    #[error(transparent)]
    Point(#[from] ParsePointError),
    #[error("invalid ply counter '{0}'; write a whole number like 0 or 12")]
    Counter(String),
    #[error("unexpected '{0}' at the end of the position")]
    Trailing(String),
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl Position {
    /// Reads a position: the word `start`, or a board, then the side to move, then, optionally, the forbidden
    /// steps and the ply counter. The board is written in one of three ways, with stones `w` and `b`:
    ///
    /// - from rank 5 to rank 1 with `/` between ranks and digits for runs of empty points;
    /// - as the 25 points from a1 to e5 on one line, with `-` for empty points and spaces anywhere;
    /// - as a picture, one rank on each line, **rank 5 first**, with `-` for empty points. Numbers in front
    ///   of the ranks, the names of the files and lines of `=` are understood, as other Qirkat programs print
    ///   them.
    ///
    /// ```
    /// use alquerque::{position::Position, rules::QIRKAT};
    ///
    /// let long = Position::parse(&QIRKAT, "5/5/3b1/5/3w1 b d1-e1 0").unwrap();
    /// let short = Position::parse(&QIRKAT, "---w- ----- ---b- ----- ----- b d1-e1").unwrap();
    /// let picture = Position::parse(&QIRKAT, "- - - - -\n- - - - -\n- - - b -\n- - - - -\n- - - w -\nb d1-e1");
    /// assert_eq!(long, short);
    /// assert_eq!(long, picture.unwrap());
    /// ```
    ///
    /// # Errors
    /// [`ParsePositionError`] with a sentence for the user.
    pub fn parse(rules: &Rules, text: &str) -> Result<Position, ParsePositionError> {
        let text = text.trim();
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        if first.is_empty() {
            return Err(ParsePositionError::Empty);
        }
        if first == "start" {
            return match rest.split_whitespace().next() {
                None => Ok(Position::start(rules)),
                Some(rest) => Err(ParsePositionError::Trailing(shown(rest))),
            };
        }
        let ([white, black], rest) = match () {
            () if first.contains('/') => (parse_ranks(first)?, rest),
            () if text.contains('\n') => picture::parse(text)?,
            () => parse_line(text)?,
        };
        let mut fields = rest.split_whitespace();
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
        let plies = parse_count(counter).ok_or_else(|| ParsePositionError::Counter(shown(counter)))?;
        match fields.next() {
            None => Ok(position.with_plies(rules, plies)?),
            Some(rest) => Err(ParsePositionError::Trailing(shown(rest))),
        }
    }
}

/// A whole number in its only spelling: digits without a sign and without leading zeros.
pub(crate) fn parse_count(text: &str) -> Option<u64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| is_plain)
}

/// White's and Black's stones of the board on one line at the beginning of `text`, and what follows it.
fn parse_line(text: &str) -> Result<([Bitboard; 2], &str), ParseBoardError> {
    let (mut points, mut rest) = (String::with_capacity(POINTS), text);
    // Whole words only: a word that runs past the last point is a mistake in the board.
    while points.len() < POINTS && !rest.is_empty() {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        points.push_str(word);
        rest = after.trim_start();
    }
    Ok((parse_points(&points)?, rest))
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
            ("5/5/5/5/5 w", "no stones"),
            ("wwwww/wwwww/www2/5/5 w", "White has 13 stones"),
            ("5/5/2w2/5/5", "side to move is missing"),
            ("5/5/2w2/5/5 x", "invalid side to move 'x'"),
            ("5/5/2w2/5/5 w c3-d3", "no forbidden steps"),
            ("5/5/2w2/5/5 w - 3", "no ply counter"),
            ("5/5/2w2/5/5 w - x", "invalid ply counter 'x'"),
            ("5/5/2w2/5/5 w - -1", "invalid ply counter '-1'"),
            ("5/5/2w2/5/5 w - +1", "invalid ply counter '+1'"),
            ("5/5/2w2/5/5 w - 00", "invalid ply counter '00'"),
            ("5/5/2w2/5/5 w - 0 0", "unexpected '0'"),
            ("start w", "unexpected 'w'"),
        ] {
            let message = error(&CLASSIC, text);
            assert!(message.contains(part), "{text}: {message}");
        }
        for (text, part) in [
            ("5/5/2w2/5/5 w c3", "invalid forbidden step 'c3'"),
            ("5/5/2w2/5/5 w f3-c3", "'f3' is not a point"),
            ("5/5/2w2/5/5 w c3-c4", "same rank"),
            ("5/5/2w2/5/5 w c3-e3", "same rank"),
            ("5/5/2w2/5/5 w d3-e3", "no stone on d3"),
            ("2w2/5/5/5/5 w c5-d5", "far rank"),
            ("5/5/5/5/2b2 w c1-d1", "far rank"),
            ("5/5/2w2/5/5 w c3-d3,c3-b3", "two forbidden steps"),
        ] {
            let message = error(&BRAINKING, text);
            assert!(message.contains(part), "{text}: {message}");
        }
        for counter in ["+1", "007", "1_0", "٣", "18446744073709551616"] {
            let message = error(&YOUZAI, &format!("5/5/2w2/5/5 w - {counter}"));
            assert!(message.contains("invalid ply counter"), "{message}");
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
