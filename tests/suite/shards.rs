//! Pairs in shards: the same bytes as in memory, within the memory that is allowed, and nothing wrong that
//! counts as finished when a disk is full or a file is damaged.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{assert_same_files, files, job, run, temp_dir};
use alquerque::board::Directions;
use alquerque::progress::{Progress, Stage};
use alquerque::rules::{ALFONSO, BRAINKING, CLASSIC, Captures, Chains, MURRAY, NoMoves, Rules, YOUZAI};
use alquerque::solve::{GenerateError, Job, Meeting, Metrics, Plan, World};
use alquerque::table::Metric;

fn values_and_conversions(rules: &'static Rules, dir: &Path, stones: usize) -> Job {
    Job { metrics: Metrics::from_iter([Metric::Wdl, Metric::Dtc]), ..job(rules, dir, stones) }
}

/// Makes the same tables in memory and in each of these numbers of shards.
fn same_bytes(rules: &'static Rules, stones: usize, shards: &[usize]) {
    let whole = temp_dir();
    run(&values_and_conversions(rules, whole.path(), stones)).unwrap();
    for &shards in shards {
        let dir = temp_dir();
        let job = Job { shards: Some(shards), ..values_and_conversions(rules, dir.path(), stones) };
        run(&job).unwrap();
        assert_same_files(whole.path(), dir.path(), &format!("{} {stones} {shards}", rules.name()));
    }
}

#[test]
fn shards_make_the_same_tables() {
    same_bytes(&CLASSIC, 5, &[1, 7]);
    same_bytes(&CLASSIC, 4, &[2, 3]);
    same_bytes(&YOUZAI, 4, &[3]);
    same_bytes(&ALFONSO, 4, &[1, 3]);
    same_bytes(&MURRAY, 4, &[2]);
}

#[test]
fn shards_make_the_same_tables_under_unusual_rules() {
    let forward = Rules::builder("shards-forward")
        .steps(Directions::FORWARD_AND_SIDEWAYS, false)
        .captures(Captures::Optional)
        .jumps(Directions::FORWARD_AND_SIDEWAYS, Directions::ALL)
        .ply_limit(Some(9));
    let blocked = Rules::builder("shards-blocked")
        .no_moves(NoMoves::Draw)
        .captures(Captures::Optional)
        .chains(Chains::MayStop);
    let brief = Rules::builder("shards-brief").ply_limit(Some(1));
    for rules in [forward, blocked, brief] {
        same_bytes(rules.build().unwrap(), 4, &[3]);
    }
}

/// `cargo test --release --test suite shards:: -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn shards_make_the_same_tables_with_six_stones() {
    for rules in [&CLASSIC, &YOUZAI, &ALFONSO, &MURRAY] {
        same_bytes(rules, 6, &[1, 2, 3, 7]);
    }
}

#[test]
fn what_memory_does_not_hold_is_cut_into_shards() {
    let dir = temp_dir();
    let job = values_and_conversions(&CLASSIC, dir.path(), 8);
    let roomy = Plan::new(&job).unwrap();
    assert_eq!((roomy.shards(), roomy.scratch()), (None, 0));
    let tight = Job { memory: 40 << 20, ..job };
    let plan = Plan::new(&tight).unwrap();
    assert!(roomy.memory() > tight.memory && plan.memory() <= tight.memory);
    assert!(plan.shards().is_some() && plan.scratch() > 0 && plan.traffic() > 0);
    let planned = plan.planned();
    assert!(planned.iter().all(|pair| pair.memory <= tight.memory && pair.task == "solve"));
}

#[test]
fn intermediate_files_lie_where_they_are_wanted() {
    let (whole, dir, scratch) = (temp_dir(), temp_dir(), temp_dir());
    run(&values_and_conversions(&CLASSIC, whole.path(), 4)).unwrap();
    let job = Job {
        shards: Some(2),
        scratch: Some(scratch.path().to_owned()),
        ..values_and_conversions(&CLASSIC, dir.path(), 4)
    };
    let seen = AtomicBool::new(false);
    let look = |stage| {
        if matches!(stage, Stage::Pass { .. }) {
            seen.store(!files(scratch.path()).is_empty(), Ordering::Relaxed);
        }
    };
    Plan::new(&job).unwrap().run(&AtStage(look), &AtomicBool::new(false)).unwrap();
    assert!(seen.into_inner(), "there are files during a pass");
    assert_same_files(whole.path(), dir.path(), "files elsewhere");
    assert!(files(scratch.path()).is_empty(), "nothing is left of the intermediate files");
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let dir = temp_dir();
    let refused = |job: Job| Plan::new(&job).map(|_| ()).unwrap_err();
    let shards = Some(2);
    let error = refused(Job { shards, ..job(&BRAINKING, dir.path(), 3) });
    assert!(matches!(error, GenerateError::StatesInShards("brainking")), "{error}");
    let error = refused(Job { shards, ..job(&CLASSIC, dir.path(), 3) });
    assert!(matches!(error, GenerateError::DistanceToWinInShards), "{error}");
    let little = Job { memory: 1 << 20, ..values_and_conversions(&CLASSIC, dir.path(), 6) };
    assert!(matches!(refused(little), GenerateError::Memory { .. }));
}

/// Does something when a stage begins.
struct AtStage<F>(F);

impl<F: Fn(Stage) + Sync> Progress for AtStage<F> {
    fn stage(&self, stage: Stage) {
        self.0(stage);
    }
}

#[test]
fn a_damaged_file_of_a_shard_is_found() {
    let whole = temp_dir();
    run(&values_and_conversions(&CLASSIC, whole.path(), 4)).unwrap();
    for (kind, pass) in [("values", 3), ("values2", 3), ("mail2", 3), ("mail", 4), ("log", 0)] {
        let dir = temp_dir();
        let job = Job { shards: Some(3), ..values_and_conversions(&CLASSIC, dir.path(), 4) };
        let name = format!("3v1.{kind}.tmp");
        let damage = |stage| {
            let is_time = match stage {
                Stage::Pass { pair, pass: now } => pair.to_string() == "3v1" && now == pass,
                Stage::Writing { pair, metric } => {
                    pair.to_string() == "3v1" && pass == 0 && metric == Metric::Dtc
                }
                _ => false,
            };
            if is_time {
                // The run has a folder of its own. A bit of every byte is flipped.
                let folders = fs::read_dir(dir.path().join("classic")).unwrap();
                let path = folders.map(|entry| entry.unwrap().path().join(&name)).find(|path| path.exists());
                let path = path.unwrap();
                let mut bytes = fs::read(&path).unwrap();
                bytes.iter_mut().for_each(|byte| *byte ^= 1);
                fs::write(&path, bytes).unwrap();
            }
        };
        let error = Plan::new(&job).unwrap().run(&AtStage(damage), &AtomicBool::new(false)).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(kind) && message.contains("damaged"), "{kind}: {message}");
        assert!(!dir.path().join("classic/3v1.dtc").exists(), "{kind}: nothing wrong is written");
        run(&job).unwrap();
        assert_same_files(whole.path(), dir.path(), kind);
    }
}

#[test]
fn a_run_in_shards_continues_where_it_stopped() {
    let (whole, dir) = (temp_dir(), temp_dir());
    run(&values_and_conversions(&CLASSIC, whole.path(), 5)).unwrap();
    let job = Job { shards: Some(3), ..values_and_conversions(&CLASSIC, dir.path(), 5) };
    // In each run a later stage is the last one.
    for last in [3, 20, 45, 70] {
        let (stop, stages) = (AtomicBool::new(false), std::sync::atomic::AtomicUsize::new(0));
        let count = |_| {
            if stages.fetch_add(1, Ordering::Relaxed) == last {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let stopped = Plan::new(&job).unwrap().run(&AtStage(count), &stop);
        assert!(matches!(stopped, Ok(()) | Err(GenerateError::Stopped)));
    }
    run(&job).unwrap();
    assert_same_files(whole.path(), dir.path(), "continued");
}

/// Runs a job in ranks that are threads.
fn run_in_ranks(job: &Job, ranks: usize) {
    let meeting = Meeting::new(ranks);
    std::thread::scope(|scope| {
        for rank in 0..ranks {
            let meeting = &meeting;
            scope.spawn(move || {
                let world = meeting.rank(rank);
                assert_eq!((world.rank(), world.size()), (rank, ranks));
                let plan = Plan::for_ranks(job, ranks).unwrap();
                plan.run_in_ranks(&world, &(), &AtomicBool::new(false)).unwrap();
            });
        }
    });
}

/// Makes the same tables by one program and by each of these numbers of ranks.
fn same_bytes_in_ranks(rules: &'static Rules, stones: usize, ranks: &[usize]) {
    let whole = temp_dir();
    run(&values_and_conversions(rules, whole.path(), stones)).unwrap();
    for &ranks in ranks {
        let dir = temp_dir();
        // What exists is kept, by any number of ranks.
        run(&values_and_conversions(rules, dir.path(), 3)).unwrap();
        run_in_ranks(&Job { threads: 1, ..values_and_conversions(rules, dir.path(), stones) }, ranks);
        assert_same_files(whole.path(), dir.path(), &format!("{} {stones} {ranks} ranks", rules.name()));
    }
}

#[test]
fn ranks_make_the_same_tables() {
    same_bytes_in_ranks(&CLASSIC, 5, &[2]);
    same_bytes_in_ranks(&YOUZAI, 4, &[3]);
    same_bytes_in_ranks(&ALFONSO, 4, &[1, 4]);
}

/// `cargo test --release --test suite shards:: -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn ranks_make_the_same_tables_with_six_stones() {
    for rules in [&CLASSIC, &YOUZAI, &ALFONSO, &MURRAY] {
        same_bytes_in_ranks(rules, 6, &[1, 2, 3, 4]);
    }
}
