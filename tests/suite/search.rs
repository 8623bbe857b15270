//! The search above the tables: what it claims to have proven must be true, and its limits must hold.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::support::{Random, files, job, materials, random_position, run, temp_dir};
use alquerque::moves::{has_legal_move, legal_moves};
use alquerque::position::Position;
use alquerque::rules::{BRAINKING, CLASSIC, QIRKAT, Rules, YOUZAI};
use alquerque::search::{Found, Limits, Proven, Request, Score, Searcher};
use alquerque::solve::{Job, Metrics};
use alquerque::table::{Value, parse_file_name};
use alquerque::tablebase::{ProbeError, Tablebase};
use tempfile::TempDir;

const HASH: u64 = 8 << 20;
const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tables");

fn limits(depth: u8, nodes: u64) -> Limits {
    Limits::depth(depth).and_nodes(nodes)
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

/// Searches random positions of up to `stones` stones, with the tables of fewer stones or with none, and
/// compares with all tables.
fn compare(known: &Knowledge, stones: usize, games: u64, threads: usize, with_tables: bool) -> Claims {
    let (tables, few) = (&known.all, &known.fewer);
    let rules = tables.rules();
    // One for all, so that what it remembers of one position must be true in another game too.
    let mut searcher = Searcher::new(rules, HASH).unwrap().with_threads(threads);
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
        let tables_below = with_tables.then_some(few);
        let request = Request::within(limits(40, 20_000)).with_tables(tables_below).with_history(&history);
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
    let request = Request::within(limits(10, 10_000));
    let found = Searcher::new(&YOUZAI, HASH).unwrap().search(&position, &request, |_| {}).unwrap();
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
    let mut searcher = Searcher::new(&CLASSIC, HASH).unwrap();
    let mut random = Random::new(3);
    for material in materials(4) {
        for _ in 0..50 {
            let position = random_position(tables.index(), material, &mut random);
            let request = Request::default().with_tables(Some(&tables));
            let found = searcher.search(&position, &request, |_| {}).unwrap();
            let best = tables.ranked_moves(&position).unwrap().first().map(|ranked| ranked.mv);
            assert_eq!((found.best(), found.nodes), (best, 0));
            let verdict = tables.probe(&position).unwrap();
            assert_eq!(found.score, Score::Proven(verdict.into()), "{position}");
        }
    }
}

/// The same tables once with and once without distances.
struct Values {
    _dirs: [TempDir; 2],
    all: Tablebase,
    values: Tablebase,
}

impl Values {
    fn new(rules: &'static Rules, stones: usize) -> Values {
        let dirs = [temp_dir(), temp_dir()];
        run(&job(rules, dirs[0].path(), stones)).unwrap();
        let only_values = Job { metrics: Metrics::from_iter([]), ..job(rules, dirs[1].path(), stones) };
        run(&only_values).unwrap();
        let [all, values] = [0, 1].map(|index| Tablebase::open(dirs[index].path(), rules).unwrap());
        Values { _dirs: dirs, all, values }
    }

    /// Random positions with so many stones that are won for the side to move, without a capture.
    fn wins(&self, stones: usize, count: usize) -> Vec<Position> {
        let (mut random, materials) = (Random::new(23), materials(stones));
        let random_position = |_| random_position(self.all.index(), *random.choose(&materials), &mut random);
        let is_quiet_win = |position: &Position| {
            let verdict = self.all.probe(position).unwrap();
            verdict.value == Value::Win && verdict.dtc > Some(4)
        };
        (0..).map(random_position).filter(is_quiet_win).take(count).collect()
    }

    /// Plays `start` out against an opponent who knows all distances and delays. The winner knows values
    /// alone. The plies that it takes, or `None` if it takes too many or the win is lost.
    fn play_out(&self, searcher: &mut Searcher, start: Position, limits: Limits) -> Option<usize> {
        const MOST_PLIES: usize = 400;
        let rules = self.all.rules();
        let (mut position, mut history) = (start, Vec::new());
        while has_legal_move(rules, &position) {
            if history.len() > MOST_PLIES || position.is_drawn_by_counter(rules) {
                return None;
            }
            let mv = if history.len() % 2 == 0 {
                let request = Request::within(limits).with_tables(Some(&self.values)).with_history(&history);
                let found = searcher.search(&position, &request, |_| {}).unwrap();
                let verdict = self.all.probe(&position).unwrap();
                if let Some(proven) = found.score.proven() {
                    assert_eq!(proven.value(), verdict.value, "{position}");
                }
                if position.plies() == 0 {
                    assert!(found.score.proven().is_some(), "{position}: {:?}", found.score);
                }
                check_line(rules, &position, &found);
                found.best().unwrap()
            } else {
                self.all.ranked_moves(&position).unwrap()[0].mv
            };
            history.push(position);
            position = position.play(rules, &mv);
            let occurred = history.iter().filter(|before| **before == position).count();
            assert!(occurred < 2, "{start}: {position} occurs for the third time");
        }
        (history.len() % 2 == 1).then_some(history.len())
    }
}

#[test]
fn wins_are_converted_without_distances() {
    for (rules, stones) in [(&CLASSIC, 5), (&BRAINKING, 4), (&YOUZAI, 5), (&QIRKAT, 4)] {
        let tables = Values::new(rules, stones);
        for start in tables.wins(stones, 20) {
            let mut searcher = Searcher::new(rules, HASH).unwrap();
            let plies = tables.play_out(&mut searcher, start, Limits::depth(8));
            assert!(plies.is_some(), "{}: {start}", rules.name());
        }
    }
}

#[test]
fn wins_are_converted_when_the_graph_is_too_large() {
    for rules in [&CLASSIC, &BRAINKING, &YOUZAI, &QIRKAT] {
        let tables = Values::new(rules, 4);
        let mut converted = 0;
        for start in tables.wins(4, 20) {
            // So little memory holds no graph; the search has to find the way.
            let mut searcher = Searcher::new(rules, 0).unwrap();
            converted += usize::from(tables.play_out(&mut searcher, start, Limits::depth(8)).is_some());
        }
        println!("{}: {converted} of 20 converted by search alone", rules.name());
        // Without cycles every move that keeps the win makes progress.
        let expected = if rules.no_return() { 20 } else { 18 };
        assert!(converted >= expected, "{}: {converted}", rules.name());
    }
}

#[test]
fn only_the_moves_asked_for_are_chosen() {
    let tables = Tablebase::open(TABLES, &CLASSIC).unwrap();
    for (text, tables) in [("start", None), ("5/b4/3w1/3w1/5 w", Some(&tables)), ("5/b4/3w1/3w1/5 w", None)] {
        let position = Position::parse(&CLASSIC, text).unwrap();
        for mv in legal_moves(&CLASSIC, &position) {
            let only = [mv];
            let request = Request::within(Limits::depth(4)).with_tables(tables).with_only(&only);
            let found = Searcher::new(&CLASSIC, HASH).unwrap().search(&position, &request, |_| {}).unwrap();
            assert_eq!(found.best(), Some(mv), "{text}");
        }
    }
}

#[test]
fn a_repetition_is_a_draw_but_no_proof() {
    // Of three stones against one Black cannot make more than a draw once White is where it was before.
    let search = |history: &[Position], position: &Position| {
        let request = Request::within(limits(1, u64::MAX)).with_history(history);
        Searcher::new(&CLASSIC, HASH).unwrap().search(position, &request, |_| {}).unwrap()
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
    let mut searcher = Searcher::new(&CLASSIC, HASH).unwrap();
    let mut search = |limits, stop: Option<&AtomicBool>| {
        let mut iterations = Vec::new();
        let request = Request::within(limits);
        let request = stop.map_or(request, |stop| request.with_stop(stop));
        let found = searcher.search(&start, &request, |found| iterations.push(found.clone())).unwrap();
        assert!(found.best().is_some());
        assert_eq!(iterations.last().map(|last| (last.depth, last.score)), Some((found.depth, found.score)));
        found
    };
    assert_eq!(search(Limits::depth(6), None).depth, 6);
    assert_eq!(search(Limits::depth(0), None).depth, 1);
    for nodes in [0, 1, 5_000, 50_000] {
        let found = search(Limits::nodes(nodes), None);
        assert!(found.nodes <= nodes + 256, "{nodes}: {}", found.nodes);
    }
    let begun = Instant::now();
    search(Limits::time(Duration::from_millis(100)), None);
    assert!(begun.elapsed() < Duration::from_secs(5));
    // What is told to end at once still has a move to play.
    assert!(search(Limits::NONE, Some(&AtomicBool::new(true))).depth <= 1);
    assert!(search(Limits::time(Duration::ZERO), None).depth <= 1);
}

/// More than the few milliseconds by which a search may overrun, for builds that are slow and machines that
/// are busy; far less than the half second that it once took.
const SLACK: Duration = Duration::from_millis(60);

/// The shortest of ten times that `work` takes: others use the processor, too.
fn shortest(mut work: impl FnMut()) -> Duration {
    let times = (0..10).map(|_| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    });
    times.min().unwrap_or_default()
}

#[test]
fn crowded_positions_do_not_delay_the_end() {
    // White has thousands of ways to capture.
    let crowded = Position::parse(&CLASSIC, "b1bwb/bbwwb/wwbbw/wbw1b/ww1bw w").unwrap();
    let mut searcher = Searcher::new(&CLASSIC, HASH).unwrap();
    for millis in [0, 5, 20] {
        let limits = Limits::time(Duration::from_millis(millis));
        let time = shortest(|| {
            let found = searcher.search(&crowded, &Request::within(limits), |_| {}).unwrap();
            assert!(found.best().is_some());
        });
        assert!(time < Duration::from_millis(millis) + SLACK, "{millis} ms: {time:?}");
    }
    let stop = AtomicBool::new(true);
    let time = shortest(|| {
        let request = Request::default().with_stop(&stop);
        assert!(searcher.search(&crowded, &request, |_| {}).unwrap().best().is_some());
    });
    assert!(time < SLACK, "{time:?}");
}

#[test]
fn probes_can_be_stopped() {
    let position = Position::parse(&CLASSIC, "5/5/1bb2/2w2/5 w").unwrap();
    let count = |most: usize| {
        // Tables remember what they have looked at.
        let tables = Tablebase::open(TABLES, &CLASSIC).unwrap();
        let mut asked = 0;
        let answer = tables.probe_while(&position, || {
            asked += 1;
            asked <= most
        });
        (asked, answer)
    };
    let (needed, answer) = count(usize::MAX);
    assert!(needed > 1);
    let tables = Tablebase::open(TABLES, &CLASSIC).unwrap();
    assert_eq!(answer.unwrap(), tables.probe(&position).unwrap());
    assert!(count(needed).1.is_ok());
    for most in 0..needed {
        assert!(matches!(count(most), (asked, Err(ProbeError::Stopped)) if asked == most + 1));
    }
    assert!(matches!(tables.ranked_moves_while(&position, || false), Err(ProbeError::Stopped)));
    assert!(matches!(tables.probe_value_while(&position, || false), Err(ProbeError::Stopped)));
}

#[test]
fn too_much_memory_is_refused_and_less_is_taken() {
    let error = Searcher::new(&CLASSIC, 1 << 60).unwrap_err().to_string();
    assert!(error.contains("memory") && !error.contains("--"), "{error}");
    let mut searcher = Searcher::with_at_most(&CLASSIC, u64::MAX);
    let found = searcher.search(&Position::start(&CLASSIC), &Request::within(Limits::depth(3)), |_| {});
    assert!(found.unwrap().best().is_some());
}

#[test]
fn finished_games_have_no_move() {
    for (rules, text, score) in [
        (&CLASSIC, "5/5/5/5/b4 w", Score::Proven(Proven::Loss { within: Some(0) })),
        (&BRAINKING, "5/5/5/2w2/2b2 b", Score::Proven(Proven::Loss { within: Some(0) })),
        (&YOUZAI, "5/1b3/5/5/2w2 w - 50", Score::Proven(Proven::Draw)),
    ] {
        let position = Position::parse(rules, text).unwrap();
        let found = Searcher::new(rules, 0).unwrap().search(&position, &Request::default(), |_| {}).unwrap();
        assert_eq!((found.score, found.best()), (score, None), "{text}");
    }
    // A position of other rules is refused.
    let counted = Position::parse(&YOUZAI, "5/1b3/5/5/2w2 w - 7").unwrap();
    assert!(Searcher::new(&CLASSIC, 0).unwrap().search(&counted, &Request::default(), |_| {}).is_err());
}

/// Not a check but a figure: how fast the search is. Run it with `--release`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    for rules in Rules::ALL {
        let request = Request::within(Limits::time(Duration::from_secs(5)));
        let start = Position::start(rules);
        let found = Searcher::new(rules, 64 << 20).unwrap().search(&start, &request, |_| {}).unwrap();
        println!("{}: depth {}, {} nodes/s", rules.name(), found.depth, found.nodes_per_second());
    }
}
