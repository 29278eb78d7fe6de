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

use super::evaluator::{Between, Evaluated, Evaluator, MOST_PAIRED, Right, Root};
use super::few_values::{FewValues, MOST_VALUES};
use crate::kernels::Level;
use crate::kernels::sweep::{Extremes, Lane, Lanes, Orders, sweep, weigh};
use crate::layout::Layout;
use crate::part::Part;
use exactree_model::Weight;
use std::cmp::Reverse;
use std::ops::Range;

/// Bytes that what was looked up may take; it is forgotten beyond that.
const MOST_FOUND: usize = 1 << 26;

/// See above.
pub struct ByPairs<T> {
    items: Items<T>,
    /// Features that are not swept.
    few: Option<FewValues>,
    pairs: Vec<Pair<T>>,
    /// Where rows stand in the order of a root feature, each a table.
    places: Found<T>,
    /// For every root evaluated, by pair and feature: what the best stump
    /// misclassifies on both sides, or lower bounds on it.
    notes: Vec<[Weight; 2]>,
    swept: u64,
}

/// The items of a part in the order of their slots, so class by class.
struct Items<T> {
    level: Level,
    count: usize,
    /// The features that are swept.
    features: Vec<usize>,
    classes: Vec<Class>,
    weights: Vec<T>,
    /// By feature and item, the place in the feature's order; see `places`.
    places: Vec<T>,
    orders: Orders<T>,
}

struct Class {
    items: Range<usize>,
    weight: Weight,
}

/// What was looked up of the rows of a feature, as far as it was needed.
struct Found<T> {
    blocks: Vec<Lanes<T>>,
    /// By table and feature, the first of its blocks, if they are there.
    begins: Vec<Option<usize>>,
}

/// Two classes.
struct Pair<T> {
    classes: [usize; 2],
    /// What items add to their difference; empty until it is needed.
    adds: Vec<T>,
    /// The same by row.
    steps: Found<T>,
}

/// What both sides of a root hold, and what is right there so far.
struct Sides {
    /// By side, the weights of the classes and of all.
    classes: [[Weight; MOST_PAIRED]; 2],
    weights: [Weight; 2],
    right: [Right; 2],
    /// The features of the best stumps.
    best: [usize; 2],
}

impl<T: Lane> ByPairs<T> {
    /// The evaluator of a part with these classes, at most `MOST_PAIRED`; perhaps
    /// with columns of bits for features with few values.
    pub fn new(
        layout: &Layout,
        part: &Part,
        level: Level,
        classes: &[usize],
        few_values: bool,
    ) -> Self {
        let few_values = few_values && part.weight <= Weight::from(u32::MAX);
        let (few, swept) = (0..part.sorted.len())
            .partition(|&at| few_values && layout.features[at].values() <= MOST_VALUES);
        let (items, few) = Items::new(layout, part, level, classes, swept, few);
        let found = |tables: usize| Found::new(tables * items.features.len());
        let pair = |a: usize, b: usize| Pair { classes: [a, b], adds: Vec::new(), steps: found(1) };
        let count = classes.len();
        let mut pairs: Vec<Pair<T>> =
            (0..count).flat_map(|a| (a + 1..count).map(move |b| pair(a, b))).collect();
        // Heavy classes first: what they get right lets others be left out.
        let weight = |class: usize| items.classes[class].weight;
        pairs.sort_by_key(|pair| Reverse(weight(pair.classes[0]) + weight(pair.classes[1])));
        let places = found(part.sorted.len());
        ByPairs { items, few, pairs, places, notes: Vec::new(), swept: 0 }
    }

    /// Notes for one root more: what is known of it beforehand.
    fn begin_notes(&mut self, between: &Between) {
        let kinds = self.pairs.len() * self.items.features.len();
        let first = self.notes.len();
        self.notes.resize(first + kinds, [0; 2]);
        let (before, now) = self.notes.split_at_mut(first);
        for (side, from) in between.notes.iter().enumerate() {
            for (now, before) in now.iter_mut().zip(from.iter().flat_map(|&from| &before[from..])) {
                now[side] = before[side];
            }
        }
    }
}

impl<T: Lane> Evaluator for ByPairs<T> {
    fn evaluate(&mut self, root: Root, between: &Between) -> Evaluated {
        let mut sides = self.items.sides(root);
        let first = self.notes.len();
        self.begin_notes(between);
        if let Some(few) = &mut self.few {
            self.items.count_few(few, root, &mut sides);
        }
        let features = self.items.features.len();
        let notes = self.notes[first..].chunks_mut(features.max(1));
        for (pair, notes) in self.pairs.iter_mut().zip(notes) {
            let held = sides.raise_notes(pair.classes, notes);
            // The most promising first: what they get right lets others be left out.
            let promising = [0, 1].map(|side| (0..features).min_by_key(|&at| notes[at][side]));
            for feature in promising.into_iter().flatten().chain(0..features) {
                if sides.matters(&notes[feature], &between.useless) {
                    let right = pair.sweep(&self.items, &mut self.places, root, feature, held);
                    sides.note(self.items.features[feature], right, &mut notes[feature]);
                    self.swept += 1;
                }
            }
        }
        for (side, right) in sides.right.iter_mut().enumerate() {
            let least = self.notes[first..].iter().map(|wrong| wrong[side]).min();
            let least = least.unwrap_or(Weight::MAX).min(sides.weights[side]);
            right.stump = right.stump.max(sides.weights[side] - least);
        }
        Evaluated { sides: sides.right, features: Some(sides.best), notes: Some(first) }
    }

    fn left_out(&self) -> u64 {
        self.notes.len() as u64 - self.swept
    }
}

impl Sides {
    /// Raises what stumps of two classes misclassify at least by what the other
    /// classes weigh; the weights of the two by side.
    fn raise_notes(&self, [a, b]: [usize; 2], notes: &mut [[Weight; 2]]) -> [[Weight; 2]; 2] {
        let held = [0, 1].map(|side| [self.classes[side][a], self.classes[side][b]]);
        let others = [0, 1].map(|side| self.weights[side] - held[side][0] - held[side][1]);
        for wrong in notes {
            *wrong = [wrong[0].max(others[0]), wrong[1].max(others[1])];
        }
        held
    }

    /// Whether a stump that misclassifies as little as noted would matter.
    fn matters(&self, wrong: &[Weight; 2], useless: &[Weight; 2]) -> bool {
        let least = |side: usize| self.weights[side] - self.right[side].stump;
        wrong[0] < useless[0].min(least(0)) || wrong[1] < useless[1].min(least(1))
    }

    /// Notes what the best stump of a feature gets right.
    fn note(&mut self, feature: usize, right: [Weight; 2], wrong: &mut [Weight; 2]) {
        for side in 0..2 {
            wrong[side] = self.weights[side] - right[side];
            self.improve(side, right[side], feature);
        }
    }

    fn improve(&mut self, side: usize, right: Weight, feature: usize) {
        if right > self.right[side].stump {
            self.right[side].stump = right;
            self.best[side] = feature;
        }
    }
}

impl<T: Lane> Items<T> {
    fn new(
        layout: &Layout,
        part: &Part,
        level: Level,
        classes: &[usize],
        swept: Vec<usize>,
        few: Vec<usize>,
    ) -> (Self, Option<FewValues>) {
        let mut item_of = vec![T::default(); layout.slots];
        let mut weights = Vec::with_capacity(part.count);
        let mut ends = vec![0; layout.n_classes];
        for slot in part.members.iter().map(|slot| slot as usize) {
            item_of[slot] = T::from_i64(weights.len() as i64);
            weights.push(T::from_i64(layout.weight[slot] as i64));
            ends[layout.class[slot] as usize] = weights.len();
        }
        let mut first = 0;
        let class = |&class: &usize| {
            let items = std::mem::replace(&mut first, ends[class])..ends[class];
            Class { items, weight: part.class_weights[class] }
        };
        let classes: Vec<Class> = classes.iter().map(class).collect();
        let count = part.count;
        let rows = |feature: usize| {
            part.sorted[feature].iter().map(|row| (item_of[row.slot as usize], row.rank))
        };
        let mut orders = Orders::new(count, swept.len());
        for (at, &feature) in swept.iter().enumerate() {
            orders.set(at, &rows(feature).collect::<Vec<_>>());
        }
        let mut places = vec![T::default(); (count + 1) * part.sorted.len()];
        for (feature, places) in places.chunks_exact_mut(count + 1).enumerate() {
            for (place, (item, _)) in rows(feature).enumerate() {
                places[item.to_i64() as usize] = T::from_i64(place as i64);
            }
        }
        let few = (!few.is_empty()).then(|| {
            let rows = |at| rows(at).map(|(item, rank)| (item.to_i64() as usize, rank)).collect();
            let orders: Vec<_> = few.into_iter().map(|feature| (feature, rows(feature))).collect();
            let classes = classes.iter().map(|class| class.items.clone()).collect();
            let weights: Vec<Weight> = weights.iter().map(|w| w.to_i64() as Weight).collect();
            FewValues::new(&orders, classes, &weights)
        });
        (Items { level, count, features: swept, classes, weights, places, orders }, few)
    }

    /// Raises what is right on both sides of a root by the stumps that are not swept.
    fn count_few(&self, few: &mut FewValues, root: Root, sides: &mut Sides) {
        let left = T::from_i64(root.left as i64);
        let on_left = &sides.classes[0][..self.classes.len()];
        let best = few.best(self.level, self.places(root.feature), left, on_left);
        for (side, (right, feature)) in best.into_iter().enumerate() {
            sides.improve(side, right, feature);
        }
    }

    /// By item, the place in a feature's order; and one entry more.
    fn places(&self, feature: usize) -> &[T] {
        &self.places[feature * (self.count + 1)..][..self.count + 1]
    }

    /// What the two sides of a root hold.
    fn sides(&self, Root { feature, left }: Root) -> Sides {
        let places = self.places(feature);
        let left = T::from_i64(left as i64);
        let mut classes = [[0; MOST_PAIRED]; 2];
        for (at, class) in self.classes.iter().enumerate() {
            let (places, weights) =
                (&places[class.items.clone()], &self.weights[class.items.clone()]);
            let mut on_left = T::default();
            weigh(self.level, places, weights, left, &mut on_left);
            classes[0][at] = on_left.to_i64() as Weight;
            classes[1][at] = class.weight - classes[0][at];
        }
        let right = classes.map(|weights| {
            let leaf = weights.into_iter().max().unwrap_or(0);
            Right { leaf, stump: leaf }
        });
        let weights = classes.map(|weights| weights.iter().sum());
        Sides { classes, weights, right, best: [0; 2] }
    }
}

impl<T: Lane> Pair<T> {
    /// What the best stump of a feature with leaves of the two classes gets right
    /// on both sides of a root, which hold so much of them.
    fn sweep(
        &mut self,
        items: &Items<T>,
        places: &mut Found<T>,
        root: Root,
        feature: usize,
        held: [[Weight; 2]; 2],
    ) -> [Weight; 2] {
        if self.adds.is_empty() {
            self.adds = self.adds(items);
        }
        let steps = self.steps.of(&items.orders, feature, feature, &self.adds);
        let table = root.feature * items.features.len() + feature;
        let places = places.of(&items.orders, table, feature, items.places(root.feature));
        let order = items.orders.order(feature, steps, places);
        let mut extremes = Extremes::default();
        sweep(items.level, &order, T::from_i64(root.left as i64), &mut extremes);
        [0, 1].map(|side| {
            let [a, b] = held[side].map(|weight| weight as i64);
            (b + extremes.greatest[side]).max(a - extremes.least[side]) as Weight
        })
    }

    fn adds(&self, items: &Items<T>) -> Vec<T> {
        let mut adds = vec![T::default(); items.count + 1];
        let [a, b] = self.classes.map(|class| items.classes[class].items.clone());
        adds[a.clone()].copy_from_slice(&items.weights[a]);
        for (add, &weight) in adds[b.clone()].iter_mut().zip(&items.weights[b]) {
            *add = T::default().minus(weight);
        }
        adds
    }
}

impl<T: Lane> Found<T> {
    fn new(entries: usize) -> Self {
        Found { blocks: Vec::new(), begins: vec![None; entries] }
    }

    /// What a table says of the rows of a feature.
    fn of(&mut self, orders: &Orders<T>, at: usize, feature: usize, table: &[T]) -> &[Lanes<T>] {
        if self.begins[at].is_none() {
            self.make_room(orders.length());
            self.begins[at] = Some(self.blocks.len());
            orders.look_up(feature, table, &mut self.blocks);
        }
        &self.blocks[self.begins[at].unwrap_or(0)..][..orders.length()]
    }

    /// Room for so many blocks more; what is there is forgotten where it is too much.
    fn make_room(&mut self, blocks: usize) {
        let most = MOST_FOUND / size_of::<Lanes<T>>();
        if self.blocks.len() + blocks > most {
            self.blocks.clear();
            self.begins.fill(None);
        }
        let needed = self.blocks.len() + blocks;
        if needed > self.blocks.capacity() {
            // As vectors grow, but not beyond what is allowed.
            let room = (2 * needed).min(needed.max(most));
            self.blocks.reserve_exact(room - self.blocks.len());
        }
    }
}
