//! A second implementation of the rules and of the solution, written for obviousness alone. It shares nothing
//! with the library: a board is 25 letters, the answers stand in a hash map, and a slice is solved by looking
//! at every position again and again until nothing changes.

use std::collections::HashMap;
use std::fmt;

/// A rule set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleSet {
    pub name: &'static str,
    /// Where White's stones step, each way by its number in [`WAYS`].
    pub steps: [bool; 8],
    /// Whether a stone on its far rank may step.
    pub steps_on_far_rank: bool,
    /// Whether steps are legal beside captures.
    pub optional_captures: bool,
    /// Where White's stones jump first.
    pub first_jumps: [bool; 8],
    /// Where White's stones jump later in a chain.
    pub later_jumps: [bool; 8],
    /// Whether a chain may end after every jump.
    pub may_stop: bool,
    /// A stone that stepped sideways may not step straight back.
    pub no_return: bool,
    /// Plies without a capture that make a draw.
    pub ply_limit: Option<u16>,
    /// Whether it is a draw when a side with stones cannot move.
    pub blocked_draws: bool,
}

const ALL_WAYS: [bool; 8] = [true; 8];
/// Forward and sideways, as White sees it.
const FORWARD: [bool; 8] = [false, false, false, true, true, true, true, true];

pub const CLASSIC: RuleSet = RuleSet {
    name: "classic",
    steps: ALL_WAYS,
    steps_on_far_rank: true,
    optional_captures: false,
    first_jumps: ALL_WAYS,
    later_jumps: ALL_WAYS,
    may_stop: false,
    no_return: false,
    ply_limit: None,
    blocked_draws: false,
};
pub const BRAINKING: RuleSet = RuleSet {
    name: "brainking",
    steps: FORWARD,
    steps_on_far_rank: false,
    first_jumps: FORWARD,
    no_return: true,
    ..CLASSIC
};
pub const YOUZAI: RuleSet =
    RuleSet { name: "youzai", steps: FORWARD, steps_on_far_rank: false, ply_limit: Some(50), ..CLASSIC };
pub const QIRKAT: RuleSet =
    RuleSet { name: "qirkat", steps: FORWARD, steps_on_far_rank: false, no_return: true, ..CLASSIC };
pub const ALL: [RuleSet; 4] = [CLASSIC, BRAINKING, YOUZAI, QIRKAT];
pub const ALFONSO: RuleSet =
    RuleSet { name: "alfonso", optional_captures: true, later_jumps: [false; 8], ..CLASSIC };
pub const MURRAY: RuleSet = RuleSet { name: "murray", optional_captures: true, may_stop: true, ..CLASSIC };

/// `alfonso`, `murray` and the rule sets in the files of `tests/data/rules`.
pub fn variants() -> Vec<RuleSet> {
    let mut rules = vec![ALFONSO, MURRAY];
    rules.extend(crate::reference::rule_files().iter().map(|(_, text)| RuleSet::from_file(text)));
    rules
}

impl RuleSet {
    /// The rule set in a rule file with one key a line.
    pub fn from_file(text: &str) -> RuleSet {
        let mut rules = CLASSIC;
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        for line in lines {
            let (key, value) = line.split_once('=').unwrap_or_else(|| panic!("'{line}' has no value"));
            let value = value.trim().trim_matches('"');
            let ways = || match value {
                "all" => ALL_WAYS,
                "forward" => FORWARD,
                "none" => [false; 8],
                list => WAYS.map(|way| list.contains(&format!("\"{}\"", way_name(way)))),
            };
            match key.trim() {
                "name" => rules.name = value.to_owned().leak(),
                "steps" => rules.steps = ways(),
                "steps-on-far-rank" => rules.steps_on_far_rank = value == "true",
                "captures" => rules.optional_captures = value == "optional",
                "first-jumps" => rules.first_jumps = ways(),
                "later-jumps" => rules.later_jumps = ways(),
                "chains" => rules.may_stop = value == "may-stop",
                "no-return" => rules.no_return = value == "true",
                "ply-limit" => rules.ply_limit = value.parse().ok(),
                "no-moves" => rules.blocked_draws = value == "draw",
                "title" | "start" | "first-to-move" => {}
                other => panic!("unknown key '{other}'"),
            }
        }
        rules
    }

    /// Whether `allowed`, White's ways, have `way` for this colour.
    fn has(allowed: &[bool; 8], colour: u8, (files, ranks): (i32, i32)) -> bool {
        let way = if colour == WHITE { (files, ranks) } else { (-files, -ranks) };
        WAYS.iter().zip(allowed).any(|(&known, &allowed)| known == way && allowed)
    }

    /// Whether a stone of this colour on `from` may step this way, states aside.
    fn may_step(&self, colour: u8, from: usize, way: (i32, i32)) -> bool {
        (self.steps_on_far_rank || from / 5 != far_rank(colour)) && RuleSet::has(&self.steps, colour, way)
    }
}

/// The name of a way: n, ne and so on.
fn way_name((files, ranks): (i32, i32)) -> String {
    let vertical = ["s", "", "n"][(ranks + 1) as usize];
    let horizontal = ["w", "", "e"][(files + 1) as usize];
    format!("{vertical}{horizontal}")
}

const EMPTY: u8 = b'.';
const WHITE: u8 = b'w';
const BLACK: u8 = b'b';

/// A position. Points are numbered from a1 = 0 along the ranks to e5 = 24.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    cells: [u8; 25],
    /// The sideways step that the stone on a point may not do: -1 towards file a, 1 towards file e, else 0.
    bans: [i8; 25],
    to_move: u8,
}

/// A legal move: the points that the stone touches, and the position that comes of it.
pub struct Move {
    pub path: Vec<usize>,
    pub capture: bool,
    pub after: Position,
}

fn point_name(point: usize) -> String {
    format!("{}{}", (b'a' + (point % 5) as u8) as char, point / 5 + 1)
}

fn point_number(name: &str) -> usize {
    let [file, rank] = name.as_bytes() else { panic!("'{name}' is no point") };
    usize::from(file - b'a') + 5 * usize::from(rank - b'1')
}

/// The eight ways to go, as changes of file and rank.
const WAYS: [(i32, i32); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// The point `distance` places from `point` along a line of the board.
fn along(point: usize, (files, ranks): (i32, i32), distance: i32) -> Option<usize> {
    let (file, rank) = (point as i32 % 5, point as i32 / 5);
    let diagonal = files != 0 && ranks != 0;
    if diagonal && (file + rank) % 2 != 0 {
        return None;
    }
    let (file, rank) = (file + files * distance, rank + ranks * distance);
    let on_board = (0..5).contains(&file) && (0..5).contains(&rank);
    on_board.then_some((rank * 5 + file) as usize)
}

fn other(colour: u8) -> u8 {
    if colour == WHITE { BLACK } else { WHITE }
}

fn far_rank(colour: u8) -> usize {
    if colour == WHITE { 4 } else { 0 }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.path.iter().map(|&point| point_name(point)).collect();
        f.write_str(&names.join(if self.capture { "x" } else { "-" }))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranks = Vec::new();
        for rank in (0..5).rev() {
            let mut text: String = (0..5).map(|file| self.cells[5 * rank + file] as char).collect();
            for run in (1..=5).rev() {
                text = text.replace(&".".repeat(run), &run.to_string());
            }
            ranks.push(text);
        }
        let mut bans = Vec::new();
        for point in 0..25 {
            if self.bans[point] != 0 {
                let target = (point as i32 + i32::from(self.bans[point])) as usize;
                bans.push(format!("{}-{}", point_name(point), point_name(target)));
            }
        }
        if bans.is_empty() {
            bans.push("-".to_owned());
        }
        write!(f, "{} {} {} 0", ranks.join("/"), self.to_move as char, bans.join(","))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Position {
    /// The position with these stones, all of them free.
    pub fn new(white: &[usize], black: &[usize], white_to_move: bool) -> Position {
        let mut cells = [EMPTY; 25];
        for &point in white {
            cells[point] = WHITE;
        }
        for &point in black {
            cells[point] = BLACK;
        }
        Position { cells, bans: [0; 25], to_move: if white_to_move { WHITE } else { BLACK } }
    }

    /// The position of a text with ranks from 5 to 1 separated by `/`. The ply counter is not read.
    pub fn parse(text: &str) -> Position {
        let mut fields = text.split(' ');
        let board = fields.next().unwrap_or_default();
        let mut cells = [EMPTY; 25];
        for (rank, letters) in board.split('/').rev().enumerate() {
            let mut file = 0;
            for letter in letters.bytes() {
                if letter.is_ascii_digit() {
                    file += usize::from(letter - b'0');
                } else {
                    cells[5 * rank + file] = letter;
                    file += 1;
                }
            }
        }
        let to_move = fields.next().unwrap_or_default().as_bytes()[0];
        let mut bans = [0; 25];
        for step in fields.next().unwrap_or("-").split(',').filter(|&step| step != "-") {
            let (from, to) = step.split_once('-').unwrap_or_else(|| panic!("'{step}' is no step"));
            let (from, to) = (point_number(from), point_number(to));
            bans[from] = if to < from { -1 } else { 1 };
        }
        Position { cells, bans, to_move }
    }

    /// The states that a stone of this colour can have on a point: a step can be forbidden where it exists,
    /// if the stone could have come the opposite way.
    fn stone_states(rules: &RuleSet, colour: u8, point: usize) -> Vec<i8> {
        let mut states = vec![0];
        for way in [(-1, 0), (1, 0)] {
            let back_and_forth =
                [way, (-way.0, 0)].iter().all(|&way| RuleSet::has(&rules.steps, colour, way));
            let exists = along(point, way, 1).is_some() && rules.may_step(colour, point, way);
            if rules.no_return && back_and_forth && exists {
                states.push(way.0 as i8);
            }
        }
        states
    }

    /// The states that the stone on a point can have: none where there is no stone.
    pub fn states(&self, rules: &RuleSet, point: usize) -> Vec<i8> {
        match self.cells[point] {
            EMPTY => Vec::new(),
            colour => Position::stone_states(rules, colour, point),
        }
    }

    /// Gives the stone on a point one of its states.
    pub fn set_state(&mut self, point: usize, state: i8) {
        self.bans[point] = state;
    }

    pub fn white_to_move(&self) -> bool {
        self.to_move == WHITE
    }

    fn count(&self, colour: u8) -> usize {
        self.cells.iter().filter(|&&cell| cell == colour).count()
    }

    /// Stones of the side to move, and of the other side.
    pub fn material(&self) -> (usize, usize) {
        (self.count(self.to_move), self.count(other(self.to_move)))
    }

    /// Every legal move.
    pub fn legal_moves(&self, rules: &RuleSet) -> Vec<Move> {
        let own: Vec<usize> = (0..25).filter(|&point| self.cells[point] == self.to_move).collect();
        let mut moves = Vec::new();
        for &from in &own {
            let mut lifted = *self;
            lifted.cells[from] = EMPTY;
            lifted.bans[from] = 0;
            lifted.jump_on(rules, &mut vec![from], &mut moves);
        }
        if !moves.is_empty() && !rules.optional_captures {
            return moves;
        }
        for &from in &own {
            for way in WAYS {
                let Some(to) = along(from, way, 1) else { continue };
                let wrong_way = !rules.may_step(self.to_move, from, way);
                let banned = way.1 == 0 && i32::from(self.bans[from]) == way.0;
                if self.cells[to] != EMPTY || wrong_way || banned {
                    continue;
                }
                let mut after = *self;
                after.cells[from] = EMPTY;
                after.bans[from] = 0;
                after.cells[to] = self.to_move;
                let ban = -way.0 as i8;
                if way.1 == 0 && Position::stone_states(rules, self.to_move, to).contains(&ban) {
                    after.bans[to] = ban;
                }
                after.to_move = other(self.to_move);
                moves.push(Move { path: vec![from, to], capture: false, after });
            }
        }
        moves
    }

    /// Adds every chain that begins with `path`. The moving stone is off the board, at the end of `path`.
    fn jump_on(&self, rules: &RuleSet, path: &mut Vec<usize>, moves: &mut Vec<Move>) {
        let at = path[path.len() - 1];
        let first = path.len() == 1;
        let mut can_jump = false;
        for way in WAYS {
            let allowed = if first { &rules.first_jumps } else { &rules.later_jumps };
            if !RuleSet::has(allowed, self.to_move, way) {
                continue;
            }
            let (Some(over), Some(landing)) = (along(at, way, 1), along(at, way, 2)) else { continue };
            if self.cells[over] != other(self.to_move) || self.cells[landing] != EMPTY {
                continue;
            }
            can_jump = true;
            let mut after = *self;
            after.cells[over] = EMPTY;
            after.bans[over] = 0;
            path.push(landing);
            after.jump_on(rules, path, moves);
            path.pop();
        }
        if !first && (!can_jump || rules.may_stop) {
            let mut after = *self;
            after.cells[at] = self.to_move;
            after.to_move = other(self.to_move);
            moves.push(Move { path: path.clone(), capture: true, after });
        }
    }

    /// The number of move sequences of `depth` plies. No counter of plies is kept.
    pub fn perft(&self, rules: &RuleSet, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ => self.legal_moves(rules).iter().map(|mv| mv.after.perft(rules, depth - 1)).sum(),
        }
    }
}

/// Every position with this many stones of each colour, with either side to move.
pub fn enumerate(rules: &RuleSet, white: usize, black: usize) -> Vec<Position> {
    let mut found = Vec::new();
    for white_to_move in [true, false] {
        place(rules, Position::new(&[], &[], white_to_move), 0, white, black, &mut found);
    }
    found
}

/// Fills the points from `point` on with the stones that are left, in every way.
fn place(
    rules: &RuleSet,
    position: Position,
    point: usize,
    white: usize,
    black: usize,
    found: &mut Vec<Position>,
) {
    if white + black == 0 {
        found.push(position);
        return;
    }
    if white + black > 25 - point {
        return;
    }
    place(rules, position, point + 1, white, black, found);
    for (colour, left) in [(WHITE, white), (BLACK, black)] {
        if left == 0 {
            continue;
        }
        for state in Position::stone_states(rules, colour, point) {
            let mut with_stone = position;
            with_stone.cells[point] = colour;
            with_stone.bans[point] = state;
            let (white, black) = if colour == WHITE { (white - 1, black) } else { (white, black - 1) };
            place(rules, with_stone, point + 1, white, black, found);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Loss,
    Draw,
    Win,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Value::Loss => "loss",
            Value::Draw => "draw",
            Value::Win => "win",
        })
    }
}

/// What is known of a position, for the side to move and with a ply counter of 0. Draws have no distances,
/// and under rules with a ply limit there is no distance to win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    pub value: Value,
    pub dtc: Option<u16>,
    pub dtw: Option<u16>,
}

/// The answer for every position of up to so many stones.
pub struct Solution {
    pub rules: RuleSet,
    positions: Vec<Position>,
    answers: HashMap<Position, Answer>,
}

/// A decided position: won or lost for the side to move, in so many plies.
type Decision = Option<(bool, u16)>;

impl Solution {
    /// Solves everything with at most `stones` stones in total.
    pub fn new(rules: RuleSet, stones: usize) -> Solution {
        let mut solution = Solution { rules, positions: Vec::new(), answers: HashMap::new() };
        for total in 2..=stones {
            solution.solve_total(total);
        }
        solution
    }

    /// The answer for a position with at least one stone of the side that is not to move.
    pub fn get(&self, position: &Position) -> Answer {
        if position.material().0 == 0 {
            let dtw = self.rules.ply_limit.is_none().then_some(0);
            return Answer { value: Value::Loss, dtc: Some(0), dtw };
        }
        match self.answers.get(position) {
            Some(answer) => *answer,
            None => panic!("{position} was not solved"),
        }
    }

    /// All positions, ordered by the number of stones.
    pub fn iter(&self) -> impl Iterator<Item = (&Position, &Answer)> {
        self.positions.iter().map(|position| (position, &self.answers[position]))
    }

    fn solve_total(&mut self, total: usize) {
        let mut positions = Vec::new();
        for white in 1..total {
            positions.extend(enumerate(&self.rules, white, total - white));
        }
        let numbers: HashMap<&Position, usize> = positions.iter().zip(0..).collect();
        let mut all = Vec::new();
        for position in &positions {
            let moves = position.legal_moves(&self.rules);
            let captures = moves.iter().filter(|mv| mv.capture);
            all.push(Successors {
                captured: captures.map(|mv| self.get(&mv.after)).collect(),
                stepped: moves.iter().filter(|mv| !mv.capture).map(|mv| numbers[&mv.after]).collect(),
                blocked_draws: self.rules.blocked_draws,
            });
        }
        let conversions = self.conversions(&all);
        let wins = self.rules.ply_limit.is_none().then(|| Self::wins(&all));
        for (number, position) in positions.iter().enumerate() {
            let value = |decision: Decision| match decision {
                Some((true, _)) => Value::Win,
                Some((false, _)) => Value::Loss,
                None => Value::Draw,
            };
            let conversion = conversions[number];
            let dtc = conversion.map(|(_, plies)| plies);
            let mut dtw = None;
            if let Some(wins) = &wins {
                assert_eq!(value(wins[number]), value(conversion), "{position}: the two runs disagree");
                dtw = wins[number].map(|(_, plies)| plies);
            }
            self.answers.insert(*position, Answer { value: value(conversion), dtc, dtw });
        }
        self.positions.append(&mut positions);
    }

    /// Value and distance to conversion. What captures decide is settled by what is known of fewer stones;
    /// then pass *d* decides the positions that convert in *d* plies.
    fn conversions(&self, all: &[Successors]) -> Vec<Decision> {
        let mut decisions: Vec<Decision> = all.iter().map(Successors::without_steps).collect();
        let limit = self.rules.ply_limit.unwrap_or(u16::MAX);
        for pass in 1..=limit {
            let mut found = Vec::new();
            for (number, successors) in all.iter().enumerate() {
                if decisions[number].is_some() || successors.stepped.is_empty() {
                    continue;
                }
                let children = successors.stepped.iter().map(|&child| decisions[child]);
                if let Some(won) = decide(children, pass)
                    && (won || successors.may_be_lost())
                {
                    found.push((number, won));
                }
            }
            if found.is_empty() && pass > 1 {
                break;
            }
            for (number, won) in found {
                decisions[number] = Some((won, pass));
            }
        }
        decisions
    }

    /// Value and distance to win: pass *d* decides the positions that end in *d* plies, by whatever moves.
    fn wins(all: &[Successors]) -> Vec<Decision> {
        let settled = |answer: &Answer| match answer.value {
            Value::Draw => None,
            value => answer.dtw.map(|plies| (value == Value::Win, plies)),
        };
        let captured = || all.iter().flat_map(|successors| &successors.captured).filter_map(settled);
        let longest = captured().map(|(_, plies)| plies).max().unwrap_or(0);
        let mut decisions: Vec<Decision> = vec![None; all.len()];
        for (number, successors) in all.iter().enumerate() {
            if successors.are_none() && !successors.blocked_draws {
                decisions[number] = Some((false, 0));
            }
        }
        for pass in 1.. {
            let mut found = Vec::new();
            for (number, successors) in all.iter().enumerate() {
                if decisions[number].is_some() || successors.are_none() {
                    continue;
                }
                let stepped = successors.stepped.iter().map(|&child| decisions[child]);
                let children = stepped.chain(successors.captured.iter().map(settled));
                if let Some(won) = decide(children, pass) {
                    found.push((number, won));
                }
            }
            if found.is_empty() && pass > longest + 1 {
                break;
            }
            for (number, won) in found {
                decisions[number] = Some((won, pass));
            }
        }
        decisions
    }
}

/// What the moves of a position lead to.
struct Successors {
    /// Positions with fewer stones, already solved.
    captured: Vec<Answer>,
    /// Numbers of positions with as many stones.
    stepped: Vec<usize>,
    blocked_draws: bool,
}

impl Successors {
    /// Whether there is no move.
    fn are_none(&self) -> bool {
        self.captured.is_empty() && self.stepped.is_empty()
    }

    /// Whether no capture saves the side to move.
    fn may_be_lost(&self) -> bool {
        self.captured.iter().all(|answer| answer.value == Value::Win)
    }

    /// The decision that needs no look at steps, by value and distance to conversion: a capture wins, or no
    /// step is legal.
    fn without_steps(&self) -> Decision {
        if self.captured.iter().any(|answer| answer.value == Value::Loss) {
            Some((true, 1))
        } else if self.are_none() {
            if self.blocked_draws { None } else { Some((false, 0)) }
        } else if self.stepped.is_empty() && self.may_be_lost() {
            Some((false, 1))
        } else {
            None
        }
    }
}

/// Whether a position with these children is won or lost in `pass` plies, if it is not decided in fewer: one
/// child is lost, or all are won, in fewer plies.
fn decide(children: impl Iterator<Item = Decision>, pass: u16) -> Option<bool> {
    let mut all_won = true;
    for child in children {
        match child {
            Some((false, plies)) if plies < pass => return Some(true),
            Some((true, plies)) if plies < pass => {}
            _ => all_won = false,
        }
    }
    if all_won { Some(false) } else { None }
}
