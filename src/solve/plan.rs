//! The plan of a run: which pairs to solve, which slices to hold meanwhile, and how much memory that takes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::cells::Cell;
use super::job::{GenerateError, Job, MAX_THREADS};
use super::room::Room;
use super::{estimate, planes, sweep, wdl};
use crate::index::Index;
use crate::material::{Material, Pair};
use crate::table::{Access, Manifest, Metric, Table, TableError, file_name, folder, replaceable};

/// Bytes that do not depend on the job: code, threads, buffers of blocks that are compressed.
const FIXED: u64 = 10 << 20;

/// Bytes for each thread: its stack and what it works with.
const PER_THREAD: u64 = 32 << 10;

/// Bytes that must be left over before memory is kept for later.
const SPARE: u64 = 64 << 20;

/// Bytes that pairs in work may take together: they are worked on side by side then. A pair that takes more is worked on alone.
const SIDE_BY_SIDE: u64 = 256 << 20;

/// What is done with a pair.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Task {
    /// Its tables are on disk, and nothing needs its values.
    Keep,
    /// Its tables are on disk, and larger pairs need its values.
    Load,
    /// It is solved, and these metrics are written.
    Solve(Vec<Metric>),
}

/// A pair and what is done with it.
pub(super) struct Item {
    pub(super) pair: Pair,
    pub(super) task: Task,
    /// Slices that nothing needs any more afterwards.
    pub(super) release: Vec<Material>,
}

/// What a run will do. Making it writes nothing.
pub struct Plan {
    pub(super) job: Job,
    pub(super) index: Arc<Index>,
    pub(super) items: Vec<Item>,
    pub(super) manifest: Manifest,
    /// The threads that work.
    pub(super) pool: ThreadPool,
    memory: u64,
    /// How many pairs of one number of stones, one after the other among the items, are worked on side by side.
    groups: Vec<usize>,
    /// Slices whose values are kept in files.
    pub(super) on_disk: BTreeSet<Material>,
}

impl Plan {
    /// Looks at what exists and works out what is to be done.
    ///
    /// # Errors
    /// [`GenerateError`] when the job makes no sense, needs more memory than it may use, or when a file that has
    /// the name of one of its tables is not that table.
    pub fn new(job: &Job) -> Result<Plan, GenerateError> {
        if let super::Target::Stones(stones) = job.target
            && !(2..=24).contains(&stones)
        {
            return Err(GenerateError::Stones(stones));
        }
        if let Some(lack) = job.rules.unsolved() {
            return Err(GenerateError::Unsupported { rules: job.rules.name(), lack });
        }
        if job.metrics.contains(Metric::Dtw) && !job.rules.has_distance_to_win() {
            return Err(GenerateError::NoDistanceToWin(job.rules.name()));
        }
        if !(1..=MAX_THREADS).contains(&job.threads) {
            return Err(GenerateError::Threads(job.threads));
        }
        let index = Arc::new(Index::new(job.rules));
        let pairs = job.target.pairs();
        if let Some(&pair) = pairs.iter().find(|&&pair| !index.fits(pair)) {
            return Err(GenerateError::TooLarge(pair));
        }
        let manifest = match Manifest::read(&folder(&job.dir, job.rules)) {
            // Whatever it lists is made again.
            Err(TableError::Manifest { .. }) if job.force => Manifest::default(),
            manifest => manifest.map_err(GenerateError::existing)?,
        };
        let mut items = Vec::new();
        for pair in pairs {
            let missing = missing(job, &index, &manifest, pair)?;
            let task = if missing.is_empty() { Task::Keep } else { Task::Solve(missing) };
            items.push(Item { pair, task, release: Vec::new() });
        }
        hold_what_is_needed(&mut items);
        let pool = ThreadPoolBuilder::new().num_threads(job.threads).build()?;
        let groups = vec![1; items.len()];
        let (memory, on_disk) = (0, BTreeSet::new());
        let mut plan = Plan { job: job.clone(), index, items, manifest, pool, memory, groups, on_disk };
        // Layouts alone can take more than there is: before they are built, what they stand for must fit.
        let everything = plan.held().collect();
        let least = plan.peak(&everything, &plan.sizes(Size::at_least));
        if least > job.memory {
            return Err(GenerateError::Memory { need: least, limit: job.memory, exact: false });
        }
        let sizes = plan.sizes(Size::of);
        let side_by_side = plan.side_by_side(&sizes);
        let one_by_one = std::mem::replace(&mut plan.groups, side_by_side);
        if plan.peak(&BTreeSet::new(), &sizes) > job.memory {
            plan.groups = one_by_one;
        }
        let mut largest_first: Vec<Material> = plan.held().collect();
        largest_first.sort_by_key(|material| Reverse(plan.index.layout(material.pair()).words()));
        let (mut memory, mut on_disk) = (plan.peak(&BTreeSet::new(), &sizes), BTreeSet::new());
        for material in largest_first {
            if memory <= job.memory {
                break;
            }
            on_disk.insert(material);
            memory = plan.peak(&on_disk, &sizes);
        }
        (plan.memory, plan.on_disk) = (memory, on_disk);
        if plan.memory > job.memory {
            return Err(GenerateError::Memory { need: plan.memory, limit: job.memory, exact: true });
        }
        Ok(plan)
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

    /// How many finished slices are kept in files while larger ones are solved, because memory may not hold them.
    pub fn slices_on_disk(&self) -> usize {
        self.on_disk.len()
    }

    /// Predicted time in seconds.
    pub fn seconds(&self) -> f64 {
        let metrics = self.job.metrics;
        let entries = self.positions() as f64;
        estimate::seconds(&self.index, metrics, entries) / self.job.threads as f64
    }

    /// Predicted bytes of the tables, and of the files that keep finished slices meanwhile.
    pub fn disk(&self) -> u64 {
        let metrics = |item: &Item| match &item.task {
            Task::Solve(metrics) => metrics.clone(),
            Task::Keep | Task::Load => Vec::new(),
        };
        let of_item = |item: &Item| {
            let bits =
                metrics(item).into_iter().map(|metric| estimate::bits(&self.index, metric)).sum::<f64>();
            (self.entries(item.pair) as f64 * bits / 8.0) as u64
        };
        let kept = |material: &Material| Size::of(&self.index, material.pair()).values();
        self.items.iter().map(of_item).sum::<u64>() + self.on_disk.iter().map(kept).sum::<u64>()
    }

    /// The items in groups that are worked on side by side.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[Item]> {
        let mut rest = &self.items[..];
        self.groups.iter().map(move |&count| rest.split_off(..count).unwrap_or_default())
    }

    /// The largest groups of pairs with as many stones that do not take too much together.
    fn side_by_side(&self, sizes: &BTreeMap<Pair, Size>) -> Vec<usize> {
        let dtw = self.job.metrics.contains(Metric::Dtw);
        let bytes = |item: &Item| sizes.get(&item.pair).map_or(0, |size| size.in_work(&item.task, dtw));
        let stones_of = |item: &Item| item.pair.larger() + item.pair.smaller();
        let (mut groups, mut together, mut stones) = (Vec::new(), 0, 0);
        for item in &self.items {
            let own = bytes(item);
            match groups.last_mut() {
                Some(count)
                    if self.job.threads > 1
                        && stones_of(item) == stones
                        && together + own <= SIDE_BY_SIDE =>
                {
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

    fn to_solve(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| matches!(item.task, Task::Solve(_)))
    }

    /// Entries of the slices of `pair` together.
    pub(super) fn entries(&self, pair: Pair) -> u64 {
        self.index.layout(pair).entries() * pair.slices().count() as u64
    }

    /// The finished slices that larger pairs need.
    fn held(&self) -> impl Iterator<Item = Material> {
        let in_use = self.items.iter().filter(|item| item.task != Task::Keep);
        in_use.flat_map(|item| item.pair.slices().filter(|material| !item.release.contains(material)))
    }

    /// The sizes of all pairs that are loaded or solved.
    fn sizes(&self, size: fn(&Index, Pair) -> Size) -> BTreeMap<Pair, Size> {
        let in_use = self.items.par_iter().filter(|item| item.task != Task::Keep);
        // Layouts are built when they are first asked for.
        self.pool.install(|| in_use.map(|item| (item.pair, size(&self.index, item.pair))).collect())
    }

    /// Whether the lists of a pair are kept for the next one. With distances to win they make room for these.
    fn keeps_lists(&self) -> bool {
        !self.index.row_slots().is_marked() && !self.job.metrics.contains(Metric::Dtw)
    }

    /// Whether there is so much more memory than is needed that some may be kept for later.
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

    /// The most memory that is in use at a time, when pairs have these sizes and these slices are kept in files.
    fn peak(&self, on_disk: &BTreeSet<Material>, sizes: &BTreeMap<Pair, Size>) -> u64 {
        let dtw = self.job.metrics.contains(Metric::Dtw);
        let layouts: u64 = sizes.values().map(|size| size.layout).sum();
        // Pairs with the same larger side share their rows.
        let rows: BTreeMap<usize, u64> =
            sizes.iter().map(|(pair, size)| (pair.larger(), size.rows)).collect();
        let held_by = |material: &Material| {
            let held = |size: &Size| size.held(on_disk.contains(material), dtw);
            sizes.get(&material.pair()).map_or(0, held)
        };
        let fixed = FIXED + PER_THREAD * self.job.threads as u64;
        let (mut peak, mut now) = (0, fixed + layouts + rows.values().sum::<u64>());
        let mut kept_lists = 0_u64;
        for group in self.groups() {
            let mut in_work = 0;
            let mut largest_lists = 0;
            for item in group {
                if let Some(size) = sizes.get(&item.pair) {
                    in_work += size.in_work(&item.task, dtw);
                    largest_lists = largest_lists.max(size.lists(&item.task));
                }
            }
            if self.keeps_lists() {
                // Those of the pair before that are larger than any of these need.
                in_work += kept_lists.saturating_sub(largest_lists);
                kept_lists = kept_lists.max(largest_lists);
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

/// What decides how much memory a pair takes.
struct Size {
    entries: u64,
    words: u64,
    /// Bytes of the layout and of its rows.
    layout: u64,
    rows: u64,
    row_count: u64,
    /// Whether stones have states.
    has_states: bool,
    /// Bytes of the order in which a sweep takes the arrangements, where there is a sweep.
    sweep: Option<u64>,
}

impl Size {
    fn of(index: &Index, pair: Pair) -> Size {
        let layout = index.layout(pair);
        Size {
            entries: layout.entries(),
            words: layout.words(),
            layout: layout.bytes(),
            rows: layout.rows().bytes(),
            row_count: layout.rows().len() as u64,
            has_states: index.row_slots().is_marked(),
            sweep: sweep::applies(index).then(|| sweep::bytes(layout)),
        }
    }

    fn at_least(index: &Index, pair: Pair) -> Size {
        let entries = index.least_entries(pair);
        let sweep = sweep::applies(index).then_some(0);
        let has_states = index.row_slots().is_marked();
        Size { entries, words: entries / 64, layout: 0, rows: 0, row_count: 0, has_states, sweep }
    }

    /// Bytes of the values of one slice.
    fn values(&self) -> u64 {
        self.words * size_of::<Cell>() as u64
    }

    /// Bytes of memory that a finished slice takes.
    fn held(&self, values_on_disk: bool, dtw: bool) -> u64 {
        (if values_on_disk { 0 } else { self.values() }) + if dtw { 2 * self.entries } else { 0 }
    }

    /// Bytes of the pair in work: two bits a position of both tables and two bytes for each distance. A sweep holds
    /// all distances at once and the order of its arrangements; passes hold one distance at a time, and with the first one their
    /// lists.
    fn in_work(&self, task: &Task, dtw: bool) -> u64 {
        let dtc = match task {
            Task::Keep => return 0,
            Task::Load => false,
            Task::Solve(metrics) => metrics.contains(&Metric::Dtc),
        };
        let values = 2 * self.values();
        let distances = |wanted: bool| if wanted { 4 * self.entries } else { 0 };
        if let Some(sweep) = self.sweep {
            return values + distances(dtc) + distances(dtw) + sweep;
        }
        let pending = if dtw { 2 * self.words * 8 } else { 0 };
        values + (self.lists(task) + distances(dtc)).max(distances(dtw) + pending)
    }

    /// Bytes of what passes hold to know what they decide and what they are going to look at: two bits a position.
    fn lists(&self, task: &Task) -> u64 {
        match task {
            Task::Keep | Task::Load => 0,
            Task::Solve(_) if self.has_states => 2 * self.words * (wdl::DECISION_BYTES + 8),
            Task::Solve(_) => planes::frontier_bytes(self.words, self.row_count),
        }
    }
}

/// The metrics of `pair` that are wanted and not finished on disk.
fn missing(
    job: &Job,
    index: &Arc<Index>,
    manifest: &Manifest,
    pair: Pair,
) -> Result<Vec<Metric>, GenerateError> {
    let folder = folder(&job.dir, job.rules);
    let mut missing = Vec::new();
    for metric in job.metrics.iter() {
        let mut finished = true;
        for material in pair.slices() {
            let name = file_name(material, metric);
            let path = folder.join(&name);
            if job.force {
                // Found before the work rather than after it: what cannot be written over.
                replaceable(&path)?;
                finished = false;
                continue;
            }
            // A file that is not the table that its name promises is never written over.
            let table = match Table::open(&folder, index, material, metric, Access::Read) {
                Err(TableError::NoTable { .. }) => {
                    finished = false;
                    continue;
                }
                table => table.map_err(GenerateError::existing)?,
            };
            // One that the manifest does not know was left by a run that ended between the two.
            finished &= manifest.checksum(&name).is_some() && table.blocks() > 0;
        }
        if !finished {
            missing.push(metric);
        }
    }
    Ok(missing)
}

/// Loads the pairs that the ones to be solved need, and says when each slice is needed for the last time.
fn hold_what_is_needed(items: &mut [Item]) {
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
