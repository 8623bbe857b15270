//! The run over all pairs where memory does not hold them: each is solved in shards, with values in files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::generate::{list_in, report};
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
use crate::table::{Access, Manifest, Metric, Table};

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
    let manifest = Mutex::new(plan.manifest.clone());
    let finished = BTreeMap::new();
    Run { plan, sharding, context: &context, folder: folder.to_owned(), manifest, finished }.all()
}

struct Run<'c, 'a> {
    plan: &'c Plan,
    sharding: &'c Sharding,
    context: &'c Context<'a>,
    folder: PathBuf,
    manifest: Mutex<Manifest>,
    finished: Finished<'a>,
}

impl<'a> Run<'_, 'a> {
    fn all(mut self) -> Result<(), GenerateError> {
        for item in &self.plan.items {
            self.context.monitor.check()?;
            match &item.task {
                Task::Keep => {}
                Task::Load => match self.load(item) {
                    Err(GenerateError::Table(error)) => return Err(GenerateError::existing(error)),
                    done => done?,
                },
                Task::Solve(metrics) => self.solve(item, metrics)?,
            }
            let kept = !matches!(item.task, Task::Solve(_));
            report(self.plan, &self.folder, item.pair, kept, self.context.monitor.progress)?;
            item.release.iter().for_each(|material| {
                self.finished.remove(material);
            });
        }
        Ok(())
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
        list_in(self.plan, self.context.storage, &self.folder, &self.manifest, &written)?;
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
