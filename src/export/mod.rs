//! Data for other programs: positions with values, distances and best moves, as CSV, Apache Parquet or NumPy
//! `.npz`.
//!
//! Rows are made in batches on all threads and written as they come, so that memory does not depend on how
//! many there are. `docs/data.md` describes the columns.

mod csv;
mod npz;
mod parquet;
mod population;
mod rows;

pub use population::Population;
pub use rows::{Column, Columns, Data};

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::material::Material;
use crate::progress::Progress;
use crate::study::{Monitor, Sampler, StudyError};
use crate::table::{TableError, replace_file};
use crate::tablebase::Tablebase;

/// The form of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Text: a line of names, then a line for each position.
    Csv,
    /// Apache Parquet, compressed with zstd.
    Parquet,
    /// A NumPy archive with an array for each column, not compressed.
    Npz,
}

/// What is exported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    /// The slices, one after the other.
    pub slices: Vec<Material>,
    /// Whether of positions that are equal by symmetry one is enough.
    pub distinct: bool,
    /// How many positions of all slices together, chosen by a seed; all if `None`.
    pub sample: Option<(u64, u64)>,
}

/// Why there is no export.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum ExportError {
    #[error(transparent)]
    Study(#[from] StudyError),
    #[error(transparent)]
    File(TableError),
    #[error("{}: {error}", path.display())]
    Parquet { path: PathBuf, error: ::parquet::errors::ParquetError },
}

/// Rows of a batch, and batches of a row group of a Parquet file.
const BATCH_ROWS: u64 = 1 << 16;

/// How many rows an export has.
///
/// # Errors
/// [`ExportError`] when a table of a slice is missing.
pub fn count_rows(tables: &Tablebase, selection: &Selection) -> Result<u64, ExportError> {
    let population = Population::new(tables, &selection.slices, selection.distinct)?;
    Ok(selection.sample.map_or(population.size(), |(size, _)| size.min(population.size())))
}

/// Writes a selection of positions to a file, whole or not at all, and returns how many rows it has.
/// `progress` counts rows.
///
/// # Errors
/// [`ExportError`] when a table is missing or damaged, the file cannot be written, or `stop` was set.
pub fn export(
    tables: &Tablebase,
    selection: &Selection,
    format: Format,
    path: &Path,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<u64, ExportError> {
    let population = Population::new(tables, &selection.slices, selection.distinct)?;
    let (size, seed) = selection.sample.unwrap_or((u64::MAX, 0));
    let sampler = Sampler::new(population.size(), size, seed);
    let rows = sampler.size();
    let monitor = Monitor { progress, stop };
    let mut failure = None;
    let written = replace_file(path, |file| {
        let batches = rows::batches(tables, &population, &sampler, BATCH_ROWS, monitor);
        let columns = Columns::of(tables.rules());
        let result = match format {
            Format::Csv => csv::write(file, &columns, batches),
            Format::Npz => npz::write(file, path, &columns, rows, batches),
            Format::Parquet => parquet::write(file, path, &columns, batches),
        };
        result.map_err(|error| match error {
            WriteError::Io(error) => error,
            WriteError::Export(error) => {
                failure = Some(error);
                std::io::Error::other("not exported")
            }
        })
    });
    match (failure, written) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(ExportError::File(error)),
        (None, Ok(())) => Ok(rows),
    }
}

/// Writes a selection as CSV to a stream, for instance standard output.
///
/// # Errors
/// As for [`export`], and what writing returns.
pub fn export_csv(
    tables: &Tablebase,
    selection: &Selection,
    out: &mut dyn std::io::Write,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> std::io::Result<Result<u64, ExportError>> {
    let population = match Population::new(tables, &selection.slices, selection.distinct) {
        Ok(population) => population,
        Err(error) => return Ok(Err(error.into())),
    };
    let (size, seed) = selection.sample.unwrap_or((u64::MAX, 0));
    let sampler = Sampler::new(population.size(), size, seed);
    let batches = rows::batches(tables, &population, &sampler, BATCH_ROWS, Monitor { progress, stop });
    match csv::write(out, &Columns::of(tables.rules()), batches) {
        Ok(()) => Ok(Ok(sampler.size())),
        Err(WriteError::Io(error)) => Err(error),
        Err(WriteError::Export(error)) => Ok(Err(error)),
    }
}

/// Why a file is not finished.
enum WriteError {
    Io(std::io::Error),
    Export(ExportError),
}

impl From<std::io::Error> for WriteError {
    fn from(error: std::io::Error) -> WriteError {
        WriteError::Io(error)
    }
}

impl From<StudyError> for WriteError {
    fn from(error: StudyError) -> WriteError {
        WriteError::Export(error.into())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use ::parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;
    use crate::rules::CLASSIC;
    use crate::table::Metric;

    /// The rows of a CSV file, as texts.
    fn csv(dir: &Path, tables: &Tablebase, selection: &Selection) -> Vec<Vec<String>> {
        let path = dir.join("out.csv");
        export(tables, selection, Format::Csv, &path, &(), &AtomicBool::new(false)).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn all_forms_hold_the_same() {
        let dir = tempfile::TempDir::new().unwrap();
        let tables = Tablebase::open("tables", &CLASSIC).unwrap();
        let slices = ["2v2", "1v2"].map(|text| text.parse().unwrap()).to_vec();
        for sample in [None, Some((500, 3)), Some((0, 3))] {
            let selection = Selection { slices: Vec::clone(&slices), distinct: true, sample };
            let expected = csv(dir.path(), &tables, &selection);
            let write = |format, name: &str| {
                let path = dir.path().join(name);
                let rows = export(&tables, &selection, format, &path, &(), &AtomicBool::new(false)).unwrap();
                assert_eq!(rows as usize, expected.len() - 1);
                assert_eq!(rows, count_rows(&tables, &selection).unwrap());
                path
            };
            let path = write(Format::Parquet, "out.parquet");
            let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
            let schema = reader.metadata().file_metadata().schema();
            let names: Vec<&str> = schema.get_fields().iter().map(|field| field.name()).collect();
            assert_eq!(names, expected[0]);
            let rows: Vec<Vec<String>> = reader
                .get_row_iter(None)
                .unwrap()
                .map(|row| row.unwrap().get_column_iter().map(|(_, field)| field.to_string()).collect())
                .collect();
            assert_eq!(rows, expected[1..]);

            let path = write(Format::Npz, "out.npz");
            let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
            for (column, name) in expected[0].iter().enumerate() {
                let mut bytes = Vec::new();
                archive.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
                let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
                assert!(bytes.starts_with(b"\x93NUMPY") && start % 64 == 0);
                let header = std::str::from_utf8(&bytes[10..start]).unwrap();
                assert!(header.contains(&format!("'shape': ({},)", expected.len() - 1)), "{header}");
                let number = |bytes: &[u8]| -> String {
                    match *bytes {
                        [byte] if name == "value" => (byte as i8).to_string(),
                        [byte] => byte.to_string(),
                        [low, high] => i16::from_le_bytes([low, high]).to_string(),
                        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).to_string(),
                        _ => u64::from_le_bytes(bytes.try_into().unwrap()).to_string(),
                    }
                };
                let size = match name.as_str() {
                    "side" | "value" => 1,
                    name if name.parse::<Metric>().is_ok() => 2,
                    "best" => 8,
                    _ => 4,
                };
                let numbers: Vec<String> = bytes[start..].chunks(size).map(number).collect();
                let texts: Vec<&String> = expected[1..].iter().map(|row| &row[column]).collect();
                assert!(numbers.iter().eq(texts), "{name}");
            }
        }
    }
}
