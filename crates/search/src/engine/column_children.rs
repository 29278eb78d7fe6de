//! Evaluation of one column: solves both children, for each way to divide the size, as far as they
//! matter.

use crate::engine::children::{ChildPair, join};
use crate::engine::columns::{ColumnResult, ColumnTrial, OpenColumns, in_order};
use crate::engine::solution::{Bounds, Solution};
use crate::engine::space::{Search, Space, SubsetOf};
use exactree_model::{Limits, Tree, UNBOUNDED, Weight};

/// A space whose rules are columns of bits.
pub(crate) trait ColumnSpace: Space<Open = OpenColumns> {
    /// The two children of a column, given by its number: of the items that it holds, and of the
    /// others.
    fn children(&self, subset: &SubsetOf<Self>, column: u32) -> [SubsetOf<Self>; 2];

    /// By number of a column, the weight that it and this column both hold; for the similarity bound.
    fn held_by_both(&self, subset: &SubsetOf<Self>, column: u32) -> Vec<Weight>;
}

impl<S: ColumnSpace> Search<'_, S> {
    /// Evaluates a column.
    pub(crate) fn try_column(
        &mut self,
        trial: &ColumnTrial,
        subset: &SubsetOf<S>,
        limits: Limits,
    ) -> ColumnResult {
        let column = trial.column.number;
        let shares = limits.shares();
        // The bounds on children hold for this size, and so for every size.
        let maximum = shares.iter().map(|share| share.0.max(share.1)).max().unwrap_or(0);
        let children = self.space.children(subset, column);
        let mut pair = ChildPair { children, limits: [limits; 2], inherited: [None; 2] };
        let mut best = Bounds::with_upper(trial.upper);
        let mut result = ColumnResult {
            lower: UNBOUNDED,
            children: trial.column.children,
            tree: None,
            both: Vec::new(),
        };
        for share in shares {
            let sizes = [share.0, share.1];
            pair.limits = sizes.map(|size| limits.child(size));
            let start = [0, 1].map(|at| {
                let floor = self.floor(&pair.children[at], pair.limits[at]);
                Solution::with_lower(floor.max(result.children[at]))
            });
            let upper = best.upper.saturating_add(trial.margin).min(UNBOUNDED);
            let solutions = self.solve_children(&pair, start, upper);
            for at in [0, 1] {
                if sizes[at] == maximum {
                    result.children[at] = solutions[at].lower.max(result.children[at]);
                }
            }
            result.lower = result.lower.min(join(solutions[0].lower, solutions[1].lower));
            let trees =
                in_order(solutions.map(|solution| solution.tree), trial.column.rule.inverted);
            if let [Some(left), Some(right)] = trees {
                let rule = trial.column.rule;
                let cost = join(left.0, right.0);
                best.improve_with(cost, || Tree::node(rule.feature, rule.rank, left.1, right.1));
            }
        }
        result.tree = best.incumbent;
        // A column whose trees may be as cheap as the incumbent bounds no other one that far.
        if trial.similar && result.lower > best.upper {
            result.both = self.space.held_by_both(subset, column);
        }
        result
    }
}
