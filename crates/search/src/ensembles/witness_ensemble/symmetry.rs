//! Symmetry breaking: leaves out branches whose solutions were searched for before.
//!
//! *Fixed votes.* If a solution classifies a dirty item, some tree that now votes for a wrong class
//! changes its vote. Try the trees one after the other. If the first tree changes its vote in no
//! solution, it has its present vote in every remaining solution: the vote is *kept*. So no
//! solution is found in the branches of two trees. A refinement may change a kept vote for a time:
//! such a *lost* vote must be restored, in this tree, with this class, by a refinement that
//! introduces the item.
//!
//! *Equal trees.* Two trees that are equal so far, including their kept votes, can be exchanged: if
//! the second tree changes its vote on an item in a solution, the first tree does so in the
//! solution with the two trees exchanged. So only the first of several equal trees is refined, and
//! if that finds no solution, the votes of all are kept. Trees that became equal by refinements in
//! another order are not recognized, which is safe.
//!
//! Both can be combined with every bound: every settled vote or error follows from searches that
//! were complete for all solutions that agree with everything settled before.

use super::search::{EnsembleBranching, EnsembleWitnessSearch};
use crate::papers::witness::tree::SpotKind;
use crate::support::sets::{insert, members, without};

impl<const W: usize> EnsembleWitnessSearch<'_, W> {
    /// By tree, the first tree that is equal to it so far.
    pub(super) fn first_equal_trees(&self) -> Vec<usize> {
        let trees = self.trees.len();
        if !self.options.equal_trees {
            return (0..trees).collect();
        }
        (0..trees)
            .map(|tree| (0..tree).find(|&other| self.equal(other, tree)).unwrap_or(tree))
            .collect()
    }

    fn equal(&self, a: usize, b: usize) -> bool {
        let (first, second) = (&self.trees[a], &self.trees[b]);
        let equal_kinds = |at: usize| match (first.spots[at].kind, second.spots[at].kind) {
            (SpotKind::Leaf { class: one }, SpotKind::Leaf { class: other }) => one == other,
            (
                SpotKind::Node { feature, rank, left, right },
                SpotKind::Node { feature: f, rank: r, left: l, right: t },
            ) => (feature, rank, left, right) == (f, r, l, t),
            (SpotKind::Leaf { .. }, SpotKind::Node { .. })
            | (SpotKind::Node { .. }, SpotKind::Leaf { .. }) => false,
        };
        first.root == second.root
            && first.spots.len() == second.spots.len()
            && self.settled.kept[a] == self.settled.kept[b]
            && (0..first.spots.len()).all(|at| equal_kinds(at) && first.ends(at) == second.ends(at))
    }

    /// Keeps the vote of a tree on an item from now on.
    pub(super) fn settle_vote(
        &mut self,
        tree: usize,
        class: u32,
        item: u32,
        settled: &mut Vec<(usize, u32)>,
    ) {
        if self.options.fixed_votes {
            insert(&mut self.settled.kept[tree][class as usize], item);
            settled.push((tree, class));
        }
    }

    /// Undoes `settle_vote` for an item.
    pub(super) fn unsettle_votes(&mut self, item: u32, settled: &[(usize, u32)]) {
        let mut alone = [0; W];
        insert(&mut alone, item);
        for &(tree, class) in settled {
            let kept = &mut self.settled.kept[tree][class as usize];
            *kept = without(kept, &alone);
        }
    }

    /// A lost vote: tree, item and class. Of several, the one that the fewest refinements restore.
    pub(super) fn lost_vote(&self, branching: &EnsembleBranching<W>) -> Option<(usize, u32, u32)> {
        let mut fewest = (u64::MAX, None);
        for (tree, lost) in branching.lost.iter().enumerate() {
            for (class, items) in lost.iter().enumerate() {
                for item in members(items) {
                    let refinements =
                        self.refinement_count(branching, tree, item, class as u32, fewest.0);
                    if fewest.1.is_none() || refinements < fewest.0 {
                        fewest = (refinements, Some((tree, item, class as u32)));
                    }
                }
            }
        }
        fewest.1
    }
}
