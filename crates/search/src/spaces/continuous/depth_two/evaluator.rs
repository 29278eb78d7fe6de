//! Best stumps in both children of a root rule, over all features at once.
//!
//! An evaluator holds the data prepared for one subset, until it is prepared for another. Which
//! evaluator is used depends on the number of classes in the subset and on the width of its counts;
//! all evaluators compute the same numbers. Some keep the errors of the best stumps of each root, or
//! lower bounds on them, as *notes*: lower bounds for the stumps of later roots of the same feature.

use crate::engine::two_set_bound::LeafRows;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use exactree_model::Weight;

/// Number of classes above which two passes over all rows are cheaper than one pass per pair of
/// classes.
pub(crate) const MAX_PAIRED_CLASSES: usize = 12;

/// Weight classified correctly in one child of a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CorrectWeight {
    pub leaf: Weight,
    /// By the best stump or the leaf.
    pub stump: Weight,
}

/// A root that sends the first `left` items of a feature's order left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RootSplit {
    pub feature: usize,
    pub left: usize,
    /// With a minimum leaf size, the rows that count.
    pub leaf_rows: Option<LeafRows>,
}

/// Bounds on a root's stumps before it is evaluated, by child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StumpBounds {
    /// Positions of the notes of two evaluated roots of the same feature: the left child of the first
    /// is a subset of this root's left child, and the right child of the second is a subset of this
    /// root's right child.
    pub notes: [Option<u32>; 2],
    /// Stumps that misclassify at least this much cannot improve the incumbent.
    pub useless: [Weight; 2],
}

/// Weight classified correctly in both children of a root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluation {
    /// The weight of a stump may be too large, but only if the stump is useless.
    pub children: [CorrectWeight; 2],
    /// Features of the best stumps, if recorded; an arbitrary feature if the leaf is as good.
    pub features: Option<[usize; 2]>,
    /// Position of the notes of this root, if the evaluator takes notes.
    pub notes: Option<u32>,
}

/// The leaves that stumps on a feature may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StumpOrder {
    Any,
    /// The left leaf predicts the earlier of two classes.
    Increasing,
    /// The right leaf predicts the earlier of two classes.
    Decreasing,
}

/// Best stumps of a subset in both children of its rules.
pub(crate) trait Evaluator {
    /// Evaluates a root of the subset for which it was prepared.
    fn evaluate(
        &mut self,
        subset: &ContinuousSubset,
        root: RootSplit,
        stump_bounds: &StumpBounds,
    ) -> Evaluation;

    /// Number of sweeps pruned.
    fn pruned_sweeps(&self) -> u64;

    /// The share of all sweeps that was done.
    fn swept_share(&self) -> f64;
}
