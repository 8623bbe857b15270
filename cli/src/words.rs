//! Verdicts and counts in words.

use alquerque::certificate::{ClaimInfo, Goal};
use alquerque::moves::{Move, has_legal_move};
use alquerque::position::Position;
use alquerque::proof::Snapshot;
use alquerque::rules::{Rules, Side};
use alquerque::search::Score;
use alquerque::table::Value;
use alquerque::tablebase::{LineEnd, Verdict};
use indicatif::{BinaryBytes, HumanCount};

/// What the verdict on `position` means to somebody at the board.
pub fn verdict(rules: &Rules, position: &Position, verdict: &Verdict) -> String {
    if let Some(text) = finished(rules, position) {
        return text;
    }
    let winner = match verdict.value {
        Value::Win => position.side(),
        Value::Loss => position.side().other(),
        Value::Draw => return "Draw".to_owned(),
    };
    match (verdict.dtw, verdict.dtc) {
        (Some(end), Some(next)) if next < end => {
            format!("{winner} wins, {} to the end, next capture in {next}", plies(end))
        }
        // The distances agree: the game may end before anything is captured.
        (Some(end), Some(next)) => {
            format!("{winner} wins, {} to the end, next capture or the end in {next}", plies(end))
        }
        (Some(end), None) => format!("{winner} wins, {} to the end", plies(end)),
        (None, Some(next)) => format!("{winner} wins, next capture or the end in {}", plies(next)),
        (None, None) => format!("{winner} wins"),
    }
}

/// What a search found, to somebody at the board.
pub fn score(side: Side, score: Score) -> String {
    let proven = match score {
        Score::Estimate(hundredths) => {
            return format!(
                "Estimate: {:+.2} stones for {side}, nothing is proven",
                f64::from(hundredths) / 100.0
            );
        }
        Score::Proven(proven) => proven,
    };
    let winner = match proven.value() {
        Value::Win => side,
        Value::Loss => side.other(),
        Value::Draw => return "Proven: draw".to_owned(),
    };
    match proven.within() {
        Some(within) => format!("Proven: {winner} wins within {}", plies(within)),
        None => format!("Proven: {winner} wins"),
    }
}

/// The value of a position that was solved, or not, to somebody at the board.
pub fn solved(side: Side, value: Option<Value>) -> String {
    match value {
        None => "Unknown: the search ended before the proof".to_owned(),
        Some(Value::Win) => format!("Proven: {side} wins"),
        Some(Value::Loss) => format!("Proven: {} wins", side.other()),
        Some(Value::Draw) => "Proven: draw".to_owned(),
    }
}

/// A claim of a certificate about a position in which `side` is to move.
pub fn claim(side: Side, info: &ClaimInfo) -> String {
    let prover = if info.claim.by_mover { side } else { side.other() };
    let goal = match info.claim.goal {
        Goal::Win => "wins",
        Goal::Hold => "does not lose",
    };
    format!("{prover} {goal}, by {}", count(info.entries, "reply", "replies"))
}

/// How far a proof has come.
pub fn snapshot(so_far: &Snapshot) -> String {
    let seconds = so_far.time.as_secs_f64();
    let speed = (so_far.nodes as f64 / seconds.max(1e-3)) as u64;
    let number = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
    let question = if so_far.for_mover { "mover wins?" } else { "other wins?" };
    let (nodes, speed) = (HumanCount(so_far.nodes).to_string(), HumanCount(speed).to_string());
    let (proof, disproof) = (number(so_far.proof), number(so_far.disproof));
    let (memory, line) = (BinaryBytes(so_far.memory), line(&so_far.line));
    format!(
        "{seconds:>6.1} s  {nodes:>13} positions  {speed:>9}/s  {question}  proof {proof:>4}  disproof {disproof:>4}  \
         table {memory}  {line}"
    )
}

/// The value in a word.
pub fn value_or_unknown(value: Option<Value>) -> &'static str {
    value.map_or("unknown", Value::name)
}

/// Moves, separated by spaces.
pub fn line(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

/// Why the game is over in `position`, if it is.
pub fn finished(rules: &Rules, position: &Position) -> Option<String> {
    if !has_legal_move(rules, position) {
        let why = if position.own().is_empty() { "no stone left" } else { "no legal move" };
        if Value::without_moves(rules, position) == Value::Draw {
            return Some(format!("Draw: {}, to move, has no legal move", position.side()));
        }
        return Some(format!("{}, to move, has lost: {why}", position.side()));
    }
    let drawn = position.is_drawn_by_counter(rules);
    drawn.then(|| format!("Draw: {} without a capture", plies(position.plies().into())))
}

/// How a line of best play ends, with `last` the position it leads to.
pub fn line_end(rules: &Rules, last: &Position, end: &LineEnd) -> String {
    match end {
        LineEnd::GameOver => finished(rules, last).unwrap_or_else(|| "The game is over".to_owned()),
        LineEnd::Repetition => "Draw: the play repeats itself".to_owned(),
        LineEnd::NoDistances => {
            "The line stops here: without distances it would go round in a circle".to_owned()
        }
        LineEnd::NoTable => "The line stops here: no table or certificate covers this position".to_owned(),
        LineEnd::PlyLimit => {
            finished(rules, last).unwrap_or_else(|| "Draw: too many plies without a capture".to_owned())
        }
    }
}

/// `1 ply`, `2 plies`.
pub fn plies(number: u16) -> String {
    count(number.into(), "ply", "plies")
}

/// A number with the noun in the form that fits, digits in groups of three.
pub fn count(number: u64, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", HumanCount(number))
}

#[cfg(test)]
mod tests {
    use alquerque::rules::{BRAINKING, CLASSIC, YOUZAI};

    use super::*;

    fn position(rules: &Rules, text: &str) -> Position {
        Position::parse(rules, text).unwrap()
    }

    fn words(text: &str, value: Value, dtc: Option<u16>, dtw: Option<u16>) -> String {
        verdict(&CLASSIC, &position(&CLASSIC, text), &Verdict { value, dtc, dtw })
    }

    #[test]
    fn the_winner_is_named_by_colour() {
        let (white, black) = ("5/1b3/5/5/2w1w w", "5/1b3/5/5/2w1w b");
        assert_eq!(words(white, Value::Win, None, None), "White wins");
        assert_eq!(words(white, Value::Loss, None, None), "Black wins");
        assert_eq!(words(black, Value::Win, None, None), "Black wins");
        assert_eq!(words(black, Value::Loss, None, None), "White wins");
        assert_eq!(words(black, Value::Draw, None, None), "Draw");
    }

    #[test]
    fn distances_are_told_as_far_as_they_are_known() {
        let told = |dtc, dtw| words("5/1b3/5/5/2w1w w", Value::Win, dtc, dtw);
        assert_eq!(told(Some(3), Some(11)), "White wins, 11 plies to the end, next capture in 3");
        assert_eq!(told(Some(3), Some(3)), "White wins, 3 plies to the end, next capture or the end in 3");
        assert_eq!(told(Some(1), Some(1)), "White wins, 1 ply to the end, next capture or the end in 1");
        assert_eq!(told(Some(1), None), "White wins, next capture or the end in 1 ply");
        assert_eq!(told(Some(2), None), "White wins, next capture or the end in 2 plies");
        assert_eq!(told(None, Some(11)), "White wins, 11 plies to the end");
    }

    #[test]
    fn a_finished_game_is_told_as_such() {
        let lost = Verdict { value: Value::Loss, dtc: Some(0), dtw: Some(0) };
        let stuck = position(&BRAINKING, "5/5/5/2w2/2b2 b");
        assert_eq!(verdict(&BRAINKING, &stuck, &lost), "Black, to move, has lost: no legal move");
        let bare = position(&CLASSIC, "5/5/5/5/b4 w");
        assert_eq!(verdict(&CLASSIC, &bare, &lost), "White, to move, has lost: no stone left");
        let drawn = position(&YOUZAI, "5/1b3/5/5/2w2 w - 50");
        assert_eq!(finished(&YOUZAI, &drawn).as_deref(), Some("Draw: 50 plies without a capture"));
        assert_eq!(finished(&CLASSIC, &position(&CLASSIC, "start")), None);
    }

    #[test]
    fn nouns_agree_with_their_number() {
        assert_eq!(plies(0), "0 plies");
        assert_eq!(plies(1), "1 ply");
        assert_eq!(plies(2), "2 plies");
        assert_eq!(count(1_234_567, "position", "positions"), "1,234,567 positions");
    }
}
