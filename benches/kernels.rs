//! Times of the kernels: index, move generation, solving a small slice, and probing.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use alquerque::index::Index;
use alquerque::material::Material;
use alquerque::moves::{legal_moves, perft};
use alquerque::position::Position;
use alquerque::rules::{BRAINKING, CLASSIC, Rules, YOUZAI};
use alquerque::solve::{Job, Metrics, PairInWork, Stages, Target, generate};
use alquerque::table::Metric;
use alquerque::tablebase::Tablebase;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

/// Entries spread evenly over a slice, in an order that jumps about.
fn scattered(entries: u64, count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |i| (i * 0x9e37_79b9_7f4a_7c15) % entries)
}

fn positions(rules: &'static Rules, material: &str, count: u64) -> Vec<Position> {
    let index = Index::new(rules);
    let material: Material = material.parse().unwrap();
    let layout = index.layout(material.pair());
    let position = |entry| layout.position(material, layout.location_of(entry));
    scattered(layout.entries(), count).map(position).collect()
}

fn job(rules: &'static Rules, dir: &Path, stones: usize, metrics: Metrics) -> Job {
    let dir = dir.to_owned();
    Job {
        rules,
        dir,
        target: Target::Stones(stones),
        metrics,
        threads: 2,
        memory: 1 << 30,
        force: false,
        scratch: None,
        shards: None,
    }
}

fn index(c: &mut Criterion) {
    let mut group = c.benchmark_group("index");
    for (rules, text) in [(&CLASSIC, "4v4"), (&CLASSIC, "9v8"), (&BRAINKING, "3v2")] {
        let index = Index::new(rules);
        let material: Material = text.parse().unwrap();
        let layout = index.layout(material.pair());
        let entries: Vec<u64> = scattered(layout.entries(), 1024).collect();
        let positions = positions(rules, text, 1024);
        group.throughput(Throughput::Elements(1024));
        group.bench_function(format!("rank {} {text}", rules.name()), |b| {
            b.iter(|| positions.iter().map(|p| layout.entry(layout.locate(black_box(p)))).sum::<u64>());
        });
        group.bench_function(format!("unrank {} {text}", rules.name()), |b| {
            b.iter(|| {
                for &entry in &entries {
                    black_box(layout.position(material, layout.location_of(black_box(entry))));
                }
            });
        });
    }
}

fn moves(c: &mut Criterion) {
    let mut group = c.benchmark_group("moves");
    for (rules, text) in [(&CLASSIC, "4v4"), (&CLASSIC, "9v8"), (&BRAINKING, "3v2")] {
        let positions = positions(rules, text, 1024);
        group.throughput(Throughput::Elements(1024));
        group.bench_function(format!("legal {} {text}", rules.name()), |b| {
            b.iter(|| positions.iter().map(|p| legal_moves(rules, black_box(p)).len()).sum::<usize>());
        });
    }
    group.throughput(Throughput::Elements(83_003));
    group.bench_function("perft classic start 10", |b| {
        b.iter(|| perft(&CLASSIC, &Position::start(&CLASSIC), 10));
    });
}

fn solve(c: &mut Criterion) {
    let mut group = c.benchmark_group("solve");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    let all = vec![Metric::Dtc, Metric::Dtw];
    for (rules, text, kind, metrics) in [
        (&CLASSIC, "3v2", "wdl", vec![]),
        (&CLASSIC, "3v2", "all metrics", all.clone()),
        (&BRAINKING, "2v1", "wdl", vec![]),
        (&BRAINKING, "2v1", "all metrics", all),
    ] {
        // The slices that this one needs are there before; its pair is solved and written.
        let material: Material = text.parse().unwrap();
        let metrics: Metrics = metrics.into_iter().collect();
        let smaller = material.total() - 1;
        group.throughput(Throughput::Elements(2 * Index::new(rules).layout(material.pair()).entries()));
        group.bench_function(format!("{} {text} {kind}", rules.name()), |b| {
            let setup = || {
                let dir = tempfile::tempdir().unwrap();
                generate(&job(rules, dir.path(), smaller, metrics), &(), &AtomicBool::new(false)).unwrap();
                dir
            };
            let run = |dir: tempfile::TempDir| {
                let job = Job { target: Target::Material(material), ..job(rules, dir.path(), 2, metrics) };
                generate(&job, &(), &AtomicBool::new(false)).unwrap();
                dir
            };
            b.iter_batched(setup, run, BatchSize::PerIteration);
        });
    }
}

/// The stages of solving one pair by rows as words, on one thread. A time stands for all entries of both
/// tables.
fn stages(c: &mut Criterion) {
    let mut group = c.benchmark_group("stages");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for (rules, text) in [(&CLASSIC, "4v3"), (&CLASSIC, "4v4"), (&YOUZAI, "3v3")] {
        let stages = Stages::new(rules, text.parse().unwrap()).unwrap();
        group.throughput(Throughput::Elements(stages.entries()));
        let begin = || stages.begin().unwrap();
        group.bench_function(format!("captures {} {text}", rules.name()), |b| {
            let resolve = |work: PairInWork| pool.install(|| work.resolve_captures());
            b.iter_batched(begin, resolve, BatchSize::PerIteration);
        });
        group.bench_function(format!("captures and passes {} {text}", rules.name()), |b| {
            let solve = |mut work: PairInWork| pool.install(|| work.solve().unwrap());
            b.iter_batched(begin, solve, BatchSize::PerIteration);
        });
        let mut work = begin();
        pool.install(|| work.solve().unwrap());
        for (kind, own) in [("as words", true), ("one by one", false)] {
            group.throughput(Throughput::Elements(work.read_along_steps(own)));
            group.bench_function(format!("values after steps {kind} {} {text}", rules.name()), |b| {
                b.iter(|| work.read_along_steps(black_box(own)));
            });
        }
    }
}

fn probe(c: &mut Criterion) {
    let mut group = c.benchmark_group("probe");
    let dir = tempfile::tempdir().unwrap();
    generate(&job(&CLASSIC, dir.path(), 6, Metrics::all_of(&CLASSIC)), &(), &AtomicBool::new(false)).unwrap();
    let all = positions(&CLASSIC, "3v3", 4096);
    let can_capture = |p: &&Position| legal_moves(&CLASSIC, p).iter().any(|mv| mv.is_capture());
    let (captures, quiet): (Vec<&Position>, Vec<&Position>) = all.iter().partition(can_capture);
    group.throughput(Throughput::Elements(1));
    for (cache, bytes) in [("warm", 64 << 20), ("cold", 0)] {
        let tables = Tablebase::with_cache(dir.path(), &CLASSIC, bytes).unwrap();
        for (kind, positions) in [("quiet", &quiet), ("capture", &captures)] {
            let mut next = positions.iter().cycle();
            group.bench_function(format!("{cache} value {kind}"), |b| {
                b.iter(|| tables.probe_value(next.next().unwrap()).unwrap());
            });
            group.bench_function(format!("{cache} verdict {kind}"), |b| {
                b.iter(|| tables.probe(next.next().unwrap()).unwrap());
            });
        }
    }
}

criterion_group!(benches, index, moves, solve, stages, probe);
criterion_main!(benches);
