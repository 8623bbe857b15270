//! Into how many shards pairs are cut when memory does not hold them, and what that takes.

use std::collections::BTreeMap;

use super::memory::base_bytes;
use super::schedule::{Item, Task};
use crate::index::{Index, PlainLayout};
use crate::material::{Material, Pair};
use crate::solve::shards::{Batches, Cut, RowFile, writing_bytes};
use crate::solve::values::Cell;
use crate::table::Metric;

/// Bytes for each thread besides those of any run: what it reads and writes at a time.
const PER_THREAD: u64 = 768 << 10;

/// Bytes for what is on its way between memory and files, and for lists of batches.
const BUFFERS: u64 = 11 << 20;

/// The numbers of shards that are tried.
const SHARDS: [usize; 22] =
    [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096];

/// From how many rows on only some shards are looked at to find out how many neighbours they have.
const MANY_ROWS: u32 = 400_000;

/// How a pair is solved in shards.
#[derive(Clone, Copy, Debug)]
pub struct PairInShards {
    pub shards: usize,
    /// Bytes of memory, and those of them that may hold values of smaller slices.
    pub memory: u64,
    pub window: u64,
    /// Bytes of files while the pair is in work, besides those of finished slices.
    pub scratch: u64,
    /// Bytes that are written to and read from files, and those of them that are news from one shard to
    /// another.
    pub traffic: u64,
    pub news: u64,
}

/// How all pairs are solved in shards.
#[derive(Clone, Debug)]
pub struct Sharding {
    pub pairs: BTreeMap<Pair, PairInShards>,
    /// The most bytes of memory and of files that are in use at a time.
    pub memory: u64,
    pub scratch: u64,
    /// Bytes that are written to and read from files, and those of them that are news.
    pub traffic: u64,
    pub news: u64,
}

/// What a shard of a pair takes.
struct ShardBytes {
    /// During a pass.
    pass: u64,
    /// While captures are resolved, besides the values of smaller slices.
    captures: u64,
    /// Rows that are held of other shards, of all shards together.
    copies: u64,
}

/// What the shards of a pair take.
fn shard_bytes(layout: PlainLayout, cut: &Cut, optional: bool) -> ShardBytes {
    let rows = layout.rows().len() as u32;
    let words = layout.words_per_row() as u64;
    let cells = words * size_of::<Cell>() as u64;
    let list = words * 8 + 1;
    let held = if optional { words * 8 } else { 0 };
    let (mut pass, mut captures, mut copies) = (0, 0, 0);
    let step = if rows > MANY_ROWS { cut.len().div_ceil(8) } else { 1 };
    let mut seen = 0;
    for shard in (0..cut.len()).step_by(step) {
        let own = cut.rows(shard).len() as u64;
        let neighbours = cut.part(layout, shard).neighbours().len() as u64;
        copies += neighbours;
        seen += 1;
        let found = u64::from(rows).div_ceil(8) + 8 * neighbours;
        // A tenth more where not all shards are looked at.
        let neighbours = if step > 1 { neighbours * 11 / 10 } else { neighbours };
        pass = pass.max((2 * own + neighbours) * (cells + 2 * list) + 2 * own * held + found);
        captures = captures.max(own * (cells + list + held));
    }
    ShardBytes { pass, captures, copies: copies * cut.len() as u64 / seen.max(1) }
}

/// What a run in shards depends on.
pub struct ShardingModel<'a> {
    pub index: &'a Index,
    pub items: &'a [Item],
    pub threads: usize,
    /// The most bytes of memory.
    pub limit: u64,
    /// The number of shards, if it is given.
    pub shards: Option<usize>,
    /// Whether each shard stays in the memory of a rank of its own.
    pub is_resident: bool,
}

impl ShardingModel<'_> {
    /// Cuts all pairs that are in use.
    ///
    /// # Errors
    /// The least memory with which it is possible, as far as that is known.
    pub fn cut(&self) -> Result<Sharding, u64> {
        let in_use = || self.items.iter().filter(|item| item.task != Task::Keep);
        let layouts = || in_use().filter_map(|item| self.index.layout(item.pair).plain());
        let rows: BTreeMap<usize, u64> =
            layouts().map(|layout| (layout.pair().larger(), layout.rows().bytes())).collect();
        let mut base = base_bytes(self.threads) + PER_THREAD * self.threads as u64 + BUFFERS;
        base += rows.values().sum::<u64>() + layouts().map(|layout| layout.bytes()).sum::<u64>();
        let mut sharding = Sharding { pairs: BTreeMap::new(), memory: base, scratch: 0, traffic: 0, news: 0 };
        // Checksums and files of the finished slices that are held.
        let (mut held_memory, mut held_files) = (0, 0);
        let of_equal_total = |a: &Item, b: &Item| a.pair.total() == b.pair.total();
        for group in self.items.chunk_by(of_equal_total) {
            let held = |material: &Material| {
                let layout = self.index.layout(material.pair()).plain();
                layout.map_or((0, 0), |layout| (checksum_bytes(layout), table_bytes(layout)))
            };
            for item in group.iter().filter(|item| item.task != Task::Keep) {
                let Some(layout) = self.index.layout(item.pair).plain() else { continue };
                let pair = self.fit(item, layout, base + held_memory)?;
                sharding.memory = sharding.memory.max(base + held_memory + pair.memory);
                sharding.scratch = sharding.scratch.max(held_files + pair.scratch);
                sharding.traffic += pair.traffic;
                sharding.news += pair.news;
                sharding.pairs.insert(item.pair, pair);
                for (memory, files) in item.pair.slices().map(|material| held(&material)) {
                    held_memory += memory;
                    held_files += files;
                }
            }
            // What nothing needs any more goes when all pairs with as many stones are done.
            let in_use = group.iter().filter(|item| item.task != Task::Keep);
            for (memory, files) in in_use.flat_map(|item| &item.release).map(held) {
                held_memory -= memory;
                held_files -= files;
            }
        }
        Ok(sharding)
    }

    /// Cuts a pair into as few shards as the memory allows, when so much is in use already.
    fn fit(&self, item: &Item, layout: PlainLayout, in_use: u64) -> Result<PairInShards, u64> {
        let metrics = match &item.task {
            Task::Solve(metrics) => &metrics[..],
            _ => &[],
        };
        let with_distances = metrics.contains(&Metric::Dtc);
        let optional = !layout.rules().captures_are_compulsory();
        let mut least = u64::MAX;
        let tried: Vec<usize> = self.shards.map_or_else(|| SHARDS.to_vec(), |shards| vec![shards]);
        let mut before = 0;
        for shards in tried {
            let cut = Cut::new(layout, shards);
            if cut.len() == before {
                break;
            }
            before = cut.len();
            let batches = 2 * Batches::memory(cut.len()) + Batches::memory(2 * cut.len());
            let fixed = 2 * checksum_bytes(layout) * if optional { 2 } else { 1 } + batches;
            let writing = match metrics {
                [] => 0,
                _ => writing_bytes(layout.entries(), layout.columns_per_row().into(), with_distances),
            };
            // Without neighbours it takes no less.
            let row_bytes = 3 * size_of::<Cell>() as u64 * layout.words_per_row() as u64;
            let at_least = cut.rows(0).len() as u64 * row_bytes;
            if in_use + fixed + writing.max(at_least) > self.limit {
                least = least.min(in_use + fixed + writing.max(at_least));
                continue;
            }
            let ShardBytes { mut pass, mut captures, copies } = shard_bytes(layout, &cut, optional);
            let wanted = window_bytes(self.index, item.pair);
            if self.is_resident {
                // Distances of both tables, and what is sent and received of the table that is written.
                let own = cut.rows(cut.len() - 1).len() as u64 * u64::from(layout.columns_per_row());
                pass += if with_distances { 4 * own } else { 0 };
                captures = pass;
                pass += 3 * writing;
            }
            // At least an eighth of the largest smaller slice is looked at together.
            let need = in_use + fixed + pass.max(writing).max(captures + wanted / 8);
            if need > self.limit {
                least = least.min(need);
                continue;
            }
            let window = wanted.min(self.limit - in_use - fixed - captures);
            let table = table_bytes(layout);
            let entries = layout.entries();
            let copies = copies as f64 / layout.rows().len() as f64;
            // Every position is decided once, and takes two bits where many are.
            let news = (entries as f64 / 4.0 * copies) as u64;
            let mail = 2 * ((entries / 4) * 2 + news);
            let log = if with_distances { entries } else { 0 };
            let held = if optional { table } else { 0 };
            // About a dozen passes visit most shards.
            const VISITS: u64 = 12;
            let each_visit = 4 * table + (table as f64 * copies) as u64;
            return Ok(PairInShards {
                shards: cut.len(),
                memory: fixed + pass.max(writing).max(captures + window),
                window,
                scratch: 2 * table + held + mail + log,
                traffic: VISITS * each_visit + 2 * (news + log) + wanted,
                news,
            });
        }
        Err(least)
    }
}

/// Bytes of memory that the checksums of a table's file take.
fn checksum_bytes(layout: PlainLayout) -> u64 {
    let row_bytes = layout.words_per_row() as u64 * size_of::<Cell>() as u64;
    RowFile::memory(layout.rows().len() as u64, row_bytes)
}

/// Bytes of the file of a table.
fn table_bytes(layout: PlainLayout) -> u64 {
    layout.words() * size_of::<Cell>() as u64
}

/// Bytes of the values of the slices that captures of one side lead to: the larger amount of both sides.
fn window_bytes(index: &Index, pair: Pair) -> u64 {
    let (a, b) = (pair.larger(), pair.smaller());
    let bytes = |most: usize, other: usize| -> u64 {
        let slices = (1..most).filter_map(|stones| Material::new(stones, other));
        slices.filter_map(|material| index.layout(material.pair()).plain()).map(table_bytes).sum()
    };
    bytes(b, a).max(bytes(a, b))
}
