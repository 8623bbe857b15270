use std::sync::atomic::AtomicBool;
use std::time::Duration;

use web_time::Instant;

use super::*;
use crate::game::Game;
use crate::position::Position;
use crate::rules::{BRAINKING, CLASSIC, YOUZAI};
use crate::search::{Limits, Searcher};
use crate::table::Value;
use crate::tablebase::ProbeError;

fn consult(knowledge: &Knowledge, text: &str, milliseconds: Option<u64>) -> Insight {
    let position = Position::parse(knowledge.rules(), text).unwrap();
    let effort = milliseconds.map(Duration::from_millis).map(Effort::within);
    knowledge.consult(&position, &[], effort).unwrap()
}

fn empty(rules: &'static Rules) -> Knowledge {
    Knowledge::new(rules, None, Certificates::default())
}

#[test]
fn sources_are_asked_in_turn() {
    let knowledge = Knowledge::open("tables", &CLASSIC).unwrap();
    let over = consult(&knowledge, "5/5/5/5/b4 w", None);
    assert_eq!((over.source(), over.moves.len()), (Some(Source::Rules), 0));
    let won = consult(&knowledge, "5/5/1w3/5/w2b1 w", None);
    assert_eq!(won.source(), Some(Source::Tables));
    assert_eq!(won.known, won.moves[0].known);
    let start = consult(&knowledge, "start", None);
    assert_eq!((start.source(), start.worth()), (None, None));
    assert_eq!(start.moves.len(), 4);
    let searched = consult(&knowledge, "start", Some(40));
    assert!(matches!(searched.worth(), Some(Worth::Estimate(_))), "{searched:?}");
    assert_eq!(searched.line[0], searched.moves[0].mv);
}

#[test]
fn all_moves_are_listed_where_a_certificate_knows_one() {
    let knowledge = Knowledge::open("tables", &BRAINKING).unwrap();
    let start = consult(&knowledge, "start", None);
    assert_eq!((start.source(), start.value()), (Some(Source::Certificate), Some(Value::Win)));
    assert_eq!(start.line[0], start.moves[0].mv);
    assert_eq!(start.moves.len(), 4);
    assert_eq!(start.moves[0].known, start.known);
    let looked_up = knowledge.look_up(&Position::start(&BRAINKING), &[]).unwrap();
    assert_eq!(looked_up, start);
    // The loser's moves are all known.
    let answer = consult(&knowledge, &start.moves[0].position.to_string(), None);
    assert_eq!(answer.value(), Some(Value::Loss));
    assert!(answer.moves.iter().all(|prospect| prospect.known.is_some()));
    // A search fills in what the certificate leaves open, behind its move.
    let searched = consult(&knowledge, "start", Some(60));
    assert_eq!(searched.moves[0], start.moves[0]);
    assert!(searched.moves.iter().all(|prospect| prospect.known.is_some()), "{searched:?}");
    let sources = searched.moves[1..].iter().map(|prospect| prospect.known.unwrap().source);
    assert!(sources.clone().any(|source| source == Source::Search), "{:?}", sources.collect::<Vec<_>>());
}

#[test]
fn what_nothing_covers_is_an_error_of_a_look_up() {
    let uncovered = Position::start(&CLASSIC);
    let error = Knowledge::open("tables", &CLASSIC).unwrap().look_up(&uncovered, &[]).unwrap_err();
    assert!(error.is_lack_of_tables() && error.to_string().contains("no wdl table for"), "{error}");
    let error = empty(&CLASSIC).look_up(&uncovered, &[]).unwrap_err();
    assert!(error.is_lack_of_tables(), "{error}");
    assert_eq!(error.to_string(), "there are no tables for 'classic'");
    assert!(empty(&CLASSIC).verdict(&uncovered).is_err());
    let over = Position::parse(&CLASSIC, "5/5/5/5/b4 w").unwrap();
    assert_eq!(empty(&CLASSIC).verdict(&over).unwrap().value, Value::Loss);
}

#[test]
fn a_search_proves_what_the_tables_say() {
    let tables = Knowledge::open("tables", &BRAINKING).unwrap();
    for text in ["5/5/2w2/5/b4 w c3-b3", "5/3b1/5/2w2/3w1 w", "5/5/1b3/5/3w1 b"] {
        let (exact, proven) = (consult(&tables, text, None), consult(&empty(&BRAINKING), text, Some(500)));
        assert_eq!(exact.source(), Some(Source::Tables));
        assert_eq!(proven.source(), Some(Source::Search));
        assert!(exact.value().is_some() && proven.value() == exact.value(), "{text}: {proven:?}");
    }
}

#[test]
fn tables_in_several_directories_are_one() {
    let dirs = [(); 2].map(|()| tempfile::TempDir::new().unwrap());
    for (dir, names) in dirs.iter().zip([["1v1.wdl"].as_slice(), &["2v1.wdl", "1v2.wdl", "1v1.wdl"]]) {
        std::fs::create_dir(dir.path().join("classic")).unwrap();
        for name in names {
            std::fs::copy(format!("tables/classic/{name}"), dir.path().join("classic").join(name)).unwrap();
        }
    }
    // The one in the second directory is not even opened.
    std::fs::write(dirs[1].path().join("classic/1v1.wdl"), "damaged").unwrap();
    let missing = std::path::Path::new("/nowhere/at/all");
    let both = std::env::join_paths([dirs[0].path(), missing, dirs[1].path()]).unwrap();
    let position = Position::parse(&CLASSIC, "5/5/1w3/5/w2b1 w").unwrap();
    let knowledge = Knowledge::open(&both, &CLASSIC).unwrap();
    assert_eq!(knowledge.verdict(&position).unwrap().value, Value::Win);
    assert_eq!(knowledge.tables().unwrap().tables().count(), 3);
    assert_eq!(Tablebase::rule_sets_in(&both), [&CLASSIC]);
    assert!(Knowledge::open(missing, &CLASSIC).is_err());
}

#[test]
fn an_aborted_search_ends_at_once() {
    let knowledge = Knowledge::open("tables", &CLASSIC).unwrap();
    let stop = AtomicBool::new(true);
    let started = Instant::now();
    let effort = Effort::within(Duration::from_secs(60)).until(&stop);
    let insight = knowledge.consult(&Position::start(&CLASSIC), &[], Some(effort)).unwrap();
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!((insight.known, insight.moves.len()), (None, 4));
}

#[test]
fn a_budget_of_nodes_is_shared_by_the_moves() {
    let limits = Limits::nodes(4_000);
    let effort = Effort { limits, ..Effort::default() };
    let started = Instant::now();
    let insight = empty(&CLASSIC).consult(&Position::start(&CLASSIC), &[], Some(effort)).unwrap();
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(insight.moves.iter().all(|prospect| prospect.known.is_some()));
}

/// A look-up by tables, one in a game in which positions have occurred before, and one by a certificate.
#[test]
fn every_look_up_can_be_stopped_at_any_point() {
    let is_stopped = |error: &KnowledgeError| matches!(error, KnowledgeError::Probe(ProbeError::Stopped));
    let classic = Knowledge::open("tables", &CLASSIC).unwrap();
    let brainking = Knowledge::open("tables", &BRAINKING).unwrap();
    let moves = "d2-e2 a4-a5 e2-d2 a5-a4 d2-e2 a4-a5 e2-d2";
    let repeated = Game::replay(&CLASSIC, Some("5/b4/3w1/3w1/5 w"), moves.split_whitespace()).unwrap();
    let crowded = Position::parse(&CLASSIC, "5/1bb2/1ww2/5/5 w").unwrap();
    for (knowledge, position, history) in [
        (&classic, crowded, [].as_slice()),
        (&classic, *repeated.position(), repeated.history()),
        (&brainking, Position::start(&BRAINKING), &[]),
    ] {
        // What it finds out about captures is kept: the next one asks less.
        let whole = knowledge.look_up(&position, history).unwrap();
        let mut asked = 0_u32;
        let count = || {
            asked += 1;
            true
        };
        assert_eq!(knowledge.look_up_while(&position, history, count).unwrap(), whole);
        assert!(asked > 2, "{position}: {asked}");
        for most in [0, 1, 2, asked / 2, asked - 1] {
            let mut left = most;
            let goes_on = || {
                let goes_on = left > 0;
                left = left.saturating_sub(1);
                goes_on
            };
            let stopped = knowledge.look_up_while(&position, history, goes_on).unwrap_err();
            assert!(is_stopped(&stopped), "{position}, {most} of {asked}: {stopped}");
        }
        let never = || false;
        assert!(is_stopped(&knowledge.main_line_while(&position, never).unwrap_err()));
        assert!(is_stopped(&knowledge.verdict_while(&position, never).unwrap_err()));
        // What is aborted lists the moves all the same.
        let stop = AtomicBool::new(true);
        let effort = Effort::within(Duration::from_secs(5)).until(&stop);
        let insight = knowledge.consult(&position, history, Some(effort)).unwrap();
        assert_eq!(insight.moves.len(), whole.moves.len());
    }
}

#[test]
fn without_distances_a_search_finds_the_way() {
    let all = Knowledge::open("tables", &CLASSIC).unwrap();
    let dir = tempfile::TempDir::new().unwrap();
    std::fs::create_dir(dir.path().join("classic")).unwrap();
    for name in ["1v1.wdl", "2v1.wdl", "1v2.wdl"] {
        std::fs::copy(format!("tables/classic/{name}"), dir.path().join("classic").join(name)).unwrap();
    }
    let values = Knowledge::open(dir.path(), &CLASSIC).unwrap();
    let first = Position::parse(&CLASSIC, "5/b4/3w1/3w1/5 w").unwrap();
    let line = all.main_line(&first).unwrap();
    let near = line.moves[17].position;
    let effort = Effort::within(Duration::from_secs(2));
    let insight = values.consult(&near, &[], Some(effort)).unwrap();
    assert_eq!(insight.source(), Some(Source::Tables));
    assert_eq!(insight.worth().and_then(Worth::within), None);
    let exact = all.verdict(&insight.moves[0].position).unwrap();
    assert_eq!((exact.value, exact.plies_to_end()), (Value::Loss, Some(4)));
    let mut searcher = Searcher::with_at_most(&CLASSIC, 1 << 20);
    let choice = values.choose(&near, &[], &mut searcher, &effort, |_| {}).unwrap();
    assert_eq!(choice.source, Source::Search);
    assert_eq!(choice.found.best(), Some(insight.moves[0].mv));
}

#[test]
fn the_move_to_play_comes_from_who_knows_it() {
    let within = |limits, knowledge: &Knowledge, text: &str, history: &[&str]| {
        let parse = |text: &str| Position::parse(knowledge.rules(), text).unwrap();
        let history: Vec<Position> = history.iter().map(|text| parse(text)).collect();
        let mut searcher = Searcher::with_at_most(knowledge.rules(), 1 << 20);
        let effort = Effort { limits, ..Effort::default() };
        knowledge.choose(&parse(text), &history, &mut searcher, &effort, |_| {}).unwrap()
    };
    let choose = |knowledge: &Knowledge, text: &str, history: &[&str]| {
        within(Limits { nodes: Some(2000), ..Limits::default() }, knowledge, text, history)
    };
    let classic = Knowledge::open("tables", &CLASSIC).unwrap();
    let won = choose(&classic, "5/5/1w3/5/w2b1 w", &[]);
    assert_eq!(won.source, Source::Tables);
    assert!(won.found.line.len() > 1);
    assert_eq!(choose(&classic, "start", &[]).source, Source::Search);
    assert_eq!(choose(&classic, "5/5/5/5/b4 w", &[]).found.best(), None);
    let brainking = Knowledge::open("tables", &BRAINKING).unwrap();
    let proven = choose(&brainking, "start", &[]);
    assert_eq!(proven.source, Source::Certificate);
    // A certificate has a reply even where there is no time for anything.
    let at_once = within(Limits::time(Duration::from_nanos(1)), &brainking, "start", &[]);
    assert_eq!((at_once.source, at_once.found.best()), (Source::Certificate, proven.found.best()));
    // The loser plays what draws in this game.
    let twice = ["5/b4/3w1/3w1/5 w"; 2];
    let saved = choose(&classic, "b4/5/3w1/3w1/5 b", &twice);
    assert_eq!((saved.source, saved.found.best().unwrap().to_string().as_str()), (Source::Rules, "a5-a4"));
    assert_eq!(saved.found.score, Worth::DRAW.score());
}

#[test]
fn a_counted_out_game_is_over_without_tables() {
    let over = consult(&empty(&YOUZAI), "4b/5/5/5/w4 w - 50", None);
    assert_eq!((over.source(), over.value()), (Some(Source::Rules), Some(Value::Draw)));
    assert!(over.moves.is_empty());
}
