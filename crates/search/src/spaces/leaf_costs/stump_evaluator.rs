//! Evaluation of roots of one subset: the best stumps in both children.
//!
//! *Two sets.* With a minimum leaf size, costs are counted on the weighted items of the subset, but
//! the rows of leaves are counted on more items: in the left child of a root on all items left of one
//! outer rule, in the right child on all items right of another (`engine/two_set_bound.rs`). Items without weight cost nothing in
//! any leaf, so only the weighted items are arranged here; the rows of leaves only limit the thresholds
//! (`leaf_thresholds.rs`). A threshold that leaves no weight in one leaf costs at least as much as the
//! leaf of the whole child, and need not be evaluated.
//!
//! *Notes.* The note of a child and feature is the minimum cost of the leaf and the stumps allowed,
//! or a lower bound on it. Roots get notes from the evaluated ends of their interval. Let a be an
//! evaluated root and b a root to its right, evaluated later. The left child of b has all weighted
//! items of the left child of a, and perhaps more. The rows that count for b are among those that
//! counted for a, because the outer rule only moves to the left as the interval is halved. So every stump allowed for b was allowed for
//! a, with at least as many rows in both leaves, and it costs no less than on the fewer items of a:
//! the note of a is a lower bound. The right child is symmetric. With a minimum leaf size, notes hold
//! only within the interval in which their root was evaluated; without, everywhere in the subset.

#[cfg(test)]
mod differential;
mod leaf_thresholds;

use super::prepared_table::CostTable;
use crate::costs::any_cost::AnyStumps;
use crate::costs::items::CostSubset;
use crate::costs::leaf_cost::ChildStumps;
use crate::costs::stump_items::StumpItems;
use crate::engine::rules::Rule;
use crate::engine::two_set_bound::LeafRows;
use crate::kernels::InstructionSet;
use crate::kernels::gains::Thresholds;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, UNBOUNDED};
use leaf_thresholds::LeafThresholds;

/// A subset prepared for the evaluation of many roots.
pub(crate) struct StumpEvaluator<'a> {
    prepared: &'a CostTable,
    price: Cost,
    items: StumpItems<'a>,
    stumps: AnyStumps<'a>,
    leaf_thresholds: LeafThresholds,
    /// For every root evaluated, by feature: the minimum cost of the leaf and its stumps in both
    /// children, or lower bounds on it.
    notes: Vec<[Cost; 2]>,
    /// Whether notes are kept and used for other roots.
    pub takes_notes: bool,
    /// Number of features skipped so far, over all roots; a feature is skipped if it is evaluated in
    /// neither child.
    pub skipped_features: u64,
}

/// Bounds on a root's stumps before it is evaluated, by child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostStumpBounds {
    /// Positions of the notes of two evaluated roots of the same feature: the left child of the first
    /// is a subset of this root's left child, and the right child of the second is a subset of this
    /// root's right child.
    pub notes: [Option<u32>; 2],
    /// Stumps that cost at least this much cannot improve the incumbent.
    pub useless: [Cost; 2],
}

/// Costs of both children of a root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StumpEvaluation {
    pub leaves: [Cost; 2],
    /// The best leaf or stump; may be too low, but only if it is useless.
    pub best: [Cost; 2],
    /// Position of the notes of this root, if they are kept.
    pub notes: Option<u32>,
}

impl<'a> StumpEvaluator<'a> {
    pub(crate) fn new(
        prepared: &'a CostTable,
        subset: &'a CostSubset,
        price: Cost,
        instructions: InstructionSet,
    ) -> Self {
        let items = StumpItems::new(&prepared.items, prepared.plain, subset, instructions);
        StumpEvaluator {
            prepared,
            price,
            stumps: prepared.units.cost.stumps(&items),
            items,
            leaf_thresholds: LeafThresholds::default(),
            notes: Vec::new(),
            takes_notes: true,
            skipped_features: 0,
        }
    }

    /// The minimum costs of both children of a root; with `leaf_rows`, of stumps with enough rows in
    /// both leaves.
    pub(crate) fn evaluate(
        &mut self,
        root: &Rule,
        leaf_rows: Option<&LeafRows>,
        stump_bounds: &CostStumpBounds,
    ) -> StumpEvaluation {
        let leaves = self.split(root, leaf_rows).map(|cost| cost + self.price);
        let mut best = leaves;
        let first = self.begin_notes(stump_bounds);
        let features = self.items.numbers.len();
        // The most promising features first: their costs let others be skipped. They come again below,
        // and are skipped then, because their notes are no less than `best`.
        let promising =
            [0, 1].map(|child| (0..features).min_by_key(|&at| self.notes[first + at][child]));
        for feature in promising.into_iter().flatten().chain(0..features) {
            let noted = self.notes[first + feature];
            // Stumps that cost at least the limit change nothing.
            let limits = [0, 1].map(|child| {
                let limit = best[child].min(stump_bounds.useless[child]);
                (noted[child] < limit).then(|| limit.saturating_sub(2 * self.price))
            });
            if limits == [None; 2] {
                continue;
            }
            self.skipped_features -= 1; // `begin_notes` counted all features
            let costs = self.stumps(feature, limits);
            // A stump with an empty child is a leaf.
            let costs = [0, 1].map(|child| match costs[child] {
                Some(cost) => leaves[child].min(cost + 2 * self.price),
                None => noted[child],
            });
            self.notes[first + feature] = costs;
            best = [best[0].min(costs[0]), best[1].min(costs[1])];
        }
        for noted in &self.notes[first..] {
            best = [best[0].min(noted[0]), best[1].min(noted[1])];
        }
        let notes = u32::try_from(first).ok().filter(|_| self.takes_notes);
        StumpEvaluation { leaves, best, notes }
    }

    /// Arranges the items by child of a root, and returns the costs of the children as leaves.
    fn split(&mut self, root: &Rule, leaf_rows: Option<&LeafRows>) -> [Cost; 2] {
        let subset = self.items.subset;
        let order = subset.sorted.order(root.feature);
        let on_left = match &subset.inner {
            None => root.items,
            Some(inner) => {
                order[..root.items].iter().filter(|entry| inner.contains(entry.slot)).count()
            }
        };
        let StumpItems { numbers, on_right, .. } = &mut self.items;
        let (left, right) = numbers[root.feature].split_at(on_left);
        left.iter().for_each(|&number| on_right[number as usize] = 0);
        right.iter().for_each(|&number| on_right[number as usize] = 1);
        self.leaf_thresholds.begin(self.prepared, order, leaf_rows);
        self.stumps.begin(&self.items, &self.items.numbers[root.feature][..on_left])
    }

    /// Adds the notes of a new root, initialized with the bounds known for it.
    fn begin_notes(&mut self, stump_bounds: &CostStumpBounds) -> usize {
        if !self.takes_notes {
            self.notes.clear();
        }
        let (first, features) = (self.notes.len(), self.items.numbers.len());
        self.skipped_features += features as u64;
        self.notes.resize(first + features, [0; 2]);
        if !self.takes_notes {
            return first;
        }
        let (before, now) = self.notes.split_at_mut(first);
        for (child, from) in stump_bounds.notes.iter().enumerate() {
            for (now, before) in
                now.iter_mut().zip(from.iter().flat_map(|&from| &before[from as usize..]))
            {
                now[child] = before[child] + offset(Mutant::CostStumpBounds) * (before[child] / 2);
            }
        }
        first
    }

    /// By child, the cost of the best stump on a feature that is allowed; see `ChildStumps::best`.
    fn stumps(&mut self, feature: usize, limits: [Option<Cost>; 2]) -> [Option<Cost>; 2] {
        let order = self.items.subset.sorted.order(feature);
        let allowed = self.leaf_thresholds.of(self.prepared, order);
        if allowed == [Thresholds::NONE; 2] {
            return [Some(UNBOUNDED); 2];
        }
        self.stumps.best(&self.items, feature, limits, &allowed)
    }
}
