//! The task queue of a parallel search. It holds jobs, and a job consists of subtasks.
//!
//! The thread that posts a job is its *owner* and works on it until it is done; an idle thread
//! takes a subtask of any job. A job is done when it has no subtasks left and every subtask taken
//! has been returned. One lock guards the whole queue: a subtask takes far longer than the lock is
//! held.
//!
//! *No deadlock.* The owner of a job waits only for subtasks that other threads have taken. While
//! it waits, it takes subtasks of jobs with fewer levels than its own. A subtask of a job posts
//! only jobs with fewer levels. So among the waiting owners, an owner whose job has the fewest
//! levels waits for a thread that is working. A subtask that is dropped in a panic returns to its
//! job. Work beside the search, which threads do before they wait, ends by itself.

#[cfg(all(test, loom))]
use loom::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicUsize, Ordering},
};
use std::collections::BTreeMap;
use std::sync::PoisonError;
#[cfg(not(all(test, loom)))]
use std::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicUsize, Ordering},
};

/// Work that consists of subtasks.
pub(crate) trait Job {
    type Subtask;

    /// The next subtask; `None` if there is none now.
    fn take(&mut self) -> Option<Self::Subtask>;

    /// Takes back a subtask that was not carried out; after that, `take` returns no further
    /// subtask.
    fn put_back(&mut self, subtask: Self::Subtask);

    /// Maximum nesting depth of jobs; the subtasks of this job post only jobs of fewer levels.
    fn levels(&self) -> u32;
}

/// The jobs, numbered in the order in which they were posted, and the number of idle threads.
pub(crate) struct TaskQueue<J> {
    state: Mutex<QueueState<J>>,
    changed: Condvar,
    /// Number of idle threads; a hint for threads that could post a job.
    idle: AtomicUsize,
}

struct QueueState<J> {
    jobs: BTreeMap<u64, QueuedJob<J>>,
    next: u64,
    closed: bool,
}

struct QueuedJob<J> {
    job: J,
    taken: usize,
}

/// The next step of the owner of a job.
enum NextStep<S, J> {
    /// A subtask of the job with this number.
    Subtask(u64, S),
    /// The job itself, done.
    Done(J),
}

impl<J: Job> TaskQueue<J> {
    pub(crate) fn new() -> Self {
        let state = QueueState { jobs: BTreeMap::new(), next: 0, closed: false };
        TaskQueue { state: Mutex::new(state), changed: Condvar::new(), idle: AtomicUsize::new(0) }
    }

    /// Whether some thread is idle; may be out of date.
    pub(crate) fn has_idle_thread(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Whether there are jobs, or the queue is closed.
    pub(crate) fn has_jobs(&self) -> bool {
        let state = self.lock();
        state.closed || !state.jobs.is_empty()
    }

    /// Adds a job; returns its number.
    fn post(&self, job: J) -> u64 {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.jobs.insert(number, QueuedJob { job, taken: 0 });
        self.changed.notify_all();
        number
    }

    /// The next step of the owner of job `number`: a subtask of this job, or of a job with fewer
    /// levels while other threads work on this job; the job itself once it is done.
    fn next(&self, number: u64, work_beside: &impl Fn() -> bool) -> NextStep<J::Subtask, J> {
        let mut state = self.lock();
        let mut found_work = true;
        loop {
            let queued = state.jobs.get_mut(&number).expect("only its owner removes a job");
            if let Some(subtask) = queued.take() {
                return NextStep::Subtask(number, subtask);
            }
            if queued.taken == 0 {
                let queued = state.jobs.remove(&number).expect("just seen");
                return NextStep::Done(queued.job);
            }
            let levels = queued.job.levels();
            if let Some((number, subtask)) = state.subtask_below(levels) {
                return NextStep::Subtask(number, subtask);
            }
            (state, found_work) = self.work_or_wait(state, found_work, work_beside);
        }
    }

    /// Posts a job and works on it until it is done; while other threads have its last subtasks,
    /// carries out subtasks of jobs with fewer levels, or else does some `work_beside` the search, which
    /// returns whether there was any.
    pub(crate) fn work_on(
        &self,
        job: J,
        work_beside: impl Fn() -> bool,
        mut carry_out: impl FnMut(u64, J::Subtask),
    ) -> J {
        let own = self.post(job);
        loop {
            match self.next(own, &work_beside) {
                NextStep::Subtask(number, subtask) => carry_out(number, subtask),
                NextStep::Done(job) => return job,
            }
        }
    }

    /// Carries out subtasks of any job until the queue is closed; while there are none, does some
    /// `work_beside` the search.
    pub(crate) fn work_for_others(
        &self,
        work_beside: impl Fn() -> bool,
        mut carry_out: impl FnMut(u64, J::Subtask),
    ) {
        while let Some((number, subtask)) = self.next_of_any_job(&work_beside) {
            carry_out(number, subtask);
        }
    }

    /// Another subtask of a job, if it has one now. Does not wait.
    pub(crate) fn more(&self, number: u64) -> Option<J::Subtask> {
        self.lock().jobs.get_mut(&number)?.take()
    }

    /// A subtask of the job with the most levels; waits for a subtask. `None` once the queue is
    /// closed.
    fn next_of_any_job(&self, work_beside: &impl Fn() -> bool) -> Option<(u64, J::Subtask)> {
        let mut state = self.lock();
        let mut found_work = true;
        while !state.closed {
            if let Some(found) = state.subtask_below(u32::MAX) {
                return Some(found);
            }
            (state, found_work) = self.work_or_wait(state, found_work, work_beside);
        }
        None
    }

    /// Returns a subtask to its job: `enter` records the result in the job.
    pub(crate) fn return_subtask<T>(&self, number: u64, enter: impl FnOnce(&mut J) -> T) -> T {
        let mut state = self.lock();
        let queued = state.jobs.get_mut(&number).expect("a job with a subtask taken stays");
        queued.taken -= 1;
        let result = enter(&mut queued.job);
        self.changed.notify_all();
        result
    }

    /// Closes the queue: all workers return.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works beside the search, or waits for a change if the last call found no such work: nothing
    /// that changed since then is missed, because the caller has looked again. Also returns whether
    /// there may be more work beside the search.
    fn work_or_wait<'a>(
        &'a self,
        state: MutexGuard<'a, QueueState<J>>,
        found_work: bool,
        work_beside: &impl Fn() -> bool,
    ) -> (MutexGuard<'a, QueueState<J>>, bool) {
        if found_work {
            drop(state);
            let found_work = work_beside();
            return (self.lock(), found_work);
        }
        self.idle.fetch_add(1, Ordering::Relaxed);
        let state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        self.idle.fetch_sub(1, Ordering::Relaxed);
        (state, true)
    }
}

impl<J: Job> QueueState<J> {
    /// A subtask of the job with the most levels among the jobs with fewer than `levels`; of equal
    /// jobs the oldest.
    fn subtask_below(&mut self, levels: u32) -> Option<(u64, J::Subtask)> {
        let mut jobs: Vec<_> =
            self.jobs.iter_mut().filter(|(_, queued)| queued.job.levels() < levels).collect();
        jobs.sort_by_key(|(number, queued)| (std::cmp::Reverse(queued.job.levels()), **number));
        jobs.into_iter().find_map(|(number, queued)| Some((*number, queued.take()?)))
    }
}

impl<J: Job> QueuedJob<J> {
    fn take(&mut self) -> Option<J::Subtask> {
        let subtask = self.job.take()?;
        self.taken += 1;
        Some(subtask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A job that adds numbers, one number per subtask. A subtask of a job with several levels
    /// posts a job with one level fewer, which adds the number twice.
    struct Sum {
        levels: u32,
        subtasks: Vec<u64>,
        total: u64,
    }

    impl Job for Sum {
        type Subtask = (u32, u64);

        fn take(&mut self) -> Option<(u32, u64)> {
            self.subtasks.pop().map(|number| (self.levels, number))
        }

        fn put_back(&mut self, _subtask: (u32, u64)) {
            unreachable!("every subtask is done");
        }

        fn levels(&self) -> u32 {
            self.levels
        }
    }

    fn sum(queue: &TaskQueue<Sum>, levels: u32, subtasks: Vec<u64>) -> u64 {
        let job = Sum { levels, subtasks, total: 0 };
        queue.work_on(job, || false, |number, subtask| carry_out(queue, number, subtask)).total
    }

    fn carry_out(queue: &TaskQueue<Sum>, number: u64, (levels, value): (u32, u64)) {
        let value = if levels > 1 { sum(queue, levels - 1, vec![value, value]) } else { value };
        queue.return_subtask(number, |job| job.total += value);
    }

    fn help(queue: &TaskQueue<Sum>) {
        queue.work_for_others(|| false, |number, subtask| carry_out(queue, number, subtask));
    }

    #[cfg(not(loom))]
    #[test]
    fn every_subtask_is_done_once_whoever_helps() {
        for workers in 0..4 {
            let queue = TaskQueue::new();
            let total = std::thread::scope(|scope| {
                for _ in 0..workers {
                    scope.spawn(|| help(&queue));
                }
                let total = sum(&queue, 4, (1..=20).collect());
                queue.close();
                total
            });
            // The sum of the numbers, doubled by each of three levels below the first.
            assert_eq!(total, 210 * 8);
        }
    }

    /// Model checking of all interleavings of two threads with few preemptions; `make test-threads`
    /// runs it.
    #[cfg(loom)]
    #[test]
    fn every_order_of_two_threads_does_every_subtask_once() {
        let mut orders = loom::model::Builder::new();
        orders.preemption_bound = Some(6);
        for (levels, subtasks, expected) in [(1, vec![1, 2, 4], 7), (2, vec![1, 2], 6)] {
            orders.check(move || {
                let queue = loom::sync::Arc::new(TaskQueue::new());
                let helped = queue.clone();
                let worker = loom::thread::spawn(move || help(&helped));
                assert_eq!(sum(&queue, levels, subtasks.clone()), expected);
                queue.close();
                worker.join().expect("no panic");
            });
        }
    }
}
