//! How a pair is solved. Everything that depends on it asks the one value that is chosen here.

use crate::index::Index;

/// How the pairs of a rule set are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Whole rows at a time, in passes until nothing changes. The stones have no states.
    Planes,
    /// Each position once, after everything that it leads to. No stone can step for ever.
    Sweep,
}

impl Method {
    /// The method for the rules of `index`. `None` if stones have states and can step for ever: no method solves such
    /// rules.
    pub fn of(index: &Index) -> Option<Method> {
        if !index.has_states() {
            Some(Method::Planes)
        } else if index.rules().is_acyclic() {
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
    use crate::rules::{BRAINKING, CLASSIC, Parameters, QIRKAT, Rules, YOUZAI};

    #[test]
    fn the_method_follows_from_the_rules() {
        // Rules are static: tests may leak a few.
        let rules = |parameters| &*Box::leak(Box::new(Rules::new(parameters).unwrap()));
        let backwards =
            Parameters { steps: Directions::ALL, steps_on_far_rank: true, ..*QIRKAT.parameters() };
        let sideways = Parameters { no_return: false, ..*QIRKAT.parameters() };
        for (rules, method) in [
            (&CLASSIC, Some(Method::Planes)),
            (&YOUZAI, Some(Method::Planes)),
            (&BRAINKING, Some(Method::Sweep)),
            (&QIRKAT, Some(Method::Sweep)),
            (rules(sideways), Some(Method::Planes)),
            (rules(backwards), None),
        ] {
            assert_eq!(Method::of(&Index::new(rules)), method, "{rules:?}");
        }
    }
}
