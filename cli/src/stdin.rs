//! `probe --stdin`: one position a line in, one answer a line out.

use std::io::{self, Read, StdinLock, Write};

use alquerque::json;
use alquerque::knowledge::Knowledge;
use alquerque::position::Position;
use alquerque::table::blocks_decoded;
use alquerque::tablebase::Verdict;
use rayon::prelude::*;

use super::failure::Failure;
use super::output::{Output, flush};
use super::pool;
use super::rows::distances;

/// Longer than any position: the rest of such a line is skipped.
const MAX_LINE: usize = 1023;
/// As much input is read at once, if it is there; no input can fill more memory.
const BATCH_BYTES: usize = 1 << 20;
/// Lines that one thread answers at a time.
const SHARE: usize = 128;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Answers every line of standard input, many in parallel if many are there. A program that asks one position
/// at a time gets each answer before it asks the next.
pub fn probe_lines(knowledge: &Knowledge, json: bool, out: &mut Output) -> Result<(), Failure> {
    let mut batches = Batches::new();
    pool::prepare()?;
    let mut failed = false;
    let mut is_first = true;
    while let Some(batch) = batches.next()? {
        // A file may begin with a byte order mark.
        let batch = if is_first { batch.strip_prefix(BYTE_ORDER_MARK).unwrap_or(batch) } else { batch };
        is_first = false;
        let lines: Vec<&[u8]> = batch.split(|&byte| byte == b'\n').collect();
        let answers: Vec<Answers> = if lines.len() <= SHARE {
            vec![Answers::to(knowledge, &lines, json)?]
        } else {
            let shares = lines.par_chunks(SHARE);
            shares.map(|lines| Answers::to(knowledge, lines, json)).collect::<Result<_, _>>()?
        };
        for answers in answers {
            out.write_all(&answers.text)?;
            failed |= answers.failed;
        }
        flush(out)?;
    }
    if failed { Err(Failure::failed("some lines could not be answered")) } else { Ok(()) }
}

/// The answers to some lines.
struct Answers {
    text: Vec<u8>,
    /// Whether one of them is an error.
    failed: bool,
}

impl Answers {
    fn to(knowledge: &Knowledge, lines: &[&[u8]], json: bool) -> Result<Answers, Failure> {
        let mut answers = Answers { text: Vec::new(), failed: false };
        for line in lines {
            match answer(knowledge, line, json) {
                Ok(answer) => answer.write(&mut answers.text)?,
                Err(reason) => {
                    answers.failed = true;
                    write_error(&mut answers.text, &reason, json)?;
                }
            }
        }
        Ok(answers)
    }
}

enum Answer {
    Short(Verdict),
    Json(json::Probe),
}

impl Answer {
    fn write(&self, text: &mut Vec<u8>) -> Result<(), Failure> {
        match self {
            Answer::Short(verdict) => Ok(writeln!(text, "{}{}", verdict.value, distances(verdict, "\t"))?),
            Answer::Json(answer) => {
                serde_json::to_writer(&mut *text, answer)?;
                text.push(b'\n');
                Ok(())
            }
        }
    }
}

fn write_error(text: &mut Vec<u8>, reason: &str, json: bool) -> Result<(), Failure> {
    if !json {
        return Ok(writeln!(text, "error: {reason}")?);
    }
    serde_json::to_writer(&mut *text, &json::Error { error: reason })?;
    text.push(b'\n');
    Ok(())
}

/// The answer to `line`, or a sentence that says why there is none.
fn answer(knowledge: &Knowledge, line: &[u8], json: bool) -> Result<Answer, String> {
    let rules = knowledge.rules();
    if line.len() > MAX_LINE {
        return Err("the line is too long for a position".to_owned());
    }
    let text = str::from_utf8(line).map_err(|_| "the line is not text in UTF-8")?;
    let position = Position::parse(rules, text).map_err(|error| error.to_string())?;
    if !json {
        return Ok(Answer::Short(knowledge.verdict(&position).map_err(|error| error.to_string())?));
    }
    let before = blocks_decoded();
    let insight = knowledge.look_up(&position, &[]).map_err(|error| error.to_string())?;
    let answer = json::Probe::new(rules, &position, &insight);
    Ok(Answer::Json(answer.with_blocks(blocks_decoded() - before)))
}

/// Standard input in pieces of whole lines.
struct Batches {
    input: StdinLock<'static>,
    buffer: Box<[u8]>,
    /// Bytes of the buffer that are handed out; the next batch begins after them.
    taken: usize,
    /// Bytes of the buffer that were read.
    filled: usize,
}

impl Batches {
    fn new() -> Batches {
        let buffer = vec![0; BATCH_BYTES].into_boxed_slice();
        Batches { input: io::stdin().lock(), buffer, taken: 0, filled: 0 }
    }

    /// Lines with no line break after the last; as many as can be had without waiting for more than one.
    fn next(&mut self) -> Result<Option<&[u8]>, Failure> {
        self.buffer.copy_within(self.taken..self.filled, 0);
        self.filled -= self.taken;
        loop {
            // What is left is the beginning of one line.
            self.filled = self.filled.min(MAX_LINE + 1);
            let read = match self.input.read(&mut self.buffer[self.filled..]) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Failure::Failed(format!("cannot read standard input: {error}"))),
            };
            let new = &self.buffer[self.filled..self.filled + read];
            let line_break = new.iter().rposition(|&byte| byte == b'\n');
            let end = line_break.map(|index| self.filled + index);
            self.filled += read;
            if let Some(end) = end {
                self.taken = end + 1;
                return Ok(Some(&self.buffer[..end]));
            }
            if read == 0 {
                self.taken = self.filled;
                return Ok((self.filled > 0).then_some(&self.buffer[..self.filled]));
            }
        }
    }
}
