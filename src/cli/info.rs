//! `info`: what tables there are.

use std::io::Write;

use alquerque::json;
use alquerque::tablebase::{SliceSummary, Tablebase};
use clap::Args;
use indicatif::BinaryBytes;

use super::failure::Failure;
use super::options::{AnyRulesOption, DirOption};
use super::output::{Output, json_line};
use super::{rows, words};

/// Show what tables there are, with counts, longest distances and sizes
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Info {
    #[command(flatten)]
    rules: AnyRulesOption,
    #[command(flatten)]
    dir: DirOption,
    /// Print a JSON array, one object per slice
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
A slice is all positions of one material: in 3v2 the side to move has 3 stones,
the other side 2. win, draw and loss are for the side to move and count every
position once. dtc and dtw are the longest distances of the slice, win/loss, in
plies: to the next capturing move or the end, and to the end of the game.

Examples:
  alquerque info
  alquerque info --rules classic --dir /srv/tables --json";

impl Info {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let mut tables = Vec::new();
        for rules in self.rules.in_dir(&self.dir.dir)? {
            tables.push(Tablebase::open(&self.dir.dir, rules).map_err(Failure::failed)?);
        }
        if self.json {
            let slices: Vec<_> = tables
                .iter()
                .flat_map(|tables| {
                    tables.slices().into_iter().map(|slice| json::Slice::new(tables.rules(), &slice))
                })
                .collect();
            return json_line(out, &slices);
        }
        for (index, tables) in tables.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            print_rules(tables.rules().name(), &tables.slices(), out)?;
        }
        Ok(())
    }
}

fn print_rules(name: &str, slices: &[SliceSummary], out: &mut Output) -> Result<(), Failure> {
    let count = words::count(slices.len() as u64, "slice", "slices");
    let positions = words::count(slices.iter().map(|slice| slice.positions).sum(), "position", "positions");
    let size = BinaryBytes(slices.iter().map(rows::size).sum());
    writeln!(out, "{name}: {count}, {positions}, {size}\n")?;
    writeln!(out, "{}", rows::slice_header())?;
    for slice in slices {
        writeln!(out, "{}", rows::slice(slice))?;
    }
    Ok(())
}
