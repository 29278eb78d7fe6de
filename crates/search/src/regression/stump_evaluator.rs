//! Evaluation of roots of one subset: the best stumps in both children.

use super::medians::Medians;
use super::prepared_table::RegressionTable;
use super::subset::{RegressionSubset, leaf_of_classes};
use super::units::Deviation;
use crate::engine::subset::Rule;
use crate::kernels::InstructionSet;
use crate::kernels::gains::{GainOrder, Inverses, SplitRows, best_stumps};
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, UNBOUNDED};

/// A subset prepared for the evaluation of many roots.
pub(crate) struct RegressionStumpEvaluator<'a> {
    prepared: &'a RegressionTable,
    subset: &'a RegressionSubset,
    price: Cost,
    level: InstructionSet,
    /// By feature, the numbers of the items within the subset, their ranks, and sums.
    numbers: Vec<Vec<u32>>,
    ranks: Vec<Vec<u32>>,
    sums: Vec<Vec<i64>>,
    weights: Vec<Vec<i64>>,
    /// By weight from 1 on, the argument that `Units::gain` takes; only for plain items.
    inverses: Vec<f64>,
    on_right: Vec<u8>,
    split_rows: SplitRows,
    /// For medians, by number of an item, its place in its child.
    places: Vec<u32>,
    medians: Vec<Medians<'a>>,
    order: Vec<(u32, u32)>,
    costs: Vec<Cost>,
    /// For classes, by feature the class of each item, and by child the class weights.
    codes: Vec<Vec<u32>>,
    class_weights_of: [Vec<i64>; 2],
    /// For every root evaluated, by feature: the cost of its best stump in both children, or lower
    /// bounds on it.
    notes: Vec<[Cost; 2]>,
    /// Whether notes are kept and used for other roots.
    pub takes_notes: bool,
    /// Number of features skipped so far, over all roots and both children.
    pub skipped_features: u64,
}

/// Bounds on a root's stumps before it is evaluated, by child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegressionStumpBounds {
    /// Notes of two evaluated roots of the same feature: the left child of the first is a subset of
    /// this root's left child, the right child of the second a subset of its right child.
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
    pub notes: Option<u32>,
}

impl<'a> RegressionStumpEvaluator<'a> {
    pub fn new(
        prepared: &'a RegressionTable,
        subset: &'a RegressionSubset,
        price: Cost,
        level: InstructionSet,
    ) -> Self {
        let mut number_of = vec![0; prepared.items.len()];
        for (number, slot) in subset.members.iter().enumerate() {
            number_of[slot as usize] = number as u32;
        }
        let number_of = &number_of;
        let item = |slot: u32| &prepared.items[slot as usize];
        let by_feature =
            || (0..subset.sorted.features()).map(|feature| subset.sorted.order(feature));
        let plain = prepared.plain;
        RegressionStumpEvaluator {
            prepared,
            subset,
            price,
            level,
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
            inverses: match plain {
                true => {
                    (1..=subset.count as i64).map(|weight| prepared.units.inverse(weight)).collect()
                }
                false => Vec::new(),
            },
            on_right: vec![0; subset.count],
            split_rows: SplitRows::default(),
            places: vec![0; subset.count],
            medians: Vec::new(),
            order: Vec::new(),
            costs: Vec::new(),
            codes: match prepared.units.deviation {
                Deviation::Classes => by_feature()
                    .map(|order| order.iter().map(|entry| item(entry.slot).low).collect())
                    .collect(),
                _ => Vec::new(),
            },
            class_weights_of: Default::default(),
            notes: Vec::new(),
            takes_notes: true,
            skipped_features: 0,
        }
    }

    /// The minimum costs of both children of a root.
    pub fn evaluate(
        &mut self,
        root: &Rule,
        stump_bounds: &RegressionStumpBounds,
    ) -> RegressionEvaluation {
        for (place, &number) in self.numbers[root.feature].iter().enumerate() {
            self.on_right[number as usize] = u8::from(place >= root.items);
        }
        if self.prepared.units.deviation == Deviation::Absolute {
            self.place_children();
        }
        let (squares, leaves) = self.leaves(root);
        let leaves = leaves.map(|cost| cost + self.price);
        let mut best = leaves;
        let first = self.begin_notes(stump_bounds);
        let features = self.numbers.len();
        // The most promising features first: their costs let others be skipped.
        let promising =
            [0, 1].map(|child| (0..features).min_by_key(|&at| self.notes[first + at][child]));
        for feature in promising.into_iter().flatten().chain(0..features) {
            let noted = self.notes[first + feature];
            let matters =
                |child: usize| noted[child] < best[child].min(stump_bounds.useless[child]);
            let matters = [matters(0), matters(1)];
            if matters == [false; 2] {
                continue;
            }
            self.skipped_features -= 1;
            let costs = self.stumps(feature, squares, matters);
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
        match self.prepared.units.deviation {
            Deviation::Squared => {
                let mut left = (0, 0, 0);
                for entry in &subset.sorted.order(root.feature)[..root.items] {
                    let item = &self.prepared.items[entry.slot as usize];
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
                let left = &subset.sorted.order(root.feature)[..root.items];
                let left = self.prepared.class_weights(left.iter().map(|entry| entry.slot));
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

    /// Arranges both children in the order of their targets, which is the order of their numbers.
    fn place_children(&mut self) {
        self.medians.clear();
        for child in 0..2 {
            let here = |number: &usize| self.on_right[*number] == child;
            let slots = self.subset.members.iter().enumerate();
            let slots = slots.filter(|(number, _)| here(number)).map(|(_, slot)| slot);
            self.medians.push(Medians::of(self.prepared, slots));
        }
        let mut last = [0; 2];
        for (place, &child) in self.places.iter_mut().zip(&self.on_right) {
            last[usize::from(child)] += 1;
            *place = last[usize::from(child)];
        }
    }

    /// The cost of the best stump on a feature, at least in the children where it matters; no less
    /// than a leaf in a child that the feature does not split.
    fn stumps(
        &mut self,
        feature: usize,
        squares: [Cost; 2],
        matters: [bool; 2],
    ) -> [Option<Cost>; 2] {
        match self.prepared.units.deviation {
            Deviation::Squared if self.prepared.units.are_fine() => {
                [0, 1].map(|child| Some(self.fine_stumps(feature, child, squares[child])))
            }
            Deviation::Squared => {
                let order = GainOrder {
                    rows: &self.numbers[feature],
                    ranks: &self.ranks[feature],
                    sums: &self.sums[feature],
                    weights: &self.weights[feature],
                };
                let inverses =
                    Inverses { scale: self.prepared.units.gain_scale, table: &self.inverses };
                let mut savings = [0.0; 2];
                let (on_right, split_rows) = (&self.on_right, &mut self.split_rows);
                match self.prepared.plain {
                    true => best_stumps::<true>(
                        self.level,
                        &order,
                        on_right,
                        &inverses,
                        split_rows,
                        &mut savings,
                    ),
                    false => best_stumps::<false>(
                        self.level,
                        &order,
                        on_right,
                        &inverses,
                        split_rows,
                        &mut savings,
                    ),
                }
                [0, 1].map(|child| Some(squares[child] - savings[child] as Cost))
            }
            Deviation::Absolute => {
                [0, 1].map(|child| matters[child].then(|| self.absolute_stumps(feature, child)))
            }
            Deviation::Classes => {
                let costs = self.stumps_of_classes(feature, matters);
                [0, 1].map(|child| matters[child].then_some(costs[child]))
            }
        }
    }

    /// The cost of the best stump on a feature for class costs, in one pass for both children.
    fn stumps_of_classes(&self, feature: usize, matters: [bool; 2]) -> [Cost; 2] {
        let mut right = self.class_weights_of.clone();
        let mut left = right.each_ref().map(|weights| vec![0; weights.len()]);
        let (mut minimum, mut last) = ([UNBOUNDED; 2], [None; 2]);
        for (at, &number) in self.numbers[feature].iter().enumerate() {
            let child = usize::from(self.on_right[number as usize]);
            if !matters[child] {
                continue;
            }
            let (rank, code) = (self.ranks[feature][at], self.codes[feature][at] as usize);
            if last[child].is_some_and(|last| last != rank) {
                let leaf = |weights: &[i64]| leaf_of_classes(self.prepared, weights);
                minimum[child] = minimum[child].min(leaf(&left[child]) + leaf(&right[child]));
            }
            last[child] = Some(rank);
            let weight = self.weights[feature].get(at).copied().unwrap_or(1);
            left[child][code] += weight;
            right[child][code] -= weight;
        }
        minimum
    }

    /// The cost of the best stump on a feature in one child, with the exact divisions of fine
    /// units.
    fn fine_stumps(&self, feature: usize, child: usize, square: Cost) -> Cost {
        let here = self.places_in_child(feature, child);
        let item =
            |at: usize| &self.prepared.items[self.subset.sorted.order(feature)[at].slot as usize];
        let sums = here.iter().map(|&at| (item(at).sum, item(at).weight));
        let all = sums.clone().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        let (mut sum, mut weight, mut maximum) = (0, 0, 0);
        for (pair, one) in here.windows(2).zip(sums) {
            sum += one.0;
            weight += one.1;
            if self.ranks[feature][pair[0]] != self.ranks[feature][pair[1]] {
                let units = &self.prepared.units;
                let right = units.savings(all.0 - sum, all.1 - weight);
                maximum = maximum.max(units.savings(sum, weight) + right);
            }
        }
        square - maximum
    }

    /// The places of a feature whose items are in one child.
    fn places_in_child(&self, feature: usize, child: usize) -> Vec<usize> {
        let numbers = &self.numbers[feature];
        let child = |at: &usize| usize::from(self.on_right[numbers[*at] as usize]) == child;
        (0..numbers.len()).filter(child).collect()
    }

    fn absolute_stumps(&mut self, feature: usize, child: usize) -> Cost {
        let (numbers, ranks) = (&self.numbers[feature], &self.ranks[feature]);
        self.order.resize(numbers.len() + 1, (0, 0));
        let mut count = 0;
        for (&number, &rank) in numbers.iter().zip(ranks) {
            self.order[count] = (self.places[number as usize], rank);
            count += usize::from(usize::from(self.on_right[number as usize]) == child);
        }
        let order = &self.order[..count];
        self.medians[child].costs_of_stumps(order, &mut self.costs);
        let between_values = self.costs.iter().zip(order.windows(2));
        let between_values = between_values.filter(|(_, pair)| pair[0].1 != pair[1].1);
        between_values.map(|(&cost, _)| cost).min().unwrap_or(UNBOUNDED)
    }
}
