//! How long work shows that it gets on: a bar on a terminal, else a plain line per slice.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use alquerque::json;
use alquerque::material::Material;
use alquerque::rules::Rules;
use alquerque::solve::Progress;
use alquerque::tablebase::SliceSummary;
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};

use super::failure::Failure;
use super::output::{Output, flush, json_line};
use super::rows;

/// Progress of `generate` on standard error, its results on standard output.
pub struct JobProgress<'a> {
    rules: &'static Rules,
    json: bool,
    started: Instant,
    total: u64,
    done: AtomicU64,
    bar: Option<ProgressBar>,
    results: Mutex<Results<'a>>,
}

/// Standard output, and the first failure to write to it. The tables matter more: work goes on without.
struct Results<'a> {
    out: &'a mut Output,
    failure: Option<Failure>,
}

impl<'a> JobProgress<'a> {
    /// Progress of a job with `total` entries to solve.
    pub fn new(rules: &'static Rules, total: u64, json: bool, out: &'a mut Output) -> Self {
        JobProgress {
            rules,
            json,
            started: Instant::now(),
            total,
            done: AtomicU64::new(0),
            bar: bar(ProgressBar::new(total), "{bar:24} {percent:>3}%  {speed}  {eta_precise} left  {msg}"),
            results: Mutex::new(Results { out, failure: None }),
        }
    }

    /// Takes the bar away and tells whether all results could be written.
    pub fn finish(self) -> Result<(), Failure> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let results = self.results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.failure.map_or(Ok(()), Err)
    }

    fn print_result(&self, summary: &SliceSummary, kept: bool) {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        if results.failure.is_some() {
            return;
        }
        let out = &mut *results.out;
        let written = if self.json {
            json_line(out, &json::Slice::new(self.rules, summary))
        } else {
            let row = rows::labelled_slice(summary);
            writeln!(out, "{row}  {}", if kept { "kept" } else { "new" }).map_err(Failure::from)
        };
        results.failure = written.and_then(|()| flush(results.out)).err();
    }

    fn print_plain(&self, material: Material) {
        let done = self.done.load(Ordering::Relaxed);
        let elapsed = self.started.elapsed();
        let percent = done.saturating_mul(100).checked_div(self.total).unwrap_or(100).min(100);
        let speed = HumanCount((done as f64 / elapsed.as_secs_f64().max(1e-3)) as u64);
        let _ = writeln!(
            io::stderr(),
            "{percent:>3}%  {material} after {:.1} s, {speed} positions/s",
            elapsed.as_secs_f64()
        );
    }
}

impl Progress for JobProgress<'_> {
    fn stage(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        }
    }

    fn advanced(&self, entries: u64) {
        self.done.fetch_add(entries, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.inc(entries);
        }
    }

    fn slice_done(&self, summary: &SliceSummary, kept: bool) {
        match &self.bar {
            // The results may go to the same terminal.
            Some(bar) => bar.suspend(|| self.print_result(summary, kept)),
            None => {
                self.print_result(summary, kept);
                if !kept {
                    self.print_plain(summary.material);
                }
            }
        }
    }
}

/// Progress of `verify`, which shows on a terminal alone: there is one result per rule set.
pub struct CheckProgress {
    bar: Option<ProgressBar>,
}

impl CheckProgress {
    /// Progress of checking the tables of `rules`.
    pub fn new(rules: &Rules) -> CheckProgress {
        let bar =
            bar(ProgressBar::new_spinner(), "{spinner} {prefix}  {elapsed}  {human_pos} entries  {msg}");
        if let Some(bar) = &bar {
            bar.set_prefix(rules.name());
        }
        CheckProgress { bar }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Progress for CheckProgress {
    fn stage(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        }
    }

    fn advanced(&self, entries: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(entries);
        }
    }
}

/// `bar` with this template if there is a terminal to draw it on.
fn bar(bar: ProgressBar, template: &str) -> Option<ProgressBar> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.with_key("speed", write_speed));
    bar.enable_steady_tick(Duration::from_millis(200));
    Some(bar)
}

fn write_speed(state: &ProgressState, text: &mut dyn std::fmt::Write) {
    let _ = write!(text, "{} positions/s", HumanCount(state.per_sec() as u64));
}

/// Progress of a scan of tables, which shows on a terminal alone.
pub struct ScanProgress {
    bar: Option<ProgressBar>,
}

impl ScanProgress {
    /// Progress of work on so many `what` that nobody knows their number.
    pub fn new(what: &str) -> ScanProgress {
        let template = format!("{{spinner}} {{elapsed}}  {{human_pos}} {what}  {{msg}}");
        ScanProgress { bar: bar(ProgressBar::new_spinner(), &template) }
    }

    /// Progress of work on `total` of `what`.
    pub fn with_total(what: &str, total: u64) -> ScanProgress {
        let template =
            format!("{{bar:24}} {{percent:>3}}%  {{human_pos}} {what}  {{eta_precise}} left  {{msg}}");
        ScanProgress { bar: bar(ProgressBar::new(total), &template) }
    }

    /// Takes the bar away while `print` writes to what may be the same terminal.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Takes the bar away for good.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Progress for ScanProgress {
    fn stage(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        }
    }

    fn advanced(&self, entries: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(entries);
        }
    }
}
