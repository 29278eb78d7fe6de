//! Subproblems with one level left: every split is tried.

use crate::constraints::costs::ConstrainedSpace;
use crate::constraints::shares::{ranks_between, shares};
use crate::engine::rules::Rule;
use crate::engine::solution::Bounds;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use exactree_model::{Errors, Limits, Tree, Weight};

impl ConstrainedSpace<'_> {
    /// Takes the best stump of a subset as incumbent if it costs less than the upper bound.
    pub(crate) fn best_stump(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) {
        let (layout, state) = (self.errors.layout, self.state(subset));
        let mut left: Vec<Weight> = vec![0; layout.n_classes];
        let mut right = left.clone();
        for column in 0..layout.features.len() {
            if !self.may_use(state, column, limits) {
                continue;
            }
            left.fill(0);
            right.copy_from_slice(&subset.class_weights);
            let mut rows = 0;
            for (at, pair) in subset.sorted.order(column).windows(2).enumerate() {
                let slot = pair[0].slot as usize;
                let (class, weight) = (layout.class[slot] as usize, layout.weight[slot]);
                left[class] += weight;
                right[class] -= weight;
                rows += layout.rows[slot];
                if pair[0].rank == pair[1].rank {
                    continue;
                }
                let errors = Errors::leaf_errors(&left) + Errors::leaf_errors(&right);
                let cost = self.errors.objective.leaf(errors) + self.errors.objective.leaf_price;
                let least = rows.min(subset.rows - rows);
                if cost >= bounds.upper || least < limits.min_samples_leaf {
                    continue;
                }
                let rule =
                    Rule { feature: column, rank: pair[0].rank, items: at + 1, rows, weight: 0 };
                if let Some(rank) = self.stump_rank(subset, &rule, pair[1].rank, [&left, &right]) {
                    let [left, right] = [&left, &right].map(|w| Tree::leaf(Errors::leaf_class(w)));
                    bounds.improve(cost, Tree::node(column as u32, rank, left, right));
                }
            }
        }
    }

    /// The rank at which a split of a subset into two leaves satisfies the constraints, if there is one.
    fn stump_rank(
        &self,
        subset: &ContinuousSubset,
        rule: &Rule,
        high: u32,
        children: [&[Weight]; 2],
    ) -> Option<u32> {
        let values = children.map(|weights| self.value(weights));
        let rises = match self.constraints.direction(rule.feature) {
            0 => true,
            1 => values[0] <= values[1],
            _ => values[0] >= values[1],
        };
        let state = self.state(subset);
        let allowed = |rank: &u32| {
            shares(self.constraints, state, rule.feature, *rank)
                .iter()
                .any(|states| (0..2).all(|child| self.allows_leaf(&states[child], children[child])))
        };
        ranks_between(state, rule.feature, rule.rank, high)
            .into_iter()
            .find(|rank| rises && allowed(rank))
    }

    /// The smallest rank of the right child of a rule.
    pub(crate) fn right_rank(&self, subset: &ContinuousSubset, rule: &Rule) -> u32 {
        subset.sorted.order(rule.feature)[rule.items].rank
    }
}
