//! What the positions of a game and their moves are worth.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Mark, Options, ReviewedMove};
use crate::game::Game;
use crate::knowledge::{Insight, Knowledge, KnowledgeError, Known, Source};
use crate::moves::Move;
use crate::position::Position;
use crate::rules::Side;
use crate::search::{Limits, Request, Score, Searcher};
use crate::table::{Metric, Value};
use crate::tablebase::{ProbeError, Verdict};

/// Memory of the search.
const HASH_BYTES: u64 = 32 << 20;
/// Less time than this for a position is not worth a search.
const LEAST_TIME: Duration = Duration::from_micros(200);

/// A value as a review has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Worth {
    /// The value with the distances that are known; `None` where nothing proves a value.
    pub verdict: Option<Verdict>,
    /// How good it looks, in hundredths of a stone, where nothing proves a value.
    pub estimate: Option<i32>,
    /// Who says so; `None` where nothing is known.
    pub source: Option<Source>,
}

impl Worth {
    fn of_value(value: Value, source: Source) -> Worth {
        let verdict = Some(Verdict::without_distances(value));
        Worth { verdict, source: Some(source), ..Worth::default() }
    }

    /// The value; `None` where nothing proves one.
    pub fn value(&self) -> Option<Value> {
        self.verdict.map(|verdict| verdict.value)
    }

    fn is_proven(&self) -> bool {
        self.verdict.is_some()
    }
}

impl From<Known> for Worth {
    fn from(known: Known) -> Worth {
        let value = || known.value().map(Verdict::without_distances);
        Worth {
            verdict: known.worth.verdict().or_else(value),
            estimate: known.worth.estimate(),
            source: Some(known.source),
        }
    }
}

/// A position of the game: what it and its moves are worth.
pub(super) struct View {
    before: Worth,
    /// What the move that was played is worth.
    after: Worth,
    insight: Insight,
    /// The best move by a search, where nothing is proven.
    found: Option<Move>,
}

/// What the positions of a game are worth, except for the last.
pub(super) fn views(
    game: &Game,
    positions: &[Position],
    knowledge: &Knowledge,
    options: &Options<'_>,
) -> Result<Vec<View>, KnowledgeError> {
    let rules = game.rules();
    let mut insights = Vec::with_capacity(positions.len());
    let mut replayed = Game::from_position(rules, positions[0]);
    for index in 0..positions.len() {
        let goes_on = || !options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        match knowledge.consult_game_while(&replayed, goes_on) {
            Err(KnowledgeError::Probe(ProbeError::Stopped)) => insights.push(Insight::default()),
            insight => insights.push(insight?),
        }
        if let Some(&mv) = game.moves().get(index) {
            replayed.play(mv);
        }
    }
    let mut before: Vec<Worth> = insights.iter().map(worth_in_game).collect();
    let mut found = vec![None; positions.len()];
    search(game, positions, knowledge, options, &mut before, &mut found)?;
    let mut after: Vec<Worth> = Vec::with_capacity(game.moves().len());
    for (index, mv) in game.moves().iter().enumerate() {
        let prospect = insights[index].moves.iter().find(|prospect| prospect.mv == *mv);
        let known = prospect.and_then(|prospect| prospect.in_game).map(Worth::from);
        let seen_later = seen_before(&before[index + 1], mv);
        let better = |worth: &Worth| worth.is_proven();
        after.push(known.filter(better).or(Some(seen_later).filter(better)).or(known).unwrap_or(seen_later));
    }
    // A winning move shows that there was a win, and in a lost position no move does better.
    for (before, after) in before.iter_mut().zip(&mut after) {
        match (before.value(), after.value(), after.source, before.source) {
            (None, Some(Value::Win), Some(source), _) => *before = Worth::of_value(Value::Win, source),
            (Some(Value::Loss), None, _, Some(source)) => *after = Worth::of_value(Value::Loss, source),
            _ => {}
        }
    }
    let views = insights.into_iter().zip(before).zip(after).zip(found);
    Ok(views.map(|(((insight, before), after), found)| View { before, after, insight, found }).collect())
}

fn worth_in_game(insight: &Insight) -> Worth {
    insight.in_game.map_or_else(Worth::default, Worth::from)
}

/// The worth of a move to its mover, given the worth of the position after it to the other side.
fn seen_before(after: &Worth, mv: &Move) -> Worth {
    // Without a distance after a capture, the review does not tell one before it.
    let distance = |verdict: Verdict, metric: Metric| {
        verdict.distance(metric).and_then(|plies| metric.before_move(Some(plies), mv.is_capture()))
    };
    let before =
        |verdict: Verdict| Verdict::new(verdict.value.reversed(), |metric| distance(verdict, metric));
    Worth {
        verdict: after.verdict.map(before),
        estimate: after.estimate.map(|estimate| -estimate),
        source: after.source,
    }
}

/// Searches the positions of which nothing is proven, the last first: what is found there helps with those
/// before.
fn search(
    game: &Game,
    positions: &[Position],
    knowledge: &Knowledge,
    options: &Options<'_>,
    before: &mut [Worth],
    found: &mut [Option<Move>],
) -> Result<(), KnowledgeError> {
    let mut open = before.iter().filter(|worth| !worth.is_proven()).count() as u32;
    if open == 0 || options.time.is_zero() {
        return Ok(());
    }
    let deadline = Instant::now() + options.time;
    let mut searcher = Searcher::with_at_most(game.rules(), HASH_BYTES);
    for index in (0..positions.len()).rev() {
        if before[index].is_proven() {
            continue;
        }
        let time = deadline.saturating_duration_since(Instant::now()) / open;
        open -= 1;
        if time < LEAST_TIME {
            continue;
        }
        let request = Request {
            tables: knowledge.tables(),
            history: &positions[..index],
            only: &[],
            limits: Limits { time: Some(time), ..Limits::default() },
            stop: options.stop,
        };
        let searched = searcher.search(&positions[index], &request, |_| {})?;
        if searched.line.is_empty() {
            continue;
        }
        found[index] = searched.best();
        let (value, estimate) = match searched.score {
            Score::Proven(proven) => (Some(proven.value()), None),
            Score::Estimate(hundredths) => (None, Some(hundredths)),
        };
        let verdict = value.map(Verdict::without_distances);
        before[index] = Worth { verdict, estimate, source: Some(Source::Search) };
    }
    Ok(())
}

impl View {
    /// What the review says about the move that was played.
    pub(super) fn reviewed(self, ply: usize, side: Side, mv: Move, threshold: u16) -> ReviewedMove {
        let legal = self.insight.moves.len();
        let worths: Vec<(Move, Option<Worth>)> = self
            .insight
            .moves
            .iter()
            .map(|prospect| (prospect.mv, prospect.in_game.map(Worth::from)))
            .collect();
        let all_proven = worths.iter().all(|(_, worth)| worth.is_some_and(|worth| worth.is_proven()));
        let keeps = |worth: &Option<Worth>| {
            worth.is_some_and(|worth| worth.is_proven() && worth.value() == self.before.value())
        };
        let kept: Vec<(Move, Worth)> = worths
            .iter()
            .filter(|(_, worth)| keeps(worth))
            .filter_map(|(mv, worth)| Some((*mv, (*worth)?)))
            .collect();
        let keeping = all_proven.then_some(kept.len());
        let lost = match (self.before.value(), self.after.value()) {
            (Some(before), Some(after)) if before == after => plies_lost(&self.before, &self.after),
            _ => None,
        };
        let mark = Mark::of(&self.before, &self.after, keeping, legal, lost, threshold);
        let best = best_moves(&kept, &self.before);
        let best = if best.is_empty() { self.found.into_iter().collect() } else { best };
        ReviewedMove {
            ply,
            side,
            mv,
            value: self.after,
            best_value: self.before,
            best,
            keeping,
            legal,
            lost,
            mark,
        }
    }
}

/// Two worths by the first distance, in the order in which distances rank moves, that is known of both.
fn distances(before: &Worth, after: &Worth) -> Option<(u16, u16)> {
    let (before, after) = (before.verdict?, after.verdict?);
    Metric::DISTANCES.into_iter().find_map(|metric| Some((before.distance(metric)?, after.distance(metric)?)))
}

/// Of the moves that keep the value those with the best distance.
fn best_moves(kept: &[(Move, Worth)], before: &Worth) -> Vec<Move> {
    let reaches = |worth: &Worth| distances(before, worth).is_none_or(|(best, plies)| best == plies);
    let best: Vec<Move> = kept.iter().filter(|(_, worth)| reaches(worth)).map(|(mv, _)| *mv).collect();
    // In a game with repetitions no move may have the distance of the position.
    if best.is_empty() { kept.iter().map(|(mv, _)| *mv).collect() } else { best }
}

/// By how many plies the win got longer, or the loss shorter.
fn plies_lost(before: &Worth, after: &Worth) -> Option<u16> {
    let (best, played) = distances(before, after)?;
    match before.value()? {
        Value::Win => played.checked_sub(best),
        Value::Loss => best.checked_sub(played),
        Value::Draw => None,
    }
}
