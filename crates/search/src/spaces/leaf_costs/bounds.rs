//! Lower bounds of this space alone; those of all spaces are in `engine/bounds.rs`.
//!
//! *One target.* If all targets are equal, a leaf is optimal, where the cost says so
//! (`CostLaws::one_target`).
//!
//! *Clustering bound.* In regression, the leaves of a tree partition the items into groups. No k
//! groups cost less than the best k, which are runs of the items in the order of their (mean)
//! targets; see `costs/clusters.rs` (Zhang et al., AAAI 2023).

use super::cost_space::{CostRules, CostSearch};
use crate::costs::items::CostSubset;
use crate::engine::open_splits::ChildUpper;
use crate::engine::solution::Bounds;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits};

/// Number of leaves beyond which the clustering bound is not computed, since it is weak there.
const MAX_GROUPS: u32 = 16;

impl<R: CostRules> CostSearch<'_, '_, R> {
    /// Whether a leaf is optimal because all targets are equal.
    pub(crate) fn is_one_target(&mut self, subset: &CostSubset, bounds: &mut Bounds) -> bool {
        let pruned = subset.pure && self.space.options.one_target;
        if pruned {
            self.stats.pruned.one_target += 1;
            bounds.lower = bounds.lower.max(self.leaf_cost(subset));
        }
        pruned
    }

    /// Whether the clustering bound proves that no tree with an inner root costs less than the upper
    /// bound.
    pub(crate) fn clusters_prune(
        &mut self,
        subset: &CostSubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        // If the incumbent is a leaf, the clustering bound hardly ever reaches its cost. For a small
        // share of a cost it takes longer than the search.
        let benefit = &mut self.workspace.clustering_benefit;
        let skip = bounds.incumbent.is_some()
            || self.child_upper == ChildUpper::Each
            || !benefit.is_worth_trying(limits.depth);
        if (self.space.prepared.columns.is_some() && skip) || self.clock.stopped() {
            return false;
        }
        bounds.lower = bounds.lower.max(self.clustering_bound(subset, limits));
        let pruned = bounds.lower >= bounds.upper;
        self.stats.pruned.clustering_bound += pruned as u64;
        self.workspace.clustering_benefit.record(limits.depth, pruned);
        pruned
    }

    /// The clustering bound on trees with an inner root.
    fn clustering_bound(&self, subset: &CostSubset, limits: Limits) -> Cost {
        let leaves = limits.size.saturating_add(1).min(subset.count as u32);
        if !self.space.options.clustering_bound || leaves > MAX_GROUPS {
            return 0;
        }
        let fewer = offset(Mutant::CostClusters) as u32;
        let (prepared, price) = (self.space.prepared, self.space.price);
        let items = subset.weighted().iter().map(|slot| &prepared.items[slot as usize]);
        let stopped = || self.clock.stopped();
        prepared.units.cost.clustering_bound(&stopped, items, leaves - fewer, price)
    }
}
