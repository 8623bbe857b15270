//! A disk with little room: a job that does not fit is refused before anything is written.

use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::rules::CLASSIC;
use crate::solve::{GenerateError, Job, Metrics, Plan, Target};
use crate::storage::{Disk, NewFile, ScratchFile, Space, Storage};
use crate::table::Metric;

/// So many bytes are free for tables, and below a folder called `scratch`.
struct Small {
    tables: u64,
    scratch: u64,
    is_one_disk: bool,
}

impl Storage for Small {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        Disk.create_folder(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        Disk.create(path)
    }

    fn create_scratch(&self, path: &Path) -> io::Result<Box<dyn ScratchFile>> {
        Disk.create_scratch(path)
    }

    fn open_scratch(&self, path: &Path) -> io::Result<Box<dyn ScratchFile>> {
        Disk.open_scratch(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        Disk.remove(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        Disk.sync_folder(path)
    }

    fn space(&self, path: &Path) -> Space {
        let is_scratch = !self.is_one_disk && path.iter().any(|name| name == "scratch");
        let free = if is_scratch { self.scratch } else { self.tables };
        Space { free: Some(free), device: Some(u64::from(is_scratch)) }
    }
}

fn job(dir: &Path, shards: Option<usize>) -> Job {
    Job {
        rules: &CLASSIC,
        dir: dir.join("tables"),
        target: Target::Stones(6),
        metrics: Metrics::from_iter([Metric::Dtc]),
        threads: 2,
        memory: 1 << 30,
        force: false,
        scratch: Some(dir.join("scratch")),
        shards,
    }
}

/// What a disk lacks and has, and how many stones fit.
fn refused(job: &Job, disk: &Small) -> (u64, u64, Option<usize>) {
    match Plan::for_storage(job, disk) {
        Err(GenerateError::Disk { need, free, fits, .. }) => (need, free, fits),
        other => panic!("{:?}", other.map(|_| ())),
    }
}

#[test]
fn what_does_not_fit_on_the_disk_is_refused_before_it_starts() {
    let dir = tempfile::tempdir().unwrap();
    for shards in [None, Some(3)] {
        let job = job(dir.path(), shards);
        let plan = Plan::new(&job).unwrap();
        let (tables, scratch) = (plan.disk(), plan.scratch());
        assert_eq!(scratch > 0, shards.is_some());
        let disk = |tables, scratch, is_one_disk| Small { tables, scratch, is_one_disk };
        // Just enough is enough, on one disk and on two.
        for enough in [disk(tables, scratch, false), disk(tables + scratch, 0, true)] {
            Plan::for_storage(&job, &enough).unwrap();
        }
        let (need, free, fits) = refused(&job, &disk(tables - 1, u64::MAX, false));
        assert_eq!((need, free), (tables, tables - 1));
        assert_eq!(fits, Some(5));
        let five = Job { target: Target::Stones(5), ..job.clone() };
        Plan::for_storage(&five, &disk(tables - 1, u64::MAX, false)).unwrap();
        assert_eq!(refused(&job, &disk(0, u64::MAX, false)).2, None);
        if shards.is_some() {
            assert_eq!(refused(&job, &disk(u64::MAX, scratch - 1, false)).0, scratch);
            assert_eq!(refused(&job, &disk(tables + scratch - 1, 0, true)).0, tables + scratch);
        }
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "something was written");
}

/// A disk that filled up after the plan was made is noticed before the work begins, too.
#[test]
fn a_plan_that_is_made_again_looks_at_the_disk_again() {
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path(), None);
    let plan = Plan::new(&job).unwrap();
    // Another program finishes a few tables meanwhile.
    crate::solve::generate(&Job { target: Target::Stones(3), ..job.clone() }, &(), &AtomicBool::new(false))
        .unwrap();
    let full = Small { tables: 0, scratch: 0, is_one_disk: true };
    let error = plan.run_in(&full, &(), &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error, GenerateError::Disk { .. }), "{error}");
}
