//! Whether the system provides what the server needs. The runtime panics where it lacks threads or
//! descriptors, so that they are tried out before it starts.

use std::io;
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;

/// Descriptors for the runtime, and for a few connections.
const DESCRIPTORS: usize = 16;

/// Opens as many descriptors as the server needs, at the same time, and closes them again.
///
/// # Errors
/// The refusal of the system.
pub fn descriptors(listener: &TcpListener) -> io::Result<()> {
    let clones = (0..DESCRIPTORS).map(|_| listener.try_clone()).collect::<io::Result<Vec<_>>>()?;
    drop(clones);
    Ok(())
}

/// Starts `count` threads, at the same time, and ends them again.
///
/// # Errors
/// The refusal of the system.
pub fn threads(count: usize) -> io::Result<()> {
    let mut started = Vec::new();
    let mut result = Ok(());
    for _ in 0..count {
        // A thread waits until its sender is dropped.
        let (sender, receiver) = mpsc::channel::<()>();
        match thread::Builder::new().spawn(move || receiver.recv().is_ok()) {
            Ok(thread) => started.push((sender, thread)),
            Err(error) => {
                result = Err(error);
                break;
            }
        }
    }
    for (sender, thread) in started {
        drop(sender);
        // It only waits, so that it cannot panic.
        let _ = thread.join();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_there() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        assert!(descriptors(&listener).is_ok());
        assert!(threads(4).is_ok());
    }
}
