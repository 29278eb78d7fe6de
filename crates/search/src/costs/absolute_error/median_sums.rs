//! Sums of items from which the absolute error about their median is found in logarithmic time, while items
//! come and go.
//!
//! The sums are the nodes of a complete binary tree whose leaves are the targets in increasing order: a
//! node has the weight and the weighted sum of the targets below it. A descent from the root finds the
//! median, and the sums of the targets below it.

use super::AbsoluteError;
use exactree_model::Cost;

/// The form of the tree.
pub(crate) struct MedianSums {
    /// Number of leaves, a power of two.
    leaves: usize,
}

impl MedianSums {
    /// For targets with codes below a number.
    pub(crate) fn of(codes: usize) -> Self {
        MedianSums { leaves: codes.next_power_of_two() }
    }

    /// Number of sums: the weights of all nodes, and their sums. The root is node 1.
    pub(crate) fn width(&self) -> usize {
        4 * self.leaves
    }

    /// The sums of an item: indices, and what is added there.
    pub(crate) fn terms_of(
        &self,
        code: u32,
        weight: i64,
        sum: i64,
    ) -> impl Iterator<Item = (u32, i64)> {
        let second = 2 * self.leaves as u32;
        let leaf = self.leaves as u32 + code;
        let path = std::iter::successors(Some(leaf), |&node| (node > 1).then_some(node / 2));
        path.flat_map(move |node| [(node, weight), (second + node, sum)])
    }
}

impl AbsoluteError {
    /// The cost of a leaf of items with these sums, without its price; equal to that of `leaf` up to
    /// the rounding of both.
    pub(crate) fn leaf_of(&self, medians: &MedianSums, sums: &[i64]) -> Cost {
        let (weights, sums) = sums.split_at(2 * medians.leaves);
        let (mut node, mut below, mut sum_below) = (1, 0, 0);
        while node < medians.leaves {
            let left = 2 * node;
            if 2 * (below + weights[left]) >= weights[1] {
                node = left;
            } else {
                below += weights[left];
                sum_below += sums[left];
                node = left + 1;
            }
        }
        let above = weights[1] - below - weights[node];
        let sum_above = sums[1] - sum_below - sums[node];
        let median = (node - medians.leaves) as u32;
        (self.signed_sum(median, below - above) - sum_below + sum_above).max(0) as Cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costs::items::CostItem;
    use crate::costs::leaf_cost::{LeafCost, LeafRounding};
    use crate::support::random_weights;

    #[test]
    fn sums_have_the_cost_of_their_items() {
        let mut rng = fastrand::Rng::with_seed(1);
        for round in 0..2_000 {
            let count = rng.usize(1..=9);
            let whole = round % 2 == 0;
            let mut targets: Vec<f64> = (0..count)
                .map(|_| if whole { f64::from(rng.u8(0..9)) } else { rng.f64() - 0.5 })
                .collect();
            targets.sort_by(f64::total_cmp);
            targets.dedup();
            let weights: Vec<u64> = match whole {
                true => targets.iter().map(|_| rng.u64(1..9)).collect(),
                false => random_weights::weights(&mut rng, targets.len(), 40),
            };
            let weights: Vec<u64> = weights.into_iter().map(|weight| weight.max(1)).collect();
            let (cost, _) = AbsoluteError::new(&targets, &weights, 0.0);
            let medians = MedianSums::of(targets.len());
            let mut sums = vec![0; medians.width()];
            let mut items: Vec<CostItem> = Vec::new();
            for code in 0..targets.len() as u32 {
                let (item, _) = cost.item(code, weights[code as usize], 1);
                let kept = rng.u8(0..3) > 0;
                let times = if kept { 1 } else { 0 };
                for (index, term) in medians.terms_of(code, item.weight, item.sum) {
                    sums[index as usize] += term * times;
                }
                items.extend(kept.then_some(item));
            }
            let expected = cost.equal_rows_bound(&items);
            let found = cost.leaf_of(&medians, &sums);
            let rounding = if whole { 0 } else { cost.leaf_error(items.len()) };
            assert!(found.abs_diff(expected) <= rounding, "{targets:?} {weights:?}");
        }
    }
}
