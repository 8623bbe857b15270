//! The plan of a run: which pairs to solve, which slices to hold meanwhile, and how much memory that takes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::estimate;
use super::existing::missing;
use super::job::Job;
use super::memory::MemoryModel;
use super::meter::PairCost;
use super::schedule::{Item, Task, hold_what_is_needed, side_by_side};
use super::size::Size;
use crate::index::Index;
use crate::material::{Material, Pair};
use crate::solve::GenerateError;
use crate::solve::method::Method;
use crate::solve::values::Room;
use crate::table::{Manifest, Metric, TableError, folder};

/// Nanoseconds that one metric of a pair takes besides those for each entry, mostly to sync files.
const FIXED_COST: f64 = 5e6;

/// Bytes that must be left over before memory is kept for later.
const SPARE: u64 = 64 << 20;

/// What a run will do. Making it writes nothing.
pub struct Plan {
    pub(super) job: Job,
    pub(super) index: Arc<Index>,
    pub(super) method: Method,
    pub(super) items: Vec<Item>,
    pub(super) manifest: Manifest,
    /// The threads that work.
    pub(super) pool: ThreadPool,
    /// Predicted peak of memory, in bytes.
    memory: u64,
    /// How many pairs of equally many stones, one after the other among the items, are worked on side by
    /// side.
    groups: Vec<usize>,
    /// Slices whose values are kept in files.
    pub(super) on_disk: BTreeSet<Material>,
}

crate::debug::debug_as!(Plan, |plan| rules = plan.job.rules.name());

impl Plan {
    /// Looks at what exists and works out what is to be done.
    ///
    /// # Errors
    /// [`GenerateError`] when the job makes no sense, needs more memory than it may use, or when a file that
    /// has the name of one of its tables is not that table.
    pub fn new(job: &Job) -> Result<Plan, GenerateError> {
        job.check()?;
        let method = Method::of(job.rules).ok_or(GenerateError::NoMethod(job.rules.name()))?;
        let index = Arc::new(Index::new(job.rules));
        let manifest = match Manifest::read(&folder(&job.dir, job.rules)) {
            // Whatever it lists is made again.
            Err(TableError::Manifest { .. }) if job.force => Manifest::default(),
            manifest => manifest.map_err(GenerateError::existing)?,
        };
        let mut items = Vec::new();
        for pair in job.target.pairs() {
            let missing = missing(job, &index, &manifest, pair)?;
            let task = if missing.is_empty() { Task::Keep } else { Task::Solve(missing) };
            items.push(Item { pair, task, release: Vec::new() });
        }
        hold_what_is_needed(&mut items);
        let pool = ThreadPoolBuilder::new().num_threads(job.threads).build()?;
        let (groups, on_disk) = (vec![1; items.len()], BTreeSet::new());
        let mut plan =
            Plan { job: job.clone(), index, method, items, manifest, pool, memory: 0, groups, on_disk };
        plan.fit()?;
        Ok(plan)
    }

    /// Chooses what is worked on side by side and what is kept in files, so that the memory suffices.
    fn fit(&mut self) -> Result<(), GenerateError> {
        let limit = self.job.memory;
        // Layouts alone can exceed the memory. Before they are built, what they stand for must fit.
        let least = self.model(Size::at_least).peak(self.groups(), &self.held().collect());
        if least > limit {
            return Err(GenerateError::Memory { need: least, limit, exact: false });
        }
        let model = self.model(Size::of);
        if self.job.threads > 1 {
            let groups = side_by_side(&self.items, |item| model.in_work(item));
            let one_by_one = std::mem::replace(&mut self.groups, groups);
            if model.peak(self.groups(), &BTreeSet::new()) > limit {
                self.groups = one_by_one;
            }
        }
        let mut largest_first: Vec<Material> = self.held().collect();
        largest_first.sort_by_key(|material| Reverse(self.index.layout(material.pair()).words()));
        let mut on_disk = BTreeSet::new();
        let mut memory = model.peak(self.groups(), &on_disk);
        for material in largest_first {
            if memory <= limit {
                break;
            }
            on_disk.insert(material);
            memory = model.peak(self.groups(), &on_disk);
        }
        if memory > limit {
            return Err(GenerateError::Memory { need: memory, limit, exact: true });
        }
        (self.memory, self.on_disk) = (memory, on_disk);
        Ok(())
    }

    /// Pairs that are to be solved.
    pub fn pairs(&self) -> usize {
        self.to_solve().count()
    }

    /// Entries of the slices that are to be solved.
    pub fn positions(&self) -> u64 {
        self.to_solve().map(|item| self.entries(item.pair)).sum()
    }

    /// Predicted peak of memory, in bytes.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// How many finished slices are kept in files while larger ones are solved, because memory does not
    /// suffice.
    pub fn slices_on_disk(&self) -> usize {
        self.on_disk.len()
    }

    /// Predicted time in seconds.
    pub fn seconds(&self) -> f64 {
        let entries = self.positions() as f64;
        estimate::seconds(self.method, self.job.metrics, entries) / self.job.threads as f64
    }

    /// The predicted work on the pairs that are to be solved.
    pub(super) fn work(&self) -> impl Iterator<Item = (Pair, PairCost)> {
        self.to_solve().map(|item| {
            let entries = self.entries(item.pair);
            let cost = |metric| match self.job.metrics.contains(metric) {
                true => {
                    FIXED_COST + entries as f64 * estimate::nanoseconds_of(self.method, metric, item.pair)
                }
                false => 0.0,
            };
            (item.pair, PairCost { entries, costs: Metric::ALL.map(cost) })
        })
    }

    /// Predicted bytes of the tables, and of the files that keep finished slices meanwhile.
    pub fn disk(&self) -> u64 {
        let tables = |item: &Item| {
            let Task::Solve(metrics) = &item.task else { return 0 };
            let bits: f64 = metrics.iter().map(|&metric| estimate::bits(self.method, metric)).sum();
            (self.entries(item.pair) as f64 * bits / 8.0) as u64
        };
        let kept = |material: &Material| Size::of(&self.index, self.method, material.pair()).values();
        self.items.iter().map(tables).sum::<u64>() + self.on_disk.iter().map(kept).sum::<u64>()
    }

    /// The items in groups that are worked on side by side.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[Item]> {
        let mut rest = &self.items[..];
        self.groups.iter().map(move |&count| rest.split_off(..count).unwrap_or_default())
    }

    fn to_solve(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| matches!(item.task, Task::Solve(_)))
    }

    /// Entries of the slices of `pair` together.
    pub(super) fn entries(&self, pair: Pair) -> u64 {
        self.index.entries(pair) * pair.slices().count() as u64
    }

    /// The finished slices that larger pairs need.
    fn held(&self) -> impl Iterator<Item = Material> {
        let in_use = self.items.iter().filter(|item| item.task != Task::Keep);
        in_use.flat_map(|item| item.pair.slices().filter(|material| !item.release.contains(material)))
    }

    /// The memory that the run takes when pairs have these sizes.
    fn model(&self, size: fn(&Index, Method, Pair) -> Size) -> MemoryModel {
        let in_use = self.items.par_iter().filter(|item| item.task != Task::Keep);
        let size = |item: &Item| (item.pair, size(&self.index, self.method, item.pair));
        // Layouts are built on first use.
        let sizes: BTreeMap<Pair, Size> = self.pool.install(|| in_use.map(size).collect());
        let dtw = self.job.metrics.contains(Metric::Dtw);
        MemoryModel { sizes, dtw, keeps_lists: self.keeps_lists(), threads: self.job.threads }
    }

    /// Whether the lists of a pair are kept for the next one. Distances to win need their memory.
    fn keeps_lists(&self) -> bool {
        self.method == Method::Planes && !self.job.metrics.contains(Metric::Dtw)
    }

    /// Whether so much more memory is available than needed that some may be kept for later.
    fn has_room(&self) -> bool {
        self.on_disk.is_empty() && self.memory + SPARE <= self.job.memory
    }

    /// Where the memory of the pairs comes from.
    pub(super) fn room(&self) -> Room {
        if !self.keeps_lists() || !self.has_room() {
            return Room::default();
        }
        Room::for_pairs(self.to_solve().map(|item| &**self.index.layout(item.pair)))
    }
}
