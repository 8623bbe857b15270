//! Every call that a run makes of the file system fails once: the run says so in one sentence, leaves nothing
//! wrong that counts as finished, and the same job then completes with the same bytes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::rules::CLASSIC;
use crate::solve::{GenerateError, Job, Metrics, Plan, Target};
use crate::storage::{Disk, NewFile, ScratchFile, Storage};
use crate::table::{Manifest, Metric, parse_file_name};

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// A write takes half of the bytes.
    Short,
    /// A signal interrupts the call, which does nothing.
    Interrupted,
    /// The call fails with this error of the system, once.
    Once(i32),
    /// It fails, and so does every later one.
    From(i32),
}

const NO_SPACE: i32 = 28;
const IO_ERROR: i32 = 5;

/// Counts calls; one of them fails.
#[derive(Clone)]
struct Trigger {
    calls: Arc<AtomicU64>,
    at: u64,
    fault: Fault,
}

impl Trigger {
    /// Counts a call. Tells whether it is to be short, or how it fails.
    fn call(&self) -> io::Result<bool> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        match self.fault {
            Fault::From(code) if call >= self.at => Err(io::Error::from_raw_os_error(code)),
            _ if call != self.at => Ok(false),
            Fault::Short => Ok(true),
            Fault::Interrupted => Err(io::ErrorKind::Interrupted.into()),
            Fault::Once(code) | Fault::From(code) => Err(io::Error::from_raw_os_error(code)),
        }
    }
}

struct Faulty(Trigger);

impl Storage for Faulty {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.0.call()?;
        Disk.create_folder(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        self.0.call()?;
        Ok(Box::new(FaultyFile { file: Disk.create(path)?, trigger: self.0.clone() }))
    }

    fn create_scratch(&self, path: &Path) -> io::Result<Box<dyn ScratchFile>> {
        self.0.call()?;
        Ok(Box::new(FaultyScratch { file: Disk.create_scratch(path)?, trigger: self.0.clone() }))
    }

    fn open_scratch(&self, path: &Path) -> io::Result<Box<dyn ScratchFile>> {
        self.0.call()?;
        Ok(Box::new(FaultyScratch { file: Disk.open_scratch(path)?, trigger: self.0.clone() }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.call()?;
        Disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.call()?;
        Disk.remove(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.0.call()?;
        Disk.sync_folder(path)
    }
}

struct FaultyScratch {
    file: Box<dyn ScratchFile>,
    trigger: Trigger,
}

impl ScratchFile for FaultyScratch {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        let is_short = self.trigger.call()?;
        let length = if is_short { bytes.len().div_ceil(2) } else { bytes.len() };
        self.file.read_at(&mut bytes[..length], offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let is_short = self.trigger.call()?;
        self.file.write_at(if is_short { &bytes[..bytes.len().div_ceil(2)] } else { bytes }, offset)
    }
}

struct FaultyFile {
    file: Box<dyn NewFile>,
    trigger: Trigger,
}

impl Write for FaultyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_short = self.trigger.call()?;
        self.file.write(if is_short { &bytes[..bytes.len().div_ceil(2)] } else { bytes })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for FaultyFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl NewFile for FaultyFile {
    fn sync(&mut self) -> io::Result<()> {
        self.trigger.call()?;
        self.file.sync()
    }

    fn file(&self) -> &File {
        self.file.file()
    }
}

/// All files of the folder of `classic` below `dir`. What lies in folders is no table.
pub(super) fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(folder) = std::fs::read_dir(dir.join("classic")) else { return BTreeMap::new() };
    let paths = folder.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    paths
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap()))
        .collect()
}

/// Whatever has the name of a table is the right one, and the manifest lists only what is there.
pub(super) fn check_what_is_there(dir: &Path, whole: &BTreeMap<String, Vec<u8>>, message: &str) {
    let found = files(dir);
    for (name, bytes) in found.iter().filter(|(name, _)| parse_file_name(name).is_some()) {
        assert!(whole.get(name) == Some(bytes), "{message}: {name} is not the table");
    }
    let manifest = Manifest::read(&dir.join("classic")).unwrap();
    for entry in manifest.entries() {
        assert!(found.contains_key(entry.name), "{message}: {} is listed and missing", entry.name);
    }
}

pub(super) fn job(dir: &Path, stones: usize, metrics: Metrics) -> Job {
    Job {
        rules: &CLASSIC,
        dir: dir.to_owned(),
        target: Target::Stones(stones),
        metrics,
        // One thread makes the calls in the same order every time.
        threads: 1,
        memory: 1 << 30,
        force: false,
        scratch: None,
        shards: None,
    }
}

pub(super) fn run(storage: &dyn Storage, job: &Job) -> Result<(), GenerateError> {
    Plan::new(job)?.run_in(storage, &(), &AtomicBool::new(false))
}

/// Makes every call of the job in `dir` fail in turn.
fn fail_everywhere(job_in: impl Fn(&Path) -> Job) {
    let whole = tempfile::tempdir().unwrap();
    run(&Disk, &job_in(whole.path())).unwrap();
    let whole = files(whole.path());
    for fault in [
        Fault::Short,
        Fault::Interrupted,
        Fault::Once(NO_SPACE),
        Fault::Once(IO_ERROR),
        Fault::From(IO_ERROR),
    ] {
        let mut failed = 0;
        for at in 1.. {
            let dir = tempfile::tempdir().unwrap();
            let trigger = Trigger { calls: Arc::default(), at, fault };
            let (message, job) = (format!("{fault:?} at call {at}"), job_in(dir.path()));
            match run(&Faulty(trigger.clone()), &job) {
                Ok(()) => {}
                Err(error) => {
                    failed += 1;
                    let error = error.to_string();
                    assert!(!error.contains('\n') && error.contains("os error"), "{message}: {error}");
                    assert!(!matches!(fault, Fault::Short | Fault::Interrupted), "{message}: {error}");
                }
            }
            check_what_is_there(dir.path(), &whole, &message);
            run(&Disk, &job).unwrap();
            assert!(files(dir.path()) == whole, "{message}: other files in the end");
            if trigger.calls.load(Ordering::Relaxed) < at {
                assert!(at > 30, "only {at} calls");
                break;
            }
        }
        assert_eq!(failed > 20, !matches!(fault, Fault::Short | Fault::Interrupted), "{fault:?}: {failed}");
    }
}

#[test]
fn every_call_can_fail() {
    fail_everywhere(|dir| job(dir, 3, Metrics::all_of(&CLASSIC)));
}

fn fail_in_shards(stones: usize) {
    fail_everywhere(|dir| Job { shards: Some(2), ..job(dir, stones, Metrics::from_iter([Metric::Dtc])) });
}

#[test]
fn every_call_can_fail_when_a_pair_is_in_shards() {
    fail_in_shards(2);
}

/// `cargo test --release --lib crash:: -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn every_call_can_fail_when_pairs_are_in_shards() {
    fail_in_shards(3);
}
