//! Parts with at most two levels left: solved by counting, not by search.
//!
//! Three solvers of one meaning. `stump` looks at every single rule; `counts`
//! meets all pairs of rules as columns of bits; `sweeps` evaluates root
//! thresholds one by one with the stump kernel and discards the rest.

mod by_pairs;
mod by_tally;
pub mod counts;
#[cfg(test)]
mod differential;
pub mod evaluator;
mod few_values;
mod found;
mod items;
pub mod stump;
pub mod sweeps;

use crate::answer::{Answer, Bracket};
use crate::best::Search;
use crate::inherited::Inherited;
use crate::part::{Part, Rule};
use exactree_model::{Cost, Limits, Weight};
use std::sync::Arc;

/// The best root of a depth-two tree, before the tree is built.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    pub cost: Cost,
    pub rule: Rule,
    pub share: (u32, u32),
}

impl Search<'_> {
    /// The best tree of depth at most two.
    pub(crate) fn small(
        &mut self,
        part: &Part,
        limits: Limits,
        mut bracket: Bracket,
        inherited: Option<&Arc<Inherited>>,
    ) -> Answer {
        if limits.depth == 1 {
            return self.stump(part, limits, bracket);
        }
        self.stats.depth_two_calls += 1;
        if self.layout.bit_columns {
            self.count_pairs(part, limits, &mut bracket)
        } else {
            self.sweep_roots(part, limits, &mut bracket, inherited)
        }
    }

    /// Cost of a side of the root that weighs `weight`, of which its leaf and
    /// its best stump get so much right.
    fn side_cost(&self, weight: Weight, leaf: Weight, stump: Weight, size: u32) -> Cost {
        let leaf = self.objective.leaf(weight - leaf);
        if size == 0 { leaf } else { leaf.min(self.stump_cost(weight - stump)) }
    }

    /// Builds the tree of a root found by one of the solvers and makes it the
    /// incumbent.
    fn take_root(&self, part: &Part, limits: Limits, root: &Root, bracket: &mut Bracket) {
        let (left, right) = part.divide(self.layout, &root.rule);
        let left = self.leaf_or_stump(&left, root.share.0, limits.min_rows);
        let right = self.leaf_or_stump(&right, root.share.1, limits.min_rows);
        let cost = self.objective.join(left.0, right.0);
        bracket.improve_with_node(cost, &root.rule, left.1, right.1);
    }
}
