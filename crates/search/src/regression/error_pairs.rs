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

use super::subset::RegressionSubset;
use super::threshold_rules::RegressionSearch;
use crate::engine::open_splits::OpenSplits;
use crate::engine::solution::Bounds;
use crate::support::bits::Bits;
use crate::support::memory::reserve_one;
use exactree_model::{Cost, Limits, Tree, Weight};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Weights of false positives and false negatives, and a tree with these errors.
#[derive(Clone, Debug)]
pub struct ErrorPair {
    pub false_positives: Weight,
    pub false_negatives: Weight,
    pub tree: Arc<Tree>,
}

/// The positive class, and the price of a unit of weight of each kind of error.
#[derive(Clone, Copy, Debug)]
pub struct ErrorPrices {
    pub positive: usize,
    pub false_positives: Cost,
    pub false_negatives: Cost,
}

impl ErrorPrices {
    fn cost(&self, false_positives: Weight, false_negatives: Weight) -> Cost {
        false_positives * self.false_positives + false_negatives * self.false_negatives
    }
}

/// Non-dominated pairs, by increasing false positives.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParetoFront(pub Vec<ErrorPair>);

impl ParetoFront {
    /// Inserts a pair unless another pair is as good in both numbers; the first of equal pairs
    /// stays.
    pub(crate) fn insert(
        &mut self,
        (false_positives, false_negatives): (Weight, Weight),
        tree: impl FnOnce() -> Arc<Tree>,
    ) {
        let at = self.0.partition_point(|pair| pair.false_positives <= false_positives);
        if at > 0 && self.0[at - 1].false_negatives <= false_negatives {
            return;
        }
        let first = self.0.partition_point(|pair| pair.false_positives < false_positives);
        let dominated = self.0[first..]
            .iter()
            .take_while(|pair| pair.false_negatives >= false_negatives)
            .count();
        let pair = ErrorPair { false_positives, false_negatives, tree: tree() };
        self.0.splice(first..first + dominated, [pair]);
    }

    /// Whether a pair lies between the first and the last.
    fn spans(&self, (false_positives, false_negatives): (Weight, Weight)) -> bool {
        let (Some(first), Some(last)) = (self.0.first(), self.0.last()) else { return false };
        first.false_positives < false_positives && last.false_negatives < false_negatives
    }

    /// An upper bound on the cost of new pairs between neighbours, exclusive. No tree dominates the
    /// first pair or the last; those between may still be dominated.
    fn upper_between(&self, prices: &ErrorPrices) -> Cost {
        let last = self.0.len().saturating_sub(2);
        let between = |(at, two): (usize, &[ErrorPair])| {
            let lowest = (
                two[0].false_positives + Weight::from(at == 0),
                two[1].false_negatives + Weight::from(at == last),
            );
            let highest = (two[1].false_positives - 1, two[0].false_negatives - 1);
            let possible = lowest.0 <= highest.0 && lowest.1 <= highest.1;
            if possible { prices.cost(highest.0, highest.1) + 1 } else { 0 }
        };
        self.0.windows(2).enumerate().map(between).max().unwrap_or(0)
    }
}

type PairKey = (Bits, Limits);

/// By subset and limits, an upper bound and all non-dominated pairs that cost less, within a soft
/// limit of bytes. A full cache is cleared, which costs time only.
pub(crate) struct PairCache {
    fronts: FxHashMap<PairKey, (Cost, ParetoFront)>,
    bytes: usize,
    limit: usize,
    evicted: u64,
}

impl PairCache {
    pub(crate) fn new(limit: Option<usize>) -> Self {
        let limit = limit.unwrap_or(usize::MAX);
        PairCache { fronts: FxHashMap::default(), bytes: 0, limit, evicted: 0 }
    }

    /// The pairs that cost less than `upper`, if all of them are cached.
    fn lookup(&self, key: &PairKey, upper: Cost) -> Option<&ParetoFront> {
        self.fronts.get(key).filter(|(maximum, _)| *maximum >= upper).map(|(_, front)| front)
    }

    fn insert(&mut self, key: PairKey, upper: Cost, front: &ParetoFront) {
        let words = key.0.words.len();
        let bytes = bytes_of(words, front);
        if self.bytes.saturating_add(bytes) > self.limit || !reserve_one(&mut self.fronts) {
            self.evicted += self.fronts.len() as u64;
            (self.fronts, self.bytes) = (FxHashMap::default(), 0);
        }
        self.bytes += bytes;
        if let Some((_, old)) = self.fronts.insert(key, (upper, front.clone())) {
            self.bytes -= bytes_of(words, &old);
        }
    }
}

/// Estimated bytes of an entry, including two nodes for each tree that no other tree shares. Hash
/// tables are at most 7/8 full and double in size.
fn bytes_of(words: usize, front: &ParetoFront) -> usize {
    let entry = 2 * size_of::<(PairKey, (Cost, ParetoFront))>() + 8 * words;
    entry + front.0.len() * (size_of::<ErrorPair>() + 2 * (size_of::<Tree>() + 16))
}

impl RegressionSearch<'_, '_> {
    /// Completes the front between its first and its last pair, which no tree dominates.
    pub(crate) fn fill(
        &mut self,
        whole: &RegressionSubset,
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
        subset: &RegressionSubset,
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

    fn can_split(&self, subset: &RegressionSubset, limits: Limits) -> bool {
        !limits.leaf_only() && !subset.pure && subset.rows >= 2 * limits.min_samples_leaf
    }

    fn leaves(
        &self,
        subset: &RegressionSubset,
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
        subset: &RegressionSubset,
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
        subset: &RegressionSubset,
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

impl RegressionSearch<'_, '_> {
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
