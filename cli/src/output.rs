//! Where answers and messages go.

use std::io::{self, BufWriter, Stdout, Write};

use serde::Serialize;

use super::failure::Failure;

/// Buffered standard output. `println!` is not used anywhere: it panics when the reader has gone.
pub type Output = BufWriter<Stdout>;

/// Standard output; the caller flushes it.
pub fn stdout() -> Output {
    BufWriter::with_capacity(1 << 16, io::stdout())
}

/// Passes on what is buffered.
pub fn flush(out: &mut Output) -> Result<(), Failure> {
    Ok(out.flush()?)
}

/// Prints `value` as JSON on a line of its own.
pub fn json_line(out: &mut Output, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value)?;
    Ok(out.write_all(b"\n")?)
}
