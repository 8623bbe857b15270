//! What is known about a position or a move, how certain it is, and who knows it.

use crate::search::{Proven, Score};
use crate::table::Value;
use crate::tablebase::Verdict;

/// Who knows what a position or a move is worth.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The rules: the game is over.
    Rules,
    /// The tables. Their values are exact, and so are the distances that they have.
    Tables,
    /// A certificate: a proof of the value, without distances.
    Certificate,
    /// A search, perhaps with tables at its leaves.
    Search,
}

impl Source {
    /// All sources, the one that is asked first in front.
    pub const ALL: [Source; 4] = [Source::Rules, Source::Tables, Source::Certificate, Source::Search];

    /// The source in a word: `rules`, `tables`, `certificate` or `search`.
    pub const fn name(self) -> &'static str {
        match self {
            Source::Rules => "rules",
            Source::Tables => "tables",
            Source::Certificate => "certificate",
            Source::Search => "search",
        }
    }
}

/// What a position is worth to the side to move, or a move to the side that plays it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Worth {
    /// The value, with exact distances where they are known.
    Exact(Verdict),
    /// The value, perhaps with a number of plies within which the game can be ended.
    Proven(Proven),
    /// How good it looks, in hundredths of a stone.
    Estimate(i32),
}

/// What something is worth, and who knows it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Known {
    /// What it is worth.
    pub worth: Worth,
    /// Who knows it.
    pub source: Source,
}

impl Worth {
    /// A draw.
    pub const DRAW: Worth = Worth::Proven(Proven::Draw);

    /// A value without distances.
    pub fn of_value(value: Value) -> Worth {
        Worth::Exact(Verdict::without_distances(value))
    }

    /// The worth of a move to its mover, `score` being that of the position after it to the opponent.
    pub(super) fn before(score: Score) -> Worth {
        let one_more = |within: Option<u16>| within.map(|plies| plies.saturating_add(1));
        match score {
            Score::Estimate(hundredths) => Worth::Estimate(-hundredths),
            Score::Proven(Proven::Draw) => Worth::DRAW,
            Score::Proven(Proven::Win { within }) => Worth::Proven(Proven::Loss { within: one_more(within) }),
            Score::Proven(Proven::Loss { within }) => Worth::Proven(Proven::Win { within: one_more(within) }),
        }
    }

    /// The value, unless it is an estimate.
    pub fn value(self) -> Option<Value> {
        match self {
            Worth::Exact(verdict) => Some(verdict.value),
            Worth::Proven(proven) => Some(proven.value()),
            Worth::Estimate(_) => None,
        }
    }

    /// The value with exact distances, where a table has it.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            Worth::Exact(verdict) => Some(verdict),
            Worth::Proven(_) | Worth::Estimate(_) => None,
        }
    }

    /// The estimate in hundredths of a stone, where nothing is proven.
    pub fn estimate(self) -> Option<i32> {
        match self {
            Worth::Estimate(hundredths) => Some(hundredths),
            Worth::Exact(_) | Worth::Proven(_) => None,
        }
    }

    /// Plies within which the game can be ended for certain, if a number is known.
    pub fn within(self) -> Option<u16> {
        match self {
            Worth::Exact(verdict) => verdict.plies_to_end(),
            Worth::Proven(proven) => proven.within(),
            Worth::Estimate(_) => None,
        }
    }

    /// The same as a score of a search.
    pub fn score(self) -> Score {
        match self {
            Worth::Exact(verdict) => Score::Proven(verdict.into()),
            Worth::Proven(proven) => Score::Proven(proven),
            Worth::Estimate(hundredths) => Score::Estimate(hundredths),
        }
    }

    /// The better is the larger: wins by fewest plies, losses by most; estimates between, draws among them as
    /// 0.
    pub(super) fn rank(self) -> i64 {
        let plies = match self {
            Worth::Exact(verdict) => verdict.ranking_distance(),
            worth => worth.within(),
        };
        let plies = i64::from(plies.unwrap_or(u16::MAX));
        match (self, self.value()) {
            (_, Some(Value::Win)) => DECIDED - plies,
            (_, Some(Value::Loss)) => plies - DECIDED,
            (Worth::Estimate(hundredths), None) => hundredths.into(),
            (_, _) => 0,
        }
    }
}

/// What a win counts for in a rank, before plies are taken off: more than any estimate.
pub(super) const DECIDED: i64 = 1 << 40;

impl Known {
    /// A worth that follows from the rules.
    pub const fn by_rules(worth: Worth) -> Known {
        Known { worth, source: Source::Rules }
    }

    /// The value, unless it is an estimate.
    pub fn value(self) -> Option<Value> {
        self.worth.value()
    }
}
