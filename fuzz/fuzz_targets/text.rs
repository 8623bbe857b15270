//! Positions and moves as text. The first line is a position, each further line a move to play on it.
//!
//! Whatever parses is written back, and what is written parses to the same thing.

#![no_main]

use alquerque::moves::{Move, legal_moves};
use alquerque::position::{ParsePositionError, Position};
use alquerque::rules::Rules;
use libfuzzer_sys::fuzz_target;

/// Whether a text fails under every rule set: no stones were read yet when it failed.
fn fails_everywhere(error: &ParsePositionError) -> bool {
    use ParsePositionError::{Board, Empty, NoSide, Picture, RankNumbers, Side};
    matches!(error, Empty | Board(_) | Picture(_) | RankNumbers | NoSide | Side(_))
}

fuzz_target!(|text: &str| {
    // A picture of a board has several lines; an empty line separates it from the moves.
    let (first, moves) = text.split_once("\n\n").or_else(|| text.split_once('\n')).unwrap_or((text, ""));
    for rules in Rules::ALL {
        let mut position = match Position::parse(rules, first) {
            Ok(position) => position,
            Err(error) if fails_everywhere(&error) => return,
            Err(_) => continue,
        };
        let written = position.to_string();
        assert_eq!(Position::parse(rules, &written).as_ref(), Ok(&position), "{written}");
        for line in moves.lines() {
            let Ok(mv) = Move::parse(rules, &position, line) else { continue };
            assert_eq!(Move::parse(rules, &position, &mv.to_string()), Ok(mv), "{written} {mv}");
            assert!(legal_moves(rules, &position).contains(&mv), "{written} {mv}");
            position = position.play(rules, &mv);
        }
    }
});
