//! The one-step refinements that introduce an item into a tree: they give it a new leaf of a given
//! class.
//!
//! A new node is inserted above a spot (a leaf or a node of a witness tree) on the item's path. Its
//! rule separates the item from all witnesses below the spot; the child on the item's side becomes
//! a leaf with the item as its witness, which *captures* the items that go there. Of the rules of a
//! feature that split the subset in the same way only one is tried (departure 3 of
//! `spec/witness_trees.py`).
//!
//! *Equal refinements.* Rules of different features that split the subset of the spot in the same
//! way lead to trees that remain equivalent, because refinements only take items away from a node:
//! try only one of them.
//!
//! *Depth, rows and leaves.* A refinement never makes a path shorter or a leaf larger, and adds a
//! leaf. So a refinement is skipped if it violates the limits on the depth of its tree, on the
//! total depth, on the rows of a leaf or on the leaves of a class (argument in search.rs).
//!
//! *Votes needed.* Rules that gain fewer votes than the next refinement must gain are skipped
//! (argument in bounds.rs).
//!
//! The order is that of the specification: spots from the root downwards, rules
//! in ascending order.

use super::search::{EnsembleBranching, EnsembleWitnessSearch, SearchStopped};
use crate::ensembles::Depths;
use crate::papers::witness::tree::{Spot, SpotKind, WitnessTree};
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, without};
use rustc_hash::FxHashSet;

/// A place for a new node, which is inserted above the spot `at` of a tree and is its spot `node`.
struct EnsembleRefinementPlace<const W: usize> {
    tree: usize,
    at: usize,
    node: usize,
    /// The item to introduce, and the class of its leaf.
    leaf: (u32, u32),
    /// Sets of captured items already tried here.
    tried: FxHashSet<Set<W>>,
}

impl<const W: usize> EnsembleWitnessSearch<'_, W> {
    /// Whether a refinement of a tree that gives the item a leaf of the class leads to a solution.
    pub(super) fn introduce(
        &mut self,
        tree: usize,
        item: u32,
        class: u32,
        branching: &EnsembleBranching<W>,
    ) -> Result<bool, SearchStopped> {
        // The tree may have all its nodes already: then no refinement gives the item this class.
        if self.left_of(tree) == 0 {
            return Ok(false);
        }
        if self.too_many_leaves(tree, class) {
            self.pruned.leaves_of += 1;
            return Ok(false);
        }
        let mut path: Vec<usize> = self.trees[tree].upwards(self.trees[tree].leaf(item)).collect();
        path.reverse();
        for at in path {
            if self.too_deep(tree, at) {
                self.pruned.depth += 1;
                continue;
            }
            let node = self.trees[tree].insert(at, item, class);
            let tried = FxHashSet::default();
            let mut place = EnsembleRefinementPlace { tree, at, node, leaf: (item, class), tried };
            for feature in 0..self.prepared.features {
                if self.refine_by(feature, branching, &mut place)? {
                    return Ok(true);
                }
            }
            self.trees[tree].remove(node, at);
        }
        Ok(false)
    }

    /// Whether a new node above a spot exceeds the limit on the depth of its tree or on the total
    /// depth.
    fn too_deep(&self, tree: usize, at: usize) -> bool {
        let Depths { total, largest } = self.limits.depths;
        if (total, largest) == (u32::MAX, u32::MAX) {
            return false;
        }
        let own = &self.trees[tree];
        // Nodes on the longest path through the new node.
        let longest_path = own.upwards(at).count() as u32 + own.nodes_below(at);
        if u64::from(longest_path) + offset(Mutant::EnsembleDepth) > largest.into() {
            return true;
        }
        let depth_of = |tree: &WitnessTree<'_, W>| tree.nodes_below(tree.root);
        let others = self.trees.iter().enumerate().filter(|(other, _)| *other != tree);
        let total_depth =
            longest_path.max(depth_of(own)) + others.map(|(_, other)| depth_of(other)).sum::<u32>();
        u64::from(total_depth) + offset(Mutant::EnsembleTotalDepth) > total.into()
    }

    /// Whether a further leaf of a class would exceed its limit.
    fn too_many_leaves(&self, tree: usize, class: u32) -> bool {
        let Some(&maximum) = self.limits.leaves.get(class as usize) else { return false };
        let of_class = |spot: &&Spot<W>| matches!(spot.kind, SpotKind::Leaf { class: other } if other == class);
        let leaves = || self.trees[tree].spots.iter().filter(of_class).count() as u64;
        maximum != u32::MAX && leaves() + offset(Mutant::EnsembleLeavesOf) >= maximum.into()
    }

    /// Whether all leaves below a spot hold enough rows.
    fn enough_rows_below(&self, tree: usize, at: usize) -> bool {
        let Spot { subset, kind, .. } = &self.trees[tree].spots[at];
        match *kind {
            SpotKind::Leaf { .. } => self.enough_rows(subset),
            SpotKind::Node { left, right, .. } => {
                self.enough_rows_below(tree, left) && self.enough_rows_below(tree, right)
            }
        }
    }

    /// Whether a refinement at a place by a rule of a feature leads to a solution.
    fn refine_by(
        &mut self,
        feature: usize,
        branching: &EnsembleBranching<W>,
        place: &mut EnsembleRefinementPlace<W>,
    ) -> Result<bool, SearchStopped> {
        let EnsembleRefinementPlace { tree, at, node, leaf: (item, class), .. } = *place;
        let subset = self.trees[tree].spots[node].subset;
        let here = and(&subset, &branching.gaining_items[tree][class as usize]);
        let (legal, leaf_left) = self.trees[tree].legal(at, item, feature);
        let ranks = self.gaining_rules(branching, &here, feature, (legal.clone(), leaf_left));
        self.pruned.votes_needed += (legal.len() - ranks.len()) as u64;
        let mut last: Option<Set<W>> = None;
        for rank in ranks {
            let left = &self.prepared.rules(feature)[rank as usize];
            let captured = if leaf_left { and(&subset, left) } else { without(&subset, left) };
            if last.replace(captured) == Some(captured) {
                continue;
            }
            if self.options.equal_refinements && !place.tried.insert(captured) {
                self.pruned.equal_refinements += 1;
                continue;
            }
            self.trees[tree].split(node, at, (feature, rank), leaf_left);
            if self.limits.min_samples_leaf > 1 && !self.enough_rows_below(tree, node) {
                self.pruned.leaf_rows += 1;
                continue;
            }
            if self.refine()? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
