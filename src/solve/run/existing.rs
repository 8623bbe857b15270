//! What exists on disk already.

use std::sync::Arc;

use super::job::Job;
use crate::index::Index;
use crate::material::Pair;
use crate::solve::GenerateError;
use crate::table::{Access, Manifest, Metric, Table, TableError, file_name, folder, replaceable};

/// The metrics of `pair` that are wanted and not finished on disk.
///
/// # Errors
/// [`GenerateError::Existing`] when a file has the name of one of its tables and is not that table.
pub fn missing(
    job: &Job,
    index: &Arc<Index>,
    manifest: &Manifest,
    pair: Pair,
) -> Result<Vec<Metric>, GenerateError> {
    let folder = folder(&job.dir, job.rules);
    let mut missing = Vec::new();
    for metric in job.metrics.iter() {
        let mut finished = true;
        for material in pair.slices() {
            let name = file_name(material, metric);
            let path = folder.join(&name);
            if job.force {
                // A file that cannot be replaced is found before the work, not after it.
                replaceable(&path)?;
                finished = false;
                continue;
            }
            // A file that is not the table that its name promises is never overwritten.
            let table = match Table::open(&folder, index, material, metric, Access::Read) {
                Err(TableError::NoTable { .. }) => {
                    finished = false;
                    continue;
                }
                table => table.map_err(GenerateError::existing)?,
            };
            // A table that the manifest does not list is left from a run that ended before it could enter it.
            finished &= manifest.checksum(&name).is_some() && table.blocks() > 0;
        }
        if !finished {
            missing.push(metric);
        }
    }
    Ok(missing)
}
