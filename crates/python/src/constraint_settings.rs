//! Settings of the searches under constraints.

use crate::class_costs::ClassCostsSettings;
use crate::regression::RegressionSettings;
use crate::request::{CallLimits, CostSettings};
use crate::result::NodeRow;
use exactree_model::Cost;
use exactree_search::{FeaturePrices, TreeConstraints};
use num_bigint::BigUint;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// The constraints of a problem without prices of features, as in `TreeConstraints`, and a tree to
/// start from.
#[derive(FromPyObject)]
pub(crate) struct ConstraintSettings {
    features: Vec<u32>,
    directions: Vec<i8>,
    in_shares: bool,
    required: Vec<u32>,
    only_below: Vec<Option<u32>>,
    max_features: Option<usize>,
    /// Pairs of a class and its maximum number of leaves.
    leaves: Vec<(u32, u32)>,
    error_costs: Vec<BigUint>,
    share_scale: BigUint,
    share_added: Vec<BigUint>,
    min_leaf_weight: u64,
    values: Vec<Vec<Vec<u32>>>,
    incumbent: Option<Vec<NodeRow>>,
}

/// Settings of the search for minimum errors under constraints.
#[derive(FromPyObject)]
pub(crate) struct ConstrainedErrorSettings<'py> {
    pub costs: CostSettings,
    pub constraints: ConstraintSettings,
    /// The weights of the rows that constraints compare, if they are others than those of the
    /// table.
    pub unscaled_weights: Option<PyReadonlyArray1<'py, u64>>,
    /// By feature: the price of using it.
    pub prices: Vec<Cost>,
    /// Whether the minimum leaf size is a weight.
    pub counts_weight: bool,
}

/// Settings of the search for minimum class costs under constraints.
#[derive(FromPyObject)]
pub(crate) struct ConstrainedClassCostsSettings {
    pub costs: ClassCostsSettings,
    pub constraints: ConstraintSettings,
    pub prices: FeaturePriceSettings,
}

/// Settings of the search for regression trees under constraints.
#[derive(FromPyObject)]
pub(crate) struct ConstrainedRegressionSettings {
    pub costs: RegressionSettings,
    pub constraints: ConstraintSettings,
    pub prices: Vec<f64>,
}

impl ConstrainedClassCostsSettings {
    /// The limits of a call that starts now.
    pub(crate) fn start(&self) -> CallLimits {
        self.costs.search.resources.start()
    }
}

impl ConstrainedRegressionSettings {
    /// The limits of a call that starts now.
    pub(crate) fn start(&self) -> CallLimits {
        self.costs.search.resources.start()
    }
}

/// By feature: the price of using it, in integers if costs are exact.
#[derive(FromPyObject)]
pub(crate) enum FeaturePriceSettings {
    Exact(Vec<Cost>),
    Rounded(Vec<f64>),
}

impl From<FeaturePriceSettings> for FeaturePrices {
    fn from(settings: FeaturePriceSettings) -> Self {
        match settings {
            FeaturePriceSettings::Exact(prices) => FeaturePrices::Exact(prices),
            FeaturePriceSettings::Rounded(prices) => FeaturePrices::Rounded(prices),
        }
    }
}

impl ConstraintSettings {
    /// The constraints with prices of features, and the tree to start from.
    pub(crate) fn stated(self, prices: Vec<Cost>) -> (TreeConstraints, Option<Vec<NodeRow>>) {
        let constraints = TreeConstraints {
            features: self.features,
            directions: self.directions,
            in_shares: self.in_shares,
            required: self.required,
            only_below: self.only_below,
            max_features: self.max_features,
            prices,
            quotas: self.leaves,
            error_costs: self.error_costs,
            share_scale: self.share_scale,
            share_added: self.share_added,
            min_leaf_weight: self.min_leaf_weight,
            values: self.values,
        };
        (constraints, self.incumbent)
    }
}
