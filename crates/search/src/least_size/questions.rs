//! Questions about parts of a table without errors, for searches that place more
//! than one tree.

use super::SizeRequest;
use super::decide::Decision;
use super::ground::Ground;
use super::memo::Verdict;
use super::sides::Share;
use super::terms::Terms;
use crate::limits::Stopped;
use crate::sets::{Set, insert};
use exactree_model::Tree;
use std::sync::Arc;

impl<const W: usize> Decision<'_, W> {
    /// Whether a tree of at most `size` nodes, `depth` deep, serves the items, and
    /// which besides or which not.
    pub fn serves(&mut self, set: &Set<W>, size: u32, depth: u32) -> Result<Verdict<W>, Stopped> {
        let terms = self.terms.id(Terms { depth, leaves: Box::default() });
        self.fits(set, Share { size, terms, errors: 0 })
    }

    /// The smallest tree that serves the items, if it is within the limits.
    pub fn tree_for(&mut self, set: &Set<W>, size: u32, depth: u32) -> Result<Arc<Tree>, Stopped> {
        let request = SizeRequest {
            depth,
            errors: 0,
            size,
            leaves: Vec::new(),
            nodes: u64::MAX,
            memory_limit: None,
            options: self.options.clone(),
        };
        self.build(set, size, &request)
    }
}

impl<const W: usize> Ground<W> {
    /// Items to which a tree gives another class than their own.
    pub fn errors_of(&self, tree: &Tree) -> Set<W> {
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
