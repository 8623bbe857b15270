//! Positions a second of the search that proves values: the same small proofs each time, without tables, on
//! one thread.
#![allow(missing_docs, clippy::unwrap_used)]

use std::time::Duration;

use alquerque::position::Position;
use alquerque::proof::{Request, Solver};
use alquerque::rules::{CLASSIC, QIRKAT, Rules, YOUZAI};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

/// The kinds of proofs: no cycles, a ply counter, endless play.
const PROOFS: [(&Rules, &str); 3] = [
    (&QIRKAT, "bb3/bb1b1/2b2/1ww2/ww1w1 w"),
    (&YOUZAI, "5/bb3/2b2/1ww2/3w1 b"),
    (&CLASSIC, "5/bb3/5/1w1w1/5 w"),
];

fn solver(rules: &'static Rules) -> Solver {
    Solver::new(rules, 64 << 20).unwrap()
}

fn proofs(c: &mut Criterion) {
    let mut group = c.benchmark_group("proof");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for (rules, text) in PROOFS {
        let position = Position::parse(rules, text).unwrap();
        let solve = |mut solver: Solver| solver.solve(&position, &Request::default(), |_| {}).unwrap();
        // One thread visits the same positions each time.
        let solved = solve(solver(rules));
        assert!(solved.value.is_some());
        group.throughput(Throughput::Elements(solved.nodes));
        group.bench_function(rules.name(), |b| {
            b.iter_batched(|| solver(rules), solve, BatchSize::PerIteration)
        });
    }
}

criterion_group!(benches, proofs);
criterion_main!(benches);
