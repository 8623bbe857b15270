//! Making tables for the tests.

#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use alquerque::rules::Rules;
use alquerque::solve::{GenerateError, Job, Metrics, Progress, Target, generate};
use tempfile::TempDir;

/// A progress display that shows nothing.
pub struct Silent;

impl Progress for Silent {}

/// A fresh directory, removed when it goes out of scope.
pub fn temp_dir() -> TempDir {
    TempDir::new().unwrap_or_else(|e| panic!("no temporary directory: {e}"))
}

/// All slices with at most so many stones, all metrics, two threads.
pub fn job(rules: &'static Rules, dir: &Path, stones: usize) -> Job {
    Job {
        rules,
        dir: dir.to_owned(),
        target: Target::Stones(stones),
        metrics: Metrics::all_of(rules),
        threads: 2,
        memory: 2 << 30,
        force: false,
    }
}

/// Runs a job to its end, or to its error.
pub fn run(job: &Job) -> Result<(), GenerateError> {
    generate(job, &Silent, &AtomicBool::new(false))
}

/// All files below a directory, by their path within it.
pub fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![dir.to_owned()];
    while let Some(folder) = pending.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if path.is_dir() {
                pending.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                let name = path.strip_prefix(dir).unwrap_or(&path).to_owned();
                found.insert(name, bytes);
            }
        }
    }
    found
}

/// Checks that two directories hold the same files, byte by byte.
pub fn assert_same_files(left: &Path, right: &Path, message: &str) {
    let (left, right) = (files(left), files(right));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&left), names(&right), "{message}: other files");
    for (name, bytes) in &left {
        let other = &right[name];
        let differs = bytes.iter().zip(other).position(|(a, b)| a != b);
        let lengths = (bytes.len(), other.len());
        assert!(bytes == other, "{message}: {} differs at {differs:?}, lengths {lengths:?}", name.display());
    }
}
