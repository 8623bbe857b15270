//! Making tables for the tests, and positions to try them on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use alquerque::index::Index;
use alquerque::material::Material;
use alquerque::position::Position;
use alquerque::progress::Progress;
use alquerque::rules::Rules;
use alquerque::solve::{GenerateError, Job, Metrics, Target, generate};
use alquerque::table::{Content, Cursor, Manifest, Metric, Table, TableInfo, file_name, write_table};
use alquerque::tablebase::Tablebase;
use tempfile::TempDir;

/// A progress display that shows nothing.
pub struct Silent;

impl Progress for Silent {}

/// A file or folder of the repository. Tests run in the folder of their package, which is not its root.
pub fn in_repo(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

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
        scratch: None,
        shards: None,
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

/// Puts another value into a table, with checksums that match, and counts as they were. The entry must be
/// stored and hold another symbol.
pub fn falsify_entry(
    dir: &Path,
    rules: &'static Rules,
    (material, metric): (Material, Metric),
    entry: u64,
    symbol: u16,
) {
    let tablebase = Tablebase::open(dir, rules).unwrap();
    let table = tablebase.table(material, metric).unwrap();
    let mut symbols = symbols(table);
    let before = symbols[entry as usize].replace(symbol);
    assert!(before.is_some_and(|before| before != symbol), "the entry is stored and has another symbol");
    rewrite(dir, rules, table.info(), &symbols);
}

/// Writes a table with this header and these stored symbols, and its checksum into the manifest.
pub fn rewrite(dir: &Path, rules: &'static Rules, info: &TableInfo, symbols: &[Option<u16>]) {
    let folder = dir.join(rules.name());
    let name = file_name(info.material, info.metric);
    let index = Index::new(rules);
    let layout = index.layout(info.material.pair());
    write_table(&folder.join(&name), layout, info, &|entries, _| {
        let symbols = &symbols[entries.start as usize..entries.end as usize];
        let plane = |value: u16| {
            let bit = |(place, symbol): (usize, &Option<u16>)| u64::from(*symbol == Some(value)) << place;
            symbols.chunks(64).map(|word| word.iter().enumerate().map(bit).sum()).collect()
        };
        match info.metric {
            Metric::Wdl => Content::Values { won: plane(2), lost: plane(0) },
            _ => Content::Distances(symbols.iter().flatten().copied().collect()),
        }
    })
    .unwrap();
    let mut manifest = Manifest::read(&folder).unwrap();
    let tablebase = Tablebase::open(dir, rules).unwrap();
    manifest.insert(name, tablebase.table(info.material, info.metric).unwrap().checksum().unwrap());
    manifest.write(&folder).unwrap();
}

/// What a table stores of each of its entries.
pub fn symbols(table: &Table) -> Vec<Option<u16>> {
    let mut cursor = Cursor::new(table);
    (0..table.info().entries).map(|entry| cursor.get(entry).unwrap()).collect()
}

/// Random numbers that are the same in every run.
pub struct Random(u64);

impl Random {
    /// A sequence of its own for every seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }

    /// One of `items`.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// A position of `material`, each about as likely as any other.
pub fn random_position(index: &Index, material: Material, random: &mut Random) -> Position {
    let layout = index.layout(material.pair());
    layout.position(material, layout.location_of(random.below(layout.entries())))
}

/// All materials with so many stones in total.
pub fn materials(stones: usize) -> Vec<Material> {
    (1..stones).filter_map(|mover| Material::new(mover, stones - mover)).collect()
}
