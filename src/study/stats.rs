//! Figures of a slice.

use std::fmt;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::scan::{Lane, Needs, Slice, move_count};
use super::walk::{chunk, chunks, walk};
use super::{Monitor, StudyError};
use crate::material::Material;
use crate::progress::{Progress, Stage};
use crate::table::{Metric, Value};
use crate::tablebase::Tablebase;

/// Positions by distance: how many are won and how many lost in each number of plies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Histogram {
    /// Won positions, by plies.
    pub won: Vec<u64>,
    /// Lost positions, by plies.
    pub lost: Vec<u64>,
}

impl Histogram {
    fn add(&mut self, value: Value, plies: u16, positions: u64) {
        let counts = match value {
            Value::Win => &mut self.won,
            Value::Loss => &mut self.lost,
            Value::Draw => return,
        };
        let plies = usize::from(plies);
        if counts.len() <= plies {
            counts.resize(plies + 1, 0);
        }
        counts[plies] += positions;
    }

    fn merge(&mut self, other: &Histogram) {
        for (one, other) in [(&mut self.won, &other.won), (&mut self.lost, &other.lost)] {
            if one.len() < other.len() {
                one.resize(other.len(), 0);
            }
            one.iter_mut().zip(other).for_each(|(one, other)| *one += other);
        }
    }

    /// Each number of plies with the positions won and lost in it.
    pub fn rows(&self) -> impl Iterator<Item = (usize, u64, u64)> {
        let plies = self.won.len().max(self.lost.len());
        let count = |counts: &[u64], plies: usize| counts.get(plies).copied().unwrap_or(0);
        (0..plies).map(move |plies| (plies, count(&self.won, plies), count(&self.lost, plies)))
    }
}

/// The figures of a slice. All count positions, each one counted, no symmetry taken out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stats {
    /// The slice.
    pub material: Material,
    /// Positions by value: lost, drawn and won.
    pub values: [u64; 3],
    /// Positions in which a capture is possible on the next ply.
    pub captures: u64,
    /// Legal moves of all positions together.
    pub moves: u64,
    /// The most legal moves of a position.
    pub most_moves: usize,
    /// Won or drawn positions with several legal moves.
    pub choices: u64,
    /// Those of them in which one move alone keeps the value.
    pub only_moves: u64,
    /// By metric, for the distances that have a table.
    histograms: [Option<Histogram>; Metric::ALL.len()],
}

impl Stats {
    fn new(tables: &Tablebase, material: Material) -> Stats {
        let histogram = |metric: Metric| {
            (metric.is_distance() && tables.has_table(material, metric)).then(Histogram::default)
        };
        Stats {
            material,
            values: [0; 3],
            captures: 0,
            moves: 0,
            most_moves: 0,
            choices: 0,
            only_moves: 0,
            histograms: Metric::ALL.map(histogram),
        }
    }

    /// All positions.
    pub fn positions(&self) -> u64 {
        self.values.iter().sum()
    }

    /// Legal moves of a position on average.
    pub fn branching(&self) -> f64 {
        self.moves as f64 / self.positions().max(1) as f64
    }

    /// The share of positions with a choice in which one move alone keeps the value.
    pub fn only_move_share(&self) -> f64 {
        self.only_moves as f64 / self.choices.max(1) as f64
    }

    fn merged(mut self, other: &Stats) -> Stats {
        self.values.iter_mut().zip(other.values).for_each(|(one, other)| *one += other);
        self.captures += other.captures;
        self.moves += other.moves;
        self.most_moves = self.most_moves.max(other.most_moves);
        self.choices += other.choices;
        self.only_moves += other.only_moves;
        for (one, other) in self.histograms.iter_mut().zip(&other.histograms) {
            if let (Some(one), Some(other)) = (one, other) {
                one.merge(other);
            }
        }
        self
    }

    /// Positions by this distance, if there is such a table.
    pub fn histogram(&self, metric: Metric) -> Option<&Histogram> {
        self.histograms[metric as usize].as_ref()
    }

    /// The histogram by the distance that ranks positions.
    fn ranking_histogram(&self) -> Option<(Metric, &Histogram)> {
        Metric::DISTANCES.into_iter().find_map(|metric| Some((metric, self.histogram(metric)?)))
    }

    /// A chart of the histogram as an SVG image, won positions above the line and lost ones below, on a
    /// logarithmic scale.
    pub fn chart(&self) -> StatsChart<'_> {
        StatsChart(self)
    }
}

/// The figures of the slice of `material`.
///
/// # Errors
/// [`StudyError`] when a table of the slice, or one that its moves lead to, is missing or damaged, or `stop`
/// was set.
pub fn stats(
    tables: &Tablebase,
    material: Material,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Stats, StudyError> {
    let monitor = Monitor { progress, stop };
    let needs = Needs { steps: true, passed: false };
    let slice = &Slice::new(tables, material, needs, monitor)?;
    progress.stage(Stage::Scanning(material));
    let empty = || Stats::new(tables, material);
    let of_chunk = |number: u64| {
        monitor.check()?;
        let mut stats = empty();
        let mut lane = Lane::new(slice)?;
        let entries = chunk(slice.layout, number);
        let rules = slice.rules();
        walk(slice.layout, material, entries.clone(), |entry, row, position| {
            let positions = slice.layout.rows().orbit(row);
            let verdict = lane.verdict(entry, position)?;
            let moves = move_count(rules, position, usize::MAX);
            stats.values[verdict.value as usize] += positions;
            stats.captures += if super::scan::is_quiet(rules, position) { 0 } else { positions };
            stats.moves += positions * moves as u64;
            stats.most_moves = stats.most_moves.max(moves);
            if verdict.value != Value::Loss && moves > 1 {
                stats.choices += positions;
                let is_only = slice.keeping(position, verdict.value, 2)? == 1;
                stats.only_moves += if is_only { positions } else { 0 };
            }
            for (histogram, metric) in stats.histograms.iter_mut().zip(Metric::ALL) {
                if let (Some(histogram), Some(plies)) = (histogram, verdict.distance(metric)) {
                    histogram.add(verdict.value, plies, positions);
                }
            }
            Ok::<(), StudyError>(())
        })?;
        progress.advanced(entries.end - entries.start);
        Ok(stats)
    };
    (0..chunks(slice.layout))
        .into_par_iter()
        .map(of_chunk)
        .try_reduce(empty, |one, other| Ok::<_, StudyError>(one.merged(&other)))
}

/// A histogram as an SVG image. Made by [`Stats::chart`].
pub struct StatsChart<'a>(&'a Stats);

crate::debug::debug_as!(StatsChart<'_>, |chart| stats = chart.0);

impl fmt::Display for StatsChart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const WIDTH: usize = 800;
        const HEIGHT: usize = 320;
        const MIDDLE: usize = 150;
        const TALLEST: f64 = 110.0;
        const LEFT: usize = 24;
        let stats = self.0;
        let (metric, rows): (&str, Vec<(usize, u64, u64)>) = match stats.ranking_histogram() {
            Some((metric, histogram)) => (metric.name(), histogram.rows().collect()),
            None => ("no distances", Vec::new()),
        };
        write!(
            f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\"><title>{0}, positions by {metric}</title>\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\
             <text x=\"{LEFT}\" y=\"18\">{0}: positions won (above) and lost (below) by {metric} in plies, \
             logarithmic</text>",
            stats.material
        )?;
        let most = rows.iter().map(|&(_, won, lost)| won.max(lost)).max().unwrap_or(1).max(1);
        let height = |count: u64| TALLEST * ((count + 1) as f64).ln() / ((most + 1) as f64).ln();
        let step = (WIDTH - 2 * LEFT) as f64 / rows.len().max(1) as f64;
        for &(plies, won, lost) in &rows {
            let x = LEFT as f64 + step * plies as f64;
            for (count, y, colour, name) in [
                (won, MIDDLE as f64 - height(won), "#1764ab", "won"),
                (lost, (MIDDLE + 20) as f64, "#b35c00", "lost"),
            ] {
                if count > 0 {
                    write!(
                        f,
                        "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{colour}\">\
                         <title>{count} {name} in {plies}</title></rect>",
                        step * 0.85,
                        height(count)
                    )?;
                }
            }
            if plies % (rows.len() / 20).max(1).next_multiple_of(5) == 0 {
                write!(f, "<text x=\"{x:.1}\" y=\"{}\">{plies}</text>", MIDDLE + 14)?;
            }
        }
        let share = |count: u64| 100.0 * count as f64 / stats.positions().max(1) as f64;
        write!(
            f,
            "<text x=\"{LEFT}\" y=\"{}\">{:.1}% won, {:.1}% drawn, {:.1}% lost; {:.2} moves on average; one move alone \
             keeps the value in {:.1}% of the positions with a choice</text></svg>",
            HEIGHT - 12,
            share(stats.values[Value::Win as usize]),
            share(stats.values[Value::Draw as usize]),
            share(stats.values[Value::Loss as usize]),
            stats.branching(),
            100.0 * stats.only_move_share()
        )
    }
}
