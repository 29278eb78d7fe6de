//! Memory held by a search: allocated by its threads and not yet freed.
//!
//! The allocator of the program (`allocator.rs` of the Python module) calls `count` for every
//! block; without such an allocator nothing is counted, so no limit is reached.
//! Counting is thread-local and exact. A search compares it with its limit when its clock is
//! polled, so it can exceed the limit by the bytes that its threads allocate between two polls.

use std::cell::Cell;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

thread_local! {
    /// Bytes that this thread has allocated minus those it has freed, whichever thread allocated
    /// them.
    static HELD: Cell<isize> = const { Cell::new(0) };
    /// The amount of `HELD` already charged to this thread's search.
    static CHARGED: Cell<isize> = const { Cell::new(0) };
}

/// Whether the system has refused memory since the last `set_recovered`. It is one flag for the
/// process, since memory is shared.
static EXHAUSTED: AtomicBool = AtomicBool::new(false);

/// Counts bytes allocated by this thread; freed bytes are negative.
#[inline]
pub fn count(bytes: isize) {
    HELD.with(|held| held.set(held.get().wrapping_add(bytes)));
}

/// Bytes that this thread has allocated minus those it has freed; only differences are meaningful.
pub fn held() -> isize {
    HELD.get()
}

/// Records that the system refuses memory: all searches stop when they poll their clocks.
pub fn set_exhausted() {
    EXHAUSTED.store(true, Relaxed);
}

/// Records that memory is available again.
pub fn set_recovered() {
    EXHAUSTED.store(false, Relaxed);
}

/// Whether the system has refused memory.
pub(crate) fn is_exhausted() -> bool {
    EXHAUSTED.load(Relaxed)
}

/// Memory held by all threads of one search, and its limit.
#[derive(Debug, Default)]
pub(crate) struct Account {
    limit: Option<usize>,
    held: AtomicIsize,
}

impl Account {
    /// An account with a limit and with the bytes that are held already.
    pub(crate) fn new(limit: Option<usize>, held: isize) -> Self {
        Account { limit, held: AtomicIsize::new(held) }
    }

    /// Whether the search exceeds its limit, or the system is out of memory. If there is a limit,
    /// the bytes of this thread are charged first.
    #[inline]
    pub(crate) fn exceeded(&self) -> bool {
        is_exhausted() || self.limit.is_some_and(|limit| self.charge() > limit)
    }

    /// Charges the bytes that this thread has allocated since its last charge; returns the sum over
    /// all threads.
    fn charge(&self) -> usize {
        let held = HELD.get();
        let new = held.wrapping_sub(CHARGED.replace(held));
        let before =
            if new == 0 { self.held.load(Relaxed) } else { self.held.fetch_add(new, Relaxed) };
        // A thread may be charged for freeing memory before the thread that allocated it is
        // charged: the sum can be negative for a moment.
        usize::try_from(before.wrapping_add(new)).unwrap_or(0)
    }
}

/// Whether the system can provide this many bytes, before they are used.
pub fn available(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// Reserves space for one more entry of a map; false if the map has to grow and the system refuses
/// the memory.
pub(crate) fn reserve_one<K: Eq + Hash, V, H: BuildHasher>(map: &mut HashMap<K, V, H>) -> bool {
    map.try_reserve(1).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_all_threads_is_charged_once() {
        let account = Account::new(Some(100), 0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        count(7);
                        count(-2);
                        account.exceeded(); // charges this thread
                    }
                });
            }
        });
        assert_eq!(account.held.load(Relaxed), 4 * 5 * 5);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(!account.exceeded());
                count(1);
                assert!(account.exceeded());
                count(-1);
                assert!(!account.exceeded());
            });
        });
    }

    #[test]
    fn without_a_limit_nothing_is_exceeded() {
        std::thread::spawn(|| {
            count(isize::MAX);
            assert!(!Account::default().exceeded());
            assert!(Account::new(Some(1), 0).exceeded());
        })
        .join()
        .expect("no panic");
    }

    #[test]
    fn memory_held_before_a_search_counts_until_it_is_freed() {
        std::thread::spawn(|| {
            let account = Account::new(Some(10), 11);
            assert!(account.exceeded());
            count(-1);
            assert!(!account.exceeded());
        })
        .join()
        .expect("no panic");
    }
}
