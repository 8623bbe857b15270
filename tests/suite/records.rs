//! Game records: reading, writing, and what is wrong with those that are wrong.

use std::io::{BufRead, BufReader, Read};

use alquerque::game::GameResult;
use alquerque::moves::playable_moves;
use alquerque::position::Position;
use alquerque::record::{Ply, ReadGame, Record, Records, Variation};
use alquerque::rules::{CLASSIC, QIRKAT, Rules, Side, YOUZAI};
use proptest::prelude::*;

use crate::reference;

fn read(text: &str) -> Vec<ReadGame> {
    Records::new(text.as_bytes()).map(Result::unwrap).collect()
}

/// The sentence about the only game of `text`.
fn fault(text: &str) -> String {
    let games = read(text);
    assert_eq!(games.len(), 1, "{text}");
    games[0].fault.as_ref().unwrap_or_else(|| panic!("no fault: {text}")).to_string()
}

fn moves(game: &ReadGame) -> Vec<String> {
    game.record.plies.iter().map(|ply| ply.mv.to_string()).collect()
}

#[test]
fn bare_move_lists_of_whole_games_are_read() {
    let games = reference::games();
    assert_eq!(games.len(), 20);
    for style in ["x", "-", ":", ""] {
        let text: String = games
            .iter()
            .map(|game| {
                let moves: Vec<String> =
                    game.plies.iter().map(|ply| ply.mv.replace(['x', '-'], style)).collect();
                format!("{} {}\n", moves.join(" "), game.result)
            })
            .collect();
        let read = read(&text);
        assert_eq!(read.len(), 20, "{style}");
        for (found, known) in read.iter().zip(&games) {
            assert_eq!(found.fault, None);
            let expected: Vec<&str> = known.plies.iter().map(|ply| ply.mv).collect();
            assert_eq!(moves(found), expected);
        }
    }
}

#[test]
fn chains_abbreviated_to_their_ends_are_read() {
    let mut abbreviated = 0;
    for game in reference::games() {
        let mut position = Position::start(&CLASSIC);
        for ply in &game.plies {
            let path: Vec<&str> = ply.mv.split(['x', '-']).collect();
            let short = format!("{}x{}", path[0], path[path.len() - 1]);
            match alquerque::record::find_move(&CLASSIC, &position, &short) {
                Ok(mv) => {
                    abbreviated += usize::from(path.len() > 2);
                    let full = alquerque::record::find_move(&CLASSIC, &position, ply.mv).unwrap();
                    let (one, other) = (position.play(&CLASSIC, &mv), position.play(&CLASSIC, &full));
                    assert_eq!(one, other, "{short} for {}", ply.mv);
                }
                Err(error) => {
                    let fitting = playable_moves(&CLASSIC, &position);
                    let same_ends = |mv: &&alquerque::moves::Move| {
                        mv.from().to_string() == path[0] && mv.to().to_string() == path[path.len() - 1]
                    };
                    assert!(fitting.iter().filter(same_ends).count() > 1, "{short}: {error}");
                }
            }
            let mv = alquerque::record::find_move(&CLASSIC, &position, ply.mv).unwrap();
            position = position.play(&CLASSIC, &mv);
        }
    }
    assert!(abbreviated > 20, "{abbreviated}");
}

#[test]
fn a_record_with_everything_is_read() {
    let text = "\u{feff}; a file\n\n[Event \"A \\\"quoted\\\" one\"]\r\n[White \"Ann\"]\n[Black \"Bob\"]\n[Rules \"classic\"]\n\
        [Result \"1-0\"]\n\n% skipped\n{before} 1. d2-c3?! $14 {a\n comment} (1. c2-c3 {better} c4xc2 (1... c4c2! 2. c1c3)\n\
        2. c1xc3) 1... b4xd2 {two} {comments} 2.e1xc3 ; to the end of the line\n\n1-0 {resigns}\n\
        [Event \"B\"]\n[Result \"*\"]\n\n1. c2-c3 c4-c2 *\n1. d2-c3 1/2-1/2 1. d3-c3 b3xd3\n";
    let games = read(text);
    assert_eq!(games.iter().map(|game| game.line).collect::<Vec<_>>(), [3, 15, 19, 19]);
    assert!(games.iter().all(|game| game.fault.is_none()), "{games:?}");
    let first = &games[0].record;
    assert_eq!(first.tag("Event"), Some("A \"quoted\" one"));
    assert_eq!((first.tag("White"), first.tag("Result")), (Some("Ann"), None));
    assert_eq!(first.result, Some(GameResult::Won(Side::White)));
    assert_eq!(first.comments, ["before"]);
    let ply = &first.plies[0];
    assert_eq!((ply.nags.as_slice(), ply.comments.as_slice()), (&[6, 14][..], &["a comment".to_owned()][..]));
    let variation = &ply.variations[0];
    assert_eq!(variation.plies.len(), 3);
    assert_eq!(variation.plies[0].comments, ["better"]);
    assert_eq!(variation.plies[1].variations[0].plies.len(), 2);
    assert_eq!(variation.plies[1].variations[0].plies[0].nags, [1]);
    assert_eq!(first.plies[1].comments, ["two", "comments"]);
    assert_eq!(first.plies[2].comments, ["to the end of the line", "resigns"]);
    assert_eq!(moves(&games[1]), ["c2-c3", "c4xc2"]);
    assert_eq!(games[2].record.result, Some(GameResult::Drawn));
    assert_eq!(moves(&games[3]), ["d3-c3", "b3xd3"]);
}

#[test]
fn rules_and_first_positions_are_tags() {
    let games = read(
        "[Rules \"youzai\"]\n\n1. d4-c3 *\n[Rules \"qirkat\"]\n[FEN \"5/5/3b1/5/3w1 b d1-e1\"]\n\n1... d3-d2 *\n",
    );
    assert!(games.iter().all(|game| game.fault.is_none()), "{games:?}");
    assert!(games[0].record.rules == &YOUZAI && games[1].record.rules == &QIRKAT);
    assert_eq!(games[1].record.start.to_string(), "5/5/3b1/5/3w1 b d1-e1 0");
    // Black begins under these rules, so that his move has no dots.
    assert!(games[0].record.to_string().ends_with("\n1. d4-c3 *\n"));
    assert!(games[1].record.to_string().ends_with("\n1... d3-d2 *\n"));
    let other = Records::new("[Rules \"youzai\"]\n\n1. d4-c3 *\n".as_bytes()).with_rules(&CLASSIC);
    let faults: Vec<String> = other.map(|game| game.unwrap().fault.unwrap().to_string()).collect();
    assert_eq!(faults, ["game 1, line 1: the game has the rules 'youzai', not 'classic'"]);
}

#[test]
fn faults_name_game_line_and_ply() {
    for (text, expected) in [
        ("1. d2-c3 b4xd2\n2. a1-a2 *", "game 1, line 2, ply 3 (a1-a2): the move is not legal here"),
        ("1. d2-c3 castle *", "game 1, line 1, ply 2 (castle): 'castle' is not a move, comment"),
        ("1. d2-c3 {never closed\n 1-0", "line 1: a comment is not closed"),
        ("[Event \"a\"\n\n1. d2-c3 *", "line 1: a tag must have the form"),
        ("1. d2-c3 (1. c2-c3 *", "a variation is not closed"),
        ("1. d2-c3 ) *", "a ) closes no variation"),
        ("(1. d2-c3) *", "a variation must follow a move"),
        ("1. d2-c3 () b4xd2 *", "a variation has no move"),
        ("$4 1. d2-c3 *", "an annotation must follow a move"),
        ("1. d2-c3 $400 *", "number from 0 to 255"),
        ("[Rules \"chess\"]\n\n1. e4 *", "unknown rules 'chess'"),
        ("[FEN \"5/5 w\"]\n\n1. e4 *", "line 1: the FEN tag is not a position: the board has 2 ranks"),
        ("[Result \"2:0\"]\n\n1. d2-c3 *", "the Result tag '2:0' is unknown"),
        ("[Result \"1-0\"]\n\n1. d2-c3 0-1", "the Result tag says 1-0, but the moves end with 0-1"),
        ("[Result \"1-0\"]\n\n1. d2-c3\n", "line 3: the moves end without a result; the file may be cut off"),
        (
            "[Result \"0-1\"]\n[FEN \"5/5/5/1b3/w4 w\"]\n\n1. a1xc3 0-1",
            "ply 1 (a1xc3): the result is 0-1, but by the rules the game ended 1-0",
        ),
        (
            "[FEN \"5/5/5/1b3/w4 w\"]\n\n1. a1xc3 b5-b4 1-0",
            "ply 2 (b5-b4): the game was over before this move: the side to move has no stone",
        ),
        (
            "[Rules \"youzai\"]\n[FEN \"4b/5/5/5/w4 w - 49\"]\n\na1-b1 e5-d5 *",
            "ply 2 (e5-d5): the game was over before this move: the ply counter",
        ),
    ] {
        let fault = fault(text);
        assert!(fault.contains(expected), "{text:?}\n  says {fault}\n  not {expected}");
        assert!(fault.starts_with("game 1, line "), "{fault}");
    }
    let again = "a1-a2 e5-e4 a2-a1 e4-e5 ".repeat(2);
    let text = format!("[FEN \"4b/5/5/5/w4 w\"]\n\n{again} a1-b1 *");
    let game = &read(&text)[0];
    let fault = game.fault.as_ref().unwrap().to_string();
    assert!(
        fault.contains("ply 9 (a1-b1): the game was over before this move: the position occurred for"),
        "{fault}"
    );
    // What was played all the same is kept.
    assert_eq!(game.record.plies.len(), 9);
}

#[test]
fn a_fault_leaves_the_rest_of_the_game_and_of_the_file() {
    let good = "[Event \"good\"]\n\n1. d2-c3 b4xd2 *\n\n";
    for bad in [
        "[Event \"bad\"]\n\n1. d2-c3 {never closed b4xd2\n\n",
        "[Event \"bad\"]\n\n1. d2-c3 (1. c2-c3 (1. d3-c3\n\n",
        "[Event \"bad\"]\n\n1. d2-c3 nonsense b4xd2 1-0\n\n",
        "[Event \"bad\n\n1. d2-c3\n\n",
        "[Event \"bad\"]\n[Rules \"chess\"]\n\n1. e4 e5 1-0\n",
    ] {
        let games = read(&format!("{good}{bad}{good}"));
        let wrong: Vec<bool> = games.iter().map(|game| game.fault.is_some()).collect();
        assert_eq!(wrong, [false, true, false], "{bad}");
        assert_eq!(games[2].record, games[0].record);
    }
    // A variation with a fault is cut off, the game goes on.
    let games = read("1. d2-c3 (1. c2-c3 c4xc2 2. a1-a2 (2. c1xc3) c5-c4) 1... b4xd2 *");
    assert!(games[0].fault.as_ref().unwrap().to_string().contains("ply 3 (a1-a2)"));
    assert_eq!(moves(&games[0]), ["d2-c3", "b4xd2"]);
    assert_eq!(games[0].record.plies[0].variations[0].plies.len(), 2);
    let deep = format!("1. d2-c3 {}{} *", "(1. c2-c3 ".repeat(50_000), ")".repeat(50_000));
    assert!(fault(&deep).contains("more than 64 variations are nested"));
}

/// A reader that has `left` more bytes of one kind.
struct Flood {
    left: usize,
}

impl Read for Flood {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(self.left);
        buffer[..count].fill(b'(');
        self.left -= count;
        Ok(count)
    }
}

#[test]
fn endless_lines_are_passed_over() {
    let flood = || BufReader::new(Flood { left: 100 << 20 });
    let good: &[u8] = b"[Event \"good\"]\n\n1. d2-c3 b4xd2 *\n";
    let bad: &[u8] = b"\n[Event \"bad\"]\n\n1. d2-c3 ";
    let input = good.chain(bad).chain(flood()).chain(&b"\nb4xd2 *\n"[..]).chain(good);
    let games: Vec<ReadGame> = Records::new(input).map(Result::unwrap).collect();
    assert_eq!(games.len(), 3);
    let fault = games[1].fault.as_ref().unwrap().to_string();
    assert_eq!(fault, "game 2, line 7: the line is longer than 1 MiB");
    assert!(games[2].fault.is_none() && games[2].line == 9);
    // A game that never ends, in short lines.
    let long = b"{x}\n".repeat(3 << 20);
    let input = good.chain(bad).chain(&long[..]).chain(&b"*\n"[..]).chain(good);
    let games: Vec<ReadGame> = Records::new(input).map(Result::unwrap).collect();
    assert_eq!(games.len(), 3);
    assert!(games[1].fault.as_ref().unwrap().to_string().contains("the game is longer than 4 MiB"));
}

#[test]
fn many_games_stream() {
    let one = "[Event \"one\"]\n[Result \"*\"]\n\n1. d2-c3 {mistake} b4xd2 2. e1xc3 d4xd2xb4 *\n\n";
    const GAMES: usize = 20_000;
    let text = one.repeat(GAMES);
    let games = Records::new(text.as_bytes()).map(Result::unwrap);
    let mut count = 0;
    for game in games {
        count += 1;
        assert!(game.fault.is_none());
        assert_eq!((game.number, game.line), (count, 5 * (count - 1) + 1));
    }
    assert_eq!(count, GAMES as u64);
}

/// A reader that fails after its text.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(std::io::Error::other("gone")),
            count => Ok(count),
        }
    }
}

#[test]
fn a_stream_that_fails_is_told() {
    let mut games = Records::new(BufReader::new(Failing(b"1. d2-c3 *\n1. d2-c3")));
    assert!(games.next().unwrap().is_ok());
    assert_eq!(games.next().unwrap().unwrap_err().to_string(), "gone");
    assert!(games.next().is_none());
    assert!(BufReader::new(Failing(b"")).fill_buf().is_err());
}

/// A record from choices: moves, comments, glyphs and variations all over.
struct Chooser<'a> {
    choices: &'a [u16],
    at: usize,
}

impl Chooser<'_> {
    fn choose(&mut self, below: usize) -> usize {
        let choice = self.choices.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(choice) % below.max(1)
    }

    fn comments(&mut self) -> Vec<String> {
        const TEXTS: [&str; 8] = [
            "good",
            "1. d2-c3 looks like moves 1-0",
            "[Event \"not a tag\"]",
            "% not an escape ; nor this",
            "($3 (open",
            "ünï 白",
            "a very long comment that goes on and on, over the end of the line, and says [White \"x\"] in the middle of it all",
            "\"quotes\" and \\ backslashes",
        ];
        let count = self.choose(8).saturating_sub(5);
        (0..count).map(|_| TEXTS[self.choose(TEXTS.len())].to_owned()).collect()
    }

    fn line(&mut self, rules: &Rules, mut position: Position, length: usize, depth: usize) -> Vec<Ply> {
        let mut plies = Vec::new();
        for _ in 0..length {
            let moves = playable_moves(rules, &position);
            if moves.is_empty() {
                break;
            }
            let mut ply = Ply::new(moves[self.choose(moves.len())]);
            for _ in 0..self.choose(6).saturating_sub(3) {
                let nag = self.choose(256) as u8;
                if !ply.nags.contains(&nag) {
                    ply.nags.push(nag);
                }
            }
            ply.comments = self.comments();
            if depth < 3 && self.choose(6) == 5 {
                for _ in 0..=self.choose(2) {
                    let length = 1 + self.choose(4);
                    let plies = self.line(rules, position, length, depth + 1);
                    ply.variations.push(Variation { comments: self.comments(), plies });
                }
            }
            position = position.play(rules, &ply.mv);
            plies.push(ply);
        }
        plies
    }
}

proptest! {
    #[test]
    fn what_is_written_can_be_read(
        which in 0..4_usize,
        choices in prop::collection::vec(any::<u16>(), 0..400),
        values in prop::collection::vec("[ -~äé]{0,30}", 0..4),
        skipped in 0..12_usize,
    ) {
        let rules = Rules::ALL[which];
        let mut chooser = Chooser { choices: &choices, at: 0 };
        let mut record = Record::new(rules);
        for (number, value) in values.iter().enumerate() {
            record.set_tag(["Event", "White", "Black", "My_Tag2"][number], value);
        }
        let opening = chooser.line(rules, record.start, skipped, 3);
        for ply in opening {
            record.start = record.start.play(rules, &ply.mv);
        }
        record.comments = chooser.comments();
        record.plies = chooser.line(rules, record.start, 60, 0);
        let (game, end) = record.game();
        if let Some((plies, _)) = end {
            record.plies.truncate(plies);
        }
        record.result = game.result();
        let text = record.to_string();
        prop_assert!(text.lines().all(|line| line.chars().count() <= 80 || !line.contains(' ') || line.starts_with('[')));
        let twice = format!("{text}\n{text}");
        let games = read(&twice);
        prop_assert_eq!(games.len(), 2);
        for game in games {
            prop_assert_eq!(game.fault, None);
            prop_assert_eq!(&game.record, &record);
        }
    }

    #[test]
    fn garbage_is_never_a_panic(text in "[ -~\n\r\t]{0,300}", cut in 0..200_usize) {
        for game in read(&text) {
            let _ = (game.record.to_string(), game.fault.map(|fault| fault.to_string()));
        }
        let whole = "[Event \"x\"]\n[Result \"1-0\"]\n\n1. d2-c3 $2 {why} (1. c2-c3 c4xc2) 1... b4xd2 1-0\n";
        let cut = &whole[..cut.min(whole.len())];
        for game in read(cut) {
            prop_assert!(game.record.plies.len() <= 2);
        }
    }
}
