//! The constraints of a problem by the columns of a prepared table.

use crate::constraints::feature_space::FeatureSpace;
use crate::constraints::leaf_totals::Targets;
use crate::constraints::statement::TreeConstraints;
use crate::engine::subset::ThresholdTable;
use crate::engine::subset_state::SubsetState;
use exactree_model::Table;
use num_bigint::BigInt;

/// The constraints by the columns of a prepared table.
pub(crate) struct PreparedConstraints<'a> {
    pub statement: &'a TreeConstraints,
    /// By column of the prepared table: its feature.
    pub features: Vec<u32>,
    /// Where violations of monotonicity are found; `None` if trees need not be monotone.
    pub space: Option<FeatureSpace<'a>>,
    /// The targets of a regression.
    pub targets: Option<&'a Targets>,
    /// Number of classes, or of distinct targets.
    pub n_codes: usize,
}

impl<'a> PreparedConstraints<'a> {
    pub(crate) fn new<P: ThresholdTable>(
        statement: &'a TreeConstraints,
        targets: Option<&'a Targets>,
        table: &Table,
        prepared: &'a P,
    ) -> Self {
        let columns: Vec<usize> = (0..prepared.features())
            .map(|at| table.features[prepared.index(at) as usize].index as usize)
            .collect();
        let features = columns.iter().map(|&column| statement.features[column]).collect();
        let space =
            statement.monotone().then(|| FeatureSpace::new(statement, table, prepared, &columns));
        PreparedConstraints { statement, features, space, targets, n_codes: table.n_classes }
    }

    /// The constraints of the whole table.
    pub(crate) fn whole(&self) -> SubsetState {
        let mut required = self.statement.required.clone();
        required.sort_unstable();
        let quotas = self.statement.quotas.clone();
        SubsetState { required, quotas, ..SubsetState::default() }
    }

    /// The direction of the feature of a column.
    pub(crate) fn direction(&self, column: usize) -> i8 {
        self.statement.directions[self.features[column] as usize]
    }

    /// Whether a node of a subset may use a feature, given the features above it.
    pub(crate) fn stands_below(&self, feature: u32, above: &[u32]) -> bool {
        self.statement.only_below[feature as usize].is_none_or(|other| above.contains(&other))
    }

    /// The target of a code, in a unit in which all targets are whole; zero without means.
    pub(crate) fn target(&self, code: u32) -> BigInt {
        match self.targets {
            Some(Targets::Means(targets)) => targets[code as usize].clone(),
            _ => BigInt::ZERO,
        }
    }
}
