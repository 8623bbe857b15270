//! Quicker replies, from all that a search has proven besides the replies that it settled for.
//!
//! A search stops at the first reply that wins. Its table knows many more won positions, some of them
//! quicker. So the graph of won positions is built from the root, as far as it is known and memory allows,
//! with every reply that is known to win. Retrograde analysis then chooses the quickest replies. The original
//! strategy is part of the graph, so the result is never slower.

use bitvec::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use super::SolveError;
use super::children::{children, for_each_child};
use super::strategy::Proof;
use super::worker::Worker;
use crate::canonical::{Canonical, Key};
use crate::certificate::{Entry, Goal, Strategy};
use crate::tablebase::ProbeError;

/// Plies to the end of the game, or to a table without distances to the end.
type Length = usize;

/// A position in which the winner is to move.
struct Node {
    key: Key,
    /// The replies whose answers lead here.
    waiting: Vec<u32>,
    /// The best reply, once it is known.
    best: Option<u32>,
}

/// A reply that wins.
struct Reply {
    after: Key,
    /// The node in which it is played; `None` for the position that was solved, if the other side moves
    /// there.
    from: Option<u32>,
    /// Answers of unknown length.
    open: u32,
    /// The longest known answer.
    longest: Length,
}

struct Shortener<'a, 'w> {
    worker: &'a Worker<'w>,
    /// Whether the search asked if the prover wins; else it asked if the other side does, where one of them
    /// must.
    wins: bool,
    known: FxHashMap<Key, Key>,
    nodes: Vec<Node>,
    numbers: FxHashMap<Key, u32>,
    replies: Vec<Reply>,
    /// Replies by the most plies that their answers take: they settle their nodes.
    settled: Vec<Vec<u32>>,
    most: usize,
}

/// Replaces the replies of a strategy to win by quicker ones that `worker` has proven to win, looking at
/// `most` positions besides those of the strategy. The bounds are left to [`tighten`](super::rank::tighten).
pub(super) fn shorten(
    worker: &Worker<'_>,
    proof: Proof,
    strategy: &Strategy,
    most: usize,
    stop: Option<&AtomicBool>,
) -> Result<Strategy, SolveError> {
    let known: FxHashMap<Key, Key> = strategy.entries.iter().map(|entry| (entry.key, entry.reply)).collect();
    let most = most.saturating_add(known.len());
    let wins = proof.claim.goal == Goal::Win;
    let (nodes, numbers) = (Vec::new(), FxHashMap::default());
    let mut shortener =
        Shortener { worker, wins, known, nodes, numbers, replies: Vec::new(), settled: Vec::new(), most };
    let root = match proof.claim.by_mover {
        true => Some(shortener.number(proof.root)),
        false => {
            shortener.reply(proof.root, None)?;
            None
        }
    };
    let mut next = 0;
    while next < shortener.nodes.len() {
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(SolveError::Stopped);
        }
        shortener.expand(next as u32)?;
        next += 1;
    }
    shortener.settle();
    Ok(shortener.strategy(root, proof.root, strategy))
}

impl Shortener<'_, '_> {
    fn number(&mut self, canonical: Canonical) -> u32 {
        let key = canonical.key();
        *self.numbers.entry(key).or_insert_with(|| {
            self.nodes.push(Node { key, waiting: Vec::new(), best: None });
            self.nodes.len() as u32 - 1
        })
    }

    /// Whether the search has proven that the prover wins.
    fn is_proven(&self, canonical: Canonical, prover_to_move: bool) -> bool {
        let known = self.worker.known(canonical, prover_to_move == self.wins);
        let allowed = self.worker.plies().allowed;
        known.is_some_and(|(bounds, _)| bounds.settle_after_capture(allowed) == Some(self.wins))
    }

    /// Adds the replies of a node that are known to win.
    fn expand(&mut self, number: u32) -> Result<(), ProbeError> {
        let key = self.nodes[number as usize].key;
        let chosen = self.known.get(&key).copied();
        let is_full = self.nodes.len() >= self.most;
        for child in children(self.worker.rules(), Canonical::from_key(key)) {
            if chosen == Some(child.key()) || !is_full && self.is_proven(child, false) {
                self.reply(child, Some(number))?;
            }
        }
        Ok(())
    }

    /// Adds a reply with all answers, unless one of them is not known to be won.
    fn reply(&mut self, after: Canonical, from: Option<u32>) -> Result<(), ProbeError> {
        let reply = self.replies.len() as u32;
        let (mut open, mut longest) = (0, 0);
        if let Some(length) = self.worker.leaves().length(after)? {
            longest = length;
        } else {
            let mut nodes = Vec::new();
            for answer in children(self.worker.rules(), after) {
                if let Some(length) = self.worker.leaves().length(answer)? {
                    longest = longest.max(length + 1);
                } else if self.known.contains_key(&answer.key()) || self.is_proven(answer, true) {
                    nodes.push(answer);
                } else {
                    return Ok(());
                }
            }
            for answer in nodes {
                let number = self.number(answer);
                self.nodes[number as usize].waiting.push(reply);
                open += 1;
            }
        }
        self.replies.push(Reply { after: after.key(), from, open, longest });
        if open == 0 {
            self.note_settled(reply);
        }
        Ok(())
    }

    fn note_settled(&mut self, reply: u32) {
        let length = self.replies[reply as usize].longest;
        if self.settled.len() <= length {
            self.settled.resize_with(length + 1, Vec::new);
        }
        self.settled[length].push(reply);
    }

    /// Chooses the quickest reply of each node. Lengths are settled in rising order, so the first is the best.
    fn settle(&mut self) {
        let mut length = 0;
        while length < self.settled.len() {
            for reply in std::mem::take(&mut self.settled[length]) {
                let Some(from) = self.replies[reply as usize].from else { continue };
                let node = &mut self.nodes[from as usize];
                if node.best.is_some() {
                    continue;
                }
                node.best = Some(reply);
                for waiting in std::mem::take(&mut node.waiting) {
                    let reply = &mut self.replies[waiting as usize];
                    reply.open -= 1;
                    reply.longest = reply.longest.max(length + 2);
                    if reply.open == 0 {
                        self.note_settled(waiting);
                    }
                }
            }
            length += 1;
        }
    }

    /// The replies chosen, from the root on.
    fn strategy(&self, root: Option<u32>, solved: Canonical, before: &Strategy) -> Strategy {
        let leaves = self.worker.leaves();
        let mut entries = Vec::new();
        let mut materials = FxHashSet::default();
        let mut seen = bitvec![0; self.nodes.len()];
        let mut pending: Vec<u32> = root.into_iter().collect();
        let follow = |after: Canonical, pending: &mut Vec<u32>, materials: &mut FxHashSet<_>| {
            if let Some(material) = leaves.covers(after) {
                materials.insert(material);
                return;
            }
            for_each_child(self.worker.rules(), after, |answer| match self.numbers.get(&answer.key()) {
                Some(&number) => pending.push(number),
                None => materials.extend(leaves.covers(answer)),
            });
        };
        if root.is_none() {
            follow(solved, &mut pending, &mut materials);
        }
        while let Some(number) = pending.pop() {
            if seen.replace(number as usize, true) {
                continue;
            }
            let Node { key, best, .. } = self.nodes[number as usize];
            // The original strategy settles all of its positions, and these are reached through settled
            // ones.
            let Some(best) = best else { return before.clone() };
            let reply = self.replies[best as usize].after;
            entries.push(Entry { key, reply, bound: 0 });
            follow(Canonical::from_key(reply), &mut pending, &mut materials);
        }
        Strategy { claim: before.claim, entries, leaves: materials.into_iter().collect() }
    }
}
