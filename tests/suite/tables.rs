//! Tables that the library makes, probed and compared with brute force, with the reference data and with
//! themselves. One test a rule set, so that each set of tables is made once.

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::brute::{RuleSet, Solution};
use crate::reference::{POSITIONS, SLICES, VARIANTS, rows, rules_called, stones};
use crate::support::{job, run, temp_dir};
use alquerque::moves::{has_legal_move, legal_moves};
use alquerque::position::Position;
use alquerque::rules::{BRAINKING, CLASSIC, Parameters, QIRKAT, Rules, YOUZAI};
use alquerque::table::{Longest, Metric, Value};
use alquerque::tablebase::{LineEnd, RankedMove, SliceSummary, Tablebase, Verdict};
use alquerque::verify::{Derived, VerifyOptions, verify};
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// A table directory, opened.
struct Tables {
    rules: &'static Rules,
    /// The same rules for the brute-force solver.
    brute_rules: RuleSet,
    tablebase: Tablebase,
    /// The most stones on the board that there are tables for.
    stones: usize,
    _dir: TempDir,
}

fn make(rules: &'static Rules, brute_rules: RuleSet, stones: usize) -> Tables {
    assert_eq!((rules.name(), rules.no_return()), (brute_rules.name, brute_rules.no_return));
    assert_eq!(rules.ply_limit().map(u16::from), brute_rules.ply_limit);
    let dir = temp_dir();
    run(&job(rules, dir.path(), stones)).unwrap();
    let tablebase = Tablebase::open(dir.path(), rules).unwrap();
    assert_eq!(tablebase.rules(), rules);
    Tables { rules, brute_rules, tablebase, stones, _dir: dir }
}

fn value_of(value: crate::brute::Value) -> Value {
    match value {
        crate::brute::Value::Loss => Value::Loss,
        crate::brute::Value::Draw => Value::Draw,
        crate::brute::Value::Win => Value::Win,
    }
}

/// The distance by which moves are ranked.
fn primary(verdict: &Verdict) -> Option<u16> {
    verdict.dtw.or(verdict.dtc)
}

impl Tables {
    fn parse(&self, position: &crate::brute::Position) -> Position {
        Position::parse(self.rules, &position.to_string()).unwrap()
    }

    fn probe(&self, position: &Position) -> Verdict {
        let verdict = self.tablebase.probe(position).unwrap_or_else(|e| panic!("{position}: {e}"));
        assert_eq!(self.tablebase.probe_value(position).unwrap(), verdict.value, "{position}");
        verdict
    }

    fn ranked(&self, position: &Position) -> Vec<RankedMove> {
        self.tablebase.ranked_moves(position).unwrap_or_else(|e| panic!("{position}: {e}"))
    }

    /// Every `step`-th position of every slice, both colours to move.
    fn sample(&self, step: usize) -> Vec<Position> {
        let mut sample = Vec::new();
        for total in 2..=self.stones {
            for white in 1..total {
                let slice = crate::brute::enumerate(&self.brute_rules, white, total - white);
                sample.extend(slice.iter().step_by(step).map(|position| self.parse(position)));
            }
        }
        sample
    }

    /// Every position of up to `stones` stones has the value and the distances that brute force finds.
    fn agree_with_brute_force(&self, stones: usize) {
        let solution = Solution::new(self.brute_rules, stones);
        let mut checked = 0;
        for (position, answer) in solution.iter() {
            let verdict = self.probe(&self.parse(position));
            let expected = Verdict { value: value_of(answer.value), dtc: answer.dtc, dtw: answer.dtw };
            assert_eq!(verdict, expected, "{}: {position}", self.rules.name());
            checked += 1;
        }
        assert!(checked > 0);
    }

    /// What the tables say of whole slices, against the reference rows within their reach.
    fn match_reference_slices(&self, expected_rows: usize) {
        let slices = self.tablebase.slices();
        let key = |slice: &SliceSummary| (slice.material.total(), Reverse(slice.material.mover()));
        assert!(slices.is_sorted_by_key(key), "slices are out of order");
        assert_eq!(slices.len(), (2..=self.stones).map(|total| total - 1).sum::<usize>());
        for slice in &slices {
            assert_eq!(slice.win + slice.draw + slice.loss, slice.positions, "{}", slice.material);
            let has_dtw = self.rules.has_distance_to_win();
            assert_eq!(slice.bytes.map(|bytes| bytes.is_some()), [true, true, has_dtw], "{}", slice.material);
            assert!(slice.bytes.into_iter().flatten().all(|bytes| bytes > 0));
            assert_eq!(
                (slice.longest(Metric::Dtc).is_some(), slice.longest(Metric::Dtw).is_some()),
                (true, has_dtw),
                "{}",
                slice.material
            );
        }
        let mut checked = 0;
        for row in rows(SLICES).into_iter().chain(rows(VARIANTS)) {
            let (mover, opponent) = (row.number("mover") as usize, row.number("opponent") as usize);
            if row.get("rules") != self.rules.name() || mover + opponent > self.stones {
                continue;
            }
            let material = |slice: &&SliceSummary| {
                (slice.material.mover(), slice.material.opponent()) == (mover, opponent)
            };
            let slice = slices.iter().find(material).unwrap();
            let win = |longest: Option<Longest>| u64::from(longest.and_then(|l| l.win).unwrap_or(0));
            let loss = |longest: Option<Longest>| u64::from(longest.and_then(|l| l.loss).unwrap_or(0));
            for (column, found) in [
                ("positions", slice.positions),
                ("win", slice.win),
                ("draw", slice.draw),
                ("loss", slice.loss),
                ("max_dtc_win", win(slice.longest(Metric::Dtc))),
                ("max_dtc_loss", loss(slice.longest(Metric::Dtc))),
                ("max_dtw_win", win(slice.longest(Metric::Dtw))),
                ("max_dtw_loss", loss(slice.longest(Metric::Dtw))),
            ] {
                if row.get(column) != "-" {
                    assert_eq!(found, row.number(column), "line {}, {column}", row.line);
                }
            }
            checked += 1;
        }
        assert_eq!(checked, expected_rows);
    }

    /// The reference positions within reach of the tables.
    fn match_reference_positions(&self, expected_rows: usize) {
        let mut checked = 0;
        for row in rows(POSITIONS) {
            let text = row.get("position");
            if row.get("rules") != self.rules.name() || stones(text) > self.stones {
                continue;
            }
            let position = Position::parse(self.rules, text).unwrap();
            let verdict = self.probe(&position);
            assert_eq!(verdict.value.to_string(), row.get("value"), "line {}: {text}", row.line);
            for (column, found) in [("dtc", verdict.dtc), ("dtw", verdict.dtw)] {
                if let Some(expected) = row.distance(column) {
                    assert_eq!(found, expected, "line {}: {column} of {text}", row.line);
                }
            }
            checked += 1;
        }
        assert_eq!(checked, expected_rows);
    }

    /// A position, its images and the same with colours swapped are worth the same.
    fn agree_on_images(&self) {
        for position in self.sample(101) {
            let verdict = self.probe(&position);
            for &transform in self.rules.symmetry().transforms() {
                let image = position.transformed(transform);
                assert_eq!(self.probe(&image), verdict, "{position} and {image}");
                let swapped = image.colours_swapped();
                assert_eq!(self.probe(&swapped), verdict, "{position} and {swapped}");
            }
        }
    }

    /// The moves of a position are all there, each with the verdict of the position it leads to, in order,
    /// and the best one shows what the position is worth.
    fn rank_moves(&self, position: &Position) {
        let verdict = self.probe(position);
        let ranked = self.ranked(position);
        if position.is_drawn_by_counter(self.rules) {
            assert!(ranked.is_empty(), "{position}: the game is over");
            return;
        }
        let legal = legal_moves(self.rules, position);
        let found: HashSet<String> = ranked.iter().map(|ranked| ranked.mv.to_string()).collect();
        let expected: HashSet<String> = legal.iter().map(|mv| mv.to_string()).collect();
        assert_eq!(ranked.len(), legal.len(), "{position}");
        assert_eq!(found, expected, "{position}");
        for RankedMove { mv, position: after, verdict } in &ranked {
            assert_eq!(*after, position.play(self.rules, mv), "{position} {mv}");
            let child = self.probe(after);
            let value = match child.value {
                Value::Loss => Value::Win,
                Value::Draw => Value::Draw,
                Value::Win => Value::Loss,
            };
            let dtc = if mv.is_capture() { child.dtc.map(|_| 1) } else { child.dtc.map(|plies| plies + 1) };
            let expected = Verdict { value, dtc, dtw: child.dtw.map(|plies| plies + 1) };
            assert_eq!(*verdict, expected, "{position} {mv}");
        }
        let place = |ranked: &RankedMove| {
            let plies = primary(&ranked.verdict).map_or(0, i32::from);
            let delay = if ranked.verdict.value == Value::Loss { -plies } else { plies };
            (Reverse(ranked.verdict.value), delay)
        };
        assert!(ranked.is_sorted_by_key(place), "{position}: the moves are out of order");
        match ranked.first() {
            None if Value::without_moves(self.rules, position) == Value::Draw => {
                assert_eq!((verdict.value, primary(&verdict)), (Value::Draw, None), "{position}");
            }
            None => assert_eq!((verdict.value, primary(&verdict)), (Value::Loss, Some(0)), "{position}"),
            Some(best) => {
                assert_eq!(best.verdict.value, verdict.value, "{position}");
                assert_eq!(primary(&best.verdict), primary(&verdict), "{position}");
            }
        }
        let again: Vec<_> = self.ranked(position).iter().map(|ranked| ranked.mv).collect();
        assert_eq!(again, ranked.iter().map(|ranked| ranked.mv).collect::<Vec<_>>(), "{position}");
    }

    /// Best play keeps to the rules, goes as the value says, and takes as many plies as the distance to win.
    fn play_best(&self, position: &Position) {
        let verdict = self.probe(position);
        let line = self.tablebase.main_line(position).unwrap_or_else(|e| panic!("{position}: {e}"));
        let mut at = *position;
        for ranked in &line.moves {
            assert!(legal_moves(self.rules, &at).contains(&ranked.mv), "{position}: {} at {at}", ranked.mv);
            at = at.play(self.rules, &ranked.mv);
            assert_eq!(ranked.position, at, "{position}");
        }
        let plies = line.moves.len();
        match (verdict.value, line.end) {
            (Value::Draw, LineEnd::Repetition) => assert!(self.rules.ply_limit().is_none(), "{position}"),
            (Value::Draw, LineEnd::PlyLimit) => {
                assert!(at.is_drawn_by_counter(self.rules), "{position}: ends with {at}");
            }
            (Value::Win | Value::Loss, LineEnd::GameOver) => {
                assert!(!has_legal_move(self.rules, &at), "{position}: ends with {at}");
                assert_eq!(verdict.value == Value::Win, plies % 2 == 1, "{position}: {plies} plies");
                if let Some(dtw) = verdict.dtw {
                    assert_eq!(plies, usize::from(dtw), "{position}");
                }
            }
            _ => panic!("{position}: a {} must not end so", verdict.value),
        }
    }

    /// A side that has no stones has lost, and the last capture is a win.
    fn know_the_end(&self) {
        for text in ["5/5/2w2/5/5 b - 0", "5/5/2b2/5/5 w - 0", "wwwww/5/5/5/5 b - 0"] {
            let position = Position::parse(self.rules, text).unwrap();
            let verdict = self.probe(&position);
            let dtw = self.rules.has_distance_to_win().then_some(0);
            assert_eq!(verdict, Verdict { value: Value::Loss, dtc: Some(0), dtw }, "{position}");
            assert!(self.ranked(&position).is_empty(), "{position}");
        }
        let position = Position::parse(self.rules, "5/5/2b2/2w2/5 w - 0").unwrap();
        let verdict = self.probe(&position);
        assert_eq!((verdict.value, verdict.dtc), (Value::Win, Some(1)), "{position}");
        assert_eq!(verdict.dtw, self.rules.has_distance_to_win().then_some(1), "{position}");
        // No game leads to a move against nobody, but an answer must be right if there is one.
        let position = Position::parse(self.rules, "5/5/2w2/5/5 w - 0").unwrap();
        if let Ok(verdict) = self.tablebase.probe(&position) {
            assert_eq!((verdict.value, verdict.dtc), (Value::Win, Some(1)), "{position}");
        }
    }

    /// What the tables cannot answer is an error that names what is missing.
    fn refuse_what_is_missing(&self) {
        let position = Position::parse(self.rules, "bbb2/5/5/5/wwwww w - 0").unwrap();
        let error = self.tablebase.probe(&position).unwrap_err().to_string();
        assert!(error.contains("5v3"), "{error}");
        let position = Position::parse(self.rules, "bbb2/5/5/w4/wwwww w - 0").unwrap();
        for error in [
            self.tablebase.probe(&position).unwrap_err(),
            self.tablebase.probe_value(&position).unwrap_err(),
            self.tablebase.main_line(&position).err().unwrap(),
            self.tablebase.ranked_moves(&position).err().unwrap(),
        ] {
            let error = error.to_string();
            // The moves lead to 3v6.
            assert!(error.contains("6v3") || error.contains("3v6"), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
        let other = if self.rules.no_return() { "5/5/2w2/5/4b w - 7" } else { "5/5/2w2/5/4b w c3-b3 0" };
        let others_rules = if self.rules.no_return() { &YOUZAI } else { &BRAINKING };
        let position = Position::parse(others_rules, other).unwrap();
        let error = self.tablebase.probe(&position).unwrap_err().to_string();
        assert!(error.contains(self.rules.name()), "{error}");
    }

    /// A decisive value stands exactly if it needs no more plies than the counter leaves.
    fn heed_the_counter(&self) {
        let limit = u64::from(self.rules.ply_limit().unwrap());
        let (mut stood, mut fell) = (0, 0);
        for (index, position) in self.sample(499).into_iter().enumerate() {
            let fresh = self.probe(&position);
            for plies in 0..=limit {
                let counted = position.with_plies(self.rules, plies).unwrap();
                let stands = fresh.dtc.is_some_and(|dtc| u64::from(dtc) <= limit - plies);
                let expected =
                    if stands { fresh } else { Verdict { value: Value::Draw, dtc: None, dtw: None } };
                assert_eq!(self.probe(&counted), expected, "{counted}");
                if fresh.value != Value::Draw {
                    *(if stands { &mut stood } else { &mut fell }) += 1;
                }
                // Every move of every fourth position; the counter goes on with them.
                if index % 4 == 0 {
                    self.rank_moves(&counted);
                }
                if index % 8 == 0 && plies % 5 == 0 && !counted.is_drawn_by_counter(self.rules) {
                    self.play_best(&counted);
                }
            }
        }
        assert!(stood > 1000 && fell > 1000, "{stood} stood, {fell} fell");
        // No legal move: lost, even at the limit. A capture comes too late there.
        for (text, plies, value, dtc) in [
            ("5/5/2b2/2w2/5 w", limit - 1, Value::Win, Some(1)),
            ("5/5/2b2/2w2/5 w", limit, Value::Draw, None),
            ("5/5/2w2/5/5 b", limit, Value::Loss, Some(0)),
            ("5/5/2b1b/3bb/2bbw w", limit, Value::Loss, Some(0)),
        ] {
            let position = Position::parse(self.rules, &format!("{text} - {plies}")).unwrap();
            let verdict = self.probe(&position);
            assert_eq!((verdict.value, verdict.dtc), (value, dtc), "{position}");
        }
        if !self.rules.parameters().steps_on_far_rank {
            for text in ["2w2/5/5/5/2b2 w", "2w2/5/5/5/2b2 b", "2w2/5/5/5/b4 w"] {
                for plies in [0, 1, limit] {
                    let position = Position::parse(self.rules, &format!("{text} - {plies}")).unwrap();
                    let verdict = self.probe(&position);
                    assert_eq!((verdict.value, verdict.dtc), (Value::Loss, Some(0)), "{position}");
                }
            }
        }
    }

    /// Everything but the comparison with brute force and reference data.
    fn agree_with_themselves(&self) {
        self.agree_on_images();
        for (index, position) in self.sample(211).into_iter().enumerate() {
            self.rank_moves(&position);
            if index % 3 == 0 {
                self.play_best(&position);
            }
        }
        self.know_the_end();
        self.refuse_what_is_missing();
    }
}

#[test]
fn classic() {
    let tables = make(&CLASSIC, crate::brute::CLASSIC, 5);
    tables.agree_with_brute_force(4);
    tables.match_reference_slices(10);
    tables.match_reference_positions(180);
    tables.agree_with_themselves();
}

#[test]
fn brainking() {
    let tables = make(&BRAINKING, crate::brute::BRAINKING, 3);
    tables.agree_with_brute_force(3);
    tables.match_reference_slices(3);
    tables.match_reference_positions(161);
    tables.agree_with_themselves();
}

#[test]
fn qirkat() {
    let tables = make(&QIRKAT, crate::brute::QIRKAT, 3);
    tables.agree_with_brute_force(3);
    tables.match_reference_slices(3);
    tables.match_reference_positions(160);
    tables.agree_with_themselves();
}

#[test]
fn youzai() {
    let tables = make(&YOUZAI, crate::brute::YOUZAI, 5);
    tables.agree_with_brute_force(4);
    tables.match_reference_slices(10);
    tables.match_reference_positions(300);
    tables.agree_with_themselves();
    tables.heed_the_counter();
}

#[test]
fn rule_files() {
    for brute_rules in crate::brute::variants() {
        let rules = rules_called(brute_rules.name);
        let stones = if rules.no_return() { 3 } else { 4 };
        let tables = make(rules, brute_rules, stones);
        tables.agree_with_brute_force(if rules.symmetry().order() == 8 { 4 } else { 3 });
        tables.match_reference_slices(if rules.name() == "alfonso" { 6 } else { 3 });
        tables.agree_with_themselves();
        if rules.ply_limit().is_some() {
            tables.heed_the_counter();
        }
        let options = VerifyOptions { derived: Derived::All, threads: 2, cache: 1 << 20, memory: 1 << 30 };
        let report = verify(tables._dir.path(), rules, &options, &(), &AtomicBool::new(false)).unwrap();
        assert!(report.positions > 0, "{rules:?}");
    }
}

#[test]
fn rules_with_other_limits() {
    // Youzai with so low a limit that many wins take too long, and classic with a limit.
    for (name, limit, same, brute_same) in
        [("hasty", 12, &YOUZAI, crate::brute::YOUZAI), ("counted", 21, &CLASSIC, crate::brute::CLASSIC)]
    {
        let parameters = Parameters { name, ply_limit: Some(limit), ..*same.parameters() };
        let rules: &'static Rules = Box::leak(Box::new(Rules::new(parameters).unwrap()));
        let ply_limit = rules.ply_limit().map(u16::from);
        let tables = make(rules, RuleSet { name: rules.name(), ply_limit, ..brute_same }, 4);
        let longest =
            tables.tablebase.slices().into_iter().filter_map(|slice| Some(slice.longest(Metric::Dtc)?.max()));
        assert_eq!(longest.max(), ply_limit, "the limit is never reached");
        tables.agree_with_brute_force(4);
        tables.agree_with_themselves();
        tables.heed_the_counter();
    }
}

#[test]
#[ignore = "minutes and a gigabyte"]
fn five_stones_agree_with_brute_force() {
    make(&CLASSIC, crate::brute::CLASSIC, 5).agree_with_brute_force(5);
    make(&YOUZAI, crate::brute::YOUZAI, 5).agree_with_brute_force(5);
}
