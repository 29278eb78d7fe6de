//! The best stumps for costs of classes.

use super::RegressionStumpEvaluator;
use crate::kernels::gains::Thresholds;
use crate::regression::subset::leaf_of_classes;
use exactree_model::{Cost, UNBOUNDED};

impl RegressionStumpEvaluator<'_> {
    /// The cost of the best stump on a feature for class costs, in one pass for both children.
    pub(super) fn stumps_of_classes(
        &self,
        feature: usize,
        matters: [bool; 2],
        allowed: &[Thresholds; 2],
    ) -> [Cost; 2] {
        let mut right = self.class_weights_of.clone();
        let mut left = right.each_ref().map(|weights| vec![0; weights.len()]);
        let (mut minimum, mut last) = ([UNBOUNDED; 2], [None; 2]);
        for (at, &number) in self.numbers[feature].iter().enumerate() {
            let child = usize::from(self.on_right[number as usize]);
            if !matters[child] {
                continue;
            }
            let (rank, code) = (self.ranks[feature][at], self.codes[feature][at] as usize);
            if last[child].is_some_and(|last| allowed[child].separate(last, rank)) {
                let leaf = |weights: &[i64]| leaf_of_classes(self.prepared, weights);
                minimum[child] = minimum[child].min(leaf(&left[child]) + leaf(&right[child]));
            }
            last[child] = Some(rank);
            let weight = self.weights[feature].get(at).copied().unwrap_or(1);
            left[child][code] += weight;
            right[child][code] -= weight;
        }
        minimum
    }
}
