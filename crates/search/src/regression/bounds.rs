//! Lower bounds that need no search of the subset itself, and pruning by them.
//!
//! *One target.* If all targets are equal, a leaf is optimal; for classes see `class_costs/`.
//!
//! *Equivalent points.* Rows that agree in every feature share a leaf in every tree, which costs at
//! least as much as a leaf of these rows alone.
//!
//! *Clustering bound.* In regression, the leaves of a tree partition the items into groups. No k
//! groups cost less than the best k, which are runs of the items in the order of their (mean)
//! targets; see `clusters.rs` (Zhang et al., AAAI 2023).
//!
//! *Leaf price.* A tree with an inner root pays for two leaves.
//!
//! *Relaxation.* Every tree that keeps a minimum leaf size is also a tree of the relaxed subproblem
//! without it. So the relaxed minimum cost is a lower bound, and a relaxed optimal tree that keeps
//! the minimum leaf size is optimal.

use super::clusters::min_cost_of_groups;
use super::search::RegressionSearch;
use super::subset::RegressionSubset;
use super::units::Deviation;
use crate::engine::solution::{Bounds, Solution};
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED};

/// Number of leaves beyond which the clustering bound is not computed, since it is weak there.
const MAX_GROUPS: u32 = 16;

/// Benefit of a bound that costs about as much as counting a subset: by levels left, how often it
/// was computed, and how often it pruned a subset.
#[derive(Default)]
pub(crate) struct BoundBenefit(Vec<BoundCounts>);

#[derive(Clone, Copy, Default)]
struct BoundCounts {
    subsets: u64,
    computed: u64,
    pruned: u64,
}

impl BoundBenefit {
    /// Whether to compute the bound: always at first and while it prunes every fourth subset,
    /// otherwise occasionally.
    fn is_worth_trying(&mut self, depth: u32) -> bool {
        let depth = depth as usize;
        if self.0.len() <= depth {
            self.0.resize(depth + 1, BoundCounts::default());
        }
        let BoundCounts { subsets, computed, pruned } = &mut self.0[depth];
        *subsets += 1;
        *computed < 4 || *pruned >= *computed / 4 || *subsets % 16 == 0
    }

    fn record(&mut self, depth: u32, pruned: bool) {
        if let Some(counts) = self.0.get_mut(depth as usize) {
            counts.computed += 1;
            counts.pruned += u64::from(pruned);
        }
    }
}

impl RegressionSearch<'_> {
    /// Whether these bounds prove that no tree with an inner root costs less than the upper bound.
    /// Raises the lower bound in `bounds`.
    pub fn pruned(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        if limits.leaf_only() || subset.rows < 2 * limits.min_samples_leaf {
            bounds.lower = bounds.lower.max(self.leaf(subset));
            return true;
        }
        if subset.pure && self.options.one_target {
            self.stats.pruned.one_target += 1;
            bounds.lower = bounds.lower.max(self.leaf(subset));
            return true;
        }
        let two_leaves = 2 * self.price + offset(Mutant::RegressionLeafPrice) * self.price;
        let equivalent_points = self.equivalent_points(subset) + two_leaves;
        bounds.lower = bounds.lower.max(equivalent_points);
        if bounds.lower >= bounds.upper {
            match two_leaves >= bounds.upper {
                true => self.stats.pruned.leaf_price += 1,
                false => self.stats.pruned.equivalent_points += 1,
            }
            return true;
        }
        // If the incumbent is a leaf, the clustering bound hardly ever reaches its cost.
        let skip_clustering =
            bounds.incumbent.is_some() || !self.clustering_benefit.is_worth_trying(limits.depth);
        if (self.prepared.columns.is_some() && skip_clustering) || self.clock.stopped() {
            return false;
        }
        bounds.lower = bounds.lower.max(self.clusters(subset, limits));
        let pruned = bounds.lower >= bounds.upper;
        self.stats.pruned.clustering_bound += pruned as u64;
        self.clustering_benefit.record(limits.depth, pruned);
        pruned
    }

    /// A lower bound on the cost of all trees for a subset, including the single leaf.
    pub fn floor(&self, subset: &RegressionSubset, limits: Limits) -> Cost {
        let leaf = self.leaf(subset);
        if limits.leaf_only() {
            return leaf;
        }
        leaf.min(self.equivalent_points(subset) + 2 * self.price)
    }

    fn equivalent_points(&self, subset: &RegressionSubset) -> Cost {
        if self.options.equivalent_points {
            subset.minimum + offset(Mutant::RegressionEqualRows) * subset.leaf / 8
        } else {
            0
        }
    }

    /// The clustering bound on trees with an inner root.
    fn clusters(&self, subset: &RegressionSubset, limits: Limits) -> Cost {
        let leaves = limits.size.saturating_add(1).min(subset.count as u32);
        let numbers = self.prepared.units.deviation != Deviation::Classes;
        if !self.options.clustering_bound || leaves > MAX_GROUPS || !numbers {
            return 0;
        }
        let fewer = offset(Mutant::RegressionClusters) as u32;
        let stopped = || self.clock.stopped();
        min_cost_of_groups(&stopped, self.prepared, subset, leaves - fewer, self.price)
    }

    /// The solution of a subset with a minimum leaf size, if the search without it solves the
    /// subproblem; otherwise its lower bound tightens the bounds.
    pub fn relaxed(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        upper: Cost,
        bounds: &mut Bounds,
    ) -> Result<Solution, Cost> {
        if limits.min_samples_leaf == 1 || !self.options.relaxation {
            return Err(0);
        }
        // The relaxed search is not the outermost call: its trees are not reported as incumbents.
        self.open_calls += 1;
        let relaxed = self.solve(subset, limits.relaxed(), upper, None);
        self.open_calls -= 1;
        let lower = relaxed.lower + offset(Mutant::RegressionRelaxation) * (1 + relaxed.lower / 8);
        bounds.lower = bounds.lower.max(lower);
        let allowed = |tree: &Tree| self.min_leaf_rows(subset, tree) >= limits.min_samples_leaf;
        let exact = relaxed.tree.filter(|(cost, tree)| *cost == lower && allowed(tree));
        if exact.is_none() && lower < bounds.upper {
            return Err(lower.min(UNBOUNDED));
        }
        self.stats.pruned.relaxation += 1;
        Ok(Solution { tree: exact.or(bounds.incumbent.take()), ..Solution::with_lower(lower) })
    }
}
