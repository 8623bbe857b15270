//! The engine, driven from outside as a match runner does it, and what it is told in batches.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::support::{Random, job, materials, random_position, run, temp_dir};
use alquerque::moves::{Move, has_legal_move, legal_moves};
use alquerque::position::Position;
use alquerque::rules::{CLASSIC, Rules};
use alquerque::table::Value;
use alquerque::tablebase::{LineEnd, Tablebase};

/// A program that answers lines with lines.
struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
}

impl Program {
    fn start(arguments: &[&str], dir: &Path) -> Program {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
        command.args(arguments).arg("--dir").arg(dir);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, output) = channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Program { input: child.stdin.take(), child, output }
    }

    fn engine(dir: &Path) -> Program {
        Program::start(&["engine"], dir)
    }

    fn say(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{text}").unwrap();
        input.flush().unwrap();
    }

    /// The next line; `None` when there is none any more.
    fn next(&mut self) -> Option<String> {
        match self.output.recv_timeout(Duration::from_secs(60)) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no answer"),
        }
    }

    /// The lines up to the one that begins so.
    fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.next().unwrap_or_else(|| panic!("no '{beginning}' after {lines:?}"));
            lines.push(line);
            if lines.last().unwrap().starts_with(beginning) {
                return lines;
            }
        }
    }

    fn ask(&mut self, text: &str, beginning: &str) -> String {
        self.say(text);
        self.until(beginning).pop().unwrap()
    }

    fn query(&mut self, what: &str) -> String {
        self.ask(&format!("query {what}"), "response").split_once(' ').unwrap().1.to_owned()
    }

    /// The move that is played in `position`, and the lines before it.
    fn best_move(&mut self, position: &str, go: &str) -> (String, Vec<String>) {
        self.say(&format!("position {position}"));
        self.say(go);
        let mut lines = self.until("bestmove");
        (lines.pop().unwrap().split_once(' ').unwrap().1.to_owned(), lines)
    }

    /// Ends the input, or says `quit`, and waits for the end.
    fn end(mut self, quit: bool) -> Vec<String> {
        if quit {
            self.say("quit");
        } else {
            self.input = None;
        }
        let rest: Vec<String> = std::iter::from_fn(|| self.next()).collect();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn a_session() {
    let nowhere = temp_dir();
    let mut engine = Program::engine(&nowhere.path().join("nowhere"));
    engine.say("ugi");
    let lines = engine.until("ugiok");
    assert!(lines[0].starts_with("id name alquerque"), "{lines:?}");
    assert!(lines[1].starts_with("id author"), "{lines:?}");
    for option in ["Rules type combo", "TablePath type string", "Hash type spin", "Threads type spin"] {
        assert!(
            lines.iter().any(|line| line.starts_with(&format!("option name {option} default"))),
            "{option}"
        );
    }
    engine.say("setoption name Hash value 8");
    engine.say("setoption name Threads value 2");
    engine.ask("isready", "readyok");
    engine.say("uginewgame");
    engine.say("position startpos");
    assert_eq!(engine.query("p1turn"), "true");
    let (best, lines) = engine.best_move("startpos", "go depth 6");
    assert!(Move::parse(&CLASSIC, &Position::start(&CLASSIC), &best).is_ok(), "{best}");
    assert!(
        lines.iter().any(|line| line.starts_with("info depth 6 score cp ") && line.contains(" pv ")),
        "{lines:?}"
    );
    engine.say(&format!("position startpos moves {best}"));
    assert_eq!(["p1turn", "gameover", "result"].map(|what| engine.query(what)), ["false", "false", "none"]);
    engine.ask("go p1time 1000 p2time 1000 p1inc 0 p2inc 0", "bestmove");
    engine.ask("go movetime 20", "bestmove");
    engine.ask("go nodes 1000", "bestmove");
    // In youzai Black is the first player.
    engine.say("setoption name Rules value youzai");
    engine.say("position startpos");
    assert_eq!(engine.query("p1turn"), "true");
    engine.say("position fen 5/5/2w2/2w2/2b2 b");
    assert_eq!(["p1turn", "gameover", "result"].map(|what| engine.query(what)), ["true", "true", "p2win"]);
    assert_eq!(engine.ask("go depth 3", "bestmove"), "bestmove 0000");
    engine.say("position fen 4b/5/5/5/w4 w - 50");
    assert_eq!(engine.query("result"), "draw");
    assert_eq!(engine.end(true), [""; 0]);
}

#[test]
fn it_listens_while_it_thinks() {
    let nowhere = temp_dir();
    let mut engine = Program::engine(nowhere.path());
    engine.say("position startpos");
    engine.say("go infinite");
    engine.until("info depth 5");
    engine.ask("isready", "readyok");
    assert_eq!(engine.query("gameover"), "false");
    let begun = Instant::now();
    engine.ask("stop", "bestmove");
    assert!(begun.elapsed() < Duration::from_secs(10));
    // What is proven is told after a stop only.
    engine.say("position fen 4b/5/5/5/w4 w");
    engine.say("go infinite");
    assert_eq!(engine.ask("isready", "readyok"), "readyok");
    engine.ask("stop", "bestmove");
    // Another position ends the search too, and so does the end.
    engine.say("position startpos");
    engine.say("go infinite");
    engine.say("position startpos moves d2-c3");
    engine.until("bestmove");
    engine.say("go infinite");
    assert!(engine.end(true).iter().any(|line| line.starts_with("bestmove")));
    // At the end of the input a search with a limit is finished.
    let mut engine = Program::engine(nowhere.path());
    engine.say("position startpos\ngo depth 7");
    let rest = engine.end(false);
    assert!(rest.iter().any(|line| line.starts_with("info depth 7")), "{rest:?}");
    assert!(rest.last().unwrap().starts_with("bestmove"), "{rest:?}");
}

#[test]
fn garbage_does_no_harm() {
    let nowhere = temp_dir();
    let mut engine = Program::engine(nowhere.path());
    engine.say("position fen 4b/5/5/5/w4 w moves a1-a2");
    for line in [
        "fly",
        "position",
        "position fen",
        "position fen 5/5/5/5/5 w",
        "position fen x",
        "position startpos moves a1-a2",
        "position startpos moves d2-c3 a1-e5",
        "position startpos moves \u{1f600}",
        "setoption",
        "setoption name Hash value many",
        "setoption name Hash value 99999999999",
        "setoption name Rules value chess",
        "setoption name Book value x",
        "query",
        "query weather",
        "go depth",
        "go depth deep",
        "go depth 0",
        "go movetime +5",
        "go searchmoves",
        "go searchmoves a1-e5",
        "setoption name Hash value 0",
        "\u{0}\u{1}",
        "UGI",
    ] {
        engine.say(line);
        let answer = engine.next().unwrap();
        assert!(answer.starts_with("info string error: "), "{line}: {answer}");
    }
    for line in ["", "   ", "stop", "go depth 1 surprise"] {
        engine.say(line);
    }
    // The position is still the one before.
    let best = engine.until("bestmove").pop().unwrap();
    assert!(best.starts_with("bestmove e5-"), "{best}");
    let long = "x".repeat(3 << 20);
    assert_eq!(engine.ask(&long, "info string error"), "info string error: the line is too long");
    let input = engine.input.as_mut().unwrap();
    input.write_all(b"\xff\xfe\x00garbage\n").unwrap();
    engine.until("info string error: unknown command");
    engine.ask("isready", "readyok");
    engine.end(true);
}

#[test]
fn unknown_words_are_reported_and_moves_can_be_chosen() {
    let nowhere = temp_dir();
    let mut engine = Program::engine(nowhere.path());
    engine.say("\u{feff}position startpos");
    let start = Position::start(&CLASSIC);
    for mv in legal_moves(&CLASSIC, &start) {
        let (best, lines) = engine.best_move("startpos", &format!("go searchmoves {mv} depth 3"));
        assert_eq!(best, mv.to_string());
        assert!(!lines.iter().any(|line| line.contains("error")), "{lines:?}");
    }
    let (_, lines) = engine.best_move("startpos", "go depht 3 depth 2");
    assert_eq!(lines[0], "info string error: go does not know 'depht', '3'");
    assert!(lines.iter().any(|line| line.starts_with("info depth 2 ")), "{lines:?}");
    engine.end(true);
}

#[test]
fn it_stops_at_once_in_crowded_positions() {
    let nowhere = temp_dir();
    let mut engine = Program::engine(nowhere.path());
    engine.say("position fen b1bwb/bbwwb/wwbbw/wbw1b/ww1bw w");
    // The engine takes a few milliseconds; slow builds and busy machines need more, but not the half second
    // of old.
    let slack = Duration::from_millis(60);
    // The shortest of several times: others use the processor, too.
    let mut shortest = |go: &str, pause: u64, stop: Option<&str>| {
        let times = (0..10).map(|_| {
            let begun = Instant::now();
            engine.say(go);
            if let Some(stop) = stop {
                std::thread::sleep(Duration::from_millis(pause));
                let stopped = Instant::now();
                engine.ask(stop, "bestmove");
                return stopped.elapsed();
            }
            engine.until("bestmove");
            begun.elapsed()
        });
        times.min().unwrap()
    };
    let time = shortest("go movetime 5", 0, None);
    assert!(time < slack + Duration::from_millis(5), "movetime 5: {time:?}");
    let time = shortest("go infinite", 30, Some("stop"));
    assert!(time < slack, "stop: {time:?}");
    let time = shortest("go infinite", 0, Some("stop"));
    assert!(time < slack, "stop at once: {time:?}");
    engine.end(true);
}

#[test]
fn damaged_tables_are_no_end() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 3)).unwrap();
    let file = dir.path().join("classic/2v1.wdl");
    let mut bytes = std::fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let mut engine = Program::engine(dir.path());
    let (best, lines) = engine.best_move("fen 5/5/3b1/5/1w2b b", "go depth 4");
    assert!(
        lines.iter().any(|line| line.starts_with("info string error") && line.contains("2v1.wdl")),
        "{lines:?}"
    );
    assert_ne!(best, "0000");
    engine.end(true);
}

#[test]
fn repetitions_are_seen() {
    let nowhere = temp_dir();
    let mut engine = Program::engine(nowhere.path());
    let shuffle = "a1-a2 e5-e4 a2-a1 e4-e5 ".repeat(2);
    engine.say(&format!("position fen 4b/5/5/5/w4 w moves {shuffle}"));
    assert_eq!(["gameover", "result"].map(|what| engine.query(what)), ["true", "draw"]);
    engine.end(true);
}

/// Whom the engine plays against.
#[derive(Clone, Copy)]
enum Opponent {
    /// Plays any move.
    Random,
    /// Plays on as long as it can.
    Delaying,
}

/// Plays `games` games from random wins of slices with `stones` stones; the engine must win each of them, in
/// no more plies than the tables say.
fn win_all(rules: &'static Rules, stones: usize, games: usize, dir: &Path) {
    let tables = Tablebase::open(dir, rules).unwrap();
    let mut engine = Program::start(&["engine", "--rules", rules.name()], dir);
    let (mut random, materials) = (Random::new(11), materials(stones));
    let mut game = 0;
    while game < games {
        let start = random_position(tables.index(), *random.choose(&materials), &mut random);
        let verdict = tables.probe(&start).unwrap();
        if verdict.value != Value::Win {
            continue;
        }
        let opponent = if game % 2 == 0 { Opponent::Random } else { Opponent::Delaying };
        let plies = play(&mut engine, &tables, &start, opponent, &mut random);
        assert!(plies <= verdict.dtw.unwrap().into(), "{start}: {plies} plies, {verdict:?}");
        game += 1;
    }
    engine.end(true);
}

/// More plies than any won game takes that makes progress.
const MOST_PLIES: usize = 1000;

/// Plays a game that the engine begins; the plies that it takes to win it.
fn play(
    engine: &mut Program,
    tables: &Tablebase,
    start: &Position,
    opponent: Opponent,
    random: &mut Random,
) -> usize {
    let rules = tables.rules();
    let (mut position, mut moves) = (*start, String::new());
    let mut plies = 0;
    while has_legal_move(rules, &position) {
        assert!(plies < MOST_PLIES, "{start}: no end after {moves}");
        let mv = if plies % 2 == 0 {
            let (best, _) = engine.best_move(&format!("fen {start} moves {moves}"), "go movetime 1000");
            Move::parse(rules, &position, &best).unwrap()
        } else {
            match opponent {
                Opponent::Random => *random.choose(&legal_moves(rules, &position)),
                Opponent::Delaying => tables.ranked_moves(&position).unwrap()[0].mv,
            }
        };
        moves.push_str(&format!("{mv} "));
        position = position.play(rules, &mv);
        plies += 1;
    }
    assert_eq!(plies % 2, 1, "{start}: the engine has lost after {moves}");
    plies
}

#[test]
fn wins_are_won_in_time() {
    for (rules, stones, games) in [(&CLASSIC, 5, 40), (Rules::by_name("brainking").unwrap(), 3, 20)] {
        let dir = temp_dir();
        run(&job(rules, dir.path(), stones)).unwrap();
        win_all(rules, stones, games, dir.path());
    }
}

#[test]
#[ignore = "takes a minute; run it with --release"]
fn a_thousand_wins_of_six_stones_are_won_in_time() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 6)).unwrap();
    win_all(&CLASSIC, 6, 1000, dir.path());
}

/// With WDL and DTC of the whole game of `classic` in the folder that `ALQUERQUE_TABLES` names.
#[test]
#[ignore = "needs tables of the whole game"]
fn a_thousand_wins_of_the_whole_game_are_won() {
    let dir = std::env::var("ALQUERQUE_TABLES").expect("ALQUERQUE_TABLES names the folder of the tables");
    let tables = Tablebase::open(&dir, &CLASSIC).unwrap();
    let mut engine = Program::start(&["engine", "--rules", CLASSIC.name()], Path::new(&dir));
    let mut random = Random::new(17);
    let (mut won, mut most) = (0, 0);
    let mut win = |start: &Position, random: &mut Random| {
        let line = tables.main_line(start).unwrap();
        assert_eq!(line.end, LineEnd::GameOver, "{start}");
        assert_eq!(line.moves.len() % 2, 1, "{start}: the line is lost");
        let plies = play(&mut engine, &tables, start, Opponent::Delaying, random);
        most = most.max(plies).max(line.moves.len());
        won += 1;
        (line.moves.len(), plies)
    };
    let (line, played) = win(&Position::start(&CLASSIC), &mut random);
    println!("from the start position: {line} plies by the line, {played} by the engine");
    for stones in (10..=24).cycle().take(15 * 67) {
        let materials = materials(stones);
        let start = loop {
            let position = random_position(tables.index(), *random.choose(&materials), &mut random);
            if tables.probe_value(&position).unwrap() == Value::Win {
                break position;
            }
        };
        win(&start, &mut random);
    }
    println!("{won} positions won, the longest in {most} plies");
    engine.end(true);
}

/// Not a check but a figure: the time from the start of the process to its first move. Run it with
/// `--release`.
#[test]
#[ignore = "a measurement"]
fn time_to_the_first_move() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 6)).unwrap();
    for (what, position) in [("by the tables", "fen 5/1b3/2w2/5/2w2 w"), ("by search to depth 6", "startpos")]
    {
        let begun = Instant::now();
        let mut engine = Program::engine(dir.path());
        engine.say("ugi\nisready\nuginewgame");
        engine.best_move(position, "go depth 6");
        println!("first move {what}: {:.1} ms", begun.elapsed().as_secs_f64() * 1e3);
        engine.end(true);
    }
}

/// Random positions with at most `stones` stones, and some lines that are none.
fn questions(tables: &Tablebase, stones: usize, count: usize) -> Vec<String> {
    let mut random = Random::new(13);
    let materials: Vec<_> = (2..=stones).flat_map(materials).collect();
    let question = |index: usize| match index % 97 {
        5 => "5/5/2x2/5/5 w".to_owned(),
        6 => String::new(),
        7 => "w".repeat(5000),
        _ => random_position(tables.index(), *random.choose(&materials), &mut random).to_string(),
    };
    (0..count).map(question).collect()
}

#[test]
fn batches_are_answered_like_single_questions() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 4)).unwrap();
    let tables = Tablebase::open(dir.path(), &CLASSIC).unwrap();
    let questions = questions(&tables, 4, 5000);
    for options in [&[][..], &["--json"]] {
        let arguments = [&["probe", "--rules", "classic", "--stdin"][..], options].concat();
        let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
        command.args(&arguments).arg("--dir").arg(dir.path()).write_stdin(questions.join("\n"));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let answers = String::from_utf8(output.stdout).unwrap();
        assert_eq!(answers.lines().count(), questions.len());
        // How many blocks were read depends on what was asked before.
        let by_itself = |answer: &str| {
            let end = answer.rfind(",\"blocks\":").filter(|_| answer.ends_with('}'));
            end.map_or_else(|| answer.to_owned(), |end| answer[..end].to_owned())
        };
        // One at a time each gets the same answer, at once.
        let mut single = Program::start(&arguments, dir.path());
        for (question, answer) in questions.iter().zip(answers.lines()).step_by(7) {
            single.say(question);
            let found = single.next().map(|found| by_itself(&found));
            assert_eq!(found, Some(by_itself(answer)), "{question}");
        }
    }
}

/// Not a check but a figure: a million positions through `probe --stdin`. Run it with `--release`.
#[test]
#[ignore = "a measurement"]
fn a_million_positions() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 6)).unwrap();
    let tables = Tablebase::open(dir.path(), &CLASSIC).unwrap();
    let (materials, mut random) = (materials(6), Random::new(17));
    let position = |_| random_position(tables.index(), *random.choose(&materials), &mut random).to_string();
    let questions: Vec<String> = (0..1_000_000).map(position).collect();
    let file = dir.path().join("questions");
    std::fs::write(&file, questions.join("\n")).unwrap();
    for options in [&[][..], &["--json"]] {
        let begun = Instant::now();
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
        command.args(["probe", "--rules", "classic", "--stdin"]).args(options).arg("--dir").arg(dir.path());
        let input = std::fs::File::open(&file).unwrap();
        let output = std::fs::File::create(dir.path().join("answers")).unwrap();
        assert!(command.stdin(input).stdout(output).status().unwrap().success());
        println!("a million positions {options:?}: {:.2} s", begun.elapsed().as_secs_f64());
    }
}
