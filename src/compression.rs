//! Decompression of zstd frames: by the C library, or by one in Rust where there is none.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::{Decompressor, decompress_frame};
#[cfg(target_arch = "wasm32")]
pub(crate) use portable::{Decompressor, decompress_frame};

/// The most bytes of a frame with this many bytes of content, as zstd's `ZSTD_compressBound` says.
pub(crate) fn compress_bound(bytes: usize) -> usize {
    /// Smaller contents have a larger margin.
    const SMALL: usize = 128 << 10;
    let margin = SMALL.saturating_sub(bytes) >> 11;
    bytes.saturating_add(bytes >> 8).saturating_add(margin)
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    pub use zstd::bulk::Decompressor;

    /// The content of a block that is a single frame of at most `most` bytes; `None` if it is not.
    pub fn decompress_frame(block: &[u8], most: usize) -> Option<Vec<u8>> {
        let length = zstd::zstd_safe::find_frame_compressed_size(block).ok()?;
        (length == block.len()).then(|| zstd::bulk::decompress(block, most).ok())?
    }
}

#[cfg(any(test, target_arch = "wasm32"))]
mod portable {
    use std::fmt;
    use std::io::{self, Read};
    use std::marker::PhantomData;

    use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

    /// Decompresses one frame after another.
    pub struct Decompressor<'a> {
        decoder: FrameDecoder,
        /// The decompressor of the C library can borrow a dictionary.
        dictionary: PhantomData<&'a [u8]>,
    }

    impl Decompressor<'_> {
        /// A decompressor. It never fails.
        pub fn new() -> io::Result<Self> {
            Ok(Decompressor { decoder: FrameDecoder::new(), dictionary: PhantomData })
        }

        /// The content of a block that is a single frame.
        ///
        /// # Errors
        /// When it is not, or holds more than `most` bytes.
        pub fn decompress(&mut self, block: &[u8], most: usize) -> io::Result<Vec<u8>> {
            let mut rest = block;
            let decoder = StreamingDecoder::new_with_decoder(&mut rest, &mut self.decoder);
            let decoder = decoder.map_err(damaged)?;
            let mut content = Vec::new();
            // One byte more shows that there are too many.
            decoder.take((most as u64).saturating_add(1)).read_to_end(&mut content)?;
            if content.len() > most || !rest.is_empty() {
                return Err(damaged("too long"));
            }
            Ok(content)
        }
    }

    fn damaged(error: impl fmt::Display) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, error.to_string())
    }

    /// The content of a block that is a single frame of at most `most` bytes; `None` if it is not.
    pub fn decompress_frame(block: &[u8], most: usize) -> Option<Vec<u8>> {
        Decompressor::new().ok()?.decompress(block, most).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{compress_bound, native, portable};

    #[test]
    fn both_libraries_decompress_the_same() {
        let mut reused = portable::Decompressor::new().unwrap();
        for (level, length) in [(1, 0), (1, 1), (3, 1000), (19, 100_000), (22, 300_000)] {
            let content: Vec<u8> = (0..length).map(|n: u64| (n * n / 7 % 251) as u8).collect();
            let block = zstd::bulk::compress(&content, level).unwrap();
            let decompressors = [native::decompress_frame, portable::decompress_frame];
            for decompress in decompressors {
                assert_eq!(decompress(&block, content.len()).as_ref(), Some(&content));
                assert_eq!(decompress(&block[..block.len() - 1], content.len()), None);
                assert_eq!(decompress(&[&block[..], &block].concat(), 2 * content.len()), None);
                if let Some(fewer) = content.len().checked_sub(1) {
                    assert_eq!(decompress(&block, fewer), None);
                }
            }
            assert_eq!(reused.decompress(&block, content.len()).unwrap(), content);
        }
    }

    #[test]
    fn the_bound_is_that_of_the_library() {
        for bytes in [0, 1, 2047, 2048, 131_071, 131_072, 131_073, 1 << 30] {
            assert_eq!(compress_bound(bytes), zstd::zstd_safe::compress_bound(bytes));
        }
    }
}
