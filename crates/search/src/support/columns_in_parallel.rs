//! Work on the columns of a table, divided among threads: ranking and sorting.

use crate::support::memory;
use exactree_model::{Feature, Table, Weight};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

/// Number of values of a table below which one thread is as fast as several; few in tests.
const MIN_VALUES: usize = if cfg!(test) { 64 } else { 1 << 18 };

/// Like `Table::read_scaled`, with columns ranked by several threads.
pub fn read_table<C: AsRef<[f64]> + Send>(
    threads: usize,
    stopped: &dyn Fn() -> bool,
    columns: impl IntoIterator<Item = C>,
    labels: &[u32],
    weights: (&[Weight], &[Weight]),
    n_classes: usize,
) -> Option<Table> {
    let columns: Vec<_> = columns.into_iter().map(|column| Mutex::new(Some(column))).collect();
    let ranked = |index: usize| {
        let column = columns[index].lock().ok()?.take()?;
        Feature::of_column(index, column.as_ref())
    };
    let features = for_columns(threads, stopped, (labels.len(), columns.len()), ranked)?;
    let varying = features.into_iter().flatten().collect();
    Table::of_features(stopped, varying, labels, weights, n_classes)
}

/// The results of `work` on the columns 0 to `columns` - 1, in this order; `None` if it was
/// stopped. Only the calling thread polls `stopped`, first and after each of its columns. Memory that other
/// threads leave allocated counts as that of the calling thread.
pub(crate) fn for_columns<T: Send>(
    threads: usize,
    stopped: &dyn Fn() -> bool,
    (rows, columns): (usize, usize),
    work: impl Fn(usize) -> T + Sync,
) -> Option<Vec<T>> {
    let helpers = match rows.saturating_mul(columns) < MIN_VALUES {
        true => 0,
        false => threads.min(columns).saturating_sub(1),
    };
    let (next, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let take = || Some(next.fetch_add(1, Relaxed)).filter(|&at| at < columns);
    let mut found: Vec<Option<T>> = Vec::new();
    found.resize_with(columns, || None);
    thread::scope(|scope| {
        let _ending = EndOnDrop(&ended);
        let help = || {
            let before = memory::held();
            let mut own = Vec::new();
            while !ended.load(Relaxed)
                && let Some(at) = take()
            {
                own.push((at, work(at)));
            }
            (own, memory::held() - before)
        };
        // If a thread cannot be created, the work only takes longer.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, help).ok();
        let helpers: Vec<_> = (0..helpers).map_while(spawn).collect();
        let mut stop = stopped();
        while !stop && let Some(at) = take() {
            found[at] = Some(work(at));
            stop = stopped();
        }
        ended.store(stop, Relaxed);
        for helper in helpers {
            let (own, held) =
                helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            memory::count(held);
            own.into_iter().for_each(|(at, result)| found[at] = Some(result));
        }
    });
    (!ended.load(Relaxed)).then(|| found.into_iter().flatten().collect())
}

/// Ends the work of other threads when dropped after a panic.
struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const LARGE: usize = MIN_VALUES;

    #[test]
    fn results_are_those_of_one_thread_in_the_order_of_the_columns() {
        for threads in [1, 2, 5] {
            for rows in [1, LARGE] {
                let found = for_columns(threads, &|| false, (rows, 37), |at| at * at);
                assert_eq!(found, Some((0..37).map(|at| at * at).collect()));
            }
        }
        assert_eq!(for_columns(3, &|| false, (LARGE, 0), |at| at), Some(Vec::new()));
    }

    #[test]
    fn a_stop_at_any_poll_leaves_no_result() {
        for last in 0..5 {
            let polls = Cell::new(0);
            let stopped = || {
                polls.set(polls.get() + 1);
                polls.get() > last
            };
            assert_eq!(for_columns(1, &stopped, (LARGE, 5), |at| at), None);
            assert!(for_columns(3, &|| true, (LARGE, 5), |at| at).is_none());
        }
    }

    #[test]
    fn a_panic_in_one_column_is_raised_after_all_threads_ended() {
        let panics = std::panic::catch_unwind(|| {
            for_columns(3, &|| false, (LARGE, 50), |at| assert!(at != 7, "column {at}"))
        });
        assert!(panics.is_err());
    }
}
