//! The columns of a subset that several threads evaluate, as a job of the task queue.

use super::subset::RegressionSubset;
use crate::engine::solution::Bounds;
use crate::support::task_queue::Job;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

/// A subset whose columns several threads evaluate.
pub(crate) struct ParallelColumnsNode {
    pub task: Arc<ColumnsNodeTask>,
    pub open: OpenColumns,
    pub bounds: Bounds,
}

/// Columns not yet evaluated, in order.
pub(crate) struct OpenColumns {
    pub columns: std::vec::IntoIter<usize>,
    /// No tree with an evaluated column at its root costs less.
    pub lower_of_tried: Cost,
    /// Whether a trial was stopped.
    pub stopped: bool,
}

/// The data of a subset that all threads need.
pub(crate) struct ColumnsNodeTask {
    pub subset: RegressionSubset,
    pub limits: Limits,
    /// Whether it is the whole table.
    pub outermost: bool,
}

/// A column to evaluate, for trees that cost less than `upper`.
pub(crate) struct ColumnSubtask {
    pub task: Arc<ColumnsNodeTask>,
    pub column: usize,
    pub upper: Cost,
}

impl Job for ParallelColumnsNode {
    type Subtask = ColumnSubtask;

    fn take(&mut self) -> Option<ColumnSubtask> {
        if self.open.stopped {
            return None;
        }
        let column = self.open.columns.next()?;
        Some(ColumnSubtask { task: self.task.clone(), column, upper: self.bounds.upper })
    }

    fn put_back(&mut self, _subtask: ColumnSubtask) {
        self.open.stopped = true;
    }

    fn levels(&self) -> u32 {
        self.task.limits.depth
    }
}
