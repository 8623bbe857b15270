//! `probe --stdin`: one position a line in, one answer a line out.

use std::io::{self, BufRead, BufReader, Read, StdinLock, Write};

use alquerque::position::Position;
use alquerque::tablebase::{Tablebase, Verdict};

use super::failure::Failure;
use super::json;
use super::output::{Output, flush, json_line};
use super::rows::distance;

/// Longer than any position: what follows on the line is skipped, so that no input can fill the memory.
const MAX_LINE: u64 = 1024;

/// Answers every line of standard input.
pub fn probe_lines(tables: &Tablebase, json: bool, out: &mut Output) -> Result<(), Failure> {
    let mut lines = Lines::new();
    let mut failed = false;
    while let Some(line) = lines.next(out)? {
        match answer(tables, line, json) {
            Ok(Answer::Short(verdict)) => {
                writeln!(out, "{}\t{}\t{}", verdict.value, distance(verdict.dtc), distance(verdict.dtw))?;
            }
            Ok(Answer::Json(answer)) => json_line(out, &answer)?,
            Err(reason) => {
                failed = true;
                if json {
                    json_line(out, &json::Error { error: &reason })?;
                } else {
                    writeln!(out, "error: {reason}")?;
                }
            }
        }
    }
    if failed { Err(Failure::failed("some lines could not be answered")) } else { Ok(()) }
}

enum Answer {
    Short(Verdict),
    Json(json::Probe),
}

/// The answer to `line`, or a sentence that says why there is none.
fn answer(tables: &Tablebase, line: &[u8], json: bool) -> Result<Answer, String> {
    let rules = tables.rules();
    if line.len() as u64 == MAX_LINE {
        return Err("the line is too long for a position".to_owned());
    }
    let text = str::from_utf8(line).map_err(|_| "the line is not text in UTF-8")?;
    let position = Position::parse(rules, text).map_err(|error| error.to_string())?;
    let verdict = tables.probe(&position).map_err(|error| error.to_string())?;
    if !json {
        return Ok(Answer::Short(verdict));
    }
    let moves = tables.ranked_moves(&position).map_err(|error| error.to_string())?;
    Ok(Answer::Json(json::Probe::new(rules, &position, &verdict, &moves)))
}

/// The lines of standard input.
struct Lines {
    input: BufReader<StdinLock<'static>>,
    line: Vec<u8>,
}

impl Lines {
    fn new() -> Lines {
        Lines { input: BufReader::with_capacity(1 << 16, io::stdin().lock()), line: Vec::new() }
    }

    /// The next line. Before it waits for one it flushes `out`: who asks one position at a time gets the
    /// answer before the next question.
    fn next(&mut self, out: &mut Output) -> Result<Option<&[u8]>, Failure> {
        if !self.input.buffer().contains(&b'\n') {
            flush(out)?;
        }
        self.line.clear();
        let unreadable = |error| Failure::Failed(format!("cannot read standard input: {error}"));
        self.input.by_ref().take(MAX_LINE).read_until(b'\n', &mut self.line).map_err(unreadable)?;
        if self.line.len() as u64 == MAX_LINE && !self.line.ends_with(b"\n") {
            self.input.skip_until(b'\n').map_err(unreadable)?;
        }
        Ok((!self.line.is_empty()).then_some(&self.line))
    }
}
