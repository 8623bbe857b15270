//! The manifest of a folder: which tables are finished, with the checksum of each.
//!
//! It has the form that `xxhsum -H2` prints and `xxhsum -c` checks: 32 hexadecimal digits, two spaces and the
//! file name, a line for each file, sorted by name.

use std::collections::BTreeMap;
use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use super::error::display_name;
use super::write::replace_file_in;
use super::{TableError, parse_file_name};
use crate::file::{FileError, read_whole};
use crate::storage::{Disk, Storage};

/// The name of the manifest in its folder.
pub const MANIFEST_NAME: &str = "manifest.xxh128";

/// Most bytes of a manifest: more than one that lists every table has.
pub(super) const MAX_BYTES: u64 = 1 << 20;

/// The finished tables of a folder.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Manifest(BTreeMap<String, u128>);

/// A file that the manifest lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ManifestEntry<'a> {
    /// The name of the file in the folder.
    pub name: &'a str,
    /// XXH3 with 128 bits over the whole file.
    pub checksum: u128,
}

/// The lines of the file.
impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries().try_for_each(|entry| writeln!(f, "{:032x}  {}", entry.checksum, entry.name))
    }
}

impl Manifest {
    /// Reads the manifest of `folder`; an absent one lists nothing.
    ///
    /// # Errors
    /// [`TableError`] when it cannot be read or has another form.
    pub fn read(folder: &Path) -> Result<Manifest, TableError> {
        let path = folder.join(MANIFEST_NAME);
        let bytes = match read_whole(&path, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(FileError::Io(error)) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(TableError::file(&path)(error)),
        };
        Manifest::parse(&bytes, &display_name(&path))
    }

    /// Reads the bytes of a manifest. Errors call it `name`.
    ///
    /// # Errors
    /// [`TableError::Manifest`] when they have another form.
    pub fn parse(bytes: &[u8], name: &str) -> Result<Manifest, TableError> {
        let text = String::from_utf8_lossy(bytes);
        let parse = |(number, line): (usize, &str)| {
            let entry = line.split_once("  ").filter(|(digits, _)| digits.len() == 32);
            let entry = entry.filter(|(_, file)| parse_file_name(file).is_some());
            let entry = entry
                .and_then(|(digits, file)| Some((file.to_owned(), u128::from_str_radix(digits, 16).ok()?)));
            entry.ok_or_else(|| TableError::Manifest { name: name.to_owned(), line: number })
        };
        (1..).zip(text.lines()).map(parse).collect::<Result<_, _>>().map(Manifest)
    }

    /// Writes the manifest of `folder`, whole or not at all.
    ///
    /// # Errors
    /// [`TableError::Io`] when it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), TableError> {
        self.write_in(&Disk, folder)
    }

    /// As [`write`](Self::write), in this storage.
    pub(crate) fn write_in(&self, storage: &dyn Storage, folder: &Path) -> Result<(), TableError> {
        replace_file_in(storage, &folder.join(MANIFEST_NAME), |file| write!(file, "{self}"))
    }

    /// The checksum of the file called `name`, if it is listed.
    pub fn checksum(&self, name: &str) -> Option<u128> {
        self.0.get(name).copied()
    }

    /// Lists a file, in place of an earlier one of that name.
    pub fn insert(&mut self, name: String, checksum: u128) {
        self.0.insert(name, checksum);
    }

    /// Takes a file off the list.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// All files, by name.
    pub fn entries(&self) -> impl Iterator<Item = ManifestEntry<'_>> {
        self.0.iter().map(|(name, &checksum)| ManifestEntry { name, checksum })
    }
}
