//! The bounds of a strategy to win, as small as the replies allow.

use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;

use super::children::{for_each_child, is_capture};
use super::leaves::Leaves;
use crate::canonical::{Canonical, Key};
use crate::certificate::Entry;
use crate::rules::Rules;

/// Sets the bound of each entry to the most plies until the next capture or the end, if the winner plays by
/// the entries. A position that tables know counts as an end. `None` if another thread
/// has set `stop`, or if play can go on for ever, which entries of a proof do not allow.
pub(super) fn tighten(
    rules: &Rules,
    leaves: &Leaves<'_>,
    entries: &mut [Entry],
    stop: Option<&AtomicBool>,
) -> Option<()> {
    let places: FxHashMap<Key, u32> =
        entries.iter().enumerate().map(|(place, entry)| (entry.key, place as u32)).collect();
    let mut ranks = vec![Rank::Unknown; entries.len()];
    for start in 0..entries.len() as u32 {
        let mut pending = vec![start];
        while let Some(&place) = pending.last() {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return None;
            }
            let entry = &entries[place as usize];
            if let Rank::Known(_) = ranks[place as usize] {
                pending.pop();
                continue;
            }
            let opponents = (entry.key.stones >> 25).count_ones();
            let after = Canonical::from_key(entry.reply);
            let mut rank: u16 = 1;
            let mut missing = Vec::new();
            if after.own().count() as u32 == opponents && leaves.covers(after).is_none() {
                let mut next = Vec::new();
                for_each_child(rules, after, |child| next.push(child));
                for child in next {
                    let steps = match places.get(&child.key()).filter(|_| !is_capture(after, child)) {
                        None => 2,
                        Some(&follower) => match ranks[follower as usize] {
                            Rank::Known(plies) => plies.checked_add(2)?,
                            Rank::Unknown => {
                                missing.push(follower);
                                continue;
                            }
                            Rank::Pending => return None,
                        },
                    };
                    rank = rank.max(steps);
                }
            }
            if missing.is_empty() {
                ranks[place as usize] = Rank::Known(rank);
                pending.pop();
            } else {
                ranks[place as usize] = Rank::Pending;
                pending.append(&mut missing);
            }
        }
    }
    for (entry, rank) in entries.iter_mut().zip(ranks) {
        if let Rank::Known(plies) = rank {
            entry.bound = plies;
        }
    }
    Some(())
}

#[derive(Clone, Copy)]
enum Rank {
    Unknown,
    Pending,
    Known(u16),
}
