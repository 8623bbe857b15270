//! The text form of a board: which stones stand where.

use super::{Bitboard, POINTS, Point, SIDE_LENGTH};

/// Why a text is not a board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum ParseBoardError {
    #[error("the board has {0} ranks; write {SIDE_LENGTH}, from rank 5 to rank 1, separated by /")]
    RankCount(usize),
    #[error("the rank '{text}' has {count} points; a rank has {SIDE_LENGTH}")]
    RankLength { text: String, count: usize },
    #[error("the board has {0} points; write {POINTS}")]
    PointCount(usize),
    #[error(
        "unknown letter '{0}' on the board; stones are w and b, empty points digits 1 to 5 or, without /, -"
    )]
    UnknownLetter(char),
}

/// A piece of input as a message can show it: cut to 40 characters, without control characters.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let cut = if text.chars().count() > LONGEST { "…" } else { "" };
    let shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    shown + cut
}

/// White's and Black's stones of `text`, ranks from the fifth to the first with `/` between them.
pub(crate) fn parse_ranks(text: &str) -> Result<[Bitboard; 2], ParseBoardError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != SIDE_LENGTH {
        return Err(ParseBoardError::RankCount(ranks.len()));
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
                other => return Err(ParseBoardError::UnknownLetter(other)),
            };
            if let Some(point) = Point::at(file, rank) {
                stones[side] = stones[side].with(point);
            }
            file += 1;
        }
        if file != SIDE_LENGTH {
            return Err(ParseBoardError::RankLength { text: shown(text), count: file });
        }
    }
    Ok(stones)
}

/// White's and Black's stones of `text`, one letter a point from a1 to e5.
pub(crate) fn parse_points(text: &str) -> Result<[Bitboard; 2], ParseBoardError> {
    let mut stones = [Bitboard::EMPTY; 2];
    let mut count = 0;
    for letter in text.chars() {
        let side = match letter {
            'w' => Some(0),
            'b' => Some(1),
            '-' => None,
            other => return Err(ParseBoardError::UnknownLetter(other)),
        };
        if let (Some(side), Some(point)) = (side, Point::new(count)) {
            stones[side] = stones[side].with(point);
        }
        count += 1;
    }
    if count == POINTS { Ok(stones) } else { Err(ParseBoardError::PointCount(count)) }
}

/// Ranks from the fifth to the first, `w` and `b` for stones, digits for runs of empty points: what
/// [`parse_ranks`] reads.
pub(crate) fn ranks([white, black]: [Bitboard; 2]) -> String {
    let mut text = String::new();
    for rank in (0..SIDE_LENGTH).rev() {
        let mut empty = 0;
        let end_run = |text: &mut String, empty: &mut usize| {
            if *empty > 0 {
                text.push_str(&std::mem::take(empty).to_string());
            }
        };
        for point in (0..SIDE_LENGTH).filter_map(|file| Point::at(file, rank)) {
            let letter = match () {
                () if white.contains(point) => 'w',
                () if black.contains(point) => 'b',
                () => {
                    empty += 1;
                    continue;
                }
            };
            end_run(&mut text, &mut empty);
            text.push(letter);
        }
        end_run(&mut text, &mut empty);
        if rank > 0 {
            text.push('/');
        }
    }
    text
}
