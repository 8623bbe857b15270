//! One thread of a proof-number search (df-pn).
//!
//! Nagai's depth-first proof-number search with the *weak* numbers of Ueda et al.: the number of several
//! children is that of the hardest one plus one for each other, since sums would count shared positions many
//! times. The numbers only guide the search; proofs rest on [`Bounds`].

use super::bounds::{Bounds, INFINITE, Knowledge, Numbers, Plies, work_of};
use super::children::{for_each_child, is_capture};
use super::control::Control;
use super::hash::{HashTable, Question};
use super::leaves::Leaves;
use crate::canonical::Canonical;
use crate::rules::{Rules, Side};

/// One thread of a search.
pub(super) struct Worker<'a> {
    rules: &'static Rules,
    hash: &'a HashTable,
    leaves: &'a Leaves<'a>,
    control: &'a Control<'a>,
    plies: Plies,
    /// The number of this thread.
    number: usize,
    children: Vec<Child>,
    nodes: u64,
    reported: u64,
}

/// A move of a node on the current line, or several that lead to the same position.
#[derive(Clone, Copy)]
struct Child {
    canonical: Canonical,
    question: Question,
    /// Seen from the node: how much work it takes to show that the move is what its player wants, or fears.
    wanted: u32,
    feared: u32,
    bounds: Bounds,
    captured: bool,
    /// Whether the move is known to be what its player wants.
    settled: Option<bool>,
}

/// The position after the best move and what to spend on it.
struct Choice {
    index: usize,
    limit: Numbers,
}

/// What the children of a node say about it.
enum Summary {
    Settled(Bounds),
    Beyond(Numbers),
    Open(Choice),
}

impl<'a> Worker<'a> {
    pub fn new(
        rules: &'static Rules,
        hash: &'a HashTable,
        leaves: &'a Leaves<'a>,
        control: &'a Control<'a>,
        plies: Plies,
        number: usize,
    ) -> Worker<'a> {
        let children = Vec::with_capacity(1 << 12);
        Worker { rules, hash, leaves, control, plies, number, children, nodes: 0, reported: 0 }
    }

    /// Finds out whether the attacker wins `canonical`, which no table covers, with `left` plies left. An entry
    /// for the position itself is not used, so that the whole proof is in the table afterwards. `None` if
    /// the search was ended.
    pub fn settle(&mut self, canonical: Canonical, attacking: bool, left: u16) -> Option<Bounds> {
        let question = Question::new(canonical.key(), attacking);
        self.children.clear();
        let found = self.node(canonical, question, attacking, left, Numbers::UNLIMITED, 0);
        self.report();
        found.map(|known| known.bounds)
    }

    /// What is known about a question without a search, and how much work it took. `None` if a table is
    /// damaged.
    pub fn known(&self, canonical: Canonical, attacking: bool) -> Option<(Bounds, u8)> {
        if let Some(bounds) = self.leaf(canonical, attacking)? {
            return Some((bounds, 0));
        }
        let known = self.hash.get(Question::new(canonical.key(), attacking));
        Some(known.map_or((Bounds::UNKNOWN, u8::MAX), |known| (known.bounds, known.work)))
    }

    /// Keeps bounds that were proven elsewhere.
    pub fn remember(&self, canonical: Canonical, attacking: bool, bounds: Bounds) {
        let numbers = Numbers { proof: 1, disproof: 1 };
        self.hash.put(Question::new(canonical.key(), attacking), Knowledge { numbers, bounds, work: 0 });
    }

    /// How likely the attacker seems to win; larger is likelier.
    pub fn danger(&self, canonical: Canonical, attacking: bool) -> impl Ord + use<> {
        let known = self.hash.get(Question::new(canonical.key(), attacking));
        let held_for = known.map_or(0, |known| known.bounds.not_won_below);
        let numbers = known.map_or_else(|| self.estimate(canonical, !attacking), |known| known.numbers);
        (std::cmp::Reverse(held_for), numbers.disproof)
    }

    /// Whether a search found that the attacker, who is to move, does not win within some plies at least.
    pub fn is_held(&self, canonical: Canonical) -> bool {
        let known = self.hash.get(Question::new(canonical.key(), true));
        known.is_some_and(|known| known.bounds.not_won_below > 0)
    }

    /// Whether the value of the position is final: a table has it, or a side has no stone.
    pub fn is_leaf(&self, canonical: Canonical) -> bool {
        canonical.own().is_empty() || self.leaves.covers(canonical).is_some()
    }

    /// Plies without a capture that its search and the rules allow.
    pub fn plies(&self) -> Plies {
        self.plies
    }

    /// The rules.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// The tables.
    pub fn leaves(&self) -> &'a Leaves<'a> {
        self.leaves
    }

    /// Searches a node until one of its numbers reaches `limit` or it is settled.
    fn node(
        &mut self,
        canonical: Canonical,
        question: Question,
        attacking: bool,
        left: u16,
        limit: Numbers,
        ply: usize,
    ) -> Option<Knowledge> {
        let nodes_before = self.nodes;
        self.nodes += 1;
        if self.nodes - self.reported >= Control::INTERVAL {
            self.report()?;
        }
        self.control.enter(self.number, ply, question);
        let first = self.children.len();
        self.expand(canonical, attacking, left)?;
        let mut numbers = Numbers { proof: 1, disproof: 1 };
        let bounds = loop {
            match self.summarise(first, attacking, left, limit, ply) {
                Summary::Settled(bounds) => break bounds,
                Summary::Beyond(found) => {
                    numbers = found;
                    break Bounds::UNKNOWN;
                }
                Summary::Open(Choice { index, limit }) => {
                    let Child { canonical, question, wanted, feared, .. } = self.children[index];
                    let left = self.left_after(index, left);
                    let learn = |worker: &mut Self, known| worker.learn(index, known, attacking, left);
                    if let Some(known) = self.hash.get(question) {
                        // Another thread, or another line of this one, may have been here.
                        learn(self, known);
                        let child = &self.children[index];
                        if child.settled.is_some() || child.wanted > wanted || child.feared > feared {
                            continue;
                        }
                    }
                    let known = self.node(canonical, question, !attacking, left, limit, ply + 1)?;
                    learn(self, known);
                }
            }
        };
        self.children.truncate(first);
        let known = Knowledge { numbers, bounds, work: work_of(self.nodes - nodes_before) };
        self.hash.put(question, known);
        Some(known)
    }

    /// Plies that are left after a move of a node at which `left`, at least one, are left.
    #[inline]
    fn left_after(&self, index: usize, left: u16) -> u16 {
        if self.children[index].captured { self.plies.allowed } else { left - 1 }
    }

    /// Appends the moves of a node to the children, with what is known about each.
    fn expand(&mut self, canonical: Canonical, attacking: bool, left: u16) -> Option<()> {
        let first = self.children.len();
        let (children, hash, before) = (&mut self.children, self.hash, canonical);
        for_each_child(self.rules, canonical, |canonical| {
            if children[first..].iter().all(|child| child.canonical != canonical) {
                let question = Question::new(canonical.key(), !attacking);
                hash.prefetch(question);
                children.push(Child {
                    canonical,
                    captured: is_capture(before, canonical),
                    question,
                    wanted: 1,
                    feared: 1,
                    bounds: Bounds::UNKNOWN,
                    settled: None,
                });
            }
        });
        if left == 0 {
            return Some(());
        }
        for index in first..self.children.len() {
            let left = self.left_after(index, left);
            let Child { canonical, question, .. } = self.children[index];
            if let Some(bounds) = self.leaf(canonical, !attacking)? {
                let numbers = self.estimate(canonical, attacking);
                self.learn(index, Knowledge { bounds, numbers, work: 0 }, attacking, left);
                if self.children[index].settled == Some(true) {
                    break;
                }
                if self.children[index].settled.is_some() {
                    continue;
                }
            }
            let known = self.hash.get(question).unwrap_or_else(|| Knowledge {
                numbers: self.estimate(canonical, attacking),
                bounds: Bounds::UNKNOWN,
                work: 0,
            });
            self.learn(index, known, attacking, left);
            if self.children[index].settled == Some(true) {
                break;
            }
        }
        Some(())
    }

    /// Bounds that need no search: the game is over for lack of stones, or a table covers the position.
    fn leaf(&self, canonical: Canonical, attacking: bool) -> Option<Option<Bounds>> {
        if canonical.own().is_empty() {
            return Some(Some(if attacking { Bounds::NOT_WON } else { Bounds::WON }));
        }
        match self.leaves.look_up(canonical, attacking) {
            Ok(bounds) => Some(bounds),
            Err(error) => {
                self.control.fail(error);
                None
            }
        }
    }

    /// Initial numbers for a position after a move of the attacker or, if not `attacking`, of the other side.
    fn estimate(&self, canonical: Canonical, attacking: bool) -> Numbers {
        let (own, opponent) = (canonical.own(), canonical.opponent());
        let threatens = !self.rules.side(Side::White).jumpers(own, opponent).is_empty();
        let ahead = opponent.count() as i32 - own.count() as i32 - i32::from(threatens);
        let ahead = if attacking { ahead } else { -ahead };
        let number = |behind: i32| 1 + (EVEN + behind).max(0) as u32;
        Numbers { proof: number(-ahead), disproof: number(ahead) }
    }

    /// Updates a child with what is known about it. `attacking`: the mover of the node is the attacker.
    #[inline]
    fn learn(&mut self, index: usize, known: Knowledge, attacking: bool, left: u16) {
        let child = &mut self.children[index];
        child.bounds = child.bounds.and(known.bounds);
        let won =
            if child.captured { child.bounds.settle_after_capture(left) } else { child.bounds.settle(left) };
        child.settled = won.map(|won| won == attacking);
        (child.wanted, child.feared) = known.numbers.for_mover(attacking);
    }

    /// What the children from `first` on say about their node. They must be all of its children.
    fn summarise(&self, first: usize, attacking: bool, left: u16, limit: Numbers, ply: usize) -> Summary {
        let children = &self.children[first..];
        if children.is_empty() {
            // A player who cannot move has lost, even if the plies are used up.
            return Summary::Settled(if attacking { Bounds::NOT_WON } else { Bounds::WON });
        }
        if left == 0 {
            return Summary::Settled(Bounds::not_won_below(1));
        }
        let mut open = 0;
        let (mut best, mut chosen) = ((INFINITE, usize::MAX), (INFINITE, usize::MAX));
        let (mut second, mut hardest) = (INFINITE, 0);
        let mut is_good = false;
        for (index, child) in children.iter().enumerate() {
            match child.settled {
                Some(true) => is_good = true,
                Some(false) => {}
                None => {
                    open += 1;
                    hardest = hardest.max(child.feared);
                    if child.wanted < best.0 {
                        second = best.0;
                        best = (child.wanted, index);
                    } else if child.wanted < second {
                        second = child.wanted;
                    }
                    // If another thread is already working here, another move may do as well.
                    let busy = self.control.is_busy(self.number, ply + 1, child.question);
                    let price =
                        if busy { child.wanted.saturating_add(child.wanted / 2 + 1) } else { child.wanted };
                    if price < chosen.0 {
                        chosen = (price, index);
                    }
                }
            }
        }
        if is_good || open == 0 {
            let before = |child: &Child| child.bounds.before(child.captured, self.plies);
            let all = children.iter().map(before).reduce(|a, b| a.or(b, attacking));
            return Summary::Settled(all.unwrap_or(Bounds::UNKNOWN));
        }
        let (wanted_limit, feared_limit) = limit.for_mover(attacking);
        let others = open - 1;
        let (wanted, feared) = (best.0, hardest.saturating_add(others));
        if wanted >= wanted_limit || feared >= feared_limit {
            return Summary::Beyond(Numbers::of_mover(wanted, feared, attacking));
        }
        let index = if children[chosen.1].wanted < wanted_limit { chosen.1 } else { best.1 };
        let room = if index == best.1 { second } else { children[index].wanted };
        // Slightly more than the second best, so that the search does not jump back and forth.
        let room = room.saturating_add(room / 4 + 1);
        let spared = if feared_limit == INFINITE { INFINITE } else { feared_limit - others };
        let limit = Numbers::of_mover(room.min(wanted_limit), spared, attacking);
        Summary::Open(Choice { index: first + index, limit })
    }

    fn report(&mut self) -> Option<()> {
        let nodes = self.nodes - self.reported;
        self.reported = self.nodes;
        self.control.goes_on(nodes).then_some(())
    }
}

/// The first estimate for an even position, in stones. Values from 0 to 6 differ by less than one
/// time in two.
const EVEN: i32 = 2;
