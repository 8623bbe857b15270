//! A NumPy archive: a ZIP file with an array in NumPy's own form for each column, not compressed.
//!
//! The archive holds whole columns one after the other. So each is written to a temporary file beside the
//! archive first, which has no name and vanishes with the process.

use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::WriteError;
use super::rows::{Batch, Columns, Data};
use crate::study::StudyError;
use crate::table::WriteSeek;

/// Writes an archive of arrays with `rows` elements each.
pub fn write(
    out: &mut dyn WriteSeek,
    path: &Path,
    columns: &Columns,
    rows: u64,
    batches: impl Iterator<Item = Result<Batch, StudyError>>,
) -> Result<(), WriteError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let empty = Batch::default();
    let mut spools = Vec::new();
    for column in columns.iter() {
        let mut spool = BufWriter::new(tempfile::tempfile_in(folder)?);
        spool.write_all(&header(kind(empty.data(column)), rows))?;
        spools.push((column, spool));
    }
    for batch in batches {
        let batch = batch?;
        for (column, spool) in &mut spools {
            write_numbers(spool, batch.data(*column))?;
        }
    }
    let mut archive = ZipWriter::new(out);
    for (column, spool) in spools {
        let mut spool = spool.into_inner().map_err(io::IntoInnerError::into_error)?;
        let length = spool.stream_position()?;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(length >= u32::MAX.into());
        archive.start_file(format!("{}.npy", column.name()), options).map_err(io::Error::from)?;
        spool.seek(SeekFrom::Start(0))?;
        io::copy(&mut spool, &mut archive)?;
    }
    archive.finish().map_err(io::Error::from)?;
    Ok(())
}

fn kind(data: Data) -> &'static str {
    match data {
        Data::U32(_) => "<u4",
        Data::U8(_) => "|u1",
        Data::I8(_) => "|i1",
        Data::I16(_) => "<i2",
        Data::U64(_) => "<u8",
    }
}

/// The beginning of an array file, version 1.0: its length is a multiple of 64.
fn header(kind: &str, rows: u64) -> Vec<u8> {
    const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows},), }}");
    let length = (MAGIC.len() + 2 + text.len() + 1).next_multiple_of(64) - MAGIC.len() - 2;
    while text.len() + 1 < length {
        text.push(' ');
    }
    text.push('\n');
    [MAGIC, &(length as u16).to_le_bytes(), text.as_bytes()].concat()
}

fn write_numbers(out: &mut impl Write, data: Data) -> io::Result<()> {
    let bytes: Vec<u8> = match data {
        Data::U8(numbers) => return out.write_all(numbers),
        Data::U32(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        Data::I8(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        Data::I16(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        Data::U64(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
    };
    out.write_all(&bytes)
}
