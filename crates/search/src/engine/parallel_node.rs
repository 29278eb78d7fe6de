//! A node whose splits several threads evaluate.
//!
//! Its subtasks are splits: thresholds or columns. Every thread takes the most promising open
//! split, evaluates it with a search of its own, and enters the result.
//!
//! *Why the answer is that of one thread.* The evaluation of a split yields bounds on its two
//! children. They are valid whenever they were found, and `OpenSplits::enter` needs no more. If
//! the incumbent improved meanwhile, the split was only solved further than needed. While a
//! thread has a subtask, the lower bound of its split still counts (`lower`), so the reported
//! lower bound is valid at any time; and a node is solved only when all subtasks have returned.

use crate::engine::open_splits::{ChildUpper, OpenSplits};
use crate::engine::solution::Bounds;
use crate::support::statistics::PruneCounts;
use crate::support::task_queue::Job;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

/// A node whose splits several threads evaluate.
pub(crate) struct ParallelNode<P, O> {
    task: Arc<NodeTask<P>>,
    pub open: O,
    pub bounds: Bounds,
    /// Lower bounds of the splits that threads have taken and not yet returned.
    taken: Vec<Cost>,
    stopped: bool,
    pub pruned: PruneCounts,
}

/// The data of a node that all threads need.
pub(crate) struct NodeTask<P> {
    pub subset: P,
    pub limits: Limits,
    pub kind: TrialKind,
    pub child_upper: ChildUpper,
    /// Whether it is the root of the search.
    pub outermost: bool,
}

/// The way in which the splits of a subset are evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrialKind {
    /// Both children are searched.
    Children,
    /// Both children get their best stump.
    Stumps,
}

/// A split to evaluate.
pub(crate) struct SplitSubtask<P, T> {
    pub task: Arc<NodeTask<P>>,
    pub trial: T,
}

impl<P, O: OpenSplits> Job for ParallelNode<P, O> {
    type Subtask = SplitSubtask<P, O::Trial>;

    fn take(&mut self) -> Option<Self::Subtask> {
        if self.stopped {
            return None;
        }
        let NodeTask { kind, child_upper, .. } = *self.task;
        let margin = kind == TrialKind::Children && child_upper == ChildUpper::WithMargin;
        let trial = self.open.take(self.bounds.upper, margin, &mut self.pruned)?;
        self.taken.push(O::lower_of(&trial));
        Some(SplitSubtask { task: self.task.clone(), trial })
    }

    fn put_back(&mut self, subtask: Self::Subtask) {
        self.remove_taken(O::lower_of(&subtask.trial));
        self.open.put_back(subtask.trial);
        self.stopped = true;
    }

    fn levels(&self) -> u32 {
        self.task.limits.depth
    }
}

impl<P, O: OpenSplits> ParallelNode<P, O> {
    pub(crate) fn new(task: NodeTask<P>, open: O, bounds: Bounds) -> Self {
        let (taken, stopped, pruned) = (Vec::new(), false, PruneCounts::default());
        ParallelNode { task: Arc::new(task), open, bounds, taken, stopped, pruned }
    }

    /// Enters the result of a subtask.
    pub(crate) fn enter(&mut self, subtask: SplitSubtask<P, O::Trial>, tried: O::Result) {
        self.remove_taken(O::lower_of(&subtask.trial));
        self.open.enter(subtask.trial, tried, &mut self.bounds);
    }

    /// Removes the bound of a split that a thread returns.
    fn remove_taken(&mut self, lower: Cost) {
        let at = self.taken.iter().position(|&taken| taken == lower);
        self.taken.swap_remove(at.expect("taken before"));
    }

    /// No tree with an inner root costs less.
    pub(crate) fn lower(&self) -> Cost {
        self.taken.iter().fold(self.open.lower(), |minimum, &taken| minimum.min(taken))
    }
}
