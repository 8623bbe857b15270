//! From a finished search to the replies that prove it.
//!
//! From the solved position on, one reply is chosen wherever the prover is to move, and all answers of the
//! other side are followed. Results that the table has lost are searched again.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};

use super::bounds::{Bounds, Plies};
use super::children::{for_each_child, is_capture};
use super::worker::Worker;
use crate::canonical::{Canonical, Key};
use crate::certificate::{Claim, Entry, Goal, Strategy};
use crate::material::Material;

/// Which question the prover's claim answers, and how.
#[derive(Clone, Copy)]
pub(super) struct Proof {
    /// What is claimed.
    pub claim: Claim,
    /// The position that was solved.
    pub root: Canonical,
    /// Plies left there before the game is drawn.
    pub left: u16,
    /// Plies left after each capture.
    pub most_plies: u16,
}

/// Collects a strategy.
struct Collector<'a, 'w> {
    worker: &'a mut Worker<'w>,
    proof: Proof,
    entries: FxHashMap<Key, (u16, Key)>,
    leaves: FxHashSet<Material>,
    /// Positions with the prover to move, with the most plies that may be left, or the fewest that must be.
    pending: Vec<(Canonical, u16)>,
}

/// A move of the prover.
struct Reply {
    child: Canonical,
    captures: bool,
    bound: u16,
}

/// The replies that prove what `worker` has found out. `None` when it was stopped.
pub(super) fn collect(worker: &mut Worker<'_>, proof: Proof, stop: Option<&AtomicBool>) -> Option<Strategy> {
    let mut collector = Collector {
        worker,
        proof,
        entries: FxHashMap::default(),
        leaves: FxHashSet::default(),
        pending: Vec::new(),
    };
    if proof.claim.by_mover {
        collector.visit(proof.root, proof.left);
    } else {
        collector.answers(proof.root, proof.left);
    }
    while let Some((canonical, left)) = collector.pending.pop() {
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return None;
        }
        collector.reply(canonical, left)?;
    }
    Some(collector.finish())
}

impl Collector<'_, '_> {
    /// The entries that are needed. A reply replaced by a quicker one leaves entries behind that are
    /// not.
    fn finish(mut self) -> Strategy {
        self.leaves.clear();
        let mut needed: FxHashSet<Key> = FxHashSet::default();
        let mut pending = Vec::new();
        let Proof { claim, root, left, most_plies } = self.proof;
        if claim.by_mover {
            pending.push(root);
        } else {
            self.for_each_answer(root, left, |child| pending.push(child));
        }
        while let Some(canonical) = pending.pop() {
            let Some(&(bound, reply)) = self.entries.get(&canonical.key()) else {
                self.note_leaf(canonical);
                continue;
            };
            if !needed.insert(canonical.key()) || bound == 0 {
                continue;
            }
            let after = Canonical::from_key(reply);
            let left = if is_capture(canonical, after) { most_plies } else { bound - 1 };
            self.for_each_answer(after, left, |child| pending.push(child));
        }
        self.entries.retain(|key, _| needed.contains(key));
        let entries = self.entries.into_iter();
        let entries = entries.map(|(key, (bound, reply))| Entry { key, reply, bound }).collect();
        Strategy { claim, entries, leaves: self.leaves.into_iter().collect() }
    }

    /// Whether the attacker of the search is the prover.
    fn wins(&self) -> bool {
        self.proof.claim.goal == Goal::Win
    }

    fn plies(&self) -> Plies {
        Plies { allowed: self.proof.most_plies, ..self.worker.plies() }
    }

    /// Whether a reply with `bound` is good enough when `left` plies are left.
    fn suffices(&self, bound: u16, left: u16) -> bool {
        if self.wins() { bound <= left } else { bound >= left }
    }

    /// The prover is to move and must reach the goal with `left` plies left.
    fn visit(&mut self, canonical: Canonical, left: u16) {
        if self.note_leaf(canonical) {
            return;
        }
        let known = self.entries.get(&canonical.key());
        if known.is_none_or(|&(bound, _)| !self.suffices(bound, left)) {
            self.pending.push((canonical, left));
        }
    }

    /// Whether the tables know the position; remembers that they are needed.
    fn note_leaf(&mut self, canonical: Canonical) -> bool {
        let material = self.worker.leaves().covers(canonical);
        self.leaves.extend(material);
        material.is_some()
    }

    /// Chooses a reply.
    fn reply(&mut self, canonical: Canonical, left: u16) -> Option<()> {
        let known = self.entries.get(&canonical.key());
        if known.is_some_and(|&(bound, _)| self.suffices(bound, left)) {
            return Some(());
        }
        if left == 0 {
            // The game is drawn here, since there is a legal move.
            return self.any_reply(canonical);
        }
        let reply = match self.best_reply(canonical, left) {
            Some(reply) => reply,
            None => {
                // Proven before, then pushed out of the table. Finding it again mostly takes few plies.
                let few = left.min(self.worker.plies().allowed);
                if self.worker.settle(canonical, self.wins(), few)?.settle(left) != Some(self.wins()) {
                    self.worker.settle(canonical, self.wins(), left)?;
                }
                self.searched_reply(canonical, left)?
            }
        };
        self.entries.insert(canonical.key(), (reply.bound, reply.child.key()));
        let left = if reply.captures { self.proof.most_plies } else { reply.bound - 1 };
        self.answers(reply.child, left);
        Some(())
    }

    /// The reply that is known to reach the goal; of several, the one that took the least work to prove.
    fn best_reply(&mut self, canonical: Canonical, left: u16) -> Option<Reply> {
        let wins = self.wins();
        let mut best: Option<(u8, Reply)> = None;
        let mut children = Vec::new();
        for_each_child(self.worker.rules(), canonical, |child| children.push(child));
        for child in children {
            let captures = is_capture(canonical, child);
            let (bounds, work) = self.worker.known(child, !wins)?;
            let bounds = bounds.before(captures, self.plies());
            if bounds.settle(left) != Some(wins) {
                continue;
            }
            let bound = self.bound_of(bounds);
            if best.as_ref().is_none_or(|(least, reply)| (work, bound) < (*least, reply.bound)) {
                best = Some((work, Reply { child, captures, bound }));
            }
        }
        best.map(|(_, reply)| reply)
    }

    /// Notes that there is a legal move.
    fn any_reply(&mut self, canonical: Canonical) -> Option<()> {
        let mut least: Option<Key> = None;
        for_each_child(self.worker.rules(), canonical, |child| {
            least = Some(least.map_or(child.key(), |least| least.min(child.key())));
        });
        self.entries.insert(canonical.key(), (0, least?));
        Some(())
    }

    /// As [`best_reply`](Self::best_reply), but searching the children one by one.
    fn searched_reply(&mut self, canonical: Canonical, left: u16) -> Option<Reply> {
        if let Some(reply) = self.best_reply(canonical, left) {
            return Some(reply);
        }
        let wins = self.wins();
        let mut children = Vec::new();
        for_each_child(self.worker.rules(), canonical, |child| children.push(child));
        for child in children {
            let captures = is_capture(canonical, child);
            let left_then = if captures { self.proof.most_plies } else { left.checked_sub(1)? };
            let bounds = self.worker.settle(child, !wins, left_then)?.before(captures, self.plies());
            if bounds.settle(left) == Some(wins) {
                return Some(Reply { child, captures, bound: self.bound_of(bounds) });
            }
        }
        None
    }

    /// The bound of an entry: the plies that suffice to win, or for which the claim holds.
    fn bound_of(&self, bounds: Bounds) -> u16 {
        if self.wins() {
            bounds.won_from
        } else {
            bounds.not_won_below.saturating_sub(1).min(self.proof.most_plies)
        }
    }

    /// Follows all moves of the other side.
    fn answers(&mut self, canonical: Canonical, left: u16) {
        let mut children = Vec::new();
        self.for_each_answer(canonical, left, |child| children.push(child));
        for child in children {
            let captures = is_capture(canonical, child);
            let left = if captures { self.proof.most_plies } else { left.saturating_sub(1) };
            self.visit(child, left);
        }
    }

    /// Calls `visit` with the position after each move of the other side, unless tables know the position or
    /// the game is over.
    fn for_each_answer(&mut self, canonical: Canonical, left: u16, visit: impl FnMut(Canonical)) {
        if !self.note_leaf(canonical) && left > 0 {
            for_each_child(self.worker.rules(), canonical, visit);
        }
    }
}
