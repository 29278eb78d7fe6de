//! A node whose thresholds several threads evaluate.
//!
//! Its subtasks are thresholds. Every thread takes the most promising open interval, evaluates its
//! middle with a search of its own, and enters the result.
//!
//! *Why the answer is that of one thread.* The evaluation of a threshold yields bounds on its two
//! children. They are valid whenever they were found, and `OpenIntervals::halve` needs no more. If
//! the incumbent improved meanwhile, the threshold was only solved further than needed. While a
//! thread has a subtask, the lower bound of its interval still counts (`lower`), so the reported
//! lower bound is valid at any time; and a node is solved only when all subtasks have returned.

use crate::engine::intervals::{OpenIntervals, ThresholdResult, ThresholdTrial};
use crate::engine::solution::Bounds;
use crate::support::statistics::PruneCounts;
use crate::support::task_queue::Job;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

/// A node whose thresholds several threads evaluate.
pub(crate) struct ParallelNode<P> {
    task: Arc<NodeTask<P>>,
    pub open: OpenIntervals,
    pub bounds: Bounds,
    /// Lower bounds of the intervals that threads have taken and not yet returned.
    taken: Vec<Cost>,
    stopped: bool,
    pub pruned: PruneCounts,
}

/// The data of a node that all threads need.
pub(crate) struct NodeTask<P> {
    pub subset: P,
    pub limits: Limits,
    pub kind: TrialKind,
    /// Whether children are solved beyond their upper bounds.
    pub margin: bool,
    /// Whether it is the root of the search.
    pub outermost: bool,
}

/// The way in which the thresholds of a subset are evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrialKind {
    /// Both children are searched.
    Children,
    /// Both children get their best stump.
    Stumps,
}

/// A threshold to evaluate.
pub(crate) struct ThresholdSubtask<P> {
    pub task: Arc<NodeTask<P>>,
    pub trial: ThresholdTrial,
}

impl<P> Job for ParallelNode<P> {
    type Subtask = ThresholdSubtask<P>;

    fn take(&mut self) -> Option<ThresholdSubtask<P>> {
        if self.stopped {
            return None;
        }
        let upper = self.bounds.upper;
        let interval = self.open.most_promising(upper, &mut self.pruned)?;
        self.taken.push(interval.lower);
        let trial = self.open.trial(interval, upper, self.task.margin);
        Some(ThresholdSubtask { task: self.task.clone(), trial })
    }

    fn put_back(&mut self, subtask: ThresholdSubtask<P>) {
        self.remove_taken(subtask.trial.interval.lower);
        self.open.put_back(subtask.trial.interval);
        self.stopped = true;
    }

    fn levels(&self) -> u32 {
        self.task.limits.depth
    }
}

impl<P> ParallelNode<P> {
    pub(crate) fn new(task: NodeTask<P>, open: OpenIntervals, bounds: Bounds) -> ParallelNode<P> {
        let (taken, stopped, pruned) = (Vec::new(), false, PruneCounts::default());
        ParallelNode { task: Arc::new(task), open, bounds, taken, stopped, pruned }
    }

    /// Enters the result of a subtask.
    pub(crate) fn enter(&mut self, subtask: ThresholdSubtask<P>, tried: ThresholdResult) {
        self.remove_taken(subtask.trial.interval.lower);
        self.open.enter(subtask.trial, tried, &mut self.bounds);
    }

    /// Removes the bound of an interval that a thread returns.
    fn remove_taken(&mut self, lower: Cost) {
        let at = self.taken.iter().position(|&taken| taken == lower);
        self.taken.swap_remove(at.expect("taken before"));
    }

    /// No tree with an inner root costs less.
    pub(crate) fn lower(&self) -> Cost {
        self.taken.iter().fold(self.open.lower(), |minimum, &taken| minimum.min(taken))
    }
}
