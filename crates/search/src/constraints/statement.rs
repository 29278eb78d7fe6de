//! The constraints of a problem.

use crate::engine::subset_state::LeafValue;
use exactree_model::{Cost, Weight};

/// The constraints of a problem, with features by number.
#[derive(Clone, Debug, Default)]
pub struct TreeConstraints {
    /// By column of the table: its feature.
    pub features: Vec<u32>,
    /// By feature: 1 if predictions must not decrease, -1 if they must not increase, else 0.
    pub directions: Vec<i8>,
    /// Whether monotonicity applies to the share of the second class; else to the predicted class. Of
    /// regressions it applies to the predicted value.
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
    /// By class: the weight of an example in shares and in `min_leaf_weight` for each unit of its
    /// weight in the costs. Empty in regression, where both weights are the same.
    pub share_factors: Vec<Weight>,
    /// By class: what smoothing adds to the weight of the class in shares. Not counted in
    /// `min_leaf_weight`.
    pub share_added: Vec<Weight>,
    /// Minimum weight of a leaf.
    pub min_leaf_weight: Weight,
    /// By feature: the values that a point can have, each by its ranks in the columns of the feature.
    /// Empty for a feature with one column, whose values are its ranks.
    pub values: Vec<Vec<Vec<u32>>>,
}

impl TreeConstraints {
    /// The weight of a leaf for `min_leaf_weight`, from the weights of its classes in the costs.
    pub(crate) fn leaf_weight(&self, class_weights: &[Weight]) -> Weight {
        class_weights.iter().zip(&self.share_factors).map(|(weight, factor)| weight * factor).sum()
    }

    /// The share of the last class, from the weights of classes in the costs.
    pub(crate) fn share(&self, class_weights: &[Weight]) -> LeafValue {
        let factors = self.share_factors.iter().zip(&self.share_added);
        let weights = class_weights.iter().zip(factors);
        let mut weights = weights.map(|(weight, (factor, added))| weight * factor + added);
        let numerator = weights.next_back().unwrap_or(0);
        let denominator = weights.sum::<Weight>() + numerator;
        LeafValue::Ratio { numerator, denominator: denominator.max(1) }
    }

    /// Whether trees with monotone values also have monotone predictions. Smoothing moves the share at
    /// which the prediction changes with the weight of a leaf.
    fn orders_predictions(&self) -> bool {
        !self.in_shares || self.share_added.iter().all(|&added| added == 0)
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
