//! The constraints of a problem.

use exactree_model::{Cost, Weight};

/// The constraints of a problem, with features by number.
#[derive(Clone, Debug, Default)]
pub struct TreeConstraints {
    /// By column of the table: its feature.
    pub features: Vec<u32>,
    /// By feature: 1 if predictions must not decrease, -1 if they must not increase, else 0.
    pub directions: Vec<i8>,
    /// Whether monotonicity applies to the share of the second class; else to the predicted class.
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
    /// weight in the costs.
    pub share_factors: Vec<Weight>,
    /// Minimum weight of a leaf.
    pub min_leaf_weight: Weight,
    /// By feature: the values that a point can have, each by its ranks in the columns of the feature.
    /// Empty for a feature with one column, whose values are its ranks.
    pub values: Vec<Vec<Vec<u32>>>,
}

impl TreeConstraints {
    /// The weights of classes in shares, from their weights in the costs.
    pub(crate) fn shares<'w>(
        &'w self,
        class_weights: &'w [Weight],
    ) -> impl Iterator<Item = Weight> + 'w {
        class_weights.iter().zip(&self.share_factors).map(|(weight, factor)| weight * factor)
    }

    /// Whether trees must be monotone in some feature.
    pub fn monotone(&self) -> bool {
        self.directions.iter().any(|&direction| direction != 0)
    }
}
