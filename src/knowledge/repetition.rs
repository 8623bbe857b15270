//! Values in a game, where a position that occurs for the third time is a draw.
//!
//! A position that has occurred twice is drawn if it occurs again. A winner with a choice never needs to pass
//! through the same position twice, and a loser can only gain from more draws. Hence the value of a position
//! in a game is its value by itself, or a draw, and it is what it would be if the game ended as a draw in
//! every position that has occurred twice. Positions that occurred once do not matter.
//!
//! Where such a position is in reach, the won positions around it are explored, as far as [`MOST_NODES`]. A
//! won position that is nearer to the end (or to the next capture) than all of them is safe: best play never
//! increases that distance, so that it does not lead there. The rest is solved backwards, once taking what
//! was not explored for drawn and once for won; where both agree the value is certain.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::proven::GoesOn;
use super::searched::best_of;
use super::{Insight, Knowledge, KnowledgeError, Known, Prospect, Source, Worth};
use crate::game::DRAWING_REPETITIONS;
use crate::moves::legal_moves;
use crate::position::Position;
use crate::rules::Side;
use crate::search::Proven;
use crate::table::{Metric, Value};
use crate::tablebase::{ProbeError, Tablebase, Verdict, covered};

/// How many positions are explored for each side that may win: some tens of milliseconds.
const MOST_NODES: usize = 16_384;

/// What counts as the distance of a won position; `None` if none is known and only the value counts.
type Distance = Option<Metric>;

fn distance_of(distance: Distance, verdict: &Verdict) -> Option<u16> {
    distance.and_then(|metric| verdict.distance(metric))
}

/// The distance of the position after a capture, one less than that of the position before it.
fn after_capture(distance: Distance, verdict: &Verdict) -> u16 {
    let past_capture = distance.filter(|metric| metric.reaches_past_captures());
    distance_of(past_capture, verdict).unwrap_or(0)
}

impl Knowledge {
    /// Fills in what holds in the game that led to `position`.
    pub(super) fn in_game(
        &self,
        position: &Position,
        history: &[Position],
        mut insight: Insight,
        goes_on: GoesOn<'_>,
    ) -> Result<Insight, KnowledgeError> {
        if !self.rules.can_repeat() {
            return Ok(insight);
        }
        let drawn = drawn_if_repeated(position, history);
        if drawn.is_empty() {
            return Ok(insight);
        }
        for winner in [position.side(), position.side().other()] {
            self.settle(winner, position.side(), &drawn, &mut insight.moves, goes_on)?;
        }
        if insight.moves.iter().any(|mv| mv.in_game != mv.known) {
            insight.moves.sort_by_key(|prospect| Reverse(prospect.rank()));
            insight.in_game = headline(&insight);
            let best = insight.moves.first().map(|best| best.mv);
            if insight.line.first().copied() != best {
                insight.line.clear();
            }
        }
        Ok(insight)
    }

    /// Corrects the moves of `mover` after which `winner` would win.
    fn settle(
        &self,
        winner: Side,
        mover: Side,
        drawn: &HashSet<Position>,
        moves: &mut [Prospect],
        goes_on: GoesOn<'_>,
    ) -> Result<(), KnowledgeError> {
        let value = if winner == mover { Value::Win } else { Value::Loss };
        let mut explored = Vec::new();
        for (index, prospect) in moves.iter_mut().enumerate() {
            if drawn.contains(&prospect.position) {
                prospect.in_game = Some(Known::by_rules(Worth::DRAW));
                continue;
            }
            let Some(known) = prospect.known.filter(|known| known.value() == Some(value)) else { continue };
            match known.source {
                // With fewer stones nothing that occurred before can occur again.
                _ if prospect.mv.is_capture() => {}
                Source::Rules => {}
                Source::Tables => explored.push(index),
                // Which positions a proof passes through is not known here.
                Source::Certificate | Source::Search => prospect.in_game = None,
            }
        }
        let (Some(tables), false) = (self.tables(), explored.is_empty()) else { return Ok(()) };
        let roots: Vec<(Position, Verdict)> = explored
            .iter()
            .map(|&index| {
                let position = moves[index].position;
                Ok((position, tables.probe_while(&position, &mut *goes_on)?))
            })
            .collect::<Result<_, ProbeError>>()?;
        let Some(outcomes) = outcomes(tables, winner, drawn, &roots, goes_on)? else { return Ok(()) };
        for (&index, outcome) in explored.iter().zip(outcomes) {
            let prospect = &mut moves[index];
            prospect.in_game = match outcome {
                Outcome::Drawn => Some(Known::by_rules(Worth::DRAW)),
                Outcome::Unknown => None,
                Outcome::Won { verdict, within } => {
                    let verdict = verdict.before(false);
                    let by_itself = prospect.known.and_then(|known| known.worth.verdict());
                    let has_all = by_itself.is_some_and(|before| {
                        let knows =
                            |verdict: &Verdict| Metric::ALL.map(|metric| verdict.distance(metric).is_some());
                        knows(&before) == knows(&verdict)
                    });
                    let worth = match value {
                        _ if has_all => Worth::Exact(verdict),
                        Value::Win => Worth::Proven(Proven::Win { within: within.map(|plies| plies + 1) }),
                        _ => Worth::Proven(Proven::Loss { within: within.map(|plies| plies + 1) }),
                    };
                    Some(Known { worth, source: Source::Tables })
                }
            };
        }
        Ok(())
    }
}

/// The positions in which the game is a draw if they occur once more. Only those since the last capture
/// matter.
pub(super) fn drawn_if_repeated(position: &Position, history: &[Position]) -> HashSet<Position> {
    let stones = |position: &Position| (position.own() | position.opponent()).count();
    let mut counts: HashMap<Position, usize> = HashMap::from([(*position, 1)]);
    for before in history.iter().rev().take_while(|before| stones(before) == stones(position)) {
        *counts.entry(*before).or_default() += 1;
    }
    counts.retain(|_, count| *count >= DRAWING_REPETITIONS - 1);
    counts.into_keys().collect()
}

/// What a position is worth in the game by what its moves are worth in it. They are sorted, best first.
fn headline(insight: &Insight) -> Option<Known> {
    let moves = &insight.moves;
    let best = moves.first()?.in_game?;
    // No repetition makes a position better than it is by itself but for the loser, who draws.
    let cannot_win = matches!(insight.value(), Some(Value::Draw | Value::Loss));
    if cannot_win && best.value() == Some(Value::Draw) {
        return Some(Known { worth: Worth::DRAW, source: best.source });
    }
    let worth = best_of(moves, |prospect| prospect.in_game)?;
    let Some(value) = worth.value() else { return Some(Known { worth, source: Source::Search }) };
    // Exact if all moves of the value are, and no other may have it.
    let of_value =
        moves.iter().filter_map(|prospect| prospect.in_game).filter(|known| known.value() == Some(value));
    let verdicts: Option<Vec<Verdict>> = of_value.map(|known| known.worth.verdict()).collect();
    let all_known = moves.iter().all(|prospect| prospect.in_game.is_some());
    let verdict =
        verdicts.filter(|_| all_known).and_then(|verdicts| verdicts.into_iter().reduce(Verdict::or));
    Some(Known { worth: verdict.map_or(worth, Worth::Exact), source: best.source })
}

/// What becomes of a position in the game that `winner` wins by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    /// The verdict for the side to move, with the distances that are known for certain, and plies to the end
    /// that suffice.
    Won {
        verdict: Verdict,
        within: Option<u16>,
    },
    Drawn,
    Unknown,
}

/// What becomes of `roots`, positions that `winner` wins by themselves, if the game is drawn in the positions
/// `drawn`. `None` when they make no difference.
fn outcomes(
    tables: &Tablebase,
    winner: Side,
    drawn: &HashSet<Position>,
    roots: &[(Position, Verdict)],
    goes_on: GoesOn<'_>,
) -> Result<Option<Vec<Outcome>>, KnowledgeError> {
    let mut won = Vec::new();
    for position in drawn {
        match covered(tables.probe_while(position, &mut *goes_on))? {
            Some(verdict) if !is_won(winner, position, verdict.value) => {}
            verdict => won.push(verdict),
        }
    }
    if won.is_empty() {
        return Ok(None);
    }
    let mut explore = |distance: Distance| {
        // The nearest to the end of those that are drawn. Without distances none is known to be safe.
        let safe = won.iter().flatten().filter_map(|verdict| distance_of(distance, verdict)).min();
        let mut region =
            Region { tables, winner, drawn, distance, safe, nodes: Vec::new(), numbers: HashMap::new() };
        region.explore(roots, goes_on)?;
        Ok::<_, KnowledgeError>(region.bounds(roots.len()))
    };
    let mut explore_if_known = |metric: Metric| {
        let is_known = |verdict: &Verdict| verdict.distance(metric).is_some();
        let all_known = won.iter().all(|verdict| verdict.as_ref().is_some_and(is_known))
            && roots.iter().all(|(_, verdict)| is_known(verdict));
        Ok(if all_known { Some((metric, explore(Some(metric))?)) } else { None })
    };
    let known = Metric::DISTANCES.into_iter().filter_map(|metric| explore_if_known(metric).transpose());
    let by_distance: Vec<(Metric, Vec<Bounds>)> = known.collect::<Result<_, KnowledgeError>>()?;
    let by_value = if by_distance.is_empty() { Some(explore(None)?) } else { None };
    let outcome = |(index, (_, verdict)): (usize, &(Position, Verdict))| {
        let of_distances = by_distance.iter().map(|(_, bounds)| bounds).chain(&by_value);
        let all: Vec<Bounds> = of_distances.map(|bounds| bounds[index]).collect();
        if all.iter().any(|bounds| bounds.least.is_none()) {
            return Outcome::Drawn;
        }
        if all.iter().all(|bounds| bounds.most.is_none()) {
            return Outcome::Unknown;
        }
        let bounds =
            |metric| by_distance.iter().find(|(of, _)| *of == metric).map(|(_, bounds)| bounds[index]);
        let exact = |metric| bounds(metric).filter(|bounds| bounds.least == bounds.most)?.most;
        let verdict = Verdict::new(verdict.value, exact);
        Outcome::Won { verdict, within: bounds(Metric::TO_END).and_then(|bounds| bounds.most) }
    };
    Ok(Some(roots.iter().enumerate().map(outcome).collect()))
}

/// Whether `winner` wins a position of this value.
fn is_won(winner: Side, position: &Position, value: Value) -> bool {
    value == if position.side() == winner { Value::Win } else { Value::Loss }
}

/// Positions that one side wins by themselves, around those in which the game would be drawn.
struct Region<'a> {
    tables: &'a Tablebase,
    winner: Side,
    drawn: &'a HashSet<Position>,
    distance: Distance,
    /// A position with at most this distance is won as if nothing had occurred before.
    safe: Option<u16>,
    nodes: Vec<Node>,
    numbers: HashMap<Position, usize>,
}

struct Node {
    position: Position,
    kind: Kind,
}

enum Kind {
    /// Won in this many plies, whatever occurred before.
    Safe(u16),
    /// Drawn if it occurs.
    Drawn,
    /// Not explored. If it is won, then in this many plies at least.
    Unseen(u16),
    /// Worth what these lead to.
    Open(Vec<usize>),
}

/// Between which distances a position is won; `None` stands for a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bounds {
    least: Option<u16>,
    most: Option<u16>,
}

impl Region<'_> {
    /// Explores what is in reach of `roots`, nearest first, as far as is allowed. They get the first numbers.
    fn explore(&mut self, roots: &[(Position, Verdict)], goes_on: GoesOn<'_>) -> Result<(), KnowledgeError> {
        for (position, verdict) in roots {
            self.number(*position, Some(*verdict), false);
        }
        let mut next = 0;
        while next < self.nodes.len() && self.nodes.len() < MOST_NODES {
            if let Kind::Unseen(_) = self.nodes[next].kind {
                let children = self.children(next, goes_on)?;
                self.nodes[next].kind = Kind::Open(children);
            }
            next += 1;
        }
        Ok(())
    }

    /// Where a node leads to. Moves with which the winner would throw the win away do not count.
    fn children(&mut self, number: usize, goes_on: GoesOn<'_>) -> Result<Vec<usize>, KnowledgeError> {
        let (rules, position) = (self.tables.rules(), self.nodes[number].position);
        let mut children = Vec::new();
        for mv in legal_moves(rules, &position) {
            let after = position.play(rules, &mv);
            let verdict = covered(self.tables.probe_while(&after, &mut *goes_on))?;
            if verdict.is_none_or(|verdict| is_won(self.winner, &after, verdict.value)) {
                children.push(self.number(after, verdict, mv.is_capture()));
            }
        }
        Ok(children)
    }

    /// The number of a position that is won by itself.
    fn number(&mut self, position: Position, verdict: Option<Verdict>, by_capture: bool) -> usize {
        if let Some(&number) = self.numbers.get(&position) {
            return number;
        }
        let distance = verdict.and_then(|verdict| distance_of(self.distance, &verdict));
        let kind = match (verdict, distance) {
            _ if self.drawn.contains(&position) => Kind::Drawn,
            (Some(verdict), _) if by_capture => Kind::Safe(after_capture(self.distance, &verdict)),
            (Some(_), Some(distance)) if self.safe.is_some_and(|safe| distance <= safe) => {
                Kind::Safe(distance)
            }
            (_, distance) => Kind::Unseen(distance.unwrap_or(0)),
        };
        let number = self.nodes.len();
        self.nodes.push(Node { position, kind });
        self.numbers.insert(position, number);
        number
    }

    /// Between which distances the first `count` nodes are won.
    fn bounds(&self, count: usize) -> Vec<Bounds> {
        let (least, most) = (self.solve(true), self.solve(false));
        least.into_iter().zip(most).take(count).map(|(least, most)| Bounds { least, most }).collect()
    }

    /// The distance of every node, `None` for a draw, if what is not explored is won (or not). A node of the
    /// winner is as near as its nearest child, one of the loser as far as its farthest; nodes are settled
    /// from the nearest on.
    fn solve(&self, unseen_is_won: bool) -> Vec<Option<u16>> {
        let mut parents = vec![Vec::new(); self.nodes.len()];
        let mut waiting = vec![0usize; self.nodes.len()];
        let mut queue = BinaryHeap::new();
        for (number, node) in self.nodes.iter().enumerate() {
            match &node.kind {
                Kind::Safe(distance) => queue.push(Reverse((*distance, number))),
                Kind::Unseen(distance) if unseen_is_won => queue.push(Reverse((*distance, number))),
                Kind::Unseen(_) | Kind::Drawn => {}
                Kind::Open(children) => {
                    let is_winner = node.position.side() == self.winner;
                    waiting[number] = if is_winner { 1 } else { children.len() };
                    children.iter().for_each(|&child| parents[child].push(number));
                    // The loser has no move: it is over.
                    if children.is_empty() && !is_winner {
                        queue.push(Reverse((0, number)));
                    }
                }
            }
        }
        let mut distances = vec![None; self.nodes.len()];
        while let Some(Reverse((distance, number))) = queue.pop() {
            if distances[number].is_some() {
                continue;
            }
            distances[number] = Some(distance);
            for &parent in &parents[number] {
                waiting[parent] = waiting[parent].saturating_sub(1);
                if waiting[parent] == 0 {
                    queue.push(Reverse((distance.saturating_add(1), parent)));
                }
            }
        }
        distances
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    use super::*;
    use crate::board::{Bitboard, Point};
    use crate::game::Game;
    use crate::rules::CLASSIC;

    fn knowledge() -> Knowledge {
        Knowledge::open("tables", &CLASSIC).unwrap()
    }

    fn game(moves: &str) -> Game {
        Game::replay(&CLASSIC, Some("5/b4/3w1/3w1/5 w"), moves.split_whitespace()).unwrap()
    }

    #[test]
    fn a_repetition_saves_the_loser() {
        let shuffle = "d2-e2 a4-a5 e2-d2 a5-a4 d2-e2 a4-a5 e2-d2";
        let game = game(shuffle);
        let insight = knowledge().consult_game(&game, None).unwrap();
        assert_eq!((insight.value(), insight.value_in_game()), (Some(Value::Loss), Some(Value::Draw)));
        let best = insight.moves[0];
        assert_eq!(
            (best.mv.to_string().as_str(), best.in_game),
            ("a5-a4", Some(Known::by_rules(Worth::DRAW)))
        );
        assert_eq!(best.known.and_then(Known::value), Some(Value::Loss));
        assert!(insight.is_changed_by_repetition());
    }

    #[test]
    fn the_winner_sees_which_move_draws() {
        let game = game("d2-e2 a4-a5 e2-d2 a5-a4 d2-e2 a4-a5");
        let insight = knowledge().consult_game(&game, None).unwrap();
        assert_eq!((insight.value(), insight.value_in_game()), (Some(Value::Win), Some(Value::Win)));
        let back = insight.moves.iter().find(|prospect| prospect.mv.to_string() == "e2-d2").unwrap();
        assert_eq!(back.known.and_then(Known::value), Some(Value::Win));
        assert_eq!(back.in_game.and_then(Known::value), Some(Value::Draw));
        assert_ne!(insight.moves[0].mv, back.mv);
    }

    #[test]
    fn a_first_repetition_changes_nothing() {
        let insight = knowledge().consult_game(&game("d2-e2 a4-a5 e2-d2 a5-a4"), None).unwrap();
        assert_eq!(insight.value_in_game(), Some(Value::Win));
        let insight = knowledge().consult_game(&game("d2-e2 a4-a5 e2-d2"), None).unwrap();
        assert!(!insight.is_changed_by_repetition());
    }

    /// All positions with two white stones or one against a black one.
    fn positions() -> Vec<Position> {
        let points: Vec<Point> = Point::all().collect();
        let mut positions = Vec::new();
        for &first in &points {
            for &second in points.iter().filter(|&&second| second >= first) {
                for &black in points.iter().filter(|&&black| black != first && black != second) {
                    let white = Bitboard::of(first) | Bitboard::of(second);
                    for side in [Side::White, Side::Black] {
                        positions.extend(Position::new(white, Bitboard::of(black), side));
                    }
                }
            }
        }
        positions
    }

    /// Whether the side to move wins, and in how many plies, for all of `positions` that are won or lost if
    /// the game ends as a draw in the positions `drawn`. One pass for each ply, without any cleverness.
    fn solved(positions: &[Position], drawn: &HashSet<Position>) -> HashMap<Position, (bool, u16)> {
        let mut solved = HashMap::new();
        for plies in 0.. {
            let mut found = Vec::new();
            for position in positions.iter().filter(|position| !solved.contains_key(*position)) {
                let moves = legal_moves(&CLASSIC, position);
                let after = moves.iter().map(|mv| position.play(&CLASSIC, mv));
                let values: Vec<Option<(bool, u16)>> = after
                    .map(|after| match solved.get(&after) {
                        _ if drawn.contains(&after) => None,
                        _ if after.own().is_empty() => (plies > 0).then_some((false, 0)),
                        known => known.copied(),
                    })
                    .collect();
                if values.iter().flatten().any(|(wins, _)| !wins) {
                    found.push((*position, (true, plies)));
                } else if values.iter().all(|value| value.is_some_and(|(wins, _)| wins)) {
                    found.push((*position, (false, plies)));
                }
            }
            if found.is_empty() && plies > 2 {
                break;
            }
            solved.extend(found);
        }
        solved
    }

    /// What a solved position is worth.
    fn verdict(solved: &HashMap<Position, (bool, u16)>, position: &Position) -> (Value, Option<u16>) {
        match solved.get(position) {
            _ if position.own().is_empty() => (Value::Loss, Some(0)),
            None => (Value::Draw, None),
            Some(&(true, plies)) => (Value::Win, Some(plies)),
            Some(&(false, plies)) => (Value::Loss, Some(plies)),
        }
    }

    #[test]
    fn values_in_a_game_are_those_of_a_plain_solution() {
        let (knowledge, all) = (knowledge(), positions());
        let mut runner = TestRunner::new(Config { cases: 12, ..Config::default() });
        let [moves, unknown, changed] = [const { Cell::new(0) }; 3];
        let count = |cell: &Cell<usize>| cell.set(cell.get() + 1);
        let seeds = (0..all.len(), proptest::collection::vec((0..24usize, 0..100usize), 3..9));
        runner
            .run(&seeds, |(root, walks)| {
                let root = all[root];
                // Positions near the root: at the ends of some walks.
                let history: Vec<Position> = walks
                    .iter()
                    .map(|&(plies, choice)| {
                        (0..plies % 5).fold(root, |position, ply| {
                            let moves = legal_moves(&CLASSIC, &position);
                            let steps: Vec<_> = moves.iter().filter(|mv| !mv.is_capture()).collect();
                            match steps.len() {
                                0 => position,
                                count => position.play(&CLASSIC, steps[(choice + ply * plies) % count]),
                            }
                        })
                    })
                    .flat_map(|position| [position; 2])
                    .collect();
                let drawn = drawn_if_repeated(&root, &history);
                let insight = knowledge.consult(&root, &history, None).unwrap();
                let solved = solved(&all, &drawn);
                for prospect in &insight.moves {
                    let expected = match verdict(&solved, &prospect.position) {
                        _ if drawn.contains(&prospect.position) => (Value::Draw, None),
                        (value, plies) => (value.reversed(), plies.map(|plies| plies + 1)),
                    };
                    count(&moves);
                    let Some(known) = prospect.in_game else {
                        count(&unknown);
                        continue;
                    };
                    if prospect.known != prospect.in_game {
                        count(&changed);
                    }
                    prop_assert_eq!(known.value(), Some(expected.0), "{} {:?}", root, prospect);
                    match known.worth {
                        Worth::Exact(verdict) => prop_assert_eq!(verdict.plies_to_end(), expected.1),
                        worth => prop_assert!(worth.within() >= expected.1 || worth.within().is_none()),
                    }
                }
                if insight.in_game.is_some() {
                    prop_assert_eq!(insight.value_in_game(), Some(verdict(&solved, &root).0), "{}", root);
                }
                Ok(())
            })
            .unwrap();
        let [moves, unknown, changed] = [moves, unknown, changed].map(Cell::into_inner);
        assert!(changed > 0 && unknown * 3 < moves, "{changed} changed, {unknown} unknown of {moves}");
    }
}
