//! Capture chains of a single position. The solver walks those of many positions at once, in `solve::planes`.

use std::ops::ControlFlow;

use crate::board::{Bitboard, MAX_STONES, Point};
use crate::rules::{Jump, SideGeometry};

/// A chain of jumps of one stone that is a move.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    path: [u8; MAX_STONES + 1],
    len: u8,
    captured: u32,
}

impl Chain {
    /// The point where the stone began.
    #[inline]
    pub fn from(&self) -> Point {
        self.point(0)
    }

    /// The point where the chain ends.
    #[inline]
    pub fn to(&self) -> Point {
        self.point(usize::from(self.len) - 1)
    }

    /// The points of the jumped stones.
    #[inline]
    pub fn captured(&self) -> Bitboard {
        Bitboard::new(self.captured)
    }

    /// The starting point and every landing point.
    pub fn path(&self) -> impl Iterator<Item = Point> {
        (0..usize::from(self.len)).map(|index| self.point(index))
    }

    #[inline]
    fn point(&self, index: usize) -> Point {
        match Point::new(self.path[index].into()) {
            Some(point) => point,
            None => unreachable!("paths hold points"),
        }
    }
}

/// Calls `visit` with every chain that `own` stones can play against `opponent`, until it breaks. Chains that
/// differ only in their path count separately. The order is fixed: by starting point, then depth first by
/// direction; a chain that stops comes before those that continue it.
#[inline]
pub fn for_each_chain<B>(
    geometry: &SideGeometry,
    own: Bitboard,
    opponent: Bitboard,
    mut visit: impl FnMut(&Chain) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let occupied = own | opponent;
    for from in geometry.jumpers(own, opponent).iter() {
        let mut walk = Walk {
            geometry,
            opponent: opponent.bits(),
            // The moving stone has left its point: a chain may cross it or end there.
            empty: !occupied.bits() | Bitboard::of(from).bits(),
            chain: Chain { path: [0; MAX_STONES + 1], len: 1, captured: 0 },
            visit: &mut visit,
        };
        walk.chain.path[0] = from.index() as u8;
        walk.jump_on(geometry.first_jumps(from))?;
    }
    ControlFlow::Continue(())
}

struct Walk<'a, F> {
    geometry: &'a SideGeometry,
    opponent: u32,
    empty: u32,
    chain: Chain,
    visit: &'a mut F,
}

impl<B, F: FnMut(&Chain) -> ControlFlow<B>> Walk<'_, F> {
    /// Plays each possible jump of `jumps` and continues from there. A jump removes the jumped stone at once,
    /// so its point is empty for later jumps.
    fn jump_on(&mut self, jumps: &[Jump]) -> ControlFlow<B> {
        let mut ended = true;
        for jump in jumps {
            let standing = self.opponent & !self.chain.captured;
            let empty = self.empty | self.chain.captured;
            if standing & jump.over == 0 || empty & jump.landing == 0 {
                continue;
            }
            ended = false;
            let landing = jump.landing.trailing_zeros() as usize;
            self.chain.captured |= jump.over;
            self.chain.path[usize::from(self.chain.len)] = landing as u8;
            self.chain.len += 1;
            let geometry = self.geometry;
            if geometry.may_stop() {
                (self.visit)(&self.chain)?;
            }
            let on = Point::new(landing).map_or(&[][..], |point| geometry.later_jumps(point));
            self.jump_on(on)?;
            self.chain.len -= 1;
            self.chain.captured &= !jump.over;
        }
        let is_new = ended && self.chain.captured != 0 && !self.geometry.may_stop();
        if is_new { (self.visit)(&self.chain) } else { ControlFlow::Continue(()) }
    }
}
