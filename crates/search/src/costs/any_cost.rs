//! The list of costs. Calls for one leaf, one feature or one item choose the cost by a branch; inner loops
//! are compiled for each cost.

use super::absolute_error::AbsoluteError;
use super::absolute_error::stumps::AbsoluteStumps;
use super::class_costs::ClassCosts;
use super::class_costs::stumps::ClassStumps;
use super::clusters::min_cost_of_groups;
use super::items::{CostItem, CostSubset, CostTotals, ItemRounding};
use super::leaf_cost::{ChildStumps, CostLaws, LeafCost, LeafRounding, StumpCosts, TreeRounding};
use super::squared_error::SquaredError;
use super::squared_error::stumps::SquaredStumps;
use super::stump_items::StumpItems;
use crate::engine::subset::OrderEntry;
use crate::kernels::gains::Thresholds;
use exactree_model::{Cost, Weight};
use std::cmp::Ordering;

/// One of the costs.
#[derive(Clone, Debug)]
pub(crate) enum AnyCost {
    Squared(SquaredError),
    Absolute(AbsoluteError),
    Classes(ClassCosts),
}

/// The best stumps for one of the costs.
pub(crate) enum AnyStumps<'a> {
    Squared(SquaredStumps<'a>),
    Absolute(AbsoluteStumps<'a>),
    Classes(ClassStumps<'a>),
}

/// Calls a method of the cost at hand.
macro_rules! of_each {
    ($list:ident, $value:expr, $cost:ident => $call:expr) => {
        match $value {
            $list::Squared($cost) => $call,
            $list::Absolute($cost) => $call,
            $list::Classes($cost) => $call,
        }
    };
}

impl AnyCost {
    /// Squared error, which alone needs only sums of items.
    pub(crate) fn squared(&self) -> Option<&SquaredError> {
        match self {
            AnyCost::Squared(cost) => Some(cost),
            AnyCost::Absolute(_) | AnyCost::Classes(_) => None,
        }
    }

    /// The costs of classes; `None` in regression.
    pub(crate) fn of_classes(&self) -> Option<&ClassCosts> {
        match self {
            AnyCost::Classes(costs) => Some(costs),
            AnyCost::Squared(_) | AnyCost::Absolute(_) => None,
        }
    }

    /// The number of classes; 0 in regression.
    pub(crate) fn classes(&self) -> usize {
        self.of_classes().map_or(0, ClassCosts::classes)
    }

    /// Kernels for the best stumps of some items.
    pub(crate) fn stumps<'a>(&'a self, items: &StumpItems<'a>) -> AnyStumps<'a> {
        match self {
            AnyCost::Squared(cost) => AnyStumps::Squared(SquaredStumps::new(cost, items)),
            AnyCost::Absolute(cost) => AnyStumps::Absolute(AbsoluteStumps::new(cost, items)),
            AnyCost::Classes(costs) => AnyStumps::Classes(ClassStumps::new(costs, items)),
        }
    }

    /// The clustering bound of `clusters.rs` for the weighted items of a subset, with 2 to `leaves`
    /// leaves; 0 for classes, which have no order, and if stopped.
    pub(crate) fn clustering_bound<'i>(
        &self,
        stopped: &dyn Fn() -> bool,
        items: impl Iterator<Item = &'i CostItem>,
        leaves: u32,
        price: Cost,
    ) -> Cost {
        match self {
            AnyCost::Squared(cost) => min_cost_of_groups(stopped, cost, items, leaves, price),
            AnyCost::Absolute(cost) => min_cost_of_groups(stopped, cost, items, leaves, price),
            AnyCost::Classes(_) => 0,
        }
    }
}

impl LeafCost for AnyCost {
    fn item(&self, code: u32, weight: Weight, rows: u64) -> (CostItem, ItemRounding) {
        of_each!(AnyCost, self, cost => cost.item(code, weight, rows))
    }

    fn compare(&self, a: &CostItem, b: &CostItem) -> Ordering {
        of_each!(AnyCost, self, cost => cost.compare(a, b))
    }

    fn leaf<'i>(&self, totals: &CostTotals, items: impl Iterator<Item = &'i CostItem>) -> Cost {
        of_each!(AnyCost, self, cost => cost.leaf(totals, items))
    }

    fn equal_rows_bound(&self, items: &[CostItem]) -> Cost {
        of_each!(AnyCost, self, cost => cost.equal_rows_bound(items))
    }

    fn reach(&self, item: &CostItem, totals: &CostTotals) -> Cost {
        of_each!(AnyCost, self, cost => cost.reach(item, totals))
    }

    fn laws(&self) -> CostLaws {
        of_each!(AnyCost, self, cost => cost.laws())
    }
}

impl LeafRounding for AnyCost {
    fn price(&self, price: f64) -> Cost {
        of_each!(AnyCost, self, cost => LeafRounding::price(cost, price))
    }

    fn leaf_error(&self, items: usize) -> Cost {
        of_each!(AnyCost, self, cost => cost.leaf_error(items))
    }

    fn growth(&self, leaves: u32) -> Cost {
        of_each!(AnyCost, self, cost => cost.growth(leaves))
    }

    fn tree_error(&self, tree: &TreeRounding) -> f64 {
        of_each!(AnyCost, self, cost => cost.tree_error(tree))
    }
}

impl StumpCosts for AnyCost {
    fn costs_of_stumps(
        &self,
        items: &[CostItem],
        subset: &CostSubset,
        order: &[OrderEntry],
    ) -> Vec<Cost> {
        of_each!(AnyCost, self, cost => cost.costs_of_stumps(items, subset, order))
    }
}

impl ChildStumps for AnyStumps<'_> {
    fn begin(&mut self, items: &StumpItems<'_>, left: &[u32]) -> [Cost; 2] {
        of_each!(AnyStumps, self, stumps => stumps.begin(items, left))
    }

    fn best(
        &mut self,
        items: &StumpItems<'_>,
        feature: usize,
        limits: [Option<Cost>; 2],
        allowed: &[Thresholds; 2],
    ) -> [Option<Cost>; 2] {
        of_each!(AnyStumps, self, stumps => stumps.best(items, feature, limits, allowed))
    }
}
