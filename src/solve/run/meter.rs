//! How much of a run is done, and how long the rest will take.
//!
//! Each pair and metric is worth its predicted time. Stages and entries tell which part of it is done. The time left
//! follows from the rate at which this work was done in the second half of the time so far, so that it does not matter
//! how fast the machine is, nor how slow the small pairs at the beginning were.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::material::{Material, Pair};
use crate::progress::{Forecast, Progress, Stage};
use crate::table::{Metric, SliceSummary};

/// The part of the work on values that is done when captures are resolved.
const CAPTURES: f64 = 0.6;
/// The part of what is left of it that each pass leaves.
const LEFT_BY_A_PASS: f64 = 0.75;
/// The part of the work on a metric that is done when its tables are written.
const UNWRITTEN: f64 = 0.95;
/// Distances to win that a first pair is expected to have, and how much the longest grows from one pair to a later one.
const FIRST_DISTANCES: f64 = 20.0;
const GROWTH: f64 = 1.15;
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
    /// The longest distance to win of the pairs that are done.
    longest: f64,
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
            _ => Metric::ALL.into_iter().for_each(|metric| self.reach(metric, UNWRITTEN * part.min(1.0))),
        }
    }

    fn enter(&mut self, stage: Stage, longest: f64) {
        self.stage = Some(stage);
        match stage {
            Stage::Pass { pass, .. } => {
                let left = (1.0 - CAPTURES) * LEFT_BY_A_PASS.powi(i32::from(pass) - 1);
                self.reach_values(UNWRITTEN * (1.0 - left));
            }
            Stage::Distance { plies, .. } => {
                self.plies = plies;
                self.reach(Metric::Wdl, 1.0);
                self.reach(Metric::Dtc, 1.0);
                // Each pass looks at what is not settled yet, which shrinks steadily.
                let part = (f64::from(plies - 1) / longest).min(0.9);
                self.reach(Metric::Dtw, UNWRITTEN * (1.0 - (1.0 - part).powi(2)));
            }
            Stage::Writing { metric, .. } => {
                Metric::ALL.into_iter().take_while(|&before| before != metric).for_each(|before| {
                    self.reach(before, 1.0);
                });
                self.reach(metric, UNWRITTEN);
            }
            _ => {}
        }
    }

    fn worth(&self) -> f64 {
        self.work.costs.iter().zip(self.done).map(|(cost, done)| cost * done).sum()
    }
}

impl State {
    fn done(&self) -> f64 {
        self.pairs.values().map(PairState::worth).sum()
    }

    fn forecast(&mut self, now: Duration) -> Forecast {
        let done = self.done();
        self.history.push_back((now, done));
        // What was done by half of the time: the last entry that is not later.
        while self.history.get(1).is_some_and(|&(time, _)| time <= now / 2) {
            self.history.pop_front();
        }
        let (since, before) =
            self.history.front().copied().filter(|&(time, _)| time <= now / 2).unwrap_or_default();
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
        let state = State { pairs, total, longest: FIRST_DISTANCES, history, last: None };
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
        let longest = state.longest;
        if let Some(pair) = state.pairs.get_mut(&stage.pair()) {
            pair.enter(stage, longest);
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
        let mut longest = state.longest;
        if let Some(pair) = state.pairs.get_mut(&summary.material.pair()) {
            longest = longest.max(f64::from(pair.plies) * GROWTH);
            pair.done = [1.0; Metric::ALL.len()];
            pair.stage = None;
        }
        state.longest = longest;
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

    /// Plays a run on a clock of its own. `captures`, `pass` and `distance` are the seconds that these take for each
    /// million entries of the pairs up to 7 stones. Returns the largest error of a forecast after the first tenth of the
    /// run, as a part of what was left in truth, or of a seventh of the run where less was left.
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
                wait(pass * millions * 0.75_f64.powi(i32::from(number)));
                note();
            }
            meter.stage(Stage::Writing { pair, metric: Metric::Wdl });
            wait(0.005 * millions);
            let passes = if distance > 0.0 { 8 * (pair.larger() + pair.smaller()) as u16 } else { 0 };
            for plies in 1..=passes {
                meter.stage(Stage::Distance { pair, plies });
                let unsettled = 1.0 - f64::from(plies) / f64::from(passes);
                wait(distance * millions * unsettled / f64::from(passes) * 2.0);
                note();
            }
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
            [(4.0, 0.8, 0.0), (4.0, 0.8, 60.0), (3.0, 1.2, 80.0), (400.0, 80.0, 6000.0)]
        {
            let worst = worst_forecast(captures, pass, distance);
            assert!(worst < 1.0 / 3.0, "off by {worst} with {captures}, {pass}, {distance}");
        }
    }
}
