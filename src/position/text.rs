//! The text form of positions.

use std::fmt::{self, Write};

use super::{Position, PositionError};
use crate::board::{Bitboard, POINTS, ParsePointError, Point, SIDE_LENGTH};
use crate::rules::{Rules, Side};

/// Why a text is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum ParsePositionError {
    #[error("the position is empty; write for instance 5/1b3/2w2/5/5 w, or start")]
    Empty,
    #[error("the board has {0} ranks; write {SIDE_LENGTH}, from rank 5 to rank 1, separated by /")]
    RankCount(usize),
    #[error("the rank '{text}' has {count} points; a rank has {SIDE_LENGTH}")]
    RankLength { text: String, count: usize },
    #[error("the board has {0} points; it has {POINTS}")]
    PointCount(usize),
    #[error(
        "unknown letter '{0}' on the board; stones are w and b, empty points digits 1 to 5 or, without /, -"
    )]
    UnknownLetter(char),
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

/// A piece of input as a message can show it: not too long, nothing that a terminal would obey.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let cut = if text.chars().count() > LONGEST { "…" } else { "" };
    let shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    shown + cut
}

/// White's and Black's stones of `text`, ranks from the fifth to the first.
fn parse_ranks(text: &str) -> Result<[Bitboard; 2], ParsePositionError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != SIDE_LENGTH {
        return Err(ParsePositionError::RankCount(ranks.len()));
    }
    let mut stones = [Bitboard::EMPTY; 2];
    for (rank, text) in ranks.into_iter().rev().enumerate() {
        let mut file = 0;
        for letter in text.chars() {
            let side = match letter {
                'w' => 0,
                'b' => 1,
                '1'..='5' => {
                    file += letter as usize - '0' as usize;
                    continue;
                }
                other => return Err(ParsePositionError::UnknownLetter(other)),
            };
            if let Some(point) = Point::at(file, rank) {
                stones[side] = stones[side].with(point);
            }
            file += 1;
        }
        if file != SIDE_LENGTH {
            return Err(ParsePositionError::RankLength { text: shown(text), count: file });
        }
    }
    Ok(stones)
}

/// White's and Black's stones of `text`, one letter a point from a1 to e5.
fn parse_points(text: &str) -> Result<[Bitboard; 2], ParsePositionError> {
    let mut stones = [Bitboard::EMPTY; 2];
    let mut count = 0;
    for letter in text.chars() {
        let side = match letter {
            'w' => Some(0),
            'b' => Some(1),
            '-' => None,
            other => return Err(ParsePositionError::UnknownLetter(other)),
        };
        if let (Some(side), Some(point)) = (side, Point::new(count)) {
            stones[side] = stones[side].with(point);
        }
        count += 1;
    }
    if count == POINTS { Ok(stones) } else { Err(ParsePositionError::PointCount(count)) }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..SIDE_LENGTH).rev() {
            let mut empty = 0_u8;
            for point in (0..SIDE_LENGTH).filter_map(|file| Point::at(file, rank)) {
                let letter = match () {
                    () if self.white.contains(point) => 'w',
                    () if self.black.contains(point) => 'b',
                    () => {
                        empty += 1;
                        continue;
                    }
                };
                write_empty(f, std::mem::take(&mut empty))?;
                f.write_char(letter)?;
            }
            write_empty(f, empty)?;
            if rank > 0 {
                f.write_str("/")?;
            }
        }
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

/// A run of empty points, at most a rank.
fn write_empty(f: &mut fmt::Formatter<'_>, points: u8) -> fmt::Result {
    if points == 0 { Ok(()) } else { f.write_char((b'0' + points) as char) }
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
