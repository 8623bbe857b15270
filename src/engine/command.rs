//! Parsing commands.

use std::time::Duration;

use crate::position::{parse_count, shown};

/// A line of input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command<'a> {
    Ugi,
    IsReady,
    NewGame,
    SetOption { name: String, value: String },
    Position { fen: Option<String>, moves: Vec<&'a str> },
    Query(Query),
    Go(Go<'a>),
    Stop,
    Quit,
    Nothing,
}

/// A question about the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Query {
    GameOver,
    FirstPlayersTurn,
    Result,
}

/// How long to think, and about which moves. Times and increments are those of the first and of the second
/// player, or of White and of Black.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Go<'a> {
    pub player_times: [Option<Duration>; 2],
    pub player_increments: [Option<Duration>; 2],
    pub side_times: [Option<Duration>; 2],
    pub side_increments: [Option<Duration>; 2],
    pub move_time: Option<Duration>,
    pub depth: Option<u8>,
    pub nodes: Option<u64>,
    pub infinite: bool,
    /// The moves to choose from; all legal moves if it is empty.
    pub search_moves: Vec<&'a str>,
    /// Words that mean nothing here.
    pub unknown: Vec<&'a str>,
}

/// Why a line is not a command.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum CommandError {
    #[error("unknown command '{0}'")]
    Unknown(String),
    #[error("write setoption name NAME value VALUE")]
    Option,
    #[error("write position startpos, or position fen FEN, optionally followed by moves MOVE...")]
    Position,
    #[error("unknown query '{0}'; write gameover, p1turn or result")]
    Query(String),
    #[error("write a whole number after '{0}'")]
    Number(&'static str),
    #[error("depth is a number of plies from 1 on; write go infinite for no limit")]
    Depth,
    #[error("write moves after searchmoves, as in go searchmoves d2-c3 b2-c3")]
    SearchMoves,
}

impl<'a> Command<'a> {
    /// The command on `line`.
    pub fn parse(line: &'a str) -> Result<Command<'a>, CommandError> {
        let mut words = line.split_whitespace();
        Ok(match words.next() {
            None => Command::Nothing,
            Some("ugi") => Command::Ugi,
            Some("isready") => Command::IsReady,
            Some("uginewgame") => Command::NewGame,
            Some("setoption") => set_option(line)?,
            Some("position") => position(&words.collect::<Vec<_>>())?,
            Some("query") => Command::Query(query(words.next().unwrap_or_default())?),
            Some("go") => Command::Go(go(words)?),
            Some("stop") => Command::Stop,
            Some("quit") => Command::Quit,
            Some(other) => return Err(CommandError::Unknown(shown(other))),
        })
    }
}

/// The value may contain spaces, as paths do.
fn set_option<'a>(line: &'a str) -> Result<Command<'a>, CommandError> {
    let parse = || {
        let rest = line.trim().strip_prefix("setoption")?.trim_start();
        let (name, value) = rest.strip_prefix("name ")?.split_once(" value ")?;
        let [name, value] = [name, value].map(|text| text.trim().to_owned());
        (!name.is_empty() && !value.is_empty()).then_some(Command::SetOption { name, value })
    };
    parse().ok_or(CommandError::Option)
}

fn position<'a>(words: &[&'a str]) -> Result<Command<'a>, CommandError> {
    let end = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let (start, rest) = words.split_at(end);
    let fen = match start {
        ["startpos"] => None,
        ["fen", fen @ ..] if !fen.is_empty() => Some(fen.join(" ")),
        _ => return Err(CommandError::Position),
    };
    Ok(Command::Position { fen, moves: rest.iter().skip(1).copied().collect() })
}

fn query(word: &str) -> Result<Query, CommandError> {
    match word {
        "gameover" => Ok(Query::GameOver),
        "p1turn" => Ok(Query::FirstPlayersTurn),
        "result" => Ok(Query::Result),
        other => Err(CommandError::Query(shown(other))),
    }
}

fn go<'a>(words: impl Iterator<Item = &'a str>) -> Result<Go<'a>, CommandError> {
    let mut go = Go::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let mut number = |name| words.next().and_then(parse_number).ok_or(CommandError::Number(name));
        let mut time = |name| number(name).map(|number| Some(Duration::from_millis(number)));
        match word {
            "p1time" => go.player_times[0] = time("p1time")?,
            "p2time" => go.player_times[1] = time("p2time")?,
            "p1inc" => go.player_increments[0] = time("p1inc")?,
            "p2inc" => go.player_increments[1] = time("p2inc")?,
            "wtime" => go.side_times[0] = time("wtime")?,
            "btime" => go.side_times[1] = time("btime")?,
            "winc" => go.side_increments[0] = time("winc")?,
            "binc" => go.side_increments[1] = time("binc")?,
            "movetime" => go.move_time = time("movetime")?,
            "depth" => match number("depth")? {
                0 => return Err(CommandError::Depth),
                depth => go.depth = Some(u8::try_from(depth).unwrap_or(u8::MAX)),
            },
            "nodes" => go.nodes = Some(number("nodes")?),
            "infinite" => go.infinite = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| is_like_a_move(word)) {
                    go.search_moves.push(mv);
                }
                if go.search_moves.is_empty() {
                    return Err(CommandError::SearchMoves);
                }
            }
            word => go.unknown.push(word),
        }
    }
    Ok(go)
}

/// A whole number. A clock may have run below zero; that counts as 0.
fn parse_number(text: &str) -> Option<u64> {
    match text.strip_prefix('-') {
        Some(text) => parse_count(text).map(|_| 0),
        None => parse_count(text),
    }
}

/// Whether a word is written like a move, legal or not, and not like another word of `go`.
fn is_like_a_move(word: &str) -> bool {
    matches!(word.as_bytes(), [b'a'..=b'z', b'0'..=b'9', b'-' | b'x', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        let position = |fen: Option<&str>, moves: &[&'static str]| {
            Ok(Command::Position { fen: fen.map(str::to_owned), moves: moves.to_vec() })
        };
        assert_eq!(Command::parse("  isready \r"), Ok(Command::IsReady));
        assert_eq!(Command::parse(" "), Ok(Command::Nothing));
        assert_eq!(Command::parse("position startpos"), position(None, &[]));
        assert_eq!(
            Command::parse("position startpos moves d2-c3 b3xd1"),
            position(None, &["d2-c3", "b3xd1"])
        );
        assert_eq!(
            Command::parse("position fen 5/1b3/2w2/5/2w2 w - 0"),
            position(Some("5/1b3/2w2/5/2w2 w - 0"), &[])
        );
        assert_eq!(Command::parse("position fen start moves a1-a2"), position(Some("start"), &["a1-a2"]));
        let option = Command::SetOption { name: "TablePath".to_owned(), value: "/my tables/all".to_owned() };
        assert_eq!(Command::parse("setoption name TablePath value /my tables/all"), Ok(option));
        assert_eq!(Command::parse("query result"), Ok(Command::Query(Query::Result)));
    }

    #[test]
    fn limits_are_read() {
        let millis = |number| Some(Duration::from_millis(number));
        let go = Go {
            player_times: [millis(1000), millis(0)],
            player_increments: [millis(10), millis(20)],
            ..Go::default()
        };
        let line = "go p1time 1000 p2time -5 p1inc 10 p2inc 20";
        assert_eq!(Command::parse(line), Ok(Command::Go(go)));
        let go = Go { depth: Some(255), nodes: Some(7), infinite: true, ..Go::default() };
        assert_eq!(Command::parse("go depth 1000 nodes 7 infinite"), Ok(Command::Go(go)));
        let go = Go {
            depth: Some(3),
            search_moves: vec!["b2-c3", "c3xe5xe3"],
            unknown: vec!["depht", "9", "ponder"],
            ..Go::default()
        };
        let line = "go depht 9 searchmoves b2-c3 c3xe5xe3 depth 3 ponder";
        assert_eq!(Command::parse(line), Ok(Command::Go(go)));
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "fly",
            "position",
            "position fen",
            "position moves a1-a2",
            "position start pos",
            "setoption",
            "setoption name Hash",
            "setoption name  value 3",
            "query",
            "query weather",
            "go depth",
            "go depth x",
            "go movetime 1e9",
            "go movetime +5",
            "go movetime",
            "go depth 0",
            "go depth -1",
            "go searchmoves",
            "go searchmoves depth 3",
            "\u{0}",
        ] {
            assert!(Command::parse(line).is_err(), "{line}");
        }
    }
}
