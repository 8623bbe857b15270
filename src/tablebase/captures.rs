//! Positions in which the side to move must capture: no table has them, their captures are played out.

use std::convert::Infallible;
use std::ops::ControlFlow;

use super::known::{Bound, Key};
use super::{ProbeError, Tablebase, Verdict};
use crate::moves::{Move, for_each_chain, has_legal_move, must_capture};
use crate::position::Position;
use crate::table::{Metric, Value};

/// A position after a capture.
struct Child {
    position: Position,
    /// How many chains the opponent can capture in turn. With none, its tables have the value.
    replies: u32,
}

impl Tablebase {
    /// The positions to which captures lead, each once, those first that are likely to prove a win soon.
    fn children(&self, position: &Position) -> Vec<Child> {
        let rules = self.rules();
        let mut children: Vec<Child> = Vec::with_capacity(16);
        let _: ControlFlow<Infallible> =
            for_each_chain(rules.side(position.side()), position.own(), position.opponent(), |chain| {
                let after = position.play(rules, &Move::capture(chain));
                // Chains that jump over the same stones in another order end in the same position.
                if !children.iter().any(|child| child.position == after) {
                    children.push(Child { position: after, replies: self.replies(&after) });
                }
                ControlFlow::Continue(())
            });
        // Every reply has to be refuted to prove that the opponent has lost, so that few replies cost least
        // (proof numbers rest on the same thought). Who has fewer stones is the more likely to lose.
        children.sort_by_key(|child| (child.replies, child.position.own().count()));
        children
    }

    /// How many chains the side to move must choose from.
    fn replies(&self, position: &Position) -> u32 {
        let rules = self.rules();
        let mut replies = 0_u32;
        if must_capture(rules, position) {
            let side = rules.side(position.side());
            let _: ControlFlow<Infallible> =
                for_each_chain(side, position.own(), position.opponent(), |_| {
                    replies = replies.saturating_add(1);
                    ControlFlow::Continue(())
                });
        }
        replies
    }

    /// Where the value of a position with captures is remembered, if it is. Where stones have states the
    /// tables do not reach positions with so many captures that it would pay.
    #[inline]
    fn key(&self, position: &Position) -> Option<Key> {
        (!self.rules().no_return()).then(|| Key::of(position))
    }

    /// As [`value_within`](Self::value_within), for a position with captures.
    pub(super) fn value_by_captures(
        &self,
        position: &Position,
        low: Value,
        high: Value,
        goes_on: &mut impl FnMut() -> bool,
    ) -> Result<Value, ProbeError> {
        let key = self.key(position);
        if let Some(value) = key.and_then(|key| self.known.value(key)?.answers(low, high)) {
            return Ok(value);
        }
        let mut children = self.children(position);
        // One that is known to be lost for the opponent is enough.
        let is_lost = |child: &Child| {
            let key = self.key(&child.position).filter(|_| child.replies > 0);
            key.and_then(|key| self.known.value(key)) == Some(Bound::Exact(Value::Loss))
        };
        if let Some(lost) = children.iter().position(is_lost) {
            children.swap(0, lost);
        }
        let mut best = Value::Loss;
        for child in &children {
            let low = best.max(low).reversed();
            best = best.max(self.value_within(&child.position, high.reversed(), low, goes_on)?.reversed());
            if best >= high {
                break;
            }
        }
        if let Some(key) = key {
            self.known.insert_value(key, Bound::of(best, low, high));
        }
        Ok(best)
    }

    /// The verdict on a position with captures.
    pub(super) fn verdict_by_captures(
        &self,
        position: &Position,
        goes_on: &mut impl FnMut() -> bool,
    ) -> Result<Verdict, ProbeError> {
        let past_captures = |metric: &Metric| metric.reaches_past_captures() && self.has_any(*metric);
        if !Metric::ALL.iter().any(past_captures) {
            // The other distances are known: the next capture is this one. How soon the game ends is known
            // only where captures end it.
            let value = self.value_by_captures(position, Value::Loss, Value::Win, goes_on)?;
            let ends = |child: &Child| {
                !has_legal_move(self.rules(), &child.position)
                    && Value::without_moves(self.rules(), &child.position) == Value::Loss
            };
            if value == Value::Loss {
                return self.fold_children(position, goes_on);
            }
            let wins_now = value == Value::Win && self.children(position).iter().any(ends);
            let after =
                if wins_now { self.ended(Value::Loss) } else { Verdict::new(value.reversed(), |_| None) };
            return Ok(after.before(true));
        }
        let key = self.key(position);
        if let Some(verdict) = key.and_then(|key| self.known.verdict(key)) {
            return Ok(verdict);
        }
        let best = self.fold_children(position, goes_on)?;
        if let Some(key) = key {
            self.known.insert_verdict(key, &best);
        }
        Ok(best)
    }

    /// The best of the verdicts on what captures lead to.
    fn fold_children(
        &self,
        position: &Position,
        goes_on: &mut impl FnMut() -> bool,
    ) -> Result<Verdict, ProbeError> {
        let mut best: Option<Verdict> = None;
        for child in self.children(position) {
            let verdict = self.verdict(&child.position, goes_on)?.before(true);
            best = Some(best.map_or(verdict, |best| best.or(verdict)));
        }
        // There is a capture, so there is a best one.
        Ok(best.unwrap_or_else(|| self.ended(Value::Loss)))
    }
}
