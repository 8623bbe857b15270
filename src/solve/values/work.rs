//! A pair in work, as data: the methods operate on it.

use super::cells::Cell;
use super::distances::Distances;
use super::part::Part;
use super::room::Room;
use super::slices::Slices;
use crate::index::{Index, Mover, PairLayout, RowBlock};
use crate::material::Pair;
use crate::region::Region;
use crate::solve::GenerateError;

/// Entries of a block of rows: small enough to share the work evenly, large enough to hide the cost of
/// sharing.
const BLOCK_ENTRIES: u64 = 1 << 13;

/// Both tables of a pair, or of a part of it: the row side to move and the column side to move.
pub struct PairWork<'a> {
    pub index: &'a Index,
    pub layout: &'a PairLayout,
    pub slices: &'a Slices,
    pub room: &'a Room,
    /// The rows that are held.
    pub part: Part,
    /// The own rows in pieces.
    pub blocks: Vec<RowBlock>,
    /// The values, by [`Mover`](crate::index::Mover). When the pair is solved, what is open is a draw.
    pub cells: [Region<Cell>; 2],
    /// Distances to conversion, by mover, while they are worked on.
    pub dtc: Option<[Distances; 2]>,
    /// Distances to win, by mover, while they are worked on.
    pub dtw: Option<[Distances; 2]>,
}

impl<'a> PairWork<'a> {
    /// The whole pair with nothing decided.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn new(
        index: &'a Index,
        pair: Pair,
        slices: &'a Slices,
        room: &'a Room,
    ) -> Result<PairWork<'a>, GenerateError> {
        let part = Part::whole(index.layout(pair));
        PairWork::of_part(index, pair, slices, room, part)
    }

    /// A part of the pair with nothing decided.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn of_part(
        index: &'a Index,
        pair: Pair,
        slices: &'a Slices,
        room: &'a Room,
        part: Part,
    ) -> Result<PairWork<'a>, GenerateError> {
        let layout = &**index.layout(pair);
        let cells = |mover| room.cells(part.words(mover) as u64);
        let cells = [cells(Mover::RowSide)?, cells(Mover::ColumnSide)?];
        Ok(PairWork {
            index,
            layout,
            slices,
            room,
            blocks: layout.blocks_of(part.own(), BLOCK_ENTRIES),
            part,
            cells,
            dtc: None,
            dtw: None,
        })
    }
}
