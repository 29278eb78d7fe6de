//! Class costs: the cost of a leaf from its class weights, by a cost matrix, or as log-loss or Gini
//! impurity of the shares of the classes, optionally smoothed.
//!
//! *Monotonicity.* No leaf costs less with more items, which is all that the search needs. For a
//! matrix without negative costs that is clear. Otherwise let x be the weight of a class and N the
//! total weight, including the weights a and A that smoothing adds to them, and p = x/N.
//! - Log-loss grows with the weight of the class at the rate ln(N/x) + a/x − A/N. The smoothing
//!   of the other classes is part of their weight: A − a ≤ N − x. With ln(N/x) ≥ 1 − x/N
//!   the rate is at least a/x − a/N ≥ 0.
//! - Gini impurity, with S the sum of all p², grows at the rate
//!   1 − S − 2 (p − S) (N − A)/N. Where p > S that is at least 1 + S − 2p ≥ (1 − p)² ≥ 0.
//!
//! *Equal rows* are in one leaf. With a matrix they cost there at least as much as in a leaf of
//! their own. Log-loss is minimum for the true shares, and is then superadditive, so the cost of
//! the rows alone without smoothing is a lower bound. The impurity of a smoothed leaf is at least
//! n/N times that of its own shares, where n = N − A is its weight without smoothing, because the
//! impurity is concave. So rows of weight w cost at least w/(w + A) of their cost alone, where A is
//! the total weight that smoothing adds.
//!
//! *Rounding.* Log-loss and impurity are sums and products of positive numbers, without
//! subtraction, and a leaf costs at most 2^47 units. One rounding of 2^-53 of that is 1/64 of a
//! unit. A term and the sum of all terms have at most 32 roundings, and 4 for each class: together
//! half a unit, and a sixteenth for each class. The last rounding, to an integer, adds half a unit.

pub(crate) mod stumps;

use super::items::{CostItem, CostSubset, CostTotals, ItemRounding};
use super::leaf_cost::{CostLaws, LeafCost, LeafRounding, StumpCosts, TreeRounding};
use super::targets::{SUM_BITS, cost_above};
use crate::engine::subset::OrderEntry;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, UNBOUNDED, Weight};
use std::cmp::Ordering;

/// The cost of a leaf from the integer weights of its classes.
#[derive(Clone, Debug)]
pub enum ClassCosts {
    /// The cost of a unit of weight, by true and by predicted class; and the price of a leaf, both in
    /// units of the search.
    Matrix { by_class: Vec<Vec<Cost>>, price: Cost },
    /// A function of the shares of the classes. By class, `added` is the weight that smoothing adds
    /// to it, and `added_to_others` that added to all other classes.
    Shares { kind: ShareCost, added: Vec<f64>, added_to_others: Vec<f64>, scale: f64 },
}

/// A cost that is a function of the shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareCost {
    LogLoss,
    Gini,
}

/// The cost of the whole table in one leaf and the price of a leaf are together at most 2 to this
/// power.
const WHOLE_BITS: i32 = 48;

impl ClassCosts {
    /// Costs of shares; the unit is 2 to the number returned.
    pub fn of_shares(kind: ShareCost, added: Vec<f64>, whole: &[i64], price: f64) -> (Self, i32) {
        // Subtracting a class from the sum of all would round a small weight away beside a large
        // one.
        let to_others = |class: usize| added[..class].iter().chain(&added[class + 1..]).sum();
        let added_to_others: Vec<f64> = (0..added.len()).map(to_others).collect();
        let one_leaf = value(kind, whole, &added, &added_to_others);
        let maximum = one_leaf.max(price).max(f64::MIN_POSITIVE);
        // Limited so that the scale is a finite float; costs below the limit count as none.
        let exponent = (maximum.log2().ceil() as i32).clamp(-900, 1024) + 1 - WHOLE_BITS;
        let scale = 2f64.powi(-exponent);
        (ClassCosts::Shares { kind, added, added_to_others, scale }, exponent)
    }

    /// Whether costs are exact integers.
    pub fn is_exact(&self) -> bool {
        matches!(self, ClassCosts::Matrix { .. })
    }

    pub fn classes(&self) -> usize {
        match self {
            ClassCosts::Matrix { by_class, .. } => by_class.len(),
            ClassCosts::Shares { added, .. } => added.len(),
        }
    }

    /// Cost of one leaf without its price.
    pub fn leaf_of(&self, weights: &[i64]) -> Cost {
        match self {
            ClassCosts::Matrix { by_class, .. } => {
                let predicted = |label: usize| -> Cost {
                    let cost = |(row, &weight): (&Vec<Cost>, &i64)| row[label] * weight as Cost;
                    by_class.iter().zip(weights).map(cost).sum()
                };
                (0..by_class.len()).map(predicted).min().unwrap_or(0)
            }
            ClassCosts::Shares { kind, added, added_to_others, scale } => {
                (value(*kind, weights, added, added_to_others) * scale).round() as Cost
            }
        }
    }

    /// The weight of each class among some items.
    fn weights_of(&self, items: &[CostItem]) -> Vec<i64> {
        let mut weights = vec![0; self.classes()];
        items.iter().for_each(|item| weights[item.low as usize] += item.weight);
        weights
    }

    /// Largest rounding error of the cost of a leaf and its price, in units.
    pub fn error_per_leaf(&self) -> f64 {
        if self.is_exact() { 0.0 } else { 1.5 + self.classes() as f64 / 16.0 }
    }
}

impl LeafCost for ClassCosts {
    fn item(&self, code: u32, weight: Weight, rows: u64) -> (CostItem, ItemRounding) {
        (CostItem::new(code, weight, rows), ItemRounding::default())
    }

    fn compare(&self, a: &CostItem, b: &CostItem) -> Ordering {
        a.low.cmp(&b.low)
    }

    fn leaf<'i>(&self, totals: &CostTotals, _items: impl Iterator<Item = &'i CostItem>) -> Cost {
        self.leaf_of(&totals.classes)
    }

    fn equal_rows_bound(&self, items: &[CostItem]) -> Cost {
        let weights = self.weights_of(items);
        let ClassCosts::Shares { kind, added, scale, .. } = self else {
            return self.leaf_of(&weights);
        };
        let (weight, all): (i64, f64) = (weights.iter().sum(), added.iter().sum());
        let share = match kind {
            ShareCost::LogLoss => 1.0,
            ShareCost::Gini => weight as f64 / (weight as f64 + all),
        };
        let none_added = vec![0.0; weights.len()];
        let alone = value(*kind, &weights, &none_added, &none_added);
        (alone * share * scale - 1.0).max(0.0).floor() as Cost
    }

    /// A heavy row can add far less than its weight times the maximum rate, so the caller also bounds
    /// the cost by that of all items in one leaf.
    fn reach(&self, item: &CostItem, totals: &CostTotals) -> Cost {
        let reach = match self {
            ClassCosts::Matrix { by_class, .. } => {
                let greatest = by_class[item.low as usize].iter().max().copied().unwrap_or(0);
                greatest.saturating_mul(item.weight as Cost).min(UNBOUNDED)
            }
            ClassCosts::Shares { kind, added, scale, .. } => {
                let (weight, maximum) = (item.weight as f64, totals.weight as f64);
                // The rates above are at most 1 + S and ln(N/x) + 1; the integral of the second
                // is largest where the leaf had none of the class.
                let rate = match kind {
                    ShareCost::Gini => 2.0,
                    ShareCost::LogLoss => {
                        2.0 + ((maximum + added.iter().sum::<f64>()) / weight).ln().max(0.0)
                    }
                };
                cost_above(weight * rate * scale * (1.0 + 1e-9) + 1.0)
            }
        };
        reach - offset(Mutant::CostSimilarity) * (reach / 2)
    }

    /// The cost of one class is concave in its weight, except for the impurity with unequal smoothing:
    /// then small leaves may cost less. Shares without smoothing are concave and homogeneous, so their
    /// costs are super-additive; a matrix adds up costs for one label.
    fn laws(&self) -> CostLaws {
        match self {
            ClassCosts::Matrix { .. } => CostLaws { one_target: true, super_additive: true },
            ClassCosts::Shares { kind, added, .. } => CostLaws {
                one_target: match kind {
                    ShareCost::Gini => added.iter().all(|&more| more == added[0]),
                    ShareCost::LogLoss => true,
                },
                super_additive: added.iter().all(|&more| more == 0.0),
            },
        }
    }
}

impl LeafRounding for ClassCosts {
    fn price(&self, price: f64) -> Cost {
        match self {
            ClassCosts::Matrix { price, .. } => *price,
            ClassCosts::Shares { .. } => price.min(2f64.powi(SUM_BITS)).round() as Cost,
        }
    }

    fn leaf_error(&self, _items: usize) -> Cost {
        self.error_per_leaf().ceil() as Cost
    }

    fn growth(&self, leaves: u32) -> Cost {
        (self.error_per_leaf() * f64::from(leaves)).ceil() as Cost
    }

    fn tree_error(&self, tree: &TreeRounding) -> f64 {
        tree.leaves * self.error_per_leaf()
    }
}

impl StumpCosts for ClassCosts {
    /// Only at thresholds, since these costs are expensive to compute.
    fn costs_of_stumps(
        &self,
        items: &[CostItem],
        subset: &CostSubset,
        order: &[OrderEntry],
    ) -> Vec<Cost> {
        let (mut left, mut right) = (vec![0; subset.classes.len()], subset.classes.clone());
        let mut costs = vec![0; order.len() - 1];
        for (at, pair) in order.windows(2).enumerate() {
            if subset.is_weighted(pair[0].slot) {
                let item = &items[pair[0].slot as usize];
                left[item.low as usize] += item.weight;
                right[item.low as usize] -= item.weight;
            }
            if pair[0].rank != pair[1].rank {
                costs[at] = self.leaf_of(&left) + self.leaf_of(&right);
            }
        }
        costs
    }
}

/// Log-loss, or weight times impurity, of one leaf: a sum of non-negative terms; 0 for a leaf
/// without weight.
fn value(kind: ShareCost, weights: &[i64], added: &[f64], added_to_others: &[f64]) -> f64 {
    let (weight, all): (i64, f64) = (weights.iter().sum(), added.iter().sum());
    if weight == 0 {
        return 0.0;
    }
    // The weight of the other classes is a difference of integers plus what smoothing adds to them,
    // not a difference of floats, which would round small weights away.
    let by_class = weights.iter().zip(added).zip(added_to_others);
    let terms = by_class.map(|((&own, &more), &others)| {
        (own as f64, own as f64 + more, (weight - own) as f64 + others)
    });
    match kind {
        ShareCost::LogLoss => terms
            .filter(|&(own, ..)| own > 0.0)
            .map(|(own, smoothed, rest)| own * (rest / smoothed).ln_1p())
            .sum(),
        ShareCost::Gini => {
            let whole = weight as f64 + all;
            let impurity: f64 =
                terms.map(|(_, smoothed, rest)| smoothed / whole * (rest / whole)).sum();
            weight as f64 * impurity
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(random: &mut fastrand::Rng, whole: &[i64]) -> ClassCosts {
        let classes = whole.len();
        let kind = [ShareCost::LogLoss, ShareCost::Gini][random.usize(0..2)];
        let added = match random.u32(0..3) {
            0 => vec![0.0; classes],
            1 => vec![1.0; classes],
            _ => (0..classes).map(|_| random.f64() * 30.0 + 1e-3).collect(),
        };
        ClassCosts::of_shares(kind, added, whole, 0.0).0
    }

    #[test]
    fn a_class_to_which_smoothing_adds_almost_nothing_is_not_rounded_away() {
        // Only the first class has weight: its log-loss is w ln(1 + 1/(w + 2^60)), almost exactly
        // 2^-20 for w = 2^40. A difference of the added weights would be 0.
        let (added, weights) = (vec![2f64.powi(60), 1.0], [1 << 40, 0]);
        let (costs, exponent) = ClassCosts::of_shares(ShareCost::LogLoss, added, &weights, 0.0);
        let cost = costs.leaf_of(&weights) as f64 * 2f64.powi(exponent);
        let expected = 2f64.powi(-20);
        assert!((cost - expected).abs() < 1e-5 * expected, "{cost}");
    }

    #[test]
    fn one_leaf_of_one_class_costs_no_more_than_two_leaves_unless_small_leaves_may_cost_less() {
        let mut random = fastrand::Rng::with_seed(20_261_121);
        let mut exceptions = 0;
        for _ in 0..30_000 {
            let classes = random.usize(2..5);
            let costs = drawn(&mut random, &vec![40; classes]);
            let of_one = |weight: i64| {
                let mut weights = vec![0; costs.classes()];
                weights[0] = weight;
                costs.leaf_of(&weights)
            };
            let (one, two) = (random.i64(1..20), random.i64(1..20));
            let two_are_cheaper = of_one(one) + of_one(two) + 2 < of_one(one + two);
            assert!(!two_are_cheaper || !costs.laws().one_target, "{costs:?} {one} {two}");
            exceptions += u32::from(two_are_cheaper);
        }
        assert!(exceptions > 100);
    }
}
