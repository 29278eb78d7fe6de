//! Builds the trees of an ensemble, without superfluous nodes.

use super::placement::Placement;
use super::sizes::Cap;
use super::slack::Slack;
use crate::support::clock::Stopped;
use crate::support::sets::Set;
use exactree_model::Tree;
use std::sync::Arc;

impl<const W: usize> Placement<'_, W> {
    /// Trees that classify the sets. Each is replaced by a smallest tree given the votes of the
    /// others, until none becomes smaller.
    pub(super) fn trees(
        &mut self,
        caps: &[Cap],
        sets: &[Set<W>],
    ) -> Result<Vec<Arc<Tree>>, Stopped> {
        let mut trees = Vec::with_capacity(sets.len());
        for (&cap, set) in caps.iter().zip(sets) {
            trees.push(self.feasibility.tree(cap, set)?);
        }
        let mut again = true;
        while again {
            again = false;
            for at in 0..trees.len() {
                let needed = self.items_needing(&trees, at);
                let tree = self.feasibility.tree(caps[at], &needed)?;
                if tree.size() < trees[at].size() {
                    trees[at] = tree;
                    again = true;
                }
            }
        }
        Ok(trees)
    }

    /// Items that the ensemble classifies only with the vote of tree `at`.
    fn items_needing(&self, trees: &[Arc<Tree>], at: usize) -> Set<W> {
        let mut slack = Slack::new(self.prepared, trees.len() as u32);
        for (other, tree) in trees.iter().enumerate() {
            if other != at {
                slack = slack.after(&self.prepared.errors_of(tree));
            }
        }
        *slack.none()
    }
}
