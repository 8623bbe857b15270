//! Several programs may generate tables in one folder. A lock for each pair keeps two of them from solving the
//! same one, a lock for the manifest keeps their entries together, and each has a folder of its own for
//! intermediate results.
//!
//! Where a file system has no locks, none are taken: they guard against wasted work, and tables are put in
//! place whole.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::material::Pair;
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::storage::{Storage, create_folders, uninterrupted};
use crate::table::{TableError, is_temporary, lock_name, temporary_pair};

/// How often a program that waits for a pair looks again.
const PAUSE: Duration = Duration::from_millis(100);

/// A lock, until it is dropped.
pub struct Lock(Option<(File, PathBuf)>);

impl Lock {
    /// Where none is needed.
    pub fn none() -> Lock {
        Lock(None)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some((_, path)) = &self.0 {
            // Whoever opened the file before looks whether it is still there.
            let _ = fs::remove_file(path);
        }
    }
}

/// Opens and locks the file at `path`. `None` if another program has the lock.
fn try_lock(path: &Path) -> Option<Lock> {
    loop {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let Ok(file) = file else { return Some(Lock(None)) };
        match file.try_lock() {
            Ok(()) if is_at(&file, path) => return Some(Lock(Some((file, path.to_owned())))),
            // The one who had it removed the file.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return None,
            Err(TryLockError::Error(_)) => return Some(Lock(None)),
        }
    }
}

/// Whether the file is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |a: fs::Metadata, b: fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    let found = || Ok::<_, io::Error>(same(file.metadata()?, fs::metadata(path)?));
    found().unwrap_or(false)
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// The lock for a pair in `folder`. `None` if another program has it.
pub fn try_pair(folder: &Path, pair: Pair) -> Option<Lock> {
    try_lock(&folder.join(lock_name(Some(pair))))
}

/// Waits for the lock for a pair.
///
/// # Errors
/// [`GenerateError::Stopped`].
pub fn wait_for_pair(folder: &Path, pair: Pair, monitor: &Monitor) -> Result<Lock, GenerateError> {
    loop {
        monitor.check()?;
        if let Some(lock) = try_pair(folder, pair) {
            return Ok(lock);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Waits for the lock for the manifest, which nobody holds for long.
pub fn wait_for_manifest(folder: &Path) -> Lock {
    loop {
        if let Some(lock) = try_lock(&folder.join(lock_name(None))) {
            return lock;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Removes what interrupted runs left: unfinished tables of pairs that nobody works on, and folders of
/// intermediate results. Files by other names, folders and links are not theirs.
///
/// # Errors
/// [`TableError::Io`].
pub fn remove_leftovers(storage: &dyn Storage, folder: &Path) -> Result<(), TableError> {
    for entry in fs::read_dir(folder).map_err(TableError::io(folder))? {
        let entry = entry.map_err(TableError::io(folder))?;
        let (path, name) = (entry.path(), entry.file_name());
        let Some(name) = name.to_str() else { continue };
        let kind = entry.file_type();
        if kind.as_ref().is_ok_and(|kind| kind.is_file()) && is_temporary(name) {
            // A lock that can be had goes when it is dropped.
            let lock = match temporary_pair(name) {
                Some(pair) => try_pair(folder, pair),
                None => try_lock(&folder.join(lock_name(None))),
            };
            if lock.is_some() && path.exists() && !name.contains(".lock.") {
                uninterrupted(|| storage.remove(&path)).map_err(TableError::io(&path))?;
            }
        } else if kind.is_ok_and(|kind| kind.is_dir()) && name.starts_with(WORKPLACE) {
            // Its owner holds a lock on it. This one is held until the folder is gone.
            if let Some(handle) = File::open(&path).ok().filter(|handle| handle.try_lock().is_ok()) {
                remove_workplace(storage, &path)?;
                drop(handle);
            }
        }
    }
    Ok(())
}

/// How the names of folders for intermediate results begin.
const WORKPLACE: &str = "unfinished-";

fn remove_workplace(storage: &dyn Storage, folder: &Path) -> Result<(), TableError> {
    for entry in fs::read_dir(folder).map_err(TableError::io(folder))?.flatten() {
        if entry.file_name().to_str().is_some_and(is_temporary) {
            let path = entry.path();
            uninterrupted(|| storage.remove(&path)).map_err(TableError::io(&path))?;
        }
    }
    // One in which something else lies stays.
    let _ = fs::remove_dir(folder);
    Ok(())
}

/// A folder for the intermediate results of this run. It goes when it is dropped.
pub struct Workplace {
    folder: PathBuf,
    _lock: Option<File>,
}

impl Workplace {
    /// A new folder in `parent`.
    ///
    /// # Errors
    /// [`TableError::Io`].
    pub fn new(storage: &dyn Storage, parent: &Path) -> Result<Workplace, TableError> {
        loop {
            // No other run has the same name: not on this machine, and not on others at the same moment.
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let name = format!("{WORKPLACE}{}-{}", std::process::id(), now.as_nanos());
            let folder = parent.join(name);
            create_folders(storage, &folder).map_err(TableError::io(&folder))?;
            let handle = File::open(&folder);
            match handle.as_ref().map(File::try_lock) {
                // Before it was locked, another run may have taken it for one that was left.
                Ok(Ok(())) if !handle.as_ref().is_ok_and(|handle| is_at(handle, &folder)) => {}
                Ok(Err(TryLockError::WouldBlock)) => {}
                _ if !folder.exists() => {}
                _ => return Ok(Workplace { folder, _lock: handle.ok() }),
            }
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.folder);
    }
}
