//! Values of finished slices in files, for when they exceed the memory limit: the system keeps in memory what
//! is being read.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use memmap2::MmapRaw;

use super::cells::Cell;
use crate::index::Mover;
use crate::material::Material;
use crate::storage::{Storage, uninterrupted};
use crate::table::{ScratchKind, TableError};

/// A file that holds the values of one slice in the form that they have in memory. It is removed when it is
/// dropped; one that an interrupted run leaves behind is removed with the other temporary files.
pub struct Scratch {
    path: PathBuf,
    map: MmapRaw,
}

impl Scratch {
    /// Writes `cells` to a file in `folder`.
    ///
    /// # Errors
    /// [`TableError::Io`] if the file cannot be written or mapped.
    pub fn new(
        storage: &dyn Storage,
        folder: &Path,
        material: Material,
        cells: &[Cell],
    ) -> Result<Scratch, TableError> {
        let path = folder.join(match Mover::of(material) {
            Mover::RowSide => ScratchKind::Values.file_name(material.pair()),
            Mover::ColumnSide => ScratchKind::ColumnValues.file_name(material.pair()),
        });
        let write = || {
            // Only what an earlier run may have left is written over.
            if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
                return Err(io::Error::other("something that is not a regular file has this name"));
            }
            let mut file = uninterrupted(|| storage.create(&path))?;
            let mut writer = BufWriter::with_capacity(1 << 20, &mut file);
            for cell in cells {
                writer.write_all(&cell.bits().to_ne_bytes())?;
            }
            writer.flush()?;
            drop(writer);
            MmapRaw::map_raw(file.file())
        };
        let map = write().map_err(|error| {
            let _ = uninterrupted(|| storage.remove(&path));
            TableError::io(&path)(error)
        })?;
        Ok(Scratch { path, map })
    }

    /// The values.
    pub fn cells(&self) -> &[Cell] {
        let count = self.map.len() / size_of::<Cell>();
        // SAFETY: the map begins on a page and lives as long as `self`. A cell is two atomic words, which may
        // hold any bits, so even a program that wrote to the file against the lock on its folder
        // could only change values. The pointer does not come from a reference, so it allows writing
        // to what the cells hold.
        unsafe { std::slice::from_raw_parts(self.map.as_mut_ptr().cast(), count) }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::Region;
    use crate::storage::Disk;
    use crate::table::Value;

    #[test]
    fn values_come_back_and_the_file_goes() {
        let folder = tempfile::tempdir().unwrap();
        let cells = Region::<Cell>::new(1000).unwrap();
        cells[3].set(5, Value::Win);
        cells[999].set(63, Value::Draw);
        let scratch = Scratch::new(&Disk, folder.path(), Material::new(2, 1).unwrap(), &cells).unwrap();
        assert!(scratch.cells().iter().map(Cell::bits).eq(cells.iter().map(Cell::bits)));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        drop(scratch);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(
            Scratch::new(&Disk, &folder.path().join("none"), Material::new(2, 1).unwrap(), &cells).is_err()
        );
    }
}
