//! An interval of thresholds, the trial of one of them, and its result.

use crate::engine::inherited_bounds::{InheritedBounds, ThresholdBounds};
use crate::engine::rules::Rule;
use exactree_model::{Cost, Tree, Weight};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bounds at the threshold next to an interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IntervalEdge {
    /// Lower bound on the child of that threshold which holds no item of the interval.
    pub child: Cost,
    /// Lower bound on the cost of both children together; zero if the threshold was not evaluated.
    pub total: Cost,
    /// Weight of the left child, if the threshold was evaluated.
    pub left_weight: Weight,
    /// The evaluator's notes on that threshold.
    pub notes: Option<u32>,
    /// Lower bounds of that child by its root threshold.
    pub by_threshold: Option<Arc<InheritedBounds>>,
}

/// Thresholds of one feature that may still improve the incumbent. The type is small because
/// intervals are moved often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interval {
    /// No tree with a threshold in it as root costs less.
    pub lower: Cost,
    pub feature: u32,
    /// Size limits of the two children.
    pub share: (u32, u32),
    /// First and last threshold, as indices into the feature's rules.
    pub first: u32,
    pub last: u32,
    pub before: IntervalEdge,
    pub after: IntervalEdge,
}

/// A threshold to evaluate, and the interval whose middle it is.
#[derive(Clone, Debug)]
pub(crate) struct ThresholdTrial {
    pub interval: Interval,
    pub middle: u32,
    pub rule: Rule,
    /// The rules whose left child and whose right child are the outer sets of the two children;
    /// `None` if these are the children of `rule` (`two_set_bound.rs`).
    pub outer: Option<[Rule; 2]>,
    /// Trees of this cost do not improve the incumbent.
    pub upper: Cost,
    /// Bounds on the children are not needed beyond this sum.
    pub children_upper: Cost,
}

/// The result of evaluating a threshold.
pub(crate) struct ThresholdResult {
    /// Bounds on the children of the thresholds at or above this threshold in the interval, and at
    /// or below it; `None` if the whole interval was evaluated.
    pub children: Option<(IntervalEdge, IntervalEdge)>,
    /// A lower bound on the cost of this threshold.
    pub lower: Cost,
    /// The best tree with this threshold, if both children were solved.
    pub tree: Option<(Cost, Arc<Tree>)>,
    /// Bounds that other subsets inherit.
    pub threshold_bounds: Vec<ThresholdBounds>,
}

/// Evaluated thresholds by feature and rank.
pub(crate) type EvaluatedThresholds = BTreeMap<(u32, u32), EvaluatedThreshold>;

/// Bounds on the left and on the right child of an evaluated threshold.
pub(crate) struct EvaluatedThreshold {
    pub edges: [IntervalEdge; 2],
    /// First and last rank of the thresholds for which these bounds hold.
    pub within: (u32, u32),
}
