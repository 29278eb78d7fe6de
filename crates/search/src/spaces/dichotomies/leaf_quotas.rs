//! Limits on the leaves of some classes: tries every rule, and every way to divide the leaves among
//! both children.
//!
//! A tree within the quotas is also a tree without them. So the least cost without them is a lower
//! bound, and a best tree that satisfies them is optimal. Otherwise nothing is pruned: a subset may
//! cost more than a superset, whose leaves may predict another class.

use super::search::{DichotomySearch, usable};
use super::subset::DichotomySubset;
use crate::engine::solution::{Bounds, Solution};
use exactree_model::{Cost, Errors, Limits, Tree, UNBOUNDED};
use std::rc::Rc;

/// Classes with their limit on leaves.
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
        let limits = usable(subset, limits);
        // No tree has more leaves than examples.
        let binding = |quota: &&(u32, u32)| quota.1 < subset.n_examples;
        let quotas: LeafQuotas = quotas.iter().filter(binding).copied().collect();
        self.open_calls += 1;
        let free = self.solve(subset, limits, upper);
        self.open_calls -= 1;
        let kept = |tree: &Tree| quotas.iter().all(|&(class, most)| leaves_of(tree, class) <= most);
        if free.lower >= upper
            || free.tree.as_ref().is_some_and(|(cost, tree)| *cost == free.lower && kept(tree))
        {
            self.stats.pruned.relaxation += 1;
            return free;
        }
        let mut bounds = Bounds::above(upper);
        let class = Errors::leaf_class(&subset.class_weights);
        let leaf = self.objective.leaf(subset.leaf_errors());
        if quotas.iter().all(|&(limited, most)| limited != class || most > 0) {
            bounds.improve(leaf, Tree::leaf(class));
        }
        let roots = match limits.leaf_only() {
            true => UNBOUNDED,
            false => self.roots_with_quotas(subset, limits, &quotas, free.lower, &mut bounds),
        };
        let least = roots.min(bounds.found.as_ref().map_or(UNBOUNDED, |found| found.0));
        Solution { tree: bounds.found, ..Solution::at_least(least.min(upper).max(free.lower)) }
    }

    fn roots_with_quotas(
        &mut self,
        subset: &DichotomySubset,
        limits: Limits,
        quotas: &[(u32, u32)],
        floor: Cost,
        bounds: &mut Bounds,
    ) -> Cost {
        let field = self.field(subset, limits);
        let names = Rc::new(field.names.clone());
        let mut least = UNBOUNDED;
        for root in self.promising(&field, limits) {
            if bounds.upper <= floor || self.clock.stopped() {
                return floor;
            }
            self.stats.roots += 1;
            let (left, right) = subset.split(self.prepared, names[root], &names);
            for (at_left, at_right) in limits.shares() {
                for (for_left, for_right) in shared(quotas) {
                    let open = self.floor(&right, limits.child(at_right));
                    let most = bounds.upper.saturating_sub(open);
                    let one = self.best_with_quotas(&left, limits.child(at_left), &for_left, most);
                    let most = bounds.upper.saturating_sub(one.lower);
                    let (at_least, Some((a, one))) = (one.lower, one.tree) else {
                        least = least.min(one.lower + open);
                        continue;
                    };
                    let other =
                        self.best_with_quotas(&right, limits.child(at_right), &for_right, most);
                    least = least.min(at_least + other.lower);
                    if let Some((b, other)) = other.tree
                        && a + b < bounds.upper
                    {
                        bounds.improve(a + b, Tree::node(names[root], 0, one, other));
                    }
                }
            }
        }
        least
    }
}

fn leaves_of(tree: &Tree, class: u32) -> u32 {
    match tree {
        Tree::Leaf { class: predicted } => u32::from(*predicted == class),
        Tree::Node { left, right, .. } => leaves_of(left, class) + leaves_of(right, class),
    }
}

/// All ways to divide quotas among two children.
fn shared(quotas: &[(u32, u32)]) -> Vec<(LeafQuotas, LeafQuotas)> {
    let mut ways = vec![(Vec::new(), Vec::new())];
    for &(class, most) in quotas {
        ways = ways
            .iter()
            .flat_map(|(left, right): &(LeafQuotas, LeafQuotas)| {
                (0..=most).map(move |at_left| {
                    let mut way = (left.clone(), right.clone());
                    way.0.push((class, at_left));
                    way.1.push((class, most - at_left));
                    way
                })
            })
            .collect();
    }
    ways
}
