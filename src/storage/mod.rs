//! What writing tables asks of a file system, as a seam: tests put one that fails, or that remembers what it
//! was asked, in the place of the real one.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek, Write};
use std::path::Path;

/// A file system that is written to.
pub(crate) trait Storage: Send + Sync {
    /// Makes a folder, whose parent exists.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Makes an empty file, in place of one that is there.
    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>>;

    /// Makes an empty file for intermediate results, in place of one that is there.
    fn create_scratch(&self, path: &Path) -> io::Result<Box<dyn ScratchFile>>;

    /// Opens a file that [`create_scratch`](Self::create_scratch) made.
    fn open_scratch(&self, path: &Path) -> io::Result<Box<dyn ScratchFile>>;

    /// Gives a file another name, in place of one that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Returns when the names in a folder are on the disk.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// How much room there is for files in a folder, which need not exist yet.
    fn space(&self, path: &Path) -> Space {
        Space::at(path)
    }
}

/// The room that a file system has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space {
    /// The bytes that this process may still write; `None` where the system does not tell.
    pub free: Option<u64>,
    /// What tells one file system from another; `None` where the system does not tell.
    pub device: Option<u64>,
}

/// A file that is being written.
pub(crate) trait NewFile: Write + Seek + Send {
    /// Returns when what was written is on the disk.
    fn sync(&mut self) -> io::Result<()>;

    /// The file itself, to be mapped.
    fn file(&self) -> &File;
}

/// A file for intermediate results, written and read in any order and from any thread. It need not outlive
/// the run.
pub(crate) trait ScratchFile: Send + Sync {
    /// Reads bytes from this place on, as many as come at once; none at the end of the file.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes bytes from this place on, as many as go at once.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;
}

impl dyn ScratchFile {
    /// Reads all these bytes.
    ///
    /// # Errors
    /// What the file returns; [`ErrorKind::UnexpectedEof`] if it is shorter.
    pub fn read_all_at(&self, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match uninterrupted(|| self.read_at(bytes, offset))? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                count => {
                    bytes = &mut bytes[count..];
                    offset += count as u64;
                }
            }
        }
        Ok(())
    }

    /// Writes all these bytes.
    ///
    /// # Errors
    /// What the file returns.
    pub fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match uninterrupted(|| self.write_at(bytes, offset))? {
                0 => return Err(ErrorKind::WriteZero.into()),
                count => {
                    bytes = &bytes[count..];
                    offset += count as u64;
                }
            }
        }
        Ok(())
    }
}

/// The file system of the machine.
pub(crate) struct Disk;

impl Storage for Disk {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        Ok(Box::new(file))
    }

    fn create_scratch(&self, path: &Path) -> io::Result<Box<dyn ScratchFile>> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        Ok(Box::new(file))
    }

    fn open_scratch(&self, path: &Path) -> io::Result<Box<dyn ScratchFile>> {
        Ok(Box::new(File::options().read(true).write(true).open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        if cfg!(not(unix)) {
            return Ok(());
        }
        match File::open(path).and_then(|folder| folder.sync_all()) {
            // Not every folder can be opened, nor can every file system sync one. That leaves it to the
            // system.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
                ) =>
            {
                Ok(())
            }
            synced => synced,
        }
    }
}

impl NewFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }

    fn file(&self) -> &File {
        self
    }
}

#[cfg(unix)]
impl ScratchFile for File {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, bytes, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::write_at(self, bytes, offset)
    }
}

#[cfg(windows)]
impl ScratchFile for File {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, bytes, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_write(self, bytes, offset)
    }
}

impl Space {
    /// The room of the file system that holds `path`, or what will hold it.
    fn at(path: &Path) -> Space {
        let mut path = path;
        while !path.exists() && parent(path) != path {
            path = parent(path);
        }
        Space { free: free_space(path), device: device(path) }
    }
}

#[cfg(unix)]
fn free_space(path: &Path) -> Option<u64> {
    let space = rustix::fs::statvfs(path).ok()?;
    space.f_bavail.checked_mul(space.f_frsize)
}

#[cfg(unix)]
fn device(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    Some(fs::metadata(path).ok()?.dev())
}

#[cfg(not(unix))]
fn free_space(_: &Path) -> Option<u64> {
    None
}

#[cfg(not(unix))]
fn device(_: &Path) -> Option<u64> {
    None
}

/// Repeats `operation` while signals interrupt it.
pub(crate) fn uninterrupted<T>(mut operation: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match operation() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// The folder that holds `path`.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) => Path::new("."),
        None => path,
    }
}

/// Makes a folder and those that it lies in, as far as they do not exist, and sees to it that they stay.
///
/// # Errors
/// What the storage returns.
pub(crate) fn create_folders(storage: &dyn Storage, path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if parent(path) != path {
        create_folders(storage, parent(path))?;
    }
    match uninterrupted(|| storage.create_folder(path)) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => {}
        created => created?,
    }
    uninterrupted(|| storage.sync_folder(parent(path)))
}
