//! Questions about parts of a table without errors, for searches that place more
//! than one tree.

use super::SizeRequest;
use super::decide::{Decision, Stopped};
use super::ground::{Ground, Set, insert};
use super::lists::Lists;
use exactree_model::Tree;
use std::sync::Arc;

impl<const W: usize> Decision<'_, W> {
    /// Whether a tree of at most `size` nodes, `depth` deep, serves the items.
    pub fn serves(&mut self, set: &Set<W>, size: u32, depth: u32) -> Result<bool, Stopped> {
        self.fits(set, &Lists::whole(self.ground), size, depth, 0)
    }

    /// The smallest tree that serves the items, if it is within the limits.
    pub fn tree_for(&mut self, set: &Set<W>, size: u32, depth: u32) -> Result<Arc<Tree>, Stopped> {
        let request = SizeRequest {
            depth,
            errors: 0,
            size,
            memory_limit: None,
            options: self.options.clone(),
        };
        self.build(set, size, &request)
    }
}

impl<const W: usize> Ground<W> {
    /// Items to which a tree gives another class than their own.
    pub fn misclassified(&self, tree: &Tree) -> Set<W> {
        let mut wrong = [0; W];
        for item in 0..self.items as u32 {
            let own = self.labels[self.class[item as usize] as usize];
            if tree.predict(|feature| self.rank(feature as usize, item)) != own {
                insert(&mut wrong, item);
            }
        }
        wrong
    }
}
