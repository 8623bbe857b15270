//! A board drawn with letters, one rank on each line.
//!
//! Other Qirkat programs print boards this way, rank 5 first, while their one-line form begins with rank 1.
//! Reading one as the other would turn the board upside down, so a board on several lines is always read as a
//! picture.

use super::ParsePositionError;
use crate::board::text::{parse_points, shown};
use crate::board::{Bitboard, ParseBoardError, SIDE_LENGTH};

/// White's and Black's stones of the picture at the beginning of `text`, and what follows it.
pub(super) fn parse(text: &str) -> Result<([Bitboard; 2], &str), ParsePositionError> {
    let (mut ranks, mut numbers) = (Vec::with_capacity(SIDE_LENGTH), Vec::with_capacity(SIDE_LENGTH));
    let mut rest = text;
    while ranks.len() < SIDE_LENGTH {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        if is_decoration(line) {
            if rest.is_empty() {
                return Err(ParseBoardError::RankCount(ranks.len()).into());
            }
            rest = after;
            continue;
        }
        let (number, points) = split_number(line.trim_start());
        numbers.extend(number);
        let (letters, end) = five_letters(points);
        let letters = letters.ok_or_else(|| ParsePositionError::Picture(shown(line.trim())))?;
        ranks.push(letters);
        // Only after the last rank may more follow on the same line.
        let follows = points[end..].trim();
        match (follows.is_empty(), ranks.len() == SIDE_LENGTH) {
            (true, _) => rest = after,
            (false, true) => rest = &rest[line.len() - points[end..].len()..],
            (false, false) => return Err(ParsePositionError::Picture(shown(line.trim()))),
        }
    }
    if is_upwards(&numbers)? {
        ranks.reverse();
    }
    let points: String = ranks.into_iter().rev().flatten().collect();
    let stones = parse_points(&points)?;
    // The names of the files may stand below the board.
    let rest = rest.trim_start().trim_start_matches('=').trim_start();
    let below = rest.split_once('\n').filter(|(line, _)| is_decoration(line));
    Ok((stones, below.map_or(rest, |(_, after)| after)))
}

/// Whether a line has no part in the position: it is empty, a ruler, or names the files.
fn is_decoration(line: &str) -> bool {
    let letters = || line.chars().filter(|letter| !letter.is_whitespace());
    letters().all(|letter| letter == '=') || letters().eq("abcde".chars())
}

/// The number in front of a rank, if there is one, and the points after it.
fn split_number(line: &str) -> (Option<u8>, &str) {
    match line.as_bytes() {
        [number @ b'1'..=b'5', ..] => (Some(number - b'0'), line[1..].trim_start()),
        _ => (None, line),
    }
}

/// The first five letters of a rank, spaces left out, and where they end.
fn five_letters(points: &str) -> (Option<[char; SIDE_LENGTH]>, usize) {
    let mut letters = points.char_indices().filter(|(_, letter)| !letter.is_whitespace());
    let mut found = [' '; SIDE_LENGTH];
    for place in &mut found {
        match letters.next() {
            Some((_, letter)) => *place = letter,
            None => return (None, points.len()),
        }
    }
    // A sixth letter must be a word of its own.
    let end = letters.next().map_or(points.len(), |(at, _)| at);
    let is_apart = end == points.len() || points[..end].ends_with(char::is_whitespace);
    (is_apart.then_some(found), end)
}

/// Whether the ranks are numbered from 1 up. Without numbers the first one is rank 5.
fn is_upwards(numbers: &[u8]) -> Result<bool, ParsePositionError> {
    match numbers {
        [] | [5, 4, 3, 2, 1] => Ok(false),
        [1, 2, 3, 4, 5] => Ok(true),
        _ => Err(ParsePositionError::RankNumbers),
    }
}

#[cfg(test)]
mod tests {
    use crate::position::Position;
    use crate::rules::QIRKAT;

    const EXPECTED: &str = "b1bbb/5/2w2/1w3/wwwww b - 0";

    #[test]
    fn pictures_begin_with_rank_five() {
        for text in [
            "b-bbb\n-----\n--w--\n-w---\nwwwww\nb",
            "b - b b b\n- - - - -\n- - w - -\n- w - - -\nw w w w w\nb",
            "  b - b b b\r\n  - - - - -\r\n  - - w - -\r\n  - w - - -\r\n  w w w w w\r\nb",
            "===\n  b - b b b\n  - - - - -\n  - - w - -\n  - w - - -\n  w w w w w\n===\nb - 0",
            "5  b - b b b\n4  - - - - -\n3  - - w - -\n2  - w - - -\n1  w w w w w\n   a b c d e\nb",
            "a b c d e\n1 wwwww\n2 -w---\n3 --w--\n4 -----\n5 b-bbb\n\nb",
            "b-bbb\n-----\n--w--\n-w---\nwwwww b",
            "b-bbb\n-----\n--w--\n-w---\nw w w w w b -",
        ] {
            let position = Position::parse(&QIRKAT, text);
            assert_eq!(position.map(|position| position.to_string()).as_deref(), Ok(EXPECTED), "{text}");
        }
    }

    #[test]
    fn other_lines_are_refused() {
        for (text, part) in [
            ("wwwww wwwww bb-ww\nbbbbb bbbbb w", "reads 'wwwww wwwww bb-ww'"),
            ("wwwww wwwww bb-ww bbbbb bbbbb\nw", "reads 'wwwww wwwww bb-ww bbbbb bbbbb'"),
            ("-----\n-----\n--w--\n-----\nw", "reads 'w'"),
            ("-----\n-----\n--w--\n-----\n", "4 ranks"),
            ("-----\n-----\n--w--\n-----\n-----\n-----\nw", "side to move '-----'"),
            ("-----\n-----\n--x--\n-----\n-----\nw", "unknown letter 'x'"),
            ("-----\n-----\n--w--\n-----\n-----\n", "side to move is missing"),
            ("-----\n-----\n------\n-----\n-----\nw", "reads '------'"),
            ("5 -----\n4 -----\n3 --w--\n1 -----\n2 -----\nw", "numbered neither"),
            ("5 -----\n-----\n--w--\n-----\n-----\nw", "numbered neither"),
            ("\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\n\u{e9}\nw", "reads '\u{e9}'"),
        ] {
            let message = Position::parse(&QIRKAT, text).unwrap_err().to_string();
            assert!(message.contains(part), "{text:?}: {message}");
        }
    }
}
