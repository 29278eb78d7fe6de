//! Subproblems with one level left: every split is tried.

use crate::constraints::costs::{ConstrainedCosts, ConstrainedSpace};
use crate::constraints::leaf_totals::LeafTotals;
use crate::constraints::shares::{ranks_between, shares};
use crate::engine::solution::Bounds;
use crate::engine::space::{SubsetOf, TableCosts};
use crate::engine::subset::{OrderEntry, SearchTable};
use exactree_model::{Limits, Tree};

impl<B: ConstrainedCosts> ConstrainedSpace<'_, B> {
    /// Takes the best stump of a subset as incumbent if it costs less than the upper bound.
    pub(crate) fn best_stump(&self, subset: &SubsetOf<B>, limits: Limits, bounds: &mut Bounds) {
        let state = self.state(subset);
        let whole = self.totals(subset.members.iter());
        for column in 0..subset.sorted.features() {
            if !self.may_use(state, column, limits) {
                continue;
            }
            let order = subset.sorted.order(column);
            let costs = self.base.stump_costs(subset, column);
            let mut leaves = StumpLeaves::of(order);
            let mut rows = 0;
            for (at, pair) in order.windows(2).enumerate() {
                rows += self.table().rows(pair[0].slot as usize);
                let fewest = rows.min(subset.rows - rows);
                if pair[0].rank == pair[1].rank
                    || costs[at] >= bounds.upper
                    || fewest < limits.min_samples_leaf
                {
                    continue;
                }
                let children = leaves.totals_at(self, &whole, at + 1);
                let ranks = (pair[0].rank, pair[1].rank);
                if let Some(rank) = self.stump_rank(subset, column, ranks, children) {
                    let [left, right] = children.each_ref().map(|t| Tree::leaf(self.class(t)));
                    bounds.improve(costs[at], Tree::node(column as u32, rank, left, right));
                }
            }
        }
    }

    /// The first rank at which a split of a subset into two leaves satisfies the constraints, if
    /// there is one. `low` is the greatest rank of the left leaf, `high` the smallest of the right
    /// one.
    fn stump_rank(
        &self,
        subset: &SubsetOf<B>,
        column: usize,
        (low, high): (u32, u32),
        children: &[LeafTotals; 2],
    ) -> Option<u32> {
        let in_order = self.in_order(column, children);
        let state = self.state(subset);
        let allowed = |rank: &u32| {
            shares(self.constraints, state, column, *rank).iter().any(|states| {
                (0..2).all(|child| self.allows_leaf(&states[child], &children[child]))
            })
        };
        ranks_between(state, column, low, high).into_iter().find(|rank| in_order && allowed(rank))
    }

    /// Whether the values of two leaves are in the order that the direction of the column of their
    /// split requires.
    pub(super) fn in_order(&self, column: usize, leaves: &[LeafTotals; 2]) -> bool {
        match self.constraints.direction(column) {
            0 => true,
            1 => self.value(&leaves[0]) <= self.value(&leaves[1]),
            _ => self.value(&leaves[0]) >= self.value(&leaves[1]),
        }
    }
}

/// The two leaves of each stump of a feature: items move to the left leaf in the feature's order.
pub(super) struct StumpLeaves<'o> {
    order: &'o [OrderEntry],
    /// Number of items in the left leaf.
    moved: usize,
    /// The totals of both leaves; `None` before they are needed.
    totals: Option<[LeafTotals; 2]>,
}

impl<'o> StumpLeaves<'o> {
    /// All items in the right leaf.
    pub(super) fn of(order: &'o [OrderEntry]) -> Self {
        StumpLeaves { order, moved: 0, totals: None }
    }

    /// The totals of both leaves if the left leaf has the first `items` items; from call to call,
    /// `items` must not decrease.
    pub(super) fn totals_at<B: ConstrainedCosts>(
        &mut self,
        space: &ConstrainedSpace<'_, B>,
        whole: &LeafTotals,
        items: usize,
    ) -> &[LeafTotals; 2] {
        let both =
            self.totals.get_or_insert_with(|| [space.totals(std::iter::empty()), whole.clone()]);
        for entry in &self.order[self.moved..items] {
            space.update(&mut both[0], entry.slot, true);
            space.update(&mut both[1], entry.slot, false);
        }
        self.moved = items;
        both
    }
}
