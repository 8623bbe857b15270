//! The threads that work is spread over where a command does not choose their number.

use rayon::ThreadPoolBuilder;

use super::failure::Failure;

/// Starts a thread for each processor, or lets the calling thread do all the work if the system starts none.
/// To be called once, before any work is spread: on its own, Rayon would panic where it lacks threads.
///
/// # Errors
/// [`Failure`] if even that is impossible.
pub fn prepare() -> Result<(), Failure> {
    let has_threads = ThreadPoolBuilder::new().build().is_ok();
    let pool = ThreadPoolBuilder::new();
    let pool = if has_threads { pool } else { pool.num_threads(1).use_current_thread() };
    pool.build_global().map_err(|error| Failure::Failed(format!("cannot start threads: {error}")))
}
