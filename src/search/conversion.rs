//! The way to win where tables know that a position is won, but not how far the win is.
//!
//! With the values alone all winning moves look alike, and a search that looks a few plies ahead can wander
//! among won positions for ever. This looks at the graph of positions instead. From the root on it follows
//! the steps of the winner that keep the win and all steps of the loser, up to the next capture or the end of
//! the game, and then counts back from there: a position of the winner is one ply further than the nearest
//! that follows, one of the loser one ply further than the farthest. Whoever plays by these numbers comes
//! closer to a capture with every move.

use rustc_hash::FxHashMap;

use crate::canonical::{Canonical, Key};
use crate::moves::{Move, can_capture, has_legal_move, legal_moves};
use crate::position::Position;
use crate::rules::Rules;
use crate::table::Value;
use crate::tablebase::{ProbeError, Tablebase, covered};

/// Bytes that a position takes in the graph, about.
const BYTES_A_POSITION: u64 = 192;
/// Positions that the graph may have however little memory there is.
const LEAST_POSITIONS: u64 = 1 << 10;
/// More plies than any win has.
const UNKNOWN: u16 = u16::MAX;
/// The end of a list of edges.
const NO_EDGE: u32 = u32::MAX;

/// Where the way to win is looked for.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub rules: &'static Rules,
    pub tables: &'a Tablebase,
    /// Plies that are left until the game is drawn, under rules that count them.
    pub left: Option<u16>,
    /// Bytes of memory for the graph.
    pub bytes: u64,
}

/// The positions between a root and the next captures, with the plies that have been counted so far. It is
/// kept from move to move and goes on growing where it left off.
#[derive(Default)]
pub(super) struct Conversions {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    numbers: FxHashMap<Key, u32>,
    /// The nodes before this one have their children. Those near the root come first.
    expanded: usize,
    /// Nodes whose plies have become known or fewer, while the nodes before them have not been looked at
    /// yet.
    news: Vec<News>,
}

struct Node {
    position: Canonical,
    /// Whether the winner is to move.
    attacking: bool,
    plies: u16,
    /// Children whose plies are not known, once the node has its children.
    open: u32,
    /// The first edge to a child, and how many there are; they lie together.
    children: (u32, u32),
    /// The first edge from a node before this one.
    parents: u32,
}

/// A step.
struct Edge {
    from: u32,
    to: u32,
    /// The next edge to the same node.
    next: u32,
}

struct News {
    number: u32,
    /// Whether the plies were unknown before.
    is_first: bool,
}

impl Conversions {
    /// The moves of best play to the next capture from `position`, which is won for the side to move when its
    /// ply counter is not looked at. `None` if the win takes more plies than are left, if the graph is
    /// too large for the memory, or if `goes_on` stops the work.
    ///
    /// # Errors
    /// [`ProbeError`] when a table is damaged.
    pub fn find(
        &mut self,
        ground: &Ground<'_>,
        position: &Position,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Option<Vec<Move>>, ProbeError> {
        // The numbers rest on captures being compulsory: a loser who may step instead delays the conversion.
        if !ground.rules.captures_are_compulsory() {
            return Ok(None);
        }
        let root = Canonical::of(ground.rules, position);
        let left = ground.left.unwrap_or(UNKNOWN - 1);
        let most = (ground.bytes / BYTES_A_POSITION).clamp(LEAST_POSITIONS, 1 << 28) as usize;
        let is_found = |this: &Self| this.plies(root, true).is_some_and(|plies| plies <= left);
        if !is_found(self) && (self.nodes.len() >= most || !self.numbers.contains_key(&root.key())) {
            *self = Conversions::default();
            self.number(root, true);
        }
        while !is_found(self) && self.expanded < self.nodes.len() && self.nodes.len() < most {
            match self.expand(ground, &mut goes_on) {
                Ok(true) => self.propagate(),
                Ok(false) | Err(ProbeError::Stopped) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(is_found(self).then(|| self.line(ground.rules, position)))
    }

    /// The plies that have been counted for a position in which the winner is to move, or the loser.
    fn plies(&self, position: Canonical, attacking: bool) -> Option<u16> {
        let node = &self.nodes[*self.numbers.get(&position.key())? as usize];
        (node.attacking == attacking && node.plies != UNKNOWN).then_some(node.plies)
    }

    /// Best play by the numbers that are known, up to a capture or the end of the game.
    fn line(&self, rules: &Rules, position: &Position) -> Vec<Move> {
        let (mut line, mut position, mut attacking) = (Vec::new(), *position, true);
        while let Some(plies) = self.plies(Canonical::of(rules, &position), attacking) {
            let plies_after =
                |mv: &Move| self.plies(Canonical::of(rules, &position.play(rules, mv)), !attacking);
            let moves = legal_moves(rules, &position).into_iter();
            let known = moves.filter_map(|mv| plies_after(&mv).map(|after| (after, mv)));
            let best = match attacking {
                true => known.min_by_key(|&(after, _)| after),
                false => known.max_by_key(|&(after, _)| after),
            };
            // Each move brings the end closer, so that the line has one.
            let Some((_, mv)) = best.filter(|&(after, _)| after < plies) else { break };
            line.push(mv);
            position = position.play(rules, &mv);
            attacking = !attacking;
        }
        line
    }

    /// The number of a position; a new one if it has none yet.
    fn number(&mut self, position: Canonical, attacking: bool) -> u32 {
        let next = self.nodes.len() as u32;
        let number = *self.numbers.entry(position.key()).or_insert(next);
        if number == next {
            let (plies, open, children, parents) = (UNKNOWN, 0, (0, 0), NO_EDGE);
            self.nodes.push(Node { position, attacking, plies, open, children, parents });
        }
        number
    }

    /// Gives children to the next node that has none yet. `false` if the system has no more memory.
    fn expand(
        &mut self,
        ground: &Ground<'_>,
        goes_on: &mut impl FnMut() -> bool,
    ) -> Result<bool, ProbeError> {
        let number = self.expanded;
        let Node { position, attacking, .. } = self.nodes[number];
        let steps = match successors(ground, &position.position(0), attacking, goes_on)? {
            Successors::End(plies) => {
                self.expanded += 1;
                self.improve(number as u32, plies);
                return Ok(true);
            }
            Successors::Steps(steps) => steps,
        };
        let has_room = self.nodes.try_reserve(steps.len()).is_ok()
            && self.edges.try_reserve(steps.len()).is_ok()
            && self.numbers.try_reserve(steps.len()).is_ok();
        if !has_room {
            return Ok(false);
        }
        self.nodes[number].children = (self.edges.len() as u32, steps.len() as u32);
        for &step in &steps {
            let to = self.number(step, !attacking);
            let child = &mut self.nodes[to as usize];
            let next = std::mem::replace(&mut child.parents, self.edges.len() as u32);
            let is_open = child.plies == UNKNOWN;
            self.edges.push(Edge { from: number as u32, to, next });
            self.nodes[number].open += u32::from(is_open);
        }
        self.expanded += 1;
        self.count(number as u32);
        Ok(true)
    }

    /// Passes on the news to all nodes before those that have some.
    fn propagate(&mut self) {
        while let Some(News { number, is_first }) = self.news.pop() {
            let mut edge = self.nodes[number as usize].parents;
            while let Some(&Edge { from, next, .. }) = self.edges.get(edge as usize) {
                self.nodes[from as usize].open -= u32::from(is_first);
                self.count(from);
                edge = next;
            }
        }
    }

    /// Counts the plies of a node from those of its children.
    fn count(&mut self, number: u32) {
        let Node { attacking, open, children: (first, count), .. } = self.nodes[number as usize];
        let edges = &self.edges[first as usize..(first + count) as usize];
        let plies = edges.iter().map(|edge| self.nodes[edge.to as usize].plies);
        let after = match attacking {
            true => plies.min(),
            // All of them must be known.
            false => plies.max().filter(|_| open == 0),
        };
        if let Some(after) = after.filter(|&after| after != UNKNOWN) {
            self.improve(number, after + 1);
        }
    }

    /// Enters the plies of a node, if they are fewer than those known so far.
    fn improve(&mut self, number: u32, plies: u16) {
        let known = &mut self.nodes[number as usize].plies;
        if plies < *known {
            let is_first = std::mem::replace(known, plies) == UNKNOWN;
            self.news.push(News { number, is_first });
        }
    }
}

/// What follows a position: all steps of the loser, the steps of the winner that keep the win.
fn successors(
    ground: &Ground<'_>,
    position: &Position,
    attacking: bool,
    goes_on: &mut impl FnMut() -> bool,
) -> Result<Successors, ProbeError> {
    let (rules, tables) = (ground.rules, ground.tables);
    if !goes_on() {
        return Err(ProbeError::Stopped);
    }
    if !has_legal_move(rules, position) {
        return Ok(Successors::End(0));
    }
    // A capture keeps the win: some capture of a winner does, and all captures of a loser.
    if can_capture(rules, position) {
        return Ok(Successors::End(1));
    }
    let mut steps = Vec::new();
    for mv in legal_moves(rules, position) {
        let after = Canonical::of(rules, &position.play(rules, &mv));
        let keeps_the_win = !attacking
            || covered(tables.probe_value_while(&after.position(0), &mut *goes_on))? == Some(Value::Loss);
        if keeps_the_win {
            steps.push(after);
        }
    }
    Ok(Successors::Steps(steps))
}

enum Successors {
    /// Plies to the next capture or the end of the game.
    End(u16),
    Steps(Vec<Canonical>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{BRAINKING, CLASSIC, YOUZAI};

    /// Compares with the distances of the tables, as far as there are some for all won positions of a game.
    fn compare(rules: &'static Rules, text: &str) {
        let tables = Tablebase::open("tables", rules).unwrap();
        let mut position = Position::parse(rules, text).unwrap();
        let mut conversions = Conversions::default();
        let ground = Ground { rules, tables: &tables, left: None, bytes: 64 << 20 };
        let line = conversions.find(&ground, &position, || true).unwrap().unwrap();
        let verdict = tables.probe(&position).unwrap();
        assert_eq!(verdict.value, Value::Win, "{text}");
        let (mut left, winner) = (verdict.dtc.unwrap(), position.side());
        for mv in line {
            let attacking = position.side() == winner;
            assert_eq!(
                conversions.plies(Canonical::of(rules, &position), attacking),
                Some(left),
                "{position}"
            );
            position = position.play(rules, &mv);
            left -= 1;
            assert!(tables.probe(&position).unwrap().dtc <= Some(left), "{position}");
        }
        assert!(
            left <= 1 && (can_capture(rules, &position) || !has_legal_move(rules, &position)),
            "{position}"
        );
        for node in conversions.nodes.iter().filter(|node| node.plies != UNKNOWN) {
            let (position, plies) = (node.position.position(0), node.plies);
            let verdict = tables.probe(&position).unwrap();
            assert_eq!(verdict.value, if node.attacking { Value::Win } else { Value::Loss }, "{position}");
            // At the rim of the graph a nearer capture may not have been seen.
            assert!(verdict.dtc <= Some(plies), "{position}");
        }
    }

    #[test]
    fn the_plies_are_those_of_the_tables() {
        compare(&CLASSIC, "5/b4/3w1/3w1/5 w");
        compare(&CLASSIC, "b4/5/5/2ww1/3w1 w");
        compare(&YOUZAI, "b4/5/5/2ww1/3w1 w");
        compare(&BRAINKING, "5/3b1/5/2w2/3w1 w");
    }

    #[test]
    fn it_can_be_stopped_and_limited() {
        let tables = Tablebase::open("tables", &CLASSIC).unwrap();
        let position = Position::parse(&CLASSIC, "5/b4/3w1/3w1/5 w").unwrap();
        let plies = tables.probe(&position).unwrap().dtc.unwrap();
        let find = |left, goes_on: bool| {
            let ground = Ground { rules: &CLASSIC, tables: &tables, left, bytes: 64 << 20 };
            Conversions::default().find(&ground, &position, || goes_on).unwrap().is_some()
        };
        assert!(find(None, true) && find(Some(plies), true));
        assert!(!find(Some(plies - 1), true) && !find(None, false));
    }
}
