//! Depth one: the best stump of a subset, or its leaf, by trying every rule.

use crate::engine::rules::Rule;
use crate::engine::solution::{Bounds, Solution};
use crate::engine::subset::OrderEntry;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use exactree_model::{Cost, Errors, Limits, Tree, Weight};
use std::sync::Arc;

/// A rule, the errors of its two leaves together, and the classes that they predict.
struct Stump {
    errors: Weight,
    feature: usize,
    rank: u32,
    classes: (u32, u32),
}

/// Items in the order of a feature, with classes and weights.
struct WeightedOrder<'o> {
    subset: &'o ContinuousSubset,
    order: &'o [OrderEntry],
    weights: &'o [Weight],
    rows: u64,
}

/// Keeps the best of the rules passed to it: feature, rank, and the class weights of both children. A
/// stump in the wrong direction is left out: with leaves in the right direction it misclassifies at
/// least as much as a single leaf.
fn consider<'b>(
    best: &'b mut Option<Stump>,
    directions: Option<&'b [i8]>,
) -> impl FnMut(usize, u32, &[Weight], &[Weight]) {
    move |feature, rank, left, right| {
        let errors = Errors::leaf_errors(left) + Errors::leaf_errors(right);
        if best.as_ref().is_none_or(|best| errors < best.errors) {
            let classes = (Errors::leaf_class(left), Errors::leaf_class(right));
            let rises = classes.0.cmp(&classes.1) as i8;
            if directions.is_none_or(|directions| directions[feature] * rises <= 0) {
                *best = Some(Stump { errors, feature, rank, classes });
            }
        }
    }
}

impl ContinuousSearch<'_, '_> {
    /// Solves a subset with one level left.
    pub(crate) fn stump(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        mut bounds: Bounds,
    ) -> Solution {
        let (cost, tree) = self.leaf_or_stump(subset, 1, limits.min_samples_leaf);
        bounds.improve(cost, tree);
        Solution { tree: bounds.incumbent, ..Solution::with_lower(cost) }
    }

    /// The cheaper of the leaf and the best stump; a stump only if `size` allows a node.
    pub(crate) fn leaf_or_stump(
        &self,
        subset: &ContinuousSubset,
        size: u32,
        min_samples_leaf: u64,
    ) -> (Cost, Arc<Tree>) {
        let stump = if size == 0 { None } else { self.best_stump(subset, min_samples_leaf) };
        self.cheaper(&subset.class_weights, stump)
    }

    /// Like `leaf_or_stump`, for one child of a rule and with stumps on one feature only.
    pub(crate) fn leaf_or_stump_on(
        &self,
        subset: &ContinuousSubset,
        rule: &Rule,
        on_left: bool,
        feature: usize,
        size: u32,
    ) -> (Cost, Arc<Tree>) {
        let ranks = &self.space.layout.features[rule.feature].ranks;
        let on_child = |entry: &&OrderEntry| (ranks[entry.slot as usize] <= rule.rank) == on_left;
        let order: Vec<OrderEntry> =
            subset.sorted.order(feature).iter().filter(on_child).copied().collect();
        let (mut weights, mut rows) = (vec![0; self.space.layout.n_classes], 0);
        for slot in order.iter().map(|entry| entry.slot as usize) {
            weights[self.space.layout.class[slot] as usize] +=
                subset.weight_of(self.space.layout, slot);
            rows += self.space.layout.rows[slot];
        }
        let mut best = None;
        if size > 0 {
            let items = WeightedOrder { subset, order: &order, weights: &weights, rows };
            self.stumps_of_sorted(&items, feature, 1, &mut consider(&mut best, self.directions()));
        }
        self.cheaper(&weights, best)
    }

    /// The cheaper of the leaf and a stump.
    fn cheaper(&self, weights: &[Weight], stump: Option<Stump>) -> (Cost, Arc<Tree>) {
        let leaf_cost = self.space.objective.leaf(Errors::leaf_errors(weights));
        match stump {
            Some(stump) if self.stump_cost(stump.errors) < leaf_cost => {
                let (left, right) = (Tree::leaf(stump.classes.0), Tree::leaf(stump.classes.1));
                let tree = Tree::node(stump.feature as u32, stump.rank, left, right);
                (self.stump_cost(stump.errors), tree)
            }
            _ => (leaf_cost, Tree::leaf(Errors::leaf_class(weights))),
        }
    }

    /// Cost of two leaves that misclassify `errors` together.
    pub(crate) fn stump_cost(&self, errors: Weight) -> Cost {
        self.space.objective.join(self.space.objective.leaf(errors), self.space.objective.leaf(0))
    }

    /// By feature, the direction of stumps; `None` if no feature has a direction.
    fn directions(&self) -> Option<&[i8]> {
        self.space.directions.map(|directions| directions.by_feature)
    }

    fn best_stump(&self, subset: &ContinuousSubset, min_samples_leaf: u64) -> Option<Stump> {
        let mut best = None;
        let mut consider = consider(&mut best, self.directions());
        for feature in 0..self.space.layout.features.len() {
            if self.space.layout.pair_columns {
                self.stumps_of_columns(subset, feature, min_samples_leaf, &mut consider);
            } else {
                let (weights, rows) = (&subset.class_weights[..], subset.rows);
                let order = subset.sorted.order(feature);
                let items = WeightedOrder { subset, order, weights, rows };
                self.stumps_of_sorted(&items, feature, min_samples_leaf, &mut consider);
            }
        }
        drop(consider);
        best
    }

    fn stumps_of_sorted(
        &self,
        items: &WeightedOrder<'_>,
        feature: usize,
        min_samples_leaf: u64,
        consider: &mut impl FnMut(usize, u32, &[Weight], &[Weight]),
    ) {
        let mut left = vec![0; self.space.layout.n_classes];
        let mut right = items.weights.to_vec();
        let mut rows = 0;
        for pair in items.order.windows(2) {
            let slot = pair[0].slot as usize;
            let class = self.space.layout.class[slot] as usize;
            let weight = items.subset.weight_of(self.space.layout, slot);
            left[class] += weight;
            right[class] -= weight;
            rows += self.space.layout.rows[slot];
            let allowed = rows >= min_samples_leaf && items.rows - rows >= min_samples_leaf;
            if pair[0].rank != pair[1].rank && allowed {
                consider(feature, pair[0].rank, &left, &right);
            }
        }
    }

    fn stumps_of_columns(
        &self,
        subset: &ContinuousSubset,
        feature: usize,
        min_samples_leaf: u64,
        consider: &mut impl FnMut(usize, u32, &[Weight], &[Weight]),
    ) {
        for rule in subset.rules_of_columns(self.space.layout, feature) {
            if rule.rows >= min_samples_leaf && subset.rows - rule.rows >= min_samples_leaf {
                let column = &self.space.layout.features[feature].columns[rule.rank as usize];
                let left = self.class_weights_within(subset, column);
                let right: Vec<Weight> =
                    subset.class_weights.iter().zip(&left).map(|(all, left)| all - left).collect();
                consider(feature, rule.rank, &left, &right);
            }
        }
    }

    /// Weight of each class among the members of a subset inside a column.
    pub(crate) fn class_weights_within(
        &self,
        subset: &ContinuousSubset,
        column: &crate::support::bits::Bits,
    ) -> Vec<Weight> {
        let mut weights = vec![0; self.space.layout.n_classes];
        for plane in &self.space.layout.planes {
            let words = self.space.layout.class_words[plane.class as usize].clone();
            let weight: u64 = words
                .map(|at| subset.members.words[at] & column.words[at] & plane.members.words[at])
                .map(|word| word.count_ones() as u64)
                .sum();
            weights[plane.class as usize] += weight << plane.bit;
        }
        weights
    }
}
