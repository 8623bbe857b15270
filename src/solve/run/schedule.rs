//! The order of work: what is done with each pair, how long its slices are held, and which pairs are in work
//! side by side.

use std::collections::BTreeSet;

use crate::material::{Material, Pair};
use crate::table::Metric;

/// Bytes that pairs in work side by side may take together. A pair that takes more is worked on alone.
const SIDE_BY_SIDE: u64 = 256 << 20;

/// What is done with a pair.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Task {
    /// Its tables are on disk, and nothing needs its values.
    Keep,
    /// Its tables are on disk, and larger pairs need its values.
    Load,
    /// It is solved, and these metrics are written.
    Solve(Vec<Metric>),
}

impl Task {
    /// The task as a word.
    pub fn name(&self) -> &'static str {
        match self {
            Task::Keep => "keep",
            Task::Load => "load",
            Task::Solve(_) => "solve",
        }
    }
}

/// A pair and what is done with it.
pub struct Item {
    pub pair: Pair,
    pub task: Task,
    /// Slices that nothing needs afterwards.
    pub release: Vec<Material>,
}

impl Item {
    /// What is left to do when another program has finished the tables of the pair.
    pub fn task_when_finished(&self) -> Task {
        match self.pair.slices().all(|material| self.release.contains(&material)) {
            true => Task::Keep,
            false => Task::Load,
        }
    }
}

/// Marks pairs to be loaded because others to be solved need them, and notes when each slice is needed for
/// the last time.
pub fn hold_what_is_needed(items: &mut [Item]) {
    let mut needed = BTreeSet::new();
    for index in (0..items.len()).rev() {
        let pair = items[index].pair;
        let unused: Vec<Material> = pair.slices().filter(|material| !needed.contains(material)).collect();
        if items[index].task == Task::Keep && unused.len() < pair.slices().count() {
            items[index].task = Task::Load;
        }
        if items[index].task == Task::Keep {
            continue;
        }
        items[index].release.extend(unused);
        for material in pair.captures_lead_to() {
            if needed.insert(material) {
                items[index].release.push(material);
            }
        }
    }
}

/// How many pairs of equally many stones, one after the other, are worked on side by side: as many as stay
/// within a limit of memory, when each takes the given `bytes` in work.
pub fn side_by_side(items: &[Item], bytes: impl Fn(&Item) -> u64) -> Vec<usize> {
    let stones_of = |item: &Item| item.pair.larger() + item.pair.smaller();
    let (mut groups, mut together, mut stones) = (Vec::new(), 0, 0);
    for item in items {
        let own = bytes(item);
        match groups.last_mut() {
            Some(count) if stones_of(item) == stones && together + own <= SIDE_BY_SIDE => {
                *count += 1;
                together += own;
            }
            _ => {
                groups.push(1);
                (together, stones) = (own, stones_of(item));
            }
        }
    }
    groups
}
