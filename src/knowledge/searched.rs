//! What a search finds where nothing is proven.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use web_time::Instant;

use super::proven::GoesOn;
use super::{Insight, Knowledge, KnowledgeError, Known, Prospect, Source, Worth};
use crate::game::{Game, GameEnd};
use crate::moves::{Move, playable_moves};
use crate::position::Position;
use crate::search::{Limits, Proven, Request};
use crate::table::Value;
use crate::tablebase::ProbeError;

/// How long a search takes that nothing else limits.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// How much a search may do, and how the caller aborts it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Effort<'a> {
    /// Limits for the whole question; all moves of a position share them. Without any, a search takes one
    /// second.
    pub limits: Limits,
    /// Another thread sets it to abort the search. What was found until then is the answer.
    pub stop: Option<&'a AtomicBool>,
    /// The moves to choose from, for [`Knowledge::choose`]; all legal moves if it is empty.
    pub only: &'a [Move],
}

impl<'a> Effort<'a> {
    /// About this much time.
    pub fn within(time: Duration) -> Effort<'a> {
        Effort { limits: Limits::time(time), ..Effort::default() }
    }

    /// The same, aborted when another thread sets `stop`.
    #[must_use]
    pub fn until(self, stop: &'a AtomicBool) -> Effort<'a> {
        Effort { stop: Some(stop), ..self }
    }

    pub(super) fn is_aborted(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

impl Knowledge {
    /// What is known about `position`, which came about by way of the positions of `history`, oldest first.
    /// Where nothing covers it, a search makes the `effort`; without one, the moves are listed with what
    /// is proven about them.
    ///
    /// # Errors
    /// [`KnowledgeError`] when the position is illegal under the rules, or a table or certificate is damaged;
    /// not when one is missing.
    pub fn consult(
        &self,
        position: &Position,
        history: &[Position],
        effort: Option<Effort<'_>>,
    ) -> Result<Insight, KnowledgeError> {
        let Some(effort) = effort else { return self.consult_while(position, history, || true) };
        let mut goes_on = || !effort.is_aborted();
        match self.proven_while(position, history, &mut goes_on) {
            Ok(Some(insight)) => self.completed(position, history, insight, &effort),
            // Aborted: what can be said at once is the answer.
            Ok(None) | Err(KnowledgeError::Probe(ProbeError::Stopped)) => {
                self.by_search(position, history, Some(&effort), &mut goes_on)
            }
            Err(error) => Err(error),
        }
    }

    /// As [`consult`](Self::consult) without a search, as long as `goes_on` says so.
    ///
    /// # Errors
    /// [`ProbeError::Stopped`] when `goes_on` says no, else as for [`consult`](Self::consult).
    pub fn consult_while(
        &self,
        position: &Position,
        history: &[Position],
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Insight, KnowledgeError> {
        match self.proven_while(position, history, &mut goes_on)? {
            Some(insight) => Ok(insight),
            None => self.by_search(position, history, None, &mut goes_on),
        }
    }

    /// What is known about the position on the board of `game`: as for [`consult`](Self::consult), and that a
    /// game which ended by repetition is drawn.
    ///
    /// # Errors
    /// As for [`consult`](Self::consult).
    ///
    /// # Panics
    /// When the game is one by other rules.
    pub fn consult_game(&self, game: &Game, effort: Option<Effort<'_>>) -> Result<Insight, KnowledgeError> {
        match self.drawn_by_repetition(game) {
            Some(insight) => Ok(insight),
            None => self.consult(game.position(), game.history(), effort),
        }
    }

    /// As [`consult_game`](Self::consult_game) without a search, as long as `goes_on` says so.
    ///
    /// # Errors
    /// As for [`consult_while`](Self::consult_while).
    ///
    /// # Panics
    /// When the game is one by other rules.
    pub fn consult_game_while(
        &self,
        game: &Game,
        goes_on: impl FnMut() -> bool,
    ) -> Result<Insight, KnowledgeError> {
        match self.drawn_by_repetition(game) {
            Some(insight) => Ok(insight),
            None => self.consult_while(game.position(), game.history(), goes_on),
        }
    }

    fn drawn_by_repetition(&self, game: &Game) -> Option<Insight> {
        assert_eq!(game.rules(), self.rules, "a game by other rules");
        (game.end() == Some(GameEnd::Repetition)).then(|| Insight::over(Worth::DRAW))
    }

    /// Adds what a search finds to what is proven: a way to win where no distances show one, and estimates of
    /// moves about which a certificate is silent.
    fn completed(
        &self,
        position: &Position,
        history: &[Position],
        mut insight: Insight,
        effort: &Effort<'_>,
    ) -> Result<Insight, KnowledgeError> {
        if insight.lacks_a_way_to_win() {
            let request = self.request(history, effort, effort.limits);
            let best = self
                .searchers
                .lend(self.rules, |searcher| searcher.search(position, &request, |_| {}))?
                .best();
            insight.moves.sort_by_key(|prospect| Some(prospect.mv) != best);
        }
        let unknown: Vec<usize> =
            (0..insight.moves.len()).filter(|&index| insight.moves[index].known.is_none()).collect();
        let extended: Vec<Position> = history.iter().copied().chain([*position]).collect();
        let shares = Shares::new(effort, unknown.len());
        for (number, &index) in unknown.iter().enumerate() {
            let prospect = &mut insight.moves[index];
            if let Some((known, _)) = self.estimate(prospect, &extended, effort, shares.share(number))? {
                *prospect = Prospect::new(prospect.mv, prospect.position, Some(known));
            }
        }
        if let Some(&first) = unknown.first() {
            insight.moves[first..].sort_by_key(|prospect| Reverse(prospect.rank()));
        }
        Ok(insight)
    }

    /// What a search finds; without effort, what is proven about single moves. Where an effort is aborted, or
    /// `goes_on` says no, nothing more is found out.
    fn by_search(
        &self,
        position: &Position,
        history: &[Position],
        effort: Option<&Effort<'_>>,
        goes_on: GoesOn<'_>,
    ) -> Result<Insight, KnowledgeError> {
        let moves = playable_moves(self.rules, position);
        let shares = effort.map(|effort| (effort, Shares::new(effort, moves.len())));
        let extended: Vec<Position> = history.iter().copied().chain([*position]).collect();
        let mut found = Vec::with_capacity(moves.len());
        for (index, &mv) in moves.iter().enumerate() {
            let mut prospect = match self.prospect(position, mv, goes_on) {
                Err(KnowledgeError::Probe(ProbeError::Stopped)) if effort.is_some() => {
                    Prospect::new(mv, position.play(self.rules, &mv), None)
                }
                prospect => prospect?,
            };
            let mut line = vec![mv];
            if let (None, Some((effort, shares))) = (prospect.known, &shares)
                && let Some((known, rest)) =
                    self.estimate(&prospect, &extended, effort, shares.share(index))?
            {
                prospect = Prospect::new(mv, prospect.position, Some(known));
                line.extend(rest);
            }
            found.push((prospect, line));
        }
        found.sort_by_key(|(prospect, _)| Reverse(prospect.rank()));
        let (moves, mut lines): (Vec<Prospect>, Vec<Vec<Move>>) = found.into_iter().unzip();
        let known = best_of(&moves, |prospect| prospect.known);
        let line = if effort.is_some() && !lines.is_empty() { lines.swap_remove(0) } else { Vec::new() };
        let known = known.map(|worth| Known { worth, source: Source::Search });
        let mut insight = Insight { known, in_game: known, moves, line };
        match self.in_game(position, history, insight.clone(), goes_on) {
            Err(KnowledgeError::Probe(ProbeError::Stopped)) if effort.is_some() => {
                // Whether a repetition changes anything is not known.
                insight.in_game = None;
                insight.moves.iter_mut().for_each(|prospect| prospect.in_game = None);
                Ok(insight)
            }
            insight => insight,
        }
    }

    /// What a search of the position after a move says about the move, and the line after it. `None` when it
    /// is aborted before it has begun.
    fn estimate(
        &self,
        prospect: &Prospect,
        history: &[Position],
        effort: &Effort<'_>,
        limits: Limits,
    ) -> Result<Option<(Known, Vec<Move>)>, KnowledgeError> {
        if effort.is_aborted() {
            return Ok(None);
        }
        let request = self.request(history, effort, limits);
        let found = self
            .searchers
            .lend(self.rules, |searcher| searcher.search(&prospect.position, &request, |_| {}))?;
        Ok(Some((Known { worth: Worth::before(found.score), source: Source::Search }, found.line)))
    }

    fn request<'a>(&'a self, history: &'a [Position], effort: &Effort<'a>, limits: Limits) -> Request<'a> {
        let unlimited = limits.time.is_none() && limits.nodes.is_none() && limits.depth.is_none();
        let time = if unlimited { Some(DEFAULT_TIME) } else { limits.time };
        let request =
            Request::within(Limits { time, ..limits }).with_tables(self.tables()).with_history(history);
        effort.stop.map_or(request, |stop| request.with_stop(stop))
    }
}

impl Insight {
    /// Whether tables say that it is won, but no distance says by which moves. A certificate has the move.
    pub(super) fn lacks_a_way_to_win(&self) -> bool {
        if self.source() != Some(Source::Tables) {
            return false;
        }
        let verdict = self.in_game.and_then(|known| known.worth.verdict());
        verdict.is_some_and(|verdict| verdict.value == Value::Win && verdict.ranking_distance().is_none())
    }
}

/// The limits of a question, shared among moves. Time that one move leaves over goes to the others.
struct Shares {
    limits: Limits,
    deadline: Option<Instant>,
    moves: usize,
}

impl Shares {
    fn new(effort: &Effort<'_>, moves: usize) -> Shares {
        let mut limits = effort.limits;
        if limits == Limits::default() {
            limits.time = Some(DEFAULT_TIME);
        }
        let deadline = limits.time.and_then(|time| Instant::now().checked_add(time));
        Shares { limits, deadline, moves }
    }

    /// The limits for move `number`, counted from 0.
    fn share(&self, number: usize) -> Limits {
        let left = (self.moves - number).max(1) as u32;
        let time = |end: Instant| end.saturating_duration_since(Instant::now()) / left;
        Limits {
            time: self.deadline.map(time),
            nodes: self.limits.nodes.map(|nodes| nodes / self.moves.max(1) as u64),
            depth: self.limits.depth,
        }
    }
}

/// The worth of a position by the worth `of` its moves. These must be all of them, best first.
pub(super) fn best_of(moves: &[Prospect], of: impl Fn(&Prospect) -> Option<Known>) -> Option<Worth> {
    let worth = |prospect: &Prospect| of(prospect).map(|known| known.worth);
    let best = worth(moves.first()?)?;
    let all_known = || moves.iter().all(|mv| worth(mv).is_some());
    let all_decided = || moves.iter().all(|mv| worth(mv).is_some_and(|worth| worth.value().is_some()));
    // A better way than the one that is known is not excluded, so that no distance is exact.
    let decided = match best {
        Worth::Exact(verdict) => Worth::Proven(Proven::from(verdict)),
        worth => worth,
    };
    match best.value() {
        Some(Value::Win) => Some(decided),
        Some(_) if all_decided() => Some(decided),
        // As good as drawn, perhaps better.
        Some(_) => all_known().then_some(Worth::Estimate(0)),
        None => all_known().then_some(best),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::CLASSIC;

    #[test]
    fn an_unknown_move_leaves_the_position_open() {
        let win = Worth::Proven(Proven::Win { within: Some(3) });
        let prospect = |worth: Option<Worth>| {
            let position = Position::start(&CLASSIC);
            let known = worth.map(|worth| Known { worth, source: Source::Search });
            Prospect::new(playable_moves(&CLASSIC, &position)[0], position, known)
        };
        let of = |worths: &[Option<Worth>]| {
            let moves: Vec<Prospect> = worths.iter().map(|&worth| prospect(worth)).collect();
            best_of(&moves, |prospect| prospect.known)
        };
        let (draw, estimate) = (Worth::DRAW, Worth::Estimate(-40));
        assert_eq!(of(&[Some(win), None]), Some(win));
        assert_eq!(of(&[Some(draw), None]), None);
        assert_eq!(of(&[Some(draw), Some(estimate)]), Some(Worth::Estimate(0)));
        assert_eq!(of(&[Some(draw), Some(draw)]), Some(draw));
        assert_eq!(of(&[Some(estimate)]), Some(estimate));
        assert_eq!(of(&[]), None);
    }
}
