//! The run over all pairs: load or solve, write, hold what larger pairs need, drop what none needs.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use rayon::prelude::*;

use super::job::Job;
use super::lock::{Lock, Workplace};
use super::meter::Meter;
use super::plan::Plan;
use super::schedule::{Item, Task};
use super::{existing, in_shards, lock, pair, store};
use crate::material::{Material, Pair};
use crate::progress::{Progress, Stage};
use crate::region::Region;
use crate::solve::monitor::Monitor;
use crate::solve::values::{Cell, Distances, Kept, PairWork, Room, Scratch, Slices};
use crate::solve::{GenerateError, single};
use crate::storage::{Disk, Storage, create_folders};
use crate::table::{Access, Manifest, Metric, SliceSummary, Table, TableError, file_name, folder};

/// Generates the tables of `job` that do not exist yet. A table is complete on disk or absent at any moment:
/// after an interruption the same call continues, and the bytes come out the same.
///
/// # Errors
/// [`GenerateError`]; [`GenerateError::Stopped`] when `stop` was set. Finished tables stay.
pub fn generate(job: &Job, progress: &dyn Progress, stop: &AtomicBool) -> Result<(), GenerateError> {
    Plan::new(job)?.run(progress, stop)
}

impl Plan {
    /// Does what is planned, as [`generate`].
    ///
    /// # Errors
    /// As [`generate`].
    pub fn run(self, progress: &dyn Progress, stop: &AtomicBool) -> Result<(), GenerateError> {
        self.run_in(&Disk, progress, stop)
    }

    /// As [`run`](Self::run), writing to this storage.
    pub(crate) fn run_in(
        self,
        storage: &dyn Storage,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<(), GenerateError> {
        let folder = folder(&self.job.dir, self.job.rules);
        if self.pairs() == 0 {
            // What an earlier run could not remove goes if it can: nothing depends on it.
            let _ = lock::remove_leftovers(storage, &folder);
            return self.items.iter().try_for_each(|item| report(&self, &folder, item.pair, true, progress));
        }
        create_folders(storage, &folder).map_err(TableError::io(&folder))?;
        lock::remove_leftovers(storage, &folder)?;
        // Another program may have finished tables in between.
        let unchanged = Manifest::read(&folder).is_ok_and(|manifest| manifest == self.manifest);
        let plan = if unchanged { self } else { Plan::for_storage(&self.job, storage)? };
        let started = Instant::now();
        let clock = || started.elapsed();
        let meter = Meter::new(progress, &clock, plan.work());
        let monitor = Monitor { progress: &meter, stop };
        plan.pool.install(|| match &plan.sharding {
            Some(sharding) => {
                let workplace = plan.workplace(storage)?;
                in_shards::run(&plan, sharding, storage, (&folder, workplace.folder()), monitor)
            }
            None => Run::new(&plan, storage, folder, monitor)?.all(),
        })
    }
}

/// Reports the slices of `pair`, whose tables exist, to `progress`.
pub fn report(
    plan: &Plan,
    folder: &Path,
    pair: Pair,
    kept: bool,
    progress: &dyn Progress,
) -> Result<(), GenerateError> {
    for material in pair.slices() {
        let mut tables = Vec::new();
        for metric in Metric::ALL {
            match Table::open(folder, &plan.index, material, metric, Access::Read) {
                Err(TableError::NoTable { .. }) => {}
                table => tables.push(table?),
            }
        }
        if let Some(summary) = SliceSummary::of(&tables) {
            progress.slice_done(&summary, kept);
        }
    }
    Ok(())
}

/// The metrics of a pair that are missing, now that no other program works on it: one may have just finished.
pub fn still_missing(
    plan: &Plan,
    folder: &Path,
    pair: Pair,
    missing: &[Metric],
) -> Result<Vec<Metric>, GenerateError> {
    if plan.job.force {
        return Ok(missing.to_vec());
    }
    let manifest = Manifest::read(folder).map_err(GenerateError::existing)?;
    let found = existing::missing(&plan.job, &plan.index, &manifest, pair)?;
    Ok(missing.iter().copied().filter(|metric| found.contains(metric)).collect())
}

/// Enters finished tables in the manifest, beside what other programs entered.
pub fn list_in(
    plan: &Plan,
    storage: &dyn Storage,
    folder: &Path,
    written: &[(Material, Metric)],
) -> Result<(), GenerateError> {
    let checksum = |&(material, metric): &(Material, Metric)| {
        let table = Table::open(folder, &plan.index, material, metric, Access::Read)?;
        Ok((file_name(material, metric), table.checksum()?))
    };
    let checksums = written.iter().map(checksum).collect::<Result<Vec<_>, TableError>>()?;
    let _lock = lock::wait_for_manifest(folder);
    let mut manifest = match Manifest::read(folder) {
        // Whatever it lists is made again.
        Err(TableError::Manifest { .. }) if plan.job.force => Manifest::default(),
        manifest => manifest?,
    };
    checksums.into_iter().for_each(|(name, checksum)| manifest.insert(name, checksum));
    Ok(manifest.write_in(storage, folder)?)
}

/// What is known of a pair when it is finished.
struct Values {
    cells: [Region<Cell>; 2],
    dtw: Option<[Distances; 2]>,
}

struct Run<'a> {
    plan: &'a Plan,
    storage: &'a dyn Storage,
    folder: PathBuf,
    /// For the values of finished slices, if any wait in files.
    workplace: Option<Workplace>,
    slices: Slices,
    room: Room,
    monitor: Monitor<'a>,
}

impl<'a> Run<'a> {
    fn new(
        plan: &'a Plan,
        storage: &'a dyn Storage,
        folder: PathBuf,
        monitor: Monitor<'a>,
    ) -> Result<Run<'a>, GenerateError> {
        let workplace = (plan.slices_on_disk() > 0).then(|| plan.workplace(storage)).transpose()?;
        let (slices, room) = (Slices::default(), plan.room());
        Ok(Run { plan, storage, folder, workplace, slices, room, monitor })
    }

    /// Pairs of a group are worked on side by side: a thread that has nothing left to do in one, at the end
    /// of a pass or while a file is synced, goes on with another.
    fn all(mut self) -> Result<(), GenerateError> {
        for group in self.plan.groups() {
            self.monitor.check()?;
            // Pairs that other programs work on come last.
            let claims: Vec<Option<Lock>> = group.iter().map(|item| self.claim(item)).collect();
            let work = |(item, claim): (&Item, Option<Lock>)| match claim {
                Some(_lock) => self.work_on(item).map(Some),
                None => Ok(None),
            };
            let done = group.par_iter().with_max_len(1).zip(claims.into_par_iter().with_max_len(1)).map(work);
            let mut done = done.collect::<Result<Vec<Option<Option<Values>>>, GenerateError>>()?;
            for (item, done) in group.iter().zip(&mut done).filter(|(_, done)| done.is_none()) {
                let _lock = lock::wait_for_pair(&self.folder, item.pair, &self.monitor)?;
                *done = Some(self.work_on(item)?);
            }
            let done = done.into_iter().map(Option::flatten);
            for (item, values) in group.iter().zip(done) {
                if let Some(values) = values {
                    self.hold(item, values)?;
                }
            }
            group.iter().flat_map(|item| &item.release).for_each(|&material| self.slices.remove(material));
        }
        Ok(())
    }

    /// The right to work on a pair; `None` while another program has it.
    fn claim(&self, item: &Item) -> Option<Lock> {
        match item.task {
            Task::Solve(_) => lock::try_pair(&self.folder, item.pair),
            Task::Keep | Task::Load => Some(Lock::none()),
        }
    }

    /// Does the task of a pair. Returns its values, if the task finds them.
    fn work_on(&self, item: &Item) -> Result<Option<Values>, GenerateError> {
        self.monitor.check()?;
        let task = match &item.task {
            Task::Solve(metrics) => match still_missing(self.plan, &self.folder, item.pair, metrics)? {
                missing if missing.is_empty() => item.task_when_finished(),
                missing => Task::Solve(missing),
            },
            task => task.clone(),
        };
        let values = match &task {
            Task::Keep => None,
            Task::Load => match self.load(item) {
                Err(GenerateError::Table(error)) => return Err(GenerateError::existing(error)),
                values => Some(values?),
            },
            Task::Solve(metrics) => Some(self.solve(item, metrics)?),
        };
        let kept = !matches!(task, Task::Solve(_));
        report(self.plan, &self.folder, item.pair, kept, self.monitor.progress)?;
        Ok(values)
    }

    fn needs_dtw(&self) -> bool {
        self.plan.job.metrics.contains(Metric::Dtw)
    }

    /// Solves a pair and writes the metrics that are missing.
    fn solve(&self, item: &Item, missing: &[Metric]) -> Result<Values, GenerateError> {
        let progress = self.monitor.progress;
        let materials: Vec<Material> = item.pair.slices().collect();
        progress.pair_started(&materials, self.plan.entries(item.pair));
        let mut work = PairWork::new(&self.plan.index, item.pair, &self.slices, &self.room)?;
        // Larger pairs need the distances to win of smaller ones, even of those whose tables exist.
        let wanted = |metric| missing.contains(&metric) || metric == Metric::Dtw && self.needs_dtw();
        let mut written = Vec::new();
        pair::solve(&mut work, self.plan.method, &wanted, &self.monitor, |work, metric| {
            if missing.contains(&metric) {
                self.monitor.check()?;
                self.monitor.stage(Stage::Writing { pair: item.pair, metric });
                let write =
                    |&material: &Material| store::write(work, self.storage, &self.folder, material, metric);
                materials.par_iter().try_for_each(write)?;
                written.extend(materials.iter().map(|&material| (material, metric)));
            }
            Ok(())
        })?;
        let values = Values { cells: work.cells, dtw: work.dtw };
        list_in(self.plan, self.storage, &self.folder, &written)?;
        Ok(values)
    }

    /// Takes the values of a pair from its tables.
    fn load(&self, item: &Item) -> Result<Values, GenerateError> {
        self.monitor.stage(Stage::Loading(item.pair));
        let mut work = PairWork::new(&self.plan.index, item.pair, &self.slices, &self.room)?;
        // Loading is not what the entries of the plan count.
        pair::resolve(&work, self.plan.method, &Monitor { progress: &(), ..self.monitor })?;
        let index = &self.plan.index;
        let open = |material, metric| Table::open(&self.folder, index, material, metric, Access::Read);
        for material in item.pair.slices() {
            store::load_values(&work, &open(material, Metric::Wdl)?, &self.monitor)?;
        }
        if self.needs_dtw() {
            single::from_captures(&mut work, &self.monitor)?;
            for material in item.pair.slices() {
                store::load_dtw(&work, &open(material, Metric::Dtw)?, &self.monitor)?;
            }
        }
        Ok(Values { cells: work.cells, dtw: work.dtw })
    }

    /// Holds the slices of a pair for larger ones, in memory or in a file as the plan says.
    fn hold(&mut self, item: &Item, Values { cells, dtw }: Values) -> Result<(), GenerateError> {
        let (plan, storage) = (self.plan, self.storage);
        let folder = self.workplace.as_ref().map_or(&*self.folder, Workplace::folder);
        self.slices.hold(plan.index.layout(item.pair), cells, dtw, |material, cells| {
            Ok(if item.release.contains(&material) {
                None
            } else if plan.on_disk.contains(&material) {
                Some(Kept::Scratch(Scratch::new(storage, folder, material, &cells)?))
            } else {
                Some(Kept::Memory(cells))
            })
        })
    }
}
