//! Pairs of false positives and false negatives, their Pareto fronts, and a cache of fronts by subset.

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
    pub(super) fn cost(&self, false_positives: Weight, false_negatives: Weight) -> Cost {
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
    pub(super) fn spans(&self, (false_positives, false_negatives): (Weight, Weight)) -> bool {
        let (Some(first), Some(last)) = (self.0.first(), self.0.last()) else { return false };
        first.false_positives < false_positives && last.false_negatives < false_negatives
    }

    /// An upper bound on the cost of new pairs between neighbours, exclusive. No tree dominates the
    /// first pair or the last; those between may still be dominated.
    pub(super) fn upper_between(&self, prices: &ErrorPrices) -> Cost {
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

pub(super) type PairKey = (Bits, Limits);

/// By subset and limits, an upper bound and all non-dominated pairs that cost less, within a soft
/// limit of bytes. A full cache is cleared, which costs time only.
pub(crate) struct PairCache {
    fronts: FxHashMap<PairKey, (Cost, ParetoFront)>,
    bytes: usize,
    limit: usize,
    pub evicted: u64,
}

impl PairCache {
    pub(crate) fn new(limit: Option<usize>) -> Self {
        let limit = limit.unwrap_or(usize::MAX);
        PairCache { fronts: FxHashMap::default(), bytes: 0, limit, evicted: 0 }
    }

    /// The pairs that cost less than `upper`, if all of them are cached.
    pub(super) fn lookup(&self, key: &PairKey, upper: Cost) -> Option<&ParetoFront> {
        self.fronts.get(key).filter(|(maximum, _)| *maximum >= upper).map(|(_, front)| front)
    }

    pub(super) fn insert(&mut self, key: PairKey, upper: Cost, front: &ParetoFront) {
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
