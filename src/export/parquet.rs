//! Apache Parquet.

use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::rows::{Batch, Columns, Data};
use super::{ExportError, WriteError};
use crate::study::StudyError;
use crate::table::WriteSeek;

/// Batches of a row group.
const GROUP: usize = 8;

/// Writes a file with a row group for every few batches.
pub fn write(
    out: &mut dyn WriteSeek,
    path: &Path,
    columns: &Columns,
    batches: impl Iterator<Item = Result<Batch, StudyError>>,
) -> Result<(), WriteError> {
    let failed = |error: ParquetError| match error {
        // What writing the file returned.
        ParquetError::External(error) if error.is::<std::io::Error>() => {
            WriteError::Io(std::io::Error::other(error))
        }
        error => WriteError::Export(ExportError::Parquet { path: path.to_owned(), error }),
    };
    let schema = Arc::new(schema(columns).map_err(failed)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_created_by(concat!("alquerque ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let mut file = SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(failed)?;
    let mut batches = batches.peekable();
    while batches.peek().is_some() {
        let group: Vec<Batch> = batches.by_ref().take(GROUP).collect::<Result<_, StudyError>>()?;
        write_group(&mut file, columns, &group).map_err(failed)?;
    }
    file.close().map_err(failed)?;
    Ok(())
}

fn write_group(
    file: &mut SerializedFileWriter<&mut dyn WriteSeek>,
    columns: &Columns,
    batches: &[Batch],
) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    for column in columns.iter() {
        let Some(mut writer) = group.next_column()? else { break };
        for batch in batches {
            match batch.data(column) {
                Data::U64(numbers) => {
                    let numbers: Vec<i64> = numbers.iter().map(|&number| number as i64).collect();
                    writer.typed::<Int64Type>().write_batch(&numbers, None, None)?;
                }
                data => {
                    writer.typed::<Int32Type>().write_batch(&integers(data), None, None)?;
                }
            }
        }
        writer.close()?;
    }
    group.close().map(drop)
}

fn integers(data: Data) -> Vec<i32> {
    match data {
        Data::U32(numbers) => numbers.iter().map(|&number| number as i32).collect(),
        Data::U8(numbers) => numbers.iter().copied().map(i32::from).collect(),
        Data::I8(numbers) => numbers.iter().copied().map(i32::from).collect(),
        Data::I16(numbers) => numbers.iter().copied().map(i32::from).collect(),
        Data::U64(numbers) => numbers.iter().map(|&number| number as i32).collect(),
    }
}

/// A required column for each.
fn schema(columns: &Columns) -> Result<Type, ParquetError> {
    let empty = Batch::default();
    let field = |column| {
        let (physical, bit_width, is_signed) = match empty.data(column) {
            Data::U32(_) => (Physical::INT32, 32, false),
            Data::U8(_) => (Physical::INT32, 8, false),
            Data::I8(_) => (Physical::INT32, 8, true),
            Data::I16(_) => (Physical::INT32, 16, true),
            Data::U64(_) => (Physical::INT64, 64, false),
        };
        let field = Type::primitive_type_builder(super::Column::name(column), physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::integer(bit_width, is_signed)))
            .build()?;
        Ok(Arc::new(field))
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, ParquetError>>()?;
    Type::group_type_builder("positions").with_fields(fields).build()
}
