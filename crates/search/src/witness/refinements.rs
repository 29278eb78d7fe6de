//! The important one-step refinements that introduce a dirty item.
//!
//! A new node goes above a spot on the item's path; its rule has the item on
//! one side, which becomes a leaf with the item as its witness, and all
//! witnesses below the spot on the other. Rules that divide the part alike are
//! one (departure 3 of the specification).
//!
//! *Equal refinements.* Rules of different features that divide the part of the
//! spot alike lead to trees that remain alike, because refinements only take
//! items away from a node: try one of them.
//!
//! The order is that of the specification: spots from the root downwards, rules
//! in ascending order. With constraints it is the other way round, spots from
//! the leaf upwards and rules from the item outwards, as the constraints demand.

use super::constraints::Constraint;
use super::search::{Branching, Search};
use crate::limits::Stopped;
use crate::sets::{Set, and, empty, without};
use rustc_hash::FxHashSet;

/// A place to put a new node: above `at`, where `node` has been inserted.
struct Place<const W: usize> {
    item: u32,
    at: usize,
    node: usize,
    height: Option<Constraint<W>>,
    /// Captured sets tried here.
    tried: FxHashSet<Set<W>>,
}

impl<const W: usize> Search<'_, W> {
    /// Whether some refinement that introduces the item leads to a solution.
    pub fn introduce(&mut self, item: u32, branching: &Branching<W>) -> Result<bool, Stopped> {
        let mut path = self.tree.path(item);
        if self.outwards() {
            path.reverse();
        }
        for at in path {
            if self.refine_above(at, item, branching)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn outwards(&self) -> bool {
        self.options.threshold_constraints || self.options.height_constraints
    }

    fn refine_above(
        &mut self,
        at: usize,
        item: u32,
        branching: &Branching<W>,
    ) -> Result<bool, Stopped> {
        let kept = match self.options.height_constraints {
            true => self.other_side(at, item, &branching.dirty),
            false => None,
        };
        if kept.is_some_and(|kept| empty(&kept)) {
            self.discards.height_constraints += 1;
            return Ok(false);
        }
        let node = self.tree.insert(at, item, self.ground.class[item as usize]);
        let height = kept.map(|kept| Constraint { node, kept, height: true });
        let mut place = Place { item, at, node, height, tried: FxHashSet::default() };
        for feature in 0..self.ground.features.len() {
            if self.refine_by(feature, branching, &mut place)? {
                return Ok(true);
            }
        }
        self.tree.remove(node, at);
        Ok(false)
    }

    fn refine_by(
        &mut self,
        feature: usize,
        branching: &Branching<W>,
        place: &mut Place<W>,
    ) -> Result<bool, Stopped> {
        let (ranks, leaf_left) = self.rules(branching, place.at, place.item, feature);
        let legal = self.tree.legal(place.at, place.item, feature).0;
        self.discards.needed_improvement += (legal.len() - ranks.len()) as u64;
        let inwards = !leaf_left && self.outwards();
        let part = self.tree.spots[place.node].part;
        let mut last: Option<Set<W>> = None;
        for step in 0..ranks.len() as u32 {
            let rank = if inwards { ranks.end - 1 - step } else { ranks.start + step };
            let left = &self.ground.features[feature].left[rank as usize];
            let captured = if leaf_left { and(&part, left) } else { without(&part, left) };
            let before = last.replace(captured);
            if before == Some(captured) {
                continue;
            }
            if self.options.equal_refinements && !place.tried.insert(captured) {
                self.discards.equal_refinements += 1;
                continue;
            }
            self.tree.divide(place.node, place.at, (feature, rank), leaf_left);
            if self.broken() {
                // A wider rule leaves even less.
                break;
            }
            if self.refine_kept(place, before.map(|before| without(&captured, &before)))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes on with the refinement made, under the constraints it brings.
    fn refine_kept(&mut self, place: &Place<W>, more: Option<Set<W>>) -> Result<bool, Stopped> {
        let before = self.constraints.len();
        self.constraints.extend(place.height);
        if let Some(kept) = more.filter(|_| self.options.threshold_constraints) {
            self.constraints.push(Constraint { node: place.node, kept, height: false });
        }
        let found = self.refine()?;
        self.constraints.truncate(before);
        Ok(found)
    }
}
