//! Power is lost at every moment of a run. What a journalling file system may have kept is laid out in a
//! folder: the job then completes with the same bytes, and whatever counted as finished before is right.
//!
//! The model: names change in the order in which they were changed, up to some point that is not before the
//! last sync of the folder. Of the contents of a file, what was synced is there. The rest is there in whole,
//! in half, as zeros, or not at all.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::faults::{check_what_is_there, files, job, run};
use crate::rules::CLASSIC;
use crate::solve::Metrics;
use crate::storage::{Disk, NewFile, Storage, parent};

/// What was asked of the storage. Files go by numbers.
#[derive(Clone, Debug)]
enum Call {
    CreateFolder(PathBuf),
    Create(usize, PathBuf),
    Write(usize, u64, Vec<u8>),
    Sync(usize),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    SyncFolder(PathBuf),
}

/// The real file system, with a record of what was asked.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Call>>>);

impl Recorder {
    fn add(&self, call: Call) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }
}

impl Storage for Recorder {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.add(Call::CreateFolder(path.to_owned()));
        Disk.create_folder(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        let number = self.0.lock().unwrap().len();
        self.add(Call::Create(number, path.to_owned()));
        Ok(Box::new(RecordedFile { file: Disk.create(path)?, number, recorder: self.clone() }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.add(Call::Rename(from.to_owned(), to.to_owned()));
        Disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.add(Call::Remove(path.to_owned()));
        Disk.remove(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.add(Call::SyncFolder(path.to_owned()));
        Disk.sync_folder(path)
    }
}

struct RecordedFile {
    file: Box<dyn NewFile>,
    number: usize,
    recorder: Recorder,
}

impl Write for RecordedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let at = self.file.stream_position()?;
        self.recorder.add(Call::Write(self.number, at, bytes.to_owned()));
        self.file.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for RecordedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl NewFile for RecordedFile {
    fn sync(&mut self) -> io::Result<()> {
        self.recorder.add(Call::Sync(self.number));
        self.file.sync()
    }

    fn file(&self) -> &File {
        self.file.file()
    }
}

/// What becomes of what was written and not synced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unsynced {
    Lost,
    Zeros,
    Half,
    Whole,
}

/// The contents of a file after the first calls.
fn content(calls: &[Call], file: usize, unsynced: Unsynced) -> Vec<u8> {
    let synced = calls.iter().rposition(|call| matches!(call, Call::Sync(number) if *number == file));
    let (mut bytes, mut later) = (Vec::new(), 0);
    for (index, call) in calls.iter().enumerate() {
        let Call::Write(number, at, written) = call else { continue };
        if *number != file {
            continue;
        }
        let is_synced = synced.is_some_and(|synced| index < synced);
        later += usize::from(!is_synced);
        let kept = match unsynced {
            _ if is_synced => written.clone(),
            Unsynced::Lost => continue,
            Unsynced::Zeros => vec![0; written.len()],
            Unsynced::Half if later % 2 == 0 => continue,
            Unsynced::Half => written[..written.len() / 2].to_owned(),
            Unsynced::Whole => written.clone(),
        };
        let end = *at as usize + kept.len();
        bytes.resize(bytes.len().max(end), 0);
        bytes[*at as usize..end].copy_from_slice(&kept);
    }
    bytes
}

/// The names that are there after these calls, with the files that have them; and the folders.
fn names(calls: &[&Call]) -> (BTreeMap<PathBuf, usize>, Vec<PathBuf>) {
    let (mut names, mut folders) = (BTreeMap::new(), Vec::new());
    for call in calls {
        match call {
            Call::CreateFolder(path) => folders.push(path.clone()),
            Call::Create(number, path) => {
                names.insert(path.clone(), *number);
            }
            Call::Rename(from, to) => {
                let number = names.remove(from).unwrap();
                names.insert(to.clone(), number);
            }
            Call::Remove(path) => {
                names.remove(path);
            }
            Call::Write(..) | Call::Sync(_) | Call::SyncFolder(_) => {}
        }
    }
    (names, folders)
}

/// The folder in which a call changes a name.
fn folder_of(call: &Call) -> Option<&Path> {
    match call {
        Call::CreateFolder(path) | Call::Create(_, path) | Call::Rename(_, path) | Call::Remove(path) => {
            Some(parent(path))
        }
        Call::Write(..) | Call::Sync(_) | Call::SyncFolder(_) => None,
    }
}

/// Lays out, below `dir`, what is kept of the first so many calls of a run that worked below `base`, in every
/// way that the model has, and calls `visit` with it.
fn after_power_loss(calls: &[Call], base: &Path, mut visit: impl FnMut(&Path, &str)) {
    let changes: Vec<usize> = (0..calls.len()).filter(|&index| folder_of(&calls[index]).is_some()).collect();
    let is_synced = |&&index: &&usize| {
        calls[index..].iter().any(
            |call| matches!(call, Call::SyncFolder(folder) if Some(&**folder) == folder_of(&calls[index])),
        )
    };
    let certain = changes.iter().rposition(|index| is_synced(&index)).map_or(0, |last| last + 1);
    for kept in certain..=changes.len() {
        let changed: Vec<&Call> = changes[..kept].iter().map(|&index| &calls[index]).collect();
        let (names, folders) = names(&changed);
        for unsynced in [Unsynced::Lost, Unsynced::Zeros, Unsynced::Half, Unsynced::Whole] {
            let dir = tempfile::tempdir().unwrap();
            let place = |path: &Path| dir.path().join(path.strip_prefix(base).unwrap());
            folders.iter().for_each(|folder| std::fs::create_dir(place(folder)).unwrap());
            for (path, &number) in &names {
                std::fs::write(place(path), content(calls, number, unsynced)).unwrap();
            }
            let message = format!("{} calls, {kept} names changed, unsynced: {unsynced:?}", calls.len());
            visit(dir.path(), &message);
        }
    }
}

#[test]
fn power_can_be_lost_at_any_moment() {
    let base = tempfile::tempdir().unwrap();
    let recorder = Recorder::default();
    run(&recorder, &job(base.path(), 3, Metrics::all_of(&CLASSIC))).unwrap();
    let whole = files(base.path());
    let calls = recorder.0.lock().unwrap().clone();
    let mut seen = HashSet::new();
    for count in 0..=calls.len() {
        after_power_loss(&calls[..count], base.path(), |dir, message| {
            let state = files(dir);
            if count == calls.len() {
                assert!(state == whole, "{message}: something finished is lost");
            }
            let mut hash = DefaultHasher::new();
            state.hash(&mut hash);
            if !seen.insert(hash.finish()) {
                return;
            }
            check_what_is_there(dir, &whole, message);
            run(&Disk, &job(dir, 3, Metrics::all_of(&CLASSIC))).unwrap();
            assert!(files(dir) == whole, "{message}: other files in the end");
        });
    }
    assert!(seen.len() > 50, "only {} states", seen.len());
}

#[test]
fn the_model_finds_a_missing_sync() {
    let base = tempfile::tempdir().unwrap();
    let recorder = Recorder::default();
    run(&recorder, &job(base.path(), 2, Metrics::all_of(&CLASSIC))).unwrap();
    let whole = files(base.path());
    let calls = recorder.0.lock().unwrap().clone();
    let without = |missing: fn(&Call) -> bool| {
        let calls: Vec<Call> = calls.iter().filter(|call| !missing(call)).cloned().collect();
        let mut states = Vec::new();
        after_power_loss(&calls, base.path(), |dir, _| states.push(files(dir)));
        states
    };
    assert!(without(|_| false).iter().all(|state| *state == whole));
    let differ = |states: Vec<BTreeMap<String, Vec<u8>>>| states.iter().any(|state| *state != whole);
    assert!(differ(without(|call| matches!(call, Call::Sync(_)))));
    assert!(differ(without(|call| matches!(call, Call::SyncFolder(_)))));
}
