//! The constraints of a problem.

use crate::engine::subset_state::LeafValue;
use exactree_model::{Cost, Weight};
use num_bigint::BigUint;

/// The constraints of a problem, with features by number.
#[derive(Clone, Debug, Default)]
pub struct TreeConstraints {
    /// By column of the table: its feature.
    pub features: Vec<u32>,
    /// By feature: 1 if predictions must not decrease, -1 if they must not increase, else 0.
    pub directions: Vec<i8>,
    /// Whether monotonicity applies to the share of the second class; else to the predicted class.
    /// Of regressions it applies to the predicted value.
    pub in_shares: bool,
    /// Features that the tree must use.
    pub required: Vec<u32>,
    /// By feature: the feature that a node above must use.
    pub only_below: Vec<Option<u32>>,
    pub max_features: Option<usize>,
    /// By feature: the price of using it.
    pub prices: Vec<Cost>,
    /// Classes, and the maximum number of leaves that predict each.
    pub quotas: Vec<(u32, u32)>,
    /// By class: the cost of an error on a unit of its weight, in some unit. Empty if the weights
    /// in the costs are those that constraints compare.
    pub error_costs: Vec<BigUint>,
    /// What a unit of weight counts in shares.
    pub share_scale: BigUint,
    /// By class: what smoothing adds to this count of the class; empty without smoothing. Not
    /// counted in `min_leaf_weight`.
    pub share_added: Vec<BigUint>,
    /// Minimum weight of a leaf.
    pub min_leaf_weight: Weight,
    /// By feature: the values that a point can have, each by its ranks in the columns of the
    /// feature. Empty for a feature with one column, whose values are its ranks.
    pub values: Vec<Vec<Vec<u32>>>,
}

impl TreeConstraints {
    /// The class that a leaf predicts, from the weights of its classes; `None` without
    /// `error_costs`.
    pub(crate) fn class_of_least_errors(&self, class_weights: &[Weight]) -> Option<u32> {
        let costs =
            class_weights.iter().zip(&self.error_costs).map(|(weight, cost)| cost * *weight);
        // Among equal costs the first.
        let most = costs.enumerate().rev().max_by(|(_, a), (_, b)| a.cmp(b));
        most.map(|(class, _)| class as u32)
    }

    /// The share of the last class, from the weights of the classes.
    pub(crate) fn share(&self, class_weights: &[Weight]) -> LeafValue {
        let last = class_weights.last().copied().unwrap_or(0);
        let total: Weight = class_weights.iter().sum();
        let Some(added_to_last) = self.share_added.last() else {
            return LeafValue::Ratio { numerator: last, denominator: total.max(1) };
        };
        let numerator = &self.share_scale * last + added_to_last;
        let denominator = &self.share_scale * total + self.share_added.iter().sum::<BigUint>();
        LeafValue::fraction(numerator, denominator)
    }

    /// The share of the last of two classes at which errors on both cost the same.
    pub(crate) fn share_of_equal_errors(&self) -> LeafValue {
        match self.error_costs.as_slice() {
            [first, .., last] => LeafValue::fraction(first.clone(), first + last),
            _ => LeafValue::Ratio { numerator: 1, denominator: 2 },
        }
    }

    /// Whether trees with monotone values also have monotone predictions. With smoothing, the share
    /// at which the prediction changes depends on the weight of the leaf.
    fn orders_predictions(&self) -> bool {
        !self.in_shares || self.share_added.is_empty()
    }

    /// Whether trees must be monotone in some feature, and so also their predictions.
    pub(crate) fn orders_classes(&self) -> bool {
        self.monotone() && self.orders_predictions()
    }

    /// Whether trees must be monotone in some feature.
    pub fn monotone(&self) -> bool {
        self.directions.iter().any(|&direction| direction != 0)
    }
}
