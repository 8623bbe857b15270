//! How much memory a run takes.

use std::collections::{BTreeMap, BTreeSet};

use super::schedule::{Item, Task};
use super::size::Size;
use crate::material::{Material, Pair};

/// Bytes that do not depend on the job: code, threads, buffers of blocks that are compressed.
const FIXED: u64 = 10 << 20;

/// Bytes for each thread: its stack and its buffers.
const PER_THREAD: u64 = 32 << 10;

/// Bytes that any run with so many threads takes.
pub fn base_bytes(threads: usize) -> u64 {
    FIXED + PER_THREAD * threads as u64
}

/// What the memory of a run depends on, besides the order of work and what is kept in files.
pub struct MemoryModel {
    /// The sizes of all pairs that are loaded or solved.
    pub sizes: BTreeMap<Pair, Size>,
    /// Whether distances to win are worked on.
    pub dtw: bool,
    /// Whether the lists of a pair are kept for the next one.
    pub keeps_lists: bool,
    /// The number of threads.
    pub threads: usize,
}

impl MemoryModel {
    /// Bytes that the task of an item takes.
    pub fn in_work(&self, item: &Item) -> u64 {
        self.sizes.get(&item.pair).map_or(0, |size| size.in_work(&item.task, self.dtw))
    }

    /// The most memory that is in use at a time, when pairs are worked on in these groups and these slices
    /// are kept in files.
    pub fn peak<'i>(&self, groups: impl Iterator<Item = &'i [Item]>, on_disk: &BTreeSet<Material>) -> u64 {
        let layouts: u64 = self.sizes.values().map(|size| size.layout).sum();
        // Pairs with the same larger side share their rows.
        let rows: BTreeMap<usize, u64> =
            self.sizes.iter().map(|(pair, size)| (pair.larger(), size.rows)).collect();
        let held_by = |material: &Material| {
            let held = |size: &Size| size.held(on_disk.contains(material), self.dtw);
            self.sizes.get(&material.pair()).map_or(0, held)
        };
        let (mut peak, mut now) = (0, base_bytes(self.threads) + layouts + rows.values().sum::<u64>());
        let mut kept_lists = 0_u64;
        for group in groups {
            let mut in_work: u64 = group.iter().map(|item| self.in_work(item)).sum();
            if self.keeps_lists {
                // Lists of the previous pair that are larger than any of these need.
                let lists = |item: &Item| self.sizes.get(&item.pair).map_or(0, |size| size.lists(&item.task));
                let largest = group.iter().map(lists).max().unwrap_or(0);
                in_work += kept_lists.saturating_sub(largest);
                kept_lists = kept_lists.max(largest);
            }
            peak = peak.max(now + in_work);
            let in_use = || group.iter().filter(|item| item.task != Task::Keep);
            now +=
                in_use().flat_map(|item| item.pair.slices()).map(|material| held_by(&material)).sum::<u64>();
            now -= in_use().flat_map(|item| &item.release).map(held_by).sum::<u64>();
        }
        peak.max(now)
    }
}
