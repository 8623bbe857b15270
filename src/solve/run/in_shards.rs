//! The run over all pairs where memory does not hold them: each is solved in shards, with values in files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::generate::{list_in, report, still_missing};
use super::lock;
use super::plan::Plan;
use super::schedule::{Item, Task};
use super::sharding::Sharding;
use super::store;
use crate::index::Mover;
use crate::material::Material;
use crate::progress::Stage;
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::shards::{Context, Finished, PairInFiles, RowFile};
use crate::solve::values::{Room, Slices};
use crate::storage::Storage;
use crate::table::{Access, Metric, Table};

/// Does what is planned, pair by pair.
pub fn run(
    plan: &Plan,
    sharding: &Sharding,
    storage: &dyn Storage,
    (folder, scratch): (&Path, &Path),
    monitor: Monitor,
) -> Result<(), GenerateError> {
    let (slices, room) = (Slices::default(), Room::default());
    let context =
        Context { index: &plan.index, storage, folder: scratch, monitor, slices: &slices, room: &room };
    let finished = BTreeMap::new();
    Run { plan, sharding, context: &context, folder: folder.to_owned(), finished }.all()
}

struct Run<'c, 'a> {
    plan: &'c Plan,
    sharding: &'c Sharding,
    context: &'c Context<'a>,
    folder: PathBuf,
    finished: Finished<'a>,
}

impl<'a> Run<'_, 'a> {
    fn all(mut self) -> Result<(), GenerateError> {
        let of_equal_total = |a: &Item, b: &Item| a.pair.total() == b.pair.total();
        for group in self.plan.items.chunk_by(of_equal_total) {
            // Pairs that other programs work on come last.
            let mut waiting = Vec::new();
            for item in group {
                match item.task {
                    Task::Solve(_) => match lock::try_pair(&self.folder, item.pair) {
                        Some(_lock) => self.work_on(item)?,
                        None => waiting.push(item),
                    },
                    Task::Keep | Task::Load => self.work_on(item)?,
                }
            }
            for item in waiting {
                let _lock = lock::wait_for_pair(&self.folder, item.pair, &self.context.monitor)?;
                self.work_on(item)?;
            }
            for material in group.iter().flat_map(|item| &item.release) {
                self.finished.remove(material);
            }
        }
        Ok(())
    }

    fn work_on(&mut self, item: &Item) -> Result<(), GenerateError> {
        self.context.monitor.check()?;
        let task = match &item.task {
            Task::Solve(metrics) => match still_missing(self.plan, &self.folder, item.pair, metrics)? {
                missing if missing.is_empty() => item.task_when_finished(),
                missing => Task::Solve(missing),
            },
            task => task.clone(),
        };
        match &task {
            Task::Keep => {}
            Task::Load => match self.load(item) {
                Err(GenerateError::Table(error)) => return Err(GenerateError::existing(error)),
                done => done?,
            },
            Task::Solve(metrics) => self.solve(item, metrics)?,
        }
        let kept = !matches!(task, Task::Solve(_));
        report(self.plan, &self.folder, item.pair, kept, self.context.monitor.progress)
    }

    /// The pair with what captures decide. Where captures are optional a pair that is to be `loaded` has all
    /// that in its tables.
    fn begin(
        &self,
        item: &Item,
        with_distances: bool,
        loaded: bool,
    ) -> Result<PairInFiles<'_, 'a>, GenerateError> {
        let Some(planned) = self.sharding.pairs.get(&item.pair) else {
            unreachable!("every pair in use is cut, {} too", item.pair)
        };
        let mut pair = PairInFiles::new(self.context, item.pair, planned.shards, with_distances)?;
        // Of two tables with the same positions one is enough to be kept.
        let movers: &[Mover] = if loaded && item.pair.is_even() { &[Mover::RowSide] } else { &Mover::BOTH };
        if !loaded || self.plan.job.rules.captures_are_compulsory() {
            pair.resolve(movers, &self.finished, planned.window)?;
        }
        Ok(pair)
    }

    fn solve(&mut self, item: &Item, missing: &[Metric]) -> Result<(), GenerateError> {
        let monitor = self.context.monitor;
        let materials: Vec<Material> = item.pair.slices().collect();
        monitor.progress.pair_started(&materials, self.plan.entries(item.pair));
        let mut pair = self.begin(item, missing.contains(&Metric::Dtc), false)?;
        pair.propagate()?;
        let mut written = Vec::new();
        for &metric in missing {
            monitor.stage(Stage::Writing { pair: item.pair, metric });
            for &material in &materials {
                monitor.check()?;
                pair.write_table(self.context.storage, &self.folder, material, metric)?;
                written.push((material, metric));
            }
        }
        let tables = pair.into_tables();
        list_in(self.plan, self.context.storage, &self.folder, &written)?;
        self.hold(item, tables);
        Ok(())
    }

    /// Takes the values of a pair from its tables.
    fn load(&mut self, item: &Item) -> Result<(), GenerateError> {
        let monitor = self.context.monitor;
        monitor.stage(Stage::Loading(item.pair));
        let pair = self.begin(item, false, true)?;
        for material in item.pair.slices() {
            let index = &self.plan.index;
            let table = Table::open(&self.folder, index, material, Metric::Wdl, Access::Read)?;
            pair.each_shard(Mover::of(material), |work| store::load_values(work, &table, &monitor))?;
        }
        let tables = pair.into_tables();
        self.hold(item, tables);
        Ok(())
    }

    /// Keeps the files of the slices that larger pairs need.
    fn hold(&mut self, item: &Item, tables: [RowFile<'a>; 2]) {
        for (mover, table) in Mover::BOTH.into_iter().zip(tables) {
            let material = item.pair.slices().find(|&material| Mover::of(material) == mover);
            if let Some(material) = material.filter(|material| !item.release.contains(material)) {
                self.finished.insert(material, table);
            }
        }
    }
}
