//! A lower bound on the two children of a split on a feature with a direction.
//!
//! *Monotone pairs.* Let the split be on an increasing feature f, and let the leaves of both
//! children predict either class (the relaxation of `depth_two/directed_roots.rs`). If the tree is
//! monotone, then for each pair of points, p on the left and q on the right, that differ in f only,
//! the left child predicts the earlier class at p, or the right child the later class at q. The
//! bound is the minimum cost F of the pairs of children that satisfy this for all points. It is
//! found by branching: solve both children; if they violate the condition at some pair of points,
//! at least one of them has to change, which gives two problems: one with a condition on p, one
//! with a condition on q.
//!
//! *Conditions as items.* A condition "p predicts class c" is a further item of class c at p, which
//! weighs more than all examples together. So children with conditions are ordinary subproblems of
//! the relaxation, and all of its bounds hold for them.
//!
//! *Other thresholds.* Pairs of children that fit each other for some threshold fit for any other,
//! so F changes by at most the weight of the examples between two thresholds. Therefore the
//! similarity bound of `engine/intervals.rs` holds with F in place of the sum of the costs of both
//! children. To make this bound useful, F is computed up to slightly more than the upper bound, as
//! these costs are.
//!
//! The number of branchings is limited; a bound that is not complete is the smallest one of the
//! open pairs.

use crate::constraints::costs::ConstrainedCosts;
use crate::constraints::feasible::Feasibility;
use crate::constraints::space::ConstrainedSearch;
use crate::engine::children::join;
use crate::engine::solution::CostedTree;
use crate::engine::space::SubsetOf;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits, Tree};
use std::sync::Arc;

/// Maximum number of pairs that are solved for a bound.
const MAX_PAIRS: usize = 64;

/// Conditions of both children, lower bounds on their costs, and their trees below the target.
struct Pair {
    conditions: [Vec<(u32, Arc<[u32]>)>; 2],
    lower: [Cost; 2],
    trees: [Option<Arc<Tree>>; 2],
}

impl<B: ConstrainedCosts> ConstrainedSearch<'_, '_, B> {
    /// A lower bound on F, for two children with these limits; at most about `target`.
    pub(crate) fn cross_bound(
        &mut self,
        slots: &[u32],
        root: (usize, u32),
        children: &[SubsetOf<B>; 2],
        limits: [Limits; 2],
        target: Cost,
    ) -> Cost {
        let first = Pair { conditions: Default::default(), lower: [0; 2], trees: [None, None] };
        let mut open = vec![first];
        for _ in 0..MAX_PAIRS {
            let sum = |pair: &Pair| join(pair.lower[0], pair.lower[1]);
            let at = (0..open.len()).min_by_key(|&at| sum(&open[at])).expect("never empty");
            if sum(&open[at]) >= target || self.clock.stopped() {
                break;
            }
            let mut pair = open.swap_remove(at);
            for child in 0..2 {
                if pair.trees[child].is_none() && sum(&pair) < target {
                    let upper = target - pair.lower[1 - child];
                    let conditions = &pair.conditions[child];
                    let (lower, tree) =
                        self.with_conditions(&children[child], conditions, limits[child], upper);
                    pair.lower[child] = pair.lower[child].max(lower);
                    pair.trees[child] = tree.map(|(_, tree)| tree);
                }
            }
            let [Some(left), Some(right)] = &pair.trees else {
                open.push(pair);
                if self.clock.stopped() {
                    break;
                }
                continue;
            };
            let tree = Tree::node(root.0 as u32, root.1, left.clone(), right.clone());
            let choice = Feasibility { space: &self.space }.choice_of_classes(slots, &tree);
            let Some(conditions) = choice else {
                // These children fit, and no other pair costs less.
                open.push(pair);
                break;
            };
            for condition in conditions {
                let child = usize::from(condition.point[root.0] > root.1);
                let class = usize::from(!condition.at_most);
                let mut all = pair.conditions.clone();
                let range = self.space.base.condition_slots(class);
                let used = all[child].iter().filter(|(slot, _)| range.contains(slot)).count();
                if used == range.len() {
                    open.push(pair);
                    return open.iter().map(sum).min().expect("never empty");
                }
                all[child].push((range.start + used as u32, condition.point));
                let mut trees = pair.trees.clone();
                trees[child] = None;
                open.push(Pair { conditions: all, lower: pair.lower, trees });
            }
        }
        let lower =
            open.iter().map(|pair| join(pair.lower[0], pair.lower[1])).min().expect("never empty");
        lower + offset(Mutant::CrossBound) * (1 + lower / 8)
    }

    /// The conditions of a subset that are conditions on classes, as further items; none without
    /// the search for them.
    pub(crate) fn class_conditions(&self, subset: &SubsetOf<B>) -> Vec<(u32, Arc<[u32]>)> {
        let mut found: Vec<(u32, Arc<[u32]>)> = Vec::new();
        if self.workspace.conditions.is_none() {
            return found;
        }
        let Some(boundary) = self.space.boundary() else { return found };
        for condition in &self.space.state(subset).conditions {
            // A value of at most the boundary is that of a leaf of the earlier class.
            let class = match condition.at_most {
                true if condition.limit <= boundary => 0,
                false if condition.limit >= boundary => 1,
                _ => continue,
            };
            let range = self.space.base.condition_slots(class);
            let used = found.iter().filter(|(slot, _)| range.contains(slot)).count();
            if used < range.len() {
                found.push((range.start + used as u32, condition.point.clone()));
            }
        }
        found
    }

    /// A lower bound on the relaxation of a child under conditions, and its optimal tree if that
    /// costs less than `upper`.
    pub(crate) fn with_conditions(
        &mut self,
        child: &SubsetOf<B>,
        conditions: &[(u32, Arc<[u32]>)],
        limits: Limits,
        upper: Cost,
    ) -> (Cost, Option<CostedTree>) {
        let relaxation = &mut self.workspace;
        let solution = if conditions.is_empty() {
            relaxation.plain.solve(child, limits, upper, None)
        } else {
            let search = relaxation.conditions.as_mut().expect("the bound is on");
            let child = child.with_items(search.space.table(), conditions);
            search.solve(&child, limits, upper, None)
        };
        let optimal = |tree: &CostedTree| tree.0 == solution.lower;
        (solution.lower, solution.tree.filter(optimal))
    }
}
