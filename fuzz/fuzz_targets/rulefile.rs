//! Rule files. Whatever is read is written back and reads as the same rules, and games under them can be played.

#![no_main]

use alquerque::moves::{Move, legal_moves};
use alquerque::position::Position;
use alquerque::rules::Rules;
use libfuzzer_sys::fuzz_target;

/// Plies that are played under each rule set.
const PLIES: usize = 8;

fuzz_target!(|text: &str| {
    let Ok(rules) = Rules::from_toml(text) else { return };
    let written = rules.to_toml();
    if !Rules::ALL.iter().any(|built_in| built_in.name() == rules.name()) {
        let again = Rules::from_toml(&written).expect("what was written can be read");
        assert!(std::ptr::eq(rules, again), "{written}");
    }
    let mut position = Position::start(rules);
    for ply in 0..PLIES {
        let text = position.to_string();
        assert_eq!(Position::parse(rules, &text).as_ref(), Ok(&position), "{text}\n{written}");
        if position.is_drawn_by_counter(rules) {
            break;
        }
        let moves = legal_moves(rules, &position);
        let Some(mv) = moves.get((ply * 7) % moves.len().max(1)) else { break };
        assert_eq!(Move::parse(rules, &position, &mv.to_string()).as_ref(), Ok(mv), "{text} {mv}\n{written}");
        position = position.play(rules, mv);
    }
});
