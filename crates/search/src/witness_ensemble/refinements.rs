//! The one-step refinements that introduce an item into a tree with a class.
//!
//! A new node goes above a spot on the item's path; its rule has the item on
//! one side, which becomes a leaf with the item as its witness, and all
//! witnesses below the spot on the other. Rules that divide the part alike are
//! one (departure 3 of `spec/witness.py`).
//!
//! *Equal steps.* Rules of different features that divide the part of the spot
//! alike lead to trees that remain alike, because refinements only take items
//! away from a node: try one of them.
//!
//! *Depth.* A refinement never makes a path shorter, and what a solution is a
//! refinement of has no longer paths than it: a witness tree is the solution's tree
//! with some nodes and one side of each taken out. So no tree deeper than is
//! allowed is made.
//!
//! The order is that of the specification: spots from the root downwards, rules
//! in ascending order.

use super::search::{Branching, Search, Stopped};
use crate::mutants::{Mutant, off};
use crate::sets::{Set, and, without};
use rustc_hash::FxHashSet;

/// A place to put a new node: above `at` in a tree, where `node` is inserted.
struct Place<const W: usize> {
    tree: usize,
    at: usize,
    node: usize,
    /// The item to introduce, and the class of its leaf.
    leaf: (u32, u32),
    /// Captured sets tried here.
    tried: FxHashSet<Set<W>>,
}

impl<const W: usize> Search<'_, W> {
    /// Whether some refinement of a tree that introduces the item with the
    /// class leads to a solution.
    pub fn introduce(
        &mut self,
        tree: usize,
        item: u32,
        class: u32,
        branching: &Branching<W>,
    ) -> Result<bool, Stopped> {
        let mut path: Vec<usize> = self.trees[tree].upwards(self.trees[tree].leaf(item)).collect();
        path.reverse();
        for at in path {
            if self.too_deep(tree, at) {
                self.discards.depth += 1;
                continue;
            }
            let node = self.trees[tree].insert(at, item, class);
            let tried = FxHashSet::default();
            let mut place = Place { tree, at, node, leaf: (item, class), tried };
            for feature in 0..self.ground.features {
                if self.refine_by(feature, branching, &mut place)? {
                    return Ok(true);
                }
            }
            self.trees[tree].remove(node, at);
        }
        Ok(false)
    }

    /// Whether a new node above a spot makes too long a path.
    fn too_deep(&self, tree: usize, at: usize) -> bool {
        let tree = &self.trees[tree];
        let limited = self.depth != u32::MAX;
        let nodes = || tree.upwards(at).count() as u32 + tree.nodes_below(at);
        limited && u64::from(nodes()) + off(Mutant::EnsembleDepth) > self.depth.into()
    }

    fn refine_by(
        &mut self,
        feature: usize,
        branching: &Branching<W>,
        place: &mut Place<W>,
    ) -> Result<bool, Stopped> {
        let Place { tree, at, node, leaf: (item, class), .. } = *place;
        let part = self.trees[tree].spots[node].part;
        let here = and(&part, &branching.wanted[tree][class as usize]);
        let (legal, leaf_left) = self.trees[tree].legal(at, item, feature);
        let ranks = self.gaining(branching, &here, feature, (legal.clone(), leaf_left));
        self.discards.votes_needed += (legal.len() - ranks.len()) as u64;
        let mut last: Option<Set<W>> = None;
        for rank in ranks {
            let left = &self.ground.rules(feature)[rank as usize];
            let captured = if leaf_left { and(&part, left) } else { without(&part, left) };
            if last.replace(captured) == Some(captured) {
                continue;
            }
            if self.options.equal_steps && !place.tried.insert(captured) {
                self.discards.equal_steps += 1;
                continue;
            }
            self.trees[tree].divide(node, at, (feature, rank), leaf_left);
            if self.refine()? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
