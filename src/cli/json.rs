//! What `--json` prints. Names and order of the keys are a contract.

use std::path::PathBuf;

use alquerque::certificate::{Certificate, Summary};
use alquerque::check::Report;
use alquerque::moves::Move;
use alquerque::position::Position;
use alquerque::proof::Solved;
use alquerque::rules::Rules;
use alquerque::search::{Found, Proven, Score};
use alquerque::tablebase::{LineEnd, MainLine, RankedMove, SliceSummary, Verdict};
use serde::Serialize;

use super::solve::SolvedMove;
use super::words;

/// An answer of `probe`.
#[derive(Serialize)]
pub struct Probe {
    rules: &'static str,
    position: String,
    value: &'static str,
    dtc: Option<u16>,
    dtw: Option<u16>,
    moves: Vec<Ranked>,
}

/// An answer of `line`.
#[derive(Serialize)]
pub struct Line {
    rules: &'static str,
    position: String,
    value: &'static str,
    dtc: Option<u16>,
    dtw: Option<u16>,
    moves: Vec<Ranked>,
    end: &'static str,
}

/// An answer of `search`.
#[derive(Serialize)]
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

/// An answer of `solve`.
#[derive(Serialize)]
pub struct Solve {
    rules: &'static str,
    position: String,
    value: &'static str,
    nodes: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<Valued>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Written>,
}

#[derive(Serialize)]
struct Valued {
    r#move: String,
    position: String,
    value: &'static str,
}

#[derive(Serialize)]
struct Written {
    file: String,
    entries: u64,
    bytes: u64,
}

/// An answer of `check`.
#[derive(Serialize)]
pub struct Check {
    rules: &'static str,
    position: String,
    value: &'static str,
    plies: Option<u32>,
    entries: u64,
    tables: usize,
    bytes: u64,
    xxh128: String,
}

/// A legal move and where it leads.
#[derive(Serialize)]
pub struct Legal {
    r#move: String,
    position: String,
}

/// What there is of a slice. A longest distance is 0 where no position has that value, `null` without a table.
#[derive(Serialize)]
pub struct Slice {
    rules: &'static str,
    material: String,
    mover: usize,
    opponent: usize,
    positions: u64,
    win: u64,
    draw: u64,
    loss: u64,
    max_dtc_win: Option<u16>,
    max_dtc_loss: Option<u16>,
    max_dtw_win: Option<u16>,
    max_dtw_loss: Option<u16>,
    bytes: Bytes,
}

/// Why there is no answer to a line of input.
#[derive(Serialize)]
pub struct Error<'a> {
    pub error: &'a str,
}

#[derive(Serialize)]
struct Ranked {
    r#move: String,
    position: String,
    value: &'static str,
    dtc: Option<u16>,
    dtw: Option<u16>,
}

#[derive(Serialize)]
struct Bytes {
    wdl: Option<u64>,
    dtc: Option<u64>,
    dtw: Option<u64>,
}

impl Probe {
    pub fn new(rules: &'static Rules, position: &Position, verdict: &Verdict, moves: &[RankedMove]) -> Probe {
        Probe {
            rules: rules.name(),
            position: position.to_string(),
            value: verdict.value.name(),
            dtc: verdict.dtc,
            dtw: verdict.dtw,
            moves: moves.iter().map(Ranked::new).collect(),
        }
    }
}

impl Line {
    pub fn new(rules: &'static Rules, position: &Position, verdict: &Verdict, line: &MainLine) -> Line {
        Line {
            rules: rules.name(),
            position: position.to_string(),
            value: verdict.value.name(),
            dtc: verdict.dtc,
            dtw: verdict.dtw,
            moves: line.moves.iter().map(Ranked::new).collect(),
            end: match line.end {
                LineEnd::GameOver => "game over",
                LineEnd::Repetition => "repetition",
                LineEnd::PlyLimit => "ply limit",
            },
        }
    }
}

impl Search {
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

impl Solve {
    pub fn new(
        rules: &'static Rules,
        position: &Position,
        solved: &Solved,
        moves: Option<&[SolvedMove]>,
        written: Option<(&PathBuf, Summary)>,
    ) -> Solve {
        let valued = |solved: &SolvedMove| Valued {
            r#move: solved.mv.to_string(),
            position: solved.after.to_string(),
            value: words::value_or_unknown(solved.value),
        };
        Solve {
            rules: rules.name(),
            position: position.to_string(),
            value: words::value_or_unknown(solved.value),
            nodes: solved.nodes,
            // As many digits as mean anything.
            seconds: (solved.time.as_secs_f64() * 1000.0).round() / 1000.0,
            moves: moves.map(|moves| moves.iter().map(valued).collect()),
            certificate: written.map(|(path, Summary { entries, bytes })| Written {
                file: path.display().to_string(),
                entries,
                bytes,
            }),
        }
    }
}

impl Check {
    pub fn new(certificate: &Certificate, report: &Report) -> Check {
        Check {
            rules: certificate.rules().name(),
            position: certificate.root().to_string(),
            value: report.value.name(),
            plies: report.plies,
            entries: report.entries,
            tables: certificate.tables().len(),
            bytes: certificate.file_bytes(),
            xxh128: format!("{:032x}", certificate.checksum()),
        }
    }
}

impl Legal {
    pub fn new(rules: &Rules, position: &Position, mv: &Move) -> Legal {
        Legal { r#move: mv.to_string(), position: position.play(rules, mv).to_string() }
    }
}

impl Slice {
    pub fn new(rules: &'static Rules, summary: &SliceSummary) -> Slice {
        let [wdl, dtc, dtw] = summary.bytes;
        Slice {
            rules: rules.name(),
            material: summary.material.to_string(),
            mover: summary.material.mover(),
            opponent: summary.material.opponent(),
            positions: summary.positions,
            win: summary.win,
            draw: summary.draw,
            loss: summary.loss,
            max_dtc_win: summary.dtc.map(|longest| longest.win.unwrap_or(0)),
            max_dtc_loss: summary.dtc.map(|longest| longest.loss.unwrap_or(0)),
            max_dtw_win: summary.dtw.map(|longest| longest.win.unwrap_or(0)),
            max_dtw_loss: summary.dtw.map(|longest| longest.loss.unwrap_or(0)),
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
            dtc: ranked.verdict.dtc,
            dtw: ranked.verdict.dtw,
        }
    }
}

#[cfg(test)]
mod tests {
    use alquerque::material::Material;
    use alquerque::rules::CLASSIC;
    use alquerque::table::{Longest, Value};

    use super::*;

    #[test]
    fn keys_keep_their_order() {
        let position = Position::parse(&CLASSIC, "5/1b3/5/5/2w2 w").unwrap();
        let verdict = Verdict { value: Value::Draw, dtc: None, dtw: None };
        assert_eq!(
            serde_json::to_string(&Probe::new(&CLASSIC, &position, &verdict, &[])).unwrap(),
            concat!(
                r#"{"rules":"classic","position":"5/1b3/5/5/2w2 w - 0","#,
                r#""value":"draw","dtc":null,"dtw":null,"moves":[]}"#
            )
        );
        let summary = SliceSummary {
            material: Material::new(3, 2).unwrap(),
            positions: 6,
            win: 3,
            draw: 2,
            loss: 1,
            dtc: Some(Longest { win: Some(26), loss: None }),
            dtw: None,
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
