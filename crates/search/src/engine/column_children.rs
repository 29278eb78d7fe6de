//! Evaluation of one column: for each division of the limits, solves the children until it is
//! solved or pruned.

use crate::engine::children::{ChildPair, join};
use crate::engine::columns::{ColumnResult, ColumnTrial, OpenColumn, OpenColumns, in_order};
use crate::engine::open_splits::ChildUpper;
use crate::engine::solution::{Bounds, Solution};
use crate::engine::space::{Search, Space, SubsetOf};
use exactree_model::{Limits, Tree, UNBOUNDED, Weight};

/// A space whose rules are columns of bits.
pub(crate) trait ColumnSpace: Space<Open = OpenColumns> {
    /// The two children of the column with this number: the items that it holds, and the others.
    fn children(&self, subset: &SubsetOf<Self>, column: u32) -> [SubsetOf<Self>; 2];

    /// The children, once for each way to divide the further limits of the space between them.
    fn divisions(&self, children: [SubsetOf<Self>; 2]) -> Vec<[SubsetOf<Self>; 2]> {
        vec![children]
    }

    /// The weight that this column and every column both hold, by number of the other; only used if
    /// the columns of the node have a similarity.
    fn held_by_both(&self, _subset: &SubsetOf<Self>, _column: u32) -> Vec<Weight> {
        Vec::new()
    }
}

impl<S: ColumnSpace> Search<'_, S> {
    /// Evaluates a column.
    pub(crate) fn try_column(
        &mut self,
        trial: &ColumnTrial,
        subset: &SubsetOf<S>,
        limits: Limits,
    ) -> ColumnResult {
        let OpenColumn { number, rule, children, .. } = trial.column;
        self.stats.roots += 1;
        let shares = limits.shares();
        let divisions = self.space.divisions(self.space.children(subset, number));
        // Bounds on children are kept only for this size, because then they hold for every size,
        // and only if nothing else is divided.
        let maximum = shares.iter().map(|share| share.0.max(share.1)).max().unwrap_or(0);
        let single = divisions.len() == 1;
        let is_kept = |size: u32| single && size == maximum;
        let mut result = ColumnResult { lower: UNBOUNDED, children, tree: None, both: Vec::new() };
        let mut best = Bounds::with_upper(trial.upper);
        for children in divisions {
            let mut pair = ChildPair { children, limits: [limits; 2], inherited: [None; 2] };
            for &(held, rest) in &shares {
                pair.limits = [limits.child(held), limits.child(rest)];
                let start = [0, 1].map(|at| {
                    let floor = self.floor(&pair.children[at], pair.limits[at]);
                    Solution::with_lower(floor.max(result.children[at]))
                });
                let upper = best.upper.saturating_add(trial.margin).min(UNBOUNDED);
                let solutions = self.solve_children(&pair, start, upper, ChildUpper::Needed);
                for at in [0, 1].into_iter().filter(|&at| is_kept([held, rest][at])) {
                    result.children[at] = solutions[at].lower.max(result.children[at]);
                }
                result.lower = result.lower.min(join(solutions[0].lower, solutions[1].lower));
                let trees = solutions.map(|solution| solution.tree);
                if let [Some(left), Some(right)] = in_order(trees, rule.inverted) {
                    let node = || Tree::node(rule.feature, rule.rank, left.1, right.1);
                    best.improve_with(join(left.0, right.0), node);
                }
            }
        }
        result.tree = best.incumbent;
        // Only a lower bound above the cost of the incumbent prunes columns that differ from this
        // one.
        if trial.similar && result.lower > best.upper {
            result.both = self.space.held_by_both(subset, number);
        }
        result
    }
}
