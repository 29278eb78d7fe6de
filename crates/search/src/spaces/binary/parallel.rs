//! Parallel search of one table of binary columns.
//!
//! Like `engine/parallel.rs`, with rules as subtasks: a node becomes a job as soon as some thread
//! is idle, and all threads share both caches. `parallel_node.rs` argues that the bounds are valid.

use super::node::BinaryNode;
use super::open_rules::OpenRules;
use super::parallel_node::{BinaryNodeTask, ParallelBinaryNode, RuleSubtask};
use super::search::BinarySearch;
use super::solution::BinaryBounds;
use crate::engine::threads::{SubtaskGuard, Worker};
use crate::kernels::chunks::ChunkLane;
use crate::support::statistics::Stats;
use crate::support::task_queue::TaskQueue;
use std::borrow::Cow;

/// Number of words that a trial has to read for parallel work to pay; this takes about ten
/// microseconds.
const MIN_SHARED_WORDS: usize = 1 << 16;

impl<L: ChunkLane> BinarySearch<'_, L> {
    /// Whether a thread is idle and this node is large enough for it.
    pub(crate) fn has_idle_thread(&self, node: &BinaryNode<'_, L>) -> bool {
        let chunks = &node.counts.chunks;
        let words = match self.lists {
            Some(_) => node.counts.pairs.held.len(),
            None => chunks.words.len() * chunks.count,
        };
        self.queue.is_some_and(TaskQueue::has_idle_thread)
            && (node.limits.depth > 3 || words >= MIN_SHARED_WORDS)
    }

    /// Evaluates the open rules of a node, with all threads.
    pub(crate) fn solve_in_parallel(
        &mut self,
        node: BinaryNode<'_, L>,
        rules: OpenRules,
        bounds: BinaryBounds,
    ) -> (OpenRules, BinaryBounds) {
        let queue = self.queue.expect("threads that wait have a queue");
        let node = BinaryNode { subset: Cow::Owned(node.subset.into_owned()), ..node };
        let outermost = self.open_calls == 1;
        if outermost {
            // The first subtask may take long.
            self.report(&bounds, rules.lower().max(bounds.lower));
        }
        let task = BinaryNodeTask { node, expanded: self.expanded, outermost };
        let shared = ParallelBinaryNode::new(task, rules, bounds);
        let shared =
            queue.work_on(shared, |number, subtask| self.carry_out(queue, number, subtask));
        self.stats.pruned.add(&shared.pruned);
        (shared.rules, shared.bounds)
    }

    /// Evaluates a rule and enters the result, unless the search is to stop.
    fn carry_out(
        &mut self,
        queue: &TaskQueue<ParallelBinaryNode<L>>,
        number: u64,
        subtask: RuleSubtask<L>,
    ) {
        self.expanded = subtask.task.expanded;
        let guard = SubtaskGuard::new(queue, number, subtask);
        let must_return =
            |subtask: &RuleSubtask<L>| subtask.task.outermost && self.must_return_open();
        let still_needed =
            |subtask: &&RuleSubtask<L>| !must_return(subtask) && !self.clock.stopped();
        let Some(subtask) = guard.subtask().filter(still_needed) else { return };
        let tried = self.try_rule(&subtask.trial, &subtask.task.node);
        guard.enter(|shared, RuleSubtask { task, trial }| {
            shared.rules.enter(&trial, tried, &task.node, &mut shared.bounds);
            if task.outermost {
                self.take_upper_bound(&mut shared.bounds);
                self.report(&shared.bounds, shared.rules.lower().max(shared.bounds.lower));
            }
        });
    }
}

impl<L: ChunkLane> Worker for BinarySearch<'_, L> {
    type Job = ParallelBinaryNode<L>;

    fn work(&mut self, queue: &TaskQueue<ParallelBinaryNode<L>>) {
        // A worker searches inside a call of the job's owner.
        self.open_calls = 1;
        queue.work_for_others(|number, subtask| self.carry_out(queue, number, subtask));
    }

    fn into_stats(self) -> Stats {
        self.stats
    }
}
