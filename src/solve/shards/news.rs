//! What a pass decided of a row, as bytes.
//!
//! The row and the table take four bytes, the number of positions four more. A position takes two bytes, its
//! column and whether it is lost; rows in which many are decided are two planes of bits.

use crate::index::{Mover, each_bit};

/// In place of the number of positions: planes follow.
const PLANES: u32 = u32::MAX;

/// Appends the news of a row: the columns that are `won` and `lost` for `mover`.
pub fn put(into: &mut Vec<u8>, row: u32, mover: Mover, won: &[u64], lost: &[u64]) {
    into.extend((row * 2 + mover as u32).to_le_bytes());
    let count: u32 = won.iter().zip(lost).map(|(won, lost)| (won | lost).count_ones()).sum();
    // Planes take 16 bytes a word, positions two each.
    if count as usize >= 8 * won.len() {
        into.extend(PLANES.to_le_bytes());
        for plane in [won, lost] {
            into.extend(plane.iter().flat_map(|word| word.to_le_bytes()));
        }
        return;
    }
    into.extend(count.to_le_bytes());
    for (word, (&won, &lost)) in won.iter().zip(lost).enumerate() {
        each_bit(won | lost, |bit| {
            let column = (64 * word) as u16 + bit as u16;
            into.extend((column * 2 + (lost >> bit & 1) as u16).to_le_bytes());
        });
    }
}

/// The news of a row.
pub struct News<'b> {
    pub row: u32,
    pub mover: Mover,
    body: Body<'b>,
}

enum Body<'b> {
    Planes(&'b [u8], &'b [u8]),
    Columns(&'b [u8]),
}

impl News<'_> {
    /// Calls `visit` with words of the row and their columns that are won and lost. A word may come more than
    /// once.
    pub fn each_word(&self, mut visit: impl FnMut(usize, u64, u64)) {
        match self.body {
            Body::Planes(won, lost) => {
                let words = |plane: &'_ [u8]| {
                    let words = plane.as_chunks().0.iter();
                    words.map(|&bytes| u64::from_le_bytes(bytes)).collect::<Vec<u64>>()
                };
                for (word, (won, lost)) in words(won).into_iter().zip(words(lost)).enumerate() {
                    if won | lost != 0 {
                        visit(word, won, lost);
                    }
                }
            }
            Body::Columns(columns) => {
                for &bytes in columns.as_chunks().0 {
                    let column = u16::from_le_bytes(bytes);
                    let (column, is_lost) = (usize::from(column / 2), u64::from(column % 2));
                    visit(column / 64, (is_lost ^ 1) << (column % 64), is_lost << (column % 64));
                }
            }
        }
    }
}

/// Calls `visit` with the news in a batch, of rows of so many words. What is no news ends the batch: batches
/// are compared with their checksums before.
pub fn each<'b>(mut batch: &'b [u8], words: usize, mut visit: impl FnMut(News<'b>)) {
    let number = |batch: &mut &'b [u8]| {
        let bytes = batch.split_off(..4)?;
        Some(u32::from_le_bytes(bytes.first_chunk().copied()?))
    };
    let mut next = || {
        let head = number(&mut batch)?;
        let mover = Mover::BOTH[(head % 2) as usize];
        let body = match number(&mut batch)? {
            PLANES => Body::Planes(batch.split_off(..8 * words)?, batch.split_off(..8 * words)?),
            count => Body::Columns(batch.split_off(..2 * count as usize)?),
        };
        Some(News { row: head / 2, mover, body })
    };
    while let Some(news) = next() {
        visit(news);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn news_come_back(
            rows in prop::collection::vec((0..1_u32 << 31, any::<bool>(), any::<[u64; 3]>(), any::<[u64; 3]>(), any::<bool>()), 0..5),
        ) {
            let mut batch = Vec::new();
            let mut expected = Vec::new();
            for (row, second, won, lost, is_sparse) in rows {
                let (mut won, mut lost) = (won, lost);
                for (won, lost) in won.iter_mut().zip(&mut lost) {
                    *lost &= !*won;
                    if is_sparse {
                        *won &= 0x8000_0000_0000_0001;
                        *lost &= 0x10;
                    }
                }
                let mover = Mover::BOTH[usize::from(second)];
                put(&mut batch, row, mover, &won, &lost);
                expected.push((row, mover, won, lost));
            }
            let mut found = Vec::new();
            each(&batch, 3, |news| {
                let mut planes = ([0; 3], [0; 3]);
                news.each_word(|word, won, lost| {
                    planes.0[word] |= won;
                    planes.1[word] |= lost;
                });
                found.push((news.row, news.mover, planes.0, planes.1));
            });
            prop_assert_eq!(found, expected);
        }
    }
}
