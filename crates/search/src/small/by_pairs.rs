//! Best stumps by one sweep over every feature for each pair of classes.
//!
//! A stump with leaves of classes a and b gets no more right than a and b weigh
//! together, so a pair that weighs no more than what is right already on both
//! sides of the root is left out.
//!
//! *Stump bounds.* What the best stump of one kind, a pair of classes and a
//! feature, misclassifies does not fall when items are added (it classifies the
//! fewer items no worse). So what a kind misclassified on a side inside this one
//! bounds it from below, and it need not be swept where that is no less than
//! what another kind misclassifies, or so much that it is useless on both sides.
//! What is noted for it then is the bound. Left of a root in an open interval
//! with evaluated ends a and b, a stump of cost c is useless if c + R(b) is no
//! better than the incumbent; likewise on the right with L(a). If both sides'
//! minima were useless ones, their sum would be at least twice the incumbent less
//! L(a) + R(b), which is more than the incumbent while the interval is open; so
//! a cost below the incumbent is exact.
//!
//! Parts are many and often small. So what one part needed serves the next, and
//! a feature is laid out when it is first swept or asked at a root.

use super::evaluator::{Between, Evaluated, Evaluator, MOST_PAIRED, Right, Root};
use super::few_values::{FewValues, MOST_VALUES};
use super::found::Found;
use super::items::Items;
use crate::kernels::Level;
use crate::kernels::sweep::{Extremes, Lane, sweep};
use crate::layout::Layout;
use crate::part::Part;
use exactree_model::Weight;
use std::cmp::Reverse;

/// See above.
pub struct ByPairs<T> {
    items: Items<T>,
    /// Whether features with few values are counted by columns of bits.
    few_values: bool,
    /// These features; they are not swept, and their notes say that none matters.
    few: Vec<usize>,
    columns: Option<FewValues>,
    /// Every two classes.
    pairs: Vec<[usize; 2]>,
    /// What rows add to the difference of a pair, by pair and feature.
    steps: Found<T>,
    /// Where rows stand in the order of a root feature, by that and feature.
    places: Found<T>,
    /// For every root evaluated, by side, pair and feature: what the best stump
    /// misclassifies, or a lower bound on it.
    notes: Vec<T>,
    swept: u64,
}

/// What both sides of a root hold, and what is right there so far.
struct Sides {
    /// By side, the weights of the classes and of all.
    classes: [[Weight; MOST_PAIRED]; 2],
    weights: [Weight; 2],
    right: [Right; 2],
    /// The features of the best stumps.
    best: [usize; 2],
    /// Stumps that misclassify as much need not be told apart.
    useless: [Weight; 2],
}

/// What is noted of one root, pair by pair.
struct Notes<'n, T>([&'n mut [T]; 2]);

impl<T: Lane> ByPairs<T> {
    pub fn new(level: Level, few_values: bool) -> Self {
        let (few, pairs, steps, places, notes) = Default::default();
        let items = Items::new(level);
        ByPairs { items, few_values, few, columns: None, pairs, steps, places, notes, swept: 0 }
    }

    /// Turns to a part with these classes, at most `MOST_PAIRED`.
    pub fn begin(&mut self, layout: &Layout, part: &Part, classes: &[usize]) {
        self.items.begin(layout, part, classes);
        let (count, features) = (classes.len(), part.sorted.features());
        self.pairs.clear();
        self.pairs.extend((0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])));
        // Heavy classes first: what they get right lets others be left out.
        let weight = |class: usize| self.items.classes[class].weight;
        self.pairs.sort_by_key(|&[a, b]| Reverse(weight(a) + weight(b)));
        let few_values = self.few_values && part.weight <= Weight::from(u32::MAX);
        self.few.clear();
        self.few.extend(
            (0..features).filter(|&at| few_values && layout.features[at].values() <= MOST_VALUES),
        );
        self.columns = (!self.few.is_empty()).then(|| self.items.columns(part, &self.few));
        self.steps.begin(self.pairs.len() * features);
        self.places.begin(features * features);
        self.notes.clear();
        self.swept = 0;
    }

    /// Notes for one root more: what is known of it beforehand. Returns where
    /// they begin.
    fn begin_notes(&mut self, between: &Between) -> usize {
        let kinds = self.pairs.len() * self.items.features;
        let first = self.notes.len();
        self.notes.resize(first + 2 * kinds, T::default());
        for notes in self.notes[first..].chunks_exact_mut(self.items.features) {
            self.few.iter().for_each(|&feature| notes[feature] = T::GREATEST);
        }
        for (side, from) in between.notes.iter().enumerate() {
            if let Some(from) = from {
                let from = *from as usize + side * kinds;
                self.notes.copy_within(from..from + kinds, first + side * kinds);
            }
        }
        first
    }

    /// What the best stump of a feature with leaves of the two classes of a pair
    /// gets right on both sides of a root, which hold so much of them.
    fn sweep(
        &mut self,
        part: &Part,
        root: Root,
        pair: usize,
        feature: usize,
        held: [[Weight; 2]; 2],
    ) -> [Weight; 2] {
        self.swept += 1;
        let items = &mut self.items;
        items.lay(part, feature);
        let weights = match items.plain {
            true => None,
            false => Some(items.held.of(feature, items.orders.length(), |blocks| {
                items.orders.look_up(feature, &items.weights, blocks);
            })),
        };
        let (orders, features) = (&items.orders, items.features);
        let classes = self.pairs[pair].map(|class| {
            let items = &items.classes[class].items;
            T::from_i64(items.start as i64)..T::from_i64(items.end as i64)
        });
        let steps = self.steps.of(pair * features + feature, orders.length(), |blocks| {
            orders.steps(items.level, feature, weights, &classes, blocks);
        });
        let table = items.places_of(root.feature);
        let places = self.places.of(root.feature * features + feature, orders.length(), |blocks| {
            orders.look_up(feature, table, blocks);
        });
        let mut extremes = Extremes::default();
        let order = orders.order(feature, steps, places);
        sweep(items.level, &order, T::from_i64(root.left as i64), &mut extremes);
        [0, 1].map(|side| {
            let [a, b] = held[side].map(|weight| weight as i64);
            (b + extremes.greatest[side]).max(a - extremes.least[side]) as Weight
        })
    }
}

impl<T: Lane> Evaluator for ByPairs<T> {
    fn evaluate(&mut self, part: &Part, root: Root, between: &Between) -> Evaluated {
        self.items.lay(part, root.feature);
        let mut sides = Sides::new(self.items.sides(root), between.useless);
        if let Some(columns) = &mut self.columns {
            // What is right on both sides by stumps that are not swept.
            let left = T::from_i64(root.left as i64);
            let on_left = &sides.classes[0][..self.items.classes.len()];
            let places = self.items.places_of(root.feature);
            let best = columns.best(self.items.level, places, left, on_left);
            for (side, (right, feature)) in best.into_iter().enumerate() {
                sides.improve(side, right, feature);
            }
        }
        let first = self.begin_notes(between);
        let features = self.items.features;
        let kinds = self.pairs.len() * features;
        for pair in 0..self.pairs.len() {
            let classes = self.pairs[pair];
            let mut notes = Notes::of(&mut self.notes[first..], kinds, pair * features, features);
            let held = notes.raise(&sides, classes);
            if !notes.any_below(sides.limits()) {
                continue;
            }
            // The most promising first: what they get right lets others be left out.
            let promising = notes.least();
            for feature in promising.into_iter().chain(0..features) {
                let kind = first + pair * features + feature;
                let noted = [kind, kind + kinds].map(|at| self.notes[at]);
                if below(noted, sides.limits()) {
                    let right = self.sweep(part, root, pair, feature, held);
                    let wrong = sides.note(feature, right);
                    self.notes[kind] = T::from_i64(wrong[0] as i64);
                    self.notes[kind + kinds] = T::from_i64(wrong[1] as i64);
                }
            }
        }
        for side in 0..2 {
            let notes = &self.notes[first + side * kinds..][..kinds];
            let least = notes.iter().copied().fold(T::GREATEST, T::min).to_i64() as Weight;
            let (weight, right) = (sides.weights[side], &mut sides.right[side]);
            right.stump = right.stump.max(weight - least.min(weight));
        }
        let notes = u32::try_from(first).ok();
        Evaluated { sides: sides.right, features: Some(sides.best), notes }
    }

    fn left_out(&self) -> u64 {
        let features = self.items.features;
        let kinds = self.notes.len() / 2 / features.max(1) * (features - self.few.len());
        kinds as u64 - self.swept
    }
}

/// Whether a kind noted so would matter on some side.
fn below<T: Lane>(noted: [T; 2], limits: [T; 2]) -> bool {
    (noted[0] < limits[0]) | (noted[1] < limits[1])
}

impl<'n, T: Lane> Notes<'n, T> {
    /// What is noted of some kinds, from all that is noted of a root.
    fn of(notes: &'n mut [T], kinds: usize, first: usize, count: usize) -> Self {
        let (left, right) = notes.split_at_mut(kinds);
        Notes([&mut left[first..first + count], &mut right[first..first + count]])
    }

    /// Raises what stumps of two classes misclassify at least by what the other
    /// classes weigh; the weights of the two by side.
    fn raise(&mut self, sides: &Sides, [a, b]: [usize; 2]) -> [[Weight; 2]; 2] {
        [0, 1].map(|side| {
            let held = [sides.classes[side][a], sides.classes[side][b]];
            let others = T::from_i64((sides.weights[side] - held[0] - held[1]) as i64);
            self.0[side].iter_mut().for_each(|noted| *noted = others.max(*noted));
            held
        })
    }

    /// Whether some kind matters. Without a branch for each: most do not.
    fn any_below(&self, limits: [T; 2]) -> bool {
        let pairs = self.0[0].iter().zip(&*self.0[1]);
        pairs.fold(false, |any, (&left, &right)| any | below([left, right], limits))
    }

    /// By side, the feature with the least.
    fn least(&self) -> [usize; 2] {
        [0, 1].map(|side| {
            (0..self.0[side].len()).min_by_key(|&feature| self.0[side][feature]).unwrap_or(0)
        })
    }
}

impl Sides {
    fn new(classes: [[Weight; MOST_PAIRED]; 2], useless: [Weight; 2]) -> Self {
        let right = classes.map(|weights| {
            let leaf = weights.into_iter().max().unwrap_or(0);
            Right { leaf, stump: leaf }
        });
        let weights = classes.map(|weights| weights.iter().sum());
        Sides { classes, weights, right, best: [0; 2], useless }
    }

    /// What is noted of a stump that matters is less on some side.
    fn limits<T: Lane>(&self) -> [T; 2] {
        [0, 1].map(|side| {
            let least = self.weights[side] - self.right[side].stump;
            T::from_i64(least.min(self.useless[side]) as i64)
        })
    }

    /// Takes in what the best stump of a feature gets right; what it misclassifies.
    fn note(&mut self, feature: usize, right: [Weight; 2]) -> [Weight; 2] {
        [0, 1].map(|side| {
            self.improve(side, right[side], feature);
            self.weights[side] - right[side]
        })
    }

    fn improve(&mut self, side: usize, right: Weight, feature: usize) {
        if right > self.right[side].stump {
            self.right[side].stump = right;
            self.best[side] = feature;
        }
    }
}
