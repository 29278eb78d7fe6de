//! Search with leaf quotas (limits on the number of leaves of some classes): tries every rule, and
//! every way to divide the quotas among both children.
//!
//! A tree within the quotas is also a tree without them. So the minimum cost without them is a
//! lower bound, and a best tree that satisfies them is optimal. Otherwise nothing is pruned: a
//! subset may cost more than its superset, whose leaves may predict another class.

use super::search::{DichotomySearch, reachable_limits};
use super::subset::DichotomySubset;
use crate::engine::solution::{Bounds, Solution};
use exactree_model::{Cost, Errors, Limits, Tree, UNBOUNDED};
use std::rc::Rc;

/// Classes with their maximum number of leaves.
type LeafQuotas = Vec<(u32, u32)>;

impl DichotomySearch<'_> {
    /// Like `solve`, with quotas.
    pub(super) fn best_with_quotas(
        &mut self,
        subset: &DichotomySubset,
        limits: Limits,
        quotas: &[(u32, u32)],
        upper: Cost,
    ) -> Solution {
        let limits = reachable_limits(subset, limits);
        // No tree has more leaves than examples.
        let binding = |quota: &&(u32, u32)| quota.1 < subset.n_examples;
        let quotas: LeafQuotas = quotas.iter().filter(binding).copied().collect();
        self.open_calls += 1;
        let free = self.solve(subset, limits, upper);
        self.open_calls -= 1;
        let within_quotas =
            |tree: &Tree| quotas.iter().all(|&(class, maximum)| leaves_of(tree, class) <= maximum);
        if free.lower >= upper
            || free
                .tree
                .as_ref()
                .is_some_and(|(cost, tree)| *cost == free.lower && within_quotas(tree))
        {
            self.stats.pruned.relaxation += 1;
            return free;
        }
        let mut bounds = Bounds::with_upper(upper);
        let class = Errors::leaf_class(&subset.class_weights);
        let leaf = self.objective.leaf(subset.leaf_errors());
        if quotas.iter().all(|&(limited, maximum)| limited != class || maximum > 0) {
            bounds.improve(leaf, Tree::leaf(class));
        }
        let roots = match limits.leaf_only() {
            true => UNBOUNDED,
            false => self.roots_with_quotas(subset, limits, &quotas, free.lower, &mut bounds),
        };
        let minimum = roots.min(bounds.incumbent.as_ref().map_or(UNBOUNDED, |found| found.0));
        Solution {
            tree: bounds.incumbent,
            ..Solution::with_lower(minimum.min(upper).max(free.lower))
        }
    }

    fn roots_with_quotas(
        &mut self,
        subset: &DichotomySubset,
        limits: Limits,
        quotas: &[(u32, u32)],
        floor: Cost,
        bounds: &mut Bounds,
    ) -> Cost {
        let dichotomies = self.dichotomies(subset, limits);
        let ids = Rc::new(dichotomies.ids.clone());
        let mut minimum = UNBOUNDED;
        for root in self.promising_roots(&dichotomies, limits) {
            if bounds.upper <= floor || self.clock.stopped() {
                return floor;
            }
            self.stats.roots += 1;
            let (left, right) = subset.split(self.prepared, ids[root], &ids);
            for (at_left, at_right) in limits.shares() {
                for (left_quotas, right_quotas) in divisions(quotas) {
                    let open = self.floor(&right, limits.child(at_right));
                    let maximum = bounds.upper.saturating_sub(open);
                    let solution =
                        self.best_with_quotas(&left, limits.child(at_left), &left_quotas, maximum);
                    let maximum = bounds.upper.saturating_sub(solution.lower);
                    let (left_lower, Some((left_cost, left_tree))) =
                        (solution.lower, solution.tree)
                    else {
                        minimum = minimum.min(solution.lower + open);
                        continue;
                    };
                    let right_solution = self.best_with_quotas(
                        &right,
                        limits.child(at_right),
                        &right_quotas,
                        maximum,
                    );
                    minimum = minimum.min(left_lower + right_solution.lower);
                    if let Some((right_cost, right_tree)) = right_solution.tree
                        && left_cost + right_cost < bounds.upper
                    {
                        bounds.improve(
                            left_cost + right_cost,
                            Tree::node(ids[root], 0, left_tree, right_tree),
                        );
                    }
                }
            }
        }
        minimum
    }
}

fn leaves_of(tree: &Tree, class: u32) -> u32 {
    match tree {
        Tree::Leaf { class: predicted } => u32::from(*predicted == class),
        Tree::Node { left, right, .. } => leaves_of(left, class) + leaves_of(right, class),
    }
}

/// All ways to divide quotas among two children.
fn divisions(quotas: &[(u32, u32)]) -> Vec<(LeafQuotas, LeafQuotas)> {
    let mut ways = vec![(Vec::new(), Vec::new())];
    for &(class, maximum) in quotas {
        ways = ways
            .iter()
            .flat_map(|(left, right): &(LeafQuotas, LeafQuotas)| {
                (0..=maximum).map(move |at_left| {
                    let mut way = (left.clone(), right.clone());
                    way.0.push((class, at_left));
                    way.1.push((class, maximum - at_left));
                    way
                })
            })
            .collect();
    }
    ways
}
