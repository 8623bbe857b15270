//! `info`: what tables there are.

use std::io::Write;

use alquerque::certificate::Certificate;
use alquerque::json;
use alquerque::knowledge::Knowledge;
use alquerque::table::Value;
use alquerque::tablebase::SliceSummary;
use clap::Args;
use indicatif::BinaryBytes;

use super::failure::Failure;
use super::options::{AnyRulesOption, DirOption};
use super::output::{Output, json_line};
use super::{rows, words};

/// List tables and certificates, with counts, longest distances and sizes
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Info {
    #[command(flatten)]
    rules: AnyRulesOption,
    #[command(flatten)]
    dir: DirOption,
    /// Print a JSON array, one object per slice; certificates are not in it
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
A slice is all positions of one material: in 3v2 the side to move has 3 stones,
the other side 2. Win, draw and loss are counts for the side to move; positions
that differ only by swapping colours count once. dtc and dtw are the longest
distances in the slice, for wins and for losses, in plies: to the next capture or
the end of the game (dtc), and to the end of the game (dtw).

Certificates are listed after the slices, with what they claim; 'verify' checks
them.

Examples:
  alquerque info
  alquerque info --rules classic --dir /srv/tables --json";

impl Info {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let mut all = Vec::new();
        for rules in self.rules.in_dir(&self.dir.dir)? {
            let knowledge = Knowledge::open(&self.dir.dir, rules).map_err(Failure::failed)?;
            if let Some(tables) = knowledge.tables() {
                tables.open_all().map_err(Failure::failed)?;
            }
            all.push(knowledge);
        }
        if self.json {
            let slices: Vec<_> = all
                .iter()
                .filter_map(Knowledge::tables)
                .flat_map(|tables| {
                    tables.slices().into_iter().map(|slice| json::Slice::new(tables.rules(), &slice))
                })
                .collect();
            return json_line(out, &slices);
        }
        for (index, knowledge) in all.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            let slices = knowledge.tables().map_or_else(Vec::new, |tables| tables.slices());
            print_rules(knowledge.rules().name(), &slices, out)?;
            for certificate in knowledge.certificates().iter() {
                print_certificate(certificate, out)?;
            }
        }
        Ok(())
    }
}

fn print_rules(name: &str, slices: &[SliceSummary], out: &mut Output) -> Result<(), Failure> {
    let count = words::count(slices.len() as u64, "slice", "slices");
    // Headers are taken at their word: no sum of what they say may overflow.
    let sum = |of: fn(&SliceSummary) -> u64| slices.iter().map(of).fold(0, u64::saturating_add);
    let positions = words::count(sum(|slice| slice.positions), "position", "positions");
    let size = BinaryBytes(sum(rows::size));
    writeln!(out, "{name}: {count}, {positions}, {size}\n")?;
    writeln!(out, "{}", rows::slice_header())?;
    for slice in slices {
        writeln!(out, "{}", rows::slice(slice))?;
    }
    Ok(())
}

/// A line about a certificate, which is taken at its word.
fn print_certificate(certificate: &Certificate, out: &mut Output) -> Result<(), Failure> {
    let name = certificate.path().file_name().unwrap_or_default().display();
    let value = certificate.value().map_or("no value", Value::name);
    let root = certificate.root();
    let replies = certificate.claims().iter().map(|info| info.entries).sum();
    let replies = words::count(replies, "reply", "replies");
    let size = BinaryBytes(certificate.file_bytes());
    let leaves = match certificate.tables().len() {
        0 => "stands alone".to_owned(),
        count => format!("rests on {}", words::count(count as u64, "table", "tables")),
    };
    Ok(writeln!(out, "\n{name}: {value} for {} in {root}, {replies}, {size}, {leaves}", root.side())?)
}
