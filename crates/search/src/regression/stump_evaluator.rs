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

mod absolute_stumps;
mod class_stumps;
mod class_workspace;
#[cfg(test)]
mod differential;
mod leaf_thresholds;
mod squared_stumps;

use super::medians::Medians;
use super::prepared_table::{RegressionTable, leaf_of_classes};
use super::subset::RegressionSubset;
use super::units::Deviation;
use crate::engine::rules::Rule;
use crate::engine::subset::OrderEntry;
use crate::engine::two_set_bound::LeafRows;
use crate::kernels::InstructionSet;
use crate::kernels::class_rows::{RankedClass, ranked_class};
use crate::kernels::gains::{Inverses, SplitRows, Thresholds};
use crate::support::bits::Bits;
use crate::support::mutants::{Mutant, offset};
use class_workspace::ClassStumps;
use exactree_model::{Cost, UNBOUNDED};
use leaf_thresholds::LeafThresholds;
use std::borrow::Cow;

/// A subset prepared for the evaluation of many roots.
pub(crate) struct RegressionStumpEvaluator<'a> {
    prepared: &'a RegressionTable,
    subset: &'a RegressionSubset,
    price: Cost,
    instructions: InstructionSet,
    /// The items with weight, in the order of their slots; only they have numbers.
    weighted: &'a Bits,
    /// By feature, the numbers of the items, their ranks, and sums.
    numbers: Vec<Vec<u32>>,
    ranks: Vec<Vec<u32>>,
    sums: Vec<Vec<i64>>,
    weights: Vec<Vec<i64>>,
    inverses: Inverses,
    on_right: Vec<u8>,
    leaf_thresholds: LeafThresholds,
    split_rows: SplitRows,
    /// For medians, by number of an item, its place in its child.
    places: Vec<u32>,
    medians: Vec<Medians<'a>>,
    order: Vec<(u32, u32)>,
    costs: Vec<Cost>,
    /// For classes, by feature the ranks and classes of the items, and by child the class weights.
    ranked_classes: Vec<Vec<RankedClass>>,
    class_weights_of: [Vec<i64>; 2],
    class_stumps: ClassStumps<'a>,
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
pub(crate) struct RegressionStumpBounds {
    /// Positions of the notes of two evaluated roots of the same feature: the left child of the first
    /// is a subset of this root's left child, and the right child of the second is a subset of this
    /// root's right child.
    pub notes: [Option<u32>; 2],
    /// Stumps that cost at least this much cannot improve the incumbent.
    pub useless: [Cost; 2],
}

/// Costs of both children of a root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegressionEvaluation {
    pub leaves: [Cost; 2],
    /// The best leaf or stump; may be too low, but only if it is useless.
    pub best: [Cost; 2],
    /// Position of the notes of this root, if they are kept.
    pub notes: Option<u32>,
}

impl<'a> RegressionStumpEvaluator<'a> {
    pub(crate) fn new(
        prepared: &'a RegressionTable,
        subset: &'a RegressionSubset,
        price: Cost,
        instructions: InstructionSet,
    ) -> Self {
        let weighted = subset.weighted();
        let mut number_of = vec![0; prepared.items.len()];
        for (number, slot) in weighted.iter().enumerate() {
            number_of[slot as usize] = number as u32;
        }
        let number_of = &number_of;
        let item = |slot: u32| &prepared.items[slot as usize];
        let orders: Vec<Cow<'_, [OrderEntry]>> = match &subset.inner {
            None => subset.sorted.iter().map(Cow::from).collect(),
            Some(inner) => {
                let here = |entry: &&OrderEntry| inner.contains(entry.slot);
                let order = |order: &[OrderEntry]| order.iter().filter(here).copied().collect();
                subset.sorted.iter().map(order).collect()
            }
        };
        let by_feature = || orders.iter();
        let plain = prepared.plain;
        let plain_rows = if plain { weighted.count() as usize } else { 0 };
        RegressionStumpEvaluator {
            prepared,
            subset,
            price,
            instructions,
            weighted,
            numbers: by_feature()
                .map(|order| order.iter().map(|entry| number_of[entry.slot as usize]).collect())
                .collect(),
            ranks: by_feature()
                .map(|order| order.iter().map(|entry| entry.rank).collect())
                .collect(),
            sums: by_feature()
                .map(|order| order.iter().map(|entry| item(entry.slot).sum).collect())
                .collect(),
            weights: match plain {
                true => vec![Vec::new(); subset.sorted.features()],
                false => by_feature()
                    .map(|order| order.iter().map(|entry| item(entry.slot).weight).collect())
                    .collect(),
            },
            inverses: Inverses::new(prepared.units.gain_scale, plain_rows),
            on_right: vec![0; weighted.count() as usize],
            leaf_thresholds: LeafThresholds::default(),
            split_rows: SplitRows::default(),
            places: vec![0; weighted.count() as usize],
            medians: Vec::new(),
            order: Vec::new(),
            costs: Vec::new(),
            ranked_classes: match prepared.units.deviation {
                Deviation::Classes => by_feature()
                    .map(|order| {
                        let row =
                            |entry: &OrderEntry| ranked_class(entry.rank, item(entry.slot).low);
                        order.iter().map(row).collect()
                    })
                    .collect(),
                _ => Vec::new(),
            },
            class_stumps: ClassStumps::new(prepared.units.classes.as_ref(), plain_rows),
            class_weights_of: Default::default(),
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
        stump_bounds: &RegressionStumpBounds,
    ) -> RegressionEvaluation {
        self.split(root, leaf_rows);
        let (squares, leaves) = self.leaves(root);
        let leaves = leaves.map(|cost| cost + self.price);
        let mut best = leaves;
        let first = self.begin_notes(stump_bounds);
        let features = self.numbers.len();
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
            let costs = self.stumps(feature, squares, limits);
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
        RegressionEvaluation { leaves, best, notes }
    }

    /// Arranges the items by child of a root.
    fn split(&mut self, root: &Rule, leaf_rows: Option<&LeafRows>) {
        let order = self.subset.sorted.order(root.feature);
        let left = match &self.subset.inner {
            None => root.items,
            Some(inner) => {
                order[..root.items].iter().filter(|entry| inner.contains(entry.slot)).count()
            }
        };
        for (place, &number) in self.numbers[root.feature].iter().enumerate() {
            self.on_right[number as usize] = u8::from(place >= left);
        }
        self.leaf_thresholds.begin(self.prepared, order, leaf_rows);
        if self.prepared.units.deviation == Deviation::Absolute {
            self.place_children();
        }
    }

    /// Adds the notes of a new root, initialized with the bounds known for it.
    fn begin_notes(&mut self, stump_bounds: &RegressionStumpBounds) -> usize {
        if !self.takes_notes {
            self.notes.clear();
        }
        let (first, features) = (self.notes.len(), self.numbers.len());
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
                now[child] =
                    before[child] + offset(Mutant::RegressionStumpBounds) * (before[child] / 2);
            }
        }
        first
    }

    /// The squares of both children, and the costs of their leaves.
    fn leaves(&mut self, root: &Rule) -> ([Cost; 2], [Cost; 2]) {
        let subset = self.subset;
        let left = subset.sorted.order(root.feature)[..root.items].iter().map(|entry| entry.slot);
        let left_slots = left.filter(|&slot| subset.is_weighted(slot));
        match self.prepared.units.deviation {
            Deviation::Squared => {
                let mut left = (0, 0, 0);
                for slot in left_slots {
                    let item = &self.prepared.items[slot as usize];
                    left.0 += item.square;
                    left.1 += item.sum;
                    left.2 += item.weight;
                }
                let right = (subset.square - left.0, subset.sum - left.1, subset.weight - left.2);
                let leaf = |(square, sum, weight): (Cost, i64, i64)| {
                    square - self.prepared.units.savings(sum, weight)
                };
                ([left.0, right.0], [leaf(left), leaf(right)])
            }
            Deviation::Absolute => ([0; 2], [0, 1].map(|child| self.medians[child].leaf())),
            Deviation::Classes => {
                let left = self.prepared.class_weights(left_slots);
                let right =
                    subset.classes.iter().zip(&left).map(|(all, left)| all - left).collect();
                self.class_weights_of = [left, right];
                (
                    [0; 2],
                    [0, 1]
                        .map(|child| leaf_of_classes(self.prepared, &self.class_weights_of[child])),
                )
            }
        }
    }

    /// By child, the cost of the best stump on a feature. A child whose limit is `None` need not be
    /// evaluated, and may have the cost `None`. A cost that is not below the limit may be replaced by a
    /// lower bound that is not below it either. If the feature does not split a child, the cost is at
    /// least that of a leaf.
    fn stumps(
        &mut self,
        feature: usize,
        squares: [Cost; 2],
        limits: [Option<Cost>; 2],
    ) -> [Option<Cost>; 2] {
        let order = self.subset.sorted.order(feature);
        let allowed = self.leaf_thresholds.of(self.prepared, order);
        if allowed == [Thresholds::NONE; 2] {
            return [Some(UNBOUNDED); 2];
        }
        match self.prepared.units.deviation {
            Deviation::Squared => {
                let savings = self.savings_of_stumps(feature, &allowed);
                [0, 1].map(|child| Some(squares[child] - savings[child]))
            }
            Deviation::Absolute => [0, 1].map(|child| {
                limits[child].map(|_| self.absolute_stumps(feature, child, allowed[child]))
            }),
            Deviation::Classes => self.stumps_of_classes(feature, limits, &allowed),
        }
    }
}
