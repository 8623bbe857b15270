//! How many questions are worked on and may wait at the same time, in all and of one client.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::config::Limits;
use super::error::ApiError;

/// The slots of a server.
#[derive(Clone)]
pub struct Slots(Arc<Shared>);

struct Shared {
    working: Arc<Semaphore>,
    /// Questions in work or waiting.
    present: AtomicUsize,
    most_present: usize,
    clients: Mutex<HashMap<IpAddr, usize>>,
    most_per_client: usize,
}

/// The right to work on a question, until it is dropped.
pub struct Slot {
    _permit: OwnedSemaphorePermit,
    _presence: Presence,
}

/// A question that is in work or waiting.
struct Presence {
    shared: Arc<Shared>,
    client: IpAddr,
}

impl Slots {
    /// Slots as `limits` allow.
    pub fn new(limits: &Limits) -> Slots {
        let working = limits.probes.clamp(1, Semaphore::MAX_PERMITS);
        Slots(Arc::new(Shared {
            working: Arc::new(Semaphore::new(working)),
            present: AtomicUsize::new(0),
            most_present: working.saturating_add(limits.queue),
            clients: Mutex::default(),
            most_per_client: limits.per_client.max(1),
        }))
    }

    /// Waits for a slot for a question of `client`.
    ///
    /// # Errors
    /// [`ApiError::TooManyRequests`] when the client has too many questions open, [`ApiError::Busy`] when all clients
    /// together have.
    pub async fn enter(&self, client: IpAddr) -> Result<Slot, ApiError> {
        let presence = self.appear(client)?;
        let permit = Arc::clone(&self.0.working).acquire_owned().await;
        // It is never closed.
        let permit = permit.map_err(|_| ApiError::Busy)?;
        Ok(Slot { _permit: permit, _presence: presence })
    }

    fn appear(&self, client: IpAddr) -> Result<Presence, ApiError> {
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
        // From here on dropping it undoes both.
        let presence = Presence { shared: Arc::clone(shared), client };
        if present >= shared.most_present { Err(ApiError::Busy) } else { Ok(presence) }
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
    async fn what_is_too_much_is_refused_and_room_is_given_back() {
        let slots = Slots::new(&Limits { probes: 1, queue: 1, per_client: 1, ..Limits::default() });
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
        assert!(slots.enter(client(3)).await.is_ok());
        assert!(slots.0.clients.lock().unwrap().is_empty());
        assert_eq!(slots.0.present.load(Ordering::Relaxed), 0);
    }
}
