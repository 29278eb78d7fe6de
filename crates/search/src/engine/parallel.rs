//! Parallel search: several threads search one table.
//!
//! A node whose thresholds are being evaluated becomes a job in the task queue as soon as some
//! thread is idle, so a single thread never pays for it. All threads share the cache.
//! `parallel_node.rs` argues that the result is that of one thread.

use crate::engine::intervals::{OpenIntervals, ThresholdResult};
use crate::engine::parallel_node::{NodeTask, ParallelNode, ThresholdSubtask, TrialKind};
use crate::engine::solution::Bounds;
use crate::engine::space::{NodeOf, Search, Space, SubsetOf};
use crate::engine::threads::{SubtaskGuard, Worker};
use crate::support::statistics::Stats;
use crate::support::task_queue::TaskQueue;
use exactree_model::Limits;

impl<S: Space> Search<'_, S> {
    /// Whether some thread is idle.
    pub(crate) fn has_idle_thread(&self) -> bool {
        self.queue.is_some_and(TaskQueue::has_idle_thread)
    }

    /// Evaluates the thresholds of a subset that may matter, with all threads.
    pub(crate) fn solve_in_parallel(
        &mut self,
        subset: &SubsetOf<S>,
        limits: Limits,
        kind: TrialKind,
        open: OpenIntervals,
        bounds: Bounds,
    ) -> (OpenIntervals, Bounds) {
        let queue = self.queue.expect("threads that wait have a queue");
        let margin = self.margin && kind == TrialKind::Children;
        let outermost = self.open_calls == 1;
        let task = NodeTask { subset: subset.clone(), limits, kind, margin, outermost };
        if outermost {
            // The first subtask may take long.
            self.report(&bounds, open.lower());
        }
        let node = queue.work_on(ParallelNode::new(task, open, bounds), |number, subtask| {
            self.carry_out(queue, number, subtask);
        });
        self.stats.pruned.add(&node.pruned);
        (node.open, node.bounds)
    }

    fn carry_out(
        &mut self,
        queue: &TaskQueue<NodeOf<S>>,
        number: u64,
        subtask: ThresholdSubtask<SubsetOf<S>>,
    ) {
        match subtask.task.kind {
            TrialKind::Children => {
                self.enter(queue, number, subtask, |search, ThresholdSubtask { task, trial }| {
                    Some(S::try_threshold(search, trial, &task.subset, task.limits))
                });
            }
            TrialKind::Stumps => S::carry_out_stumps(self, queue, number, subtask),
        }
    }

    /// Carries out a subtask and all further ones of the same subset: preparing an evaluator for it is
    /// expensive.
    pub(crate) fn enter_all(
        &mut self,
        queue: &TaskQueue<NodeOf<S>>,
        number: u64,
        first: ThresholdSubtask<SubsetOf<S>>,
        mut attempt: impl FnMut(&mut Self, &ThresholdSubtask<SubsetOf<S>>) -> Option<ThresholdResult>,
    ) {
        let mut next = Some(first);
        while let Some(subtask) = next {
            self.enter(queue, number, subtask, &mut attempt);
            next = queue.more(number);
        }
    }

    /// Evaluates a threshold and enters its result, unless the search is to stop.
    fn enter(
        &mut self,
        queue: &TaskQueue<NodeOf<S>>,
        number: u64,
        subtask: ThresholdSubtask<SubsetOf<S>>,
        attempt: impl FnOnce(&mut Self, &ThresholdSubtask<SubsetOf<S>>) -> Option<ThresholdResult>,
    ) {
        let guard = SubtaskGuard::new(queue, number, subtask);
        let must_return = |subtask: &ThresholdSubtask<SubsetOf<S>>| {
            subtask.task.outermost && self.must_return_open()
        };
        let still_needed = |subtask: &&ThresholdSubtask<SubsetOf<S>>| {
            !must_return(subtask) && !self.clock.stopped()
        };
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
        queue.work_for_others(|number, subtask| self.carry_out(queue, number, subtask));
    }

    fn into_stats(self) -> Stats {
        self.stats
    }
}
