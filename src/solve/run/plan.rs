//! The plan of a run: which pairs to solve, which slices to hold meanwhile, and how much memory that takes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::estimate;
use super::existing::missing;
use super::job::{Job, Target};
use super::lock::{self, Workplace};
use super::memory::MemoryModel;
use super::meter::PairCost;
use super::schedule::{Item, Task, hold_what_is_needed, side_by_side};
use super::sharding::{Sharding, ShardingModel};
use super::size::Size;
use crate::index::Index;
use crate::material::{Material, Pair};
use crate::solve::GenerateError;
use crate::solve::method::Method;
use crate::solve::values::Room;
use crate::storage::{Disk, Storage, create_folders};
use crate::table::{Manifest, Metric, TableError, folder};

/// Nanoseconds that one metric of a pair takes besides those for each entry, mostly to sync files.
const FIXED_COST: f64 = 5e6;

/// Bytes that must be left over before memory is kept for later.
const SPARE: u64 = 64 << 20;

/// What is to be done with a pair.
#[derive(Clone, PartialEq, Debug)]
pub struct PlannedPair {
    /// The pair.
    pub pair: Pair,
    /// The slices that must exist before.
    pub needs: Vec<Material>,
    /// `solve`, `load` or `keep`.
    pub task: &'static str,
    /// Entries of its slices together.
    pub entries: u64,
    /// Predicted peak of memory in bytes, and bytes of intermediate files, of a run for this pair alone, when
    /// all that it needs exists.
    pub memory: u64,
    /// See [`memory`](Self::memory).
    pub scratch: u64,
    /// Predicted time in seconds of the work on this pair.
    pub seconds: f64,
}

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
    /// How pairs are cut into shards, if memory does not hold them.
    pub(super) sharding: Option<Sharding>,
    /// Whether each shard stays in the memory of a rank of its own.
    is_resident: bool,
}

crate::debug::debug_as!(Plan, |plan| rules = plan.job.rules.name());

impl Plan {
    /// Looks at what exists and works out what is to be done.
    ///
    /// # Errors
    /// [`GenerateError`] when the job makes no sense, needs more memory than it may use, or when a file that
    /// has the name of one of its tables is not that table.
    pub fn new(job: &Job) -> Result<Plan, GenerateError> {
        Plan::for_storage(job, &Disk)
    }

    /// As [`new`](Self::new), for files in this storage.
    pub(crate) fn for_storage(job: &Job, storage: &dyn Storage) -> Result<Plan, GenerateError> {
        let plan = |job: &Job| {
            let plan = Plan::within_memory(job)?;
            plan.check_disk(storage)?;
            Ok(plan)
        };
        plan(job).map_err(|error| largest_that_fits(job, error, |job| plan(job).is_ok()))
    }

    /// A plan that fits into memory, whatever it takes of the disk.
    fn within_memory(job: &Job) -> Result<Plan, GenerateError> {
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
        let mut plan = Plan {
            job: job.clone(),
            index,
            method,
            items,
            manifest,
            pool,
            memory: 0,
            groups,
            on_disk,
            sharding: None,
            is_resident: false,
        };
        plan.fit()?;
        Ok(plan)
    }

    /// As [`new`](Self::new), for so many programs that solve each pair together, a shard each, and with so much
    /// memory for each of them.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn for_ranks(job: &Job, ranks: usize) -> Result<Plan, GenerateError> {
        let plan = |job: &Job| {
            // In shards, whatever fits into memory.
            let roomy = Job { shards: Some(ranks), memory: u64::MAX, ..job.clone() };
            let mut plan = Plan::within_memory(&roomy)?;
            plan.job.memory = job.memory;
            plan.is_resident = true;
            plan.cut()?;
            plan.check_disk(&Disk)?;
            Ok(plan)
        };
        plan(job).map_err(|error| largest_that_fits(job, error, |job| plan(job).is_ok()))
    }

    /// Chooses what is worked on side by side and what is kept in files, so that the memory suffices.
    fn fit(&mut self) -> Result<(), GenerateError> {
        let limit = self.job.memory;
        if self.job.shards.is_some() {
            self.can_be_cut()?;
            return self.cut();
        }
        // Layouts alone can exceed the memory. Before they are built, what they stand for must fit.
        let least = self.model(Size::at_least).peak(self.groups(), &self.held().collect());
        if least > limit && self.can_be_cut().is_ok() {
            return self.cut();
        }
        if least > limit {
            return Err(GenerateError::Memory { need: least, limit, exact: false, fits: None });
        }
        let model = self.model(Size::of);
        if self.job.threads > 1 {
            let groups = side_by_side(&self.items, |item| model.in_work(item));
            let one_by_one = std::mem::replace(&mut self.groups, groups);
            if model.peak(self.groups(), &BTreeSet::new()) > limit {
                self.groups = one_by_one;
            }
        }
        if model.peak(self.groups(), &BTreeSet::new()) > limit && self.can_be_cut().is_ok() {
            match self.cut() {
                // Shards need some memory of their own, which small jobs can do without.
                Err(GenerateError::Memory { .. }) => {}
                done => return done,
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
            return Err(GenerateError::Memory { need: memory, limit, exact: true, fits: None });
        }
        (self.memory, self.on_disk) = (memory, on_disk);
        Ok(())
    }

    /// Whether pairs can be solved in shards.
    fn can_be_cut(&self) -> Result<(), GenerateError> {
        if self.method != Method::Planes {
            return Err(GenerateError::StatesInShards(self.job.rules.name()));
        }
        match self.job.metrics.contains(Metric::Dtw) {
            true => Err(GenerateError::DistanceToWinInShards),
            false => Ok(()),
        }
    }

    /// Cuts the pairs into shards.
    fn cut(&mut self) -> Result<(), GenerateError> {
        let limit = self.job.memory;
        let model = self.sharding_model();
        let sharding = self.pool.install(|| model.cut());
        let too_little = |need| GenerateError::Memory { need, limit, exact: false, fits: None };
        let sharding = sharding.map_err(too_little)?;
        self.groups = vec![1; self.items.len()];
        self.memory = sharding.memory;
        self.sharding = Some(sharding);
        Ok(())
    }

    /// Refuses a job whose files do not fit on the disk.
    fn check_disk(&self, storage: &dyn Storage) -> Result<(), GenerateError> {
        let folder = folder(&self.job.dir, self.job.rules);
        // Shards that stay in the memory of ranks have no files.
        let scratch = if self.is_resident { 0 } else { self.scratch() };
        let scratch_folder = self.scratch_folder();
        let (space, scratch_space) = (storage.space(&folder), storage.space(&scratch_folder));
        let needs = if space.device == scratch_space.device {
            vec![(folder, space, self.disk() + scratch)]
        } else {
            vec![(folder, space, self.disk()), (scratch_folder, scratch_space, scratch)]
        };
        for (folder, space, need) in needs {
            if let Some(free) = space.free
                && need > free
            {
                return Err(GenerateError::Disk { need, free, folder, fits: None });
            }
        }
        Ok(())
    }

    /// The folder below which intermediate results lie.
    fn scratch_folder(&self) -> PathBuf {
        folder(self.job.scratch.as_ref().unwrap_or(&self.job.dir), self.job.rules)
    }

    /// A folder of its own for the intermediate results of a run.
    pub(super) fn workplace(&self, storage: &dyn Storage) -> Result<Workplace, TableError> {
        let folder = self.scratch_folder();
        create_folders(storage, &folder).map_err(TableError::io(&folder))?;
        lock::remove_leftovers(storage, &folder)?;
        Workplace::new(storage, &folder)
    }

    /// What is to be done with each pair, in the order of work.
    pub fn planned(&self) -> Vec<PlannedPair> {
        let work: BTreeMap<Pair, PairCost> = self.work().collect();
        let planned = |item: &Item| {
            let seconds = work.get(&item.pair).map_or(0.0, |cost| cost.costs.iter().sum::<f64>() * 1e-9);
            let (memory, scratch) = self.alone(item);
            PlannedPair {
                pair: item.pair,
                needs: item.pair.captures_lead_to(),
                task: item.task.name(),
                entries: self.entries(item.pair),
                memory,
                scratch,
                seconds: seconds / self.job.threads as f64,
            }
        };
        self.items.iter().map(planned).collect()
    }

    /// The memory and the intermediate files of a run for one pair, when all that it needs is on disk.
    fn alone(&self, item: &Item) -> (u64, u64) {
        if item.task == Task::Keep {
            return (0, 0);
        }
        let slice = item.pair.slices().next().map(Target::Material);
        let pairs = slice.map(Target::pairs).unwrap_or_default();
        let task = |pair| if pair == item.pair { item.task.clone() } else { Task::Keep };
        let mut items: Vec<Item> =
            pairs.into_iter().map(|pair| Item { pair, task: task(pair), release: Vec::new() }).collect();
        hold_what_is_needed(&mut items);
        if let Some(sharding) = &self.sharding {
            let model = ShardingModel { items: &items, ..self.sharding_model() };
            let alone = model.cut().unwrap_or(Sharding { ..sharding.clone() });
            return (alone.memory, alone.scratch);
        }
        let in_use = items.iter().filter(|item| item.task != Task::Keep);
        let size = |item: &Item| (item.pair, Size::of(&self.index, self.method, item.pair));
        let sizes = in_use.map(size).collect();
        let dtw = self.job.metrics.contains(Metric::Dtw);
        let model = MemoryModel { sizes, dtw, keeps_lists: false, threads: self.job.threads };
        let on_disk = self.on_disk.iter().map(|material| {
            let size = model.sizes.get(&material.pair());
            size.map_or(0, |size| size.values())
        });
        let scratch = on_disk.sum();
        (model.peak(items.chunks(1), &self.on_disk).min(self.job.memory), scratch)
    }

    fn sharding_model(&self) -> ShardingModel<'_> {
        ShardingModel {
            index: &self.index,
            items: &self.items,
            threads: self.job.threads,
            limit: self.job.memory,
            shards: self.job.shards,
            is_resident: self.is_resident,
        }
    }

    /// Into how many shards the largest pair is cut; `None` if all pairs are solved in memory.
    pub fn shards(&self) -> Option<usize> {
        let sharding = self.sharding.as_ref()?;
        sharding.pairs.values().map(|pair| pair.shards).max()
    }

    /// Predicted bytes of intermediate files at a time.
    pub fn scratch(&self) -> u64 {
        let kept = |material: &Material| Size::of(&self.index, self.method, material.pair()).values();
        match &self.sharding {
            Some(sharding) => sharding.scratch,
            None => self.on_disk.iter().map(kept).sum(),
        }
    }

    /// Predicted bytes that are written to and read from intermediate files.
    pub fn traffic(&self) -> u64 {
        self.sharding.as_ref().map_or(0, |sharding| sharding.traffic)
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

    /// Predicted bytes of the tables.
    pub fn disk(&self) -> u64 {
        let tables = |item: &Item| {
            let Task::Solve(metrics) = &item.task else { return 0 };
            let bits: f64 = metrics.iter().map(|&metric| estimate::bits(self.method, metric)).sum();
            (self.entries(item.pair) as f64 * bits / 8.0) as u64
        };
        self.items.iter().map(tables).sum()
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

/// The error of a job that does not fit, with the largest number of stones that does.
fn largest_that_fits(job: &Job, error: GenerateError, is_possible: impl Fn(&Job) -> bool) -> GenerateError {
    let found = || {
        let most = match job.target {
            Target::Stones(stones) => stones,
            Target::Material(material) => material.total(),
        };
        // Fewer stones take less. The first number that does not fit is one of these.
        let (mut fits, mut too_many) = (1, most);
        while fits + 1 < too_many {
            let stones = fits.midpoint(too_many);
            match is_possible(&Job { target: Target::Stones(stones), ..job.clone() }) {
                true => fits = stones,
                false => too_many = stones,
            }
        }
        (fits > 1).then_some(fits)
    };
    match error {
        GenerateError::Memory { need, limit, exact, .. } => {
            GenerateError::Memory { need, limit, exact, fits: found() }
        }
        GenerateError::Disk { need, free, folder, .. } => {
            GenerateError::Disk { need, free, folder, fits: found() }
        }
        error => error,
    }
}
