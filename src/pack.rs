//! One archive of the tables of a rule set, to be handed out: tables, manifest, certificates, what the files
//! mean, licences and how to cite them.
//!
//! The archive is a `tar` file whose bytes depend on nothing but the files in it. So whoever generates the same
//! tables and packs them with the same version gets the same checksum.

use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::Xxh3;

use crate::certificate::{Certificate, CertificateError, Certificates};
use crate::file::open_regular;
use crate::index::Index;
use crate::material::Material;
use crate::progress::{Progress, Stage};
use crate::rules::Rules;
use crate::table::{
    Access, MANIFEST_NAME, Manifest, Metric, Table, TableError, display_name, folder, parse_file_name,
    replace_file,
};

/// What lies beside the tables of each archive.
const DOCUMENTS: [(&str, &str); 5] = [
    ("CERTIFICATES.md", include_str!("../tables/CERTIFICATES.md")),
    ("CITATION.cff", include_str!("../CITATION.cff")),
    ("LICENSE-APACHE", include_str!("../LICENSE-APACHE")),
    ("LICENSE-MIT", include_str!("../LICENSE-MIT")),
    ("README.md", include_str!("../tables/README.md")),
];

/// Which tables are packed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    /// Those of slices with at most so many stones in total.
    pub stones: usize,
    /// Those of these metrics.
    pub metrics: Vec<Metric>,
}

impl Selection {
    /// All tables.
    pub fn all() -> Selection {
        Selection { stones: usize::MAX, metrics: Metric::ALL.to_vec() }
    }

    fn holds(&self, (material, metric): (Material, Metric)) -> bool {
        material.total() <= self.stones && self.metrics.contains(&metric)
    }
}

/// An archive that was written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    /// Tables in it.
    pub tables: u64,
    /// Certificates in it.
    pub certificates: u64,
    /// Bytes of it.
    pub bytes: u64,
    /// The SHA-256 of it.
    pub sha256: [u8; 32],
}

impl Packed {
    /// The checksum as `sha256sum` prints it: 64 hexadecimal digits.
    pub fn digits(&self) -> String {
        self.sha256.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packed")
            .field("tables", &self.tables)
            .field("certificates", &self.certificates)
            .field("bytes", &self.bytes)
            .field("sha256", &self.digits())
            .finish()
    }
}

/// Why there is no archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum PackError {
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[error("no finished table in {0} is among those to be packed")]
    Nothing(String),
    #[error("stopped")]
    Stopped,
}

/// Writes an archive of the selected tables at once: [`Package::of`] and [`Package::write`].
///
/// # Errors
/// As for both.
pub fn pack(
    dir: &Path,
    rules: &'static Rules,
    selection: &Selection,
    output: &Path,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Packed, PackError> {
    Package::of(dir, rules, selection)?.write(output, progress, stop)
}

/// A table to be packed.
struct Listed {
    path: PathBuf,
    name: String,
    material: Material,
    metric: Metric,
    bytes: u64,
    checksum: u128,
}

/// What goes into an archive.
pub struct Package {
    /// The folder in the archive: the name of the rules.
    folder: &'static str,
    /// Of the tables in it.
    manifest: Manifest,
    tables: Vec<Listed>,
    certificates: Vec<(PathBuf, u64)>,
}

impl fmt::Debug for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tables, certificates) = (self.tables.len(), self.certificates.len());
        f.debug_struct("Package")
            .field("folder", &self.folder)
            .field("tables", &tables)
            .field("certificates", &certificates)
            .finish_non_exhaustive()
    }
}

impl Package {
    /// The selected tables for `rules` below `dir`, and all certificates for them. Their headers are checked.
    ///
    /// # Errors
    /// [`PackError`] when a table or a certificate is missing, is not what its name says, or cannot be read, and
    /// when there is no table.
    pub fn of(dir: &Path, rules: &'static Rules, selection: &Selection) -> Result<Package, PackError> {
        let folder = folder(dir, rules);
        let index = Arc::new(Index::new(rules));
        let (mut manifest, mut tables) = (Manifest::default(), Vec::new());
        for entry in Manifest::read(&folder)?.entries() {
            let Some((material, metric)) = parse_file_name(entry.name) else { continue };
            if !selection.holds((material, metric)) {
                continue;
            }
            let path = folder.join(entry.name);
            let table = match Table::open(&folder, &index, material, metric, Access::Read) {
                Err(TableError::NoTable { .. }) => {
                    return Err(TableError::Missing(display_name(&path)).into());
                }
                table => table?,
            };
            let (name, checksum) = (entry.name.to_owned(), entry.checksum);
            manifest.insert(name.clone(), checksum);
            tables.push(Listed { path, name, material, metric, bytes: table.file_bytes(), checksum });
        }
        if tables.is_empty() {
            return Err(PackError::Nothing(display_name(&folder)));
        }
        let mut certificates = Vec::new();
        for path in Certificates::paths(dir, rules) {
            Certificate::open_for(&path, rules)?;
            let (_, metadata) = open_regular(&path).map_err(TableError::file(&path))?;
            certificates.push((path, metadata.len()));
        }
        Ok(Package { folder: rules.name(), manifest, tables, certificates })
    }

    /// The bytes of the tables and certificates.
    pub fn bytes(&self) -> u64 {
        let tables = self.tables.iter().map(|table| table.bytes);
        tables.chain(self.certificates.iter().map(|(_, bytes)| *bytes)).sum()
    }

    /// Writes the archive `output`, whole or not at all. Each table must be the one that the manifest lists.
    /// `progress` counts [`bytes`](Self::bytes).
    ///
    /// # Errors
    /// [`PackError`] when a file is not what it was or not what the manifest lists, when the archive cannot be
    /// written, and when `stop` was set.
    pub fn write(
        &self,
        output: &Path,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Packed, PackError> {
        let mut packed = Packed {
            tables: self.tables.len() as u64,
            certificates: self.certificates.len() as u64,
            bytes: 0,
            sha256: [0; 32],
        };
        // The error of a file that is packed is told, not that the archive could not be finished for it.
        let mut failure = None;
        let written = replace_file(output, |file| {
            let mut archive = Archive {
                builder: tar::Builder::new(Digested { inner: file, hash: Sha256::new(), bytes: 0 }),
                folder: self.folder,
                progress,
                stop,
            };
            match archive.fill(self) {
                Ok(()) => {}
                Err(Unfinished::Io(error)) => return Err(error),
                Err(Unfinished::Pack(error)) => {
                    failure = Some(error);
                    return Err(io::Error::other("not packed"));
                }
            }
            let Digested { hash, bytes, .. } = archive.builder.into_inner()?;
            (packed.bytes, packed.sha256) = (bytes, hash.finalize().into());
            Ok(())
        });
        match failure {
            Some(error) => Err(error),
            None => Ok(written.map(|()| packed)?),
        }
    }
}

/// Why an archive is not finished.
enum Unfinished {
    /// It cannot be written.
    Io(io::Error),
    /// A file that belongs in it is not as it should be.
    Pack(PackError),
}

impl From<io::Error> for Unfinished {
    fn from(error: io::Error) -> Unfinished {
        Unfinished::Io(error)
    }
}

struct Archive<'a, W: Write> {
    builder: tar::Builder<Digested<W>>,
    folder: &'static str,
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
}

impl<W: Write> Archive<'_, W> {
    fn fill(&mut self, package: &Package) -> Result<(), Unfinished> {
        for (name, text) in DOCUMENTS {
            self.add(name, text.len() as u64, text.as_bytes())?;
        }
        let manifest = package.manifest.to_string();
        self.add(MANIFEST_NAME, manifest.len() as u64, manifest.as_bytes())?;
        for (path, bytes) in &package.certificates {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            self.add_file(&name, path, *bytes)?;
        }
        for table in &package.tables {
            let &Listed { material, metric, .. } = table;
            self.progress.stage(Stage::Checksums { material, metric });
            if self.add_file(&table.name, &table.path, table.bytes)? != table.checksum {
                let name = display_name(&table.path);
                return Err(Unfinished::Pack(TableError::Checksum(name).into()));
            }
        }
        Ok(())
    }

    /// Adds a file that has so many bytes, and returns its checksum: XXH3 with 128 bits.
    fn add_file(&mut self, name: &str, path: &Path, bytes: u64) -> Result<u128, Unfinished> {
        let broken = |error: TableError| Unfinished::Pack(error.into());
        let (file, _) = open_regular(path).map_err(|error| broken(TableError::file(path)(error)))?;
        let mut watched = Watched {
            file,
            left: bytes,
            hash: Xxh3::new(),
            progress: self.progress,
            stop: self.stop,
            error: None,
        };
        let added = self.add(name, bytes, &mut watched);
        if self.stop.load(Ordering::Relaxed) {
            return Err(Unfinished::Pack(PackError::Stopped));
        }
        match watched.error {
            Some(error) => Err(broken(TableError::io(path)(error))),
            None => added.map(|()| watched.hash.digest128()).map_err(Unfinished::Io),
        }
    }

    fn add(&mut self, name: &str, bytes: u64, contents: impl Read) -> io::Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes);
        header.set_mode(0o644);
        header.set_mtime(0);
        self.builder.append_data(&mut header, format!("{}/{name}", self.folder), contents)
    }
}

/// Counts and hashes what is written.
struct Digested<W> {
    inner: W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> Write for Digested<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A file that is read to the end of the bytes it should have, as long as nobody says stop.
struct Watched<'a, R> {
    file: R,
    left: u64,
    hash: Xxh3,
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
    /// What reading it returned; errors of writing the archive are another thing.
    error: Option<io::Error>,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("stopped"));
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(into.len());
        let result = match self.file.read(&mut into[..most]) {
            Ok(0) if most > 0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter")),
            result => result,
        };
        match result {
            Ok(count) => {
                self.hash.update(&into[..count]);
                self.left -= count as u64;
                self.progress.advanced(count as u64);
                Ok(count)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.error = Some(error);
                Err(io::Error::other("not read"))
            }
        }
    }
}
