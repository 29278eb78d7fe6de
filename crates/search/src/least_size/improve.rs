//! A smaller tree to begin with: the parts of a tree that have few nodes, each
//! made as small as possible.

use super::SizeRequest;
use super::decide::Decision;
use crate::climb::Measured;
use crate::limits::Stopped;
use crate::sets::{Set, and, members, without};
use exactree_model::{Tree, Weight};
use std::sync::Arc;

/// Parts of at most so many nodes are made small: whether less will do is
/// decided within milliseconds.
const FEW: u32 = 6;

impl<const W: usize> Decision<'_, W> {
    /// A tree of the whole table made smaller, as far as there is time.
    pub fn improved_if_asked(&mut self, (size, tree): Measured, request: &SizeRequest) -> Measured {
        if !self.options.improved || !request.leaves.is_empty() {
            return (size, tree);
        }
        let everything = self.ground.all;
        let tree = self.improved(&everything, &tree, request).unwrap_or(tree);
        let smaller = u64::from(tree.size());
        self.stats.improved = size - smaller;
        (smaller, tree)
    }

    /// A tree of no more nodes, errors and levels that serves a part as well. It
    /// may have more leaves of a class.
    fn improved(
        &mut self,
        set: &Set<W>,
        tree: &Arc<Tree>,
        request: &SizeRequest,
    ) -> Result<Arc<Tree>, Stopped> {
        let Tree::Node { feature, rank, left, right } = &**tree else { return Ok(tree.clone()) };
        if tree.size() <= FEW {
            return self.smallest_instead(set, tree, request);
        }
        let below = self.ground.below(*feature as usize, *rank);
        let request = SizeRequest { depth: request.depth - 1, ..request.clone() };
        let left = self.improved(&and(set, &below), left, &request)?;
        let right = self.improved(&without(set, &below), right, &request)?;
        Ok(Tree::node(*feature, *rank, left, right))
    }

    fn smallest_instead(
        &mut self,
        set: &Set<W>,
        tree: &Arc<Tree>,
        request: &SizeRequest,
    ) -> Result<Arc<Tree>, Stopped> {
        let request = SizeRequest { errors: self.missed(set, tree), ..request.clone() };
        for size in 0..tree.size() {
            if self.smallest(set, size, &request)? {
                return self.build(set, size, &request);
            }
        }
        Ok(tree.clone())
    }

    /// Weight of a part that a tree misclassifies.
    fn missed(&self, set: &Set<W>, tree: &Tree) -> Weight {
        let wrong = |item: &u32| {
            let predicted = tree.predict(|feature| self.ground.rank(feature as usize, *item));
            predicted != self.ground.labels[self.ground.class[*item as usize] as usize]
        };
        members(set).filter(wrong).map(|item| self.ground.weight[item as usize]).sum()
    }
}
