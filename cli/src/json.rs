//! What `solve --json` and `check --json` print. Names and order of the keys are a contract.

use std::path::PathBuf;

use alquerque::certificate::{Certificate, CheckReport, ClaimInfo, Goal, Summary};
use alquerque::moves::Move;
use alquerque::position::Position;
use alquerque::proof::Solved;
use alquerque::rules::Rules;
use alquerque::table::Value;
use serde::Serialize;

use super::words;

/// A legal move and the value of playing it.
pub struct SolvedMove {
    pub mv: Move,
    pub after: Position,
    pub value: Option<Value>,
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

/// What a certificate claims.
#[derive(Serialize)]
struct Claimed {
    side: String,
    goal: &'static str,
    entries: u64,
}

/// An answer of `check`.
#[derive(Serialize)]
pub struct Check {
    rules: &'static str,
    position: String,
    value: &'static str,
    claims: Vec<Claimed>,
    plies: Option<u32>,
    entries: u64,
    tables: usize,
    bytes: u64,
    xxh128: String,
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
    pub fn new(certificate: &Certificate, report: &CheckReport, checksum: u128) -> Check {
        let side = certificate.root().side();
        let claim = |info: &ClaimInfo| Claimed {
            side: if info.claim.by_mover { side } else { side.other() }.to_string().to_lowercase(),
            goal: match info.claim.goal {
                Goal::Win => "win",
                Goal::Hold => "hold",
            },
            entries: info.entries,
        };
        Check {
            rules: certificate.rules().name(),
            position: certificate.root().to_string(),
            value: report.value.name(),
            claims: certificate.claims().iter().map(claim).collect(),
            plies: report.plies,
            entries: report.entries,
            tables: certificate.tables().len(),
            bytes: certificate.file_bytes(),
            xxh128: format!("{:032x}", checksum),
        }
    }
}
