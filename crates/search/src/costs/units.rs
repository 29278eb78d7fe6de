//! A cost with its unit.

use super::absolute_error::AbsoluteError;
use super::any_cost::AnyCost;
use super::class_costs::ClassCosts;
use super::leaf_cost::LeafRounding;
use super::squared_error::SquaredError;
use super::targets::times_power;
use exactree_model::{Cost, Weight};

/// Tolerance of the cost of a tree reported optimal above the minimum cost, relative to that cost
/// and to the cost of a single leaf.
const COST_TOLERANCE: f64 = 1e-9;
const LEAF_TOLERANCE: f64 = 1e-15;

/// The error of a leaf in regression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetError {
    /// Squares about the mean.
    Squared,
    /// Absolute deviations from a median.
    Absolute,
}

/// A cost of leaves in integers, and their unit.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    pub cost: AnyCost,
    /// A unit of cost is 2 to this power in the user's unit.
    exponent: i32,
}

impl Units {
    /// Units for distinct finite targets in increasing order, the weights of each, and a price per
    /// leaf. A price above the total error makes the grid coarser; then one leaf is optimal.
    pub(crate) fn of_targets(
        error: TargetError,
        targets: &[f64],
        weights: &[Weight],
        leaf_price: f64,
    ) -> Units {
        let (cost, exponent) = match error {
            TargetError::Squared => {
                let (cost, exponent) = SquaredError::new(targets, weights, leaf_price);
                (AnyCost::Squared(cost), exponent)
            }
            TargetError::Absolute => {
                let (cost, exponent) = AbsoluteError::new(targets, weights, leaf_price);
                (AnyCost::Absolute(cost), exponent)
            }
        };
        Units { cost, exponent }
    }

    /// Units for costs of classes, each 2 to the exponent.
    pub(crate) fn of_classes(costs: ClassCosts, exponent: i32) -> Units {
        Units { cost: AnyCost::Classes(costs), exponent }
    }

    /// The same targets and sums in fine units; `None` except for squared errors, and if the price of a
    /// leaf exceeds the total error.
    pub(crate) fn finer(&self) -> Option<Units> {
        let (cost, bits) = self.cost.squared()?.finer()?;
        Some(Units { cost: AnyCost::Squared(cost), exponent: self.exponent - bits })
    }

    /// A price per leaf in units of cost; at most about that of all errors.
    pub(crate) fn price(&self, leaf_price: f64) -> Cost {
        self.cost.price(times_power(leaf_price, -self.exponent))
    }

    /// The same for a problem in which the price of a leaf is divided by 2 to this power.
    pub(crate) fn with_shared_price(&self, power: u32) -> Units {
        let mut units = self.clone();
        if let AnyCost::Classes(ClassCosts::Matrix { price, .. }) = &mut units.cost {
            *price >>= power;
        }
        units
    }

    /// Whether a rounding error is within the tolerance.
    pub(crate) fn tolerate(rounding: f64, cost: f64, one_leaf: f64) -> bool {
        rounding <= (COST_TOLERANCE * cost).max(LEAF_TOLERANCE * one_leaf)
    }

    /// A number of units in the user's unit.
    pub(crate) fn in_user_units(&self, cost: f64) -> f64 {
        times_power(cost.max(0.0), self.exponent).min(f64::MAX)
    }
}
