//! The positions of a slice in the order of its tables.

use std::ops::Range;

use crate::board::Bitboard;
use crate::index::{Location, Mover, PairLayout};
use crate::material::Material;
use crate::position::Position;
use crate::rules::Side;

/// Calls `visit` with each of these entries of the slice of `material` and its position, as
/// [`PairLayout::position`] has it, until it fails. To go on to the next position costs little where stones
/// have no states.
pub fn walk<E>(
    layout: &PairLayout,
    material: Material,
    entries: Range<u64>,
    mut visit: impl FnMut(u64, u32, &Position) -> Result<(), E>,
) -> Result<(), E> {
    let side = if Mover::of(material) == Mover::RowSide { Side::White } else { Side::Black };
    let plain = layout.plain();
    let mut entry = entries.start;
    while entry < entries.end {
        let Location { row, offset } = layout.location_of(entry);
        let end = entries.end.min(layout.first_entry(row + 1));
        let offsets = offset..offset + (end - entry);
        if let Some(plain) = &plain {
            let placement = layout.rows().placement(row);
            let none = Bitboard::EMPTY;
            for offset in offsets {
                let occupied = plain.column(!placement, offset as u32).occupied;
                let position = Position::from_parts([placement, occupied], side, none, none, 0);
                visit(entry, row, &position)?;
                entry += 1;
            }
        } else {
            for offset in offsets {
                let position = layout.position(material, Location { row, offset });
                visit(entry, row, &position)?;
                entry += 1;
            }
        }
    }
    Ok(())
}

/// Entries that a thread takes at a time.
pub const CHUNK: u64 = 1 << CHUNK_BITS;
pub const CHUNK_BITS: u32 = 17;

/// The entries of the chunk with this number.
pub fn chunk(layout: &PairLayout, number: u64) -> Range<u64> {
    number * CHUNK..((number + 1) * CHUNK).min(layout.entries())
}

/// How many chunks a slice has.
pub fn chunks(layout: &PairLayout) -> u64 {
    layout.entries().div_ceil(CHUNK)
}
