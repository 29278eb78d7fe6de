//! The constraints of a problem by the columns of a prepared table.

use crate::constraints::feature_space::FeatureSpace;
use crate::constraints::statement::TreeConstraints;
use crate::engine::subset_state::SubsetState;
use crate::spaces::continuous::layout::Layout;
use exactree_model::Table;

/// The constraints by the columns of a prepared table.
pub(crate) struct PreparedConstraints<'a> {
    pub stated: &'a TreeConstraints,
    /// By column of the prepared table: its feature.
    pub features: Vec<u32>,
    /// Where violations of monotonicity are found; `None` if trees need not be monotone.
    pub space: Option<FeatureSpace<'a>>,
}

impl<'a> PreparedConstraints<'a> {
    pub(crate) fn new(stated: &'a TreeConstraints, table: &Table, layout: &'a Layout) -> Self {
        let column = |index: u32| table.features[index as usize].index as usize;
        let columns: Vec<usize> = layout.features.iter().map(|f| column(f.index)).collect();
        let features = columns.iter().map(|&column| stated.features[column]).collect();
        let space = stated.monotone().then(|| FeatureSpace::new(stated, layout, &columns));
        PreparedConstraints { stated, features, space }
    }

    /// The constraints of the whole table.
    pub(crate) fn whole(&self) -> SubsetState {
        let mut required = self.stated.required.clone();
        required.sort_unstable();
        let quotas = self.stated.quotas.clone();
        SubsetState { required, quotas, ..SubsetState::default() }
    }

    /// The direction of the feature of a column.
    pub(crate) fn direction(&self, column: usize) -> i8 {
        self.stated.directions[self.features[column] as usize]
    }

    /// Whether a node of a subset may use a feature, given the features above it.
    pub(crate) fn stands_below(&self, feature: u32, above: &[u32]) -> bool {
        self.stated.only_below[feature as usize].is_none_or(|other| above.contains(&other))
    }
}
