//! One thread of a search: alpha-beta with a principal variation.
//!
//! Where captures are compulsory, a node with a capture has no other moves and is never a leaf: the search
//! looks on until nothing is forced.

use std::convert::Infallible;
use std::ops::ControlFlow;

use super::evaluate::{evaluate, evaluate_won};
use super::hash::{Bound, Entry, HashTable, Key};
use super::limits::{Control, MAX_DEPTH, Request};
use super::order::{Candidate, Experience, best_first};
use super::root::Root;
use super::score::{Finding, INFINITE, Points, from_node, from_root};
use crate::board::MAX_STONES;
use crate::material::Material;
use crate::moves::{Move, for_each_move, has_legal_move, must_capture};
use crate::position::Position;
use crate::rules::Rules;
use crate::table::{Metric, TableError, Value};
use crate::tablebase::{ProbeError, Tablebase};

/// The plies that a line of the search can have: captures come on top of the depth.
const MAX_PLIES: usize = MAX_DEPTH as usize + 2 * MAX_STONES + 1;

/// From this depth on, late moves are searched less deep at first,
const REDUCED_DEPTH: i32 = 3;
/// and these are the late ones.
const LATE: usize = 4;

/// A probe counts as this many nodes between two looks at the clock: a cold one reads and decodes up to three
/// blocks.
const NODES_PER_PROBE: u64 = 8;

/// One thread of a search.
pub(super) struct Worker<'a> {
    rules: &'static Rules,
    tables: Option<&'a Tablebase>,
    hash: &'a HashTable,
    control: &'a Control<'a>,
    root: &'a Root,
    /// The keys of the game and then of the line that is being searched.
    path: Vec<Key>,
    candidates: Vec<Candidate>,
    experience: Experience,
    /// For each ply the best line from there on.
    lines: Vec<Vec<Move>>,
    /// Nodes since the last report, and what their probes add to them.
    unreported: u64,
    probing: u64,
    check_interval: u64,
    /// Whether this search has to find the first move and is not ended by a number of nodes.
    is_first: bool,
}

/// The score must lie above `alpha` and below `beta` to matter.
#[derive(Clone, Copy)]
struct Window {
    alpha: Points,
    beta: Points,
}

impl Window {
    const ALL: Window = Window { alpha: -INFINITE, beta: INFINITE };

    /// The window of the opponent.
    fn reversed(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    /// Only whether the score is above `alpha`.
    fn scout(self) -> Window {
        Window { beta: self.alpha + 1, ..self }
    }

    fn is_scout(self) -> bool {
        self.beta - self.alpha == 1
    }

    /// Whether a score bounded by `points` lies outside the window, or is exact.
    fn is_settled_by(self, points: Points, bound: Bound) -> bool {
        match bound {
            Bound::Exact => true,
            Bound::Lower => points >= self.beta,
            Bound::Upper => points <= self.alpha,
        }
    }
}

/// A node on the current line.
#[derive(Clone, Copy)]
struct Node {
    position: Position,
    ply: usize,
    /// Plies without a capture before this node: the position cannot have occurred earlier than that.
    quiet_plies: usize,
}

impl<'a> Worker<'a> {
    pub fn new(
        rules: &'static Rules,
        request: &Request<'a>,
        root: &'a Root,
        hash: &'a HashTable,
        control: &'a Control<'a>,
    ) -> Worker<'a> {
        Worker {
            rules,
            tables: request.tables,
            hash,
            control,
            root,
            path: Vec::with_capacity(request.history.len() + MAX_PLIES),
            candidates: Vec::with_capacity(1 << 10),
            experience: Experience::new(MAX_PLIES),
            lines: vec![Vec::new(); MAX_PLIES + 1],
            unreported: 0,
            probing: 0,
            check_interval: control.check_interval(),
            is_first: false,
        }
    }

    /// As [`search`](Self::search), to one ply; ended only by a damaged table, by `stop` or when the time is
    /// up.
    pub fn first_search(&mut self, position: &Position, history: &[Position]) -> Option<Finding> {
        self.is_first = true;
        let finding = self.search(position, history, 1);
        self.is_first = false;
        finding
    }

    /// Searches `position`, in which the game is not over, to `depth` plies. `None` if the search was ended.
    pub fn search(&mut self, position: &Position, history: &[Position], depth: u8) -> Option<Finding> {
        let stones = |position: &Position| position.own().count() + position.opponent().count();
        // Before the last capture nothing can have occurred that may occur again.
        let recent = history.iter().rev().take_while(|before| stones(before) == stones(position)).count();
        self.path.clear();
        self.lines[0].clear();
        self.path.extend(history[history.len() - recent..].iter().map(Key::of));
        self.candidates.clear();
        let root = Node { position: *position, ply: 0, quiet_plies: recent };
        self.node(&root, depth.into(), Window::ALL)
    }

    /// The rules of the positions that it searches.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// The best line of the last [`search`](Self::search), or the best so far if it was ended.
    pub fn line(&self) -> &[Move] {
        &self.lines[0]
    }

    fn node(&mut self, node: &Node, depth: i32, window: Window) -> Option<Finding> {
        self.count()?;
        self.lines[node.ply].clear();
        if node.position.is_drawn_by_counter(self.rules) {
            // Even with a capture to play: at the limit the game is over.
            return Some(Finding::DRAW);
        }
        let key = Key::of(&node.position);
        let forced = must_capture(self.rules, &node.position);
        if !forced && let Some(finding) = self.end_of_line(node, key, depth)? {
            return Some(finding);
        }
        let known = self.hash.get(key);
        if node.ply > 0
            && let Some(entry) = known
            && let Some(finding) = settled(&entry, node.ply, depth, window)
        {
            return Some(finding);
        }
        let first = self.candidates.len();
        self.collect_moves(node, known.and_then(|entry| entry.best));
        if self.candidates.len() == first {
            return Some(self.without_moves(node));
        }
        self.path.push(key);
        let (finding, best) = self.moves(node, depth, window, first, forced)?;
        self.path.pop();
        self.candidates.truncate(first);
        let is_whole = node.ply > 0 || self.root.moves.is_empty();
        if is_whole {
            let bound = match finding.points {
                points if points >= window.beta => Bound::Lower,
                points if points <= window.alpha => Bound::Upper,
                _ => Bound::Exact,
            };
            let kept = Finding { points: from_node(finding.points, node.ply), ..finding };
            let entry = Entry { finding: kept, bound, depth: depth.max(0) as u8, best };
            self.hash.put(key, entry);
        }
        Some(finding)
    }

    /// Tries the moves from `first` on. Returns what is then known about the node, and the number of the best
    /// move if it raised alpha.
    fn moves(
        &mut self,
        node: &Node,
        depth: i32,
        mut window: Window,
        first: usize,
        forced: bool,
    ) -> Option<(Finding, Option<u8>)> {
        let count = self.candidates.len() - first;
        // The only capture costs no depth: there is nothing to choose.
        let depth_below = if forced && count == 1 { depth } else { depth - 1 };
        let mut found = Finding { points: -INFINITE, at_least_draw: false, at_most_draw: true };
        let mut best = None;
        for index in 0..count {
            best_first(&mut self.candidates[first + index..]);
            let Candidate { mv, number, .. } = self.candidates[first + index];
            let below = Node {
                position: node.position.play(self.rules, &mv),
                ply: node.ply + 1,
                quiet_plies: if mv.is_capture() { 0 } else { node.quiet_plies + 1 },
            };
            let late = !mv.is_capture() && index >= LATE && depth >= REDUCED_DEPTH;
            let child = self.child(&below, depth_below, window, index > 0, late)?;
            found.at_least_draw |= child.at_least_draw;
            found.at_most_draw &= child.at_most_draw;
            found.points = found.points.max(child.points);
            if child.points > window.alpha {
                window.alpha = child.points;
                best = Some(number);
                if child.points < window.beta {
                    self.prepend(node.ply, mv);
                    continue;
                }
                if !mv.is_capture() {
                    self.experience.learn(node.position.side(), node.ply, &mv, depth);
                }
                // What the moves that were not tried are worth is not known.
                found.at_most_draw &= index + 1 == count;
                break;
            }
        }
        if found.is_draw() {
            found.points = 0;
        }
        Some((found, best))
    }

    /// Searches the position after a move; the finding is for the player of the move.
    fn child(
        &mut self,
        below: &Node,
        depth: i32,
        window: Window,
        scout_first: bool,
        late: bool,
    ) -> Option<Finding> {
        if scout_first {
            let scout = window.scout().reversed();
            let mut finding = self.node(below, depth - i32::from(late), scout)?.reversed();
            if late && finding.points > window.alpha {
                finding = self.node(below, depth, scout)?.reversed();
            }
            if finding.points <= window.alpha || window.is_scout() || finding.points >= window.beta {
                return Some(finding);
            }
        }
        Some(self.node(below, depth, window.reversed())?.reversed())
    }

    /// What is known about a node without captures before any of its moves is tried: that the game is won,
    /// that the position occurred before, what the tables say, or, at full depth, an estimate.
    fn end_of_line(&mut self, node: &Node, key: Key, depth: i32) -> Option<Option<Finding>> {
        let Node { position, ply, .. } = node;
        if position.opponent().is_empty() && has_legal_move(self.rules, position) {
            return Some(Some(Finding::won(ply + 1)));
        }
        if *ply > 0 {
            if self.rules.can_repeat() && self.has_occurred(key, node.quiet_plies) {
                return Some(Some(Finding::REPETITION));
            }
            if let Some(finding) = self.table_value(position, *ply)? {
                return Some(Some(finding));
            }
        }
        if depth > 0 {
            return Some(None);
        }
        let stuck = !has_legal_move(self.rules, position);
        Some(Some(match self.root.winner {
            _ if stuck => self.without_moves(node),
            Some(winner) => evaluate_won(self.rules, position, winner),
            None => evaluate(position),
        }))
    }

    /// What is known of a node without a legal move.
    fn without_moves(&self, node: &Node) -> Finding {
        match Value::without_moves(self.rules, &node.position) {
            Value::Draw => Finding::DRAW,
            _ => Finding::lost(node.ply),
        }
    }

    fn has_occurred(&self, key: Key, quiet_plies: usize) -> bool {
        // The same side is to move in every second position only.
        let with_same_side = self.path.iter().rev().take(quiet_plies).skip(1).step_by(2);
        with_same_side.into_iter().any(|&before| before == key)
    }

    /// What the tables say; the inner `None` where they do not cover the position.
    fn table_value(&mut self, position: &Position, ply: usize) -> Option<Option<Finding>> {
        let Some(tables) = self.tables else { return Some(None) };
        let is_asked = |material: Material| {
            self.root.fewer_than.is_none_or(|stones| material.total() < stones)
                && tables.has_table(material, Metric::Wdl)
        };
        if !Material::of(position).is_some_and(is_asked) {
            return Some(None);
        }
        self.probing += NODES_PER_PROBE;
        // Nothing can be captured here, so that this is a single look-up.
        match tables.probe(position) {
            Ok(verdict) => Some(Some(Finding::of_verdict(&verdict, ply))),
            Err(ProbeError::Table(TableError::NoTable { .. })) => Some(None),
            Err(error) => {
                self.control.fail(error);
                None
            }
        }
    }

    fn collect_moves(&mut self, node: &Node, best_before: Option<u8>) {
        let Node { position, ply, .. } = node;
        let (side, experience, candidates) = (position.side(), &self.experience, &mut self.candidates);
        let only: &[Move] = if *ply == 0 { &self.root.moves } else { &[] };
        let mut number = 0_u8;
        let _: ControlFlow<Infallible> = for_each_move(self.rules, position, |mv| {
            if only.is_empty() || only.contains(&mv) {
                let merit = experience.merit(side, *ply, &mv, number, best_before);
                candidates.push(Candidate { mv, number, merit });
            }
            number = number.saturating_add(1);
            ControlFlow::Continue(())
        });
    }

    /// The best line from `ply` on is `mv` and what was best after it.
    fn prepend(&mut self, ply: usize, mv: Move) {
        let (before, after) = self.lines.split_at_mut(ply + 1);
        before[ply].clear();
        before[ply].push(mv);
        before[ply].extend_from_slice(&after[0]);
    }

    #[inline]
    fn count(&mut self) -> Option<()> {
        self.unreported += 1;
        if self.unreported + self.probing < self.check_interval { Some(()) } else { self.report() }
    }

    /// Counts the nodes since the last report; `None` if the search has been ended.
    pub fn report(&mut self) -> Option<()> {
        self.probing = 0;
        let nodes = std::mem::take(&mut self.unreported);
        let goes_on = self.control.goes_on(nodes) || self.is_first && !self.control.must_end();
        goes_on.then_some(())
    }
}

/// What `entry` says about its node, at `ply`, if that makes a search to `depth` unnecessary.
fn settled(entry: &Entry, ply: usize, depth: i32, window: Window) -> Option<Finding> {
    let points = from_root(entry.finding.points, ply);
    let finding = Finding { points, ..entry.finding };
    if finding.is_draw()
        || finding.at_least_draw && window.is_settled_by(0, Bound::Lower)
        || finding.at_most_draw && window.is_settled_by(0, Bound::Upper)
    {
        // Better bounds than this may be known, but not a better reason.
        return Some(Finding { points: 0, ..finding });
    }
    // A win that is proven stays one; a quicker one may be found if that is asked for.
    let proven = entry.is_proof() && if points > 0 { points >= window.beta } else { points <= window.alpha };
    let deep_enough = i32::from(entry.depth) >= depth && window.is_settled_by(points, entry.bound);
    // Off the scouts an entry would cut the best line short.
    (window.is_scout() && (proven || deep_enough)).then_some(finding)
}
