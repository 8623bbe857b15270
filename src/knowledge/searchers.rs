//! Searchers that are kept from one question to the next, with what they have seen.

use std::sync::{Arc, Mutex, PoisonError};

use crate::rules::Rules;
use crate::search::Searcher;

/// Bytes that a searcher of the default pool remembers positions in.
const HASH_BYTES: u64 = 16 << 20;
/// Searchers that the default pool keeps.
const SPARE: usize = 4;

/// Searchers that are not in use. Clones share them, across threads and rule sets.
#[derive(Clone)]
pub struct SearcherPool(Arc<Shared>);

crate::debug::debug_as!(SearcherPool, |pool| bytes_of_each = pool.0.hash_bytes);

struct Shared {
    hash_bytes: u64,
    most_spare: usize,
    /// The one that was used last comes last.
    spare: Mutex<Vec<Searcher>>,
}

impl SearcherPool {
    /// A pool whose searchers use `hash_bytes` bytes each, and which keeps at most `most_spare` of them while
    /// they are not in use.
    pub fn new(hash_bytes: u64, most_spare: usize) -> SearcherPool {
        SearcherPool(Arc::new(Shared { hash_bytes, most_spare, spare: Mutex::default() }))
    }

    /// Lends `work` a searcher for `rules`. There are as many as there are calls at the same time.
    pub(super) fn lend<T>(&self, rules: &'static Rules, work: impl FnOnce(&mut Searcher) -> T) -> T {
        let spare = || self.0.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let found = {
            let mut spare = spare();
            let place = spare.iter().rposition(|searcher| searcher.rules() == rules);
            place.map(|place| spare.remove(place))
        };
        let mut searcher = found.unwrap_or_else(|| Searcher::with_at_most(rules, self.0.hash_bytes));
        let result = work(&mut searcher);
        let mut spare = spare();
        spare.push(searcher);
        if spare.len() > self.0.most_spare {
            spare.remove(0);
        }
        result
    }
}

impl Default for SearcherPool {
    /// Four searchers of 16 MiB each.
    fn default() -> SearcherPool {
        SearcherPool::new(HASH_BYTES, SPARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CLASSIC, YOUZAI};

    #[test]
    fn the_searchers_used_last_are_kept() {
        let pool = SearcherPool::new(1 << 16, 2);
        pool.lend(&CLASSIC, |_| pool.lend(&YOUZAI, |_| pool.lend(&CLASSIC, |_| ())));
        let kept = |pool: &SearcherPool| {
            pool.0.spare.lock().unwrap().iter().map(|searcher| searcher.rules().name()).collect::<Vec<_>>()
        };
        assert_eq!(kept(&pool), ["youzai", "classic"]);
        pool.lend(&YOUZAI, |searcher| assert_eq!(searcher.rules(), &YOUZAI));
        assert_eq!(kept(&pool), ["classic", "youzai"]);
    }
}
