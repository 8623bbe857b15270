//! How many requests are worked on and may wait at the same time, in all and of one client.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::ApiError;

/// The slots for requests of one kind. Kinds do not wait for each other.
#[derive(Clone)]
pub struct Slots(Arc<Shared>);

struct Shared {
    working: Arc<Semaphore>,
    /// Requests in work, waiting, or with an answer that the client has not taken yet.
    present: AtomicUsize,
    most_present: usize,
    clients: Mutex<HashMap<IpAddr, usize>>,
    most_per_client: usize,
}

/// The right to work on a request, until it is dropped.
pub struct Slot {
    _permit: OwnedSemaphorePermit,
    presence: Presence,
}

/// A request that counts for its client, until it is dropped.
pub struct Presence {
    shared: Arc<Shared>,
    client: IpAddr,
}

impl Slots {
    /// The numbers of slots: for requests in work, waiting, and of one client. Each is at least 1.
    pub fn new(working: usize, queue: usize, per_client: usize) -> Slots {
        let working = working.clamp(1, Semaphore::MAX_PERMITS);
        Slots(Arc::new(Shared {
            working: Arc::new(Semaphore::new(working)),
            present: AtomicUsize::new(0),
            most_present: working.saturating_add(queue),
            clients: Mutex::default(),
            most_per_client: per_client.max(1),
        }))
    }

    /// Waits for a slot for a request of `client`.
    ///
    /// # Errors
    /// [`ApiError::TooManyRequests`] when the client has too many requests open, [`ApiError::Busy`] when all
    /// clients together have.
    pub async fn enter(&self, client: IpAddr) -> Result<Slot, ApiError> {
        let presence = self.appear(client)?;
        let permit = Arc::clone(&self.0.working).acquire_owned().await;
        // The semaphore is never closed.
        let permit = permit.map_err(|_| ApiError::Busy)?;
        Ok(Slot { _permit: permit, presence })
    }

    /// Counts a request of `client` that needs no slot yet.
    ///
    /// # Errors
    /// As for [`enter`](Self::enter).
    pub fn appear(&self, client: IpAddr) -> Result<Presence, ApiError> {
        let shared = &self.0;
        {
            let mut clients = shared.clients.lock().unwrap_or_else(PoisonError::into_inner);
            let count = clients.entry(client).or_default();
            if *count >= shared.most_per_client {
                return Err(ApiError::TooManyRequests);
            }
            *count += 1;
        }
        let present = shared.present.fetch_add(1, Ordering::Relaxed);
        // From here on, dropping it undoes both.
        let presence = Presence { shared: Arc::clone(shared), client };
        if present >= shared.most_present { Err(ApiError::Busy) } else { Ok(presence) }
    }
}

impl Slot {
    /// Ends the work, but not the request.
    pub fn into_presence(self) -> Presence {
        self.presence
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.shared.present.fetch_sub(1, Ordering::Relaxed);
        let mut clients = self.shared.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = clients.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                clients.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use super::*;

    fn client(number: u8) -> IpAddr {
        Ipv4Addr::new(127, 0, 0, number).into()
    }

    #[tokio::test]
    async fn too_many_requests_are_refused_and_slots_are_given_back() {
        let slots = Slots::new(1, 1, 1);
        let first = slots.enter(client(1)).await;
        assert!(first.is_ok());
        assert!(matches!(slots.enter(client(1)).await, Err(ApiError::TooManyRequests)));
        let waits = tokio::time::timeout(Duration::from_millis(20), slots.enter(client(2))).await;
        assert!(waits.is_err(), "the only slot is taken");
        let waiting = tokio::spawn({
            let slots = slots.clone();
            async move { slots.enter(client(2)).await.is_ok() }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(matches!(slots.enter(client(3)).await, Err(ApiError::Busy)));
        drop(first);
        assert!(waiting.await.unwrap());
        let third = slots.enter(client(3)).await.map_err(|_| ()).unwrap();
        // Its answer is still being sent: it counts, but blocks no one.
        let presence = third.into_presence();
        assert!(matches!(slots.enter(client(3)).await, Err(ApiError::TooManyRequests)));
        assert!(slots.enter(client(4)).await.is_ok());
        drop(presence);
        assert!(slots.0.clients.lock().unwrap().is_empty());
        assert_eq!(slots.0.present.load(Ordering::Relaxed), 0);
    }
}
