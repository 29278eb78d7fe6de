//! Parallel search of one regression table.
//!
//! As in `engine/parallel.rs`, a node becomes a job as soon as some thread is idle, and all threads
//! share the cache; `engine/parallel_node.rs` argues that the answer is that of one thread.

use super::search::RegressionSearch;
use super::stump_evaluator::RegressionStumpEvaluator;
use super::subset::RegressionSubset;
use crate::engine::intervals::{OpenIntervals, ThresholdResult};
use crate::engine::parallel_node::{NodeTask, ParallelNode, ThresholdSubtask, TrialKind};
use crate::engine::solution::Bounds;
use crate::engine::threads::{SubtaskGuard, Worker};
use crate::support::statistics::Stats;
use crate::support::task_queue::TaskQueue;
use exactree_model::Limits;

impl RegressionSearch<'_> {
    /// Whether a thread is idle.
    pub(crate) fn has_idle_thread(&self) -> bool {
        self.queue.is_some_and(TaskQueue::has_idle_thread)
    }

    /// Evaluates the thresholds of a subset that may matter, with all threads.
    pub fn solve_in_parallel(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        kind: TrialKind,
        open: OpenIntervals,
        bounds: Bounds,
    ) -> (OpenIntervals, Bounds) {
        let queue = self.queue.expect("threads that wait have a queue");
        let outermost = self.open_calls == 1;
        let margin = self.options.upper_bound_margin && kind == TrialKind::Children;
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
        queue: &TaskQueue<ParallelNode<RegressionSubset>>,
        number: u64,
        subtask: ThresholdSubtask<RegressionSubset>,
    ) {
        match subtask.task.kind {
            TrialKind::Children => {
                self.enter(queue, number, subtask, |search, ThresholdSubtask { task, trial }| {
                    search.try_threshold(trial, &task.subset, task.limits)
                });
            }
            TrialKind::Stumps => self.carry_out_stumps(queue, number, subtask),
        }
    }

    /// Continues with the same subset as long as it has subtasks: preparing an evaluator for it is
    /// expensive.
    fn carry_out_stumps(
        &mut self,
        queue: &TaskQueue<ParallelNode<RegressionSubset>>,
        number: u64,
        first: ThresholdSubtask<RegressionSubset>,
    ) {
        let task = first.task.clone();
        // Notes belong to the thread that made them.
        let mut children =
            RegressionStumpEvaluator::new(self.prepared, &task.subset, self.price, self.level);
        children.takes_notes = false;
        let mut next = Some(first);
        while let Some(subtask) = next {
            self.enter(queue, number, subtask, |search, subtask| {
                search.try_stumps(&subtask.trial, &task.subset, task.limits, &mut children)
            });
            next = queue.more(number);
        }
        self.stats.pruned.stump_bounds += children.skipped_features;
    }

    /// Evaluates a threshold and enters the result.
    fn enter(
        &mut self,
        queue: &TaskQueue<ParallelNode<RegressionSubset>>,
        number: u64,
        subtask: ThresholdSubtask<RegressionSubset>,
        attempt: impl FnOnce(&mut Self, &ThresholdSubtask<RegressionSubset>) -> ThresholdResult,
    ) {
        let guard = SubtaskGuard::new(queue, number, subtask);
        let Some(subtask) = guard.subtask().filter(|_| !self.clock.stopped()) else { return };
        let tried = attempt(self, subtask);
        let outermost = subtask.task.outermost;
        guard.enter(|node, subtask| {
            node.enter(subtask, tried);
            if outermost {
                self.report(&node.bounds, node.lower());
            }
        });
    }
}

impl Worker for RegressionSearch<'_> {
    type Job = ParallelNode<RegressionSubset>;

    fn work(&mut self, queue: &TaskQueue<ParallelNode<RegressionSubset>>) {
        // A worker searches inside a call of the job's owner.
        self.open_calls = 1;
        queue.work_for_others(|number, subtask| self.carry_out(queue, number, subtask));
    }

    fn into_stats(self) -> Stats {
        self.stats
    }
}
