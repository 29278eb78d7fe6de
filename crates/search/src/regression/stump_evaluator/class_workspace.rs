//! Scratch memory for the stumps of costs of classes.

use crate::kernels::class_rows::SplitClasses;
use crate::kernels::share_costs::{ShareCosts, StumpCostBounds};
use crate::regression::class_costs::{ClassCosts, ShareCost};

/// Data of bounds for all features, and buffers for the stumps of one feature.
pub(super) struct ClassStumps<'a> {
    pub(super) shares: Option<ShareCosts<'a>>,
    pub(super) split: SplitClasses,
    pub(super) bounds: StumpCostBounds,
}

impl<'a> ClassStumps<'a> {
    /// For a number of rows that weigh one each, or none.
    pub(super) fn new(costs: Option<&'a ClassCosts>, rows: usize) -> Self {
        let shares = costs.and_then(|costs| match costs {
            ClassCosts::Matrix { .. } => None,
            ClassCosts::Shares { kind, added, scale, .. } => {
                let log_loss = match kind {
                    ShareCost::LogLoss => true,
                    ShareCost::Gini => false,
                };
                Some(ShareCosts::new(log_loss, added, *scale, costs.error_per_leaf(), rows))
            }
        });
        let (split, bounds) = Default::default();
        ClassStumps { shares, split, bounds }
    }
}
