//! The best stumps for squared error.

use super::RegressionStumpEvaluator;
use crate::kernels::gains::{GainOrder, Thresholds, best_stumps};
use exactree_model::Cost;

impl RegressionStumpEvaluator<'_> {
    /// The maximum savings of a stump on a feature, by child.
    pub(super) fn savings_of_stumps(
        &mut self,
        feature: usize,
        allowed: &[Thresholds; 2],
    ) -> [Cost; 2] {
        if self.prepared.units.are_fine() {
            return [0, 1].map(|child| self.fine_savings(feature, child, allowed[child]));
        }
        let order = GainOrder {
            rows: &self.numbers[feature],
            ranks: &self.ranks[feature],
            sums: &self.sums[feature],
            weights: &self.weights[feature],
        };
        let kernel = match self.prepared.plain {
            true => best_stumps::<true>,
            false => best_stumps::<false>,
        };
        let (on_right, inverses) = (&self.on_right, &self.inverses);
        let (mut savings, split_rows) = ([0.0; 2], &mut self.split_rows);
        kernel(self.instructions, &order, on_right, allowed, inverses, split_rows, &mut savings);
        savings.map(|savings| savings as Cost)
    }

    /// The maximum savings of a stump on a feature in one child, with the exact divisions of fine
    /// units.
    fn fine_savings(&self, feature: usize, child: usize, allowed: Thresholds) -> Cost {
        let here = self.places_in_child(feature, child);
        let (sums, weights) = (&self.sums[feature], &self.weights[feature]);
        let sums = here.iter().map(|&at| (sums[at], weights.get(at).copied().unwrap_or(1)));
        let all = sums.clone().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        let (mut sum, mut weight, mut maximum) = (0, 0, 0);
        for (pair, one) in here.windows(2).zip(sums) {
            sum += one.0;
            weight += one.1;
            let ranks = &self.ranks[feature];
            if allowed.separate(ranks[pair[0]], ranks[pair[1]]) {
                let units = &self.prepared.units;
                let right = units.savings(all.0 - sum, all.1 - weight);
                maximum = maximum.max(units.savings(sum, weight) + right);
            }
        }
        maximum
    }

    /// The places of a feature whose items are in one child.
    fn places_in_child(&self, feature: usize, child: usize) -> Vec<usize> {
        let numbers = &self.numbers[feature];
        let child = |at: &usize| usize::from(self.on_right[numbers[*at] as usize]) == child;
        (0..numbers.len()).filter(child).collect()
    }
}
