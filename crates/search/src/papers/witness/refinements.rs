//! Tries the one-step refinements that introduce a dirty item, without dominated refinements.
//!
//! A new node is inserted above a spot on the item's path. Its rule separates the item from all
//! witnesses below the spot; the child on the item's side becomes a leaf with the item as its
//! witness, which *captures* the items that go there. Of the rules of a feature that split the
//! subset in the same way only one is tried (departure 3 of `spec/witness_trees.py`).
//!
//! *Equal refinements.* Rules of different features that split the subset of the spot in the same
//! way lead to trees that remain equivalent, because refinements only take items away from a node:
//! try only one of them.
//!
//! The order is that of the specification: spots from the root down, rules in ascending order. With
//! constraints, which require it, spots are tried from the leaf up and rules from the item
//! outwards.

use super::branching::WitnessBranching;
use super::constraints::Constraint;
use super::pure_children;
use super::search::WitnessSearch;
use crate::support::clock::Stopped;
use crate::support::sets::{Set, and, empty, or, without};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// A place for a new node, which is inserted above the spot `at` and is the spot `node`.
struct RefinementPlace<const W: usize> {
    item: u32,
    at: usize,
    node: usize,
    /// The items of the node.
    subset: Set<W>,
    height: Option<Constraint<W>>,
    /// Sets of captured items already tried here.
    tried: FxHashSet<Set<W>>,
}

impl<const W: usize> WitnessSearch<'_, W> {
    /// Whether a refinement that introduces the item leads to a solution.
    pub(super) fn introduce(
        &mut self,
        item: u32,
        branching: &WitnessBranching<W>,
    ) -> Result<bool, Stopped> {
        let mut path: Vec<usize> = self.tree.upwards(self.tree.leaf(item)).collect();
        if !self.outwards() {
            path.reverse();
        }
        for at in path {
            if self.refine_above(at, item, branching)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether spots are tried from the leaf up and rules from the item outwards.
    fn outwards(&self) -> bool {
        self.options.threshold_constraints || self.options.height_constraints
    }

    /// Whether a refinement above the spot `at` that introduces the item leads to a solution.
    fn refine_above(
        &mut self,
        at: usize,
        item: u32,
        branching: &WitnessBranching<W>,
    ) -> Result<bool, Stopped> {
        let kept = match self.options.height_constraints {
            true => self.tree.dirty_in_other_child(at, item, &branching.dirty),
            false => None,
        };
        if kept.is_some_and(|kept| empty(&kept)) {
            self.pruned.height_constraints += 1;
            return Ok(false);
        }
        let subset = self.tree.spots[at].subset;
        let node = self.tree.insert(at, item, self.prepared.class[item as usize]);
        let height = kept.map(|kept| Constraint { node, kept, height: true });
        let mut place =
            RefinementPlace { item, at, node, subset, height, tried: FxHashSet::default() };
        for feature in 0..self.prepared.features {
            if self.refine_by(feature, branching, &mut place)? {
                return Ok(true);
            }
        }
        self.tree.remove(node, at);
        Ok(false)
    }

    /// Whether a refinement at a place by a rule of a feature leads to a solution.
    fn refine_by(
        &mut self,
        feature: usize,
        branching: &WitnessBranching<W>,
        place: &mut RefinementPlace<W>,
    ) -> Result<bool, Stopped> {
        let (ranks, leaf_left) = self.rules_to_try(feature, branching, place);
        let inwards = !leaf_left && self.outwards();
        let mut last: Option<Set<W>> = None;
        for step in 0..ranks.len() as u32 {
            let rank = if inwards { ranks.end - 1 - step } else { ranks.start + step };
            let left = &self.prepared.rules(feature)[rank as usize];
            let captured =
                if leaf_left { and(&place.subset, left) } else { without(&place.subset, left) };
            let before = last.replace(captured);
            if before == Some(captured) {
                continue;
            }
            if self.options.equal_refinements && !place.tried.insert(captured) {
                self.pruned.equal_refinements += 1;
                continue;
            }
            self.tree.split(place.node, place.at, (feature, rank), leaf_left);
            if self.violates_constraint() {
                // A wider rule violates it as well.
                break;
            }
            // All captured items are predicted to be of the item's class.
            let wrong = without(&captured, &self.prepared.classes[self.class(place.item)]);
            let dirty = or(&without(&branching.dirty, &captured), &wrong);
            let more = before.map(|before| without(&captured, &before));
            if self.refine_constrained(place, more, dirty)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a constraint is violated.
    fn violates_constraint(&mut self) -> bool {
        let violated = self.constraints.iter().find(|constraint| constraint.violated(&self.tree));
        match violated.map(|constraint| constraint.height) {
            None => false,
            Some(height) => {
                match height {
                    true => self.pruned.height_constraints += 1,
                    false => self.pruned.threshold_constraints += 1,
                }
                true
            }
        }
    }

    /// The ranks of the rules of a feature to try at a place, and whether they capture their left
    /// children.
    fn rules_to_try(
        &mut self,
        feature: usize,
        branching: &WitnessBranching<W>,
        place: &RefinementPlace<W>,
    ) -> (Range<u32>, bool) {
        let (legal, leaf_left) = self.tree.legal(place.at, place.item, feature);
        let (class, rules) = (self.class(place.item), legal.len());
        let mut ranks = branching.restrict_rules(class, place.at, feature, leaf_left, legal);
        self.pruned.needed_improvement += (rules - ranks.len()) as u64;
        if self.options.pure_children && !ranks.is_empty() {
            let left = &self.prepared.rules(feature)[ranks.start as usize..ranks.end as usize];
            let own = &self.prepared.classes[class];
            let kept =
                pure_children::rules_to_try(left, leaf_left, &place.subset, own, &branching.dirty);
            self.pruned.pure_children += (ranks.len() - kept.len()) as u64;
            ranks = ranks.start + kept.start as u32..ranks.start + kept.end as u32;
        }
        (ranks, leaf_left)
    }

    fn class(&self, item: u32) -> usize {
        self.prepared.class[item as usize] as usize
    }

    /// Continues with the refinement just made, under the constraints that it adds.
    fn refine_constrained(
        &mut self,
        place: &RefinementPlace<W>,
        more: Option<Set<W>>,
        dirty: Set<W>,
    ) -> Result<bool, Stopped> {
        let before = self.constraints.len();
        self.constraints.extend(place.height);
        if let Some(kept) = more.filter(|_| self.options.threshold_constraints) {
            self.constraints.push(Constraint { node: place.node, kept, height: false });
        }
        let found = self.refine(dirty)?;
        self.constraints.truncate(before);
        Ok(found)
    }
}
