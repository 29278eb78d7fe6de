//! The depths and sizes of the trees of the whole table, in the order of the list.

use super::request::{AllTreesRequest, ListingQuantity};
use super::subproblem::ANY_SIZE;

/// The properties of trees of the whole table, except for their cost.
#[derive(Clone, Copy, Debug)]
pub struct RootLimits {
    /// Maximum depth; `u32::MAX` for no limit.
    pub depth: u32,
    /// Exact size, or `ANY_SIZE`.
    pub size: u32,
    /// Whether only trees of exactly this depth are listed.
    by_depth: bool,
}

impl RootLimits {
    pub fn exact_depth(&self) -> Option<u32> {
        self.by_depth.then_some(self.depth)
    }
}

impl AllTreesRequest {
    /// Limits such that every requested tree is within the limits of exactly one root.
    pub fn roots(&self) -> Vec<RootLimits> {
        self.split_by_quantity(vec![self.all_trees()], ListingQuantity::Size)
    }

    /// The roots in the order of the list: groups one after the other; within a group by cost, and
    /// trees of equal cost by root.
    pub fn groups(&self) -> Vec<Vec<RootLimits>> {
        let mut order = self.order.clone();
        for quantity in [ListingQuantity::Size, ListingQuantity::Cost] {
            if !order.contains(&quantity) {
                order.push(quantity);
            }
        }
        let mut groups = order.split(|quantity| *quantity == ListingQuantity::Cost);
        let mut split_by_quantity = |roots: Vec<RootLimits>| {
            let quantities = groups.next().unwrap_or_default();
            quantities
                .iter()
                .fold(roots, |roots, &quantity| self.split_by_quantity(roots, quantity))
        };
        let before = split_by_quantity(vec![self.all_trees()]);
        let after = split_by_quantity(vec![self.all_trees()]);
        let together = |outer: &RootLimits| after.iter().map(|inner| outer.and(inner)).collect();
        before.iter().map(together).collect()
    }

    /// The limits of all trees.
    fn all_trees(&self) -> RootLimits {
        RootLimits { depth: self.depth, size: ANY_SIZE, by_depth: false }
    }

    /// The roots split by a quantity, in increasing order; costs do not split them.
    fn split_by_quantity(
        &self,
        roots: Vec<RootLimits>,
        quantity: ListingQuantity,
    ) -> Vec<RootLimits> {
        let split = |root: RootLimits| -> Vec<RootLimits> {
            match (quantity, self.sizes) {
                (ListingQuantity::Cost, _) | (ListingQuantity::Size, None) => vec![root],
                (ListingQuantity::Size, Some((from, to))) => {
                    (from..=to).map(|size| RootLimits { size, ..root }).collect()
                }
                (ListingQuantity::Depth, _) => (0..=self.depth)
                    .map(|depth| RootLimits { depth, by_depth: true, ..root })
                    .collect(),
            }
        };
        roots.into_iter().flat_map(split).collect()
    }
}

impl RootLimits {
    /// Combines two roots that fix different properties.
    fn and(&self, other: &RootLimits) -> RootLimits {
        let by_depth = if self.by_depth { self } else { other };
        RootLimits {
            depth: by_depth.depth,
            size: if self.size == ANY_SIZE { other.size } else { self.size },
            by_depth: by_depth.by_depth,
        }
    }
}
