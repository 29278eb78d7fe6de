//! The best stumps for costs of classes.
//!
//! Log-loss and impurity are expensive to compute exactly. So lower bounds on the costs of all
//! thresholds are computed first (`kernels/share_costs.rs`), then the exact cost of the threshold with
//! the minimum bound, and at last those of the few thresholds whose bound is below the minimum cost so
//! far. All others cost at least this minimum, which therefore is exact. If already the minimum bound
//! is no less than the cost of another stump, or useless, no exact cost is needed.

use super::{ClassCosts, ShareCost};
use crate::costs::leaf_cost::ChildStumps;
use crate::costs::stump_items::StumpItems;
use crate::kernels::class_rows::{
    BLOCK, ClassOrder, ClassRows, RankedClass, SplitClasses, class, ranked_class, separate_classes,
};
use crate::kernels::gains::Thresholds;
use crate::kernels::matrix_costs::min_matrix_cost;
use crate::kernels::share_costs::{ShareCosts, StumpCostBounds, share_cost_bounds};
use exactree_model::{Cost, UNBOUNDED};

/// The classes of the items, data of bounds, and buffers for the stumps of a feature.
pub(crate) struct ClassStumps<'a> {
    costs: &'a ClassCosts,
    shares: Option<ShareCosts<'a>>,
    /// By feature, the ranks and classes of the items in its order.
    ranked: Vec<Vec<RankedClass>>,
    /// By child, the weights of the classes.
    weights: [Vec<i64>; 2],
    split: SplitClasses,
    bounds: StumpCostBounds,
}

impl<'a> ClassStumps<'a> {
    pub(in crate::costs) fn new(costs: &'a ClassCosts, items: &StumpItems<'a>) -> Self {
        let shares = match costs {
            ClassCosts::Matrix { .. } => None,
            ClassCosts::Shares { kind, added, scale, .. } => {
                let log_loss = match kind {
                    ShareCost::LogLoss => true,
                    ShareCost::Gini => false,
                };
                let (error, rows) = (costs.error_per_leaf(), items.plain_rows());
                Some(ShareCosts::new(log_loss, added, *scale, error, rows))
            }
        };
        let ranked = items.by_feature(|rank, item| ranked_class(rank, item.low));
        let (weights, split, bounds) = Default::default();
        ClassStumps { costs, shares, ranked, weights, split, bounds }
    }
}

impl ChildStumps for ClassStumps<'_> {
    fn begin(&mut self, items: &StumpItems<'_>, left: &[u32]) -> [Cost; 2] {
        let all = &items.subset.classes;
        let mut on_left = vec![0; all.len()];
        for &number in left {
            let item = items.items[number as usize];
            on_left[item.low as usize] += item.weight;
        }
        let on_right = all.iter().zip(&on_left).map(|(all, left)| all - left).collect();
        self.weights = [on_left, on_right];
        [0, 1].map(|child| self.costs.leaf_of(&self.weights[child]))
    }

    fn best(
        &mut self,
        items: &StumpItems<'_>,
        feature: usize,
        limits: [Option<Cost>; 2],
        allowed: &[Thresholds; 2],
    ) -> [Option<Cost>; 2] {
        let order = ClassOrder {
            rows: &items.numbers[feature],
            ranked: &self.ranked[feature],
            weights: &items.weights[feature],
        };
        let (instructions, costs) = (items.instructions, self.costs);
        let ClassStumps { shares, split, bounds, weights, .. } = self;
        match items.plain {
            true => separate_classes::<true>(instructions, &order, &items.on_right, split),
            false => separate_classes::<false>(instructions, &order, &items.on_right, split),
        }
        [0, 1].map(|child| {
            let (rows, totals) = (split.child(child), &weights[child]);
            let minimum = |limit| match (costs, &*shares) {
                (ClassCosts::Matrix { by_class, .. }, _) => {
                    let cost =
                        min_matrix_cost(instructions, by_class, &rows, totals, allowed[child]);
                    cost.unwrap_or(UNBOUNDED)
                }
                (_, Some(shares)) => {
                    share_cost_bounds(instructions, shares, &rows, totals, allowed[child], bounds);
                    min_cost(costs, &rows, totals, bounds, limit)
                }
                (_, None) => unreachable!("all other costs are costs of shares"),
            };
            limits[child].map(minimum)
        })
    }
}

/// The minimum cost of the stumps with these lower bounds, if it is below the limit; otherwise a lower
/// bound that is not.
fn min_cost(
    costs: &ClassCosts,
    rows: &ClassRows<'_>,
    totals: &[i64],
    bounds: &StumpCostBounds,
    limit: Cost,
) -> Cost {
    let mut minimum = UNBOUNDED;
    let blocks = || bounds.minima.iter().copied().enumerate();
    let Some((first, bound)) = blocks().min_by(|a, b| a.1.total_cmp(&b.1)) else { return minimum };
    if bound >= limit as f64 {
        // Costs are integers.
        return (bound.ceil() as Cost).min(UNBOUNDED);
    }
    // Costs below 2^53 are floats.
    let mut improve = |block: usize, below: f64| {
        let mut left = bounds.before[block * totals.len()..][..totals.len()].to_vec();
        let mut right: Vec<i64> = totals.iter().zip(&left).map(|(all, left)| all - left).collect();
        let begin = block * BLOCK;
        let ranked = rows.ranked[begin..].iter().zip(begin..);
        for ((&row, at), &bound) in ranked.zip(&bounds.by_place[begin..begin + BLOCK]) {
            let weight = rows.weights.get(at).copied().unwrap_or(1);
            left[class(row)] += weight;
            right[class(row)] -= weight;
            if bound < below.min(minimum as f64) {
                minimum = minimum.min(costs.leaf_of(&left) + costs.leaf_of(&right));
            }
        }
        minimum
    };
    let mut minimum = improve(first, bound.next_up());
    for (block, bound) in blocks() {
        if bound < minimum as f64 {
            minimum = improve(block, f64::INFINITY);
        }
    }
    minimum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::InstructionSet;
    use crate::support::random_weights;

    #[test]
    fn bounds_are_below_the_exact_costs_and_the_minimum_is_exact() {
        let mut random = fastrand::Rng::with_seed(20_261_123);
        let (mut thresholds, mut evaluated) = (0, 0);
        for _ in 0..1_000 {
            let (rows, classes) = (random.usize(1..300), random.u32(1..6));
            let by_place = random.bool();
            let class_of = |at: usize, random: &mut fastrand::Rng| match by_place {
                true if random.u32(0..4) > 0 => (at * classes as usize / rows) as u32,
                _ => random.u32(0..classes),
            };
            let ranked: Vec<_> =
                (0..rows).map(|at| ranked_class(at as u32, class_of(at, &mut random))).collect();
            let weights = random_weights::weights(&mut random, rows, 59);
            let weights: Vec<i64> = weights.iter().map(|&weight| weight as i64).collect();
            let mut totals = vec![0; classes as usize];
            (ranked.iter().zip(&weights)).for_each(|(&row, weight)| totals[class(row)] += weight);
            let kind = [ShareCost::LogLoss, ShareCost::Gini][random.usize(0..2)];
            let added: Vec<f64> = match random.u32(0..4) {
                0 | 1 => vec![0.0; classes as usize],
                2 => vec![1.0; classes as usize],
                _ => (0..classes).map(|_| 2f64.powi(random.i32(-300..700))).collect(),
            };
            // Costs of a larger table have a coarser unit.
            let whole: Vec<i64> = totals.iter().map(|total| total * random.i64(1..4)).collect();
            let (costs, _) = ClassCosts::of_shares(kind, added.clone(), &whole, 0.0);
            let ClassCosts::Shares { scale, .. } = costs else { unreachable!("as drawn") };
            let log_loss = kind == ShareCost::LogLoss;
            let shares = ShareCosts::new(log_loss, &added, scale, costs.error_per_leaf(), 300);
            let given = if weights.iter().all(|&weight| weight == 1) { &[] } else { &weights[..] };
            let rows = ClassRows { ranked: &ranked, weights: given };
            let mut left = vec![0; classes as usize];
            let exact: Vec<Cost> = (ranked.iter().zip(&weights).take(ranked.len() - 1))
                .map(|(&row, weight)| {
                    left[class(row)] += weight;
                    let right: Vec<i64> = totals.iter().zip(&left).map(|(a, b)| a - b).collect();
                    costs.leaf_of(&left) + costs.leaf_of(&right)
                })
                .collect();
            for instructions in InstructionSet::available() {
                let mut bounds = StumpCostBounds::default();
                share_cost_bounds(
                    instructions,
                    &shares,
                    &rows,
                    &totals,
                    Thresholds::ALL,
                    &mut bounds,
                );
                for (cost, bound) in exact.iter().zip(&bounds.by_place) {
                    assert!(*bound <= *cost as f64, "{bound} {cost} {costs:?} {totals:?}");
                }
                let expected = exact.iter().min().copied().unwrap_or(UNBOUNDED);
                let minimum = min_cost(&costs, &rows, &totals, &bounds, Cost::MAX);
                assert_eq!(minimum, expected);
                let limit = random.u64(0..=2 * expected);
                let found = min_cost(&costs, &rows, &totals, &bounds, limit);
                assert!(found == expected || (limit..=expected).contains(&found));
                if instructions == InstructionSet::Portable {
                    let below = |bound: &&f64| **bound < minimum as f64;
                    thresholds += exact.len();
                    evaluated += bounds.by_place.iter().filter(below).count();
                }
            }
        }
        assert!(thresholds > 100_000 && evaluated < thresholds / 5, "{thresholds} {evaluated}");
    }
}
