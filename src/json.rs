//! Answers as JSON, as the command line prints and the web serves them. Names and order of the keys are a
//! contract. Positions, moves and materials are texts, distances are in plies, values (`win`, `draw`, `loss`)
//! are for the side to move; a move's are for whoever plays it, and count it.

use serde::Serialize;

use crate::knowledge::{Insight, Prospect, Source, Worth};
use crate::moves::Move;
use crate::position::Position;
use crate::rules::Rules;
use crate::search::{Found, Proven, Score};
#[cfg(not(target_arch = "wasm32"))]
use crate::study;
use crate::table::{Longest, Metric, Value};
use crate::tablebase::{LineEnd, MainLine, RankedMove, SliceSummary, Verdict};

/// The distances of a position or a move in plies, by metric; `null` where there is none.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Distances {
    /// Distance to conversion; none for a draw, and without such a table.
    dtc: Option<u16>,
    /// Distance to win; none for a draw, without such a table, and under rules that have none.
    dtw: Option<u16>,
}

impl From<Option<Verdict>> for Distances {
    fn from(verdict: Option<Verdict>) -> Distances {
        let distance = |metric| verdict.and_then(|verdict| verdict.distance(metric));
        Distances { dtc: distance(Metric::Dtc), dtw: distance(Metric::Dtw) }
    }
}

impl From<Verdict> for Distances {
    fn from(verdict: Verdict) -> Distances {
        Some(verdict).into()
    }
}

/// An answer of `probe`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Probe {
    rules: &'static str,
    position: String,
    /// `win`, `draw` or `loss`.
    #[cfg_attr(feature = "serve", schema(pattern = "^(win|draw|loss)$"))]
    value: Option<&'static str>,
    #[serde(flatten)]
    distances: Distances,
    /// Who knows it: `rules`, `tables` or `certificate`.
    #[cfg_attr(feature = "serve", schema(pattern = "^(rules|tables|certificate)$"))]
    source: Option<&'static str>,
    /// All legal moves, best first. Those of which nothing is known come last, with no value; only a
    /// certificate leaves some open.
    moves: Vec<Candidate>,
    /// How many blocks of tables were read and decoded for the answer; only the command line tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<u64>,
}

/// A legal move, where it leads and what is known about it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Candidate {
    #[cfg_attr(feature = "serve", schema(pattern = "^[a-e][1-5]([-x][a-e][1-5])+$"))]
    r#move: String,
    /// The position after it.
    position: String,
    /// `win`, `draw` or `loss`; none where it is unknown.
    #[cfg_attr(feature = "serve", schema(pattern = "^(win|draw|loss)$"))]
    value: Option<&'static str>,
    #[serde(flatten)]
    distances: Distances,
}

/// An answer of `line`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Line {
    rules: &'static str,
    position: String,
    #[cfg_attr(feature = "serve", schema(pattern = "^(win|draw|loss)$"))]
    value: &'static str,
    #[serde(flatten)]
    distances: Distances,
    /// Best play by both sides.
    moves: Vec<Ranked>,
    /// How it ends: `game over`, `repetition` or `ply limit`; `no distances` or `no table` when it stops
    /// before the game is over, because the tables lack distances or nothing reaches the next position.
    end: &'static str,
}

/// An answer of `search`.
#[derive(Clone, Debug, Serialize)]
pub struct Search {
    rules: &'static str,
    position: String,
    proven: bool,
    value: Option<&'static str>,
    within: Option<u16>,
    estimate: Option<i32>,
    best: Option<String>,
    line: Vec<String>,
    depth: u8,
    nodes: u64,
    milliseconds: u128,
}

/// A legal move and where it leads.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Legal {
    #[cfg_attr(feature = "serve", schema(pattern = "^[a-e][1-5]([-x][a-e][1-5])+$"))]
    r#move: String,
    /// The position after it.
    position: String,
}

/// What there is of a slice. A longest distance is 0 where no position has that value, `null` without a
/// table.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Slice {
    rules: &'static str,
    /// `3v2`: the side to move has 3 stones, the other side 2.
    material: String,
    mover: usize,
    opponent: usize,
    /// How many positions there are with one colour to move, no other symmetry taken out.
    positions: u64,
    win: u64,
    draw: u64,
    loss: u64,
    max_dtc_win: Option<u16>,
    max_dtc_loss: Option<u16>,
    max_dtw_win: Option<u16>,
    max_dtw_loss: Option<u16>,
    /// The size of each file.
    bytes: Bytes,
}

/// Why there is no answer to one of many questions.
#[derive(Clone, Debug, Serialize)]
pub struct Error<'a> {
    /// A sentence for the user.
    pub error: &'a str,
}

/// A legal move, where it leads and what it is worth.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Ranked {
    #[cfg_attr(feature = "serve", schema(pattern = "^[a-e][1-5]([-x][a-e][1-5])+$"))]
    r#move: String,
    /// The position after it.
    position: String,
    #[cfg_attr(feature = "serve", schema(pattern = "^(win|draw|loss)$"))]
    value: &'static str,
    #[serde(flatten)]
    distances: Distances,
}

/// Bytes of the files of a slice, by metric; `null` where there is none.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Bytes {
    wdl: Option<u64>,
    dtc: Option<u64>,
    dtw: Option<u64>,
}

/// A position that `mine` found.
#[derive(Clone, Debug, Serialize)]
pub struct Study {
    position: String,
    value: &'static str,
    #[serde(flatten)]
    distances: Distances,
    /// The moves that keep the value, best first.
    moves: Vec<String>,
    /// How many moves are legal.
    legal: usize,
    /// What the side to move would get if the other side had the move, where that was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    passed: Option<&'static str>,
}

/// The figures of a slice, as `stats` counts them: of all positions, no symmetry taken out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Stats {
    rules: &'static str,
    material: String,
    positions: u64,
    win: u64,
    draw: u64,
    loss: u64,
    captures: u64,
    /// Legal moves of a position on average, and of the position with most.
    branching: f64,
    most_moves: usize,
    /// Won and drawn positions with several moves, and those of them in which one move alone keeps the
    /// value.
    choices: u64,
    only_moves: u64,
    /// Positions by distance, if there is such a table: entry n has those won and lost in n plies.
    dtc: Option<Histogram>,
    dtw: Option<Histogram>,
}

/// Positions by distance.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Histogram {
    won: Vec<u64>,
    lost: Vec<u64>,
}

#[cfg(not(target_arch = "wasm32"))]
impl Study {
    /// What was found.
    pub fn new(study: &study::Study) -> Study {
        Study {
            position: study.position.to_string(),
            value: study.verdict.value.name(),
            distances: study.verdict.into(),
            moves: study.moves.iter().map(Move::to_string).collect(),
            legal: study.legal,
            passed: study.passed.map(Value::name),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Stats {
    /// The figures of a slice.
    pub fn new(rules: &'static Rules, stats: &study::Stats) -> Stats {
        let histogram = |metric| {
            let study::Histogram { won, lost } = stats.histogram(metric)?.clone();
            Some(Histogram { won, lost })
        };
        let [loss, draw, win] = stats.values;
        Stats {
            rules: rules.name(),
            material: stats.material.to_string(),
            positions: stats.positions(),
            win,
            draw,
            loss,
            captures: stats.captures,
            branching: stats.branching(),
            most_moves: stats.most_moves,
            choices: stats.choices,
            only_moves: stats.only_moves,
            dtc: histogram(Metric::Dtc),
            dtw: histogram(Metric::Dtw),
        }
    }
}

impl Probe {
    /// What is proven about `position` and its moves.
    pub fn new(rules: &'static Rules, position: &Position, insight: &Insight) -> Probe {
        let verdict = insight.known.and_then(|known| known.worth.verdict());
        Probe {
            rules: rules.name(),
            position: position.to_string(),
            value: insight.value().map(Value::name),
            distances: verdict.into(),
            source: insight.source().map(Source::name),
            moves: insight.moves.iter().map(Candidate::new).collect(),
            blocks: None,
        }
    }

    /// The same with the number of blocks that were decoded for it.
    #[must_use]
    pub fn with_blocks(self, blocks: u64) -> Probe {
        Probe { blocks: Some(blocks), ..self }
    }
}

impl Candidate {
    fn new(prospect: &Prospect) -> Candidate {
        let worth = prospect.known.map(|known| known.worth);
        let verdict = worth.and_then(Worth::verdict);
        Candidate {
            r#move: prospect.mv.to_string(),
            position: prospect.position.to_string(),
            value: worth.and_then(Worth::value).map(Value::name),
            distances: verdict.into(),
        }
    }
}

impl Line {
    /// The verdict on `position` and the line of best play from it.
    pub fn new(rules: &'static Rules, position: &Position, verdict: &Verdict, line: &MainLine) -> Line {
        Line {
            rules: rules.name(),
            position: position.to_string(),
            value: verdict.value.name(),
            distances: (*verdict).into(),
            moves: line.moves.iter().map(Ranked::new).collect(),
            end: match line.end {
                LineEnd::GameOver => "game over",
                LineEnd::Repetition => "repetition",
                LineEnd::PlyLimit => "ply limit",
                LineEnd::NoDistances => "no distances",
                LineEnd::NoTable => "no table",
            },
        }
    }
}

impl Search {
    /// What a search found about `position`.
    pub fn new(rules: &'static Rules, position: &Position, found: &Found) -> Search {
        let proven = found.score.proven();
        Search {
            rules: rules.name(),
            position: position.to_string(),
            proven: proven.is_some(),
            value: proven.map(|proven| proven.value().name()),
            within: proven.and_then(Proven::within),
            estimate: match found.score {
                Score::Proven(_) => None,
                Score::Estimate(hundredths) => Some(hundredths),
            },
            best: found.best().map(|mv| mv.to_string()),
            line: found.line.iter().map(Move::to_string).collect(),
            depth: found.depth,
            nodes: found.nodes,
            milliseconds: found.time.as_millis(),
        }
    }
}

impl Legal {
    /// The legal move `mv` of `position`.
    pub fn new(rules: &Rules, position: &Position, mv: &Move) -> Legal {
        Legal { r#move: mv.to_string(), position: position.play(rules, mv).to_string() }
    }
}

impl Slice {
    /// The figures of a slice.
    pub fn new(rules: &'static Rules, summary: &SliceSummary) -> Slice {
        let [wdl, dtc, dtw] = summary.bytes;
        let longest = |metric, of: fn(Longest) -> Option<u16>| {
            summary.longest(metric).map(|longest| of(longest).unwrap_or(0))
        };
        Slice {
            rules: rules.name(),
            material: summary.material.to_string(),
            mover: summary.material.mover(),
            opponent: summary.material.opponent(),
            positions: summary.positions,
            win: summary.win,
            draw: summary.draw,
            loss: summary.loss,
            max_dtc_win: longest(Metric::Dtc, |longest| longest.win),
            max_dtc_loss: longest(Metric::Dtc, |longest| longest.loss),
            max_dtw_win: longest(Metric::Dtw, |longest| longest.win),
            max_dtw_loss: longest(Metric::Dtw, |longest| longest.loss),
            bytes: Bytes { wdl, dtc, dtw },
        }
    }
}

impl Ranked {
    fn new(ranked: &RankedMove) -> Ranked {
        Ranked {
            r#move: ranked.mv.to_string(),
            position: ranked.position.to_string(),
            value: ranked.verdict.value.name(),
            distances: ranked.verdict.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::knowledge::Known;
    use crate::material::Material;
    use crate::rules::CLASSIC;

    use super::*;

    #[test]
    fn keys_keep_their_order() {
        let position = Position::parse(&CLASSIC, "5/1b3/5/5/2w2 w").unwrap();
        let draw = Known { worth: Worth::of_value(Value::Draw), source: Source::Tables };
        let insight = Insight { known: Some(draw), ..Insight::default() };
        assert_eq!(
            serde_json::to_string(&Probe::new(&CLASSIC, &position, &insight)).unwrap(),
            concat!(
                r#"{"rules":"classic","position":"5/1b3/5/5/2w2 w - 0","#,
                r#""value":"draw","dtc":null,"dtw":null,"source":"tables","moves":[]}"#
            )
        );
        let summary = SliceSummary {
            material: Material::new(3, 2).unwrap(),
            positions: 6,
            win: 3,
            draw: 2,
            loss: 1,
            longest: [None, Some(Longest { win: Some(26), loss: None }), None],
            bytes: [Some(1234), Some(2345), None],
        };
        assert_eq!(
            serde_json::to_string(&Slice::new(&CLASSIC, &summary)).unwrap(),
            concat!(
                r#"{"rules":"classic","material":"3v2","mover":3,"opponent":2,"positions":6,"#,
                r#""win":3,"draw":2,"loss":1,"max_dtc_win":26,"max_dtc_loss":0,"#,
                r#""max_dtw_win":null,"max_dtw_loss":null,"bytes":{"wdl":1234,"dtc":2345,"dtw":null}}"#
            )
        );
    }
}
