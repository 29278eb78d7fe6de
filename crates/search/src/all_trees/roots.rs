//! The depths and sizes that are wanted of the whole table, in the order of the list.

use super::AllTreesRequest;
use super::graph::ANY_SIZE;

/// What trees are listed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Size,
    Depth,
    Cost,
}

/// What trees of the whole table have, apart from their cost.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// At most; `u32::MAX` for no limit.
    pub depth: u32,
    /// Exactly, or `ANY_SIZE`.
    pub size: u32,
    /// Only trees of exactly this depth are listed.
    by_depth: bool,
}

impl Root {
    pub fn exact_depth(&self) -> Option<u32> {
        self.by_depth.then_some(self.depth)
    }
}

impl AllTreesRequest {
    /// All depths and sizes, each tree in one of them.
    pub fn roots(&self) -> Vec<Root> {
        self.divided(vec![self.every()], Quantity::Size)
    }

    /// The same in the order of the list: groups one after the other, each by cost, and trees of
    /// equal cost by the roots of the group.
    pub fn groups(&self) -> Vec<Vec<Root>> {
        let mut order = self.order.clone();
        for quantity in [Quantity::Size, Quantity::Cost] {
            if !order.contains(&quantity) {
                order.push(quantity);
            }
        }
        let mut groups = order.split(|quantity| *quantity == Quantity::Cost);
        let mut divided = |roots: Vec<Root>| {
            let quantities = groups.next().unwrap_or_default();
            quantities.iter().fold(roots, |roots, &quantity| self.divided(roots, quantity))
        };
        let before = divided(vec![self.every()]);
        let after = divided(vec![self.every()]);
        let together = |outer: &Root| after.iter().map(|inner| outer.and(inner)).collect();
        before.iter().map(together).collect()
    }

    fn every(&self) -> Root {
        Root { depth: self.depth, size: ANY_SIZE, by_depth: false }
    }

    /// The roots divided by a quantity, least first; by costs they are not.
    fn divided(&self, roots: Vec<Root>, quantity: Quantity) -> Vec<Root> {
        let divide = |root: Root| -> Vec<Root> {
            match (quantity, self.sizes) {
                (Quantity::Cost, _) | (Quantity::Size, None) => vec![root],
                (Quantity::Size, Some((from, to))) => {
                    (from..=to).map(|size| Root { size, ..root }).collect()
                }
                (Quantity::Depth, _) => {
                    (0..=self.depth).map(|depth| Root { depth, by_depth: true, ..root }).collect()
                }
            }
        };
        roots.into_iter().flat_map(divide).collect()
    }
}

impl Root {
    /// What two roots say together, of which each says what the other does not.
    fn and(&self, other: &Root) -> Root {
        let by_depth = if self.by_depth { self } else { other };
        Root {
            depth: by_depth.depth,
            size: if self.size == ANY_SIZE { other.size } else { self.size },
            by_depth: by_depth.by_depth,
        }
    }
}
