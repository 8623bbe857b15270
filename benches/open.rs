//! Opening a directory of tables and answering one probe, again and again: `ALQUERQUE_TABLES=DIR cargo bench
//! --bench open`. Without the variable the tables of the repository are opened.
#![allow(missing_docs, clippy::unwrap_used)]

use std::env;

use alquerque::position::Position;
use alquerque::rules::CLASSIC;
use alquerque::tablebase::Tablebase;
use criterion::{Criterion, criterion_group, criterion_main};

fn open(c: &mut Criterion) {
    let dir = env::var("ALQUERQUE_TABLES").unwrap_or_else(|_| "tables".to_owned());
    let position = Position::parse(&CLASSIC, "5/1b3/2b2/5/1ww2 w").unwrap();
    let files = Tablebase::open(&dir, &CLASSIC).unwrap().slices().len();
    c.bench_function(&format!("open {files} slices and probe"), |b| {
        b.iter(|| Tablebase::open(&dir, &CLASSIC).unwrap().probe(&position).unwrap());
    });
}

criterion_group!(benches, open);
criterion_main!(benches);
