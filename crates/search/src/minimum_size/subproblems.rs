//! Subproblems on subsets without errors, for searches of ensembles.

use super::cache::Verdict;
use super::decision::SizeDecision;
use super::prepared_table::SizeTable;
use super::request::SizeRequest;
use super::subtree_limits::{ChildBudget, SubtreeLimits};
use crate::support::clock::Stopped;
use crate::support::sets::{Set, insert};
use exactree_model::Tree;
use std::sync::Arc;

impl<const W: usize> SizeDecision<'_, W> {
    /// Whether a tree of at most `size` nodes and depth `depth` classifies the items without
    /// errors.
    pub(crate) fn classifies(
        &mut self,
        set: &Set<W>,
        size: u32,
        depth: u32,
    ) -> Result<Verdict<W>, Stopped> {
        let limits = self.limits.id(SubtreeLimits { depth, leaves: Box::default() });
        self.fits(set, ChildBudget { size, limits, errors: 0 })
    }

    /// A smallest tree that classifies the items; there must be one within the limits.
    pub(crate) fn tree_for(
        &mut self,
        set: &Set<W>,
        size: u32,
        depth: u32,
    ) -> Result<Arc<Tree>, Stopped> {
        let request = SizeRequest {
            depth,
            errors: 0,
            size,
            leaves: Vec::new(),
            nodes: u64::MAX,
            memory_limit: None,
            stop_at_gap: 0.0,
            options: self.options.clone(),
        };
        self.build(set, size, &request)
    }
}

impl<const W: usize> SizeTable<W> {
    /// Items to which a tree gives another class than their own.
    pub(crate) fn errors_of(&self, tree: &Tree) -> Set<W> {
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
