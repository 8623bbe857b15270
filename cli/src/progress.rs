//! How long work shows its progress: a bar on a terminal, otherwise a line every few seconds.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use alquerque::json;
use alquerque::progress::{Forecast, Progress, Stage};
use alquerque::rules::Rules;
use alquerque::tablebase::SliceSummary;
use indicatif::style::ProgressTracker;
use indicatif::{FormattedDuration, HumanCount, ProgressBar, ProgressState, ProgressStyle};

use super::failure::Failure;
use super::output::{Output, flush, json_line};
use super::rows;

/// Progress of `generate` on standard error, its results on standard output.
pub struct JobProgress<'a> {
    rules: &'static Rules,
    json: bool,
    standing: Arc<Standing>,
    bar: Option<ProgressBar>,
    /// Where there is no bar.
    lines: Option<Lines>,
    results: Mutex<Results<'a>>,
}

/// How often a line is printed where there is no bar.
const PAUSE: Duration = Duration::from_secs(5);

/// The length of the bar. It moves with the forecast.
const FULL: u64 = 1000;

/// Prints a line on standard error every few seconds, until it is told that the work has finished.
struct Lines {
    finished: Arc<(Mutex<bool>, Condvar)>,
    printer: Mutex<Option<JoinHandle<()>>>,
}

impl Lines {
    /// Prints what `line` says.
    fn new(line: impl Fn() -> String + Send + 'static) -> Lines {
        let finished = Arc::new((Mutex::new(false), Condvar::new()));
        let told = Arc::clone(&finished);
        let print = move || {
            let (flag, rings) = &*told;
            let mut flag = flag.lock().unwrap_or_else(PoisonError::into_inner);
            while !*flag {
                let (guard, waited) = rings.wait_timeout(flag, PAUSE).unwrap_or_else(PoisonError::into_inner);
                flag = guard;
                if waited.timed_out() && !*flag {
                    let _ = writeln!(io::stderr(), "{}", line());
                }
            }
        };
        // Where no thread can be started, there are no lines.
        Lines { finished, printer: Mutex::new(thread::Builder::new().spawn(print).ok()) }
    }

    /// Prints no more.
    fn finish(&self) {
        let (flag, rings) = &*self.finished;
        *flag.lock().unwrap_or_else(PoisonError::into_inner) = true;
        rings.notify_all();
        let printer = self.printer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(printer) = printer {
            let _ = printer.join();
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.finish();
    }
}

/// What is known of the progress of a run.
struct Standing {
    started: Instant,
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    stage: Option<Stage>,
    forecast: Option<(Instant, Forecast)>,
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
    fn line(&self) -> String {
        let now = self.now();
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
        let standing = Arc::new(Standing { started, now });
        let bar = bar(ProgressBar::new(FULL), "{bar:24} {percent:>3}%  {left}  {msg}", {
            let standing = Arc::clone(&standing);
            move |_: &ProgressState, text: &mut dyn fmt::Write| {
                let left = standing.now().left();
                let _ = left.map(|left| write!(text, "{} left", FormattedDuration(left)));
            }
        });
        let lines = bar.is_none().then(|| {
            let standing = Arc::clone(&standing);
            Lines::new(move || standing.line())
        });
        JobProgress { rules, json, standing, bar, lines, results: Mutex::new(Results { out, failure: None }) }
    }

    /// Removes the bar. Returns the first failure to write a result.
    pub fn finish(self) -> Result<(), Failure> {
        drop(self.lines);
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

/// Progress of a scan of tables.
pub struct ScanProgress {
    bar: Option<ProgressBar>,
    /// Where there is no bar.
    lines: Option<(Arc<Scanned>, Lines)>,
}

/// How far a scan is.
struct Scanned {
    started: Instant,
    /// Of what, with what is said before it.
    what: String,
    total: Option<u64>,
    done: AtomicU64,
    stage: Mutex<Option<Stage>>,
}

impl Scanned {
    /// The progress as a line.
    fn line(&self) -> String {
        let (done, elapsed) = (self.done.load(Ordering::Relaxed), self.started.elapsed());
        let mut line = format!("{} {}", HumanCount(done), self.what);
        if let Some(total) = self.total {
            line += &format!(" of {}", HumanCount(total));
        }
        if let Some(stage) = *self.stage.lock().unwrap_or_else(PoisonError::into_inner) {
            line += &format!("  {stage}");
        }
        line += &format!("  {} elapsed", FormattedDuration(elapsed));
        if let Some(total) = self.total.filter(|_| done > 0) {
            let left = elapsed.mul_f64(total.saturating_sub(done) as f64 / done as f64);
            line += &format!(", about {} left", FormattedDuration(left));
        }
        line
    }
}

impl ScanProgress {
    /// Progress of work on an unknown number of `what`.
    pub fn new(what: &str) -> ScanProgress {
        let template = format!("{{spinner}} {{elapsed}}  {{human_pos}} {what}  {{msg}}");
        ScanProgress::of(bar(ProgressBar::new_spinner(), &template, nothing), what.to_owned(), None)
    }

    /// Progress of work on the entries of all tables of `rules`.
    pub fn of_rules(rules: &Rules) -> ScanProgress {
        let template = "{spinner} {prefix}  {elapsed}  {human_pos} entries  {msg}";
        let bar = bar(ProgressBar::new_spinner(), template, nothing);
        let bar = bar.inspect(|bar| bar.set_prefix(rules.name()));
        ScanProgress::of(bar, format!("entries of {}", rules.name()), None)
    }

    /// Progress of work on `total` of `what`.
    pub fn with_total(what: &str, total: u64) -> ScanProgress {
        let template =
            format!("{{bar:24}} {{percent:>3}}%  {{human_pos}} {what}  {{eta_precise}} left  {{msg}}");
        ScanProgress::of(bar(ProgressBar::new(total), &template, nothing), what.to_owned(), Some(total))
    }

    /// Shows `bar`, or lines if there is none.
    fn of(bar: Option<ProgressBar>, what: String, total: Option<u64>) -> ScanProgress {
        let lines = bar.is_none().then(|| {
            let (started, done, stage) = (Instant::now(), AtomicU64::new(0), Mutex::new(None));
            let scanned = Arc::new(Scanned { started, what, total, done, stage });
            let shown = Arc::clone(&scanned);
            (scanned, Lines::new(move || shown.line()))
        });
        ScanProgress { bar, lines }
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
        if let Some((_, lines)) = &self.lines {
            lines.finish();
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Progress for ScanProgress {
    fn stage(&self, stage: Stage) {
        if let Some((scanned, _)) = &self.lines {
            *scanned.stage.lock().unwrap_or_else(PoisonError::into_inner) = Some(stage);
        }
        if let Some(bar) = &self.bar {
            bar.set_message(stage.to_string());
        }
    }

    fn advanced(&self, entries: u64) {
        if let Some((scanned, _)) = &self.lines {
            scanned.done.fetch_add(entries, Ordering::Relaxed);
        }
        if let Some(bar) = &self.bar {
            bar.inc(entries);
        }
    }
}

/// For bars that know the time left themselves.
fn nothing(_: &ProgressState, _: &mut dyn fmt::Write) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The progress of a scan of `done` entries since `seconds`.
    fn scanned(total: Option<u64>, done: u64, seconds: u64) -> Scanned {
        let started = Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
        let what = "entries".to_owned();
        Scanned { started, what, total, done: AtomicU64::new(done), stage: Mutex::new(None) }
    }

    #[test]
    fn lines_tell_how_far_a_scan_is() {
        let pair = "3v2".parse::<alquerque::material::Material>().unwrap().pair();
        let scan = scanned(Some(4000), 1000, 100);
        assert_eq!(scan.line(), "1,000 entries of 4,000  00:01:40 elapsed, about 00:05:00 left");
        *scan.stage.lock().unwrap() = Some(Stage::Loading(pair));
        let line = scan.line();
        assert!(line.contains("3v2") && line.contains("loading"), "{line}");
        assert_eq!(scanned(None, 7, 3).line(), "7 entries  00:00:03 elapsed");
        // Before the first entry nothing is known of the time left.
        assert_eq!(scanned(Some(9), 0, 8).line(), "0 entries of 9  00:00:08 elapsed");
    }

    #[test]
    fn lines_end_at_once() {
        let begun = Instant::now();
        drop(Lines::new(|| "never printed".to_owned()));
        assert!(begun.elapsed() < PAUSE);
    }
}
