//! Worker threads of one search, and the guard that returns a subtask to its job.

use crate::support::statistics::Stats;
use crate::support::task_queue::{Job, TaskQueue};
use std::thread;

/// A search on a worker thread.
pub(crate) trait Worker {
    type Job: Job;

    /// Carries out subtasks of other threads' jobs until the queue is closed.
    fn work(&mut self, queue: &TaskQueue<Self::Job>);

    /// Its statistics.
    fn into_stats(self) -> Stats;
}

/// Stack size of a worker thread in bytes; trees without limits may be deep.
const STACK: usize = 1 << 28;

/// Runs `work` with worker threads, each with a search made by `searcher`; also returns the
/// statistics of all threads. If a thread cannot be created, the search only takes longer.
pub(crate) fn with_workers<H: Worker, T>(
    workers: usize,
    queue: &TaskQueue<H::Job>,
    searcher: &(impl Fn() -> H + Sync),
    work: impl FnOnce(&mut H) -> T,
) -> (T, Stats)
where
    H::Job: Send,
{
    let run_worker = || {
        let mut search = searcher();
        search.work(queue);
        search.into_stats()
    };
    thread::scope(|scope| {
        let closing = QueueCloser(queue);
        let spawn = |_| {
            let thread = thread::Builder::new().name("exactree".into()).stack_size(STACK);
            thread.spawn_scoped(scope, run_worker).ok()
        };
        let workers: Vec<_> = (0..workers).map_while(spawn).collect();
        let mut search = searcher();
        let done = work(&mut search);
        drop(closing);
        let mut stats = search.into_stats();
        for worker in workers {
            let counted = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            stats.add(&counted);
        }
        (done, stats)
    })
}

/// Closes the queue when dropped, also after a panic, so that no thread waits for ever.
struct QueueCloser<'a, J: Job>(&'a TaskQueue<J>);

impl<J: Job> Drop for QueueCloser<'_, J> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A subtask that a thread has taken. If it is dropped without a result, because the search was
/// stopped or panicked, the subtask goes back to its job.
pub(crate) struct SubtaskGuard<'a, J: Job> {
    queue: &'a TaskQueue<J>,
    number: u64,
    subtask: Option<J::Subtask>,
}

impl<'a, J: Job> SubtaskGuard<'a, J> {
    pub(crate) fn new(queue: &'a TaskQueue<J>, number: u64, subtask: J::Subtask) -> Self {
        SubtaskGuard { queue, number, subtask: Some(subtask) }
    }

    /// The subtask, until its result is entered.
    pub(crate) fn subtask(&self) -> Option<&J::Subtask> {
        self.subtask.as_ref()
    }

    /// Enters the result of the subtask in its job.
    pub(crate) fn enter(mut self, enter: impl FnOnce(&mut J, J::Subtask)) {
        let Some(subtask) = self.subtask.take() else { return };
        self.queue.return_subtask(self.number, |job| enter(job, subtask));
    }
}

impl<J: Job> Drop for SubtaskGuard<'_, J> {
    fn drop(&mut self) {
        if let Some(subtask) = self.subtask.take() {
            self.queue.return_subtask(self.number, |job| job.put_back(subtask));
        }
    }
}
