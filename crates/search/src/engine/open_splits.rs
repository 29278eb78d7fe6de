//! The splits of a node that may still improve the incumbent: intervals of thresholds
//! (`intervals.rs`), or columns of bits (`columns.rs`). The search takes the most promising one,
//! evaluates it, and enters the result.

use crate::engine::inherited_bounds::ThresholdBounds;
use crate::engine::root_range::RootRange;
use crate::engine::solution::Bounds;
use crate::support::statistics::PruneCounts;
use exactree_model::Cost;

/// How far the children of a threshold are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChildUpper {
    /// Until both together cost at least the upper bound.
    Needed,
    /// A little beyond, for a stronger similarity bound.
    WithMargin,
    /// Until each alone costs at least the upper bound: then the left child prunes all thresholds
    /// above, and the right child all below.
    Each,
}

/// The open splits of a node. The result of a trial stays valid, whatever other results were
/// entered since the trial was taken.
pub(crate) trait OpenSplits: Send {
    /// A split to evaluate.
    type Trial: Send;
    /// The result of its evaluation.
    type Result;

    /// Takes the most promising split of a tree that may cost less than `upper`; `None` when all
    /// are pruned. With `margin` its children are solved a little beyond what is needed.
    fn take(&mut self, upper: Cost, margin: bool, pruned: &mut PruneCounts) -> Option<Self::Trial>;

    /// Puts back a split that was not evaluated.
    fn put_back(&mut self, trial: Self::Trial);

    /// Enters the result of a trial.
    fn enter(&mut self, trial: Self::Trial, result: Self::Result, bounds: &mut Bounds);

    /// No tree with an inner root costs less, unless its root was taken and not yet entered.
    fn lower(&self) -> Cost;

    /// The same for the trees whose root was taken for a trial.
    fn lower_of(trial: &Self::Trial) -> Cost;

    /// Whether several threads evaluate the splits faster than one.
    fn pays_in_parallel(&self) -> bool {
        true
    }

    /// Bounds at the evaluated thresholds, which other subsets inherit.
    fn into_threshold_bounds(self) -> Vec<ThresholdBounds>;
}

/// Open splits of the whole table that are restricted to some roots.
pub(crate) trait RootSplits: OpenSplits {
    /// Bounds at evaluated splits; the searches of other roots of the table share them.
    type Evaluated: Default + Send;

    /// Keeps only the splits in one of these disjoint ranges open. They get the bounds that were
    /// `evaluated` next to them, unless there are several ways to divide the size.
    fn keep(&mut self, roots: &[RootRange], evaluated: Option<&Self::Evaluated>);

    /// Closes all open splits; returns those not proved to cost at least `upper`, and adds the
    /// bounds of evaluated splits to `evaluated`. Ranges of one feature may overlap.
    fn close_all(
        &mut self,
        upper: Cost,
        evaluated: Option<&mut Self::Evaluated>,
        pruned: &mut PruneCounts,
    ) -> Vec<RootRange>;
}
