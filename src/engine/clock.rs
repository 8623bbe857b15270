//! How long to think.

use std::time::Duration;

use super::command::Go;
use crate::rules::Side;
use crate::search::Limits;

/// Moves that a game is expected to last from any point on.
const MOVES_TO_GO: u32 = 25;

impl Go<'_> {
    /// The limits for a move of `side`, apart from the time that has passed since the command.
    pub fn limits(&self, side: Side, is_first_player: bool) -> Limits {
        let (player, side) = (usize::from(!is_first_player), side as usize);
        let clock = self.player_times[player].or(self.side_times[side]);
        let increment = self.player_increments[player].or(self.side_increments[side]).unwrap_or_default();
        // Part of the increment is kept for delays on the way to the clock, and part of the time for later
        // moves.
        let share = |left: Duration| (left / MOVES_TO_GO + increment * 3 / 4).min(left * 4 / 5);
        let mut limits = Limits::NONE;
        (limits.depth, limits.nodes) = (self.depth, self.nodes);
        limits.time = self.move_time.or(clock.map(share));
        limits
    }

    /// Whether only `stop` ends the search.
    pub fn is_endless(&self) -> bool {
        let clocks = self.player_times.iter().chain(&self.side_times);
        let limited = self.depth.is_some() || self.nodes.is_some() || self.move_time.is_some();
        self.infinite || !limited && clocks.flatten().next().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_that_of_the_player_to_move() {
        let millis = Duration::from_millis;
        let go = Go { player_times: [Some(millis(1000)), Some(millis(2000))], ..Go::default() };
        assert_eq!(go.limits(Side::Black, true).time, Some(millis(40)));
        assert_eq!(go.limits(Side::White, false).time, Some(millis(80)));
        let go = Go {
            side_times: [Some(millis(100)), None],
            side_increments: [Some(millis(400)), None],
            ..Go::default()
        };
        assert_eq!(go.limits(Side::White, true).time, Some(millis(80)));
        assert_eq!(go.limits(Side::Black, false).time, None);
        assert!(!go.is_endless());
        assert!(Go::default().is_endless());
    }
}
