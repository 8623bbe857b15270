//! Rows of figures for people, with columns that line up.

use std::fmt::Write;

use alquerque::moves::Move;
use alquerque::table::{Longest, Metric};
use alquerque::tablebase::{SliceSummary, Verdict};
use indicatif::{BinaryBytes, HumanCount};

/// Names the columns of [`ranked_move`], for moves at most `width` letters wide.
pub fn ranked_move_header(width: usize) -> String {
    let metrics: String = Metric::shown_distances().map(|metric| format!("  {:>4}", metric.name())).collect();
    format!("{:<width$}  value{metrics}", "move")
}

/// A move with what it is worth to the mover, `?` where that is unknown.
pub fn ranked_move(mv: &Move, verdict: Option<Verdict>, width: usize) -> String {
    let value = verdict.map_or_else(|| "?".to_owned(), |verdict| verdict.value.to_string());
    let plies = |metric| distance(verdict.and_then(|verdict| verdict.distance(metric)));
    let plies: String = Metric::shown_distances().map(|metric| format!("  {:>4}", plies(metric))).collect();
    format!("{:<width$}  {value:<5}{plies}", mv.to_string())
}

/// The letters of the longest of `moves`, for the width of their column.
pub fn move_width<'a>(moves: impl Iterator<Item = &'a Move>) -> usize {
    moves.map(|mv| mv.to_string().len()).max().unwrap_or(0).max("move".len())
}

/// The distances of a verdict in plies, each behind `before`.
pub fn distances(verdict: &Verdict, before: &str) -> String {
    let mut text = String::new();
    for metric in Metric::shown_distances() {
        // A string can always be written to.
        let _ = match verdict.distance(metric) {
            Some(plies) => write!(text, "{before}{plies}"),
            None => write!(text, "{before}-"),
        };
    }
    text
}

/// A distance in plies, `-` where there is none.
pub fn distance(plies: Option<u16>) -> String {
    plies.map_or_else(|| "-".to_owned(), |plies| plies.to_string())
}

/// Names the columns of [`slice()`].
pub fn slice_header() -> String {
    let metrics: String = Metric::shown_distances().map(|metric| format!("  {:>9}", metric.name())).collect();
    format!(
        "{:<7} {:>16} {:>16} {:>16} {:>16}{metrics}  {:>10}",
        "slice", "positions", "win", "draw", "loss", "size"
    )
}

/// The counts of a slice, its longest distances as `win/loss` and its size on disk.
pub fn slice(summary: &SliceSummary) -> String {
    let [positions, win, draw, loss] = counts(summary);
    let longest = |metric| format!("  {:>9}", longest(summary.longest(metric)));
    let distances: String = Metric::shown_distances().map(longest).collect();
    format!(
        "{:<7} {positions:>16} {win:>16} {draw:>16} {loss:>16}{distances}  {:>10}",
        summary.material.to_string(),
        BinaryBytes(size(summary)).to_string(),
    )
}

/// The same in a row that needs no header.
pub fn labelled_slice(summary: &SliceSummary) -> String {
    let [positions, win, draw, loss] = counts(summary);
    // Wins and losses of the finer metric, which may be missing.
    let [finest, ..] = Metric::DISTANCES;
    let exists = |metric: &Metric| summary.longest(*metric).is_some();
    let metric = Metric::DISTANCES.into_iter().find(exists).unwrap_or(finest);
    let (name, longest) = (metric.name(), longest(summary.longest(metric)));
    let (material, size) = (summary.material.to_string(), BinaryBytes(size(summary)).to_string());
    format!(
        "{material:<7} {positions:>15} positions  {win:>15} win  {draw:>15} draw  {loss:>15} loss  \
         {name} {longest:>7}  {size:>10}"
    )
}

/// The size of all files of a slice.
pub fn size(summary: &SliceSummary) -> u64 {
    summary.bytes.into_iter().flatten().fold(0, u64::saturating_add)
}

fn counts(summary: &SliceSummary) -> [String; 4] {
    [summary.positions, summary.win, summary.draw, summary.loss].map(|count| HumanCount(count).to_string())
}

fn longest(longest: Option<Longest>) -> String {
    longest.map_or_else(
        || "-".to_owned(),
        |longest| format!("{}/{}", distance(longest.win), distance(longest.loss)),
    )
}
