//! The files of a table directory: the same bytes whatever happens on the way, and no wrong answer from bytes
//! that are not what was written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::support::{Silent, assert_same_files, falsify_entry, files, job, run, temp_dir};
use alquerque::index::Index;
use alquerque::material::Material;
use alquerque::position::Position;
use alquerque::progress::{Progress, Stage};
use alquerque::rules::{BRAINKING, CLASSIC, QIRKAT, Rules, YOUZAI};
use alquerque::solve::{GenerateError, Job, Metrics, Plan, Target, generate};
use alquerque::table::Metric;
use alquerque::tablebase::{SliceSummary, Tablebase, Verdict};
use alquerque::verify::{Derived, VerifyOptions, verify};

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn is_table(path: &Path) -> bool {
    ["wdl", "dtc", "dtw"].contains(&extension(path))
}

fn tables_of(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    files(dir).into_iter().filter(|(path, _)| is_table(path)).collect()
}

fn no_leftovers(dir: &Path) {
    for path in files(dir).keys() {
        assert_ne!(extension(path), "tmp", "{} was left behind", path.display());
    }
}

/// Sets the stop flag at the n-th call of any kind, and counts entries and slices.
struct Interrupter {
    stop: AtomicBool,
    calls: AtomicU64,
    stop_at: u64,
    only_advanced: bool,
    entries: AtomicU64,
    kept: AtomicU64,
    made: AtomicU64,
}

impl Interrupter {
    fn new(stop_at: u64, only_advanced: bool) -> Interrupter {
        let zero = || AtomicU64::new(0);
        let stop = AtomicBool::new(false);
        let (calls, entries, kept, made) = (zero(), zero(), zero(), zero());
        Interrupter { stop, calls, stop_at, only_advanced, entries, kept, made }
    }

    fn never() -> Interrupter {
        Interrupter::new(u64::MAX, false)
    }

    fn run(&self, job: &Job) -> Result<(), GenerateError> {
        generate(job, self, &self.stop)
    }

    fn call(&self) {
        if self.calls.fetch_add(1, Ordering::Relaxed) + 1 >= self.stop_at {
            self.stop.store(true, Ordering::SeqCst);
        }
    }
}

impl Progress for Interrupter {
    fn pair_started(&self, _materials: &[Material], _entries: u64) {
        if !self.only_advanced {
            self.call();
        }
    }

    fn stage(&self, _stage: Stage) {
        if !self.only_advanced {
            self.call();
        }
    }

    fn advanced(&self, entries: u64) {
        self.entries.fetch_add(entries, Ordering::Relaxed);
        self.call();
    }

    fn slice_done(&self, _summary: &SliceSummary, kept: bool) {
        (if kept { &self.kept } else { &self.made }).fetch_add(1, Ordering::Relaxed);
        if !self.only_advanced {
            self.call();
        }
    }
}

#[test]
fn threads_do_not_change_a_byte() {
    for (rules, stones) in [(&CLASSIC, 5), (&YOUZAI, 4), (&BRAINKING, 3)] {
        let (one, two, again) = (temp_dir(), temp_dir(), temp_dir());
        let job = |dir: &Path, threads| Job { threads, ..job(rules, dir, stones) };
        run(&job(one.path(), 1)).unwrap();
        run(&job(two.path(), 2)).unwrap();
        run(&job(again.path(), 3)).unwrap();
        assert!(!tables_of(one.path()).is_empty());
        assert_same_files(one.path(), two.path(), rules.name());
        assert_same_files(one.path(), again.path(), rules.name());
        no_leftovers(one.path());
    }
}

/// Every table that an interrupted run has left is the one that an uninterrupted run writes.
fn is_part_of(dir: &Path, whole: &Path) {
    let whole = files(whole);
    for (path, bytes) in tables_of(dir) {
        assert!(whole.get(&path) == Some(&bytes), "{} is not the finished table", path.display());
    }
}

fn stop_and_resume(rules: &'static Rules, stones: usize) {
    let whole = temp_dir();
    run(&job(rules, whole.path(), stones)).unwrap();
    for only_advanced in [true, false] {
        let mut stopped = 0;
        for stop_at in (1..8).chain([10, 13, 17, 23, 32, 45, 64, 91, 128, 181, 256, 512, 1024, 4096]) {
            let dir = temp_dir();
            let interrupter = Interrupter::new(stop_at, only_advanced);
            match interrupter.run(&job(rules, dir.path(), stones)) {
                Ok(()) => {}
                Err(GenerateError::Stopped) => stopped += 1,
                Err(error) => panic!("stopped at call {stop_at}: {error}"),
            }
            is_part_of(dir.path(), whole.path());
            run(&job(rules, dir.path(), stones)).unwrap();
            let message = format!("{}, stopped at call {stop_at}", rules.name());
            assert_same_files(whole.path(), dir.path(), &message);
            no_leftovers(dir.path());
            if !interrupter.stop.load(Ordering::SeqCst) {
                break;
            }
        }
        assert!(stopped >= 5, "only {stopped} runs were stopped");
    }
}

#[test]
fn classic_stops_and_resumes() {
    stop_and_resume(&CLASSIC, 4);
}

#[test]
fn youzai_stops_and_resumes() {
    stop_and_resume(&YOUZAI, 4);
}

#[test]
fn qirkat_stops_and_resumes() {
    stop_and_resume(&QIRKAT, 3);
}

#[test]
fn a_run_that_is_stopped_again_and_again_gets_there() {
    let (whole, dir) = (temp_dir(), temp_dir());
    run(&job(&CLASSIC, whole.path(), 4)).unwrap();
    let mut stops = 0;
    while let Err(error) = Interrupter::new(stops + 1, false).run(&job(&CLASSIC, dir.path(), 4)) {
        assert!(matches!(error, GenerateError::Stopped), "{error}");
        is_part_of(dir.path(), whole.path());
        stops += 1;
        assert!(stops < 10_000, "no end in sight");
    }
    assert!(stops > 0);
    assert_same_files(whole.path(), dir.path(), "stopped again and again");
    no_leftovers(dir.path());
}

#[test]
fn a_set_stop_flag_stops_at_once() {
    let dir = temp_dir();
    let result = generate(&job(&CLASSIC, dir.path(), 4), &Silent, &AtomicBool::new(true));
    assert!(matches!(result, Err(GenerateError::Stopped)));
    assert!(tables_of(dir.path()).is_empty());
}

#[test]
fn what_exists_is_kept() {
    let dir = temp_dir();
    let job = job(&CLASSIC, dir.path(), 4);
    let first = Interrupter::never();
    let planned = Plan::new(&job).unwrap();
    assert_eq!(planned.pairs(), 4);
    assert!(planned.memory() > 0);
    first.run(&job).unwrap();
    assert_eq!(first.entries.load(Ordering::SeqCst), planned.positions());
    assert_eq!((first.made.load(Ordering::SeqCst), first.kept.load(Ordering::SeqCst)), (6, 0));
    let before = files(dir.path());
    let times = |dir: &Path| {
        let time = |path: &PathBuf| fs::metadata(dir.join(path)).unwrap().modified().unwrap();
        tables_of(dir).keys().map(time).collect::<Vec<_>>()
    };
    let written = times(dir.path());

    assert_eq!(Plan::new(&job).unwrap().positions(), 0);
    let second = Interrupter::never();
    second.run(&job).unwrap();
    assert_eq!(second.entries.load(Ordering::SeqCst), 0);
    assert_eq!((second.made.load(Ordering::SeqCst), second.kept.load(Ordering::SeqCst)), (0, 6));
    assert!(before == files(dir.path()));
    assert_eq!(written, times(dir.path()));

    let forced = Job { force: true, ..job };
    assert_eq!(Plan::new(&forced).unwrap().positions(), planned.positions());
    let third = Interrupter::never();
    third.run(&forced).unwrap();
    assert_eq!((third.made.load(Ordering::SeqCst), third.kept.load(Ordering::SeqCst)), (6, 0));
    assert!(before == files(dir.path()));
}

#[test]
fn a_missing_file_is_made_again() {
    let (whole, dir) = (temp_dir(), temp_dir());
    let job = job(&CLASSIC, dir.path(), 4);
    run(&crate::support::job(&CLASSIC, whole.path(), 4)).unwrap();
    run(&job).unwrap();
    // The manifest is one of them.
    for path in files(dir.path()).keys() {
        fs::remove_file(dir.path().join(path)).unwrap();
        run(&job).unwrap();
        assert_same_files(whole.path(), dir.path(), &format!("without {}", path.display()));
    }
}

#[test]
fn other_ways_lead_to_the_same_tables() {
    let whole = temp_dir();
    run(&job(&CLASSIC, whole.path(), 5)).unwrap();
    let whole = files(whole.path());

    // One pair alone, with what it needs.
    let dir = temp_dir();
    let material = Material::new(3, 2).unwrap();
    run(&Job { target: Target::Material(material), ..job(&CLASSIC, dir.path(), 2) }).unwrap();
    let found = tables_of(dir.path());
    assert!(found.keys().any(|path| path.ends_with("3v2.dtw")));
    assert!(!found.keys().any(|path| path.ends_with("4v1.wdl")));
    for (path, bytes) in &found {
        assert!(whole.get(path) == Some(bytes), "{}", path.display());
    }
    let tablebase = Tablebase::open(dir.path(), &CLASSIC).unwrap();
    for position in crate::brute::enumerate(&crate::brute::CLASSIC, 3, 2).iter().step_by(97) {
        let position = Position::parse(&CLASSIC, &position.to_string()).unwrap();
        tablebase.probe(&position).unwrap();
    }

    // Metrics one after the other, stones one more at a time.
    let dir = temp_dir();
    let all: &[&[Metric]] =
        &[&[Metric::Wdl], &[Metric::Wdl, Metric::Dtc], &[Metric::Wdl, Metric::Dtc, Metric::Dtw]];
    for metrics in all {
        for stones in 2..=4 {
            let metrics = Metrics::from_iter(metrics.iter().copied());
            run(&Job { metrics, ..job(&CLASSIC, dir.path(), stones) }).unwrap();
        }
        let found = tables_of(dir.path());
        assert_eq!(found.len(), 6 * metrics.len(), "{metrics:?}");
        for (path, bytes) in &found {
            assert!(whole.get(path) == Some(bytes), "{}", path.display());
        }
        let tablebase = Tablebase::open(dir.path(), &CLASSIC).unwrap();
        let position = Position::parse(&CLASSIC, "5/5/3b1/5/1w2b b - 0").unwrap();
        let verdict = tablebase.probe(&position).unwrap();
        assert_eq!(verdict.dtc, (metrics.len() > 1).then_some(22));
        assert_eq!(verdict.dtw, (metrics.len() > 2).then_some(23));
    }
}

/// Tables with fewer metrics say the same as far as they go.
fn answers_with_fewer_metrics(rules: &'static Rules, brute_rules: &crate::brute::RuleSet, stones: usize) {
    let whole = temp_dir();
    run(&job(rules, whole.path(), stones)).unwrap();
    let whole = Tablebase::open(whole.path(), rules).unwrap();
    for metrics in [&[Metric::Wdl][..], &[Metric::Dtc], &[Metric::Dtw]] {
        let has = |metric| metrics.contains(&metric);
        let dir = temp_dir();
        let job =
            Job { metrics: Metrics::from_iter(metrics.iter().copied()), ..job(rules, dir.path(), stones) };
        run(&job).unwrap();
        let tablebase = Tablebase::open(dir.path(), rules).unwrap();
        for white in 1..stones {
            for position in crate::brute::enumerate(brute_rules, white, stones - white).iter().step_by(61) {
                let position = Position::parse(rules, &position.to_string()).unwrap();
                let expected = whole.probe(&position).unwrap();
                let found = tablebase.probe(&position).unwrap();
                assert_eq!(found.value, expected.value, "{position} with {metrics:?}");
                for (metric, found, expected) in
                    [(Metric::Dtc, found.dtc, expected.dtc), (Metric::Dtw, found.dtw, expected.dtw)]
                {
                    let right = found == expected || found.is_none() && !has(metric);
                    assert!(right, "{position} with {metrics:?}: {metric} {found:?}, not {expected:?}");
                }
                let ranked = tablebase.ranked_moves(&position).unwrap();
                let best = ranked.first().map(|best| best.verdict);
                assert_eq!(best.map_or(found.value, |best| best.value), found.value, "{position}");
                let all = whole.ranked_moves(&position).unwrap();
                assert_eq!(ranked.len(), all.len(), "{position}");
                if has(Metric::Dtw) {
                    let distance = best.map_or(Some(0), |best| best.dtw);
                    assert_eq!(distance, found.dtw, "{position} with {metrics:?}");
                }
            }
        }
    }
}

#[test]
fn fewer_metrics_say_the_same() {
    answers_with_fewer_metrics(&CLASSIC, &crate::brute::CLASSIC, 4);
    answers_with_fewer_metrics(&BRAINKING, &crate::brute::BRAINKING, 3);
}

#[test]
fn several_runs_share_a_folder() {
    let (whole, dir) = (temp_dir(), temp_dir());
    run(&job(&CLASSIC, whole.path(), 4)).unwrap();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let job = job(&CLASSIC, dir.path(), 4);
            let in_shards =
                Job { shards: Some(2), metrics: Metrics::from_iter([Metric::Dtc]), ..job.clone() };
            scope.spawn(move || run(if number % 2 == 0 { &job } else { &in_shards }).unwrap());
        }
    });
    assert_same_files(whole.path(), dir.path(), "made together");
}

#[test]
fn damaged_tables_are_not_built_upon() {
    let (whole, dir) = (temp_dir(), temp_dir());
    run(&job(&CLASSIC, whole.path(), 4)).unwrap();
    run(&job(&CLASSIC, dir.path(), 3)).unwrap();
    for file in ["2v1.wdl", "2v1.dtw", "1v2.wdl"] {
        let path = dir.path().join("classic").join(file);
        let good = fs::read(&path).unwrap();
        let mut damaged = good.clone();
        *damaged.last_mut().unwrap() ^= 1;
        for bytes in [damaged, b"something else".to_vec(), Vec::new()] {
            fs::write(&path, &bytes).unwrap();
            let error = run(&job(&CLASSIC, dir.path(), 4)).unwrap_err().to_string();
            assert!(error.contains(file), "{error}");
            assert!(fs::read(&path).unwrap() == bytes, "{file} was written over");
            assert_eq!(tables_of(dir.path()).len(), 9);
        }
        fs::write(&path, &good).unwrap();
    }
    fs::write(dir.path().join("classic/2v1.wdl"), "something else").unwrap();
    run(&Job { force: true, ..job(&CLASSIC, dir.path(), 4) }).unwrap();
    assert_same_files(whole.path(), dir.path(), "made again by force");
}

#[test]
fn other_files_are_left_alone() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 3)).unwrap();
    let others = ["notes.txt", "13v2.wdl", "02v1.wdl", "2v1.dtz", "2v1.wdl.bak", "2v1"];
    for name in others {
        fs::write(dir.path().join("classic").join(name), "other").unwrap();
    }
    let tablebase = Tablebase::open(dir.path(), &CLASSIC).unwrap();
    assert_eq!(tablebase.slices().len(), 3);
    run(&job(&CLASSIC, dir.path(), 4)).unwrap();
    for name in others {
        assert_eq!(fs::read(dir.path().join("classic").join(name)).unwrap(), b"other", "{name}");
    }
    let options = VerifyOptions { derived: Derived::All, threads: 2, cache: 1 << 20, memory: 1 << 30 };
    verify(dir.path(), &CLASSIC, &options, &Silent, &AtomicBool::new(false)).unwrap();
}

/// Puts another value for a position into a table: see [`falsify_entry`].
fn falsify(dir: &Path, metric: Metric, position: &str, symbol: u16) {
    let position = Position::parse(&CLASSIC, position).unwrap();
    let material = Material::of(&position).unwrap();
    let index = Index::new(&CLASSIC);
    let layout = index.layout(material.pair());
    falsify_entry(dir, &CLASSIC, (material, metric), layout.entry(layout.locate(&position)), symbol);
}

#[test]
fn the_full_check_finds_wrong_values() {
    // A quiet position: won, next capture in 22 plies, the end in 23.
    let position = "5/5/3b1/5/1w2b b - 0";
    for (metric, symbol) in [
        (Metric::Wdl, 0),
        (Metric::Wdl, 1),
        (Metric::Dtc, 20),
        (Metric::Dtc, 23),
        (Metric::Dtc, 24),
        (Metric::Dtw, 21),
        (Metric::Dtw, 25),
    ] {
        let dir = temp_dir();
        run(&job(&CLASSIC, dir.path(), 3)).unwrap();
        falsify(dir.path(), metric, position, symbol);
        let check = |derived| {
            let options = VerifyOptions { derived, threads: 2, cache: 1 << 20, memory: 1 << 30 };
            verify(dir.path(), &CLASSIC, &options, &Silent, &AtomicBool::new(false))
        };
        assert!(check(Derived::None).is_ok(), "the checksums match");
        // A sample of more entries than there are takes every one.
        for derived in [Derived::All, Derived::Sample(1 << 20)] {
            let Err(error) = check(derived) else { panic!("{metric} {symbol} was not found") };
            let error = error.to_string();
            assert!(error.contains(" is wrong: "), "{error}");
        }
    }
}

#[test]
fn a_sample_covers_all_slices() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 4)).unwrap();
    let options =
        VerifyOptions { derived: Derived::Sample(3_000), threads: 2, cache: 1 << 20, memory: 1 << 30 };
    let report = verify(dir.path(), &CLASSIC, &options, &Silent, &AtomicBool::new(false)).unwrap();
    // Six slices: 1v1 gives all that it has, which is less than a sixth, and the others the rest.
    let small = Index::new(&CLASSIC).layout(Material::new(1, 1).unwrap().pair()).entries();
    assert!(small < 500);
    assert_eq!(report.positions, small + 5 * (3_000 - small).div_ceil(5));
}

#[test]
fn little_memory_changes_no_byte() {
    let (roomy, narrow, tight) = (temp_dir(), temp_dir(), temp_dir());
    let plan_in = |dir: &Path, memory| {
        Plan::new(&Job { memory, metrics: Metrics::from_iter([]), ..job(&CLASSIC, dir, 7) }).unwrap()
    };
    let side_by_side = plan_in(roomy.path(), 1 << 30);
    // First pairs are solved one by one, then in shards or with finished slices in files.
    let one_by_one = plan_in(narrow.path(), side_by_side.memory() - 1);
    let from_files = plan_in(tight.path(), one_by_one.memory() - (1 << 16));
    assert_eq!([&side_by_side, &one_by_one].map(Plan::slices_on_disk), [0, 0]);
    assert!(one_by_one.memory() < side_by_side.memory());
    assert!(from_files.scratch() > 0 && from_files.memory() < one_by_one.memory());
    for plan in [side_by_side, one_by_one, from_files] {
        plan.run(&Silent, &AtomicBool::new(false)).unwrap();
    }
    for dir in [&narrow, &tight] {
        assert_same_files(&roomy.path().join("classic"), &dir.path().join("classic"), "with little memory");
    }
}

#[test]
fn rule_sets_share_a_directory() {
    let (together, alone) = (temp_dir(), temp_dir());
    for rules in Rules::ALL {
        run(&job(rules, together.path(), 3)).unwrap();
    }
    run(&job(&YOUZAI, alone.path(), 3)).unwrap();
    assert_same_files(&together.path().join("youzai"), &alone.path().join("youzai"), "youzai");
    for rules in Rules::ALL {
        let tablebase = Tablebase::open(together.path(), rules).unwrap();
        assert_eq!(tablebase.slices().len(), 3);
        let options = VerifyOptions { derived: Derived::All, threads: 2, cache: 1 << 20, memory: 1 << 30 };
        let report = verify(together.path(), rules, &options, &Silent, &AtomicBool::new(false)).unwrap();
        let metrics = if rules.has_distance_to_win() { 3 } else { 2 };
        assert_eq!(report.files, 3 * metrics, "{}", rules.name());
        assert!(report.blocks >= report.files);
        assert!(report.positions > 0);
    }
}

/// Small tables, with the right answers for some of their positions.
struct Small {
    dir: tempfile::TempDir,
    rules: &'static Rules,
    answers: Vec<(Position, Verdict)>,
}

impl Small {
    fn new(rules: &'static Rules, brute_rules: &crate::brute::RuleSet, step: usize) -> Small {
        let dir = temp_dir();
        run(&job(rules, dir.path(), 3)).unwrap();
        let tablebase = Tablebase::open(dir.path(), rules).unwrap();
        let mut answers = Vec::new();
        for (white, black) in [(1, 1), (2, 1), (1, 2)] {
            for position in crate::brute::enumerate(brute_rules, white, black).iter().step_by(step) {
                let position = Position::parse(rules, &position.to_string()).unwrap();
                answers.push((position, tablebase.probe(&position).unwrap()));
            }
        }
        Small { dir, rules, answers }
    }

    fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.path(file)).unwrap()
    }

    fn path(&self, file: &str) -> PathBuf {
        self.dir.path().join(self.rules.name()).join(file)
    }

    /// Opens the directory with other bytes in one of its files. Whatever is answered must be right. Returns
    /// whether anything was refused.
    fn with_bytes(&self, file: &str, bytes: &[u8], message: &str) -> bool {
        let original = self.read(file);
        fs::write(self.path(file), bytes).unwrap();
        let refused = self.refuses(message);
        fs::write(self.path(file), original).unwrap();
        refused
    }

    fn refuses(&self, message: &str) -> bool {
        let tablebase = match Tablebase::open(self.dir.path(), self.rules) {
            Ok(tablebase) => tablebase,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                return true;
            }
        };
        let mut refused = false;
        for (position, answer) in &self.answers {
            match tablebase.probe(position) {
                Ok(verdict) => assert_eq!(verdict, *answer, "{message}: {position}"),
                Err(error) => {
                    refused = true;
                    assert!(!error.to_string().is_empty());
                }
            }
            match tablebase.probe_value(position) {
                Ok(value) => assert_eq!(value, answer.value, "{message}: {position}"),
                Err(_) => refused = true,
            }
        }
        refused
    }
}

#[test]
fn a_flipped_bit_gives_no_wrong_answer() {
    let small = Small::new(&CLASSIC, &crate::brute::CLASSIC, 29);
    let folder = small.dir.path().join("classic");
    for (path, bytes) in files(&folder) {
        let file = path.to_str().unwrap();
        if file.starts_with("1v2") {
            continue;
        }
        let mut unnoticed = Vec::new();
        for offset in 0..bytes.len() {
            for pattern in [0x01, 0x80] {
                let mut damaged = bytes.clone();
                damaged[offset] ^= pattern;
                if !small.with_bytes(file, &damaged, &format!("{file}, byte {offset} ^ {pattern:#x}")) {
                    unnoticed.push(offset);
                }
            }
        }
        // With one stone each every quiet position is drawn: nobody reads its distances.
        let is_read = is_table(&path) && !["1v1.dtc", "1v1.dtw"].contains(&file);
        assert!(!is_read || unnoticed.is_empty(), "{file}: nothing was refused for {unnoticed:?}");
    }
}

#[test]
fn verify_finds_every_flipped_bit() {
    let small = Small::new(&CLASSIC, &crate::brute::CLASSIC, 997);
    let check = || {
        let options = VerifyOptions { derived: Derived::None, threads: 1, cache: 1 << 20, memory: 1 << 30 };
        verify(small.dir.path(), &CLASSIC, &options, &Silent, &AtomicBool::new(false))
    };
    check().unwrap();
    for file in ["1v1.wdl", "1v1.dtw", "2v1.wdl", "2v1.dtc"] {
        let bytes = small.read(file);
        for offset in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[offset] ^= 0x10;
            fs::write(small.path(file), damaged).unwrap();
            let Err(error) = check() else { panic!("{file}, byte {offset}: not found") };
            let error = error.to_string();
            assert!(error.contains(file), "byte {offset}: the error does not name {file}: {error}");
        }
        fs::write(small.path(file), bytes).unwrap();
    }
    check().unwrap();
}

#[test]
fn a_file_that_is_too_short_or_too_long_is_refused() {
    let small = Small::new(&CLASSIC, &crate::brute::CLASSIC, 29);
    for file in ["2v1.wdl", "2v1.dtc", "2v1.dtw", "1v1.wdl"] {
        let bytes = small.read(file);
        for length in 0..bytes.len() {
            assert!(small.with_bytes(file, &bytes[..length], file), "{file} cut to {length} bytes");
        }
        for more in [1, 2, 100] {
            let longer = [bytes.as_slice(), &vec![0; more]].concat();
            assert!(small.with_bytes(file, &longer, file), "{file} with {more} more bytes");
        }
    }
}

#[test]
fn foreign_files_are_refused() {
    let small = Small::new(&CLASSIC, &crate::brute::CLASSIC, 29);
    let others = temp_dir();
    run(&job(&YOUZAI, others.path(), 3)).unwrap();
    run(&job(&CLASSIC, others.path(), 4)).unwrap();
    let other = |path: &str| fs::read(others.path().join(path)).unwrap();
    let with_version = |version: u8| {
        let mut bytes = small.read("2v1.wdl");
        bytes[8] = version;
        bytes
    };
    let foreign = [
        ("nothing", Vec::new()),
        ("text", b"hello\n".repeat(100)),
        ("zeros", vec![0; 4096]),
        ("ones", vec![0xff; 4096]),
        ("another rule set", other("youzai/2v1.wdl")),
        ("another slice", other("classic/1v2.wdl")),
        ("another slice", other("classic/2v2.wdl")),
        ("another metric", other("classic/2v1.dtw")),
        ("a newer format", with_version(4)),
        ("an older format", with_version(2)),
        ("an older format", with_version(1)),
        ("an older format", with_version(0)),
    ];
    for (what, bytes) in foreign {
        assert!(small.with_bytes("2v1.wdl", &bytes, what), "{what} was taken for a table");
    }
    // A folder where a file should be.
    fs::remove_file(small.path("2v1.wdl")).unwrap();
    fs::create_dir(small.path("2v1.wdl")).unwrap();
    assert!(small.refuses("a folder"));
}

#[test]
fn a_missing_directory_is_an_error() {
    let dir = temp_dir();
    let missing = dir.path().join("nowhere");
    let error = Tablebase::open(&missing, &CLASSIC).err().unwrap().to_string();
    assert!(error.contains("nowhere"), "{error}");
    run(&job(&CLASSIC, dir.path(), 2)).unwrap();
    assert!(Tablebase::open(dir.path(), &YOUZAI).is_err());
    let options = VerifyOptions { derived: Derived::None, threads: 1, cache: 1 << 20, memory: 1 << 30 };
    assert!(verify(&missing, &CLASSIC, &options, &Silent, &AtomicBool::new(false)).is_err());
}

#[test]
fn too_little_memory_is_found_before_the_work() {
    let dir = temp_dir();
    let tables = dir.path().join("tables");
    let job = Job { memory: 1, ..job(&CLASSIC, &tables, 5) };
    assert!(Plan::new(&job).is_err());
    let error = run(&job).unwrap_err();
    assert!(!matches!(error, GenerateError::Stopped));
    assert!(!tables.exists() || files(&tables).is_empty(), "something was written");
    // Just enough is enough.
    let needed = Plan::new(&Job { memory: u64::MAX, ..job }).unwrap().memory();
    let job = Job { memory: needed, ..crate::support::job(&CLASSIC, &tables, 5) };
    // A little less sends finished slices to files; the pair in work must fit.
    assert!(Plan::new(&Job { memory: needed / 2, ..crate::support::job(&CLASSIC, &tables, 5) }).is_err());
    run(&job).unwrap();
}

#[test]
fn impossible_jobs_are_refused() {
    let dir = temp_dir();
    let tables = dir.path().join("tables");
    for stones in [0, 1, 25, usize::MAX] {
        let job = job(&CLASSIC, &tables, stones);
        assert!(Plan::new(&job).is_err(), "{stones} stones");
        assert!(run(&job).is_err(), "{stones} stones");
    }
    let metrics = Metrics::from_iter([Metric::Dtw]);
    assert!(run(&Job { metrics, ..job(&YOUZAI, &tables, 2) }).is_err(), "there is no distance to win");
    // All stones of the board are more than any machine holds, but the plan can be made.
    assert!(run(&Job { memory: 1 << 30, ..job(&CLASSIC, &tables, 24) }).is_err());
    assert!(!tables.exists() || files(&tables).is_empty(), "something was written");

    let file = dir.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    let error = run(&job(&CLASSIC, &file.join("tables"), 2)).unwrap_err().to_string();
    assert!(error.contains("file"), "{error}");
    assert!(run(&job(&CLASSIC, &file, 2)).is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), "not a folder");
}
