//! The Rust side: makes tables and positions for all faces, and times the Rust API on them.
//!
//! `alquerque-faces DIR` writes tables of up to 6 stones and the file `positions` to `DIR` and prints the time of a
//! WDL probe in nanoseconds. `run.sh` runs all faces.

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use alquerque::index::Index;
use alquerque::material::Material;
use alquerque::position::{Position, PositionBits};
use alquerque::rules::CLASSIC;
use alquerque::solve::{Job, Metrics, Target, generate};
use alquerque::tablebase::Tablebase;

/// How many positions, all of the slice 3v3.
const POSITIONS: u64 = 1 << 18;
/// How often they are probed. The first round warms the cache and does not count.
const ROUNDS: usize = 21;
/// So many positions are timed together, few enough to be done before another process gets the processor; the
/// median of these times counts.
const WINDOW: usize = 8192;

fn main() -> Result<(), Box<dyn Error>> {
    let dir = std::env::args().nth(1).ok_or("usage: alquerque-faces DIR")?;
    let dir = Path::new(&dir);
    let (target, metrics) = (Target::Stones(6), Metrics::all_of(&CLASSIC));
    let (threads, memory, force) = (2, 1 << 30, false);
    let job = Job { rules: &CLASSIC, dir: dir.to_owned(), target, metrics, threads, memory, force, scratch: None, shards: None };
    generate(&job, &(), &AtomicBool::new(false))?;

    let index = Index::new(&CLASSIC);
    let material: Material = "3v3".parse()?;
    let layout = index.layout(material.pair());
    let position = |i: u64| {
        let entry = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % layout.entries();
        let position = layout.position(material, layout.location_of(entry));
        if i % 2 == 0 { position } else { position.colours_swapped() }
    };
    let positions: Vec<Position> = (0..POSITIONS).map(position).collect();
    let mut bytes = Vec::new();
    for bits in positions.iter().map(PositionBits::from) {
        for set in [bits.white, bits.black, bits.no_west, bits.no_east] {
            bytes.extend(set.to_ne_bytes());
        }
        bytes.extend([bits.side, bits.plies, 0, 0]);
    }
    std::fs::write(dir.join("positions"), bytes)?;

    let tables = Tablebase::open(dir, &CLASSIC)?;
    let mut times = Vec::new();
    for _ in 0..=ROUNDS {
        for window in positions.chunks(WINDOW) {
            let begin = Instant::now();
            let mut sum = 0;
            for position in window {
                sum += tables.probe_value(position)? as u64;
            }
            times.push(begin.elapsed().as_secs_f64() * 1e9 / window.len() as f64);
            std::hint::black_box(sum);
        }
    }
    let counted = &mut times[positions.len() / WINDOW..];
    counted.sort_by(f64::total_cmp);
    println!("{:.1}", counted[counted.len() / 2]);
    Ok(())
}
