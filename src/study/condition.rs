//! Conditions on positions: `quiet`, `dtw>=20`, `value=win`, several separated by commas or `and`.

use std::fmt;

use winnow::Parser;
use winnow::ascii::{alpha1, digit1, multispace0};
use winnow::combinator::{alt, delimited, separated};
use winnow::error::{ContextError, ErrMode};
use winnow::token::take_while;

use super::scan::{is_quiet, move_count};
use crate::position::{Position, shown};
use crate::rules::Rules;
use crate::table::{Metric, Value};
use crate::tablebase::Verdict;

/// A condition on a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// No capture is possible on the next ply.
    Quiet,
    /// A capture is possible on the next ply.
    Capture,
    /// The value is this one, or it is not.
    Value(bool, Value),
    /// A figure compares so with a number.
    Number(Figure, Comparison, u32),
}

/// A figure of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Figure {
    /// Stones of the side to move.
    Own,
    /// Stones of the other side.
    Opponent,
    /// Stones of both sides.
    Stones,
    /// Legal moves.
    Moves,
    /// A distance in plies; a draw has none and fulfils no condition.
    Distance(Metric),
}

/// How two numbers compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Comparison {
    Less,
    AtMost,
    Equal,
    Other,
    AtLeast,
    Greater,
}

/// How figures that are not distances are written.
const COUNTS: [(&str, Figure); 4] = [
    ("own", Figure::Own),
    ("opponent", Figure::Opponent),
    ("stones", Figure::Stones),
    ("moves", Figure::Moves),
];

/// How comparisons are written, those of two characters first.
const COMPARISONS: [(&str, Comparison); 7] = [
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("!=", Comparison::Other),
    ("==", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
    ("=", Comparison::Equal),
];

/// The text is not a list of conditions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a condition; write quiet, capture, value=win, or one of own, opponent, stones, moves, dtc, dtw compared \
     with a number, as in dtw>=20, separated by commas"
)]
pub struct ParseConditionError(String);

/// Reads conditions that must all hold: `quiet, dtw>=20 and own=3`.
///
/// # Errors
/// [`ParseConditionError`] when the text has another form.
pub fn parse_conditions(text: &str) -> Result<Vec<Condition>, ParseConditionError> {
    type Error = ErrMode<ContextError>;
    let comparison = || alt(COMPARISONS.map(|(text, comparison)| text.value(comparison)));
    let distance = alpha1.verify_map(|name: &str| {
        let metric = name.parse::<Metric>().ok().filter(|metric| metric.is_distance())?;
        Some(Figure::Distance(metric))
    });
    let figure = alt((alt(COUNTS.map(|(text, figure)| text.value(figure))), distance));
    let number = digit1.try_map(str::parse::<u32>);
    let spaced = |comparison| delimited(multispace0, comparison, multispace0);
    let numeric = (figure, spaced(comparison()), number)
        .map(|(figure, comparison, number)| Condition::Number(figure, comparison, number));
    let value = alt(("win".value(Value::Win), "draw".value(Value::Draw), "loss".value(Value::Loss)));
    let valued =
        ("value", spaced(comparison()), value).verify_map(|(_, comparison, value)| match comparison {
            Comparison::Equal => Some(Condition::Value(true, value)),
            Comparison::Other => Some(Condition::Value(false, value)),
            _ => None,
        });
    let condition =
        alt(("quiet".value(Condition::Quiet), "capture".value(Condition::Capture), valued, numeric));
    let between = alt((
        delimited(multispace0, ",", multispace0).void(),
        delimited(take_while(1.., char::is_whitespace), "and", take_while(1.., char::is_whitespace)).void(),
    ));
    let mut all = delimited(multispace0, separated(1.., condition, between), multispace0);
    let parsed: Result<Vec<Condition>, _> = Parser::<&str, _, Error>::parse(&mut all, text);
    parsed.map_err(|_| ParseConditionError(shown(text)))
}

impl Comparison {
    fn holds(self, one: u32, other: u32) -> bool {
        match self {
            Comparison::Less => one < other,
            Comparison::AtMost => one <= other,
            Comparison::Equal => one == other,
            Comparison::Other => one != other,
            Comparison::AtLeast => one >= other,
            Comparison::Greater => one > other,
        }
    }
}

impl Condition {
    /// Whether the condition is about distances.
    pub(super) fn is_about_distance(self) -> bool {
        matches!(self, Condition::Number(Figure::Distance(_), ..))
    }

    /// Whether it holds for a position of this value, as far as distances do not matter.
    pub(super) fn holds_before_distance(self, rules: &Rules, position: &Position, value: Value) -> bool {
        match self {
            Condition::Quiet => is_quiet(rules, position),
            Condition::Capture => !is_quiet(rules, position),
            Condition::Value(is_so, wanted) => (value == wanted) == is_so,
            Condition::Number(figure, comparison, number) => {
                let (own, opponent) = (position.own().count(), position.opponent().count());
                let found = match figure {
                    Figure::Own => own,
                    Figure::Opponent => opponent,
                    Figure::Stones => own + opponent,
                    Figure::Moves => move_count(rules, position, usize::MAX),
                    // A draw has no distance.
                    Figure::Distance(_) => return value != Value::Draw,
                };
                comparison.holds(found as u32, number)
            }
        }
    }

    /// Whether it holds for the distances of a verdict.
    pub(super) fn holds_for(self, verdict: &Verdict) -> bool {
        let Condition::Number(figure, comparison, number) = self else { return true };
        let Figure::Distance(metric) = figure else { return true };
        verdict.distance(metric).is_some_and(|plies| comparison.holds(plies.into(), number))
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = COUNTS.iter().find(|(_, figure)| figure == self).map_or("", |(text, _)| text);
        f.write_str(if let Figure::Distance(metric) = self { metric.name() } else { count })
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Of two forms the shorter one, which comes last.
        let text =
            COMPARISONS.iter().rfind(|(_, comparison)| comparison == self).map_or("", |(text, _)| text);
        f.write_str(text)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Quiet => f.write_str("quiet"),
            Condition::Capture => f.write_str("capture"),
            Condition::Value(is_so, value) => write!(f, "value{}{value}", if *is_so { "=" } else { "!=" }),
            Condition::Number(figure, comparison, number) => {
                write!(f, "{figure}{comparison}{number}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_as_they_are_written() {
        for (text, written) in [
            ("quiet", "quiet"),
            (" capture ,value!=loss", "capture,value!=loss"),
            (
                "dtw >= 20 and own=3, opponent<3,stones>4 and moves != 1,dtc<=5",
                "dtw>=20,own=3,opponent<3,stones>4,moves!=1,dtc<=5",
            ),
            ("value == draw", "value=draw"),
        ] {
            let conditions = parse_conditions(text).unwrap();
            let found: Vec<String> = conditions.iter().map(ToString::to_string).collect();
            assert_eq!(found.join(","), written);
            assert_eq!(parse_conditions(written), Ok(conditions));
        }
        for text in [
            "",
            "quick",
            "dtw",
            "dtw>",
            "dtw>x",
            "value>win",
            "value=5",
            "quiet,",
            "quiet quiet",
            "own=99999999999",
        ] {
            assert!(parse_conditions(text).is_err(), "{text}");
        }
    }
}
