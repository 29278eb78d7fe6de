//! The Pareto front of false positives and false negatives; a leaf may predict either of two
//! classes.
//!
//! With a price on each kind of error, a pair has a cost. `pairs` returns the non-dominated pairs
//! of all trees of a subset that cost less than `upper`. A child's tree can be replaced by one with
//! a better pair, so the pairs of a node are sums of non-dominated pairs of its children. In a tree
//! that costs less than `upper`, each child costs less than `upper` minus a lower bound on the
//! other child. The lower bounds on thresholds and intervals come from the search for minimum costs
//! (`engine/intervals.rs`).
//!
//! *Between two pairs.* A pair that the front found so far does not dominate has, for two
//! neighbours on that front, fewer false positives than the second and fewer false negatives than
//! the first. So its cost is at most that of the most expensive corner one unit below two
//! neighbours, and `upper` falls as the front fills. A new pair may dominate some that were
//! found before, but not the ends.

use super::pair_fronts::{ErrorPair, ErrorPrices, PairCache, ParetoFront};
use crate::costs::items::CostSubset;
use crate::engine::open_splits::OpenSplits;
use crate::engine::solution::Bounds;
use crate::spaces::leaf_costs::cost_space::CostSpace;
use crate::spaces::leaf_costs::threshold_rules::{ThresholdRules, ThresholdsSearch};
use crate::spaces::leaf_costs::{CostExamples, CostRequest};
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::statistics::{Progress, Stats};
use exactree_model::{Cost, Limits, Tree, Weight};
use std::sync::Arc;

/// The Pareto front of false positives and false negatives between two pairs on it; complete unless
/// the clock has stopped.
pub fn pairs_between(
    examples: &CostExamples,
    request: &CostRequest,
    clock: &Clock<'_>,
    prices: &ErrorPrices,
    ends: [(Weight, Weight); 2],
) -> (Vec<ErrorPair>, Stats) {
    let prepared = &examples.prepared;
    // Half of the memory for the minimum costs of subsets, half for their pairs.
    let memory = request.memory_limit.map(|bytes| bytes / 2);
    let (progress, cache) = (Progress::default(), SharedCache::new(memory, 1));
    let space = CostSpace::new(prepared, request, ThresholdRules);
    let mut search = ThresholdsSearch::new(space, clock, &progress, &cache);
    let mut front = ParetoFront::default();
    ends.into_iter().for_each(|end| front.insert(end, || Tree::leaf(0)));
    let whole = prepared.whole();
    search.fill(&whole, request.limits, prices, PairCache::new(memory), &mut front);
    let slots: Vec<u32> = whole.members.iter().collect();
    let positive = prices.positive as u32;
    front.0.iter_mut().for_each(|pair| {
        pair.tree = search.without_redundant_nodes(&slots, &pair.tree, positive);
    });
    let (mut pairs, mut stats) = (front.0, search.stats);
    stats.seconds = clock.seconds();
    let inner = 1..pairs.len().max(2) - 1;
    let mut inner: Vec<ErrorPair> = pairs.drain(inner).collect();
    inner.iter_mut().for_each(|pair| pair.tree = prepared.in_table_features(&pair.tree));
    (inner, stats)
}

impl ThresholdsSearch<'_, '_> {
    /// Completes the front between its first and its last pair, which no tree dominates.
    pub(crate) fn fill(
        &mut self,
        whole: &CostSubset,
        limits: Limits,
        prices: &ErrorPrices,
        mut cache: PairCache,
        front: &mut ParetoFront,
    ) {
        let limits = limits.normalised();
        for (pair, label) in predictions(&whole.classes, prices) {
            if front.spans(pair) {
                front.insert(pair, || Tree::leaf(label));
            }
        }
        let upper = front.upper_between(prices);
        self.open_calls += 1;
        if self.can_split(whole, limits) {
            self.nodes(whole, limits, prices, &mut cache, (upper, true), front);
        }
        self.open_calls -= 1;
        self.stats.cache_evicted += cache.evicted;
    }

    /// The non-dominated pairs of a subset that cost less than `upper`; incomplete once the clock
    /// has stopped.
    fn pairs(
        &mut self,
        subset: &CostSubset,
        limits: Limits,
        prices: &ErrorPrices,
        cache: &mut PairCache,
        upper: Cost,
    ) -> ParetoFront {
        let limits = self.reachable_limits(subset, self.affordable_limits(limits, upper));
        let key = (subset.members.clone(), limits);
        if let Some(front) = cache.lookup(&key, upper) {
            return front.clone();
        }
        self.stats.nodes += 1;
        let mut front = ParetoFront::default();
        self.leaves(subset, prices, upper, &mut front);
        if self.can_split(subset, limits) {
            match limits.depth {
                1 => self.stumps(subset, limits, prices, upper, &mut front),
                _ => self.nodes(subset, limits, prices, cache, (upper, false), &mut front),
            }
        }
        cache.insert(key, upper, &front);
        front
    }

    fn can_split(&self, subset: &CostSubset, limits: Limits) -> bool {
        !limits.leaf_only() && !subset.pure && subset.rows >= 2 * limits.min_samples_leaf
    }

    fn leaves(
        &self,
        subset: &CostSubset,
        prices: &ErrorPrices,
        upper: Cost,
        front: &mut ParetoFront,
    ) {
        for (pair, label) in predictions(&subset.classes, prices) {
            if prices.cost(pair.0, pair.1) < upper {
                front.insert(pair, || Tree::leaf(label));
            }
        }
    }

    /// Inserts the stumps whose leaves predict different classes; with equal classes they are
    /// leaves.
    fn stumps(
        &self,
        subset: &CostSubset,
        limits: Limits,
        prices: &ErrorPrices,
        upper: Cost,
        front: &mut ParetoFront,
    ) {
        for feature in 0..subset.sorted.features() {
            let order = subset.sorted.order(feature);
            let (mut left, mut right) = (vec![0; subset.classes.len()], subset.classes.clone());
            let mut rows = 0;
            for two in order.windows(2) {
                let item = &self.space.prepared.items[two[0].slot as usize];
                left[item.low as usize] += item.weight;
                right[item.low as usize] -= item.weight;
                rows += item.rows;
                let allowed = rows.min(subset.rows - rows) >= limits.min_samples_leaf;
                if two[0].rank == two[1].rank || !allowed {
                    continue;
                }
                let children = (predictions(&left, prices), predictions(&right, prices));
                for ((a, label), (b, other)) in
                    [(children.0[0], children.1[1]), (children.0[1], children.1[0])]
                {
                    let pair = (a.0 + b.0, a.1 + b.1);
                    if prices.cost(pair.0, pair.1) < upper {
                        let leaves = || (Tree::leaf(label), Tree::leaf(other));
                        front.insert(pair, || {
                            let (left, right) = leaves();
                            Tree::node(feature as u32, two[0].rank, left, right)
                        });
                    }
                }
            }
        }
    }

    /// Inserts the trees with an inner root. With `fill_only` only pairs between the ends of the
    /// front are inserted, and `upper` falls.
    fn nodes(
        &mut self,
        subset: &CostSubset,
        limits: Limits,
        prices: &ErrorPrices,
        cache: &mut PairCache,
        (mut upper, fill_only): (Cost, bool),
        front: &mut ParetoFront,
    ) {
        let mut bounds = Bounds::with_upper(upper);
        let mut open = self.open_intervals(subset, limits, &bounds, None);
        while !self.clock.stopped() {
            let pruned = &mut self.stats.pruned;
            let Some(trial) = open.take(upper, false, pruned) else { return };
            let mut tried = self.try_threshold(&trial, subset, limits);
            if tried.lower < upper {
                let bounds = tried.children.as_ref().map(|(left, right)| (left.child, right.child));
                let children = bounds.unwrap_or_default();
                let [left, right] = subset.split(self.space.prepared, &trial.rule);
                let (share, rule) = (trial.interval.share, trial.rule);
                let left = self.pairs(
                    &left,
                    limits.child(share.0),
                    prices,
                    cache,
                    upper.saturating_sub(children.1),
                );
                let right = self.pairs(
                    &right,
                    limits.child(share.1),
                    prices,
                    cache,
                    upper.saturating_sub(children.0),
                );
                for (a, b) in left.0.iter().flat_map(|a| right.0.iter().map(move |b| (a, b))) {
                    let pair = (
                        a.false_positives + b.false_positives,
                        a.false_negatives + b.false_negatives,
                    );
                    let inside = !fill_only || front.spans(pair);
                    if inside && prices.cost(pair.0, pair.1) < upper {
                        front.insert(pair, || {
                            let (left, right) = (a.tree.clone(), b.tree.clone());
                            Tree::node(rule.feature as u32, rule.rank, left, right)
                        });
                    }
                }
                if fill_only {
                    upper = front.upper_between(prices);
                }
            }
            tried.tree = None;
            open.enter(trial, tried, &mut bounds);
        }
    }
}

impl ThresholdsSearch<'_, '_> {
    /// The tree without the nodes that a leaf or a subtree can replace without raising either
    /// number.
    pub(crate) fn without_redundant_nodes(
        &self,
        slots: &[u32],
        tree: &Arc<Tree>,
        positive: u32,
    ) -> Arc<Tree> {
        let Tree::Node { feature, rank, left, right } = &**tree else { return tree.clone() };
        let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
        if left_slots.is_empty() || right_slots.is_empty() {
            let child = if left_slots.is_empty() { right } else { left };
            return self.without_redundant_nodes(slots, child, positive);
        }
        let left = self.without_redundant_nodes(&left_slots, left, positive);
        let right = self.without_redundant_nodes(&right_slots, right, positive);
        let maximum = self.pair_of(slots, tree, positive);
        let fewer = [Tree::leaf(0), Tree::leaf(1), left.clone(), right.clone()];
        let replacement = fewer.iter().find(|other| {
            let pair = self.pair_of(slots, other, positive);
            pair.0 <= maximum.0 && pair.1 <= maximum.1
        });
        match replacement {
            Some(other) => self.without_redundant_nodes(slots, other, positive),
            None => Tree::node(*feature, *rank, left, right),
        }
    }

    fn pair_of(&self, slots: &[u32], tree: &Tree, positive: u32) -> (Weight, Weight) {
        let mut pair = (0, 0);
        for &slot in slots {
            let item = &self.space.prepared.items[slot as usize];
            let rank_of =
                |feature: u32| self.space.prepared.features[feature as usize].ranks[slot as usize];
            match tree.predict(rank_of) == positive {
                true if item.low != positive => pair.0 += item.weight as Weight,
                false if item.low == positive => pair.1 += item.weight as Weight,
                _ => {}
            }
        }
        pair
    }
}

/// False positives and false negatives of the two predictions of a leaf, and the class predicted:
/// the other class first, then the positive one.
fn predictions(classes: &[i64], prices: &ErrorPrices) -> [((Weight, Weight), u32); 2] {
    let positive = prices.positive;
    let other = 1 - positive;
    [
        ((0, classes[positive] as Weight), other as u32),
        ((classes[other] as Weight, 0), positive as u32),
    ]
}

#[cfg(test)]
mod differential;
