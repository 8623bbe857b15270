//! Ranks that reach each other over MPI.

use mpi::Threading;
use mpi::datatype::{Partition, PartitionMut};
use mpi::environment::Universe;
use mpi::traits::{Communicator, CommunicatorCollectives};

use super::world::World;

/// Bytes that a rank sends at once: numbers of MPI have 32 bits.
const AT_ONCE: usize = 1 << 30;

/// The variables in which launchers say how many programs they started.
const LAUNCHERS: [&str; 5] =
    ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "SLURM_STEP_NUM_TASKS", "MPI_LOCALNRANKS"];

/// Why a run over MPI cannot start.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum MpiError {
    #[error("MPI cannot be started, or not so that threads may call it")]
    Start,
    #[error(
        "the launcher started {expected} programs, but MPI shows {found}: they would all do the same work; use the \
         launcher of the MPI library that this program was built with (under Slurm, srun --mpi=pmix or mpirun)"
    )]
    Singleton { expected: usize, found: usize },
}

/// The world of MPI.
pub struct MpiWorld(Universe);

// SAFETY: MPI was started so that any thread may call it, and the communicator is a handle that does not change.
unsafe impl Sync for MpiWorld {}

impl std::fmt::Debug for MpiWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rank {} of {}", self.rank(), self.size())
    }
}

impl MpiWorld {
    /// Starts MPI.
    ///
    /// # Errors
    /// [`MpiError`].
    pub fn start() -> Result<MpiWorld, MpiError> {
        let started = mpi::initialize_with_threading(Threading::Multiple);
        let (universe, threading) = started.ok_or(MpiError::Start)?;
        if threading < Threading::Serialized {
            return Err(MpiError::Start);
        }
        let world = MpiWorld(universe);
        check_size(world.size(), |name| std::env::var(name).ok())?;
        Ok(world)
    }

    /// Ends all ranks.
    pub fn abort(&self) -> ! {
        self.0.world().abort(1)
    }
}

/// Compares the number of ranks with what the launcher says. A program that believes to be alone although more
/// were started has not reached the others.
fn check_size(found: usize, variable: impl Fn(&str) -> Option<String>) -> Result<(), MpiError> {
    let sizes = LAUNCHERS.iter().filter_map(|name| variable(name)?.parse::<usize>().ok());
    match sizes.max() {
        Some(expected) if found == 1 && expected > 1 => Err(MpiError::Singleton { expected, found }),
        _ => Ok(()),
    }
}

impl World for MpiWorld {
    fn rank(&self) -> usize {
        self.0.world().rank() as usize
    }

    fn size(&self) -> usize {
        self.0.world().size() as usize
    }

    fn exchange(&self, batches: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let world = self.0.world();
        let size = self.size();
        let lengths: Vec<u64> = batches.iter().map(|batch| batch.len() as u64).collect();
        let mut expected = vec![0_u64; size];
        world.all_to_all_into(&lengths[..], &mut expected[..]);
        let mut received: Vec<Vec<u8>> =
            expected.iter().map(|&length| Vec::with_capacity(length as usize)).collect();
        // Batches go in pieces. All ranks must see the same number of them.
        let piece = AT_ONCE / size;
        let longest = lengths.iter().chain(&expected).max().copied().unwrap_or(0);
        let mut pieces = 0_u64;
        world.all_reduce_into(
            &longest.div_ceil(piece as u64),
            &mut pieces,
            mpi::collective::SystemOperation::max(),
        );
        for number in 0..pieces as usize {
            // A byte more for each rank: Open MPI 4.1 mistakes later messages for empty ones that it skips.
            let part = |length: u64| (length as usize).saturating_sub(number * piece).min(piece) + 1;
            let send_counts: Vec<i32> = lengths.iter().map(|&length| part(length) as i32).collect();
            let receive_counts: Vec<i32> = expected.iter().map(|&length| part(length) as i32).collect();
            let send: Vec<u8> = batches
                .iter()
                .flat_map(|batch| {
                    let start = (number * piece).min(batch.len());
                    let end = (start + piece).min(batch.len());
                    batch[start..end].iter().copied().chain([0])
                })
                .collect();
            let mut receive = vec![0_u8; receive_counts.iter().map(|&count| count as usize).sum()];
            let (send_places, receive_places) = (places(&send_counts), places(&receive_counts));
            let send = Partition::new(&send[..], &send_counts[..], &send_places[..]);
            {
                let mut receive =
                    PartitionMut::new(&mut receive[..], &receive_counts[..], &receive_places[..]);
                world.all_to_all_varcount_into(&send, &mut receive);
            }
            let mut rest = &receive[..];
            for (batch, &count) in received.iter_mut().zip(&receive_counts) {
                let (bytes, after) = rest.split_at(count as usize);
                batch.extend_from_slice(&bytes[..bytes.len() - 1]);
                rest = after;
            }
        }
        received
    }
}

/// Where parts with these lengths begin.
fn places(counts: &[i32]) -> Vec<i32> {
    let starts = counts.iter().scan(0, |end, &count| {
        let start = *end;
        *end += count;
        Some(start)
    });
    starts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_believe_to_be_alone_are_found() {
        let started = |name: &'static str, size: &'static str| {
            move |asked: &str| (asked == name).then(|| size.to_owned())
        };
        assert!(check_size(1, |_| None).is_ok());
        assert!(check_size(1, started("PMI_SIZE", "1")).is_ok());
        assert!(check_size(4, started("OMPI_COMM_WORLD_SIZE", "4")).is_ok());
        for name in LAUNCHERS {
            let error = check_size(1, started(name, "8")).unwrap_err();
            assert!(error.to_string().contains("started 8 programs"), "{error}");
        }
    }
}
