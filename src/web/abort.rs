//! Work that can be aborted: because its client has gone, or because the same client sent a newer request.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// A wish to end some work. Clones share it.
#[derive(Clone, Default)]
pub struct Abort(Arc<State>);

#[derive(Default)]
struct State {
    flag: AtomicBool,
    notify: Notify,
}

impl Abort {
    /// Asks the work to end.
    pub fn abort(&self) {
        self.0.flag.store(true, Ordering::Relaxed);
        // Kept for a waiter that comes later.
        self.0.notify.notify_one();
    }

    /// Set once the work is to end.
    pub fn flag(&self) -> &AtomicBool {
        &self.0.flag
    }

    /// Whether the work goes on.
    pub fn goes_on(&self) -> bool {
        !self.flag().load(Ordering::Relaxed)
    }

    /// Waits until the work is to end. For one waiter at a time.
    pub async fn aborted(&self) {
        self.0.notify.notified().await;
    }
}

/// Aborts when it is dropped: hyper drops the answer to a client that has gone.
pub struct AbortOnDrop(pub Abort);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The work that was begun last in each session.
pub struct Sessions<K>(Arc<Mutex<HashMap<K, Abort>>>);

impl<K> Default for Sessions<K> {
    fn default() -> Sessions<K> {
        Sessions(Arc::default())
    }
}

/// The place of some work in its session.
pub struct Registered<K: Hash + Eq> {
    sessions: Arc<Mutex<HashMap<K, Abort>>>,
    key: K,
    abort: Abort,
}

impl<K: Hash + Eq + Clone> Sessions<K> {
    /// Begins work in the session `key` and aborts what it was busy with.
    pub fn begin(&self, key: K, abort: &Abort) -> Registered<K> {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = sessions.insert(key.clone(), abort.clone()) {
            before.abort();
        }
        Registered { sessions: Arc::clone(&self.0), key, abort: abort.clone() }
    }
}

impl<K: Hash + Eq> Drop for Registered<K> {
    fn drop(&mut self) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        // Newer work may have taken the place.
        if sessions.get(&self.key).is_some_and(|abort| Arc::ptr_eq(&abort.0, &self.abort.0)) {
            sessions.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn newer_work_of_a_session_aborts_the_older() {
        let sessions = Sessions::default();
        let [first, second, other] = [(); 3].map(|()| Abort::default());
        let held = sessions.begin("a", &first);
        let _other = sessions.begin("b", &other);
        let newer = sessions.begin("a", &second);
        first.aborted().await;
        let is_aborted = |abort: &Abort| abort.flag().load(Ordering::Relaxed);
        assert!(is_aborted(&first) && !is_aborted(&second) && !is_aborted(&other));
        drop(held);
        assert!(sessions.0.lock().unwrap().contains_key("a"));
        drop(newer);
        assert!(!sessions.0.lock().unwrap().contains_key("a"));
        drop(AbortOnDrop(other.clone()));
        assert!(is_aborted(&other));
    }
}
