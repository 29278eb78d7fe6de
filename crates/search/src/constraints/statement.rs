//! The constraints of a problem, and the same by the columns of a prepared table.

use crate::constraints::feature_space::FeatureSpace;
use crate::engine::subset_state::SubsetState;
use crate::spaces::continuous::layout::Layout;
use exactree_model::{Cost, Table, Weight};

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

/// The constraints by the columns of a prepared table.
pub(crate) struct PreparedConstraints<'a> {
    pub stated: &'a TreeConstraints,
    /// By column of the prepared table: its feature.
    pub features: Vec<u32>,
    /// Where violations of monotonicity are found; `None` if trees need not be monotone.
    pub space: Option<FeatureSpace<'a>>,
}

impl<'a> PreparedConstraints<'a> {
    pub fn new(stated: &'a TreeConstraints, table: &Table, layout: &'a Layout) -> Self {
        let column = |index: u32| table.features[index as usize].index as usize;
        let columns: Vec<usize> = layout.features.iter().map(|f| column(f.index)).collect();
        let features = columns.iter().map(|&column| stated.features[column]).collect();
        let space = stated.monotone().then(|| FeatureSpace::new(stated, layout, &columns));
        PreparedConstraints { stated, features, space }
    }

    /// The constraints of the whole table.
    pub fn whole(&self) -> SubsetState {
        let mut required = self.stated.required.clone();
        required.sort_unstable();
        let quotas = self.stated.quotas.clone();
        SubsetState { required, quotas, ..SubsetState::default() }
    }

    /// The direction of the feature of a column.
    pub fn direction(&self, column: usize) -> i8 {
        self.stated.directions[self.features[column] as usize]
    }

    /// Whether a node of a subset may use a feature, given the features above it.
    pub fn stands_below(&self, feature: u32, above: &[u32]) -> bool {
        self.stated.only_below[feature as usize].is_none_or(|other| above.contains(&other))
    }
}
