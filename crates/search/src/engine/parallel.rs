//! Parallel search: several threads search one table.
//!
//! A node whose splits are being evaluated becomes a job in the task queue as soon as some
//! thread is idle, so a single thread never pays for it. All threads share the cache.
//! `parallel_node.rs` argues that the result is that of one thread.

use crate::engine::open_splits::OpenSplits;
use crate::engine::parallel_node::{NodeTask, ParallelNode, SplitSubtask, TrialKind};
use crate::engine::solution::Bounds;
use crate::engine::space::{NodeOf, OpenOf, ResultOf, Search, Space, SubsetOf, SubtaskOf};
use crate::engine::threads::{SubtaskGuard, Worker};
use crate::support::clock::Occupation;
use crate::support::statistics::Stats;
use crate::support::task_queue::TaskQueue;
use exactree_model::Limits;

impl<S: Space> Search<'_, S> {
    /// Whether some thread is idle.
    pub(crate) fn has_idle_thread(&self) -> bool {
        self.queue.is_some_and(TaskQueue::has_idle_thread)
    }

    /// Evaluates the splits of a subset that may matter, with all threads.
    pub(crate) fn solve_in_parallel(
        &mut self,
        subset: &SubsetOf<S>,
        limits: Limits,
        kind: TrialKind,
        open: OpenOf<S>,
        bounds: Bounds,
    ) -> (OpenOf<S>, Bounds) {
        let queue = self.queue.expect("threads that wait have a queue");
        let child_upper = self.child_upper;
        let outermost = self.open_calls == 1;
        let task = NodeTask { subset: subset.clone(), limits, kind, child_upper, outermost };
        if outermost {
            // The first subtask may take long.
            self.report(&bounds, open.lower());
        }
        let clock = self.clock;
        let work_beside = || clock.work_beside(Occupation::Waiting);
        let node = ParallelNode::new(task, open, bounds);
        let node = queue.work_on(node, work_beside, |number, subtask| {
            self.carry_out(queue, number, subtask);
        });
        self.stats.pruned.add(&node.pruned);
        (node.open, node.bounds)
    }

    fn carry_out(&mut self, queue: &TaskQueue<NodeOf<S>>, number: u64, subtask: SubtaskOf<S>) {
        let own = std::mem::replace(&mut self.child_upper, subtask.task.child_upper);
        match subtask.task.kind {
            TrialKind::Children => self.carry_out_children(queue, number, subtask),
            TrialKind::Stumps => S::carry_out_stumps(self, queue, number, subtask),
        }
        self.child_upper = own;
    }

    /// Evaluates a split by searches of its children.
    pub(crate) fn carry_out_children(
        &mut self,
        queue: &TaskQueue<NodeOf<S>>,
        number: u64,
        subtask: SubtaskOf<S>,
    ) {
        self.enter(queue, number, subtask, |search, SplitSubtask { task, trial }| {
            Some(S::try_split(search, trial, &task.subset, task.limits))
        });
    }

    /// Carries out a subtask and all further ones of the same subset: preparing an evaluator for it
    /// is expensive.
    pub(crate) fn enter_all(
        &mut self,
        queue: &TaskQueue<NodeOf<S>>,
        number: u64,
        first: SubtaskOf<S>,
        mut attempt: impl FnMut(&mut Self, &SubtaskOf<S>) -> Option<ResultOf<S>>,
    ) {
        let mut next = Some(first);
        while let Some(subtask) = next {
            self.enter(queue, number, subtask, &mut attempt);
            next = queue.more(number);
        }
    }

    /// Evaluates a split and enters its result, unless the search is to stop.
    fn enter(
        &mut self,
        queue: &TaskQueue<NodeOf<S>>,
        number: u64,
        subtask: SubtaskOf<S>,
        attempt: impl FnOnce(&mut Self, &SubtaskOf<S>) -> Option<ResultOf<S>>,
    ) {
        let guard = SubtaskGuard::new(queue, number, subtask);
        let must_return =
            |subtask: &SubtaskOf<S>| subtask.task.outermost && self.must_return_open();
        let still_needed = |subtask: &&SubtaskOf<S>| !must_return(subtask) && !self.clock.stopped();
        let Some(subtask) = guard.subtask().filter(still_needed) else { return };
        let Some(tried) = attempt(self, subtask) else { return };
        let outermost = subtask.task.outermost;
        guard.enter(|node, subtask| {
            node.enter(subtask, tried);
            if outermost {
                self.take_upper_bound(&mut node.bounds);
                self.report(&node.bounds, node.lower());
            }
        });
    }
}

impl<S: Space> Worker for Search<'_, S> {
    type Job = NodeOf<S>;

    fn work(&mut self, queue: &TaskQueue<NodeOf<S>>) {
        // A worker searches inside a call of the job's owner.
        self.open_calls = 1;
        while !queue.has_jobs() && self.clock.work_beside(Occupation::Idle) {}
        let clock = self.clock;
        let work_beside = || clock.work_beside(Occupation::Waiting);
        queue.work_for_others(work_beside, |number, subtask| {
            self.carry_out(queue, number, subtask);
        });
    }

    fn into_stats(self) -> Stats {
        self.stats
    }
}
