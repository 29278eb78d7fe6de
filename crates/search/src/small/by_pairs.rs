//! Best stumps by one sweep over every feature for each pair of classes, of
//! their rows alone.
//!
//! A stump with leaves of classes a and b gets no more right than a and b weigh
//! together, so a pair that weighs no more than what is right already on both
//! sides of the root is left out.

use super::evaluator::{Evaluator, Right, leaves};
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
    /// By root feature, empty until it is needed, and by feature: where the rows
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
        let pair = |a: usize, b: usize| Pair {
            classes: [a, b],
            orders: Vec::new(),
            places: vec![Vec::new(); part.sorted.len()],
        };
        let mut pairs: Vec<Pair<T>> =
            (0..count).flat_map(|a| (a + 1..count).map(move |b| pair(a, b))).collect();
        // Heavy classes first: what they get right lets others be left out.
        let weight = |class: usize| items.classes[class].weight;
        pairs.sort_by_key(|pair| Reverse(weight(pair.classes[0]) + weight(pair.classes[1])));
        let room = Room { steps: vec![T::default(); part.count], rows: Vec::new() };
        ByPairs { items, pairs, room }
    }
}

impl<T: Lane> Evaluator for ByPairs<'_, T> {
    fn evaluate(&mut self, feature: usize, left: usize) -> [Right; 2] {
        let sides = self.items.sides(feature, left);
        let mut right = leaves(&sides);
        for pair in &mut self.pairs {
            let [a, b] = pair.classes;
            let most = [0, 1].map(|side| sides[side][a] + sides[side][b]);
            if most[0] <= right[0].stump && most[1] <= right[1].stump {
                continue;
            }
            let extremes = pair.sweep(&self.items, &mut self.room, feature, left);
            for side in 0..2 {
                let ascending = sides[side][b] as i64 + extremes.greatest[side];
                let descending = sides[side][a] as i64 - extremes.least[side];
                let stump = ascending.max(descending) as Weight;
                right[side].stump = right[side].stump.max(stump);
            }
        }
        right
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
    fn sides(&self, feature: usize, left: usize) -> [Vec<Weight>; 2] {
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
    /// The extremes of the pair's rows on both sides of a root.
    fn sweep(
        &mut self,
        items: &Items<'_, T>,
        room: &mut Room<T>,
        feature: usize,
        left: usize,
    ) -> Extremes {
        if self.orders.is_empty() {
            self.lay_out(items, room);
        }
        if self.places[feature].is_empty() {
            let place_of = &items.places[feature];
            let places = self.orders.iter().map(|order| order.places(place_of));
            self.places[feature] = places.collect();
        }
        let mut extremes = Extremes::default();
        for (order, places) in self.orders.iter().zip(&self.places[feature]) {
            sweep(items.level, order, places, T::from_i64(left as i64), &mut extremes);
        }
        extremes
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
