//! Positions and moves as text. The first line is a position, each further line a move to play on it.
//!
//! Whatever parses is written back, and what is written parses to the same thing.

#![no_main]

use alquerque::moves::{Move, legal_moves};
use alquerque::position::Position;
use alquerque::rules::Rules;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let Some(first) = lines.next() else { return };
    for rules in Rules::ALL {
        let Ok(mut position) = Position::parse(rules, first) else { continue };
        let written = position.to_string();
        assert_eq!(Position::parse(rules, &written).as_ref(), Ok(&position), "{written}");
        for line in lines.clone() {
            let Ok(mv) = Move::parse(rules, &position, line) else { continue };
            assert_eq!(Move::parse(rules, &position, &mv.to_string()), Ok(mv), "{written} {mv}");
            assert!(legal_moves(rules, &position).contains(&mv), "{written} {mv}");
            position = position.play(rules, &mv);
        }
    }
});
