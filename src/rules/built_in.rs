//! The built-in rule sets.

use super::{Captures, Chains, Parameters, Rules, Side};
use crate::board::Directions;

/// A built-in rule set. The compiler evaluates it, so that a fault does not compile.
const fn built_in(parameters: Parameters) -> Rules {
    match Rules::new(parameters) {
        Ok(rules) => rules,
        Err(_) => panic!("the parameters make no rule set"),
    }
}

/// All directions, endless play is a draw.
pub static CLASSIC: Rules = built_in(Parameters::CLASSIC);

/// Forward moves only, with the no-return rule; the first jump of a chain is restricted like a step.
pub static BRAINKING: Rules = built_in(Parameters {
    name: "brainking",
    steps: Directions::FORWARD_AND_SIDEWAYS,
    steps_on_far_rank: false,
    first_jumps: Directions::FORWARD_AND_SIDEWAYS,
    no_return: true,
    ..Parameters::CLASSIC
});

/// Forward steps, jumps in all directions, a draw after 50 plies without a capture; Black starts.
pub static YOUZAI: Rules = built_in(Parameters {
    name: "youzai",
    steps: Directions::FORWARD_AND_SIDEWAYS,
    steps_on_far_rank: false,
    ply_limit: Some(50),
    first_to_move: Side::Black,
    ..Parameters::CLASSIC
});

/// Forward steps with the no-return rule, jumps in all directions.
pub static QIRKAT: Rules = built_in(Parameters {
    name: "qirkat",
    steps: Directions::FORWARD_AND_SIDEWAYS,
    steps_on_far_rank: false,
    no_return: true,
    ..Parameters::CLASSIC
});

/// Alquerque as the *Libro de los juegos* of 1283 describes it in Ludii's reading: captures are optional, and
/// a move captures one stone.
pub static ALFONSO: Rules = built_in(Parameters {
    name: "alfonso",
    title: "Alquerque de doze",
    captures: Captures::Optional,
    later_jumps: Directions::NONE,
    ..Parameters::CLASSIC
});

/// Alquerque as Murray describes it in Ludii's reading: captures are optional, and a chain may end after
/// every jump.
pub static MURRAY: Rules = built_in(Parameters {
    name: "murray",
    title: "Alquerque after Murray",
    captures: Captures::Optional,
    chains: Chains::MayStop,
    ..Parameters::CLASSIC
});
