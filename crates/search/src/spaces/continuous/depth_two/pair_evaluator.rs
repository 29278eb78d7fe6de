//! Best stumps by one sweep over every feature for each pair of classes.
//!
//! A stump with leaves of classes a and b classifies no more weight correctly than a and b have
//! together, so a pair is skipped if it weighs no more than what is already classified correctly,
//! in both children of the root.
//!
//! *Stump bounds.* A *kind* of stump is a pair of classes and a feature. The errors of the best
//! stump of a kind do not fall when items are added: the best stump for more items misclassifies no
//! more of fewer items. So the errors of a kind in a subset of this child are a lower bound on its
//! errors here. The kind need not be swept if, in both children, this bound is no less than the
//! errors of another kind, or is so large that the kind is useless. Then the bound itself is noted.
//! Left of a root in an open interval with evaluated ends a and b, a stump of cost c is useless if
//! c + R(b) is at least the incumbent's cost; likewise on the right with L(a). If the minimum of one
//! child is a useless stump, both children together cost at least the incumbent's cost, since the
//! other child costs at least R(b) or L(a). If the minima of both are, their sum is at least twice the
//! incumbent's cost minus the sum L(a) + R(b), which is less than the incumbent's cost while the
//! interval is open. So a cost below the incumbent's is exact.
//!
//! Subsets are many and often small. So buffers are reused from subset to subset, and a feature is
//! prepared when it is first swept or used at a root.

use super::evaluator::{
    CorrectWeight, Evaluation, Evaluator, MAX_PAIRED_CLASSES, RootSplit, StumpBounds, StumpOrder,
};
use super::few_values::{FewValues, MAX_VALUES};
use super::items::SweepItems;
use super::row_lookups::RowLookups;
use crate::engine::two_set_bound::LeafRows;
use crate::kernels::InstructionSet;
use crate::kernels::sweep::leaf_rows::{LeafRowLimits, sweep_leaf_rows};
use crate::kernels::sweep::{SweepExtremes, SweepLane, sweep};
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::layout::Layout;
use crate::support::mutants::{Mutant, offset};
use exactree_model::Weight;
use std::cmp::Reverse;

/// Best stumps by pairs of classes.
pub(super) struct PairEvaluator<T> {
    items: SweepItems<T>,
    /// Whether features with few values are counted by columns of bits.
    few_values: bool,
    /// Features with few values; they are not swept, and their notes mark them as useless.
    few: Vec<usize>,
    columns: Option<FewValues>,
    /// All pairs of classes.
    pairs: Vec<[usize; 2]>,
    /// Contribution of each row to the difference of a pair, by pair and feature.
    steps: RowLookups<T>,
    /// Places of rows in the order of a root feature, by root feature and feature.
    places: RowLookups<T>,
    /// For every root evaluated, by child, pair and feature: the errors of the best stump, or a
    /// lower bound on them.
    notes: Vec<T>,
    swept: u64,
    /// By feature; empty if stumps may have any leaves.
    orders: Vec<StumpOrder>,
}

/// Class weights of both children of a root, and the weight classified correctly so far.
struct RootChildren {
    /// By child, the class weights and the total weight.
    classes: [[Weight; MAX_PAIRED_CLASSES]; 2],
    weights: [Weight; 2],
    correct: [CorrectWeight; 2],
    /// The features of the best stumps.
    best: [usize; 2],
    /// Stumps that misclassify at least this much cannot improve the incumbent.
    useless: [Weight; 2],
}

/// The notes of one root, pair by pair.
struct StumpNotes<'n, T>([&'n mut [T]; 2]);

impl<T: SweepLane> PairEvaluator<T> {
    pub(super) fn new(instructions: InstructionSet, few_values: bool) -> Self {
        let (few, pairs, steps, places, notes) = Default::default();
        let items = SweepItems::new(instructions);
        PairEvaluator {
            items,
            few_values,
            few,
            columns: None,
            pairs,
            steps,
            places,
            notes,
            swept: 0,
            orders: Vec::new(),
        }
    }

    /// Restricts the leaves of stumps, by feature; for two classes.
    pub(super) fn restrict(&mut self, orders: Vec<StumpOrder>) {
        self.orders = orders;
    }

    /// Prepares for a subset with these classes, at most `MAX_PAIRED_CLASSES`.
    pub(super) fn begin(
        &mut self,
        layout: &Layout,
        subset: &ContinuousSubset,
        classes: &[usize],
        leaf_rows: bool,
    ) {
        self.items.begin(layout, subset, classes);
        let (count, features) = (classes.len(), subset.sorted.features());
        self.pairs.clear();
        self.pairs.extend((0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])));
        // Heavy classes first: their correct weight lets others be skipped.
        let weight = |class: usize| self.items.classes[class].weight;
        self.pairs.sort_by_key(|&[a, b]| Reverse(weight(a) + weight(b)));
        let few_values = self.few_values && !leaf_rows && subset.weight <= Weight::from(u32::MAX);
        self.few.clear();
        self.few.extend(
            (0..features).filter(|&at| few_values && layout.features[at].values <= MAX_VALUES),
        );
        self.columns = (!self.few.is_empty()).then(|| self.items.columns(subset, &self.few));
        self.steps.reset(self.pairs.len() * features);
        self.places.reset(features * features);
        self.notes.clear();
        self.swept = 0;
    }

    /// Adds the notes of a new root, initialized with the bounds known for it. Returns where they
    /// begin.
    fn begin_notes(&mut self, stump_bounds: &StumpBounds) -> usize {
        let kinds = self.pairs.len() * self.items.features;
        let first = self.notes.len();
        self.notes.resize(first + 2 * kinds, T::default());
        for notes in self.notes[first..].chunks_exact_mut(self.items.features) {
            self.few.iter().for_each(|&feature| notes[feature] = T::MAX);
        }
        for (child, from) in stump_bounds.notes.iter().enumerate() {
            if let Some(from) = from {
                let from = *from as usize + child * kinds;
                self.notes.copy_within(from..from + kinds, first + child * kinds);
            }
        }
        first
    }

    /// The weight that the best stump on a feature, with leaves of the two classes of a pair,
    /// classifies correctly in both children of a root; `pair_weights` has the weights of these
    /// classes by child.
    fn sweep(
        &mut self,
        subset: &ContinuousSubset,
        root: RootSplit,
        pair: usize,
        feature: usize,
        pair_weights: [[Weight; 2]; 2],
    ) -> [Weight; 2] {
        self.swept += 1;
        let items = &mut self.items;
        items.prepare(subset, feature);
        let weights = match items.plain {
            true => None,
            false => Some(items.row_weights.of(feature, items.orders.length(), |blocks| {
                items.orders.look_up(feature, &items.weights, blocks);
            })),
        };
        let (orders, features) = (&items.orders, items.features);
        let classes = self.pairs[pair].map(|class| {
            let items = &items.classes[class].items;
            T::from_i64(items.start as i64)..T::from_i64(items.end as i64)
        });
        let steps = self.steps.of(pair * features + feature, orders.length(), |blocks| {
            orders.steps(items.instructions, feature, weights, &classes, blocks);
        });
        let table = items.places_of(root.feature);
        let places = self.places.of(root.feature * features + feature, orders.length(), |blocks| {
            orders.look_up(feature, table, blocks);
        });
        let mut extremes = SweepExtremes::default();
        let (order, left) = (orders.order(feature, steps, places), T::from_i64(root.left as i64));
        match root.leaf_rows {
            None => sweep(items.instructions, &order, left, &mut extremes),
            Some(LeafRows { outer, totals, minimum }) => {
                let rows = match items.unit_rows {
                    true => None,
                    false => Some(items.row_counts.of(feature, orders.length(), |blocks| {
                        orders.look_up(feature, &items.rows, blocks);
                    })),
                };
                let outer = outer.map(|place| T::from_i64(place as i64));
                let minimum = minimum.saturating_sub(offset(Mutant::LeafRowCounts));
                let limits = LeafRowLimits::new(outer, totals, minimum);
                sweep_leaf_rows(items.instructions, &order, rows, left, &limits, &mut extremes);
            }
        }
        [0, 1].map(|child| {
            let [a, b] = pair_weights[child].map(|weight| weight as i64);
            let (rising, falling) = (b + extremes.maximum[child], a - extremes.minimum[child]);
            let correct = match self.orders.get(feature) {
                None | Some(StumpOrder::Any) => rising.max(falling),
                Some(StumpOrder::Increasing) => rising,
                Some(StumpOrder::Decreasing) => falling,
            };
            correct as Weight
        })
    }
}

impl<T: SweepLane> Evaluator for PairEvaluator<T> {
    fn evaluate(
        &mut self,
        subset: &ContinuousSubset,
        root: RootSplit,
        stump_bounds: &StumpBounds,
    ) -> Evaluation {
        self.items.prepare(subset, root.feature);
        let mut children = RootChildren::new(self.items.children(root), stump_bounds.useless);
        if let Some(columns) = &mut self.columns {
            // The correct weight in both children of the best stumps that are not swept.
            let left = T::from_i64(root.left as i64);
            let on_left = &children.classes[0][..self.items.classes.len()];
            let places = self.items.places_of(root.feature);
            let best = columns.best(self.items.instructions, places, left, on_left);
            for (child, (correct, feature)) in best.into_iter().enumerate() {
                children.improve(child, correct, feature);
            }
        }
        let first = self.begin_notes(stump_bounds);
        let features = self.items.features;
        let kinds = self.pairs.len() * features;
        for pair in 0..self.pairs.len() {
            let classes = self.pairs[pair];
            let mut notes =
                StumpNotes::of(&mut self.notes[first..], kinds, pair * features, features);
            let pair_weights = notes.raise(&children, classes);
            if !notes.any_below(children.limits()) {
                continue;
            }
            // The most promising features first: their correct weight lets others be skipped.
            let promising = notes.most_promising();
            for feature in promising.into_iter().chain(0..features) {
                let kind = first + pair * features + feature;
                let noted = [kind, kind + kinds].map(|at| self.notes[at]);
                if below(noted, children.limits()) {
                    let correct = self.sweep(subset, root, pair, feature, pair_weights);
                    let wrong = children.note(feature, correct);
                    self.notes[kind] = T::from_i64(wrong[0] as i64);
                    self.notes[kind + kinds] = T::from_i64(wrong[1] as i64);
                }
            }
        }
        for child in 0..2 {
            let notes = &self.notes[first + child * kinds..][..kinds];
            let minimum = notes.iter().copied().fold(T::MAX, T::min).to_i64() as Weight;
            let (weight, correct) = (children.weights[child], &mut children.correct[child]);
            correct.stump = correct.stump.max(weight - minimum.min(weight));
        }
        let notes = u32::try_from(first).ok();
        Evaluation { children: children.correct, features: Some(children.best), notes }
    }

    fn pruned_sweeps(&self) -> u64 {
        let features = self.items.features;
        let kinds = self.notes.len() / 2 / features.max(1) * (features - self.few.len());
        kinds as u64 - self.swept
    }

    fn swept_share(&self) -> f64 {
        self.swept as f64 / (self.swept + self.pruned_sweeps()).max(1) as f64
    }
}

/// Whether a kind with these notes may matter in some child.
fn below<T: SweepLane>(noted: [T; 2], limits: [T; 2]) -> bool {
    (noted[0] < limits[0]) | (noted[1] < limits[1])
}

impl<'n, T: SweepLane> StumpNotes<'n, T> {
    /// The notes of some kinds, out of all notes of a root.
    fn of(notes: &'n mut [T], kinds: usize, first: usize, count: usize) -> Self {
        let (left, right) = notes.split_at_mut(kinds);
        StumpNotes([&mut left[first..first + count], &mut right[first..first + count]])
    }

    /// Raises the notes of stumps of two classes to the weight of the other classes; returns the
    /// weights of the two classes by child.
    fn raise(&mut self, children: &RootChildren, [a, b]: [usize; 2]) -> [[Weight; 2]; 2] {
        [0, 1].map(|child| {
            let pair = [children.classes[child][a], children.classes[child][b]];
            let others = T::from_i64((children.weights[child] - pair[0] - pair[1]) as i64);
            self.0[child].iter_mut().for_each(|noted| *noted = others.max(*noted));
            pair
        })
    }

    /// Whether some kind matters. There is no branch per kind, since few kinds matter.
    fn any_below(&self, limits: [T; 2]) -> bool {
        let pairs = self.0[0].iter().zip(&*self.0[1]);
        pairs.fold(false, |any, (&left, &right)| any | below([left, right], limits))
    }

    /// By child, the feature with the smallest note.
    fn most_promising(&self) -> [usize; 2] {
        [0, 1].map(|child| {
            (0..self.0[child].len()).min_by_key(|&feature| self.0[child][feature]).unwrap_or(0)
        })
    }
}

impl RootChildren {
    fn new(classes: [[Weight; MAX_PAIRED_CLASSES]; 2], useless: [Weight; 2]) -> Self {
        let correct = classes.map(|weights| {
            let leaf = weights.into_iter().max().unwrap_or(0);
            CorrectWeight { leaf, stump: leaf }
        });
        let weights = classes.map(|weights| weights.iter().sum());
        RootChildren { classes, weights, correct, best: [0; 2], useless }
    }

    /// By child, a limit on notes: the note of a stump that matters is below it in some child.
    fn limits<T: SweepLane>(&self) -> [T; 2] {
        [0, 1].map(|child| {
            let minimum = self.weights[child] - self.correct[child].stump;
            T::from_i64(minimum.min(self.useless[child]) as i64)
        })
    }

    /// Records the weight that the best stump on a feature classifies correctly; returns the weight
    /// that it misclassifies.
    fn note(&mut self, feature: usize, correct: [Weight; 2]) -> [Weight; 2] {
        [0, 1].map(|child| {
            self.improve(child, correct[child], feature);
            self.weights[child] - correct[child]
        })
    }

    fn improve(&mut self, child: usize, correct: Weight, feature: usize) {
        if correct > self.correct[child].stump {
            self.correct[child].stump = correct;
            self.best[child] = feature;
        }
    }
}
