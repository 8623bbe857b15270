//! Reading what the other side says.

use std::time::Duration;

/// A line of input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command<'a> {
    Ugi,
    IsReady,
    NewGame,
    SetOption { name: String, value: String },
    Position { fen: Option<String>, moves: Vec<&'a str> },
    Query(Query),
    Go(Go),
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

/// How long to think. Times and increments are those of the first and of the second player, or of White and of
/// Black.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Go {
    pub player_times: [Option<Duration>; 2],
    pub player_increments: [Option<Duration>; 2],
    pub side_times: [Option<Duration>; 2],
    pub side_increments: [Option<Duration>; 2],
    pub move_time: Option<Duration>,
    pub depth: Option<u8>,
    pub nodes: Option<u64>,
    pub infinite: bool,
}

/// Why a line is no command.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum CommandError {
    #[error("unknown command '{0}'")]
    Unknown(String),
    #[error("write: setoption name NAME value VALUE")]
    Option,
    #[error("write: position startpos, or position fen FEN, and then moves MOVE... if there are any")]
    Position,
    #[error("unknown query '{0}'; known are gameover, p1turn and result")]
    Query(String),
    #[error("'{0}' needs a whole number after it")]
    Number(String),
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
            Some(other) => return Err(CommandError::Unknown(other.chars().take(40).collect())),
        })
    }
}

/// The value may hold spaces, as paths do.
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
        other => Err(CommandError::Query(other.chars().take(40).collect())),
    }
}

/// Words that mean nothing here are passed over.
fn go<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Go, CommandError> {
    let mut go = Go::default();
    while let Some(word) = words.next() {
        // A clock may have run below zero.
        let mut number = || {
            let number = words.next().and_then(|number| number.parse::<i64>().ok());
            number
                .map(|number| number.max(0).unsigned_abs())
                .ok_or_else(|| CommandError::Number(word.to_owned()))
        };
        let mut time = || number().map(|number| Some(Duration::from_millis(number)));
        match word {
            "p1time" => go.player_times[0] = time()?,
            "p2time" => go.player_times[1] = time()?,
            "p1inc" => go.player_increments[0] = time()?,
            "p2inc" => go.player_increments[1] = time()?,
            "wtime" => go.side_times[0] = time()?,
            "btime" => go.side_times[1] = time()?,
            "winc" => go.side_increments[0] = time()?,
            "binc" => go.side_increments[1] = time()?,
            "movetime" => go.move_time = time()?,
            "depth" => go.depth = Some(number()?.clamp(1, u8::MAX.into()) as u8),
            "nodes" => go.nodes = Some(number()?),
            "infinite" => go.infinite = true,
            _ => {}
        }
    }
    Ok(go)
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
        assert_eq!(Command::parse("go depth 1000 nodes 7 ponder infinite"), Ok(Command::Go(go)));
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
            "\u{0}",
        ] {
            assert!(Command::parse(line).is_err(), "{line}");
        }
    }
}
