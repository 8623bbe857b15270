//! The bytes of a table, all blocks of which are decoded, and probes that need it. The first byte chooses a table of the repository to stand in for, the
//! second whether its checksums are made right; the rest are the bytes of the file.
//!
//! Bytes whose checksums are wrong never give a value that the true table does not give.

#![no_main]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use alquerque::board::Bitboard;
use alquerque::index::Index;
use alquerque::material::Material;
use alquerque::position::Position;
use alquerque::rules::{Rules, Side};
use alquerque::table::{BlockSource, Decoder, Metric, Table};
use alquerque::tablebase::Tablebase;
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::xxh3_64;

/// A table that is replaced: the rules, stones of the side to move and of the other side, and the metric.
const REPLACED: [(&str, u32, u32, &str); 8] = [
    ("classic", 2, 2, "wdl"),
    ("classic", 3, 1, "dtw"),
    ("classic", 1, 3, "dtc"),
    ("brainking", 2, 1, "wdl"),
    ("brainking", 1, 2, "dtw"),
    ("youzai", 2, 2, "dtc"),
    ("youzai", 1, 2, "wdl"),
    ("qirkat", 1, 2, "dtc"),
];

/// One in so many inputs is written to a file and probed.
const PROBED: u64 = 64;

const HEADER: usize = 128;
const DIRECTORY_ENTRY: usize = 12;

fn tables() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tables")
}

/// A directory with the tables of the repository for one choice, but for the replaced one.
fn directory(choice: usize) -> &'static Path {
    static DIRECTORIES: OnceLock<Vec<tempfile::TempDir>> = OnceLock::new();
    let made = DIRECTORIES.get_or_init(|| {
        let make = |(rules, mover, opponent, metric): (&str, u32, u32, &str)| {
            let dir = tempfile::tempdir().expect("a temporary directory");
            let folder = dir.path().join(rules);
            fs::create_dir(&folder).expect("a folder");
            for entry in fs::read_dir(tables().join(rules)).expect("tables") {
                let path = entry.expect("an entry").path();
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
                if name != format!("{mover}v{opponent}.{metric}") && !name.ends_with("proof") {
                    fs::copy(&path, folder.join(name)).expect("a copy");
                }
            }
            dir
        };
        REPLACED.into_iter().map(make).collect()
    });
    made[choice].path()
}

/// Makes the checksums of the header, the directory and the blocks right, as far as the file reaches.
fn repair(bytes: &mut [u8]) {
    let Some(header) = bytes.get(..HEADER) else { return };
    let number = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
    let entries = number(40);
    let per_block = u64::from(u32::from_le_bytes(header[48..52].try_into().expect("four bytes")));
    let blocks = entries.checked_div(per_block).map_or(0, |blocks| blocks.min(1 << 12)) as usize + 1;
    let start = (HEADER + blocks * DIRECTORY_ENTRY).min(bytes.len());
    let mut from = start;
    for block in 0..blocks {
        let at = HEADER + block * DIRECTORY_ENTRY;
        let Some(end) = bytes.get(at..at + 8) else { break };
        let end = u64::from_le_bytes(end.try_into().expect("eight bytes")) as usize;
        let sum = bytes.get(from..end).map_or(0, xxh3_64) as u32;
        if let Some(field) = bytes.get_mut(at + 8..at + 12) {
            field.copy_from_slice(&sum.to_le_bytes());
        }
        from = end;
    }
    let directory = xxh3_64(&bytes[HEADER..start]);
    bytes[96..104].copy_from_slice(&directory.to_le_bytes());
    let length = bytes.len() as u64;
    bytes[88..96].copy_from_slice(&length.to_le_bytes());
    let sum = xxh3_64(&bytes[..HEADER - 8]);
    bytes[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
}

/// A position with so many stones, as if at random.
fn position(rules: &Rules, stones: [u32; 2], seed: &mut u64) -> Option<Position> {
    let mut sets = [0_u32; 2];
    for side in 0..2 {
        while sets[side].count_ones() < stones[side] {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let point = 1 << ((*seed >> 33) % 25);
            if (sets[0] | sets[1]) & point == 0 {
                sets[side] |= point;
            }
        }
    }
    let position = Position::new(
        Bitboard::from_bits_truncate(sets[0]),
        Bitboard::from_bits_truncate(sets[1]),
        Side::White,
    )
    .ok()?;
    position.check(rules).is_ok().then_some(position)
}

/// A table that is wholly in memory.
#[derive(Debug)]
struct Bytes(Vec<u8>);

impl BlockSource for Bytes {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read<'a>(&'a self, offset: u64, length: usize, _: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        let bytes = usize::try_from(offset).ok().and_then(|from| self.0.get(from..)?.get(..length));
        bytes.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// How the entries of tables are numbered.
fn index(rules: &'static Rules) -> &'static Arc<Index> {
    static INDEXES: OnceLock<Vec<Arc<Index>>> = OnceLock::new();
    let all =
        INDEXES.get_or_init(|| Rules::ALL.into_iter().map(|rules| Arc::new(Index::new(rules))).collect());
    all.iter().find(|index| index.rules() == rules).expect("built-in rules")
}

/// Decodes all blocks of a table. Without right checksums made for them they are those of the true table.
fn decode(bytes: &[u8], truth: &Tablebase, material: Material, metric: Metric, repaired: bool) {
    let source = Box::new(Bytes(bytes.to_vec()));
    let Ok(table) = Table::from_source("fuzzed".to_owned(), source, index(truth.rules()), material, metric)
    else {
        return;
    };
    let true_table = truth.table(material, metric).expect("a table of the repository");
    let mut decoder = Decoder::new().expect("memory");
    for block in 0..table.blocks() {
        let Ok(decoded) = table.decode(&mut decoder, block) else { continue };
        if repaired {
            continue;
        }
        let expected = true_table.decode(&mut decoder, block).expect("a sound block");
        let entries = table.entries_of(block);
        assert_eq!(entries, true_table.entries_of(block));
        for within in 0..(entries.end - entries.start) as usize {
            assert_eq!(decoded.get(within), expected.get(within), "block {block}, entry {within}");
        }
    }
}

/// Probes positions that need the table, with all others of the repository beside it.
fn probe(bytes: &[u8], choice: usize, rules: &'static Rules, truth: &Tablebase, repaired: bool) {
    let (name, mover, opponent, metric) = REPLACED[choice];
    let dir = directory(choice);
    let file = dir.join(name).join(format!("{mover}v{opponent}.{metric}"));
    fs::write(&file, bytes).expect("a file that can be written");
    let Ok(tablebase) = Tablebase::open(dir, rules) else { return };
    let mut seed = xxh3_64(bytes);
    for _ in 0..4 {
        let Some(position) = position(rules, [mover, opponent], &mut seed) else { continue };
        let Ok(found) = tablebase.probe(&position) else { continue };
        let _ = tablebase.ranked_moves(&position);
        if !repaired {
            assert_eq!(Ok(found), truth.probe(&position).map_err(|error| error.to_string()), "{position}");
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let [choice, repaired, bytes @ ..] = data else { return };
    let choice = usize::from(*choice) % REPLACED.len();
    let (name, mover, opponent, metric) = REPLACED[choice];
    let rules = Rules::by_name(name).expect("known rules");
    let truth = {
        static TRUTH: OnceLock<Vec<Tablebase>> = OnceLock::new();
        let open = |(name, ..): (&str, u32, u32, &str)| {
            let rules = Rules::by_name(name).expect("known rules");
            Tablebase::open(tables(), rules).expect("the tables of the repository")
        };
        &TRUTH.get_or_init(|| REPLACED.into_iter().map(open).collect())[choice]
    };
    let mut bytes = bytes.to_vec();
    let repaired = repaired % 2 == 1;
    if repaired {
        repair(&mut bytes);
    }
    let material = Material::new(mover as usize, opponent as usize).expect("a material");
    decode(&bytes, truth, material, metric.parse().expect("a metric"), repaired);
    // Files take far longer, so that only some of the inputs go through one.
    if xxh3_64(&bytes) % PROBED == 0 {
        probe(&bytes, choice, rules, truth, repaired);
    }
});
