//! Parallel search of the columns of one subset with too many levels for counts.
//!
//! Like `parallel.rs`, with columns in place of thresholds. The result of a subtask, a column, is
//! the best tree with this root, or a lower bound on such trees; both are valid whenever the
//! subtask was taken. Until the subtask of a column returns, only the lower bound of the subset
//! holds for it.

use super::cost_space::RegressionSearch;
use super::open_columns::{ColumnSubtask, ColumnsNodeTask, OpenColumns, ParallelColumnsNode};
use super::subset::RegressionSubset;
use crate::engine::solution::Bounds;
use crate::engine::threads::{SubtaskGuard, Worker};
use crate::support::statistics::Stats;
use crate::support::task_queue::TaskQueue;
use exactree_model::Limits;
use std::sync::Arc;

impl RegressionSearch<'_, '_> {
    /// Evaluates the open columns of a subset, with all threads.
    pub(crate) fn columns_in_parallel(
        &mut self,
        queue: &TaskQueue<ParallelColumnsNode>,
        (subset, limits): (&RegressionSubset, Limits),
        open: OpenColumns,
        bounds: Bounds,
    ) -> (OpenColumns, Bounds) {
        let task =
            ColumnsNodeTask { subset: subset.clone(), limits, outermost: self.open_calls == 1 };
        let node = ParallelColumnsNode { task: Arc::new(task), open, bounds };
        let node =
            queue.work_on(node, |number, subtask| self.carry_out_column(queue, number, subtask));
        (node.open, node.bounds)
    }

    fn carry_out_column(
        &mut self,
        queue: &TaskQueue<ParallelColumnsNode>,
        number: u64,
        subtask: ColumnSubtask,
    ) {
        let guard = SubtaskGuard::new(queue, number, subtask);
        let Some(subtask) = guard.subtask().filter(|_| !self.clock.stopped()) else { return };
        let (lower, tree) = self.try_column(
            &subtask.task.subset,
            subtask.task.limits,
            subtask.column,
            subtask.upper,
        );
        guard.enter(|node, subtask| {
            node.open.lower_of_tried = node.open.lower_of_tried.min(lower);
            if let Some((cost, tree)) = tree {
                node.bounds.improve(cost, tree);
            }
            if subtask.task.outermost {
                self.report(&node.bounds, node.bounds.lower.min(node.open.lower_of_tried));
            }
        });
    }
}

/// A worker thread that tries columns.
pub(crate) struct ColumnsWorker<'a>(pub RegressionSearch<'a, 'a>);

impl Worker for ColumnsWorker<'_> {
    type Job = ParallelColumnsNode;

    fn work(&mut self, queue: &TaskQueue<ParallelColumnsNode>) {
        // A worker searches inside a call of the job's owner.
        self.0.open_calls = 1;
        queue.work_for_others(|number, subtask| self.0.carry_out_column(queue, number, subtask));
    }

    fn into_stats(self) -> Stats {
        self.0.stats
    }
}
