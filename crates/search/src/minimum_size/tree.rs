//! Construction of the tree of a feasible size: repeats the search with cached verdicts and takes
//! the first feasible root.

use super::cache::{SizeSubproblem, Verdict};
use super::decision::SizeDecision;
use super::request::SizeRequest;
use super::root::RootVerdict;
use super::subtree_limits::ChildBudget;
use crate::support::clock::Stopped;
use crate::support::sets::Set;
use exactree_model::{Errors, Tree};
use std::sync::Arc;

impl<const W: usize> SizeDecision<'_, W> {
    /// A smallest tree; there must be one of at most `size` nodes.
    pub(crate) fn build(
        &mut self,
        set: &Set<W>,
        size: u32,
        request: &SizeRequest,
    ) -> Result<Arc<Tree>, Stopped> {
        let (limits, errors) = self.limits_of(request);
        self.subtree(set, ChildBudget { size, limits, errors })
    }

    fn subtree(&mut self, set: &Set<W>, budget: ChildBudget) -> Result<Arc<Tree>, Stopped> {
        let mut minimum = 0;
        // `root` tries splits only: it would miss the leaf that classifies a subset of minimum 0.
        while minimum < budget.size
            && self.infeasible(set, ChildBudget { size: minimum, ..budget })?
        {
            minimum += 1;
        }
        let root = match minimum {
            0 => None,
            size => {
                let ChildBudget { limits, errors, .. } = budget;
                let mut node = self.node(&SizeSubproblem { set: *set, limits, errors });
                match self.root(&mut node, size)? {
                    RootVerdict::Feasible(root) => Some(root),
                    // Impossible, because `minimum` nodes suffice. With a wrong bound (a mutant),
                    // the recount of the result detects the leaf that takes the place of this root.
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

    fn infeasible(&mut self, set: &Set<W>, budget: ChildBudget) -> Result<bool, Stopped> {
        Ok(matches!(self.fits(set, budget)?, Verdict::Infeasible(..)))
    }
}
