//! Reading what tables store, for some rows at a time.

use std::ops::Range;

use crate::index::PlainLayout;
use crate::table::{Decoder, Symbol, Table, TableError};

/// Calls `visit` with every stored entry of `rows`: the number of its word among those of the rows, its place
/// in that, and what the table holds.
///
/// # Errors
/// [`TableError`] when a block cannot be read.
pub fn each(
    table: &Table,
    layout: PlainLayout,
    rows: Range<u32>,
    decoder: &mut Decoder,
    mut visit: impl FnMut(usize, u32, Symbol),
) -> Result<(), TableError> {
    let entries = layout.first_entry(rows.start)..layout.first_entry(rows.end);
    if entries.is_empty() {
        return Ok(());
    }
    let words = layout.membership().words();
    let in_row = layout.entries_in(rows.start);
    // The row in work: its first entry and its first word.
    let (mut first_entry, mut first_word) = (entries.start, 0);
    let per_block = table.entries_per_block();
    for number in entries.start / per_block..=(entries.end - 1) / per_block {
        let block = table.decode(decoder, number)?;
        let covered = table.entries_of(number);
        let within =
            entries.start.max(covered.start) - covered.start..entries.end.min(covered.end) - covered.start;
        block.each(within.start as usize..within.end as usize, |entry, symbol| {
            let entry = covered.start + entry as u64;
            while entry - first_entry >= in_row {
                first_entry += in_row;
                first_word += words;
            }
            let column = (entry - first_entry) as usize;
            visit(first_word + column / 64, column as u32 % 64, symbol);
        });
    }
    Ok(())
}
