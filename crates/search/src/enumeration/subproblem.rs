//! Subproblems of the graph, the budgets of their children, and the costs of their trees.

use exactree_model::{Cost, Limits};

/// The number that stands for any size.
pub(super) const ANY_SIZE: u32 = u32::MAX;

/// A subset with the properties of its trees, except for their cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct EnumerationSubproblem {
    pub subset: u32,
    /// The number of the shape, or `ANY_SHAPE`; a shape determines depth and size.
    pub shape: u32,
    /// Maximum depth; `u32::MAX` for no limit.
    pub depth: u32,
    /// Exact size, or `ANY_SIZE`.
    pub size: u32,
}

/// Limits and shapes of the two children, whose sizes are exact. `cost` is their total cost, or its
/// maximum if trees up to a cost are listed.
pub(super) struct ChildBudgets {
    pub left: Limits,
    pub right: Limits,
    pub shapes: (u32, u32),
    pub cost: Cost,
}

/// The costs of a subproblem's trees.
#[derive(Default)]
pub(super) struct Spectrum {
    /// In increasing order.
    pub costs: Vec<Cost>,
    /// All costs below this cost are listed.
    pub below: Cost,
}
