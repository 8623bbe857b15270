//! What is proven without a search: by the rules, by tables, by certificates.
//!
//! Tables are asked before certificates, because they have distances. A certificate has a reply wherever the
//! side that it proves to win is to move; a position is lost when each of its moves leads to such a reply.

use std::cmp::Reverse;

use super::{Insight, Knowledge, KnowledgeError, Known, Prospect, Source, Worth};
use crate::moves::{Move, has_legal_move, playable_moves};
use crate::position::Position;
use crate::rules::Rules;
use crate::table::Value;
use crate::tablebase::{MainLine, Next, ProbeError, RankedMove, Verdict, covered, follow};

/// Whether a look-up goes on. It is asked again and again, and ends the look-up when it says no.
pub(super) type GoesOn<'a> = &'a mut dyn FnMut() -> bool;

/// What a certificate says about a position.
struct Certified {
    value: Value,
    /// A move that keeps the value, with its value to the mover; or all moves of a lost position, those that
    /// hold out longest first.
    replies: Vec<(Move, Value)>,
}

impl Knowledge {
    /// What is proven about `position` and its moves, after the positions of `history` (oldest first). All
    /// legal moves are listed; moves of which nothing is proven come last.
    ///
    /// # Errors
    /// [`KnowledgeError`] when the position is illegal under the rules, nothing covers it, or a table or
    /// certificate is damaged.
    pub fn look_up(&self, position: &Position, history: &[Position]) -> Result<Insight, KnowledgeError> {
        self.look_up_while(position, history, || true)
    }

    /// As [`look_up`](Self::look_up), as long as `goes_on` says so. It is asked before each position that is
    /// looked up in tables and each that is looked up in a certificate.
    ///
    /// # Errors
    /// [`ProbeError::Stopped`] when `goes_on` says no, else as for [`look_up`](Self::look_up).
    pub fn look_up_while(
        &self,
        position: &Position,
        history: &[Position],
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Insight, KnowledgeError> {
        match self.proven_while(position, history, &mut goes_on)? {
            Some(insight) => Ok(insight),
            // The tables say which of them is missing.
            None => match self.tables() {
                Some(tables) => Err(tables
                    .probe_with_moves_while(position, goes_on)
                    .err()
                    .map_or_else(|| self.no_tables(), KnowledgeError::from)),
                None => Err(self.no_tables()),
            },
        }
    }

    /// The verdict on `position` by itself; without distances if it comes from a certificate.
    ///
    /// # Errors
    /// As for [`look_up`](Self::look_up).
    pub fn verdict(&self, position: &Position) -> Result<Verdict, KnowledgeError> {
        self.verdict_while(position, || true)
    }

    /// As [`verdict`](Self::verdict), as long as `goes_on` says so.
    ///
    /// # Errors
    /// As for [`look_up_while`](Self::look_up_while).
    pub fn verdict_while(
        &self,
        position: &Position,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Verdict, KnowledgeError> {
        let lacking = match self.tables().map(|tables| tables.probe_while(position, &mut goes_on)) {
            Some(Ok(verdict)) => return Ok(verdict),
            Some(Err(error)) => KnowledgeError::from(error),
            None => {
                self.check(position)?;
                match finished(self.rules, position) {
                    Some(verdict) => return Ok(verdict),
                    None => self.no_tables(),
                }
            }
        };
        if !lacking.is_lack_of_tables() {
            return Err(lacking);
        }
        let certified = self.certified(position, &mut goes_on)?;
        certified.map(|certified| Verdict::without_distances(certified.value)).ok_or(lacking)
    }

    /// Best play from `position` to the end of the game by positions alone, as in
    /// [`Tablebase::main_line`](crate::tablebase::Tablebase::main_line). Where tables
    /// do not reach, certificates lead the way; the line ends where neither does. In a lost position the move
    /// is played that holds out longest.
    ///
    /// # Errors
    /// As for [`look_up`](Self::look_up), for the first position only if nothing covers a later one.
    pub fn main_line(&self, position: &Position) -> Result<MainLine, KnowledgeError> {
        self.main_line_while(position, || true)
    }

    /// As [`main_line`](Self::main_line), as long as `goes_on` says so.
    ///
    /// # Errors
    /// As for [`look_up_while`](Self::look_up_while).
    pub fn main_line_while(
        &self,
        position: &Position,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<MainLine, KnowledgeError> {
        self.line_from(position, &mut goes_on)
    }

    fn line_from(&self, position: &Position, goes_on: GoesOn<'_>) -> Result<MainLine, KnowledgeError> {
        let mut is_first = true;
        follow(self.rules, position, |position| {
            let best = self.best_move(position, goes_on);
            match best {
                Err(error) if error.is_lack_of_tables() && !is_first => Ok(Next::Unknown),
                best => {
                    is_first = false;
                    best.map(Next::from)
                }
            }
        })
    }

    /// The best move of a position by itself; `None` when the game is over.
    fn best_move(
        &self,
        position: &Position,
        goes_on: GoesOn<'_>,
    ) -> Result<Option<RankedMove>, KnowledgeError> {
        // Ranking the moves alone costs less than a whole look-up, and needs no table for the position
        // itself.
        if let Some(tables) = self.tables()
            && let Some(moves) = covered(tables.ranked_moves_while(position, &mut *goes_on))?
        {
            return Ok(moves.first().copied());
        }
        let Some(certified) = self.certified(position, goes_on)? else {
            // Either the game is over, or it says what is missing.
            return self.verdict_while(position, goes_on).map(|_| None);
        };
        Ok(certified.replies.first().map(|&(mv, value)| RankedMove {
            mv,
            position: position.play(self.rules, &mv),
            verdict: Verdict::without_distances(value),
        }))
    }

    /// What is proven about a position and its moves; `None` where nothing covers the position. In crowded
    /// positions tables look at very many others, and certificates unpack a block for each.
    pub(super) fn proven_while(
        &self,
        position: &Position,
        history: &[Position],
        goes_on: GoesOn<'_>,
    ) -> Result<Option<Insight>, KnowledgeError> {
        self.check(position)?;
        if let Some(verdict) = finished(self.rules, position) {
            return Ok(Some(Insight::over(Worth::Exact(verdict))));
        }
        let insight = match self.by_tables(position, goes_on)? {
            Some(insight) => Some(insight),
            None => self.by_certificate(position, goes_on)?,
        };
        insight.map(|insight| self.in_game(position, history, insight, goes_on)).transpose()
    }

    fn by_tables(&self, position: &Position, goes_on: GoesOn<'_>) -> Result<Option<Insight>, KnowledgeError> {
        let Some(tables) = self.tables() else { return Ok(None) };
        let Some((verdict, ranked)) = covered(tables.probe_with_moves_while(position, goes_on))? else {
            return Ok(None);
        };
        let known = |verdict| Some(Known { worth: Worth::Exact(verdict), source: Source::Tables });
        let prospect = |ranked: RankedMove| Prospect::new(ranked.mv, ranked.position, known(ranked.verdict));
        Ok(Some(Insight {
            known: known(verdict),
            in_game: known(verdict),
            moves: ranked.into_iter().map(prospect).collect(),
            line: Vec::new(),
        }))
    }

    fn by_certificate(
        &self,
        position: &Position,
        goes_on: GoesOn<'_>,
    ) -> Result<Option<Insight>, KnowledgeError> {
        let Some(certified) = self.certified(position, goes_on)? else { return Ok(None) };
        let by_certificate = |value| Known { worth: Worth::of_value(value), source: Source::Certificate };
        let mut moves = Vec::new();
        for &(mv, value) in &certified.replies {
            let after = position.play(self.rules, &mv);
            moves.push(Prospect::new(mv, after, Some(by_certificate(value))));
        }
        let mut others = Vec::new();
        for mv in playable_moves(self.rules, position) {
            if certified.replies.iter().all(|(reply, _)| *reply != mv) {
                others.push(self.prospect(position, mv, goes_on)?);
            }
        }
        // Behind the reply: another winning move may lead round in a circle, the reply does not.
        others.sort_by_key(|prospect| Reverse(prospect.rank()));
        moves.extend(others);
        let known = Some(by_certificate(certified.value));
        let mut insight = Insight { known, in_game: known, moves, line: Vec::new() };
        if let Some(first) = insight.moves.first() {
            let rest = match self.line_from(&first.position, goes_on) {
                Ok(line) => line.moves,
                Err(error) if error.is_lack_of_tables() => Vec::new(),
                Err(error) => return Err(error),
            };
            insight.line = std::iter::once(first.mv).chain(rest.iter().map(|ranked| ranked.mv)).collect();
        }
        Ok(Some(insight))
    }

    /// What is proven about playing the legal move `mv`, whatever happened before.
    pub(super) fn prospect(
        &self,
        position: &Position,
        mv: Move,
        goes_on: GoesOn<'_>,
    ) -> Result<Prospect, KnowledgeError> {
        let after = position.play(self.rules, &mv);
        let known = self.known(&after, goes_on)?.map(|(verdict, source)| {
            let worth = Worth::Exact(verdict.before(mv.is_capture()));
            Known { worth, source }
        });
        Ok(Prospect::new(mv, after, known))
    }

    /// The verdict on a legal position by itself and who knows it.
    fn known(
        &self,
        position: &Position,
        goes_on: GoesOn<'_>,
    ) -> Result<Option<(Verdict, Source)>, KnowledgeError> {
        if let Some(verdict) = finished(self.rules, position) {
            return Ok(Some((verdict, Source::Rules)));
        }
        if let Some(tables) = self.tables()
            && let Some(verdict) = covered(tables.probe_while(position, &mut *goes_on))?
        {
            return Ok(Some((verdict, Source::Tables)));
        }
        let certified = self.certified(position, goes_on)?;
        Ok(certified.map(|certified| (Verdict::without_distances(certified.value), Source::Certificate)))
    }

    fn certified(
        &self,
        position: &Position,
        goes_on: GoesOn<'_>,
    ) -> Result<Option<Certified>, KnowledgeError> {
        if self.certificates.is_empty() {
            return Ok(None);
        }
        if !goes_on() {
            return Err(ProbeError::Stopped.into());
        }
        if let Some(answer) = self.certificates.reply(position)? {
            return Ok(Some(Certified { value: answer.value, replies: vec![(answer.mv, answer.value)] }));
        }
        let mut replies = Vec::new();
        for mv in playable_moves(self.rules, position) {
            if !goes_on() {
                return Err(ProbeError::Stopped.into());
            }
            let after = position.play(self.rules, &mv);
            let within = match self.certificates.reply(&after)? {
                Some(answer) if answer.value == Value::Win => answer.within,
                Some(_) => return Ok(None),
                None => match self.tables().map(|tables| tables.probe_value_while(&after, &mut *goes_on)) {
                    Some(Ok(Value::Win)) => None,
                    Some(Err(ProbeError::Stopped)) => return Err(ProbeError::Stopped.into()),
                    _ => return Ok(None),
                },
            };
            replies.push((within, mv));
        }
        replies.sort_by_key(|&(within, _)| Reverse(within));
        let replies: Vec<_> = replies.into_iter().map(|(_, mv)| (mv, Value::Loss)).collect();
        Ok((!replies.is_empty()).then_some(Certified { value: Value::Loss, replies }))
    }

    fn check(&self, position: &Position) -> Result<(), KnowledgeError> {
        let rules = self.rules;
        Ok(position.check(rules).map_err(|error| ProbeError::Position { rules: rules.name(), error })?)
    }

    fn no_tables(&self) -> KnowledgeError {
        KnowledgeError::NoTables { rules: self.rules.name() }
    }
}

/// The verdict on a position in which the game is over by the position alone.
fn finished(rules: &Rules, position: &Position) -> Option<Verdict> {
    if !has_legal_move(rules, position) {
        if Value::without_moves(rules, position) == Value::Draw {
            return Some(Verdict::without_distances(Value::Draw));
        }
        return Some(Verdict::new(Value::Loss, |metric| metric.at_end(rules)));
    }
    position.is_drawn_by_counter(rules).then(|| Verdict::without_distances(Value::Draw))
}
