//! The best stumps for costs of classes.
//!
//! Log-loss and impurity are expensive to compute exactly. So lower bounds are computed first
//! (`kernels/share_costs.rs`): one for each block of thresholds, then those of the single thresholds of
//! the blocks whose bound is below the minimum cost so far, beginning with the least bound, and at last the
//! exact costs of the few thresholds whose own bound is below it. All others cost at least this minimum,
//! which therefore is exact. Bounds no less than the cost of another stump, or useless, need no exact cost.

use super::{ClassCosts, ShareCost};
use crate::costs::leaf_cost::ChildStumps;
use crate::costs::stump_items::StumpItems;
use crate::kernels::InstructionSet;
use crate::kernels::class_rows::{
    BLOCK, ClassOrder, ClassRows, RankedClass, SplitClasses, class, ranked_class, separate_classes,
};
use crate::kernels::gains::Thresholds;
use crate::kernels::matrix_costs::min_matrix_cost;
use crate::kernels::share_costs::{
    ShareCosts, StumpCostBounds, refine_share_cost_bounds, share_cost_bounds,
};
use exactree_model::{Cost, UNBOUNDED};
use std::iter;

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
                    let allowed = allowed[child];
                    let stumps =
                        FeatureStumps { costs, shares, rows, totals, allowed, instructions };
                    stumps.min_cost(bounds, limit)
                }
                (_, None) => unreachable!("all other costs are costs of shares"),
            };
            limits[child].map(minimum)
        })
    }
}

/// The stumps of a child on a feature.
struct FeatureStumps<'s> {
    costs: &'s ClassCosts,
    shares: &'s ShareCosts<'s>,
    rows: ClassRows<'s>,
    totals: &'s [i64],
    allowed: Thresholds,
    instructions: InstructionSet,
}

impl FeatureStumps<'_> {
    /// The minimum cost, if it is below the limit; otherwise a lower bound that is not.
    fn min_cost(&self, bounds: &mut StumpCostBounds, limit: Cost) -> Cost {
        let FeatureStumps { shares, rows, totals, allowed, instructions, .. } = self;
        share_cost_bounds(*instructions, shares, rows, totals, *allowed, bounds);
        let blocks = bounds.minima.len();
        let least = (0..blocks).min_by(|&a, &b| bounds.minima[a].total_cmp(&bounds.minima[b]));
        let Some(first) = least else { return UNBOUNDED };
        let mut minimum = UNBOUNDED;
        for block in iter::once(first).chain((0..blocks).filter(|&block| block != first)) {
            // Costs are integers below 2^53, so they are floats.
            let below = |minimum: Cost| minimum.min(limit) as f64;
            if bounds.minima[block] >= below(minimum) {
                continue;
            }
            refine_share_cost_bounds(*instructions, shares, rows, totals, *allowed, block, bounds);
            let least = bounds.minima[block];
            if least < below(minimum) {
                // First the threshold with the least bound, whose cost may spare the others.
                minimum = minimum.min(self.exact_minimum(bounds, block, least.next_up()));
                minimum = minimum.min(self.exact_minimum(bounds, block, below(minimum)));
            }
        }
        if minimum < limit {
            return minimum;
        }
        let least = bounds.minima.iter().copied().fold(f64::INFINITY, f64::min);
        (least.ceil() as Cost).max(limit).min(UNBOUNDED)
    }

    /// The minimum cost of the stumps of a refined block whose bound is below `below`.
    fn exact_minimum(&self, bounds: &StumpCostBounds, block: usize, below: f64) -> Cost {
        let FeatureStumps { costs, rows, totals, .. } = self;
        let mut left = bounds.before[block * totals.len()..][..totals.len()].to_vec();
        let mut right: Vec<i64> = totals.iter().zip(&left).map(|(all, left)| all - left).collect();
        let (begin, mut minimum) = (block * BLOCK, UNBOUNDED);
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
                let allowed = Thresholds::ALL;
                let (costs, shares, totals) = (&costs, &shares, &totals[..]);
                let stumps = FeatureStumps { costs, shares, rows, totals, allowed, instructions };
                let expected = exact.iter().min().copied().unwrap_or(UNBOUNDED);
                let minimum = stumps.min_cost(&mut bounds, Cost::MAX);
                assert_eq!(minimum, expected);
                let limit = random.u64(0..=2 * expected);
                let found = stumps.min_cost(&mut bounds, limit);
                let is_bound = (limit..=expected).contains(&found);
                assert!(is_bound || (found == expected && expected < limit), "{found} {expected}");
                if instructions == InstructionSet::Portable {
                    thresholds += exact.len();
                    let blocks = bounds.minima.len();
                    for block in 0..blocks {
                        let bounds = &mut bounds;
                        refine_share_cost_bounds(
                            instructions,
                            shares,
                            &rows,
                            totals,
                            allowed,
                            block,
                            bounds,
                        );
                    }
                    for (cost, bound) in exact.iter().zip(&bounds.by_place) {
                        assert!(*bound <= *cost as f64, "{bound} {cost} {costs:?} {totals:?}");
                    }
                    let below = |bound: &&f64| **bound < minimum as f64;
                    evaluated += bounds.by_place[..exact.len()].iter().filter(below).count();
                }
            }
        }
        assert!(thresholds > 100_000 && evaluated < thresholds / 5, "{thresholds} {evaluated}");
    }
}
