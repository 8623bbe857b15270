//! The brute-force solver of these tests, checked against the reference data: what the library is compared
//! with must be right itself.

use crate::brute::{Position, RuleSet, Solution, Value};
use crate::reference::{PERFT, POSITIONS, SLICES, VARIANTS, VARIANTS_PERFT, rows, stones};

/// How many stones the solver of these tests goes up to.
fn reach(rules: &RuleSet) -> usize {
    if rules.no_return { 3 } else { 4 }
}

#[test]
fn perft_from_the_start() {
    let start = Position::parse("bbbbb/bbbbb/bb1ww/wwwww/wwwww w - 0");
    let rows = rows(PERFT);
    assert_eq!(rows.len(), 4);
    for rules in crate::brute::ALL {
        let row = rows.iter().find(|row| row.get("rules") == rules.name).unwrap();
        for depth in 1..=9 {
            assert_eq!(start.perft(&rules, depth), row.number(&depth.to_string()), "{} {depth}", rules.name);
        }
    }
}

#[test]
fn perft_under_rule_files() {
    let start = Position::parse("bbbbb/bbbbb/bb1ww/wwwww/wwwww w - 0");
    let rows = rows(VARIANTS_PERFT);
    let variants = crate::brute::variants();
    assert_eq!(rows.len(), variants.len());
    for rules in variants {
        let row = rows.iter().find(|row| row.get("rules") == rules.name).unwrap();
        for depth in 1..=6 {
            assert_eq!(start.perft(&rules, depth), row.number(&depth.to_string()), "{} {depth}", rules.name);
        }
    }
}

/// Counts and longest distances of a slice with one colour to move.
#[derive(Default, PartialEq, Eq, Debug)]
struct Summary {
    positions: u64,
    counts: [u64; 3],
    dtc: [u16; 2],
    dtw: [u16; 2],
}

fn summary(solution: &Solution, material: (usize, usize), white_to_move: bool) -> Summary {
    let mut summary = Summary::default();
    let of_slice = solution
        .iter()
        .filter(|(position, _)| position.white_to_move() == white_to_move && position.material() == material);
    for (_, answer) in of_slice {
        summary.positions += 1;
        summary.counts[answer.value as usize] += 1;
        if answer.value != Value::Draw {
            let side = usize::from(answer.value == Value::Loss);
            summary.dtc[side] = summary.dtc[side].max(answer.dtc.unwrap());
            summary.dtw[side] = summary.dtw[side].max(answer.dtw.unwrap_or(0));
        }
    }
    summary
}

fn check_slices(solution: &Solution, stones: usize, table: &'static str) -> usize {
    let mut checked = 0;
    for row in rows(table) {
        let material = (row.number("mover") as usize, row.number("opponent") as usize);
        if row.get("rules") != solution.rules.name || material.0 + material.1 > stones {
            continue;
        }
        let white = summary(solution, material, true);
        assert_eq!(white, summary(solution, material, false), "the colours differ, {material:?}");
        let line = row.line;
        assert_eq!(white.positions, row.number("positions"), "line {line}");
        let counts = ["loss", "draw", "win"].map(|column| row.number(column));
        assert_eq!(white.counts, counts, "line {line}");
        for (column, found) in [
            ("max_dtc_win", white.dtc[0]),
            ("max_dtc_loss", white.dtc[1]),
            ("max_dtw_win", white.dtw[0]),
            ("max_dtw_loss", white.dtw[1]),
        ] {
            if row.get(column) != "-" {
                assert_eq!(u64::from(found), row.number(column), "line {line}, {column}");
            }
        }
        checked += 1;
    }
    checked
}

fn check_positions(solution: &Solution) -> usize {
    let mut checked = 0;
    for row in rows(POSITIONS) {
        let text = row.get("position");
        if row.get("rules") != solution.rules.name || stones(text) > reach(&solution.rules) {
            continue;
        }
        let position = Position::parse(text);
        assert_eq!(position.to_string(), text, "line {}", row.line);
        let answer = solution.get(&position);
        assert_eq!(answer.value.to_string(), row.get("value"), "line {}: {text}", row.line);
        for (column, found) in [("dtc", answer.dtc), ("dtw", answer.dtw)] {
            if let Some(expected) = row.distance(column) {
                assert_eq!(found, expected, "line {}: {column} of {text}", row.line);
            }
        }
        checked += 1;
    }
    checked
}

fn check(rules: RuleSet, slices: usize, positions: usize) {
    let solution = Solution::new(rules, reach(&rules));
    assert_eq!(check_slices(&solution, reach(&rules), SLICES), slices);
    assert_eq!(check_positions(&solution), positions);
}

#[test]
fn rule_files() {
    let (table, mut checked) = (rows(VARIANTS), 0);
    for rules in crate::brute::variants() {
        let stones = table.iter().filter(|row| row.get("rules") == rules.name);
        let stones = stones.map(|row| row.number("mover") + row.number("opponent")).max().unwrap();
        checked += check_slices(&Solution::new(rules, stones as usize), stones as usize, VARIANTS);
    }
    assert_eq!(checked, table.len());
}

#[test]
fn classic() {
    check(crate::brute::CLASSIC, 6, 180);
}

#[test]
fn brainking() {
    check(crate::brute::BRAINKING, 3, 161);
}

#[test]
fn youzai() {
    check(crate::brute::YOUZAI, 6, 180);
}

#[test]
fn qirkat() {
    check(crate::brute::QIRKAT, 3, 160);
}
