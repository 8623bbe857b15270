//! How much of a run is done, and how long the rest will take.
//!
//! Each pair and metric is worth its predicted time. Stages and entries tell which part of it is done. The
//! time left follows from the rate at which this work was done in the last two thirds of the time so far, so
//! that it does not matter how fast the machine is, nor how slow the small pairs at the beginning were.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::material::{Material, Pair};
use crate::progress::{Forecast, Progress, Stage};
use crate::table::{Metric, SliceSummary};

// Measured with 7 to 9 stones: the parts of the work on a pair that are done after each step.

/// Of the work on values and distances to conversion: when captures are resolved, and when nothing is left
/// but writing.
const CAPTURES: f64 = 0.42;
const PASSES: f64 = 0.72;
/// The part of the passes that each pass after the second leaves.
const LEFT_BY_A_PASS: f64 = 0.6;
/// Of the work on distances to win: when nothing is left but writing.
const UNWRITTEN: f64 = 0.9;
/// Of a sweep: when nothing is left but writing.
const SWEPT: f64 = 0.97;
/// Where in the order of distances to win, as a part of the longest, nearly all of them are settled.
const SETTLED: f64 = 0.65;

/// The least time between two forecasts.
const PAUSE: Duration = Duration::from_millis(100);
/// From which part of the work on the time left can be told.
const TELLING: f64 = 0.01;

/// The work on a pair.
#[derive(Debug, Default)]
pub struct PairCost {
    /// Entries of its slices together.
    pub entries: u64,
    /// Predicted time by metric, in any unit; 0 for metrics that are not wanted.
    pub costs: [f64; Metric::ALL.len()],
}

/// Passes reports on, and adds forecasts to them.
pub struct Meter<'a> {
    progress: &'a dyn Progress,
    /// The time since the run began.
    clock: &'a (dyn Fn() -> Duration + Sync),
    state: Mutex<State>,
}

struct State {
    pairs: BTreeMap<Pair, PairState>,
    total: f64,
    /// The longest distance to win of a finished pair, by the difference of its sides, with its number of
    /// stones.
    longest: BTreeMap<usize, (f64, f64)>,
    /// What was done at earlier times.
    history: VecDeque<(Duration, f64)>,
    last: Option<Duration>,
}

struct PairState {
    work: PairCost,
    stage: Option<Stage>,
    advanced: f64,
    /// The largest distance to win that was worked on.
    plies: u16,
    /// The part that is done of each metric.
    done: [f64; Metric::ALL.len()],
}

impl PairState {
    fn reach(&mut self, metric: Metric, part: f64) {
        let done = &mut self.done[metric as usize];
        *done = done.max(part.min(1.0));
    }

    /// Distances to conversion come with the values.
    fn reach_values(&mut self, part: f64) {
        self.reach(Metric::Wdl, part);
        self.reach(Metric::Dtc, part);
    }

    fn advance(&mut self, entries: f64) {
        self.advanced += entries;
        let part = self.advanced / (self.work.entries as f64).max(1.0);
        match self.stage {
            Some(Stage::Captures(_)) => self.reach_values(CAPTURES * part.min(1.0)),
            // A sweep finds everything at once.
            _ => Metric::ALL.into_iter().for_each(|metric| self.reach(metric, SWEPT * part.min(1.0))),
        }
    }

    /// A stage begins, in a pair that is expected to have distances to win up to `longest`.
    fn enter(&mut self, stage: Stage, longest: f64) {
        self.stage = Some(stage);
        match stage {
            Stage::Pass { pass, .. } => {
                let left = LEFT_BY_A_PASS.powi(i32::from(pass).max(2) - 2);
                self.reach_values(CAPTURES + (PASSES - CAPTURES) * (1.0 - left));
            }
            Stage::Distance { plies, .. } => {
                self.plies = plies;
                self.reach_values(1.0);
                // Passes are about equally long until nearly all is settled.
                let part = f64::from(plies - 1) / (SETTLED * longest);
                self.reach(Metric::Dtw, UNWRITTEN * part.min(0.97));
            }
            Stage::Writing { metric, .. } => {
                Metric::ALL.into_iter().take_while(|&before| before != metric).for_each(|before| {
                    self.reach(before, 1.0);
                });
                match metric {
                    Metric::Wdl | Metric::Dtc => self.reach_values(PASSES),
                    Metric::Dtw => self.reach(metric, UNWRITTEN),
                }
            }
            _ => {}
        }
    }

    fn worth(&self) -> f64 {
        self.work.costs.iter().zip(self.done).map(|(cost, done)| cost * done).sum()
    }
}

/// The longest distance to win that a pair is expected to have, from the longest of a finished pair whose
/// sides differ as much, and its stones.
fn expected_longest(pair: Pair, known: Option<(f64, f64)>) -> f64 {
    let stones = (pair.larger() + pair.smaller()) as f64;
    let difference = (pair.larger() - pair.smaller()) as f64;
    match known {
        Some((longest, of_stones)) => longest * (stones / of_stones).powi(2),
        None => 1.3 * stones.powi(2) / (1.0 + difference.powi(2) / 4.0),
    }
}

impl State {
    fn done(&self) -> f64 {
        self.pairs.values().map(PairState::worth).sum()
    }

    fn forecast(&mut self, now: Duration) -> Forecast {
        let done = self.done();
        self.history.push_back((now, done));
        // What was done by a third of the time: the last entry that is not later.
        while self.history.get(1).is_some_and(|&(time, _)| time <= now / 3) {
            self.history.pop_front();
        }
        let (since, before) =
            self.history.front().copied().filter(|&(time, _)| time <= now / 3).unwrap_or_default();
        let rate = (done - before) / (now - since).as_secs_f64();
        let part = if self.total > 0.0 { done / self.total } else { 1.0 };
        let left = (self.total - done) / rate;
        let can_tell = part >= TELLING && left.is_finite();
        Forecast { done: part, left: can_tell.then(|| Duration::from_secs_f64(left.clamp(0.0, 1e9))) }
    }
}

impl<'a> Meter<'a> {
    /// For a run with this work, of which nothing is done yet.
    pub fn new(
        progress: &'a dyn Progress,
        clock: &'a (dyn Fn() -> Duration + Sync),
        work: impl IntoIterator<Item = (Pair, PairCost)>,
    ) -> Meter<'a> {
        let state =
            |work| PairState { work, stage: None, advanced: 0.0, plies: 0, done: [0.0; Metric::ALL.len()] };
        let pairs: BTreeMap<Pair, PairState> =
            work.into_iter().map(|(pair, work)| (pair, state(work))).collect();
        let total = pairs.values().flat_map(|pair| pair.work.costs).sum();
        let history = VecDeque::new();
        let state = State { pairs, total, longest: BTreeMap::new(), history, last: None };
        Meter { progress, clock, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports a forecast. One that is not `due` is left out if there was another just now.
    fn report(&self, mut state: MutexGuard<State>, due: bool) {
        let now = (self.clock)();
        if !due && state.last.is_some_and(|last| now < last + PAUSE) {
            return;
        }
        state.last = Some(now);
        let forecast = state.forecast(now);
        drop(state);
        self.progress.forecast(forecast);
    }
}

impl Progress for Meter<'_> {
    fn pair_started(&self, materials: &[Material], entries: u64) {
        self.progress.pair_started(materials, entries);
    }

    fn stage(&self, stage: Stage) {
        self.progress.stage(stage);
        let mut state = self.state();
        let pair = stage.pair();
        let known = state.longest.get(&(pair.larger() - pair.smaller())).copied();
        if let Some(in_work) = state.pairs.get_mut(&pair) {
            in_work.enter(stage, expected_longest(pair, known));
        }
        self.report(state, false);
    }

    fn advanced(&self, entries: u64) {
        self.progress.advanced(entries);
        let mut state = self.state();
        // Small pairs are in work side by side: they share what is done.
        let counts = |pair: &PairState| matches!(pair.stage, Some(Stage::Captures(_) | Stage::Level { .. }));
        let sharing = state.pairs.values().filter(|pair| counts(pair)).count().max(1);
        for pair in state.pairs.values_mut().filter(|pair| counts(pair)) {
            pair.advance(entries as f64 / sharing as f64);
        }
        self.report(state, false);
    }

    fn slice_done(&self, summary: &SliceSummary, kept: bool) {
        self.progress.slice_done(summary, kept);
        let mut state = self.state();
        let pair = summary.material.pair();
        if let Some(done) = state.pairs.get_mut(&pair) {
            done.done = [1.0; Metric::ALL.len()];
            done.stage = None;
            let longest = (f64::from(done.plies), (pair.larger() + pair.smaller()) as f64);
            if done.plies > 0 {
                state.longest.insert(pair.larger() - pair.smaller(), longest);
            }
        }
        self.report(state, true);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::*;

    /// Keeps the last forecast.
    #[derive(Default)]
    struct Last(Mutex<Option<Forecast>>);

    impl Progress for Last {
        fn forecast(&self, forecast: Forecast) {
            *self.0.lock().unwrap() = Some(forecast);
        }
    }

    fn summary(material: Material) -> SliceSummary {
        let (positions, win, draw, loss) = (0, 0, 0, 0);
        let (longest, bytes) = ([None; Metric::ALL.len()], [None; Metric::ALL.len()]);
        SliceSummary { material, positions, win, draw, loss, longest, bytes }
    }

    /// Plays a run on a clock of its own. `captures`, `pass` and `distance` are the seconds that these take
    /// for each million entries of the pairs up to 7 stones. Returns the largest error of a forecast
    /// after the first tenth of the run, as a part of what was left in truth, or of a seventh of the run
    /// where less was left.
    fn worst_forecast(captures: f64, pass: f64, distance: f64) -> f64 {
        let now = AtomicU64::new(0);
        let clock = || Duration::from_nanos(now.load(Relaxed));
        let wait = |seconds: f64| now.fetch_add((seconds * 1e9) as u64, Relaxed);
        let last = Last::default();
        let pairs = Pair::up_to(7);
        let entries = |pair: Pair| 10_u64.pow((pair.larger() + pair.smaller()) as u32 - 1);
        let dtw = if distance > 0.0 { 600.0 } else { 0.0 };
        let cost = |pair| {
            let entries = entries(pair);
            PairCost { entries, costs: [40.0, 15.0, dtw].map(|cost| cost * entries as f64) }
        };
        let meter = Meter::new(&last, &clock, pairs.iter().map(|&pair| (pair, cost(pair))));
        let mut told = Vec::new();
        let mut note = || {
            if let Some(Forecast { left: Some(left), .. }) = last.0.lock().unwrap().take() {
                told.push((clock(), left));
            }
        };
        for &pair in &pairs {
            let millions = entries(pair) as f64 / 1e6;
            meter.stage(Stage::Captures(pair));
            for _ in 0..100 {
                wait(captures * millions / 100.0);
                meter.advanced(entries(pair) / 100);
                note();
            }
            for number in 1..12 {
                meter.stage(Stage::Pass { pair, pass: number });
                note();
                wait(pass * millions * if number == 1 { 0.1 } else { 0.6_f64.powi(i32::from(number) - 1) });
            }
            meter.stage(Stage::Writing { pair, metric: Metric::Wdl });
            wait(pass * 1.4 * millions);
            // Fewer than expected of a first pair of its kind.
            let passes = if distance > 0.0 { (0.8 * expected_longest(pair, None)).ceil() as u16 } else { 0 };
            for plies in 1..=passes {
                meter.stage(Stage::Distance { pair, plies });
                note();
                // What is unsettled stays much until it shrinks fast.
                let unsettled = 1.0 - (f64::from(plies) / f64::from(passes)).powi(2);
                wait(distance * millions * unsettled / f64::from(passes) * 1.5);
            }
            meter.stage(Stage::Writing { pair, metric: Metric::Dtw });
            wait(distance / 10.0 * millions);
            // The files are synced.
            wait(0.001);
            pair.slices().for_each(|material| meter.slice_done(&summary(material), false));
        }
        let end = clock();
        assert_eq!(last.0.lock().unwrap().unwrap().done, 1.0);
        let late: Vec<_> = told.iter().filter(|(time, _)| *time > end / 10).collect();
        assert!(late.len() > 50, "{} forecasts", late.len());
        let error = |&&(time, left): &&(Duration, Duration)| {
            let truth = end - time;
            left.abs_diff(truth).as_secs_f64() / truth.max(end / 7).as_secs_f64()
        };
        late.iter().map(error).fold(0.0, f64::max)
    }

    #[test]
    fn the_time_left_is_known_after_a_tenth_of_a_run() {
        for (captures, pass, distance) in
            [(4.0, 1.9, 0.0), (4.0, 1.9, 90.0), (3.0, 2.3, 130.0), (400.0, 190.0, 9000.0)]
        {
            let worst = worst_forecast(captures, pass, distance);
            assert!(worst < 1.0 / 3.0, "off by {worst} with {captures}, {pass}, {distance}");
        }
    }
}
