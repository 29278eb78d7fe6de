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

use super::evaluator::{Between, Evaluated, Evaluator, Root, leaves};
use crate::kernels::Level;
use crate::kernels::sweep::{Extremes, Lane, Lanes, Order, Row, sweep, weigh};
use crate::layout::Layout;
use crate::part::Part;
use exactree_model::Weight;
use std::cmp::Reverse;
use std::ops::Range;

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
    in_order: Vec<Vec<T>>,
    /// By feature and item, the place in the feature's order.
    places: Vec<Vec<T>>,
}

struct Class {
    items: Range<usize>,
    weight: Weight,
}

/// The rows of two classes.
struct Pair<T> {
    classes: [usize; 2],
    /// By feature; empty until they are needed.
    orders: Vec<Order<T>>,
    /// By root feature and by feature, empty until it is needed: where the rows
    /// stand in the order of the root feature.
    places: Vec<Vec<Vec<Lanes<T>>>>,
}

/// Room for what a pair adds by item, and for the rows of an order.
struct Room<T> {
    steps: Vec<T>,
    rows: Vec<Row<T>>,
}

impl<'p, T: Lane> ByPairs<'p, T> {
    /// The evaluator of a part with these classes.
    pub fn new(layout: &'p Layout, part: &'p Part, level: Level, classes: &[usize]) -> Self {
        let items = Items::new(layout, part, level, classes);
        let count = classes.len();
        let pair =
            |a: usize, b: usize| Pair { classes: [a, b], orders: Vec::new(), places: Vec::new() };
        let mut pairs: Vec<Pair<T>> =
            (0..count).flat_map(|a| (a + 1..count).map(move |b| pair(a, b))).collect();
        // Heavy classes first: what they get right lets others be left out.
        let weight = |class: usize| items.classes[class].weight;
        pairs.sort_by_key(|pair| Reverse(weight(pair.classes[0]) + weight(pair.classes[1])));
        let room = Room { steps: vec![T::default(); part.count], rows: Vec::new() };
        ByPairs { items, pairs, room, notes: Vec::new(), swept: 0 }
    }
}

impl<T: Lane> Evaluator for ByPairs<'_, T> {
    fn evaluate(&mut self, root: Root, between: &Between) -> Evaluated {
        let classes = self.items.sides(root);
        let weights = [0, 1].map(|side| classes[side].iter().sum::<Weight>());
        let (mut sides, mut best) = (leaves(&classes), [0; 2]);
        let (first, features) = (self.notes.len(), self.items.places.len());
        self.begin_notes(between);
        for (pair, notes) in self.pairs.iter_mut().zip(self.notes[first..].chunks_mut(features)) {
            let [a, b] = pair.classes;
            let held = [0, 1].map(|side| [classes[side][a], classes[side][b]]);
            for side in 0..2 {
                let others = weights[side] - held[side][0] - held[side][1];
                notes.iter_mut().for_each(|wrong| wrong[side] = wrong[side].max(others));
            }
            let promising = |side: usize| (0..features).min_by_key(|&at| notes[at][side]);
            let in_order = promising(0).into_iter().chain(promising(1)).chain(0..features);
            for feature in in_order.collect::<Vec<usize>>() {
                let matters = |side: usize| {
                    let least = weights[side] - sides[side].stump;
                    notes[feature][side] < least.min(between.useless[side])
                };
                if matters(0) || matters(1) {
                    self.swept += 1;
                    let right = pair.sweep(&self.items, &mut self.room, root, feature, held);
                    for side in 0..2 {
                        if right[side] > sides[side].stump {
                            sides[side].stump = right[side];
                            best[side] = feature;
                        }
                        notes[feature][side] = weights[side] - right[side];
                    }
                }
            }
        }
        for (side, right) in sides.iter_mut().enumerate() {
            let least = self.notes[first..].iter().map(|wrong| wrong[side]).min();
            right.stump = right.stump.max(weights[side] - least.unwrap_or(weights[side]));
        }
        Evaluated { sides, features: Some(best), notes: Some(first) }
    }

    fn left_out(&self) -> u64 {
        self.notes.len() as u64 - self.swept
    }
}

impl<T: Lane> ByPairs<'_, T> {
    /// Notes for one root more: what is known of it beforehand.
    fn begin_notes(&mut self, between: &Between) {
        let kinds = self.pairs.len() * self.items.places.len();
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
        let (mut in_order, mut places) = (Vec::new(), Vec::new());
        for order in &part.sorted {
            let mut place_of = vec![T::default(); order.len()];
            let items = order.iter().enumerate().map(|(place, row)| {
                let item = item_of[row.slot as usize];
                place_of[item.to_i64() as usize] = T::from_i64(place as i64);
                item
            });
            in_order.push(items.collect());
            places.push(place_of);
        }
        Items { level, part, classes, weights, in_order, places }
    }

    /// The weights of the classes on the left and on the right side of a root.
    fn sides(&self, Root { feature, left }: Root) -> [Vec<Weight>; 2] {
        let on_left = |class: &Class| {
            let items = class.items.clone();
            let (places, weights) = (&self.places[feature][items.clone()], &self.weights[items]);
            let mut weight = T::default();
            weigh(self.level, places, weights, T::from_i64(left as i64), &mut weight);
            weight.to_i64() as Weight
        };
        let on_left: Vec<Weight> = self.classes.iter().map(on_left).collect();
        let on_right = self.classes.iter().zip(&on_left).map(|(class, left)| class.weight - left);
        let on_right = on_right.collect();
        [on_left, on_right]
    }
}

impl<T: Lane> Pair<T> {
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
        if self.orders.is_empty() {
            self.lay_out(items, room);
            self.places = vec![vec![Vec::new(); self.orders.len()]; self.orders.len()];
        }
        let order = &self.orders[feature];
        let places = &mut self.places[root.feature][feature];
        if places.is_empty() {
            *places = order.places(&items.places[root.feature]);
        }
        let mut extremes = Extremes::default();
        sweep(items.level, order, places, T::from_i64(root.left as i64), &mut extremes);
        [0, 1].map(|side| {
            let [a, b] = held[side].map(|weight| weight as i64);
            (b + extremes.greatest[side]).max(a - extremes.least[side]) as Weight
        })
    }

    /// Lays out the orders of the pair's rows.
    fn lay_out(&mut self, items: &Items<'_, T>, room: &mut Room<T>) {
        let [a, b] = self.classes.map(|class| items.classes[class].items.clone());
        room.steps.fill(T::default());
        for item in a {
            room.steps[item] = items.weights[item];
        }
        for item in b {
            room.steps[item] = T::default().minus(items.weights[item]);
        }
        room.rows.resize(items.part.count + 1, Row::default());
        for (order, entries) in items.in_order.iter().zip(&items.part.sorted) {
            // Every row is written and only those of the pair are kept: no branch
            // to mispredict.
            let mut count = 0;
            for (&item, entry) in order.iter().zip(entries) {
                let step = room.steps[item.to_i64() as usize];
                room.rows[count] = Row { rank: entry.rank, item, step };
                count += (step != T::default()) as usize;
            }
            self.orders.push(Order::new(&room.rows[..count]));
        }
    }
}
