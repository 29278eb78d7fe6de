//! Builds the tree of a feasible size: runs the same search again, with cached verdicts, and takes
//! the first feasible root.

use super::SizeRequest;
use super::cache::{SizeSubproblem, Verdict};
use super::decision::SizeDecision;
use super::largest_children::ChildBudget;
use super::root::RootVerdict;
use crate::support::clock::Stopped;
use crate::support::sets::Set;
use exactree_model::{Errors, Tree};
use std::sync::Arc;

impl<const W: usize> SizeDecision<'_, W> {
    /// A tree of at most `size` nodes; there must be one.
    pub fn build(
        &mut self,
        set: &Set<W>,
        size: u32,
        request: &SizeRequest,
    ) -> Result<Arc<Tree>, Stopped> {
        let (terms, errors) = self.limits_of(request);
        self.subtree(set, ChildBudget { size, terms, errors })
    }

    fn subtree(&mut self, set: &Set<W>, share: ChildBudget) -> Result<Arc<Tree>, Stopped> {
        let mut minimum = 0;
        // `root` is requested the minimum size only: it need not find larger trees.
        while minimum < share.size
            && self.infeasible(set, ChildBudget { size: minimum, ..share })?
        {
            minimum += 1;
        }
        let root = match minimum {
            0 => None,
            size => {
                let ChildBudget { terms, errors, .. } = share;
                let mut node = self.node(&SizeSubproblem { set: *set, terms, errors });
                match self.root(&mut node, size)? {
                    RootVerdict::Feasible(root) => Some(root),
                    RootVerdict::Infeasible(..) => None,
                }
            }
        };
        let Some(root) = root else {
            let weights = self.prepared.class_weights(set);
            return Ok(Tree::leaf(self.prepared.labels[Errors::leaf_class(&weights) as usize]));
        };
        let left = self.subtree(&root.left.0, root.left.1)?;
        let right = self.subtree(&root.right.0, root.right.1)?;
        Ok(Tree::node(root.feature as u32, root.rank, left, right))
    }

    fn infeasible(&mut self, set: &Set<W>, share: ChildBudget) -> Result<bool, Stopped> {
        Ok(matches!(self.fits(set, share)?, Verdict::Infeasible(..)))
    }
}
