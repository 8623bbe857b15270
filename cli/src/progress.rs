//! How long work shows its progress: a bar on a terminal, otherwise a line every few seconds.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use alquerque::json;
use alquerque::progress::{Forecast, Progress, Stage};
use alquerque::rules::Rules;
use alquerque::tablebase::SliceSummary;
use indicatif::style::ProgressTracker;
use indicatif::{FormattedDuration, ProgressBar, ProgressState, ProgressStyle};

use super::failure::Failure;
use super::output::{Output, flush, json_line};
use super::rows;

/// Progress of `generate` on standard error, its results on standard output.
pub struct JobProgress<'a> {
    rules: &'static Rules,
    json: bool,
    standing: Arc<Standing>,
    bar: Option<ProgressBar>,
    /// Prints a line every few seconds where there is no bar.
    lines: Option<JoinHandle<()>>,
    results: Mutex<Results<'a>>,
}

/// How often a line is printed where there is no bar.
const PAUSE: Duration = Duration::from_secs(5);

/// The length of the bar. It moves with the forecast.
const FULL: u64 = 1000;

/// What is known of the progress of a run.
struct Standing {
    started: Instant,
    now: Mutex<Now>,
    /// Rings when the run has finished.
    finished: Condvar,
}

#[derive(Default)]
struct Now {
    stage: Option<Stage>,
    forecast: Option<(Instant, Forecast)>,
    is_finished: bool,
}

impl Now {
    /// The time left, counted down since it was forecast.
    fn left(&self) -> Option<Duration> {
        let (at, forecast) = self.forecast?;
        Some(forecast.left?.saturating_sub(at.elapsed()))
    }

    fn done(&self) -> f64 {
        self.forecast.map_or(0.0, |(_, forecast)| forecast.done)
    }
}

impl Standing {
    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The progress as a line.
    fn line(&self, now: &Now) -> String {
        let mut line = format!("{:>3.0}%", (100.0 * now.done()).floor());
        if let Some(stage) = now.stage {
            line += &format!("  {stage}");
        }
        line += &format!("  {} elapsed", FormattedDuration(self.started.elapsed()));
        if let Some(left) = now.left() {
            line += &format!(", about {} left", FormattedDuration(left));
        }
        line
    }

    /// Prints a line every few seconds until the run has finished.
    fn print_lines(&self) {
        let mut now = self.now();
        while !now.is_finished {
            let (guard, waited) =
                self.finished.wait_timeout(now, PAUSE).unwrap_or_else(PoisonError::into_inner);
            now = guard;
            if waited.timed_out() && !now.is_finished {
                let _ = writeln!(io::stderr(), "{}", self.line(&now));
            }
        }
    }
}

/// Standard output, and the first failure to write to it. The tables matter more: work goes on without.
struct Results<'a> {
    out: &'a mut Output,
    failure: Option<Failure>,
}

impl<'a> JobProgress<'a> {
    /// Progress of a job under `rules`.
    pub fn new(rules: &'static Rules, json: bool, out: &'a mut Output) -> Self {
        let (started, now) = (Instant::now(), Mutex::default());
        let standing = Arc::new(Standing { started, now, finished: Condvar::new() });
        let bar = bar(ProgressBar::new(FULL), "{bar:24} {percent:>3}%  {left}  {msg}", {
            let standing = Arc::clone(&standing);
            move |_: &ProgressState, text: &mut dyn fmt::Write| {
                let left = standing.now().left();
                let _ = left.map(|left| write!(text, "{} left", FormattedDuration(left)));
            }
        });
        let lines = if bar.is_none() {
            let standing = Arc::clone(&standing);
            // Where no thread can be started, there are no lines.
            thread::Builder::new().spawn(move || standing.print_lines()).ok()
        } else {
            None
        };
        JobProgress { rules, json, standing, bar, lines, results: Mutex::new(Results { out, failure: None }) }
    }

    /// Removes the bar. Returns the first failure to write a result.
    pub fn finish(self) -> Result<(), Failure> {
        self.standing.now().is_finished = true;
        self.standing.finished.notify_all();
        if let Some(lines) = self.lines {
            let _ = lines.join();
        }
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
}

impl Progress for JobProgress<'_> {
    fn stage(&self, stage: Stage) {
        self.standing.now().stage = Some(stage);
        if let Some(bar) = &self.bar {
            bar.set_message(stage.to_string());
        }
    }

    fn forecast(&self, forecast: Forecast) {
        self.standing.now().forecast = Some((Instant::now(), forecast));
        if let Some(bar) = &self.bar {
            bar.set_position((forecast.done * FULL as f64) as u64);
        }
    }

    fn slice_done(&self, summary: &SliceSummary, kept: bool) {
        match &self.bar {
            // The results may go to the same terminal.
            Some(bar) => bar.suspend(|| self.print_result(summary, kept)),
            None => self.print_result(summary, kept),
        }
    }
}

/// `bar` with this template if there is a terminal to draw it on. `left` writes what the template calls
/// `left`.
fn bar(bar: ProgressBar, template: &str, left: impl ProgressTracker + 'static) -> Option<ProgressBar> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.with_key("left", left));
    bar.enable_steady_tick(Duration::from_millis(200));
    Some(bar)
}

/// Progress of a scan of tables, which shows on a terminal alone.
pub struct ScanProgress {
    bar: Option<ProgressBar>,
}

impl ScanProgress {
    /// Progress of work on an unknown number of `what`.
    pub fn new(what: &str) -> ScanProgress {
        let template = format!("{{spinner}} {{elapsed}}  {{human_pos}} {what}  {{msg}}");
        ScanProgress { bar: bar(ProgressBar::new_spinner(), &template, nothing) }
    }

    /// Progress of work on the entries of all tables of `rules`.
    pub fn of_rules(rules: &Rules) -> ScanProgress {
        let template = "{spinner} {prefix}  {elapsed}  {human_pos} entries  {msg}";
        let bar = bar(ProgressBar::new_spinner(), template, nothing);
        ScanProgress { bar: bar.inspect(|bar| bar.set_prefix(rules.name())) }
    }

    /// Progress of work on `total` of `what`.
    pub fn with_total(what: &str, total: u64) -> ScanProgress {
        let template =
            format!("{{bar:24}} {{percent:>3}}%  {{human_pos}} {what}  {{eta_precise}} left  {{msg}}");
        ScanProgress { bar: bar(ProgressBar::new(total), &template, nothing) }
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
    fn stage(&self, stage: Stage) {
        if let Some(bar) = &self.bar {
            bar.set_message(stage.to_string());
        }
    }

    fn advanced(&self, entries: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(entries);
        }
    }
}

/// For bars that know the time left themselves.
fn nothing(_: &ProgressState, _: &mut dyn fmt::Write) {}
