//! The run over all pairs by several programs that solve each pair together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::generate::{list_in, report, still_missing};
use super::lock::{self, Lock, Workplace};
use super::meter::Meter;
use super::plan::Plan;
use super::schedule::{Item, Task};
use super::store;
use crate::index::Mover;
use crate::material::Material;
use crate::progress::{Progress, Stage};
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::shards::{Context, Finished, GOING_ON, PairInRanks, RowFile, World};
use crate::solve::values::{Room, Slices};
use crate::storage::{Disk, create_folders};
use crate::table::{Access, Metric, Table, TableError, folder};

impl Plan {
    /// Does what is planned together with the other ranks of `world`, each of which must have made the same plan
    /// with [`for_ranks`](Self::for_ranks). The folders of the plan must be the same for all.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`GenerateError::RanksDiffer`] when the ranks do not agree. An error that not all
    /// ranks have leaves the others waiting: whoever gets one must end them.
    pub fn run_in_ranks(
        self,
        world: &dyn World,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<(), GenerateError> {
        self.agree(world)?;
        let storage = &Disk;
        let folder = folder(&self.job.dir, self.job.rules);
        if self.pairs() == 0 {
            if world.rank() == 0 {
                self.items.iter().try_for_each(|item| report(&self, &folder, item.pair, true, progress))?;
            }
            return Ok(());
        }
        // The first rank makes the folders, and says where intermediate results lie.
        let workplace = match world.rank() {
            0 => {
                create_folders(storage, &folder).map_err(TableError::io(&folder))?;
                lock::remove_leftovers(storage, &folder)?;
                Some(self.workplace(storage)?)
            }
            _ => None,
        };
        let own = workplace.as_ref().map(Workplace::folder).map(Path::to_string_lossy);
        let shared = world.share(own.unwrap_or_default().as_bytes());
        let shared = String::from_utf8_lossy(shared.first().map_or(&[], Vec::as_slice)).into_owned();
        let scratch = workplace.as_ref().map_or(PathBuf::from(shared), |own| own.folder().to_owned());
        let started = Instant::now();
        let clock = || started.elapsed();
        let meter = Meter::new(progress, &clock, self.work());
        let monitor = Monitor { progress: &meter, stop };
        let (slices, room) = (Slices::default(), Room::default());
        let context =
            Context { index: &self.index, storage, folder: &scratch, monitor, slices: &slices, room: &room };
        let run = Run { plan: &self, world, context: &context, folder, finished: BTreeMap::new() };
        let done = self.pool.install(|| run.all());
        // All stop together. Of another error the others do not know: they must not be waited for.
        if matches!(done, Ok(()) | Err(GenerateError::Stopped)) {
            // Files go before their folder.
            world.any(false);
        }
        drop(workplace);
        done
    }

    /// Makes sure that all ranks are going to do the same.
    fn agree(&self, world: &dyn World) -> Result<(), GenerateError> {
        let items: Vec<_> = self.items.iter().map(|item| (item.pair, &item.task)).collect();
        let own = format!(
            "{} {:?} {items:?} {:?} {:?}",
            env!("CARGO_PKG_VERSION"),
            self.job.rules.parameters(),
            self.job.force,
            self.shards()
        );
        match world.share(own.as_bytes()).iter().all(|other| other == own.as_bytes()) {
            true => Ok(()),
            false => Err(GenerateError::RanksDiffer),
        }
    }
}

struct Run<'c, 'a> {
    plan: &'c Plan,
    world: &'c dyn World,
    context: &'c Context<'a>,
    folder: PathBuf,
    finished: Finished<'a>,
}

impl<'a> Run<'_, 'a> {
    fn all(mut self) -> Result<(), GenerateError> {
        for item in &self.plan.items {
            let is_first = self.world.rank() == 0;
            let _lock = match item.task {
                Task::Solve(_) if is_first => lock::wait_for_pair(&self.folder, item.pair, &self.monitor())?,
                _ => Lock::none(),
            };
            let task = self.task(item)?;
            match &task {
                Task::Keep => {}
                Task::Load => match self.load(item) {
                    Err(GenerateError::Table(error)) => return Err(GenerateError::existing(error)),
                    done => done?,
                },
                Task::Solve(metrics) => self.solve(item, metrics)?,
            }
            if is_first {
                let kept = !matches!(task, Task::Solve(_));
                report(self.plan, &self.folder, item.pair, kept, self.context.monitor.progress)?;
            }
            // Whoever made a file removes it when all are done with it.
            if !item.release.is_empty() {
                self.world.any(false);
            }
            item.release.iter().for_each(|material| {
                self.finished.remove(material);
            });
        }
        Ok(())
    }

    /// What the first rank, which has the lock, finds left to do.
    fn task(&self, item: &Item) -> Result<Task, GenerateError> {
        let Task::Solve(metrics) = &item.task else { return Ok(item.task.clone()) };
        let missing = match self.world.rank() {
            0 => still_missing(self.plan, &self.folder, item.pair, metrics)?,
            _ => Vec::new(),
        };
        let bytes: Vec<u8> = missing.iter().map(|&metric| metric as u8).collect();
        let shared = self.world.share(&bytes);
        let shared = shared.first().map_or(&[][..], Vec::as_slice);
        let missing: Vec<Metric> =
            Metric::ALL.into_iter().filter(|&metric| shared.contains(&(metric as u8))).collect();
        Ok(if missing.is_empty() { item.task_when_finished() } else { Task::Solve(missing) })
    }

    /// One rank does not stop without the others.
    fn monitor(&self) -> Monitor<'_> {
        Monitor { stop: &GOING_ON, ..self.context.monitor }
    }

    fn budget(&self, item: &Item) -> u64 {
        let sharding = self.plan.sharding.as_ref();
        sharding.and_then(|sharding| sharding.pairs.get(&item.pair)).map_or(0, |pair| pair.window)
    }

    fn solve(&mut self, item: &Item, missing: &[Metric]) -> Result<(), GenerateError> {
        let monitor = self.context.monitor;
        let materials: Vec<Material> = item.pair.slices().collect();
        monitor.progress.pair_started(&materials, self.plan.entries(item.pair));
        let with_distances = missing.contains(&Metric::Dtc);
        let mut pair = PairInRanks::new(self.context, self.world, item.pair, with_distances)?;
        pair.resolve(&self.finished, self.budget(item))?;
        pair.propagate()?;
        let tables: Vec<(Material, Metric)> = missing
            .iter()
            .flat_map(|&metric| materials.iter().map(move |&material| (material, metric)))
            .collect();
        if let Some(&metric) = missing.first() {
            monitor.stage(Stage::Writing { pair: item.pair, metric });
        }
        pair.write_tables(self.context.storage, &self.folder, &tables)?;
        if self.world.rank() == 0 {
            list_in(self.plan, self.context.storage, &self.folder, &tables)?;
        }
        self.hold(item, pair)
    }

    /// Takes the values of a pair from its tables.
    fn load(&mut self, item: &Item) -> Result<(), GenerateError> {
        let monitor = self.context.monitor;
        monitor.stage(Stage::Loading(item.pair));
        let mut pair = PairInRanks::new(self.context, self.world, item.pair, false)?;
        if self.plan.job.rules.captures_are_compulsory() {
            pair.resolve(&self.finished, self.budget(item))?;
        }
        for material in item.pair.slices() {
            let index = &self.plan.index;
            let table = Table::open(&self.folder, index, material, Metric::Wdl, Access::Read)?;
            store::load_values(&pair.work, &table, &self.monitor())?;
        }
        self.hold(item, pair)
    }

    /// Keeps the files of the slices that larger pairs need.
    fn hold(&mut self, item: &Item, pair: PairInRanks<'_, 'a>) -> Result<(), GenerateError> {
        let tables: [RowFile<'a>; 2] = pair.into_tables()?;
        // A file goes when the one who made it drops it: not before all have opened it.
        self.world.any(false);
        for (mover, table) in Mover::BOTH.into_iter().zip(tables) {
            let material = item.pair.slices().find(|&material| Mover::of(material) == mover);
            if let Some(material) = material.filter(|material| !item.release.contains(material)) {
                self.finished.insert(material, table);
            }
        }
        Ok(())
    }
}
