//! Random positions of 8 to 24 stones under `classic`: `ALQUERQUE_TABLES=DIR cargo bench --bench crowded`,
//! with tables of the whole game in `DIR`. For each number of stones, the time in µs (median, 99th
//! percentile, mean) and the blocks decoded for the value, for value and distances, and for those of all
//! moves; cold, with nothing decoded, and asked again at once.
#![allow(missing_docs, clippy::unwrap_used)]

use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

use alquerque::board::{Bitboard, Point};
use alquerque::position::Position;
use alquerque::rules::{CLASSIC, Side};
use alquerque::table::blocks_decoded;
use alquerque::tablebase::Tablebase;

/// Positions for each number of stones.
const POSITIONS: u64 = 1000;

/// Asks about a position and drops the answer.
type Ask = fn(&Tablebase, &Position);

/// Random numbers, the same in every run (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }

    /// A position with `stones` stones, as many on both sides as can be.
    fn position(&mut self, stones: usize) -> Position {
        let mut points: Vec<usize> = (0..25).collect();
        for index in 0..stones {
            points.swap(index, index + self.below((25 - index) as u64) as usize);
        }
        let bits = |points: &[usize]| {
            points.iter().fold(Bitboard::EMPTY, |all, &point| all | Bitboard::of(Point::new(point).unwrap()))
        };
        let (white, black) = points[..stones].split_at(stones / 2);
        let side = if self.below(2) == 0 { Side::White } else { Side::Black };
        Position::new(bits(white), bits(black), side).unwrap()
    }
}

#[derive(Default)]
struct Times(Vec<(Duration, u64)>);

impl Times {
    fn add(&mut self, ask: impl FnOnce()) {
        let blocks = blocks_decoded();
        let start = Instant::now();
        ask();
        self.0.push((start.elapsed(), blocks_decoded() - blocks));
    }

    fn print(&mut self) {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        self.0.sort();
        let at = |share: f64| micros(self.0[((self.0.len() - 1) as f64 * share) as usize].0);
        let mean = micros(self.0.iter().map(|(time, _)| *time).sum()) / self.0.len() as f64;
        let blocks = self.0.iter().map(|(_, blocks)| *blocks).sum::<u64>() as f64 / self.0.len() as f64;
        print!(" | {:8.1} {:8.1} {mean:8.1} {blocks:6.1}", at(0.5), at(0.99));
    }
}

fn main() {
    let Ok(dir) = env::var("ALQUERQUE_TABLES") else {
        println!("ALQUERQUE_TABLES names no directory with tables of the whole game: nothing to measure");
        return;
    };
    let tables = Tablebase::open(&dir, &CLASSIC).unwrap();
    let asks: [(&str, Ask); 3] = [
        ("value", |tables, position| {
            black_box(tables.probe_value(position).unwrap());
        }),
        ("value and distances", |tables, position| {
            black_box(tables.probe(position).unwrap());
        }),
        ("all moves", |tables, position| {
            black_box(tables.probe_with_moves(position).unwrap());
        }),
    ];
    for (name, ask) in asks {
        println!("{name}: stones | cold: median, p99, mean, blocks | warm: the same");
        for stones in [8, 12, 16, 20, 22, 24] {
            let mut random = Random(stones as u64 + 1);
            let [mut cold, mut warm] = [Times::default(), Times::default()];
            for _ in 0..POSITIONS {
                let position = random.position(stones);
                // Layouts and block directories are read once in the life of a process.
                ask(&tables, &position);
                tables.forget();
                cold.add(|| ask(&tables, &position));
                warm.add(|| ask(&tables, &position));
            }
            print!("{stones:6}");
            cold.print();
            warm.print();
            println!();
        }
    }
}
