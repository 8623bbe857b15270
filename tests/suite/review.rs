//! Reviews of games, against values that another program found.

use std::path::Path;
use std::time::Duration;

use alquerque::knowledge::{Knowledge, Source};
use alquerque::position::Position;
use alquerque::record::{Record, Records};
use alquerque::review::{Mark, Options, Review, annotated, review};
use alquerque::rules::{CLASSIC, Rules, Side, YOUZAI};
use alquerque::table::Value;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::cli::{alquerque, json, output};
use crate::reference;
use crate::support::{job, run, temp_dir};

fn record(text: &str) -> Record {
    let game = Records::new(text.as_bytes()).next().unwrap().unwrap();
    assert_eq!(game.fault, None);
    game.record
}

fn options(milliseconds: u64) -> Options<'static> {
    Options { time: Duration::from_millis(milliseconds), ..Options::default() }
}

fn generated(rules: &'static Rules, stones: usize) -> (TempDir, Knowledge) {
    let dir = temp_dir();
    run(&job(rules, dir.path(), stones)).unwrap();
    let knowledge = Knowledge::open(dir.path(), rules).unwrap();
    (dir, knowledge)
}

fn has_repetition(positions: &[Position]) -> bool {
    positions.iter().enumerate().any(|(index, position)| positions[..index].contains(position))
}

#[test]
fn every_value_agrees_with_another_program() {
    let (_dir, knowledge) = generated(&CLASSIC, 6);
    let (mut proven, mut only, mut thrown_away) = (0, 0, 0);
    for game in reference::games() {
        let moves: Vec<&str> = game.plies.iter().map(|ply| ply.mv).collect();
        let record = record(&format!("{} {}", moves.join(" "), game.result));
        let positions = record.positions();
        let review = review(&record, &knowledge, &options(100)).unwrap();
        assert_eq!(review.moves.len(), game.plies.len());
        for (found, known) in review.moves.iter().zip(&game.plies) {
            // The other program looks at positions alone, whatever occurred before.
            if has_repetition(&positions[..found.ply]) {
                continue;
            }
            let context = format!("{} of {moves:?}: {found:?}", found.mv);
            assert_eq!(found.mv.to_string(), known.mv);
            assert_eq!(found.legal, known.keeping[1], "{context}");
            for (worth, value) in [(&found.best_value, known.values[0]), (&found.value, known.values[1])] {
                if let Some(worth) = worth.value() {
                    assert_eq!(worth.name(), value, "{context}");
                    proven += 1;
                }
                assert!(worth.source.is_some() || worth.value().is_none(), "{context}");
            }
            if let Some(keeping) = found.keeping {
                assert_eq!(keeping, known.keeping[0], "{context}");
                assert!(found.best.len() <= keeping);
            }
            let is_only = known.keeping[0] == 1 && known.keeping[1] > 1 && known.values[0] == known.values[1];
            match found.mark {
                Some(Mark::Only) => {
                    assert!(is_only, "{context}");
                    only += 1;
                }
                Some(Mark::Blunder) => {
                    assert_ne!(known.values[0], known.values[1], "{context}");
                    thrown_away += 1;
                }
                Some(Mark::Slow) => assert!(found.lost >= Some(10), "{context}"),
                None => {
                    let is_known = found.value.value().is_some() && found.best_value.value().is_some();
                    assert!(!is_known || known.values[0] == known.values[1], "{context}");
                    assert!(found.keeping.is_none() || !is_only, "{context}");
                }
            }
        }
        let moves = review.summaries.iter().map(|summary| summary.moves).sum::<usize>();
        assert_eq!(moves, review.moves.len());
    }
    assert!(proven > 250, "{proven} values");
    assert!(only > 0 && thrown_away > 0, "{only} only moves, {thrown_away} thrown away");
}

/// A game that goes wrong: a win with much to lose.
fn endgame(knowledge: &Knowledge) -> (Record, Review) {
    let record = record("[FEN \"5/1w3/1w3/5/4b w\"]\n\n1. b4-a5 e1-d1 2. b3-a3 *");
    let review = review(&record, knowledge, &options(0)).unwrap();
    (record, review)
}

#[test]
fn every_figure_names_its_source() {
    let knowledge = Knowledge::open(crate::support::in_repo("tables"), &CLASSIC).unwrap();
    let (record, review) = endgame(&knowledge);
    for mv in &review.moves {
        assert_eq!(mv.value.source, Some(Source::Tables), "{mv:?}");
        let tables = knowledge.tables().unwrap();
        let positions = record.positions();
        let verdict = tables.probe(&positions[mv.ply - 1]).unwrap();
        assert_eq!(mv.best_value.value(), Some(verdict.value));
        assert_eq!(mv.best_value.verdict, Some(verdict));
        let after = tables.probe(&positions[mv.ply]).unwrap();
        assert_eq!(mv.value.value(), Some(after.value.reversed()));
        assert_eq!(mv.value.verdict.unwrap().dtw, after.dtw.map(|plies| plies + 1));
        if let (Some(best), Some(played), Some(Value::Win)) =
            (verdict.dtw, mv.value.verdict.unwrap().dtw, mv.value.value())
        {
            assert_eq!(mv.lost, Some(played - best));
        }
    }
    let annotated = annotated(&record, &review);
    let text = annotated.to_string();
    assert!(text.contains("(tables)"), "{text}");
    // What was annotated can be read, and annotated again without a second mark.
    let again = Records::new(text.as_bytes()).next().unwrap().unwrap();
    assert_eq!((again.fault, &again.record), (None, &annotated));
    let chart = review.chart().to_string();
    assert!(chart.starts_with("<svg") && chart.ends_with("</svg>"));
    assert_eq!(chart.matches("<title>").count(), 1 + review.moves.len());
}

#[test]
fn thresholds_decide_what_is_slow() {
    let knowledge = Knowledge::open(crate::support::in_repo("tables"), &CLASSIC).unwrap();
    let (record, reviewed) = endgame(&knowledge);
    let lost = reviewed
        .moves
        .iter()
        .filter(|mv| mv.mark != Some(Mark::Only))
        .filter_map(|mv| mv.lost)
        .max()
        .unwrap();
    assert!(lost > 0, "{reviewed:?}");
    for (threshold, is_slow) in [(lost, true), (lost + 1, false)] {
        let options = Options { threshold, ..options(0) };
        let review = review(&record, &knowledge, &options).unwrap();
        let slow: usize = review.summaries.iter().map(|summary| summary.slow).sum();
        assert_eq!(slow > 0, is_slow, "{review:?}");
    }
}

#[test]
fn repetitions_and_ply_counters_are_respected() {
    let knowledge = Knowledge::open(crate::support::in_repo("tables"), &CLASSIC).unwrap();
    // White could win, but brings the same position about three times.
    let there_and_back = "b4-a5 e1-d1 a5-b4 d1-e1 ";
    let text = format!("[FEN \"5/1w3/1w3/5/4b w\"]\n\n{} *", there_and_back.repeat(2));
    let reviewed = review(&record(&text), &knowledge, &options(0)).unwrap();
    let last = reviewed.moves.last().unwrap();
    assert_eq!((last.value.value(), last.value.source), (Some(Value::Draw), Some(Source::Rules)));
    assert_eq!(last.side, Side::Black);
    assert!(reviewed.end.is_some());
    // A move that allows it throws the win away.
    let before = &reviewed.moves[reviewed.moves.len() - 2];
    assert_eq!(before.mark, Some(Mark::Blunder), "{before:?}");
    assert_eq!(reviewed.moves[0].mark, None);

    let (_dir, knowledge) = generated(&YOUZAI, 4);
    let tables = knowledge.tables().unwrap();
    let mut seen = 0;
    for (start, moves) in [("4b/5/5/5/w4 b - 48", "e5-d5 a1-b1"), ("4b/5/5/5/w4 b - 0", "e5-d5 a1-b1")] {
        let text = format!("[Rules \"youzai\"]\n[FEN \"{start}\"]\n\n{moves} *");
        let record = record(&text);
        let reviewed = review(&record, &knowledge, &options(0)).unwrap();
        for (mv, position) in reviewed.moves.iter().zip(record.positions()) {
            assert_eq!(mv.best_value.value(), Some(tables.probe(&position).unwrap().value));
            seen += 1;
        }
    }
    assert_eq!(seen, 4);
}

#[test]
fn a_search_answers_where_nothing_else_does() {
    let empty = Knowledge::new(&CLASSIC, None, Default::default());
    let record = record("[FEN \"5/5/1w3/5/w2b1 w\"]\n\n1. a1-a2 d1-c1 2. a2-a1 *");
    let without = review(&record, &empty, &options(0)).unwrap();
    assert!(without.moves.iter().all(|mv| mv.value.source.is_none() && mv.mark.is_none()), "{without:?}");
    // How far it gets depends on the machine.
    let with = review(&record, &empty, &options(3000)).unwrap();
    assert!(with.moves.iter().any(|mv| mv.value.source == Some(Source::Search)), "{with:?}");
    let text = annotated(&record, &with).to_string();
    assert!(text.contains("(search)"), "{text}");
}

#[test]
fn the_command_annotates_and_reports_faults() {
    let dir = temp_dir();
    let path = dir.path().join("games.pgn");
    let text = "[Event \"good\"]\n[FEN \"5/1w3/1w3/5/4b w\"]\n\n1. b4-a5 e1-d1 2. b3-a3 *\n\n\
        [Event \"bad\"]\n\n1. d2-c3 b4xd2 2. a1-a2 1-0\n\n[Event \"chess\"]\n[Rules \"chess\"]\n\n1. e4 *\n\n\
        [Event \"last\"]\n[FEN \"5/5/5/1b3/w4 w\"]\n\n1. a1xc3 1-0\n";
    std::fs::write(&path, text).unwrap();
    let call = |arguments: &[&str]| {
        let mut command = alquerque(&["review", "--time", "0", "--dir"]);
        command.arg(crate::support::in_repo("tables")).args(arguments).arg(&path);
        command.output().unwrap()
    };
    let plain = call(&[]);
    assert_eq!(plain.status.code(), Some(1));
    let (stdout, stderr) =
        (String::from_utf8(plain.stdout).unwrap(), String::from_utf8(plain.stderr).unwrap());
    let read: Vec<_> = Records::new(stdout.as_bytes()).map(Result::unwrap).collect();
    assert_eq!(read.iter().filter(|game| game.record.tag("Event").is_some()).count(), 3, "{stdout}");
    for part in [
        "game 2, line 8, ply 3 (a1-a2): the move is not legal",
        "game 3, line 11: unknown rules 'chess'",
        "game 4, White: 1 moves",
    ] {
        assert!(stderr.contains(part), "{part}\n{stderr}");
    }
    let svg = dir.path().join("chart.svg");
    let answer = call(&["--json", "--svg", svg.to_str().unwrap()]);
    let games: Json = json(std::str::from_utf8(&answer.stdout).unwrap());
    let games = games.as_array().unwrap();
    assert_eq!(games.len(), 4);
    assert!(games[2]["rules"].is_null() && games[2]["moves"].as_array().unwrap().is_empty());
    assert!(games[0]["error"].is_null() && games[1]["error"].as_str().unwrap().contains("ply 3"));
    let first = &games[0]["moves"][0];
    assert_eq!(
        (&first["ply"], &first["side"], &first["move"]),
        (&1.into(), &"white".into(), &"b4-a5".into())
    );
    assert_eq!(first["source"], "tables");
    for key in ["value", "best_value", "best", "dtc", "dtw", "mark"] {
        assert!(first.get(key).is_some(), "{key}");
    }
    assert_eq!(games[3]["moves"][0]["value"], "win");
    assert_eq!(games[3]["moves"][0]["source"], "tables");
    assert_eq!(games[0]["tags"]["Event"], "good");
    assert!(games[0]["summary"]["white"]["moves"] == 2 && games[0]["start"] == "5/1w3/1w3/5/4b w - 0");
    assert!(svg.exists() && dir.path().join("chart-4.svg").exists());

    let nothing = dir.path().join("empty.pgn");
    std::fs::write(&nothing, "\n").unwrap();
    for (file, part) in [(nothing.as_path(), "holds no game"), (Path::new("/no/such/file"), "cannot read")] {
        let output = alquerque(&["review"]).arg(file).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8(output.stderr).unwrap().contains(part), "{part}");
    }
    let from_stdin =
        output(alquerque(&["review", "--time", "0", "--rules", "classic", "-"]).write_stdin("1. d2-c3 *"));
    assert!(from_stdin.contains("1. d2-c3"));
}
