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

    /// Gives a file another name, in place of one that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Returns when the names in a folder are on the disk.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// A file that is being written.
pub(crate) trait NewFile: Write + Seek + Send {
    /// Returns when what was written is on the disk.
    fn sync(&mut self) -> io::Result<()>;

    /// The file itself, to be mapped.
    fn file(&self) -> &File;
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
