//! Ctrl-C and SIGTERM stop long work in good order.

use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, process};

use super::failure::Failure;

/// A write beyond a limit on the size of files (`ulimit -f`) fails from now on, as a write to a full disk
/// does. Left alone, the system would end the process without a word.
pub fn let_writes_fail() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigHandler, Signal, signal};
        // SAFETY: to ignore a signal runs no code when it comes. If that cannot be had, all stays as it was.
        let _ = unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) };
    }
}

static STOP: AtomicBool = AtomicBool::new(false);

/// The exit code of a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// From now on the first signal sets the flag that is returned, and a second one ends the process at once.
///
/// # Errors
/// [`Failure`] if the system provides no thread, or no descriptors, to wait for signals.
pub fn watch() -> Result<&'static AtomicBool, Failure> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            process::exit(INTERRUPTED);
        }
    })
    .map_err(|error| Failure::Failed(sentence(&error)))?;
    Ok(&STOP)
}

/// Signals are waited for on a thread of their own, and it is threads that are scarce.
fn sentence(error: &ctrlc::Error) -> String {
    match error {
        ctrlc::Error::System(error) if error.kind() == io::ErrorKind::WouldBlock => {
            format!("cannot start a thread: {error}; the limit on processes or memory is too low")
        }
        ctrlc::Error::System(error) => format!("cannot prepare for signals: {error}"),
        error => format!("cannot prepare for signals: {error}"),
    }
}
