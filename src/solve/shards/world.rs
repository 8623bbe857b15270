//! Programs that solve pairs together: how they reach each other.

use std::sync::{Barrier, Mutex, PoisonError};

/// The programs of a run, *ranks*, as one of them sees them. Every rank must call the same methods in the same
/// order: each call returns when all have made it.
pub trait World: Sync {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// Sends a batch to each rank, by its number, and returns what each sent to this one.
    fn exchange(&self, batches: Vec<Vec<u8>>) -> Vec<Vec<u8>>;

    /// Sends the same bytes to all ranks, and returns what each sent.
    fn share(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.exchange(vec![bytes.to_vec(); self.size()])
    }

    /// Whether any rank says so.
    fn any(&self, here: bool) -> bool {
        self.share(&[u8::from(here)]).iter().any(|there| there == &[1])
    }
}

/// What ranks that are threads of one program share.
#[derive(Debug)]
pub struct Meeting {
    size: usize,
    barrier: Barrier,
    /// By receiver and sender.
    batches: Vec<Vec<Mutex<Vec<u8>>>>,
}

impl Meeting {
    /// For so many ranks.
    pub fn new(size: usize) -> Meeting {
        let batches = (0..size).map(|_| (0..size).map(|_| Mutex::default()).collect()).collect();
        Meeting { size, barrier: Barrier::new(size), batches }
    }

    /// The rank with this number. Each must be a thread of its own.
    pub fn rank(&self, number: usize) -> ThreadRank<'_> {
        ThreadRank { meeting: self, number }
    }
}

/// A rank that is a thread.
#[derive(Debug)]
pub struct ThreadRank<'m> {
    meeting: &'m Meeting,
    number: usize,
}

impl World for ThreadRank<'_> {
    fn rank(&self) -> usize {
        self.number
    }

    fn size(&self) -> usize {
        self.meeting.size
    }

    fn exchange(&self, batches: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let Meeting { barrier, batches: places, .. } = self.meeting;
        for (place, batch) in places.iter().zip(batches) {
            *place[self.number].lock().unwrap_or_else(PoisonError::into_inner) = batch;
        }
        barrier.wait();
        let received = places[self.number].iter();
        let received = received
            .map(|place| std::mem::take(&mut *place.lock().unwrap_or_else(PoisonError::into_inner)))
            .collect();
        // Nobody sends again before all have received.
        barrier.wait();
        received
    }
}
