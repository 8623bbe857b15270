//! Standard input that can be waited for without missing a signal.

use std::io::{self, BufRead, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::failure::Failure;

/// How often the signal is looked for while no input comes.
const PATIENCE: Duration = Duration::from_millis(5);
/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// Standard input, which fails once `stop` is set and no more input is there. It is read on a thread of its own,
/// which ends with the process.
pub struct StandardInput {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    taken: usize,
    stop: &'static AtomicBool,
}

impl StandardInput {
    /// Begins to read.
    ///
    /// # Errors
    /// [`Failure`] when the system provides no thread.
    pub fn new(stop: &'static AtomicBool) -> Result<StandardInput, Failure> {
        // One chunk waits while another is read: no input can fill more memory.
        let (sender, chunks) = sync_channel(1);
        let read = move || {
            loop {
                let mut chunk = vec![0; CHUNK];
                let piece = match io::stdin().lock().read(&mut chunk) {
                    Ok(0) => return,
                    Ok(bytes) => {
                        chunk.truncate(bytes);
                        Ok(chunk)
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let is_last = piece.is_err();
                if sender.send(piece).is_err() || is_last {
                    return;
                }
            }
        };
        thread::Builder::new()
            .name("input".to_owned())
            .spawn(read)
            .map_err(|error| Failure::Failed(format!("cannot start a thread: {error}")))?;
        Ok(StandardInput { chunks, chunk: Vec::new(), taken: 0, stop })
    }
}

impl BufRead for StandardInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.taken == self.chunk.len() {
            match self.chunks.recv_timeout(PATIENCE) {
                Ok(chunk) => (self.chunk, self.taken) = (chunk?, 0),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if self.stop.load(Ordering::Relaxed) => {
                    return Err(io::Error::other("stopped"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        Ok(&self.chunk[self.taken..])
    }

    fn consume(&mut self, bytes: usize) {
        self.taken += bytes;
    }
}

impl Read for StandardInput {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?.read(into)?;
        self.consume(bytes);
        Ok(bytes)
    }
}
