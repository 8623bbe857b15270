//! A forger: certificates with false claims of every kind, which both checkers must refuse.
//!
//! Tables say what the value of a position is. The forger claims another one and backs the claim as well as
//! it can: with the best replies, or nearly, to all answers, with bounds that shrink, do not shrink, or are
//! beyond all limits, with tables as leaves or without; then it spoils some of it. Whatever the bytes are, a
//! claim that is false must not pass.
//!
//! `cargo test --release --test suite forger:: -- --ignored` tries 100,000 forgeries.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use alquerque::canonical::{Canonical, Key};
use alquerque::certificate::{Certificate, CheckError, CheckOptions, Goal, check, check_with, successors};
use alquerque::moves::legal_moves;
use alquerque::position::{Position, PositionBits};
use alquerque::rules::{NoMoves, QIRKAT, Rules, Side};
use alquerque::table::{Metric, Value};
use alquerque::tablebase::Tablebase;
use serde_json::Value as Json;
use xxhash_rust::xxh3::xxh3_64;

use crate::support::{Random, in_repo, job, materials, random_position, run, temp_dir};

/// An entry with numbers that no sound one could have.
#[derive(Clone, Copy, Debug)]
struct RawEntry {
    key: Key,
    reply: u64,
    bound: u64,
    /// How far from the root it is.
    depth: u64,
}

/// A certificate in the making.
#[derive(Clone)]
struct Forgery {
    rules: &'static Rules,
    root: PositionBits,
    claims: Vec<(bool, Goal, Vec<RawEntry>)>,
    /// Tables: stones of the side to move and of the other, metric, checksum.
    stamps: Vec<(u8, u8, Metric, u128)>,
}

fn varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// A block and its checksum as the directory has it.
fn compressed(bytes: &[u8]) -> (Vec<u8>, u32) {
    let block = zstd::bulk::compress(bytes, 3).unwrap();
    let checksum = xxh3_64(&block) as u32;
    (block, checksum)
}

/// Header and lists with checksums that are right, and the blocks.
fn sealed(mut header: Vec<u8>, lists: &[u8], blocks: &[u8]) -> Vec<u8> {
    let size = (header.len() + lists.len() + blocks.len()) as u64;
    header[88..96].copy_from_slice(&size.to_le_bytes());
    header[96..104].copy_from_slice(&xxh3_64(lists).to_le_bytes());
    let checksum = xxh3_64(&header[..120]);
    header[120..128].copy_from_slice(&checksum.to_le_bytes());
    [&header, lists, blocks].concat()
}

impl Forgery {
    /// The header without sizes and checksums.
    fn header(&self) -> Vec<u8> {
        let mut header = vec![0; 128];
        header[..8].copy_from_slice(b"ALQPROOF");
        header[8] = 1;
        header[10..13].copy_from_slice(&[self.claims.len() as u8, self.root.side, self.root.plies]);
        header[16..16 + self.rules.name().len()].copy_from_slice(self.rules.name().as_bytes());
        header[32..40].copy_from_slice(&xxh3_64(self.rules.description().as_bytes()).to_le_bytes());
        let PositionBits { white, black, no_west, no_east, .. } = self.root;
        for (at, set) in [white, black, no_west, no_east].into_iter().enumerate() {
            header[40 + 4 * at..44 + 4 * at].copy_from_slice(&set.to_le_bytes());
        }
        for (at, (by_mover, goal, entries)) in self.claims.iter().enumerate() {
            header[56 + 8 * at..64 + 8 * at].copy_from_slice(&(entries.len() as u64).to_le_bytes());
            header[72 + 4 * at] = u8::from(!entries.is_empty());
            header[80 + 2 * at] = u8::from(!by_mover);
            header[81 + 2 * at] = *goal as u8;
        }
        header[84..86].copy_from_slice(&(self.stamps.len() as u16).to_le_bytes());
        header
    }

    fn bytes(&self) -> Vec<u8> {
        let mut lists = Vec::new();
        for (mover, opponent, metric, checksum) in &self.stamps {
            lists.extend([*mover, *opponent, *metric as u8, 0]);
            lists.extend(checksum.to_le_bytes());
        }
        let claims = self.claims.iter().filter(|(_, _, entries)| !entries.is_empty());
        let mut end = (128 + lists.len() + 32 * claims.clone().count()) as u64;
        let mut blocks = Vec::new();
        for (_, _, entries) in claims {
            let mut entries = entries.clone();
            entries.sort_by_key(|entry| entry.key);
            let (mut bytes, mut before) = (Vec::new(), 0);
            for entry in &entries {
                varint(&mut bytes, entry.key.stones - before);
                before = entry.key.stones;
            }
            if self.rules.no_return() {
                entries.iter().for_each(|entry| varint(&mut bytes, entry.key.forbidden));
            }
            entries.iter().for_each(|entry| varint(&mut bytes, entry.reply));
            entries.iter().for_each(|entry| varint(&mut bytes, entry.bound));
            let (block, checksum) = compressed(&bytes);
            end += block.len() as u64;
            for word in [entries[0].key.stones, entries[0].key.forbidden, end] {
                lists.extend(word.to_le_bytes());
            }
            lists.extend((entries.len() as u32).to_le_bytes());
            lists.extend(checksum.to_le_bytes());
            blocks.extend(block);
        }
        sealed(self.header(), &lists, &blocks)
    }
}

/// Bounds that might slip through somewhere: around limits, and where a type with fewer bits wraps around.
fn special(rules: &Rules, random: &mut Random) -> u64 {
    let limit = rules.ply_limit().map_or(50, u64::from);
    let near = [0, 1, 2, 3, limit - 1, limit, limit + 1, limit + 2, 2 * limit, 2 * limit + 1];
    let far = [255, 256, 257, 256 + limit, 65_534, 65_535, 65_536, 65_536 + limit, (1 << 30) + 1, 1 << 49];
    if random.below(3) > 0 { *random.choose(&near) } else { *random.choose(&far) }
}

/// How the bounds of a claim are chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bounds {
    /// What would be right.
    Right,
    /// All the same.
    Same(u64),
    /// Falling from a number on with the distance from the root.
    Falling(u64),
    /// Each one of its own.
    Any,
}

struct Forger<'a> {
    rules: &'static Rules,
    tables: &'a Tablebase,
    random: Random,
}

impl Forger<'_> {
    fn bounds(&mut self) -> Bounds {
        match self.random.below(8) {
            0..3 => Bounds::Right,
            3..5 => Bounds::Same(special(self.rules, &mut self.random)),
            5..7 => Bounds::Falling(special(self.rules, &mut self.random)),
            _ => Bounds::Any,
        }
    }

    /// The position after the prover's move: the best that the tables know for him, as a place among the
    /// successors.
    fn reply(&mut self, position: &Position, careless: bool) -> (u64, Option<Canonical>) {
        let moves = successors(self.rules, position);
        if moves.is_empty() || careless && self.random.below(10) == 0 {
            let place = self.random.below(moves.len() as u64 + 2);
            return (place, moves.get(place as usize).copied());
        }
        let score = |after: &Canonical| {
            let verdict = self.tables.probe(&after.position(0)).unwrap();
            let plies = i64::from(verdict.dtc.unwrap_or(0));
            match verdict.value {
                Value::Loss => (2, -plies),
                Value::Draw => (1, 0),
                Value::Win => (0, plies),
            }
        };
        let best = (0..moves.len()).max_by_key(|&at| score(&moves[at])).unwrap();
        (best as u64, Some(moves[best]))
    }

    /// Replies of a prover to everything, from `root` on, as far as `most` entries go; positions with so few
    /// stones as `leaves` are left to the tables.
    fn entries(
        &mut self,
        root: &Position,
        claim: (bool, Goal),
        careless: bool,
        leaves: usize,
    ) -> Vec<RawEntry> {
        const MOST: usize = 60;
        let (rules, bounds) = (self.rules, if careless { self.bounds() } else { Bounds::Right });
        let after_all = |normal: Canonical| {
            let position = normal.position(0);
            legal_moves(rules, &position).into_iter().map(move |mv| position.play(rules, &mv))
        };
        let is_leaf = |normal: Canonical| normal.own().count() + normal.opponent().count() <= leaves;
        let start = Canonical::of(rules, root);
        let mut pending: Vec<(Canonical, u64)> = match claim.0 {
            true => vec![(start, 0)],
            false => after_all(start).map(|position| (Canonical::of(rules, &position), 1)).collect(),
        };
        pending.retain(|&(normal, _)| !is_leaf(normal));
        let (mut seen, mut entries, mut next) = (HashSet::new(), Vec::new(), 0);
        while next < pending.len() && entries.len() < MOST {
            let (normal, depth) = pending[next];
            next += 1;
            if !seen.insert(normal) {
                continue;
            }
            let (reply, after) = self.reply(&normal.position(0), careless);
            let dtc = self.tables.probe(&normal.position(0)).unwrap().dtc.map_or(1, u64::from);
            let bound = match (bounds, claim.1, rules.ply_limit()) {
                (Bounds::Right, Goal::Win, _) => dtc,
                (Bounds::Right, Goal::Hold, limit) => limit.map_or(0, u64::from),
                (Bounds::Same(bound), ..) => bound,
                (Bounds::Falling(from), ..) => from.saturating_sub(depth),
                (Bounds::Any, ..) => special(rules, &mut self.random),
            };
            entries.push(RawEntry { key: normal.key(), reply, bound, depth });
            let Some(after) = after.filter(|&after| !is_leaf(after)) else { continue };
            for position in after_all(after) {
                let answer = Canonical::of(rules, &position);
                if !is_leaf(answer) {
                    pending.push((answer, depth + 2));
                }
            }
        }
        entries
    }

    /// Claims that amount to a value, and mostly some that do not.
    fn claims(&mut self, truth: Value, honest: bool) -> Vec<(bool, Goal)> {
        let of = |value: Value| match value {
            Value::Win => vec![(true, Goal::Win)],
            Value::Loss => vec![(false, Goal::Win)],
            Value::Draw => vec![(true, Goal::Hold), (false, Goal::Hold)],
        };
        if honest {
            return of(truth);
        }
        let others = [Value::Win, Value::Draw, Value::Loss].map(|value| (value != truth).then(|| of(value)));
        let mut all: Vec<Vec<(bool, Goal)>> = others.into_iter().flatten().collect();
        if self.random.below(20) == 0 {
            // These amount to nothing, whether they hold or not.
            all = vec![
                vec![(true, Goal::Hold)],
                vec![(false, Goal::Hold)],
                vec![(true, Goal::Hold); 2],
                vec![(true, Goal::Win), (false, Goal::Win)],
                vec![(true, Goal::Win), (true, Goal::Hold)],
            ];
        }
        self.random.choose(&all).clone()
    }

    /// A certificate about a random position, and the value of that.
    fn forge(&mut self, honest: bool) -> (Forgery, Value) {
        let (rules, tables) = (self.rules, self.tables);
        let stones = 2 + self.random.below(3) as usize;
        let material = *self.random.choose(&materials(stones));
        let mut root = random_position(tables.index(), material, &mut self.random);
        if let Some(limit) = rules.ply_limit()
            && self.random.below(2) == 0
        {
            root = root.with_plies(rules, self.random.below(u64::from(limit) + 1)).unwrap();
        }
        let truth = tables.probe_value(&root).unwrap();
        let leaves = if !honest && self.random.below(3) == 0 { stones - 1 } else { 0 };
        let claims = self.claims(truth, honest).into_iter();
        let claims = claims.map(|claim| (claim.0, claim.1, self.entries(&root, claim, !honest, leaves)));
        let claims = claims.collect();
        let stamps = self.tables.tables().filter(|table| table.info().material.total() <= leaves);
        let stamp = |table: &alquerque::table::Table| {
            let material = table.info().material;
            (
                material.mover() as u8,
                material.opponent() as u8,
                table.info().metric,
                table.checksum().unwrap(),
            )
        };
        let mut stamps: Vec<_> = stamps.map(stamp).collect();
        stamps.sort_by_key(|&(mover, opponent, metric, _)| (mover, opponent, metric));
        let mut forgery = Forgery { rules, root: PositionBits::from(&root), claims, stamps };
        if !honest {
            for _ in 0..self.random.below(3) {
                self.spoil(&mut forgery);
            }
        }
        // What was spoiled may be the root itself.
        let truth = forgery.root.position(rules).map_or(truth, |root| tables.probe_value(&root).unwrap());
        (forgery, truth)
    }

    /// Changes something.
    fn spoil(&mut self, forgery: &mut Forgery) {
        let random = &mut self.random;
        let claim = random.below(forgery.claims.len() as u64) as usize;
        let kind = random.below(10);
        if kind == 0 {
            forgery.root.plies = random.below(60) as u8;
        } else if kind == 1 {
            forgery.root.side ^= 1;
        }
        let entries = &mut forgery.claims[claim].2;
        if entries.is_empty() {
            return;
        }
        let at = random.below(entries.len() as u64) as usize;
        match kind {
            2 => drop(entries.swap_remove(at)),
            3 => entries[at].reply = random.below(40),
            4 => entries[at].bound = special(self.rules, random),
            5 => entries.push(RawEntry { bound: special(self.rules, random), ..entries[at] }),
            6 => entries[at].key.forbidden ^= 1 << random.below(50),
            7 => {
                let stranger = random_position(self.tables.index(), *random.choose(&materials(4)), random);
                entries.push(RawEntry { key: Canonical::of(self.rules, &stranger).key(), ..entries[at] });
            }
            8 => entries.truncate(at),
            9 => {
                entries.iter_mut().for_each(|entry| entry.bound += 1 + random.below(60) - entry.depth.min(1))
            }
            _ => {}
        }
    }
}

/// What `tools/check.py` says of all files of a list: for each whether it was accepted, with which value.
/// `None` if there is no Python that can run it, unless `ALQUERQUE_PYTHON` says that there is.
fn checked_in_python(paths: &[PathBuf], rule_file: Option<&Path>) -> Option<Vec<Option<String>>> {
    let python = crate::solve::python()?;
    let mut child = Command::new(python)
        .arg(in_repo("tools/check.py"))
        .args(rule_file.iter().flat_map(|file| [Path::new("--rules"), file]))
        .args(["--json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let names: String = paths.iter().map(|path| format!("{}\n", path.display())).collect();
    let feeder = std::thread::spawn(move || input.write_all(names.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let value = |line: &str| {
        let answer: Json = serde_json::from_str(line).unwrap();
        answer["value"].as_str().map(str::to_owned)
    };
    let answers: Vec<Option<String>> = lines.lines().map(value).collect();
    assert_eq!(answers.len(), paths.len(), "tools/check.py stopped early");
    Some(answers)
}

/// The rule files of the tests, but for those under which there are no proofs.
fn rule_files() -> Vec<(&'static Rules, PathBuf)> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(in_repo("tests/data/rules")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let all = files.into_iter().map(|file| (Rules::from_file(&file).unwrap(), file));
    all.filter(|(rules, _)| rules.no_moves() == NoMoves::Loss).collect()
}

/// Forges so many certificates for each rule set, a tenth of them honest. Rules that are not built in come with
/// their file.
fn forge_all(all: impl IntoIterator<Item = (&'static Rules, Option<PathBuf>)>, count: u64, seed: u64) {
    for (rules, rule_file) in all {
        let dir = temp_dir();
        run(&job(rules, dir.path(), 4)).unwrap();
        let tables = Tablebase::open(dir.path(), rules).unwrap();
        let mut forger = Forger { rules, tables: &tables, random: Random::new(seed) };
        let (mut honest_passed, mut honest_all, mut forged) = (0, 0, 0);
        let mut remaining = count;
        while remaining > 0 {
            let files = temp_dir();
            let mut written = Vec::new();
            for number in 0..remaining.min(1000) {
                let honest = number % 10 == 0;
                let (forgery, truth) = forger.forge(honest);
                let path = files.path().join(format!("{number}.proof"));
                std::fs::write(&path, forgery.bytes()).unwrap();
                let checked = Certificate::open(&path)
                    .map_err(CheckError::from)
                    .and_then(|certificate| check(&certificate, Some(&tables)));
                let proven = checked.as_ref().ok().map(|report| report.value);
                assert!(
                    proven.is_none_or(|value| value == truth),
                    "{}: {:?} passes as {proven:?}, but is {truth}: {}",
                    rules.name(),
                    forgery.root.position(rules),
                    kept(&path)
                );
                honest_all += u64::from(honest);
                honest_passed += u64::from(honest && proven.is_some());
                forged += u64::from(!honest);
                written.push((path, truth, proven, !forgery.stamps.is_empty()));
            }
            remaining -= written.len() as u64;
            let paths: Vec<PathBuf> = written.iter().map(|(path, ..)| path.clone()).collect();
            for (answer, (path, _, proven, has_tables)) in
                checked_in_python(&paths, rule_file.as_deref()).into_iter().flatten().zip(&written)
            {
                // The two checkers agree on what stands alone.
                let expected = proven.filter(|_| !has_tables).map(|value| value.name().to_owned());
                assert_eq!(answer, expected, "{}: tools/check.py on {}", rules.name(), kept(path));
            }
        }
        println!("{}: {forged} forged, none accepted; {honest_passed} of {honest_all} honest", rules.name());
        // Else the forgeries would be no good either.
        assert!(honest_passed * 3 > honest_all, "{}: {honest_passed} of {honest_all}", rules.name());
    }
}

/// Keeps a file that fails a test, and says where.
fn kept(path: &Path) -> String {
    let kept = std::env::temp_dir().join("alquerque-forged.proof");
    std::fs::copy(path, &kept).unwrap();
    kept.display().to_string()
}

#[test]
fn no_forgery_passes() {
    forge_all(built_in(), 1000, 5);
}

/// Optional captures, single jumps, chains that may stop; with cycles, with a ply counter and without cycles.
#[test]
fn no_forgery_passes_under_rule_files() {
    let all = rule_files();
    let is = |test: fn(&Rules) -> bool| all.iter().any(|(rules, _)| test(rules));
    assert!(is(|rules| !rules.captures_are_compulsory()) && is(|rules| rules.ply_limit().is_some()));
    assert!(is(Rules::can_repeat) && is(|rules| !rules.can_repeat()));
    forge_all(all.into_iter().map(|(rules, file)| (rules, Some(file))), 300, 7);
}

fn built_in() -> impl Iterator<Item = (&'static Rules, Option<PathBuf>)> {
    Rules::ALL.into_iter().map(|rules| (rules, None))
}

#[test]
#[ignore = "takes minutes"]
fn none_of_a_hundred_thousand_forgeries_passes() {
    // 90 % of them are forged.
    let files = rule_files().into_iter().map(|(rules, file)| (rules, Some(file)));
    forge_all(built_in(), 28_000, 77);
    forge_all(files, 3_000, 78);
}

/// 3,000 blocks of 65,536 entries each in 200 kB, with checksums that are right.
#[test]
fn a_certificate_bomb_takes_no_memory() {
    const BLOCKS: u32 = 3000;
    const ENTRIES: u32 = 1 << 16;
    let dir = temp_dir();
    let start = Position::start(&QIRKAT);
    let forgery = Forgery {
        rules: &QIRKAT,
        root: PositionBits::from(&start),
        claims: vec![(start.side() == Side::White, Goal::Win, Vec::new())],
        stamps: Vec::new(),
    };
    let (mut lists, mut blocks) = (Vec::new(), Vec::new());
    let lists_bytes = 32 * BLOCKS as usize;
    for number in 0..u64::from(BLOCKS) {
        let first = 1 + number * u64::from(ENTRIES);
        let mut bytes = Vec::new();
        varint(&mut bytes, first);
        bytes.extend(std::iter::repeat_n(1, ENTRIES as usize - 1));
        bytes.extend(std::iter::repeat_n(0, 2 * ENTRIES as usize));
        bytes.extend(std::iter::repeat_n(1, ENTRIES as usize));
        let (block, checksum) = compressed(&bytes);
        blocks.extend(block);
        let end = (128 + lists_bytes + blocks.len()) as u64;
        for word in [first, 0, end] {
            lists.extend(word.to_le_bytes());
        }
        lists.extend(ENTRIES.to_le_bytes());
        lists.extend(checksum.to_le_bytes());
    }
    let mut header = forgery.header();
    header[56..64].copy_from_slice(&(u64::from(BLOCKS) * u64::from(ENTRIES)).to_le_bytes());
    header[72..76].copy_from_slice(&BLOCKS.to_le_bytes());
    let path = dir.path().join("bomb.proof");
    let bytes = sealed(header, &lists, &blocks);
    assert!(bytes.len() < 400_000, "{}", bytes.len());
    std::fs::write(&path, bytes).unwrap();
    // It has far more entries than its bytes allow, so that it is refused before any is read.
    assert!(Certificate::open(&path).is_err());
    if let Some(answers) = checked_in_python(&[path], None) {
        assert_eq!(answers, [None]);
    }
}

#[test]
fn a_check_keeps_to_its_memory() {
    let certificate = Certificate::open(in_repo("tables/qirkat/start.proof")).unwrap();
    let mut options = CheckOptions::default();
    options.memory = 1 << 20;
    match check_with(&certificate, None, &options) {
        Err(CheckError::Memory { entries, needed, limit }) => {
            assert!(entries > 600_000 && needed > limit && limit == 1 << 20);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_check_can_be_stopped() {
    let certificate = Certificate::open(in_repo("tables/qirkat/start.proof")).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(true);
    let mut options = CheckOptions::default();
    options.stop = Some(&stop);
    assert!(matches!(check_with(&certificate, None, &options), Err(CheckError::Stopped)));
}
