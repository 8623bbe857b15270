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
use crate::storage::{Disk, NewFile, Storage};
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

/// All files of the folder of `classic` below `dir`.
pub(super) fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(folder) = std::fs::read_dir(dir.join("classic")) else { return BTreeMap::new() };
    let paths = folder.map(|entry| entry.unwrap().path());
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

#[test]
fn every_call_can_fail_when_values_wait_in_files() {
    fail_everywhere(|dir| {
        let roomy = job(dir, 4, Metrics::from_iter([Metric::Wdl]));
        let waits_in_files = |memory: &u64| {
            let plan = Plan::new(&Job { memory: *memory, ..roomy.clone() });
            plan.is_ok_and(|plan| plan.slices_on_disk() > 0)
        };
        let enough = Plan::new(&roomy).map_or(0, |plan| plan.memory());
        let memory = (1..1000).map(|step| enough - 64 * step).find(waits_in_files);
        // Where tables are there already, there is nothing to hold.
        Job { memory: memory.unwrap_or(roomy.memory), ..roomy }
    });
}
