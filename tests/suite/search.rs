//! The search above the tables: what it claims to have proven must be true, and its limits must hold.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::support::{Random, files, job, materials, random_position, run, temp_dir};
use alquerque::moves::{has_legal_move, legal_moves};
use alquerque::position::Position;
use alquerque::rules::{BRAINKING, CLASSIC, QIRKAT, Rules, YOUZAI};
use alquerque::search::{Found, Limits, Proven, Request, Score, Searcher};
use alquerque::solve::{Job, Metrics, Target};
use alquerque::table::{Value, parse_file_name};
use alquerque::tablebase::Tablebase;
use tempfile::TempDir;

const HASH: u64 = 8 << 20;

fn limits(depth: u8, nodes: u64) -> Limits {
    Limits { depth: Some(depth), nodes: Some(nodes), time: None }
}

/// How many claims a series of searches made.
#[derive(Default, Debug)]
struct Claims {
    decided: usize,
    drawn: usize,
    estimates_of_decided: usize,
}

impl Claims {
    /// Checks what was found in `position` against tables that know it.
    fn check(&mut self, tables: &Tablebase, position: &Position, found: &Found) {
        let verdict = tables.probe(position).unwrap();
        match found.score {
            Score::Estimate(_) => self.estimates_of_decided += usize::from(verdict.value != Value::Draw),
            Score::Proven(proven) => {
                let what = format!("{position}: {proven:?}, but {verdict:?}");
                assert_eq!(proven.value(), verdict.value, "{what}");
                if let Some((within, dtw)) = proven.within().zip(verdict.dtw) {
                    assert!(within >= dtw, "{what}");
                }
                match proven {
                    Proven::Draw => self.drawn += 1,
                    Proven::Win { .. } | Proven::Loss { .. } => self.decided += 1,
                }
            }
        }
        check_line(tables.rules(), position, found);
    }
}

/// The line must be playable.
fn check_line(rules: &Rules, position: &Position, found: &Found) {
    let over = !has_legal_move(rules, position) || position.is_drawn_by_counter(rules);
    assert_eq!(found.best().is_none(), over, "{position}");
    let mut position = *position;
    for mv in &found.line {
        assert!(legal_moves(rules, &position).contains(mv), "{position}: {mv}");
        position = position.play(rules, mv);
    }
}

/// A position some plies on in a game, with what came before.
fn wander(rules: &Rules, position: Position, random: &mut Random) -> (Position, Vec<Position>) {
    let (mut position, mut history) = (position, Vec::new());
    for _ in 0..random.below(6) {
        let moves = legal_moves(rules, &position);
        if moves.is_empty() || moves[0].is_capture() || position.is_drawn_by_counter(rules) {
            break;
        }
        history.push(position);
        position = position.play(rules, random.choose(&moves));
    }
    (position, history)
}

/// All tables of up to so many stones, and apart those of fewer stones.
struct Knowledge {
    _dirs: [TempDir; 2],
    all: Tablebase,
    fewer: Tablebase,
}

impl Knowledge {
    fn new(rules: &'static Rules, stones: usize) -> Knowledge {
        let dirs = [temp_dir(), temp_dir()];
        run(&job(rules, dirs[0].path(), stones)).unwrap();
        for (name, bytes) in files(dirs[0].path()) {
            let table = name.file_name().and_then(|name| parse_file_name(name.to_str()?));
            if table.is_some_and(|(material, _)| material.total() < stones) {
                let copy = dirs[1].path().join(name);
                fs::create_dir_all(copy.parent().unwrap()).unwrap();
                fs::write(copy, bytes).unwrap();
            }
        }
        let [all, fewer] = [0, 1].map(|index| Tablebase::open(dirs[index].path(), rules).unwrap());
        Knowledge { _dirs: dirs, all, fewer }
    }
}

/// Searches random positions of up to `stones` stones, with the tables of fewer stones or with none, and compares
/// with all tables.
fn compare(known: &Knowledge, stones: usize, games: u64, threads: usize, with_tables: bool) -> Claims {
    let (tables, few) = (&known.all, &known.fewer);
    let rules = tables.rules();
    // One for all, so that what it remembers of one position must be true in another game too.
    let mut searcher = Searcher::new(rules, HASH).with_threads(threads);
    let (mut random, mut claims) = (Random::new(7), Claims::default());
    let materials = [materials(stones), materials(stones - 1)].concat();
    for game in 0..games {
        let material = *random.choose(&materials);
        let mut position = random_position(tables.index(), material, &mut random);
        if let Some(limit) = rules.ply_limit()
            && game % 2 == 0
        {
            position = position.with_plies(rules, random.below(u64::from(limit) + 1)).unwrap();
        }
        let (position, history) = wander(rules, position, &mut random);
        let request = Request {
            tables: with_tables.then_some(few),
            history: &history,
            limits: limits(40, 20_000),
            stop: None,
        };
        let found = searcher.search(&position, &request, |_| {}).unwrap();
        claims.check(tables, &position, &found);
    }
    claims
}

#[test]
fn proofs_are_true() {
    for (rules, stones) in [(&CLASSIC, 5), (&BRAINKING, 4), (&YOUZAI, 5), (&QIRKAT, 4)] {
        let known = Knowledge::new(rules, stones);
        let claims = compare(&known, stones, 200, 1, false);
        println!("{} without tables: {claims:?}", rules.name());
        assert!(claims.decided > 80, "{}: {claims:?}", rules.name());
        assert!(claims.decided > claims.estimates_of_decided, "{}: {claims:?}", rules.name());
        if !rules.has_distance_to_win() {
            // What the counter decides is proven without tables.
            assert!(claims.drawn > 0, "{}: {claims:?}", rules.name());
        }
        let claims = compare(&known, stones, 200, 1, true);
        println!("{} with smaller tables: {claims:?}", rules.name());
        assert!(claims.decided > 10 * claims.estimates_of_decided, "{}: {claims:?}", rules.name());
    }
}

#[test]
fn at_the_limit_of_the_counter_no_capture_helps() {
    // Every white step makes it 50 plies, also the one that forces a capture and with it a win.
    let position = Position::parse(&YOUZAI, "1b3/1w1w1/5/5/2ww1 w - 49").unwrap();
    let request = Request { limits: limits(10, 10_000), ..Request::default() };
    let found = Searcher::new(&YOUZAI, HASH).search(&position, &request, |_| {}).unwrap();
    assert_eq!(found.score, Score::Proven(Proven::Draw));
}

#[test]
fn proofs_on_several_threads_are_true() {
    let claims = compare(&Knowledge::new(&CLASSIC, 5), 5, 100, 3, false);
    assert!(claims.decided > 30, "{claims:?}");
}

/// More of the same, on more stones.
#[test]
#[ignore = "takes minutes"]
fn proofs_on_more_stones_are_true() {
    for (rules, stones) in [(&CLASSIC, 7), (&BRAINKING, 5), (&YOUZAI, 7), (&QIRKAT, 5)] {
        let known = Knowledge::new(rules, stones);
        for with_tables in [false, true] {
            println!("{} {stones}: {:?}", rules.name(), compare(&known, stones, 3_000, 1, with_tables));
        }
    }
}

#[test]
fn covered_positions_need_no_search() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 4)).unwrap();
    let tables = Tablebase::open(dir.path(), &CLASSIC).unwrap();
    let mut searcher = Searcher::new(&CLASSIC, HASH);
    let mut random = Random::new(3);
    for material in materials(4) {
        for _ in 0..50 {
            let position = random_position(tables.index(), material, &mut random);
            let request = Request { tables: Some(&tables), ..Request::default() };
            let found = searcher.search(&position, &request, |_| {}).unwrap();
            let best = tables.ranked_moves(&position).unwrap().first().map(|ranked| ranked.mv);
            assert_eq!((found.best(), found.nodes), (best, 0));
            let verdict = tables.probe(&position).unwrap();
            assert_eq!(found.score, Score::Proven(verdict.into()), "{position}");
        }
    }
}

#[test]
fn a_win_without_distances_is_still_brought_home() {
    let dir = temp_dir();
    run(&Job { metrics: Metrics::from_iter([]), target: Target::Stones(4), ..job(&CLASSIC, dir.path(), 4) })
        .unwrap();
    let tables = Tablebase::open(dir.path(), &CLASSIC).unwrap();
    let mut searcher = Searcher::new(&CLASSIC, HASH);
    let mut position = Position::parse(&CLASSIC, "b4/5/5/2ww1/3w1 w").unwrap();
    assert_eq!(tables.probe_value(&position).unwrap(), Value::Win);
    let (mut history, mut random) = (Vec::new(), Random::new(5));
    while has_legal_move(&CLASSIC, &position) {
        assert!(history.len() < 100, "{position}");
        let mv = if history.len() % 2 == 0 {
            let request =
                Request { tables: Some(&tables), history: &history, limits: limits(12, 200_000), stop: None };
            let found = searcher.search(&position, &request, |_| {}).unwrap();
            assert!(
                matches!(found.score, Score::Proven(Proven::Win { .. })),
                "{position}: {:?}",
                found.score
            );
            found.best().unwrap()
        } else {
            *random.choose(&legal_moves(&CLASSIC, &position))
        };
        history.push(position);
        position = position.play(&CLASSIC, &mv);
    }
    assert!(history.len() % 2 == 1, "Black has lost");
}

#[test]
fn a_repetition_is_a_draw_but_no_proof() {
    // Of three stones against one Black cannot make more than a draw once White is where it was before.
    let search = |history: &[Position], position: &Position| {
        let request = Request { history, limits: limits(1, u64::MAX), ..Request::default() };
        Searcher::new(&CLASSIC, HASH).search(position, &request, |_| {}).unwrap()
    };
    let position = Position::parse(&CLASSIC, "4b/4b/4b/5/w4 w").unwrap();
    assert!(matches!(search(&[], &position).score, Score::Estimate(points) if points < -100));
    let moves = legal_moves(&CLASSIC, &position);
    let there = position.play(&CLASSIC, &moves[0]);
    // As if the game had come from there.
    let found = search(&[there, position, there], &position);
    assert_eq!((found.score, found.best()), (Score::Estimate(0), Some(moves[0])));
}

#[test]
fn limits_are_kept() {
    let start = Position::start(&CLASSIC);
    let mut searcher = Searcher::new(&CLASSIC, HASH);
    let mut search = |limits, stop: Option<&AtomicBool>| {
        let mut iterations = Vec::new();
        let request = Request { limits, stop, ..Request::default() };
        let found = searcher.search(&start, &request, |found| iterations.push(found.clone())).unwrap();
        assert!(found.best().is_some());
        assert_eq!(iterations.last().map(|last| (last.depth, last.score)), Some((found.depth, found.score)));
        found
    };
    assert_eq!(search(Limits { depth: Some(6), ..Limits::default() }, None).depth, 6);
    assert_eq!(search(Limits { depth: Some(0), ..Limits::default() }, None).depth, 1);
    for nodes in [0, 1, 5_000, 50_000] {
        let found = search(Limits { nodes: Some(nodes), ..Limits::default() }, None);
        assert!(found.nodes <= nodes + 256, "{nodes}: {}", found.nodes);
    }
    let begun = Instant::now();
    search(Limits { time: Some(Duration::from_millis(100)), ..Limits::default() }, None);
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(search(Limits::default(), Some(&AtomicBool::new(true))).depth, 1);
}

#[test]
fn finished_games_have_no_move() {
    for (rules, text, score) in [
        (&CLASSIC, "5/5/5/5/b4 w", Score::Proven(Proven::Loss { within: Some(0) })),
        (&BRAINKING, "5/5/5/2w2/2b2 b", Score::Proven(Proven::Loss { within: Some(0) })),
        (&YOUZAI, "5/1b3/5/5/2w2 w - 50", Score::Proven(Proven::Draw)),
    ] {
        let position = Position::parse(rules, text).unwrap();
        let found = Searcher::new(rules, 0).search(&position, &Request::default(), |_| {}).unwrap();
        assert_eq!((found.score, found.best()), (score, None), "{text}");
    }
    // A position of other rules is refused.
    let counted = Position::parse(&YOUZAI, "5/1b3/5/5/2w2 w - 7").unwrap();
    assert!(Searcher::new(&CLASSIC, 0).search(&counted, &Request::default(), |_| {}).is_err());
}

/// Not a check but a figure: how fast the search is. Run it with `--release`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    for rules in Rules::ALL {
        let limits = Limits { time: Some(Duration::from_secs(5)), ..Limits::default() };
        let request = Request { limits, ..Request::default() };
        let start = Position::start(rules);
        let found = Searcher::new(rules, 64 << 20).search(&start, &request, |_| {}).unwrap();
        println!("{}: depth {}, {} nodes/s", rules.name(), found.depth, found.nodes_per_second());
    }
}
