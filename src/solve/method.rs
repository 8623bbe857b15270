//! How a pair is solved. Everything that depends on it asks the one value that is chosen here.

use crate::rules::Rules;

/// How the pairs of a rule set are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Whole rows at a time, in passes until nothing changes. The stones have no states.
    Planes,
    /// Each position once, after everything that it leads to. No stone can step for ever.
    Sweep,
}

impl Method {
    /// The method for `rules`. `None` if stones have forbidden steps and yet can step for ever, or have them
    /// on their far rank too: no method solves such rules.
    pub fn of(rules: &Rules) -> Option<Method> {
        if !rules.no_return() {
            Some(Method::Planes)
        } else if rules.is_acyclic() && rules.states_have_numbers() {
            Some(Method::Sweep)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Directions;
    use crate::rules::{BRAINKING, CLASSIC, Parameters, QIRKAT, YOUZAI};

    #[test]
    fn the_method_follows_from_the_rules() {
        // Rules are static: tests may leak a few.
        let rules = |parameters| &*Box::leak(Box::new(Rules::new(parameters).unwrap()));
        let backwards =
            Parameters { steps: Directions::ALL, steps_on_far_rank: true, ..*QIRKAT.parameters() };
        let on_far_rank = Parameters { steps_on_far_rank: true, ..*QIRKAT.parameters() };
        let sideways = Parameters { no_return: false, ..*QIRKAT.parameters() };
        for (rules, method) in [
            (&CLASSIC, Some(Method::Planes)),
            (&YOUZAI, Some(Method::Planes)),
            (&BRAINKING, Some(Method::Sweep)),
            (&QIRKAT, Some(Method::Sweep)),
            (rules(sideways), Some(Method::Planes)),
            (rules(backwards), None),
            (rules(on_far_rank), None),
        ] {
            assert_eq!(Method::of(rules), method, "{rules:?}");
        }
    }
}
