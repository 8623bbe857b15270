//! Comma-separated text.

use std::io::Write;

use super::WriteError;
use super::rows::{Batch, Columns, Data};
use crate::study::StudyError;

/// Writes a line of names, then a line for each row.
pub fn write(
    out: &mut dyn Write,
    columns: &Columns,
    batches: impl Iterator<Item = Result<Batch, StudyError>>,
) -> Result<(), WriteError> {
    let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
    writeln!(out, "{}", names.join(","))?;
    let mut text = Vec::new();
    for batch in batches {
        let batch = batch?;
        text.clear();
        let data: Vec<Data> = columns.iter().map(|column| batch.data(column)).collect();
        for row in 0..batch.len() {
            for (index, column) in data.iter().enumerate() {
                if index > 0 {
                    text.push(b',');
                }
                match column {
                    Data::U32(numbers) => write!(text, "{}", numbers[row])?,
                    Data::U8(numbers) => write!(text, "{}", numbers[row])?,
                    Data::I8(numbers) => write!(text, "{}", numbers[row])?,
                    Data::I16(numbers) => write!(text, "{}", numbers[row])?,
                    Data::U64(numbers) => write!(text, "{}", numbers[row])?,
                }
            }
            text.push(b'\n');
        }
        out.write_all(&text)?;
    }
    Ok(())
}
