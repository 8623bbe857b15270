//! Where the bytes of a table come from: a file that is read piece by piece, one that is mapped, or memory.
//!
//! Decoding knows nothing of files: it asks a [`BlockSource`] for bytes. Others may hold them elsewhere.

use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use crate::file::{FileError, open_regular, read_exact_at};

/// The bytes of one table, from wherever.
///
/// What a source returns is not trusted: every block has a checksum.
pub trait BlockSource: fmt::Debug + Send + Sync {
    /// How many bytes there are. It stays the same.
    fn length(&self) -> u64;

    /// The `length` bytes from `offset` on. They are put in `room`, unless the source has them in memory
    /// already.
    ///
    /// # Errors
    /// When they cannot be read; [`io::ErrorKind::UnexpectedEof`] when there are not that many.
    fn read<'a>(&'a self, offset: u64, length: usize, room: &'a mut Vec<u8>) -> io::Result<&'a [u8]>;
}

/// How the bytes of table files are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Access {
    /// Block by block, when they are needed. A file that becomes shorter while it is open, or that the disk
    /// cannot read, is an error of the probes that need it.
    #[default]
    Read,
    /// Through a memory map, which saves a microsecond for each block that is decoded. The process is killed
    /// (SIGBUS) when it reads beyond the end of a file that became shorter meanwhile.
    Map,
}

/// Opens the file at `path`.
pub(crate) fn open(path: &Path, access: Access) -> Result<Box<dyn BlockSource>, FileError> {
    let (file, metadata) = open_regular(path)?;
    Ok(match access {
        // An empty file cannot be mapped.
        #[cfg(not(target_arch = "wasm32"))]
        Access::Map if metadata.len() > 0 => {
            // SAFETY: the map is only read. That no other program cuts the file off meanwhile is what
            // `Access::Map` asks of its users; this program replaces tables by renaming.
            Box::new(MemorySource(unsafe { memmap2::Mmap::map(&file) }?))
        }
        Access::Map | Access::Read => Box::new(FileSource::new(path, file, &metadata)),
    })
}

/// Bytes in memory: a mapped file, or one that a web page has loaded.
#[derive(Clone, Copy)]
pub struct MemorySource<T>(
    /// The bytes. They stay the same.
    pub T,
);

impl<T: AsRef<[u8]>> fmt::Debug for MemorySource<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemorySource").field("length", &self.0.as_ref().len()).finish()
    }
}

impl<T: AsRef<[u8]> + Send + Sync> BlockSource for MemorySource<T> {
    fn length(&self) -> u64 {
        self.0.as_ref().len() as u64
    }

    fn read<'a>(&'a self, offset: u64, length: usize, _: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        let start = usize::try_from(offset).ok();
        let range = start.and_then(|start| Some(start..start.checked_add(length)?));
        range.and_then(|range| self.0.as_ref().get(range)).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// A file that is read by position. It stays open, as long as there are not too many of its kind; then it is
/// opened again for each block.
#[derive(Debug)]
struct FileSource {
    path: PathBuf,
    identity: Identity,
    open: Option<OpenFile>,
}

impl FileSource {
    fn new(path: &Path, file: File, metadata: &Metadata) -> FileSource {
        FileSource { path: path.to_owned(), identity: Identity::of(metadata), open: OpenFile::new(file) }
    }

    fn read_file(&self, file: &File, offset: u64, into: &mut [u8]) -> io::Result<()> {
        read_exact_at(file, into, offset).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                io::Error::new(error.kind(), "the file became shorter while it was open")
            }
            _ => error,
        })
    }
}

impl BlockSource for FileSource {
    fn length(&self) -> u64 {
        self.identity.length
    }

    fn read<'a>(&'a self, offset: u64, length: usize, room: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        room.clear();
        room.try_reserve_exact(length)?;
        room.resize(length, 0);
        if let Some(open) = &self.open {
            self.read_file(&open.0, offset, room)?;
        } else {
            let (file, metadata) = open_regular(&self.path).map_err(|error| match error {
                FileError::Io(error) => error,
                _ => io::Error::other("it is no longer a regular file"),
            })?;
            // Blocks of two files must not mix.
            if Identity::of(&metadata) != self.identity {
                return Err(io::Error::other("the file was replaced or changed while it was in use"));
            }
            self.read_file(&file, offset, room)?;
        }
        Ok(room)
    }
}

/// What tells a file from one that replaced it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Identity {
    length: u64,
    modified: Option<SystemTime>,
    number: Option<(u64, u64)>,
}

impl Identity {
    fn of(metadata: &Metadata) -> Identity {
        #[cfg(unix)]
        let number = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let number = None;
        Identity { length: metadata.len(), modified: metadata.modified().ok(), number }
    }
}

/// A file that stays open and counts among those that do.
#[derive(Debug)]
struct OpenFile(File);

/// How many files stay open in the whole process.
static OPEN_FILES: AtomicUsize = AtomicUsize::new(0);

/// How many may: half of what the system allows the process, so that connections and other files find room.
static MOST_OPEN_FILES: LazyLock<usize> = LazyLock::new(|| {
    const UNKNOWN: u64 = 256;
    (allowed_files().unwrap_or(4 * UNKNOWN).min(1 << 20) / 2) as usize
});

/// How many files the system allows the process to have open, where it says so.
#[cfg(unix)]
fn allowed_files() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(unix))]
fn allowed_files() -> Option<u64> {
    None
}

impl OpenFile {
    fn new(file: File) -> Option<OpenFile> {
        let count = |open: usize| open.checked_add(1).filter(|&open| open <= *MOST_OPEN_FILES);
        OPEN_FILES.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count).ok()?;
        Some(OpenFile(file))
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        OPEN_FILES.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(source: &dyn BlockSource, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut room = Vec::new();
        source.read(offset, length, &mut room).map(<[u8]>::to_vec)
    }

    #[test]
    fn all_ways_give_the_same_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let content: Vec<u8> = (0..10_000_u32).map(|number| (number % 251) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        let (file, metadata) = open_regular(&path).unwrap();
        let reopened = FileSource { open: None, ..FileSource::new(&path, file, &metadata) };
        let mut sources = vec![Box::new(reopened) as Box<dyn BlockSource>];
        sources.push(Box::new(MemorySource(content.clone())));
        sources.extend([Access::Read, Access::Map].map(|access| open(&path, access).unwrap()));
        for source in &sources {
            assert_eq!(source.length(), 10_000);
            for (offset, length) in [(0, 0), (0, 10_000), (17, 5000), (9_999, 1), (10_000, 0)] {
                let expected = &content[offset as usize..][..length];
                assert_eq!(bytes(&**source, offset, length).unwrap(), expected, "{source:?}");
            }
            for (offset, length) in [(0, 10_001), (9_999, 2), (10_001, 1), (u64::MAX, 2)] {
                assert!(bytes(&**source, offset, length).is_err(), "{source:?}");
            }
        }
    }

    #[test]
    fn a_file_that_shrinks_or_is_replaced_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, [1; 100]).unwrap();
        let (file, metadata) = open_regular(&path).unwrap();
        let reopened = FileSource { open: None, ..FileSource::new(&path, file, &metadata) };
        let kept = open(&path, Access::Read).unwrap();
        assert!(bytes(&reopened, 50, 10).is_ok() && bytes(&*kept, 50, 10).is_ok());
        let other = dir.path().join("other");
        std::fs::write(&other, [2; 100]).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert!(bytes(&reopened, 50, 10).unwrap_err().to_string().contains("replaced"));
        assert_eq!(bytes(&*kept, 50, 10).unwrap(), [1; 10]);
        let kept = open(&path, Access::Read).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
        assert!(bytes(&*kept, 50, 10).unwrap_err().to_string().contains("shorter"));
    }
}
