//! A node whose rules several threads evaluate.
//!
//! Its subtasks are rules; every thread takes the most promising open rule. The result of a trial is
//! bounds on both children of its rule and possibly a tree. They are valid whenever the trial began,
//! and `OpenRules::enter` needs no more. Until the trial returns its rule counts as open
//! (`OpenRules::lower`).

use super::node::BinaryNode;
use super::open_rules::{OpenRules, RuleTrial};
use super::solution::BinaryBounds;
use crate::kernels::chunks::ChunkLane;
use crate::support::statistics::PruneCounts;
use crate::support::task_queue::Job;
use std::sync::Arc;

/// A node whose rules several threads evaluate.
pub(crate) struct ParallelBinaryNode<L> {
    task: Arc<BinaryNodeTask<L>>,
    pub rules: OpenRules,
    pub bounds: BinaryBounds,
    stopped: bool,
    pub pruned: PruneCounts,
}

/// The data of a node that all threads need.
pub(crate) struct BinaryNodeTask<L> {
    pub node: BinaryNode<'static, L>,
    pub expanded: usize,
    /// Whether it is the whole table.
    pub outermost: bool,
}

/// A rule to evaluate.
pub(crate) struct RuleSubtask<L> {
    pub task: Arc<BinaryNodeTask<L>>,
    pub trial: RuleTrial,
}

impl<L> ParallelBinaryNode<L> {
    pub(super) fn new(task: BinaryNodeTask<L>, rules: OpenRules, bounds: BinaryBounds) -> Self {
        let (stopped, pruned) = (false, PruneCounts::default());
        ParallelBinaryNode { task: Arc::new(task), rules, bounds, stopped, pruned }
    }
}

impl<L: ChunkLane> Job for ParallelBinaryNode<L> {
    type Subtask = RuleSubtask<L>;

    fn take(&mut self) -> Option<RuleSubtask<L>> {
        if self.stopped {
            return None;
        }
        let trial = self.rules.next(self.bounds.upper, &mut self.pruned)?;
        Some(RuleSubtask { task: self.task.clone(), trial })
    }

    /// A rule that is not evaluated keeps its bound.
    fn put_back(&mut self, _subtask: RuleSubtask<L>) {
        self.stopped = true;
    }

    fn levels(&self) -> u32 {
        self.task.node.limits.depth
    }
}
