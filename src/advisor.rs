//! What is known about a position, from whatever source knows it: the one place where sources are asked in turn.
//!
//! First the rules (the game may be over), then the tables, then certificates, then, if there is time for it, a search with
//! the tables as leaves. Exact values, bounds and estimates are kept apart.
//!
//! ```
//! use std::time::Duration;
//! use alquerque::advisor::{Advisor, Source};
//! use alquerque::position::Position;
//! use alquerque::rules::CLASSIC;
//!
//! let advisor = Advisor::open("tables", &CLASSIC)?;
//! let covered = advisor.consult(&Position::parse(&CLASSIC, "5/5/1w3/5/w2b1 w")?, &[], None)?;
//! assert_eq!(covered.source, Some(Source::Tables));
//! let start = advisor.consult(&Position::start(&CLASSIC), &[], Some(Duration::from_millis(50)))?;
//! assert_eq!(start.source, Some(Source::Search));
//! println!("looks best: {}", start.moves[0].mv);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::cmp::Reverse;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::moves::{Move, has_legal_move, playable_moves};
use crate::oracle::{Oracle, OracleError};
use crate::position::Position;
use crate::rules::Rules;
use crate::search::{Limits, Proven, Request, Score, Searcher};
use crate::table::{TableError, Value};
use crate::tablebase::{ProbeError, RankedMove, Tablebase, Verdict, covered};

/// Memory of a search for positions that were searched already.
const HASH_BYTES: u64 = 16 << 20;
/// So many searchers are kept for later questions.
const SPARE_SEARCHERS: usize = 4;

/// Who knows about a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The rules: the game is over.
    Rules,
    /// The tables: everything is exact.
    Tables,
    /// A certificate: the value is proven, and a way to keep it.
    Certificate,
    /// A search; also what tables say of some of the moves.
    Search,
}

impl Source {
    /// The source in a word: `rules`, `tables`, `certificate` or `search`.
    pub const fn name(self) -> &'static str {
        match self {
            Source::Rules => "rules",
            Source::Tables => "tables",
            Source::Certificate => "certificate",
            Source::Search => "search",
        }
    }
}

/// What a position or a move is worth to the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Worth {
    /// The value, with exact distances where they are known.
    Exact(Verdict),
    /// The value, perhaps with plies within which the game can be ended.
    Proven(Proven),
    /// How good it looks, in hundredths of a stone.
    Estimate(i32),
}

/// A legal move and what is known about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prospect {
    /// The move.
    pub mv: Move,
    /// The position after it.
    pub position: Position,
    /// What the mover gets by playing it; distances count from the position before it.
    pub worth: Option<Worth>,
}

/// What is known about a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Insight {
    /// Who knows it; `None` when nobody was found who knows all.
    pub source: Option<Source>,
    /// What it is worth to the side to move.
    pub worth: Option<Worth>,
    /// All legal moves, best first; empty when the game is over. Moves of which nothing is known come last.
    pub moves: Vec<Prospect>,
    /// The best line that a search has found, or the one of a certificate. Where tables know,
    /// [`Tablebase::main_line`] tells it.
    pub line: Vec<Move>,
}

/// All that can tell about positions of one rule set. It can be shared between threads.
pub struct Advisor {
    rules: &'static Rules,
    oracle: Option<Oracle>,
    searchers: Mutex<Vec<Searcher>>,
}

impl Advisor {
    /// An advisor with these tables, or with none.
    ///
    /// # Panics
    /// When the tables are of other rules.
    pub fn new(rules: &'static Rules, tables: Option<Tablebase>) -> Advisor {
        assert!(tables.as_ref().is_none_or(|tables| tables.rules() == rules), "tables of other rules");
        Advisor::with_oracle(rules, tables.map(Oracle::of_tables))
    }

    fn with_oracle(rules: &'static Rules, oracle: Option<Oracle>) -> Advisor {
        Advisor { rules, oracle, searchers: Mutex::default() }
    }

    /// An advisor with the tables and certificates for `rules` below `dir`, or without any if there is no folder of them.
    ///
    /// # Errors
    /// [`OracleError`] when a table or certificate there is damaged or cannot be read.
    pub fn open(dir: impl AsRef<Path>, rules: &'static Rules) -> Result<Advisor, OracleError> {
        match Oracle::open(dir, rules) {
            Ok(oracle) => Ok(Advisor::with_oracle(rules, Some(oracle))),
            Err(OracleError::Table(TableError::NoFolder { .. })) => Ok(Advisor::with_oracle(rules, None)),
            Err(error) => Err(error),
        }
    }

    /// The rules of the positions that it knows about.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// Its tables and certificates.
    pub fn oracle(&self) -> Option<&Oracle> {
        self.oracle.as_ref()
    }

    /// Its tables.
    pub fn tables(&self) -> Option<&Tablebase> {
        self.oracle.as_ref().map(Oracle::tables)
    }

    /// What is known about `position`, which came about by way of the positions of `history`, oldest first. Where
    /// no table reaches, a search takes about `time`, if given; else the moves are told with what little tables know.
    ///
    /// # Errors
    /// [`OracleError`] when the position does not fit the rules, or a table or certificate is damaged; not when one is
    /// missing.
    pub fn consult(
        &self,
        position: &Position,
        history: &[Position],
        time: Option<Duration>,
    ) -> Result<Insight, OracleError> {
        let rules = self.rules;
        position.check(rules).map_err(|error| ProbeError::Position { rules: rules.name(), error })?;
        if let Some(verdict) = finished(rules, position) {
            let worth = Some(Worth::Exact(verdict));
            return Ok(Insight { source: Some(Source::Rules), worth, moves: Vec::new(), line: Vec::new() });
        }
        if let Some(insight) = self.by_tables(position, history, time)? {
            return Ok(insight);
        }
        match self.by_certificate(position)? {
            Some(insight) => Ok(insight),
            None => Ok(self.by_search(position, history, time)?),
        }
    }

    /// What a certificate has proven: the value, and a move or all moves that keep it.
    fn by_certificate(&self, position: &Position) -> Result<Option<Insight>, OracleError> {
        let Some(oracle) = &self.oracle else { return Ok(None) };
        let Some((verdict, ranked)) = oracle.by_certificate(position)? else { return Ok(None) };
        let known = |mv: &Move| ranked.iter().find(|ranked| ranked.mv == *mv);
        let mut moves: Vec<Prospect> = playable_moves(self.rules, position)
            .into_iter()
            .map(|mv| Prospect {
                mv,
                position: position.play(self.rules, &mv),
                worth: known(&mv).map(|ranked| Worth::Exact(ranked.verdict)),
            })
            .collect();
        // As the certificate has them; it says nothing of the others.
        moves.sort_by_key(|prospect| {
            ranked.iter().position(|ranked| ranked.mv == prospect.mv).unwrap_or(usize::MAX)
        });
        let line = oracle.main_line(position)?.moves.iter().map(|ranked| ranked.mv).collect();
        let worth = Some(Worth::Exact(verdict));
        Ok(Some(Insight { source: Some(Source::Certificate), worth, moves, line }))
    }

    /// What tables know, if they know all.
    fn by_tables(
        &self,
        position: &Position,
        history: &[Position],
        time: Option<Duration>,
    ) -> Result<Option<Insight>, ProbeError> {
        let Some(tables) = self.tables() else { return Ok(None) };
        let Some((verdict, ranked)) = covered(tables.probe_with_moves(position))? else { return Ok(None) };
        let prospect = |ranked: &RankedMove| Prospect {
            mv: ranked.mv,
            position: ranked.position,
            worth: Some(Worth::Exact(ranked.verdict)),
        };
        let mut moves: Vec<Prospect> = ranked.iter().map(prospect).collect();
        // Without distances any winning move is as good as the other: the search knows how to get on.
        let no_way = verdict.value == Value::Win && verdict.dtc.is_none() && verdict.dtw.is_none();
        if let (true, Some(time)) = (no_way, time) {
            let limits = Limits { time: Some(time), ..Limits::default() };
            let request = Request { tables: Some(tables), history, limits, stop: None };
            let best = self.with_searcher(|searcher| searcher.search(position, &request, |_| {}))?.best();
            moves.sort_by_key(|prospect| Some(prospect.mv) != best);
        }
        let worth = Some(Worth::Exact(verdict));
        Ok(Some(Insight { source: Some(Source::Tables), worth, moves, line: Vec::new() }))
    }

    /// What a search finds; without time, what tables know of single moves.
    fn by_search(
        &self,
        position: &Position,
        history: &[Position],
        time: Option<Duration>,
    ) -> Result<Insight, ProbeError> {
        let moves = playable_moves(self.rules, position);
        let deadline = time.map(|time| Instant::now() + time);
        let history: Vec<Position> = history.iter().copied().chain([*position]).collect();
        let mut found = Vec::with_capacity(moves.len());
        for (index, &mv) in moves.iter().enumerate() {
            // What is left is shared out evenly among the moves that are left.
            let share = deadline
                .map(|end| end.saturating_duration_since(Instant::now()) / (moves.len() - index) as u32);
            found.push(self.look_at(position, mv, &history, share)?);
        }
        found.sort_by_key(|(prospect, _)| Reverse(prospect.worth.map(Worth::rank)));
        let (moves, mut lines): (Vec<Prospect>, Vec<Vec<Move>>) = found.into_iter().unzip();
        let worth = best_of(&moves);
        let line = if time.is_some() { lines.swap_remove(0) } else { Vec::new() };
        Ok(Insight { source: worth.map(|_| Source::Search), worth, moves, line })
    }

    /// What is known about playing `mv`, and the line that begins with it.
    fn look_at(
        &self,
        position: &Position,
        mv: Move,
        history: &[Position],
        time: Option<Duration>,
    ) -> Result<(Prospect, Vec<Move>), ProbeError> {
        let after = position.play(self.rules, &mv);
        let tables = self.tables();
        let verdict = match (finished(self.rules, &after), tables) {
            (Some(verdict), _) => Some(verdict),
            (None, Some(tables)) => covered(tables.probe(&after))?,
            (None, None) => None,
        };
        let exact = verdict.map(|verdict| Worth::Exact(verdict.before(mv.is_capture())));
        let mut line = vec![mv];
        let worth = match (exact, time) {
            (Some(exact), _) => Some(exact),
            (None, None) => None,
            (None, Some(time)) => {
                let limits = Limits { time: Some(time), ..Limits::default() };
                let request = Request { tables, history, limits, stop: None };
                let found = self.with_searcher(|searcher| searcher.search(&after, &request, |_| {}))?;
                line.extend(&found.line);
                Some(Worth::before(found.score))
            }
        };
        Ok((Prospect { mv, position: after, worth }, line))
    }

    /// Lets `work` have a searcher, of which there are as many as questions at the same time.
    fn with_searcher<T>(&self, work: impl FnOnce(&mut Searcher) -> T) -> T {
        let pool = || self.searchers.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = pool().pop();
        let mut searcher = spare.unwrap_or_else(|| Searcher::new(self.rules, HASH_BYTES));
        let result = work(&mut searcher);
        let mut pool = pool();
        if pool.len() < SPARE_SEARCHERS {
            pool.push(searcher);
        }
        result
    }
}

impl Insight {
    /// What is known where the game has ended as a draw, for a reason that the position does not show.
    pub fn drawn() -> Insight {
        let worth = Some(Worth::Proven(Proven::Draw));
        Insight { source: Some(Source::Rules), worth, moves: Vec::new(), line: Vec::new() }
    }
}

impl Worth {
    /// The worth of a move to its mover, `score` being that of the position after it to the opponent.
    fn before(score: Score) -> Worth {
        let one_more = |within: Option<u16>| within.map(|plies| plies.saturating_add(1));
        match score {
            Score::Estimate(hundredths) => Worth::Estimate(-hundredths),
            Score::Proven(Proven::Draw) => Worth::Proven(Proven::Draw),
            Score::Proven(Proven::Win { within }) => Worth::Proven(Proven::Loss { within: one_more(within) }),
            Score::Proven(Proven::Loss { within }) => Worth::Proven(Proven::Win { within: one_more(within) }),
        }
    }

    /// The value, unless it is an estimate.
    pub fn value(self) -> Option<Value> {
        match self {
            Worth::Exact(verdict) => Some(verdict.value),
            Worth::Proven(proven) => Some(proven.value()),
            Worth::Estimate(_) => None,
        }
    }

    /// Plies within which the game can be ended for certain, if some are known.
    pub fn within(self) -> Option<u16> {
        match self {
            Worth::Exact(verdict) => verdict.dtw,
            Worth::Proven(proven) => proven.within(),
            Worth::Estimate(_) => None,
        }
    }

    /// The better is the larger: wins by fewest plies, losses by most; estimates between, draws among them as 0.
    fn rank(self) -> i64 {
        const DECIDED: i64 = 1 << 40;
        let plies = match self {
            Worth::Exact(verdict) => verdict.dtw.or(verdict.dtc),
            worth => worth.within(),
        };
        let plies = i64::from(plies.unwrap_or(u16::MAX));
        match (self, self.value()) {
            (_, Some(Value::Win)) => DECIDED - plies,
            (_, Some(Value::Loss)) => plies - DECIDED,
            (Worth::Estimate(hundredths), None) => hundredths.into(),
            (_, _) => 0,
        }
    }
}

/// What a position is worth of which these are all moves, best first, some perhaps with an unknown worth.
fn best_of(moves: &[Prospect]) -> Option<Worth> {
    let best = moves.first()?.worth?;
    let all_decided = moves.iter().all(|mv| mv.worth.is_some_and(|worth| worth.value().is_some()));
    // A better way than the one that is known is not excluded, so that no distance is exact.
    let decided = match best {
        Worth::Exact(verdict) => Worth::Proven(Proven::from(verdict)),
        worth => worth,
    };
    match best.value() {
        Some(Value::Win) => Some(decided),
        Some(_) if all_decided => Some(decided),
        // As good as drawn, perhaps better.
        Some(_) => moves.iter().all(|mv| mv.worth.is_some()).then_some(Worth::Estimate(0)),
        None => moves.iter().all(|mv| mv.worth.is_some()).then_some(best),
    }
}

/// The verdict on a position in which the game is over by itself.
fn finished(rules: &Rules, position: &Position) -> Option<Verdict> {
    if !has_legal_move(rules, position) {
        let dtw = rules.has_distance_to_win().then_some(0);
        return Some(Verdict { value: Value::Loss, dtc: Some(0), dtw });
    }
    position.is_drawn_by_counter(rules).then_some(Verdict { value: Value::Draw, dtc: None, dtw: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{BRAINKING, CLASSIC, YOUZAI};

    fn consult(advisor: &Advisor, text: &str, milliseconds: Option<u64>) -> Insight {
        let position = Position::parse(advisor.rules(), text).unwrap();
        advisor.consult(&position, &[], milliseconds.map(Duration::from_millis)).unwrap()
    }

    #[test]
    fn sources_are_asked_in_turn() {
        let advisor = Advisor::open("tables", &CLASSIC).unwrap();
        let over = consult(&advisor, "5/5/5/5/b4 w", None);
        assert_eq!((over.source, over.moves.len()), (Some(Source::Rules), 0));
        let won = consult(&advisor, "5/5/1w3/5/w2b1 w", None);
        assert_eq!(won.source, Some(Source::Tables));
        assert_eq!(won.worth, won.moves[0].worth);
        let start = consult(&advisor, "start", None);
        assert_eq!((start.source, start.worth), (None, None));
        assert_eq!(start.moves.len(), 4);
        let searched = consult(&advisor, "start", Some(40));
        assert!(matches!(searched.worth, Some(Worth::Estimate(_))), "{searched:?}");
        assert_eq!(searched.line[0], searched.moves[0].mv);
    }

    #[test]
    fn a_certificate_knows_where_tables_do_not_reach() {
        let advisor = Advisor::open("tables", &BRAINKING).unwrap();
        let start = consult(&advisor, "start", None);
        assert_eq!(start.source, Some(Source::Certificate));
        assert_eq!(start.worth.and_then(Worth::value), Some(Value::Win));
        assert_eq!(start.line[0], start.moves[0].mv);
        assert_eq!(start.moves.len(), 4);
        assert!(start.moves[1..].iter().all(|prospect| prospect.worth.is_none()));
        // The loser's moves are all known.
        let answer = consult(&advisor, &start.moves[0].position.to_string(), None);
        assert_eq!(answer.worth.and_then(Worth::value), Some(Value::Loss));
        assert!(answer.moves.iter().all(|prospect| prospect.worth.is_some()));
    }

    #[test]
    fn a_search_proves_what_the_tables_say() {
        let tables = Advisor::open("tables", &BRAINKING).unwrap();
        let none = Advisor::new(&BRAINKING, None);
        for text in ["5/5/2w2/5/b4 w c3-b3", "5/3b1/5/2w2/3w1 w", "5/5/1b3/5/3w1 b"] {
            let (exact, proven) = (consult(&tables, text, None), consult(&none, text, Some(500)));
            assert_eq!(exact.source, Some(Source::Tables));
            assert_eq!(proven.source, Some(Source::Search));
            let value = exact.worth.and_then(Worth::value);
            assert!(value.is_some() && proven.worth.and_then(Worth::value) == value, "{text}: {proven:?}");
        }
    }

    #[test]
    fn without_distances_a_search_finds_the_way() {
        let all = Advisor::open("tables", &CLASSIC).unwrap();
        let dir = tempfile::TempDir::new().unwrap();
        std::fs::create_dir(dir.path().join("classic")).unwrap();
        for name in ["1v1.wdl", "2v1.wdl", "1v2.wdl"] {
            std::fs::copy(format!("tables/classic/{name}"), dir.path().join("classic").join(name)).unwrap();
        }
        let values = Advisor::open(dir.path(), &CLASSIC).unwrap();
        let first = Position::parse(&CLASSIC, "5/b4/3w1/3w1/5 w").unwrap();
        let line = all.tables().unwrap().main_line(&first).unwrap();
        let near = line.moves[17].position;
        let insight = values.consult(&near, &[], Some(Duration::from_secs(2))).unwrap();
        assert_eq!(insight.source, Some(Source::Tables));
        assert_eq!(insight.worth.and_then(Worth::within), None);
        let exact = all.tables().unwrap().probe(&insight.moves[0].position).unwrap();
        assert_eq!((exact.value, exact.dtw), (Value::Loss, Some(4)));
    }

    #[test]
    fn a_counted_out_game_is_over_without_tables() {
        let over = consult(&Advisor::new(&YOUZAI, None), "4b/5/5/5/w4 w - 50", None);
        assert_eq!(over.worth.and_then(Worth::value), Some(Value::Draw));
        assert!(over.moves.is_empty());
    }

    #[test]
    fn an_unknown_move_leaves_the_position_open() {
        let win = Worth::Proven(Proven::Win { within: Some(3) });
        let prospect = |worth| {
            let position = Position::start(&CLASSIC);
            Prospect { mv: playable_moves(&CLASSIC, &position)[0], position, worth }
        };
        let of = |worths: &[Option<Worth>]| {
            best_of(&worths.iter().map(|&worth| prospect(worth)).collect::<Vec<_>>())
        };
        let (draw, estimate) = (Worth::Proven(Proven::Draw), Worth::Estimate(-40));
        assert_eq!(of(&[Some(win), None]), Some(win));
        assert_eq!(of(&[Some(draw), None]), None);
        assert_eq!(of(&[Some(draw), Some(estimate)]), Some(Worth::Estimate(0)));
        assert_eq!(of(&[Some(draw), Some(draw)]), Some(draw));
        assert_eq!(of(&[Some(estimate)]), Some(estimate));
        assert_eq!(of(&[]), None);
    }
}
