//! Ctrl-C and SIGTERM end long work in good order.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::Failure;

static STOP: AtomicBool = AtomicBool::new(false);

/// The exit code of a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// From now on the first signal sets the flag that is returned, and a second one ends the process at once.
pub fn watch() -> Result<&'static AtomicBool, Failure> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            process::exit(INTERRUPTED);
        }
    })
    .map_err(|error| Failure::Failed(format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(&STOP)
}
