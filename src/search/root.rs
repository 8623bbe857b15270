//! What the tables say about the position to search, and what they leave to the search.

use super::conversion::{Conversions, Ground};
use super::limits::{Control, Request};
use super::score::Proven;
use crate::moves::{Move, legal_moves};
use crate::position::Position;
use crate::rules::{Rules, Side};
use crate::table::{TableError, Value};
use crate::tablebase::{Next, ProbeError, RankedMove, Tablebase, follow};

/// Hundredths of the time for ranking the moves by tables.
const TIME_TO_RANK: u32 = 50;
/// Hundredths of the time after which the way to win is no longer looked for on the graph of positions, and
/// after which no longer line is shown.
const TIME_FOR_THE_WAY: u32 = 75;

/// What there is to do after the tables have been asked.
pub(super) enum Advice {
    /// The tables have chosen: the value, and the line to play.
    Play(Proven, Vec<Move>),
    /// The search has to choose.
    Search(Root),
}

/// What the search knows about its root.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Root {
    /// The moves to choose from; all legal moves if it is empty.
    pub moves: Vec<Move>,
    /// Only positions with fewer stones than this are looked up in tables. Tables know that the root is won,
    /// and the search looks for a way below that verdict.
    pub fewer_than: Option<usize>,
    /// The side that is known to win, if one is. The search then looks for the way.
    pub winner: Option<Side>,
    /// Whether that is proven: not if it depends on the ply counter.
    pub is_win: bool,
}

impl Root {
    /// Whether `mv` is one of the moves to choose from.
    pub fn allows(&self, mv: &Move) -> bool {
        self.moves.is_empty() || self.moves.contains(mv)
    }
}

/// Asks the tables of `request` about `position`, in which the game is not over.
pub(super) fn ask_tables(
    rules: &'static Rules,
    conversions: &mut Conversions,
    bytes: u64,
    position: &Position,
    request: &Request<'_>,
    control: &Control<'_>,
) -> Result<Advice, ProbeError> {
    let undecided = Advice::Search(Root { moves: request.only.to_vec(), ..Root::default() });
    let Some(tables) = request.tables else { return Ok(undecided) };
    let rank = |position: &Position| -> Result<_, ProbeError> {
        let ranked = tables.ranked_moves_while(position, control.probes(TIME_TO_RANK));
        let is_allowed = |ranked: &RankedMove| request.only.is_empty() || request.only.contains(&ranked.mv);
        Ok(known(ranked)?.map(|ranked| ranked.into_iter().filter(is_allowed).collect::<Vec<_>>()))
    };
    let mut way = |left| {
        let ground = Ground { rules, tables, left, bytes };
        let line = conversions.find(&ground, position, control.probes(TIME_FOR_THE_WAY))?;
        Ok::<_, ProbeError>(line.filter(|line| line.first().is_some_and(|mv| is_among(mv, request.only))))
    };
    let mut search_for_win = |winning: Vec<(Move, Position)>, is_win| {
        if let Some(line) = way(rules.ply_limit().map(|limit| u16::from(limit - position.plies())))? {
            return Ok(Advice::Play(Proven::Win { within: None }, line));
        }
        let stones = position.own().count() + position.opponent().count();
        let (fewer_than, winner) = (Some(stones), Some(position.side()));
        Ok(Advice::Search(Root {
            moves: new_positions(&winning, request.history),
            fewer_than,
            winner,
            is_win,
        }))
    };
    if let Some(ranked) = rank(position)? {
        let Some(best) = ranked.first() else { return Ok(undecided) };
        let has_distance = best.verdict.ranking_distance().is_some();
        if best.verdict.value != Value::Win || has_distance {
            return Ok(Advice::Play(best.verdict.into(), line_from(tables, position, best, control)?));
        }
        let winning = ranked.iter().filter(|ranked| ranked.verdict.value == Value::Win);
        return search_for_win(winning.map(|ranked| (ranked.mv, ranked.position)).collect(), true);
    }
    // With a ply counter above 0 values depend on distances, which no table has here. With the counter at 0
    // the values may be known. More plies left never hurt the winner, so that a win then may be one now,
    // and a draw then is one now.
    if rules.ply_limit().is_none() {
        return Ok(undecided);
    }
    let mut goes_on = control.probes(TIME_TO_RANK);
    let mut value = |position: &Position| match position.with_plies(rules, 0) {
        Ok(position) => known(tables.probe_value_while(&position, &mut goes_on)),
        Err(_) => Ok(None),
    };
    let at_start = value(position)?;
    if !matches!(at_start, Some(Value::Win | Value::Draw)) {
        return Ok(undecided);
    }
    let mut candidates = Vec::new();
    for mv in legal_moves(rules, position).into_iter().filter(|mv| is_among(mv, request.only)) {
        let after = position.play(rules, &mv);
        candidates.push((value(&after)?, (mv, after)));
    }
    // Here the values are for the opponent, and the best moves come first.
    let leading_to =
        |value| candidates.iter().filter(move |candidate| candidate.0 == Some(value)).map(|it| it.1);
    if at_start == Some(Value::Win) {
        return search_for_win(leading_to(Value::Loss).collect(), position.plies() == 0);
    }
    match leading_to(Value::Loss).chain(leading_to(Value::Draw)).next() {
        Some((mv, _)) => Ok(Advice::Play(Proven::Draw, vec![mv])),
        None => Ok(undecided),
    }
}

/// What tables say, if they cover the position and there was time enough.
fn known<T>(answer: Result<T, ProbeError>) -> Result<Option<T>, ProbeError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(ProbeError::Stopped | ProbeError::Table(TableError::NoTable { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_among(mv: &Move, only: &[Move]) -> bool {
    only.is_empty() || only.contains(mv)
}

/// The moves that do not repeat a position of the game; all of them if each does.
fn new_positions(moves: &[(Move, Position)], history: &[Position]) -> Vec<Move> {
    let is_new = |after: &Position| !history.iter().any(|before| is_same(before, after));
    let new: Vec<Move> = moves.iter().filter(|(_, after)| is_new(after)).map(|&(mv, _)| mv).collect();
    if new.is_empty() { moves.iter().map(|&(mv, _)| mv).collect() } else { new }
}

/// Whether two positions are the same but for the ply counter.
fn is_same(one: &Position, other: &Position) -> bool {
    let board = |position: &Position| {
        let forbidden = [position.no_west(), position.no_east()];
        (position.white(), position.black(), position.side(), forbidden)
    };
    board(one) == board(other)
}

/// The line of best play that begins with `best`, as far as there is time to look it up.
fn line_from(
    tables: &Tablebase,
    position: &Position,
    best: &RankedMove,
    control: &Control<'_>,
) -> Result<Vec<Move>, ProbeError> {
    let mut goes_on = control.probes(TIME_FOR_THE_WAY);
    let line = follow(tables.rules(), position, |at| {
        if at == position {
            return Ok(Next::Move(*best));
        }
        let moves = known(tables.ranked_moves_while(at, &mut goes_on))?;
        Ok::<_, ProbeError>(moves.map_or(Next::Unknown, |moves| moves.first().copied().into()))
    })?;
    Ok(line.moves.iter().map(|ranked| ranked.mv).collect())
}
