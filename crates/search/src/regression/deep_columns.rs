//! Subproblems with too many levels for counts, for rules as columns of bits: rules are evaluated
//! in the order of the cost of the best shallow tree with that root.

use super::cost_space::RegressionSearch;
use super::open_columns::OpenColumns;
use super::subset::RegressionSubset;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED};

impl RegressionSearch<'_, '_> {
    /// Evaluates columns until all are pruned, with the help of idle threads.
    pub(crate) fn branch_columns(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        mut bounds: Bounds,
    ) -> Solution {
        self.open_calls += 1;
        let columns = self.order_by_shallow_trees(subset, limits, &mut bounds).into_iter();
        let mut open = OpenColumns { columns, lower_of_tried: UNBOUNDED, stopped: false };
        loop {
            if self.must_stop(&bounds, bounds.lower.min(open.lower_of_tried)) {
                open.stopped = true;
                break;
            }
            if let Some(queue) =
                self.workspace.columns_queue.filter(|queue| queue.has_idle_thread())
            {
                (open, bounds) = self.columns_in_parallel(queue, (subset, limits), open, bounds);
                break;
            }
            let Some(column) = open.columns.next() else { break };
            let (lower, tree) = self.try_column(subset, limits, column, bounds.upper);
            open.lower_of_tried = open.lower_of_tried.min(lower);
            if let Some((cost, tree)) = tree {
                bounds.improve(cost, tree);
            }
        }
        self.open_calls -= 1;
        let untried = if open.stopped { bounds.lower } else { UNBOUNDED };
        bounds.lower = open.lower_of_tried.min(untried).max(bounds.lower);
        self.bound_only(subset, bounds)
    }

    /// Solves both children of a column as long as their sum can stay below `upper`. Returns a
    /// lower bound on trees with this root, and the best of them if it costs less than `upper`.
    pub(crate) fn try_column(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        column: usize,
        upper: Cost,
    ) -> (Cost, Option<CostedTree>) {
        let children = subset.children_of(self.space.prepared, column);
        let mut best = Bounds::with_upper(upper);
        let mut lower = UNBOUNDED;
        for share in limits.shares() {
            let within = [limits.child(share.0), limits.child(share.1)];
            let mut solutions =
                [0, 1].map(|at| Solution::with_lower(self.floor(&children[at], within[at])));
            let first = usize::from(children[0].count < children[1].count);
            for at in [first, 1 - first] {
                let other = solutions[1 - at].lower;
                if solutions[at].lower + other >= best.upper {
                    break;
                }
                let found = self.solve(&children[at], within[at], best.upper - other, None);
                solutions[at] = found.raised_to(solutions[at].lower);
            }
            let [left, right] = solutions;
            lower = lower.min(left.lower.saturating_add(right.lower));
            if let Some(((left_cost, left), (right_cost, right))) = left.tree.zip(right.tree) {
                let (feature, rank) = self.rule_of_column(column);
                best.improve(left_cost + right_cost, Tree::node(feature, rank, left, right));
            }
        }
        (lower, best.incumbent)
    }

    fn rule_of_column(&self, column: usize) -> (u32, u32) {
        self.space.prepared.columns.as_ref().map_or((0, 0), |columns| columns.rules[column])
    }
}
