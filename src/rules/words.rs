//! A rule set in words.

use super::{Captures, Chains, NoMoves, Rules, Side, StoneState};
use crate::board::text::ranks;
use crate::board::{Direction, Directions, MAX_STONES, Point, SymmetryGroup};

/// Names of directions, in the order of [`Direction::ALL`].
const DIRECTIONS: [&str; 8] = [
    "forward",
    "forward to the right",
    "to the right",
    "backward to the right",
    "backward",
    "backward to the left",
    "to the left",
    "forward to the left",
];

impl Rules {
    /// What the rules are, a sentence each, in the order of the keys of a rule file.
    pub fn sentences(&self) -> Vec<String> {
        let p = self.parameters();
        let mut told = vec![format!("Stones step {}.", directions(p.steps))];
        if !p.steps_on_far_rank {
            told.push("A stone on its far rank cannot step; it can only capture.".to_owned());
        }
        told.push(match p.captures {
            Captures::Compulsory => "A player who can capture must capture.".to_owned(),
            Captures::Optional => "A player who can capture may make a step instead.".to_owned(),
        });
        told.push(match (p.first_jumps == p.later_jumps, p.later_jumps.is_empty()) {
            (_, true) => format!("A capture is one jump, {}.", directions(p.first_jumps)),
            (true, _) => {
                format!("Stones jump {}, and go on jumping in the same move.", directions(p.first_jumps))
            }
            _ => format!(
                "The first jump of a move goes {}; later ones go {}.",
                directions(p.first_jumps),
                directions(p.later_jumps)
            ),
        });
        if !p.later_jumps.is_empty() {
            told.push(match p.chains {
                Chains::MustContinue => "A stone that captures goes on until it cannot.".to_owned(),
                Chains::MayStop => "A stone that captures may stop after every jump.".to_owned(),
            });
        }
        if self.no_return() {
            told.push(
                "A stone that stepped sideways must not step straight back as its next move.".to_owned(),
            );
        }
        if let Some(limit) = p.ply_limit {
            told.push(format!("The game is a draw after {limit} plies without a capture."));
        }
        told.push(match p.no_moves {
            NoMoves::Loss => "A player with no stones or no legal move loses.".to_owned(),
            NoMoves::Draw => {
                "A player with no stones loses; with stones but no legal move the game is a draw.".to_owned()
            }
        });
        let first = match p.first_to_move {
            Side::White => "White",
            Side::Black => "Black",
        };
        told.push(format!("{first} moves first from {}.", ranks(p.start)));
        told
    }

    /// What follows from the rules for games and tables, a sentence each.
    pub fn consequences(&self) -> Vec<String> {
        let mut told = Vec::new();
        told.push(match self.symmetry() {
            SymmetryGroup::Square => "All 8 symmetries of the square leave values unchanged.",
            SymmetryGroup::Mirror => "Swapping left and right leaves values unchanged.",
            SymmetryGroup::Trivial => {
                "No symmetry of the board leaves values unchanged: tables have twice the entries."
            }
        });
        told.push(match (self.is_acyclic(), self.ply_limit()) {
            (true, _) => "No position can occur twice: every game ends.",
            (false, None) => "Positions can repeat: endless play is a draw.",
            (false, Some(_)) => "Stones can walk in circles: the ply counter ends every game.",
        });
        let mut told: Vec<String> = told.into_iter().map(str::to_owned).collect();
        if let Some(plies) = self.longest_game() {
            told.push(format!("No game has more than {plies} plies."));
        }
        told.push(match self.has_draws() {
            true => "A game can be drawn.".to_owned(),
            false => "A game cannot be drawn.".to_owned(),
        });
        told.push(match self.has_distance_to_win() {
            true => "Tables can hold values (wdl), distances to conversion (dtc) and distances to win (dtw).".to_owned(),
            false => "Tables can hold values (wdl) and distances to conversion (dtc); a ply counter leaves no distance to win."
                .to_owned(),
        });
        if self.no_return() {
            told.push("Stones carry forbidden steps, which are part of a position.".to_owned());
        }
        told
    }

    /// The number of positions with these numbers of white and black stones and White to move. States of stones
    /// count; symmetries are not taken out.
    pub fn positions(&self, white: usize, black: usize) -> u128 {
        // The number of ways to fill the points so far, by the stones placed.
        let mut ways = [[0_u128; MAX_STONES + 1]; MAX_STONES + 1];
        ways[0][0] = 1;
        for point in Point::all() {
            let [white, black] = [Side::White, Side::Black].map(|side| self.states_on(side, point));
            for w in (0..=MAX_STONES).rev() {
                for b in (0..=MAX_STONES).rev() {
                    let with_white = if w > 0 { ways[w - 1][b] * white } else { 0 };
                    let with_black = if b > 0 { ways[w][b - 1] * black } else { 0 };
                    ways[w][b] += with_white + with_black;
                }
            }
        }
        ways.get(white).and_then(|row| row.get(black)).copied().unwrap_or(0)
    }

    /// How many states a stone of `side` can have on `point`.
    fn states_on(&self, side: Side, point: Point) -> u128 {
        let steps = |state| self.side(side).steps_in(point, state);
        let free = steps(StoneState::Free);
        let marked = StoneState::ALL.into_iter().filter(|&state| steps(state) != free).count();
        1 + if self.no_return() { marked as u128 } else { 0 }
    }
}

fn directions(set: Directions) -> String {
    match set {
        Directions::ALL => "in all directions".to_owned(),
        Directions::FORWARD_AND_SIDEWAYS => "forward, diagonally forward and sideways".to_owned(),
        some => {
            let names = Direction::ALL.into_iter().zip(DIRECTIONS);
            let names: Vec<&str> =
                names.filter(|&(direction, _)| some.contains(direction)).map(|(_, name)| name).collect();
            match names.split_last() {
                Some((last, [])) => (*last).to_owned(),
                Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
                None => "nowhere".to_owned(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{BRAINKING, CLASSIC, MURRAY};

    #[test]
    fn positions_are_counted_with_their_states() {
        assert_eq!(CLASSIC.positions(2, 1), 6900);
        assert_eq!(BRAINKING.positions(1, 1), 3118);
        assert_eq!(BRAINKING.positions(1, 2), 81336);
        assert_eq!(CLASSIC.positions(13, 1), 0);
        // The board without its centre, in each way.
        assert_eq!(CLASSIC.positions(12, 12), 25 * 2_704_156);
    }

    #[test]
    fn rules_are_told_in_sentences() {
        let told = MURRAY.sentences().join(" ");
        for part in ["may make a step instead", "may stop after every jump", "in all directions"] {
            assert!(told.contains(part), "{told}");
        }
        let told = BRAINKING.consequences().join(" ");
        for part in
            ["Swapping left and right", "every game ends", "cannot be drawn", "11543 plies", "forbidden"]
        {
            assert!(told.contains(part), "{told}");
        }
        let north_east = Directions::from_bits(0b11);
        assert_eq!(directions(north_east), "forward and forward to the right");
    }
}
