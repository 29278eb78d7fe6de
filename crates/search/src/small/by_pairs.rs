//! Best stumps by one sweep over every feature for each pair of classes, of
//! their rows alone.
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
use crate::kernels::Level;
use crate::kernels::sweep::{Extremes, Lane, Lanes, Orders, Row, sweep, weigh};
use crate::layout::Layout;
use crate::part::Part;
use exactree_model::Weight;
use std::cmp::Reverse;
use std::ops::Range;

/// Bytes that the places of a pair's rows may take; forgotten beyond that.
const MOST_PLACES: usize = 1 << 28;

/// See above.
pub struct ByPairs<'p, T> {
    items: Items<'p, T>,
    pairs: Vec<Pair<T>>,
    room: Room<T>,
    /// For every root evaluated, by pair and feature: what the best stump
    /// misclassifies on both sides, or lower bounds on it.
    notes: Vec<[Weight; 2]>,
    swept: u64,
}

/// The items of a part in the order of their slots, so class by class.
struct Items<'p, T> {
    level: Level,
    part: &'p Part,
    classes: Vec<Class>,
    weights: Vec<T>,
    /// By feature and place in its order, the item.
    in_order: Vec<T>,
    /// By feature and item, the place in the feature's order.
    places: Vec<T>,
}

struct Class {
    items: Range<usize>,
    weight: Weight,
}

/// The rows of two classes.
struct Pair<T> {
    classes: [usize; 2],
    /// By feature; empty until they are needed.
    orders: Orders<T>,
    /// Where the rows in the order of a feature stand in the order of a root
    /// feature, one after the other as they were needed.
    places: Vec<Lanes<T>>,
    /// By root feature and by feature, where that begins, if it is there.
    begins: Vec<Option<usize>>,
}

/// Room for what a pair adds by item, and for the rows of an order.
struct Room<T> {
    steps: Vec<T>,
    rows: Vec<Row<T>>,
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

impl<'p, T: Lane> ByPairs<'p, T> {
    /// The evaluator of a part with these classes, at most `MOST_PAIRED`.
    pub fn new(layout: &'p Layout, part: &'p Part, level: Level, classes: &[usize]) -> Self {
        let items = Items::new(layout, part, level, classes);
        let count = classes.len();
        let mut pairs: Vec<Pair<T>> =
            (0..count).flat_map(|a| (a + 1..count).map(move |b| Pair::new([a, b]))).collect();
        // Heavy classes first: what they get right lets others be left out.
        let weight = |class: usize| items.classes[class].weight;
        pairs.sort_by_key(|pair| Reverse(weight(pair.classes[0]) + weight(pair.classes[1])));
        let room = Room { steps: vec![T::default(); part.count], rows: Vec::new() };
        ByPairs { items, pairs, room, notes: Vec::new(), swept: 0 }
    }

    /// Notes for one root more: what is known of it beforehand.
    fn begin_notes(&mut self, between: &Between) {
        let kinds = self.pairs.len() * self.items.part.sorted.len();
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

impl<T: Lane> Evaluator for ByPairs<'_, T> {
    fn evaluate(&mut self, root: Root, between: &Between) -> Evaluated {
        let mut sides = self.items.sides(root);
        let first = self.notes.len();
        self.begin_notes(between);
        let features = self.items.part.sorted.len();
        for (pair, notes) in self.pairs.iter_mut().zip(self.notes[first..].chunks_mut(features)) {
            let held = sides.raise_notes(pair.classes, notes);
            // The most promising first: what they get right lets others be left out.
            let promising = [0, 1].map(|side| (0..features).min_by_key(|&at| notes[at][side]));
            for feature in promising.into_iter().flatten().chain(0..features) {
                if sides.matters(&notes[feature], &between.useless) {
                    let right = pair.sweep(&self.items, &mut self.room, root, feature, held);
                    sides.note(feature, right, &mut notes[feature]);
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
            if right[side] > self.right[side].stump {
                self.right[side].stump = right[side];
                self.best[side] = feature;
            }
        }
    }
}

impl<'p, T: Lane> Items<'p, T> {
    fn new(layout: &'p Layout, part: &'p Part, level: Level, classes: &[usize]) -> Self {
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
        let classes = classes.iter().map(class).collect();
        let count = part.count * part.sorted.len();
        let (mut in_order, mut places) = (Vec::with_capacity(count), vec![T::default(); count]);
        for (order, places) in part.sorted.iter().zip(places.chunks_mut(part.count)) {
            for (place, row) in order.iter().enumerate() {
                let item = item_of[row.slot as usize];
                in_order.push(item);
                places[item.to_i64() as usize] = T::from_i64(place as i64);
            }
        }
        Items { level, part, classes, weights, in_order, places }
    }

    /// By item, the place in a feature's order.
    fn places(&self, feature: usize) -> &[T] {
        &self.places[feature * self.part.count..][..self.part.count]
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
    fn new(classes: [usize; 2]) -> Self {
        Pair { classes, orders: Orders::default(), places: Vec::new(), begins: Vec::new() }
    }

    /// What the best stump of a feature with leaves of the two classes gets right
    /// on both sides of a root, which hold so much of them.
    fn sweep(
        &mut self,
        items: &Items<'_, T>,
        room: &mut Room<T>,
        root: Root,
        feature: usize,
        held: [[Weight; 2]; 2],
    ) -> [Weight; 2] {
        let features = items.part.sorted.len();
        if self.orders.is_empty() {
            self.lay_out(items, room);
            self.begins = vec![None; features * features];
        }
        let order = self.orders.of(feature);
        let at = root.feature * features + feature;
        let begin = self.begins[at].unwrap_or_else(|| {
            if size_of_val(&self.places[..]) > MOST_PLACES {
                self.places.clear();
                self.begins.fill(None);
            }
            self.begins[at] = Some(self.places.len());
            order.add_places(items.places(root.feature), &mut self.places);
            self.places.len() - order.length()
        });
        let places = &self.places[begin..][..order.length()];
        let mut extremes = Extremes::default();
        sweep(items.level, &order, places, T::from_i64(root.left as i64), &mut extremes);
        [0, 1].map(|side| {
            let [a, b] = held[side].map(|weight| weight as i64);
            (b + extremes.greatest[side]).max(a - extremes.least[side]) as Weight
        })
    }

    /// Lays out the orders of the pair's rows.
    fn lay_out(&mut self, items: &Items<'_, T>, room: &mut Room<T>) {
        let [a, b] = self.classes.map(|class| items.classes[class].items.clone());
        room.steps.fill(T::default());
        for item in a.clone() {
            room.steps[item] = items.weights[item];
        }
        for item in b.clone() {
            room.steps[item] = T::default().minus(items.weights[item]);
        }
        room.rows.resize(items.part.count + 1, Row::default());
        self.orders = Orders::new(a.len() + b.len(), items.part.sorted.len());
        let in_order = items.in_order.chunks(items.part.count);
        for (feature, (order, entries)) in in_order.zip(&items.part.sorted).enumerate() {
            // Every row is written and only those of the pair are kept: no branch
            // to mispredict.
            let mut count = 0;
            for (&item, entry) in order.iter().zip(entries) {
                let step = room.steps[item.to_i64() as usize];
                room.rows[count] = Row { rank: entry.rank, item, step };
                count += (step != T::default()) as usize;
            }
            self.orders.set(feature, &room.rows[..count]);
        }
    }
}
