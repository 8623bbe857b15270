//! Mining, figures and exports, against plain enumeration with the tables.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use alquerque::canonical::Canonical;
use alquerque::export::{Format, Population, Selection, export};
use alquerque::material::Material;
use alquerque::moves::{can_capture, legal_moves};
use alquerque::position::{Position, PositionBits};
use alquerque::rules::{CLASSIC, QIRKAT, Rules, YOUZAI};
use alquerque::study::{Motif, Quantity, Query, Study, mine, parse_conditions, stats};
use alquerque::table::{Metric, Value};
use alquerque::tablebase::Tablebase;
use serde_json::Value as Json;

use crate::cli::{alquerque, failure, json, output};
use crate::server::TABLES;
use crate::support::{job, run, temp_dir};

fn tables(rules: &'static Rules) -> Tablebase {
    Tablebase::open(TABLES, rules).unwrap()
}

fn material(text: &str) -> Material {
    text.parse().unwrap()
}

/// All positions of a slice with one colour to move, each once for all that are equal by symmetry.
fn positions(tables: &Tablebase, material: Material) -> Vec<Position> {
    let layout = tables.index().layout(material.pair());
    let mut seen = BTreeSet::new();
    let all = (0..layout.entries()).map(|entry| layout.position(material, layout.location_of(entry)));
    all.filter(|position| seen.insert(Canonical::of(tables.rules(), position))).collect()
}

fn found(tables: &Tablebase, material: Material, query: &Query) -> Vec<Study> {
    let mut studies = Vec::new();
    mine(tables, material, query, &(), &AtomicBool::new(false), |study| studies.push(study)).unwrap();
    studies
}

fn keys(tables: &Tablebase, positions: impl IntoIterator<Item = Position>) -> BTreeSet<Canonical> {
    positions.into_iter().map(|position| Canonical::of(tables.rules(), &position)).collect()
}

fn has_only_move(tables: &Tablebase, position: &Position) -> bool {
    let value = tables.probe_value(position).unwrap();
    let moves = tables.ranked_moves(position).unwrap();
    let keeping = moves.iter().filter(|ranked| ranked.verdict.value == value).count();
    value != Value::Loss && moves.len() > 1 && keeping == 1
}

fn has_series(tables: &Tablebase, position: &Position, length: usize) -> bool {
    has_only_move(tables, position)
        && (length == 1 || {
            let reply = tables.ranked_moves(&tables.ranked_moves(position).unwrap()[0].position).unwrap();
            reply.first().is_some_and(|reply| has_series(tables, &reply.position, length - 1))
        })
}

fn with_other_side(position: &Position) -> Position {
    position.with_other_side()
}

#[test]
fn mining_finds_what_enumeration_finds() {
    for (rules, slices) in [
        (&CLASSIC, ["2v1", "2v2", "1v3"]),
        (&YOUZAI, ["2v2", "1v2", "3v1"]),
        (&QIRKAT, ["2v1", "1v2", "1v1"]),
    ] {
        let tables = tables(rules);
        for material in slices.map(material) {
            let all = positions(&tables, material);
            let value = |position: &Position| tables.probe_value(position).unwrap();
            let expected = |is_it: &dyn Fn(&Position) -> bool| {
                keys(&tables, all.iter().filter(|position| is_it(position)).copied())
            };
            let zugzwang =
                expected(&|position| value(position) < value(&with_other_side(position)).reversed());
            let (own, opponent) = (material.mover(), material.opponent());
            let outnumbered = expected(&|position| match value(position) {
                Value::Win => own < opponent,
                Value::Draw => false,
                Value::Loss => own > opponent,
            });
            for (motif, expected) in [
                (Motif::Zugzwang, zugzwang),
                (Motif::OnlyMove(1), expected(&|position| has_only_move(&tables, position))),
                (Motif::OnlyMove(3), expected(&|position| has_series(&tables, position, 3))),
                (Motif::Outnumbered, outnumbered),
                (Motif::Any, expected(&|_| true)),
            ] {
                let studies = found(&tables, material, &Query::new(motif));
                let positions = studies.iter().map(|study| study.position);
                assert_eq!(keys(&tables, positions), expected, "{} {material} {motif:?}", rules.name());
                assert_eq!(studies.len(), expected.len(), "{} {material} {motif:?} twice", rules.name());
                for study in &studies {
                    assert_eq!(study.verdict, tables.probe(&study.position).unwrap());
                    assert_eq!(study.legal, legal_moves(rules, &study.position).len());
                    assert_eq!(study.moves.is_empty(), study.legal == 0);
                }
            }
        }
    }
}

#[test]
fn the_longest_come_first() {
    let tables = tables(&CLASSIC);
    for text in ["2v1", "1v3", "2v2", "3v1"] {
        let slice = material(text);
        let longest = tables.table(slice, Metric::Dtw).unwrap().info().longest;
        for (value, most) in [(Value::Win, longest.win), (Value::Loss, longest.loss)] {
            let motif = Motif::Longest(Metric::Dtw, Some(value));
            let query = Query { quantity: Quantity::First(40), ..Query::new(motif) };
            let studies = found(&tables, slice, &query);
            assert!(studies.iter().all(|study| study.verdict.value == value), "{text} {value}");
            assert_eq!(studies.first().and_then(|study| study.verdict.dtw), most, "{text} {value}");
            let plies: Vec<u16> = studies.iter().filter_map(|study| study.verdict.dtw).collect();
            assert!(plies.is_sorted_by(|one, other| one >= other));
            // None of those left out is longer.
            let all = positions(&tables, slice);
            let distance = |position: &Position| {
                let verdict = tables.probe(position).unwrap();
                verdict.dtw.filter(|_| verdict.value == value)
            };
            let mut expected: Vec<u16> = all.iter().filter_map(distance).collect();
            expected.sort_unstable_by(|one, other| other.cmp(one));
            expected.truncate(40);
            assert_eq!(plies, expected, "{text} {value}");
            let without_limit = found(&tables, slice, &Query::new(motif));
            assert!(without_limit.iter().all(|study| study.verdict.dtw == most));
        }
    }
}

#[test]
fn conditions_filter() {
    let tables = tables(&CLASSIC);
    let slice = material("2v2");
    let query = |conditions: &str| Query {
        conditions: parse_conditions(conditions).unwrap(),
        ..Query::new(Motif::Any)
    };
    let all = positions(&tables, slice);
    type Holds<'a> = &'a dyn Fn(&Position) -> bool;
    let verdict = |position: &Position| tables.probe(position).unwrap();
    for (conditions, holds) in [
        ("quiet", &(|position: &Position| !can_capture(&CLASSIC, position)) as Holds),
        ("capture, value=draw", &|position: &Position| {
            can_capture(&CLASSIC, position) && verdict(position).value == Value::Draw
        }),
        ("dtw>=4 and dtw<=9", &|position: &Position| {
            verdict(position).dtw.is_some_and(|plies| (4..=9).contains(&plies))
        }),
        ("dtc=1,moves>2", &|position: &Position| {
            verdict(position).dtc == Some(1) && legal_moves(&CLASSIC, position).len() > 2
        }),
        ("own=3", &|_: &Position| false),
        ("stones=4, value!=win", &|position: &Position| verdict(position).value != Value::Win),
    ] {
        let studies = found(&tables, slice, &query(conditions));
        let expected = keys(&tables, all.iter().filter(|position| holds(position)).copied());
        assert_eq!(keys(&tables, studies.iter().map(|study| study.position)), expected, "{conditions}");
    }
}

#[test]
fn samples_are_reproducible_parts_of_all() {
    let tables = tables(&CLASSIC);
    let slice = material("2v2");
    let all = found(&tables, slice, &Query::new(Motif::OnlyMove(1)));
    let sample = |count, seed| {
        let quantity = Quantity::Sample(count, seed);
        found(&tables, slice, &Query { quantity, ..Query::new(Motif::OnlyMove(1)) })
    };
    let one = sample(50, 1);
    assert_eq!(one.len(), 50);
    assert!(one.iter().all(|study| all.contains(study)));
    assert_ne!(one, sample(50, 2));
    assert_eq!(sample(all.len() + 5, 1), all);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| sample(50, 1)), one);
    }
    // A smaller sample of the same seed is a part of a larger one.
    assert!(sample(20, 1).iter().all(|study| one.contains(study)));
}

#[test]
fn figures_agree_with_the_tables() {
    for (rules, text) in [(&CLASSIC, "2v2"), (&CLASSIC, "3v1"), (&YOUZAI, "2v2"), (&QIRKAT, "1v2")] {
        let tables = tables(rules);
        let slice = material(text);
        let figures = stats(&tables, slice, &(), &AtomicBool::new(false)).unwrap();
        let summary = tables.slices().into_iter().find(|summary| summary.material == slice).unwrap();
        assert_eq!(figures.values, [summary.loss, summary.draw, summary.win], "{text}");
        assert_eq!(figures.positions(), summary.positions);
        let dtc = figures.histogram(Metric::Dtc).unwrap();
        let sum: u64 = dtc.rows().map(|(_, won, lost)| won + lost).sum();
        assert_eq!(sum, summary.win + summary.loss);
        assert_eq!(
            dtc.won.len() as u16 - 1,
            tables.table(slice, Metric::Dtc).unwrap().info().longest.win.unwrap()
        );
        // Every position, one by one.
        let population = Population::new(&tables, &[slice], false).unwrap();
        assert_eq!(population.size(), summary.positions);
        let [mut moves, mut captures, mut choices, mut only] = [0; 4];
        for number in 0..population.size() {
            let position = population.place(number).position();
            let legal = legal_moves(rules, &position).len() as u64;
            moves += legal;
            captures += u64::from(can_capture(rules, &position));
            let is_lost = tables.probe_value(&position).unwrap() == Value::Loss;
            choices += u64::from(legal > 1 && !is_lost);
            only += u64::from(has_only_move(&tables, &position));
        }
        assert_eq!((figures.moves, figures.captures), (moves, captures), "{text}");
        assert_eq!((figures.choices, figures.only_moves), (choices, only), "{text}");
    }
}

/// The rows of a CSV file, by column.
fn csv(text: &str) -> Vec<BTreeMap<&str, i64>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| names.iter().copied().zip(line.split(',').map(|field| field.parse().unwrap())).collect())
        .collect()
}

fn position_of(rules: &Rules, row: &BTreeMap<&str, i64>) -> Position {
    let set = |name| row.get(name).map_or(0, |&bits| bits as u32);
    let bits = PositionBits {
        white: set("white"),
        black: set("black"),
        no_west: set("no_west"),
        no_east: set("no_east"),
        side: row["side"] as u8,
        plies: 0,
    };
    bits.position(rules).unwrap()
}

#[test]
fn exports_hold_every_position_once_with_its_verdict() {
    let dir = temp_dir();
    for (rules, text) in
        [(&CLASSIC, "2v1"), (&CLASSIC, "1v2"), (&YOUZAI, "2v2"), (&QIRKAT, "1v2"), (&QIRKAT, "1v1")]
    {
        let tables = tables(rules);
        let slice = material(text);
        let path = dir.path().join("out.csv");
        let selection = Selection { slices: vec![slice], distinct: false, sample: None };
        let rows = export(&tables, &selection, Format::Csv, &path, &(), &AtomicBool::new(false)).unwrap();
        let file = std::fs::read_to_string(&path).unwrap();
        let read = csv(&file);
        let summary = tables.slices().into_iter().find(|summary| summary.material == slice).unwrap();
        assert_eq!((rows, read.len() as u64), (summary.positions, summary.positions));
        let mut seen = BTreeSet::new();
        for row in &read {
            let position = position_of(rules, row);
            let words = PositionBits::from(&position);
            assert!(
                seen.insert((words.white, words.black, words.no_west, words.no_east)),
                "{position} twice"
            );
            assert_eq!(Material::of(&position), Some(slice));
            let verdict = tables.probe(&position).unwrap();
            let plies = |plies: Option<u16>| plies.map_or(-1, i64::from);
            assert_eq!(row["value"], verdict.value as i64 - 1, "{position}");
            assert_eq!((row["dtc"], row["dtw"]), (plies(verdict.dtc), plies(verdict.dtw)), "{position}");
            let ranked = tables.ranked_moves(&position).unwrap();
            let best = ranked.iter().filter(|ranked| {
                let worth = ranked.verdict;
                let key =
                    |verdict: &alquerque::tablebase::Verdict| (verdict.value, verdict.dtw.or(verdict.dtc));
                key(&worth) == key(&verdict)
            });
            let best: BTreeSet<String> = best.map(|ranked| ranked.mv.to_string()).collect();
            let legal = legal_moves(rules, &position);
            let masked = legal.iter().enumerate().filter(|(index, _)| row["best"] >> index & 1 != 0);
            let masked: BTreeSet<String> = masked.map(|(_, mv)| mv.to_string()).collect();
            assert_eq!(masked, best, "{} {position}", rules.name());
        }
    }
}

#[test]
fn sampled_exports_are_uniform_and_reproducible() {
    let tables = tables(&CLASSIC);
    let slices: Vec<Material> = ["2v2", "3v1", "1v3"].map(material).to_vec();
    let dir = temp_dir();
    let write = |name: &str, size, seed| {
        let path = dir.path().join(name);
        let selection = Selection { slices: slices.clone(), distinct: false, sample: Some((size, seed)) };
        let rows = export(&tables, &selection, Format::Csv, &path, &(), &AtomicBool::new(false)).unwrap();
        assert_eq!(rows, size);
        std::fs::read_to_string(path).unwrap()
    };
    let one = write("one", 20_000, 1);
    assert_eq!(one, write("again", 20_000, 1));
    assert_ne!(one, write("other", 20_000, 2));
    let rows = csv(&one);
    let distinct: BTreeSet<_> = rows.iter().map(|row| (row["white"], row["black"], row["side"])).collect();
    assert_eq!(distinct.len(), 20_000);
    // White's stones lie on each point about as often.
    let mut counts = [0_u32; 25];
    let mut stones = 0;
    for row in &rows {
        (0..25).filter(|point| row["white"] >> point & 1 != 0).for_each(|point| counts[point] += 1);
        stones += row["white"].count_ones();
    }
    let expected = f64::from(stones) / 25.0;
    assert!(
        counts.iter().all(|&count| (f64::from(count) - expected).abs() < 6.0 * expected.sqrt()),
        "{counts:?}"
    );
}

#[test]
fn the_commands_speak_json() {
    let call = |arguments: &[&str]| {
        let mut command = alquerque(arguments);
        command.args(["--rules", "classic", "--dir", TABLES]);
        output(&mut command)
    };
    let lines =
        call(&["mine", "--material", "2v2", "--zugzwang", "--where", "quiet", "--limit", "3", "--json"]);
    assert_eq!(lines.lines().count(), 3);
    for line in lines.lines() {
        let study = json(line);
        assert!(study["moves"].as_array().is_some_and(|moves| !moves.is_empty()));
        assert_ne!(study["value"], study["passed"]);
        assert!(line.starts_with("{\"position\":\""));
    }
    let plain = call(&["mine", "--material", "2v2", "--zugzwang", "--where", "quiet", "--limit", "3"]);
    assert_eq!(plain.lines().count(), 3);
    assert_eq!(plain.lines().next().unwrap().split('\t').count(), 5);
    let stats = call(&["stats", "--material", "2v1", "--json"]);
    let figures: Json = json(&stats);
    assert_eq!(figures["positions"], 6900);
    let table = call(&["stats"]);
    assert_eq!(table.lines().count(), 7);
    assert!(
        call(&["stats", "--material", "2v1", "--csv"])
            .starts_with("material,metric,plies,won,lost\n2v1,dtc,0,")
    );
    let csv = call(&["export", "--material", "1v1", "--output", "-"]);
    assert!(csv.starts_with("white,black,side,value,dtc,dtw,best\n"));
    assert_eq!(csv.lines().count(), 601);
    let dir = temp_dir();
    for name in ["sheet.svg", "sheet.html"] {
        let path = dir.path().join(name);
        call(&["mine", "--material", "2v2", "--zugzwang", "--limit", "5", "--sheet", path.to_str().unwrap()]);
        let sheet = std::fs::read_to_string(path).unwrap();
        assert_eq!(sheet.matches("<svg").count(), if name == "sheet.svg" { 6 } else { 5 });
    }
}

#[test]
fn bad_requests_are_refused_in_a_sentence() {
    let dir = temp_dir();
    let unwritable = dir.path().join("no").join("out.csv");
    let call = |arguments: &[&str], code| {
        let mut command = alquerque(arguments);
        command.args(["--rules", "classic", "--dir", TABLES]);
        failure(&mut command, code)
    };
    call(&["mine", "--material", "2v2"], 2);
    call(&["mine", "--material", "2v2", "--zugzwang", "--longest"], 2);
    assert!(
        call(&["mine", "--material", "2v2", "--zugzwang", "--where", "quick"], 2)
            .contains("'quick' is not a condition")
    );
    assert!(call(&["mine", "--material", "5v4", "--zugzwang"], 1).contains("no wdl table for 5v4"));
    assert!(
        call(&["mine", "--material", "2v2", "--all", "--sheet", "sheet.png"], 2).contains(".svg or .html")
    );
    assert!(call(&["export", "--material", "2v2", "--output", "out"], 2).contains("--format"));
    assert!(
        call(&["export", "--material", "2v2", "--output", "-", "--format", "npz"], 2).contains("only csv")
    );
    let message = call(&["export", "--material", "1v1", "--output", unwritable.to_str().unwrap()], 1);
    assert!(message.contains("out.csv"), "{message}");
    assert!(call(&["stats", "--material", "5v4"], 1).contains("no wdl table for 5v4"));
}

#[test]
fn a_scan_can_be_stopped() {
    let tables = tables(&CLASSIC);
    let stopped = AtomicBool::new(true);
    let mined = mine(&tables, material("2v2"), &Query::new(Motif::Any), &(), &stopped, |_| {});
    assert_eq!(mined.unwrap_err().to_string(), "stopped");
    let dir = temp_dir();
    let path = dir.path().join("out.parquet");
    let selection = Selection { slices: vec![material("2v2")], distinct: true, sample: None };
    assert!(export(&tables, &selection, Format::Parquet, &path, &(), &stopped).is_err());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn larger_slices_agree_too() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 5)).unwrap();
    let tables = Tablebase::open(dir.path(), &CLASSIC).unwrap();
    let slice = material("3v2");
    let studies = found(
        &tables,
        slice,
        &Query { quantity: Quantity::Sample(300, 5), ..Query::new(Motif::OnlyMove(1)) },
    );
    assert_eq!(studies.len(), 300);
    assert!(studies.iter().all(|study| has_only_move(&tables, &study.position)));
    let zugzwangs = found(&tables, slice, &Query::new(Motif::Zugzwang));
    let is_zugzwang = |position: &Position| {
        tables.probe_value(position).unwrap()
            < tables.probe_value(&with_other_side(position)).unwrap().reversed()
    };
    assert_eq!(
        zugzwangs.len(),
        positions(&tables, slice).iter().filter(|position| is_zugzwang(position)).count()
    );
}
