//! Questions settled on the graph of positions itself, where play can go on for ever.
//!
//! Under rules without a ply counter, a search with a bound on quiet plies can prove a win, but never that
//! there is none. This module can. (With a ply counter it finds positions that are not lost even if play
//! could go on for ever, which is enough.) It looks for the least set of positions that the attacker wins, exploring on
//! demand. Where the attacker is to move, all moves are followed; where the other side is to move, one move
//! at a time that is not known to lose. A position joins the set when a move of the attacker leads into the
//! set, or when no move of the other side leads out of it. When nothing is left to do, the explored positions
//! outside the set are closed: the other side can stay there for ever, and no game is lost there.
//!
//! This is the local algorithm for least fixed points of Liu and Smolka (1998).

use bitvec::prelude::*;
use rustc_hash::FxHashMap;

use super::bounds::{Bounds, MOST_PLIES};
use super::children::{children, is_capture};
use super::worker::Worker;
use crate::canonical::{Canonical, Key};

/// Where the exploration of a question ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// The attacker wins the position.
    Won,
    /// The attacker does not win it.
    NotWon,
    /// More positions than allowed would have to be looked at, or the search was stopped.
    TooLarge,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Seen, not looked at.
    New,
    /// Looked at, not known to be won.
    Open,
    /// Won by the attacker, in at most this many plies to the next capture or the end.
    Won(u16),
    /// Known not to be won by a table or by the end of the game.
    Held,
}

struct Node {
    canonical: Canonical,
    attacking: bool,
    state: State,
    /// The nodes for which this node is a child that matters.
    waiting: Vec<u32>,
    children: Vec<u32>,
    /// The child by which the side that defends stays outside.
    chosen: usize,
}

/// The part of the graph that has been looked at, for one question.
pub(super) struct Graph<'a, 'w> {
    worker: &'a Worker<'w>,
    nodes: Vec<Node>,
    numbers: FxHashMap<(Key, bool), u32>,
    fresh: Vec<u32>,
    won: Vec<u32>,
}

impl<'a, 'w> Graph<'a, 'w> {
    /// An empty graph. What `worker` has proven counts as known.
    pub fn new(worker: &'a Worker<'w>) -> Graph<'a, 'w> {
        Graph { worker, nodes: Vec::new(), numbers: FxHashMap::default(), fresh: Vec::new(), won: Vec::new() }
    }

    /// Finds out whether the attacker wins `canonical`. Gives up after `most` positions, or when `is_over` says
    /// so.
    pub fn settle(
        &mut self,
        canonical: Canonical,
        attacking: bool,
        most: usize,
        is_over: impl Fn() -> bool,
    ) -> Found {
        let Some(root) = self.number(canonical, attacking) else { return Found::TooLarge };
        self.fresh.push(root);
        let root = root as usize;
        for step in 1_u64.. {
            if let State::Won(_) = self.nodes[root].state {
                return Found::Won;
            }
            let done = match (self.won.pop(), self.fresh.pop()) {
                (Some(won), fresh) => {
                    self.fresh.extend(fresh);
                    self.tell(won)
                }
                (None, Some(fresh)) => self.explore(fresh),
                (None, None) => return Found::NotWon,
            };
            if done.is_none() || self.nodes.len() > most || step % 1024 == 0 && is_over() {
                break;
            }
        }
        Found::TooLarge
    }

    /// How many positions it has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The positions found to be won, with the plies that suffice to the next capture or the end.
    pub fn won(&self) -> impl Iterator<Item = (Canonical, bool, u16)> {
        self.nodes.iter().filter_map(|node| match node.state {
            State::Won(plies) => Some((node.canonical, node.attacking, plies)),
            _ => None,
        })
    }

    /// The replies by which the defending side stays outside, from `canonical` on: each position with the one
    /// after it. The second list has the positions whose value tables know.
    pub fn replies(&self, canonical: Canonical, attacking: bool) -> (Vec<(Key, Key)>, Vec<Canonical>) {
        let (mut replies, mut leaves) = (Vec::new(), Vec::new());
        let mut pending: Vec<u32> =
            self.numbers.get(&(canonical.key(), attacking)).copied().into_iter().collect();
        let mut seen = bitvec![0; self.nodes.len()];
        while let Some(number) = pending.pop() {
            if seen.replace(number as usize, true) {
                continue;
            }
            let node = &self.nodes[number as usize];
            match node.state {
                State::Held => leaves.push(node.canonical),
                _ if node.attacking => pending.extend(&node.children),
                _ => {
                    let Some(&chosen) = node.children.get(node.chosen) else { continue };
                    replies.push((node.canonical.key(), self.nodes[chosen as usize].canonical.key()));
                    pending.push(chosen);
                }
            }
        }
        (replies, leaves)
    }

    /// The number of a position; a new one if it has none yet. `None` when a table is damaged.
    fn number(&mut self, canonical: Canonical, attacking: bool) -> Option<u32> {
        let number = u32::try_from(self.nodes.len()).ok()?;
        let known = self.numbers.entry((canonical.key(), attacking)).or_insert(number);
        if *known != number {
            return Some(*known);
        }
        let (bounds, _) = self.worker.known(canonical, attacking)?;
        let state = match bounds.settle(MOST_PLIES) {
            Some(true) => State::Won(bounds.won_from),
            // A search with a bound may miss a win.
            Some(false) if self.worker.is_leaf(canonical) => State::Held,
            _ => State::New,
        };
        let (waiting, children) = (Vec::new(), Vec::new());
        self.nodes.push(Node { canonical, attacking, state, waiting, children, chosen: 0 });
        Some(number)
    }

    /// Looks at the children of a node.
    fn explore(&mut self, number: u32) -> Option<()> {
        let Node { canonical, attacking, state, .. } = self.nodes[number as usize];
        if state != State::New {
            return Some(());
        }
        let mut children = children(self.worker.rules(), canonical);
        if !attacking {
            // First the moves that look safest and lead to few new positions.
            children.sort_by_cached_key(|&child| (self.novelty(child), self.worker.danger(child, true)));
        }
        let children: Option<Vec<u32>> =
            children.into_iter().map(|child| self.number(child, !attacking)).collect();
        let node = &mut self.nodes[number as usize];
        (node.children, node.state) = (children?, State::Open);
        if attacking {
            self.attack(number)
        } else {
            self.defend(number)
        }
        Some(())
    }

    /// How much work is likely to follow if the defending side moves here: none where tables know the
    /// position, little where the graph already has it.
    fn novelty(&self, child: Canonical) -> u8 {
        let known = self.numbers.get(&(child.key(), true)).map(|&number| self.nodes[number as usize].state);
        let held = self.worker.is_held(child);
        match (known, held) {
            (Some(State::Won(_)), _) => 5,
            (Some(State::Held), _) => 0,
            _ if self.worker.is_leaf(child) => 0,
            (Some(_), true) => 1,
            (None, true) => 2,
            (Some(_), false) => 3,
            (None, false) => 4,
        }
    }

    /// All moves of the attacker matter.
    fn attack(&mut self, number: u32) {
        let children = self.nodes[number as usize].children.clone();
        let winning = children.iter().filter_map(|&child| self.plies_by(number, child)).min();
        if let Some(plies) = winning {
            return self.win(number, plies);
        }
        for child in children {
            self.wait_for(child, number);
        }
    }

    /// The first move that is not known to lose matters.
    fn defend(&mut self, number: u32) {
        let node = &self.nodes[number as usize];
        let safe = (node.chosen..node.children.len()).find(|&at| self.plies_of(node.children[at]).is_none());
        match safe {
            Some(at) => {
                let child = node.children[at];
                self.nodes[number as usize].chosen = at;
                self.wait_for(child, number);
            }
            None => {
                let longest = node.children.iter().filter_map(|&child| self.plies_by(number, child)).max();
                self.win(number, longest.unwrap_or(0));
            }
        }
    }

    fn plies_of(&self, number: u32) -> Option<u16> {
        match self.nodes[number as usize].state {
            State::Won(plies) => Some(plies),
            _ => None,
        }
    }

    /// The plies of a node to the next capture or the end, by a move to a child that is won.
    fn plies_by(&self, number: u32, child: u32) -> Option<u16> {
        let plies = self.plies_of(child)?;
        let [before, after] = [number, child].map(|number| self.nodes[number as usize].canonical);
        Some(if is_capture(before, after) { 1 } else { plies.saturating_add(1) })
    }

    fn wait_for(&mut self, child: u32, number: u32) {
        let child_node = &mut self.nodes[child as usize];
        child_node.waiting.push(number);
        if child_node.state == State::New {
            self.fresh.push(child);
        }
    }

    /// Records that the attacker wins a node, in `plies` plies to the next capture or the end.
    fn win(&mut self, number: u32, plies: u16) {
        self.nodes[number as usize].state = State::Won(plies);
        self.won.push(number);
    }

    /// A node has been won: those that wait for it look again.
    fn tell(&mut self, number: u32) -> Option<()> {
        for waiting in std::mem::take(&mut self.nodes[number as usize].waiting) {
            let Node { state, attacking, .. } = self.nodes[waiting as usize];
            match state {
                State::Open if attacking => {
                    let plies = self.plies_by(waiting, number)?;
                    self.win(waiting, plies);
                }
                State::Open => self.defend(waiting),
                _ => {}
            }
        }
        Some(())
    }
}

/// Bytes that a position takes in a [`Graph`], about.
pub(super) const BYTES_A_POSITION: u64 = 250;

/// The bounds of a position that is won in `plies` plies.
pub(super) fn bounds_of_won(plies: u16) -> Option<Bounds> {
    (plies <= MOST_PLIES).then(|| Bounds::won_from(plies))
}
