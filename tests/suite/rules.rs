//! Legal moves and perft of the library: against the reference data, against the second implementation of
//! these tests, and against the symmetries of the board.

use std::collections::{BTreeSet, HashMap};

use crate::reference::{MOVES, PERFT, Row, VARIANTS_PERFT, rows, rules_called};
use alquerque::board::{Bitboard, Directions, MAX_STONES, POINTS, Point};
use alquerque::moves::{Move, divide, legal_moves, perft};
use alquerque::position::Position;
use alquerque::rules::{CLASSIC, Parameters, Rules, Side};
use proptest::prelude::*;

#[test]
fn perft_from_the_start() {
    let rows = rows(PERFT);
    assert_eq!(rows.len(), 4);
    for row in rows {
        let rules = Rules::by_name(row.get("rules")).unwrap();
        let start = Position::parse(rules, "bbbbb/bbbbb/bb1ww/wwwww/wwwww w - 0").unwrap();
        for depth in 1..=10 {
            let expected = row.number(&depth.to_string());
            assert_eq!(perft(rules, &start, depth), expected, "{} to depth {depth}", rules.name());
        }
        let split = divide(rules, &start, 10);
        assert_eq!(split.iter().map(|&(_, paths)| paths).sum::<u64>(), row.number("10"));
        let black = start.colours_swapped();
        assert_eq!(black.side(), Side::Black);
        assert_eq!((black.white(), black.black()), (start.white(), start.black()));
        assert_eq!(perft(rules, &black, 10), row.number("10"), "{} with Black to move", rules.name());
    }
}

#[test]
fn perft_under_rule_files() {
    let rows = rows(VARIANTS_PERFT);
    assert_eq!(rows.len(), 9);
    for row in rows {
        let rules = rules_called(row.get("rules"));
        let start = Position::start(rules);
        for depth in 1..=6 {
            assert_eq!(
                perft(rules, &start, depth),
                row.number(&depth.to_string()),
                "{rules:?} to depth {depth}"
            );
        }
    }
}

#[test]
fn a_move_may_stop_where_a_longer_one_goes_on() {
    let rules = rules_called("forced-stop");
    let position = Position::parse(rules, "5/1b1b1/5/1b3/w4 w").unwrap();
    let expected = ["a1xc3", "a1xc3xa5", "a1xc3xe5"].map(str::to_owned);
    assert_eq!(move_texts(rules, &position), BTreeSet::from(expected));
    let stopped = position.play(rules, &Move::parse(rules, &position, "a1xc3").unwrap());
    assert_eq!(stopped.to_string(), "5/1b1b1/2w2/5/5 b - 0");
}

/// The texts of all legal moves. Two moves never share a text: it names every landing point.
fn move_texts(rules: &Rules, position: &Position) -> BTreeSet<String> {
    let moves = legal_moves(rules, position);
    let texts: BTreeSet<String> = moves.iter().map(Move::to_string).collect();
    assert_eq!(texts.len(), moves.len(), "{position}: two moves share a text");
    texts
}

/// Checks one row of the moves table under one rule set.
fn check_fact(rules: &Rules, row: &Row) {
    let text = format!("{} {}", row.get("position"), row.get("side"));
    let mut position = Position::parse(rules, &text).unwrap();
    for text in row.get("after").split_whitespace() {
        let mv = Move::parse(rules, &position, text);
        position = position.play(rules, &mv.unwrap_or_else(|e| panic!("line {}: {e}", row.line)));
    }
    let place = format!("line {} under {}: {position}", row.line, rules.name());
    let (kind, fact) = (row.get("kind"), row.get("fact"));
    let texts = move_texts(rules, &position);
    match kind {
        "exactly" => {
            let expected: BTreeSet<String> = fact.split_whitespace().map(str::to_owned).collect();
            assert_eq!(texts, expected, "{place}");
        }
        "legal" => {
            assert!(texts.contains(fact), "{place}: {fact} is not among {texts:?}");
            assert!(Move::parse(rules, &position, &fact.replace('x', "-")).is_ok(), "{place}");
        }
        "illegal" => {
            assert!(!texts.contains(fact), "{place}: {fact} is among {texts:?}");
            assert!(Move::parse(rules, &position, fact).is_err(), "{place}");
        }
        "count" => assert_eq!(texts.len() as u64, row.number("fact"), "{place}: {texts:?}"),
        "result" => {
            // The position that the moves played so far have led to.
            let letter = if position.side() == Side::White { 'w' } else { 'b' };
            let expected = Position::parse(rules, &format!("{fact} {letter}")).unwrap();
            assert_eq!((position.white(), position.black()), (expected.white(), expected.black()), "{place}");
        }
        other => panic!("line {}: unknown kind '{other}'", row.line),
    }
}

#[test]
fn facts_about_legal_moves() {
    let mut kinds = BTreeSet::new();
    let mut checked = 0;
    for row in rows(MOVES) {
        kinds.insert(row.get("kind"));
        for letter in row.get("rules").chars() {
            let rules = Rules::ALL.into_iter().find(|rules| rules.name().starts_with(letter)).unwrap();
            check_fact(rules, &row);
            checked += 1;
        }
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["count", "exactly", "illegal", "legal", "result"]);
    assert_eq!(checked, 42);
}

/// The position with the counter at `plies` or at the limit, under rules that count.
fn with_plies(rules: &Rules, position: &Position, plies: u64) -> Position {
    match rules.ply_limit() {
        Some(limit) => position.with_plies(rules, plies.min(limit.into())).unwrap(),
        None => *position,
    }
}

prop_compose! {
    /// A placement for the second implementation; a stone that can have a forbidden step has one, or none.
    fn placement(rules: crate::brute::RuleSet)(
        points in Just((0..POINTS).collect::<Vec<_>>()).prop_shuffle(),
        white in 0..=MAX_STONES,
        black in 0..=MAX_STONES,
        white_to_move: bool,
        states in prop::collection::vec(0_usize..6, POINTS),
    ) -> crate::brute::Position {
        // Both sides empty is no position.
        let black = if white == 0 { black.max(1) } else { black };
        let (white_points, rest) = points.split_at(white);
        let mut position = crate::brute::Position::new(white_points, &rest[..black], white_to_move);
        for (point, drawn) in states.into_iter().enumerate() {
            if let Some(&state) = position.states(&rules, point).get(drawn) {
                position.set_state(point, state);
            }
        }
        position
    }
}

/// So many random cases, with nothing written beside the tests.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn any_placement() -> impl Strategy<Value = (crate::brute::RuleSet, crate::brute::Position)> {
    prop::sample::select([crate::brute::ALL.to_vec(), crate::brute::variants()].concat())
        .prop_flat_map(|rules| placement(rules).prop_map(move |position| (rules, position)))
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn text_survives_a_round_trip((brute_rules, placement) in any_placement(), plies in 0_u64..=50) {
        let rules = rules_called(brute_rules.name);
        let text = placement.to_string();
        let position = Position::parse(rules, &text).unwrap();
        prop_assert_eq!(position.to_string(), text);
        prop_assert!(position.check(rules).is_ok());
        let counted = with_plies(rules, &position, plies);
        prop_assert_eq!(Position::parse(rules, &counted.to_string()), Ok(counted));
    }

    #[test]
    fn moves_agree_with_the_second_implementation((brute_rules, placement) in any_placement()) {
        let rules = rules_called(brute_rules.name);
        let position = Position::parse(rules, &placement.to_string()).unwrap();
        let mut expected: Vec<(String, String)> = placement
            .legal_moves(&brute_rules)
            .iter()
            .map(|mv| (mv.to_string(), mv.after.to_string()))
            .collect();
        // The second implementation counts no plies.
        let played = |mv: &Move| position.play(rules, mv).with_plies(rules, 0).unwrap();
        let mut found: Vec<(String, String)> = legal_moves(rules, &position)
            .iter()
            .map(|mv| (mv.to_string(), played(mv).to_string()))
            .collect();
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn the_counter_counts_quiet_plies((brute_rules, placement) in any_placement(), plies in 0_u64..50) {
        let rules = rules_called(brute_rules.name);
        let position = Position::parse(rules, &placement.to_string()).unwrap();
        let position = with_plies(rules, &position, plies.min(u64::from(rules.ply_limit().unwrap_or(1)) - 1));
        for mv in legal_moves(rules, &position) {
            let quiet = rules.ply_limit().is_some() && !mv.is_capture();
            let expected = if quiet { position.plies() + 1 } else { 0 };
            prop_assert_eq!(position.play(rules, &mv).plies(), expected, "{}", mv);
        }
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn perft_is_the_same_for_images((brute_rules, placement) in any_placement(), plies in 0_u64..=50) {
        let rules = rules_called(brute_rules.name);
        let position = Position::parse(rules, &placement.to_string()).unwrap();
        let position = with_plies(rules, &position, plies);
        for depth in 0..=4 {
            let paths = perft(rules, &position, depth);
            for &transform in rules.symmetry().transforms() {
                let image = position.transformed(transform);
                prop_assert!(image.check(rules).is_ok());
                prop_assert_eq!(perft(rules, &image, depth), paths, "{} and {}", position, image);
            }
            let swapped = position.colours_swapped();
            prop_assert!(swapped.check(rules).is_ok());
            prop_assert_eq!(perft(rules, &swapped, depth), paths, "{} and {}", position, swapped);
        }
        prop_assert_eq!(position.colours_swapped().colours_swapped(), position);
    }
}

/// Texts that look a little like positions or moves.
fn any_text() -> impl Strategy<Value = String> {
    let letters = prop::sample::select("wwwbbb12345/////--  ,xacde09.+é\u{0}".chars().collect::<Vec<_>>());
    prop::collection::vec(letters, 0..60).prop_map(String::from_iter)
}

proptest! {
    #![proptest_config(cases(5000))]

    #[test]
    fn any_text_is_read_without_a_panic(text in any_text(), tail in any_text()) {
        for rules in Rules::ALL {
            let start = Position::start(rules);
            prop_assert!(Move::parse(rules, &start, &text).is_err());
            for text in [text.clone(), format!("5/1b3/2w2/5/5 w {tail}"), format!("5/5/2w2/5/{text} w - 0")] {
                // What is taken is a position, and its text means the same.
                if let Ok(position) = Position::parse(rules, &text) {
                    prop_assert!(position.check(rules).is_ok());
                    prop_assert_eq!(Position::parse(rules, &position.to_string()), Ok(position));
                }
            }
        }
    }
}

/// The number of each position with one stone a side, in all states, and those that a step leads to.
fn steps_of_single_stones(rules: &Rules) -> Vec<Vec<usize>> {
    let mut positions = Vec::new();
    for (white, black) in Point::all().flat_map(|white| Point::all().map(move |black| (white, black))) {
        for side in [Side::White, Side::Black] {
            let sets = [white, black].map(Bitboard::of);
            let Ok(free) = Position::new(sets[0], sets[1], side) else { continue };
            let mut marked = vec![free];
            for (from, to) in free.forbiddable_steps(rules) {
                let more = marked.iter().filter_map(|position| position.forbid(rules, from, to).ok());
                marked.extend(more.collect::<Vec<_>>());
            }
            positions.extend(marked);
        }
    }
    let numbers: HashMap<Position, usize> = positions.iter().copied().zip(0..).collect();
    let steps = |position: &Position| {
        let moves = legal_moves(rules, position).into_iter().filter(|mv| !mv.is_capture());
        moves.map(|mv| numbers[&position.play(rules, &mv).with_plies(rules, 0).unwrap()]).collect()
    };
    positions.iter().map(steps).collect()
}

/// The most steps in a row; `None` when they can go in a circle. Positions from which no step leads on are
/// taken away until none is left.
fn longest_walk(steps: &[Vec<usize>]) -> Option<u16> {
    let mut before = vec![Vec::new(); steps.len()];
    for (from, targets) in steps.iter().enumerate() {
        targets.iter().for_each(|&to| before[to].push(from));
    }
    let mut left: Vec<usize> = steps.iter().map(Vec::len).collect();
    let mut ended: Vec<usize> = (0..steps.len()).filter(|&number| left[number] == 0).collect();
    let mut longest = vec![0; steps.len()];
    let mut count = 0;
    while let Some(number) = ended.pop() {
        count += 1;
        for &from in &before[number] {
            longest[from] = longest[from].max(longest[number] + 1);
            left[from] -= 1;
            if left[from] == 0 {
                ended.push(from);
            }
        }
    }
    if count == steps.len() { longest.into_iter().max() } else { None }
}

#[test]
fn cycles_are_those_of_the_graph_of_positions() {
    let mut acyclic = 0;
    // Every set of directions, but not in every combination: a prime step visits them all.
    for (number, bits) in (1..=u8::MAX).enumerate() {
        let parameters = Parameters {
            steps: Directions::from_bits(bits),
            steps_on_far_rank: number % 2 == 0,
            no_return: number % 3 != 0,
            ..*CLASSIC.parameters()
        };
        let rules = Rules::new(parameters).unwrap();
        let walk = longest_walk(&steps_of_single_stones(&rules));
        assert_eq!(rules.is_acyclic(), walk.is_some(), "{parameters:?}");
        if let (Some(bound), Some(walk)) = (rules.longest_quiet_play(), walk) {
            assert!(walk <= bound / MAX_STONES as u16, "{walk} {bound} {parameters:?}");
            acyclic += 1;
        }
    }
    assert!((50..200).contains(&acyclic), "{acyclic}");
    for rules in Rules::ALL {
        let walk = longest_walk(&steps_of_single_stones(rules));
        assert_eq!(rules.is_acyclic(), walk.is_some());
    }
}
