//! Solving positions with any number of stones: values must be those of the tables, certificates must hold,
//! and certificates that were tampered with must not.

use std::path::Path;
use std::process::Command;

use crate::support::{Random, in_repo, job, materials, random_position, run, temp_dir};
use alquerque::canonical::{Canonical, Key};
use alquerque::certificate::{
    Certificate, CertificateError, CheckError, CheckReport, Claim, Entry, Flaw, Goal, Strategy, check,
    successors, write_certificate,
};
use alquerque::moves::legal_moves;
use alquerque::position::Position;
use alquerque::proof::{Request, Solver};
use alquerque::rules::{BRAINKING, CLASSIC, QIRKAT, Rules, YOUZAI};
use alquerque::solve::{Metrics, Target};
use alquerque::table::{Metric, Value};
use alquerque::tablebase::Tablebase;
use tempfile::TempDir;

const HASH: u64 = 64 << 20;

/// A position for each kind of certificate: the rules, the position, its value.
const SAMPLES: [(&Rules, &str, Value); 10] = [
    (&CLASSIC, "5/2b2/5/2w2/1w3 w", Value::Win),
    (&CLASSIC, "5/1b3/5/5/2w1w b", Value::Loss),
    (&CLASSIC, "b4/5/2w2/5/4b w", Value::Loss),
    (&CLASSIC, "b4/5/5/5/4w w", Value::Draw),
    (&BRAINKING, "5/bb3/2b2/1ww2/3w1 w", Value::Win),
    (&BRAINKING, "4b/3bb/2w2/1b3/w1w2 b c3-b3", Value::Win),
    (&YOUZAI, "5/bb3/2b2/1ww2/3w1 w", Value::Win),
    (&YOUZAI, "b4/5/2b2/3w1/w4 w", Value::Draw),
    (&QIRKAT, "5/bb3/2b2/1ww2/3w1 w", Value::Win),
    (&QIRKAT, "b4/1b3/2b2/3w1/w4 w", Value::Loss),
];

fn solver(rules: &'static Rules) -> Solver {
    Solver::new(rules, HASH).unwrap()
}

fn value(solver: &mut Solver, tables: Option<&Tablebase>, position: &Position) -> Value {
    let solved = solver.solve(position, &Request::default().with_tables(tables), |_| {}).unwrap();
    solved.value.unwrap_or_else(|| panic!("{position}: no value"))
}

fn strategies(
    solver: &mut Solver,
    tables: Option<&Tablebase>,
    position: &Position,
) -> (Value, Vec<Strategy>) {
    let value = value(solver, tables, position);
    (value, solver.certify(position, value, &Request::default().with_tables(tables)).unwrap())
}

/// Writes a certificate to a place of its own.
fn written(
    dir: &TempDir,
    rules: &'static Rules,
    position: &Position,
    strategies: &[Strategy],
    tables: Option<&Tablebase>,
) -> Certificate {
    let path = dir.path().join("certificate.proof");
    write_certificate(&path, rules, position, strategies, tables, None).unwrap();
    Certificate::open(path).unwrap()
}

fn outcome(
    dir: &TempDir,
    rules: &'static Rules,
    position: &Position,
    strategies: &[Strategy],
) -> Result<CheckReport, CheckError> {
    check(&written(dir, rules, position, strategies, None), None)
}

fn tables(rules: &'static Rules, stones: usize) -> (TempDir, Tablebase) {
    let dir = temp_dir();
    let mut job = job(rules, dir.path(), stones);
    job.target = Target::Stones(stones);
    // With a ply counter distances are needed for values, without one they tell the length of a win: where
    // they are cheap.
    let distance = if rules.ply_limit().is_some() { Metric::Dtc } else { Metric::Dtw };
    let is_needed = rules.ply_limit().is_some() || stones <= 5;
    job.metrics = Metrics::from_iter([Metric::Wdl, distance].into_iter().take(1 + usize::from(is_needed)));
    run(&job).unwrap();
    let tables = Tablebase::open(dir.path(), rules).unwrap();
    (dir, tables)
}

/// Solves random positions without tables and compares with tables; every so often checks the certificate
/// too.
fn compare(rules: &'static Rules, stones: &[usize], count: u64, certificates: u64) {
    let (_dir, tables) = tables(rules, *stones.iter().max().unwrap());
    let mut solver = solver(rules);
    let (mut random, dir) = (Random::new(31), temp_dir());
    let materials: Vec<_> = stones.iter().flat_map(|&stones| materials(stones)).collect();
    let mut seen = [0; 3];
    // Plies that certificates take to win, and those that best play takes.
    let mut lengths = [0; 2];
    for number in 0..count {
        let mut position = random_position(tables.index(), *random.choose(&materials), &mut random);
        if let Some(limit) = rules.ply_limit()
            && number % 4 == 0
        {
            position = position.with_plies(rules, random.below(u64::from(limit) + 1)).unwrap();
        }
        let expected = tables.probe_value(&position).unwrap();
        let found = value(&mut solver, None, &position);
        assert_eq!(found, expected, "{} {position}", rules.name());
        seen[found as usize] += 1;
        if number % (count / certificates) == 0 {
            let strategies = solver.certify(&position, found, &Request::default()).unwrap();
            let report = outcome(&dir, rules, &position, &strategies);
            let report = report.unwrap_or_else(|error| panic!("{} {position}: {error}", rules.name()));
            assert_eq!(report.value, expected, "{} {position}", rules.name());
            if let (Some(plies), Some(dtw)) = (report.plies, tables.probe(&position).unwrap().dtw) {
                assert!(plies >= dtw.into(), "{} {position}: {plies}, but {dtw}", rules.name());
                lengths = [lengths[0] + plies, lengths[1] + u32::from(dtw)];
            }
        }
    }
    let [lost, drawn, won] = seen;
    println!("{} {stones:?}: {won} won, {drawn} drawn, {lost} lost, {lengths:?} plies", rules.name());
    let [plies, best] = lengths;
    assert!(plies <= 2 * best, "{}: certificates take {plies} plies for {best}", rules.name());
    assert!(won > 0 && lost > 0 && (drawn > 0) != rules.no_return(), "{seen:?}");
}

#[test]
fn values_are_those_of_the_tables() {
    for rules in [&CLASSIC, &YOUZAI] {
        compare(rules, &[4, 5], 80, 20);
    }
    for rules in [&BRAINKING, &QIRKAT] {
        compare(rules, &[4], 300, 60);
    }
}

#[test]
#[ignore = "takes minutes"]
fn values_of_five_and_six_stones_are_those_of_the_tables() {
    for rules in Rules::ALL {
        compare(rules, &[5, 6], 2000, 100);
    }
}

#[test]
fn certificates_hold_and_are_the_same_to_the_checker_in_python() {
    let dir = temp_dir();
    for (rules, text, expected) in SAMPLES {
        let position = Position::parse(rules, text).unwrap();
        let (found, strategies) = strategies(&mut solver(rules), None, &position);
        assert_eq!(found, expected, "{} {text}", rules.name());
        let certificate = written(&dir, rules, &position, &strategies, None);
        let report =
            check(&certificate, None).unwrap_or_else(|error| panic!("{} {text}: {error}", rules.name()));
        assert_eq!(report.value, expected, "{} {text}", rules.name());
        assert_eq!(report.plies.is_some(), expected != Value::Draw, "{} {text}", rules.name());
        assert_eq!((certificate.root(), certificate.rules()), (&position, rules));
        if let Some(answer) = check_in_python(certificate.path()) {
            assert_eq!(answer, Ok(expected.name().to_owned()), "{} {text}", rules.name());
        }
    }
}

/// A Python that can run `tools/check.py`. `None` if there is none, unless `ALQUERQUE_PYTHON` says that there
/// is.
pub fn python() -> Option<std::ffi::OsString> {
    let named = std::env::var_os("ALQUERQUE_PYTHON");
    let python = named.clone().unwrap_or_else(|| "python3".into());
    let can_run = Command::new(&python).args(["-c", "import xxhash, zstandard"]).output();
    if can_run.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    assert!(named.is_none(), "{} lacks xxhash or zstandard", python.display());
    eprintln!("no Python with xxhash and zstandard: certificates are not checked by tools/check.py");
    None
}

/// The value that `tools/check.py` finds, or nothing if it does not accept the certificate.
fn check_in_python(path: &Path) -> Option<Result<String, ()>> {
    let output =
        Command::new(python()?).arg(in_repo("tools/check.py")).arg("--json").arg(path).output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    match output.status.code() {
        Some(0) => Some(Ok(answer["value"].as_str().unwrap().to_owned())),
        Some(1 | 2) if answer["error"].is_string() => Some(Err(())),
        _ => panic!("{}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// What a certificate says with something done to the entries of its first claim must be refused, by the
/// checker in Python as well.
fn assert_refused(
    dir: &TempDir,
    rules: &'static Rules,
    position: &Position,
    changed: &[Strategy],
    in_python: bool,
) {
    let certificate = written(dir, rules, position, changed, None);
    match check(&certificate, None) {
        Err(CheckError::Broken { .. } | CheckError::Certificate(CertificateError::Bound { .. })) => {}
        other => panic!("{} {position}: {other:?}", rules.name()),
    }
    if in_python && let Some(answer) = check_in_python(certificate.path()) {
        assert_eq!(answer, Err(()), "{} {position}", rules.name());
    }
}

#[test]
fn tampered_certificates_fail() {
    let dir = temp_dir();
    let mut replies_changed = 0;
    for (rules, text, _) in SAMPLES {
        let position = Position::parse(rules, text).unwrap();
        let mut solver = solver(rules);
        let (_, good) = strategies(&mut solver, None, &position);
        let goal = good[0].claim.goal;
        let entries = good[0].entries.clone();
        let with = |entries: Vec<Entry>| {
            let mut changed = good.clone();
            changed[0].entries = entries;
            changed
        };
        let step = entries.len().div_ceil(20).max(1);
        for at in (0..entries.len()).step_by(step) {
            let mut removed = entries.clone();
            removed.swap_remove(at);
            assert_refused(&dir, rules, &position, &with(removed), at == 0);
            // A worse reply, if there is one: as good a one may well prove as much.
            let moves = successors(rules, &Canonical::position_of(rules, entries[at].key).unwrap());
            let mut is_worse = |normal: &&Canonical| {
                let value = value(&mut solver, None, &normal.position(0));
                if goal == Goal::Win { value != Value::Loss } else { value == Value::Win }
            };
            let Some(other) = moves.iter().find(|normal| is_worse(normal)) else { continue };
            replies_changed += 1;
            let mut changed = entries.clone();
            changed[at].reply = other.key();
            assert_refused(&dir, rules, &position, &with(changed), at == 0);
        }
        // A reply to a position that play does not lead to.
        let stranger = Position::parse(rules, "bbbbb/5/5/5/wwwww w").unwrap();
        let key = Canonical::of(rules, &stranger).key();
        let reply = successors(rules, &stranger)[0].key();
        let mut added = entries.clone();
        added.retain(|entry| entry.key != key);
        added.push(Entry { key, reply, bound: entries[0].bound });
        assert_refused(&dir, rules, &position, &with(added), true);
    }
    assert!(replies_changed > 20, "{replies_changed}");
}

#[test]
fn bounds_that_are_too_small_or_too_large_fail() {
    let dir = temp_dir();
    let position = Position::parse(&CLASSIC, SAMPLES[0].1).unwrap();
    let (_, mut good) = strategies(&mut solver(&CLASSIC), None, &position);
    let entries = good[0].entries.clone();
    for change in [0, 1, 2, 500] {
        good[0].entries = entries.iter().map(|entry| Entry { bound: change, ..*entry }).collect();
        assert_refused(&dir, &CLASSIC, &position, &good, change == 500);
    }
}

#[test]
fn a_certificate_that_shuffles_for_ever_fails() {
    let dir = temp_dir();
    let position = Position::parse(&CLASSIC, SAMPLES[3].1).unwrap();
    let (_, draw) = strategies(&mut solver(&CLASSIC), None, &position);
    assert!(outcome(&dir, &CLASSIC, &position, &draw).is_ok());
    // Its replies never lose; that they win is another claim, whatever the bounds are said to be.
    for by_mover in [true, false] {
        let held = draw.iter().find(|strategy| strategy.claim.by_mover == by_mover).unwrap();
        for bound in [0, 1, 2, 40, 1000, u16::MAX] {
            let mut claimed = held.clone();
            claimed.claim = Claim { by_mover, goal: Goal::Win };
            claimed.entries.iter_mut().for_each(|entry| entry.bound = bound);
            assert_refused(&dir, &CLASSIC, &position, &[claimed], bound == 40);
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let dir = temp_dir();
    let (rules, text, _) = SAMPLES[4];
    let position = Position::parse(rules, text).unwrap();
    let (_, good) = strategies(&mut solver(rules), None, &position);
    let path = written(&dir, rules, &position, &good, None).path().to_owned();
    let bytes = std::fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        // A new file each time: the old one may still be mapped.
        let path = dir.path().join(format!("{at}.proof"));
        std::fs::write(&path, flipped).unwrap();
        let checked = Certificate::open(&path).map_err(CheckError::from).and_then(|it| check(&it, None));
        assert!(checked.is_err(), "byte {at}");
    }
    for length in [0, 1, 127, 128, bytes.len() - 1] {
        let path = dir.path().join("cut.proof");
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert!(Certificate::open(&path).is_err(), "{length} bytes");
    }
}

/// With checksums that are right: whoever writes something there means something that this program does not
/// know.
#[test]
fn what_is_reserved_must_be_zero() {
    use xxhash_rust::xxh3::xxh3_64;
    let dir = temp_dir();
    let rules = &QIRKAT;
    let committed = Tablebase::open(in_repo("tables"), rules).unwrap();
    let position = Position::parse(rules, "5/bb3/2b2/1ww2/3w1 w").unwrap();
    let (_, strategies) = strategies(&mut solver(rules), Some(&committed), &position);
    let certificate = written(&dir, rules, &position, &strategies, Some(&committed));
    let bytes = std::fs::read(certificate.path()).unwrap();
    let tables_end = 128 + 20 * certificate.tables().len();
    assert!(tables_end > 128);
    let blocks: u32 = certificate.claims().iter().map(|info| info.blocks.len() as u32).sum();
    let lists_end = tables_end + 32 * blocks as usize;
    let sealed = |mut bytes: Vec<u8>| {
        let lists = xxh3_64(&bytes[128..lists_end]);
        bytes[96..104].copy_from_slice(&lists.to_le_bytes());
        let header = xxh3_64(&bytes[..120]);
        bytes[120..128].copy_from_slice(&header.to_le_bytes());
        bytes
    };
    assert_eq!(sealed(bytes.clone()), bytes);
    for at in (13..16).chain(86..88).chain(104..120).chain([128 + 3]) {
        let mut changed = bytes.clone();
        changed[at] = 1;
        let path = dir.path().join(format!("{at}.proof"));
        std::fs::write(&path, sealed(changed)).unwrap();
        assert!(matches!(Certificate::open(&path), Err(CertificateError::Header(_))), "byte {at}");
    }
}

#[test]
fn memory_and_threads_and_tables_change_nothing() {
    let dir = temp_dir();
    for (rules, text) in [
        (&CLASSIC, "5/bb3/5/1w1w1/5 w"),
        (&BRAINKING, "b4/1b3/2b2/3w1/4w b"),
        (&YOUZAI, "5/bb3/2b2/1ww2/3w1 b"),
        (&QIRKAT, "b4/1b3/2b2/3w1/4w w"),
    ] {
        let position = Position::parse(rules, text).unwrap();
        let committed = Tablebase::open(in_repo("tables"), rules).unwrap();
        let expected = value(&mut solver(rules), None, &position);
        for (bytes, threads, tables) in [
            // So little that nearly everything is forgotten and found again.
            (1 << 20, 1, None),
            (1 << 20, 2, None),
            (HASH, 2, None),
            (HASH, 1, Some(&committed)),
            (1 << 20, 2, Some(&committed)),
        ] {
            let mut solver = Solver::new(rules, bytes).unwrap().with_threads(threads);
            let (found, strategies) = strategies(&mut solver, tables, &position);
            assert_eq!(found, expected, "{} {text}: {bytes} bytes, {threads} threads", rules.name());
            let certificate = written(&dir, rules, &position, &strategies, tables);
            assert_eq!(certificate.tables().is_empty(), tables.is_none(), "{} {text}", rules.name());
            let report = check(&certificate, tables).unwrap();
            assert_eq!(report.value, expected, "{} {text}", rules.name());
        }
    }
}

#[test]
fn a_certificate_needs_the_tables_that_it_rests_on() {
    let rules = &QIRKAT;
    let committed = Tablebase::open(in_repo("tables"), rules).unwrap();
    let position = Position::parse(rules, "5/bb3/2b2/1ww2/3w1 w").unwrap();
    let (dir, mut solver) = (temp_dir(), solver(rules));
    let (_, strategies) = strategies(&mut solver, Some(&committed), &position);
    let certificate = written(&dir, rules, &position, &strategies, Some(&committed));
    assert!(check(&certificate, Some(&committed)).is_ok());
    assert!(matches!(check(&certificate, None), Err(CheckError::NoTables { .. })));
    let other = temp_dir();
    run(&job(rules, other.path(), 2)).unwrap();
    let fewer = Tablebase::open(other.path(), rules).unwrap();
    assert!(check(&certificate, Some(&fewer)).is_err());
}

#[test]
fn a_solver_takes_other_tables_with_each_request() {
    let dir = temp_dir();
    for (rules, text, expected) in [SAMPLES[4], SAMPLES[6], SAMPLES[2]] {
        let committed = Tablebase::open(in_repo("tables"), rules).unwrap();
        let position = Position::parse(rules, text).unwrap();
        let mut solver = solver(rules);
        for tables in [Some(&committed), None, Some(&committed)] {
            let (found, strategies) = strategies(&mut solver, tables, &position);
            assert_eq!(found, expected, "{} {text}", rules.name());
            // Nothing in the certificate rests on tables of an earlier request.
            let certificate = written(&dir, rules, &position, &strategies, tables);
            assert_eq!(certificate.tables().is_empty(), tables.is_none(), "{} {text}", rules.name());
            assert_eq!(check(&certificate, tables).unwrap().value, expected, "{} {text}", rules.name());
        }
    }
}

#[test]
fn limits_end_a_search_without_a_value() {
    let mut solver = solver(&BRAINKING);
    let position = Position::parse(&BRAINKING, "start").unwrap();
    let request = Request::default().with_nodes(Some(20_000));
    let solved = solver.solve(&position, &request, |_| {}).unwrap();
    assert_eq!(solved.value, None);
    assert!((10_000..40_000).contains(&solved.nodes), "{}", solved.nodes);
}

#[test]
fn games_that_are_over_need_no_search() {
    let dir = temp_dir();
    for (rules, text, expected) in [
        (&CLASSIC, "5/5/5/5/b4 w", Value::Loss),
        (&BRAINKING, "5/5/5/2w2/2b2 b", Value::Loss),
        (&YOUZAI, "5/1b3/5/5/2w2 w - 50", Value::Draw),
    ] {
        let position = Position::parse(rules, text).unwrap();
        let (found, strategies) = strategies(&mut solver(rules), None, &position);
        assert_eq!(found, expected, "{text}");
        assert!(strategies.iter().all(|strategy| strategy.entries.is_empty()) || expected == Value::Draw);
        let report =
            outcome(&dir, rules, &position, &strategies).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(report.value, expected, "{text}");
    }
}

#[test]
fn a_key_that_is_no_position_is_refused() {
    let dir = temp_dir();
    let (rules, text, _) = SAMPLES[4];
    let position = Position::parse(rules, text).unwrap();
    let (_, mut good) = strategies(&mut solver(rules), None, &position);
    // Two stones on a point; far too many; an image that is not the least.
    let entry = good[0].entries[0];
    let mirror = good[0].entries.iter().find_map(|entry| {
        let position = Canonical::position_of(rules, entry.key).unwrap();
        let mirror = position.transformed(alquerque::board::Transform::MIRROR);
        (mirror != position).then_some((*entry, mirror))
    });
    let (mirrored, mirror) = mirror.unwrap();
    let bits = alquerque::position::PositionBits::from(&mirror);
    let join = |low: u32, high: u32| u64::from(low) | u64::from(high) << 25;
    let key = Key { stones: join(bits.white, bits.black), forbidden: join(bits.no_west, bits.no_east) };
    assert!(key > mirrored.key);
    assert!(!legal_moves(rules, &mirror).is_empty());
    good[0].entries.push(Entry { key, ..mirrored });
    match outcome(&dir, rules, &position, &good) {
        Err(CheckError::Broken { flaw: Flaw::NotNeeded, .. }) => {}
        other => panic!("{other:?}"),
    }
    assert!(Canonical::position_of(rules, Key { stones: 1 | 1 << 25, forbidden: 0 }).is_err());
    assert!(Canonical::position_of(rules, Key { stones: u64::MAX, ..entry.key }).is_err());
}

/// Certificates that claim a draw of `4w/5/w1b2/5/5 w` under `youzai`, which is lost in 4: with bounds so
/// large that, in earlier versions of the checkers, the plies left wrapped around the ply counter (the first,
/// which rests on tables) or counted as endless (the second).
const FALSE_DRAWS: [(&str, &str); 2] = [
    ("tests/data/youzai-false-draw.proof", "a bound of 257 plies; at most 50 are allowed"),
    ("tests/data/youzai-false-draw-standalone.proof", "is damaged in block 0"),
];

#[test]
fn false_draws_are_refused() {
    let tables = Tablebase::open(in_repo("tables"), &YOUZAI).unwrap();
    for (path, flaw) in FALSE_DRAWS {
        let certificate = Certificate::open(in_repo(path)).unwrap();
        assert_eq!(tables.probe_value(certificate.root()).unwrap(), Value::Loss, "{path}");
        assert_eq!(certificate.value(), Some(Value::Draw), "{path}");
        let said = check(&certificate, Some(&tables)).unwrap_err().to_string();
        assert!(said.contains(flaw), "{path}: {said}");
    }
    if let Some(answer) = check_in_python(&in_repo(FALSE_DRAWS[1].0)) {
        assert_eq!(answer, Err(()));
    }
}

/// The commands, and play by a certificate where tables do not reach.
mod commands {
    use std::fs;
    use std::time::Duration;

    use assert_cmd::Command;
    use serde_json::Value as Json;

    use super::*;

    const START: &str = "5/bb3/2b2/1ww2/3w1 w - 0";

    fn alquerque(arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
        command.args(arguments).env_remove("ALQUERQUE_TABLES").timeout(Duration::from_secs(300));
        command
    }

    fn output(arguments: &[&str]) -> String {
        let output = alquerque(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(arguments: &[&str]) -> Json {
        serde_json::from_str(&output(arguments)).unwrap()
    }

    /// Solves [`START`] under `qirkat`; its certificate lies where the tables of that directory would.
    fn solved() -> (TempDir, String) {
        let dir = temp_dir();
        let folder = dir.path().join("qirkat");
        fs::create_dir(&folder).unwrap();
        let file = folder.join("start.proof").to_str().unwrap().to_owned();
        let arguments = ["solve", "--rules", "qirkat", "--no-tables", "--hash", "32M", "--json"];
        let answer = json(&[&arguments[..], &["--moves", "--certificate", &file, START]].concat());
        assert_eq!((&answer["rules"], &answer["position"]), (&"qirkat".into(), &START.into()));
        assert_eq!(answer["value"], "win");
        assert!(answer["nodes"].is_u64() && answer["seconds"].is_f64());
        let values: Vec<&str> =
            answer["moves"].as_array().unwrap().iter().map(|mv| mv["value"].as_str().unwrap()).collect();
        assert!(values.contains(&"win") && values.iter().all(|value| ["win", "loss"].contains(value)));
        assert_eq!(answer["certificate"]["bytes"], fs::metadata(&file).unwrap().len());
        (dir, file)
    }

    #[test]
    fn solve_and_check_agree() {
        let (dir, file) = solved();
        let report = json(&["check", "--json", &file]);
        assert_eq!((&report["value"], &report["position"]), (&"win".into(), &START.into()));
        assert!(report["plies"].as_u64().unwrap() < 40);
        let said = output(&["check", &file]);
        for part in ["qirkat: 5/bb3/2b2/1ww2/3w1 w", "Claim: White wins, by", "Proven: White wins"] {
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(report["claims"][0]["side"], "white");
        assert_eq!(report["claims"][0]["goal"], "win");
        assert!(output(&["check", "--position", START, &file]).contains("Proven: White wins"));
        let other = alquerque(&["check", "--position", "start", &file]).output().unwrap();
        let said = String::from_utf8(other.stderr).unwrap();
        assert_eq!(other.status.code(), Some(1), "{said}");
        assert!(said.contains("is about another position of 'qirkat'") && other.stdout.is_empty(), "{said}");
        let little = alquerque(&["check", "--memory", "1K", &file]).output().unwrap();
        let said = String::from_utf8(little.stderr).unwrap();
        assert_eq!(little.status.code(), Some(1), "{said}");
        assert!(said.contains("give more with --memory"), "{said}");
        if let Some(python) = python() {
            let script = in_repo("tools/check.py");
            let run = |position: &str| {
                let call = Command::new(&python).arg(&script).args(["--position", position, &file]).output();
                (call.as_ref().unwrap().status.code(), String::from_utf8(call.unwrap().stdout).unwrap())
            };
            let (code, said) = run(START);
            assert_eq!(code, Some(0), "{said}");
            assert!(said.contains("qirkat, 5/bb3/2b2/1ww2/3w1 w - 0"), "{said}");
            assert!(said.contains("White wins"), "{said}");
            assert_eq!(run("start").0, Some(1));
        }
        let cut = dir.path().join("cut.proof");
        fs::write(&cut, &fs::read(&file).unwrap()[..200]).unwrap();
        for wrong in [cut.to_str().unwrap(), "Cargo.toml", "no such file"] {
            let output = alquerque(&["check", wrong]).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{wrong}");
            assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{wrong}");
        }
    }

    /// The table files that the false draw rests on, with the certificate beside them. The value of its root
    /// is in none.
    #[test]
    fn false_draws_beside_tables_are_not_believed() {
        for (path, flaw) in FALSE_DRAWS {
            let dir = temp_dir();
            let folder = dir.path().join("youzai");
            fs::create_dir(&folder).unwrap();
            let mut manifest = String::new();
            for name in ["1v1.dtc", "1v1.wdl", "1v2.dtc", "1v2.wdl"] {
                fs::copy(in_repo("tables/youzai").join(name), folder.join(name)).unwrap();
                let listed = fs::read_to_string(in_repo("tables/youzai/manifest.xxh128")).unwrap();
                manifest += listed.lines().find(|line| line.ends_with(name)).unwrap();
                manifest += "\n";
            }
            fs::write(folder.join("manifest.xxh128"), manifest).unwrap();
            fs::copy(in_repo(path), folder.join("false.proof")).unwrap();
            let root = Certificate::open(in_repo(path)).unwrap().root().to_string();
            let dir = dir.path().to_str().unwrap();
            let beside = folder.join("false.proof").to_str().unwrap().to_owned();
            for call in [
                &["check", "--dir", dir, &beside][..],
                &["verify", "--dir", dir],
                &["probe", "--rules", "youzai", "--dir", dir, &root],
                &["line", "--rules", "youzai", "--dir", dir, &root],
            ] {
                let output = alquerque(call).output().unwrap();
                let said = String::from_utf8(output.stderr).unwrap();
                assert_eq!(output.status.code(), Some(1), "{call:?}: {said}");
                assert!(said.contains(flaw), "{call:?}: {said}");
                assert!(!String::from_utf8(output.stdout).unwrap().contains("raw"), "{call:?}");
            }
        }
    }

    /// A signal ends the replay of certificates, which would go on for many seconds.
    #[test]
    #[cfg(unix)]
    fn signals_end_a_replay() {
        use std::time::Instant;
        let dir = temp_dir();
        let folder = dir.path().join("brainking");
        fs::create_dir(&folder).unwrap();
        let start = in_repo("tables/brainking/start.proof");
        for number in 0..4 {
            fs::copy(&start, folder.join(format!("{number}.proof"))).unwrap();
        }
        let dir = dir.path().to_str().unwrap();
        let program = assert_cmd::cargo::cargo_bin!("alquerque");
        for call in [
            &["verify", "--dir", dir, "--rules", "brainking", "--threads", "1"][..],
            &["check", "--threads", "1", start.to_str().unwrap()],
        ] {
            let child = std::process::Command::new(program)
                .args(call)
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(700));
            let signal = ["-TERM".to_owned(), child.id().to_string()];
            assert!(std::process::Command::new("kill").args(signal).status().unwrap().success());
            let sent = Instant::now();
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{call:?}: {said}");
            assert!(said.contains("stopped before"), "{call:?}: {said}");
            // Milliseconds; seconds on a machine that is busy with other tests.
            assert!(sent.elapsed() < Duration::from_secs(5), "{call:?}: {:?}", sent.elapsed());
        }
    }

    #[test]
    fn limits_leave_the_value_unknown() {
        let arguments = ["solve", "--rules", "brainking", "--no-tables", "--hash", "32M", "--json"];
        let answer = json(&[&arguments[..], &["--nodes", "5000", "start"]].concat());
        assert_eq!(answer["value"], "unknown");
        let file = temp_dir().path().join("none.proof").to_str().unwrap().to_owned();
        let call = [&arguments[..], &["--nodes", "5000", "--certificate", &file, "start"]].concat();
        let output = alquerque(&call).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(!Path::new(&file).exists());
    }

    #[test]
    fn probe_and_line_follow_a_certificate() {
        let (dir, _) = solved();
        let dir = dir.path().to_str().unwrap();
        let answer = json(&["probe", "--rules", "qirkat", "--dir", dir, "--json", START]);
        assert_eq!((&answer["value"], &answer["dtc"]), (&"win".into(), &Json::Null));
        let moves = answer["moves"].as_array().unwrap();
        // All moves are listed; the certificate knows the value of its reply only.
        let position = Position::parse(&QIRKAT, START).unwrap();
        assert_eq!((moves.len(), &moves[0]["value"]), (legal_moves(&QIRKAT, &position).len(), &"win".into()));
        assert_eq!(moves.iter().filter(|mv| mv["value"] == "win").count(), 1);
        // After the reply all answers are known to lose.
        let after = moves[0]["position"].as_str().unwrap();
        let lost = json(&["probe", "--rules", "qirkat", "--dir", dir, "--json", after]);
        assert_eq!(lost["value"], "loss");
        let count = legal_moves(&QIRKAT, &Position::parse(&QIRKAT, after).unwrap()).len();
        assert_eq!(lost["moves"].as_array().unwrap().len(), count);
        let line = json(&["line", "--rules", "qirkat", "--dir", dir, "--json", START]);
        assert_eq!((&line["end"], line["moves"].as_array().unwrap().len() % 2), (&"game over".into(), 1));
        let unknown = alquerque(&["probe", "--rules", "qirkat", "--dir", dir, "start"]).output().unwrap();
        assert_eq!(unknown.status.code(), Some(1));
    }

    #[test]
    fn the_engine_wins_by_a_certificate() {
        let (dir, _) = solved();
        let dir = dir.path().to_str().unwrap();
        for seed in 0..4 {
            let mut random = Random::new(seed);
            let mut position = Position::parse(&QIRKAT, START).unwrap();
            let winner = position.side();
            let mut moves = String::new();
            while !legal_moves(&QIRKAT, &position).is_empty() {
                let legal = legal_moves(&QIRKAT, &position);
                let mv = if position.side() == winner {
                    let input = format!("position fen {START} moves{moves}\ngo depth 1\n");
                    let mut command = alquerque(&["engine", "--rules", "qirkat", "--dir", dir]);
                    let said = command.write_stdin(input).output().unwrap().stdout;
                    let said = String::from_utf8(said).unwrap();
                    let best =
                        said.lines().find_map(|line| line.strip_prefix("bestmove ")).unwrap().to_owned();
                    *legal.iter().find(|mv| mv.to_string() == best).unwrap_or_else(|| panic!("{said}"))
                } else {
                    *random.choose(&legal)
                };
                moves += &format!(" {mv}");
                position = position.play(&QIRKAT, &mv);
            }
            assert_eq!(position.side(), winner.other(), "{moves}");
        }
    }
}
