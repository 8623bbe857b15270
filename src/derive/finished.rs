//! Slices whose outcomes are all known: packed until captures need them, then unpacked.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use zstd::bulk::{Compressor, Decompressor};

use super::DeriveError;
use crate::board::MAX_STONES;
use crate::index::{Index, PlainLayout};
use crate::material::{Material, Pair};
use crate::region::Region;

/// Words that are packed together.
const PIECE: usize = 1 << 13;
/// How hard zstd tries: the least.
const LEVEL: i32 = 1;

/// Finished slices, packed.
#[derive(Default)]
pub struct Shelf(HashMap<Material, Packed>);

/// The planes of a slice, packed in pieces.
struct Packed {
    pieces: Vec<Vec<u8>>,
    length: usize,
}

impl Shelf {
    /// Whether the slice is there.
    pub fn has(&self, material: Material) -> bool {
        self.0.contains_key(&material)
    }

    /// Bytes of all that is there.
    pub fn bytes(&self) -> u64 {
        let pieces = self.0.values().flat_map(|packed| &packed.pieces);
        pieces.map(|piece| piece.len() as u64 + size_of::<Vec<u8>>() as u64).sum()
    }

    /// Keeps only what captures from `pairs` lead to.
    pub fn keep_for(&mut self, pairs: &[Pair]) {
        let mut needed = [[false; MAX_STONES + 1]; MAX_STONES + 1];
        for material in pairs.iter().flat_map(|pair| pair.captures_lead_to()) {
            needed[material.mover()][material.opponent()] = true;
        }
        self.0.retain(|material, _| needed[material.mover()][material.opponent()]);
    }

    /// Packs `planes`, of which each word has `stride`, and keeps them.
    ///
    /// # Errors
    /// If memory runs out, or `stop` is set.
    pub fn put(
        &mut self,
        material: Material,
        planes: &[u64],
        stride: usize,
        stop: &AtomicBool,
    ) -> Result<(), DeriveError> {
        let pack = |(compressor, bytes): &mut (io::Result<Compressor<'_>>, Vec<u8>), piece: &[u64]| {
            if stop.load(Ordering::Relaxed) {
                return Err(DeriveError::Stopped);
            }
            bytes.clear();
            // Plane by plane: neighbours are alike.
            for plane in 0..stride {
                bytes.extend(piece.iter().skip(plane).step_by(stride).flat_map(|word| word.to_le_bytes()));
            }
            let compressor = compressor.as_mut().map_err(|error| io::Error::from(error.kind()))?;
            Ok(compressor.compress(bytes)?)
        };
        let pieces = planes.par_chunks(PIECE * stride);
        let pieces = pieces.map_init(|| (Compressor::new(LEVEL), Vec::new()), pack);
        let pieces = pieces.collect::<Result<_, DeriveError>>()?;
        self.0.insert(material, Packed { pieces, length: planes.len() });
        Ok(())
    }

    /// Unpacks the slices that captures from `pair` lead to, with so many planes a word.
    ///
    /// # Errors
    /// If one is missing, memory runs out, or `stop` is set.
    pub fn open<'a>(
        &self,
        pair: Pair,
        index: &'a Index,
        stride: usize,
        stop: &AtomicBool,
    ) -> Result<Opened<'a>, DeriveError> {
        let mut opened = Opened { slices: Vec::new(), stride };
        for material in pair.captures_lead_to() {
            let missing = || io::Error::from(io::ErrorKind::NotFound);
            let packed = self.0.get(&material).ok_or_else(missing)?;
            let layout = index.layout(material.pair()).plain().ok_or_else(missing)?;
            opened.slices.push((material, layout, packed.unpacked(stride, stop)?));
        }
        Ok(opened)
    }
}

impl Packed {
    fn unpacked(&self, stride: usize, stop: &AtomicBool) -> Result<Region<u64>, DeriveError> {
        let mut planes = Region::<u64>::new(self.length)?;
        let unpack = |decompressor: &mut io::Result<Decompressor<'_>>,
                      (piece, packed): (&mut [u64], &Vec<u8>)| {
            if stop.load(Ordering::Relaxed) {
                return Err(DeriveError::Stopped);
            }
            let decompressor = decompressor.as_mut().map_err(|error| io::Error::from(error.kind()))?;
            let bytes = decompressor.decompress(packed, size_of_val(piece))?;
            let words = bytes.as_chunks::<{ size_of::<u64>() }>().0;
            let in_plane = piece.len() / stride;
            for (plane, words) in words.chunks_exact(in_plane.max(1)).enumerate() {
                for (to, word) in piece.iter_mut().skip(plane).step_by(stride).zip(words) {
                    *to = u64::from_le_bytes(*word);
                }
            }
            Ok(())
        };
        let pieces = planes.par_chunks_mut(PIECE * stride).zip(&self.pieces);
        pieces.map_init(Decompressor::new, unpack).collect::<Result<(), DeriveError>>()?;
        Ok(planes)
    }
}

/// Slices that were unpacked.
pub struct Opened<'a> {
    slices: Vec<(Material, PlainLayout<'a>, Region<u64>)>,
    stride: usize,
}

/// The slices that captures lead to.
pub struct Finished<'a> {
    slices: Vec<Option<FinishedSlice<'a>>>,
}

/// A slice whose outcomes are known.
#[derive(Clone, Copy)]
pub struct FinishedSlice<'a> {
    pub layout: PlainLayout<'a>,
    /// The planes of each word, one word after the other.
    pub planes: &'a [u64],
    stride: usize,
}

impl<'a> FinishedSlice<'a> {
    /// The words of a row.
    pub fn row(&self, row: u32) -> &'a [u64] {
        let words = self.layout.first_word(row)..self.layout.first_word(row + 1);
        &self.planes[words.start * self.stride..words.end * self.stride]
    }
}

impl<'a> Finished<'a> {
    /// For looking slices up, if there are any.
    pub fn new(opened: Option<&'a Opened<'a>>) -> Finished<'a> {
        let mut slices = vec![None; (MAX_STONES + 1) * (MAX_STONES + 1)];
        if let Some(opened) = opened {
            for (material, layout, planes) in &opened.slices {
                let slice = FinishedSlice { layout: *layout, planes, stride: opened.stride };
                slices[place(*material)] = Some(slice);
            }
        }
        Finished { slices }
    }

    /// The slice of this material, if captures lead to it.
    #[inline]
    pub fn get(&self, material: Material) -> Option<FinishedSlice<'a>> {
        self.slices[place(material)]
    }
}

fn place(material: Material) -> usize {
    material.mover() * (MAX_STONES + 1) + material.opponent()
}
