//! Absolute differences to medians while items come one by one.
//!
//! The items so far are counted in a Fenwick tree over the order of their targets,
//! with weights and sums; a walk down it finds the median.

use super::ground::Ground;
use crate::bits::Bits;
use exactree_model::Cost;

/// Items of a set, some of them in.
pub(crate) struct Medians<'a> {
    ground: &'a Ground,
    /// By item of the table, its place in the order of the set's targets.
    places: Vec<u32>,
    /// By place, the item.
    items: Vec<u32>,
    weights: Vec<i64>,
    sums: Vec<i64>,
    weight: i64,
    sum: i64,
}

impl<'a> Medians<'a> {
    /// Nothing is in at first.
    pub fn of(ground: &'a Ground, members: &Bits) -> Self {
        let items: Vec<u32> = members.iter().collect();
        let mut places = vec![0; ground.items.len()];
        for (place, &item) in items.iter().enumerate() {
            places[item as usize] = place as u32;
        }
        let (weights, sums) = (vec![0; items.len() + 1], vec![0; items.len() + 1]);
        Medians { ground, places, items, weights, sums, weight: 0, sum: 0 }
    }

    fn clear(&mut self) {
        self.weights.fill(0);
        self.sums.fill(0);
        (self.weight, self.sum) = (0, 0);
    }

    fn insert(&mut self, slot: u32) {
        let item = &self.ground.items[slot as usize];
        self.weight += item.weight;
        self.sum += item.sum;
        let mut at = self.places[slot as usize] as usize + 1;
        while at < self.weights.len() {
            self.weights[at] += item.weight;
            self.sums[at] += item.sum;
            at += at & at.wrapping_neg();
        }
    }

    /// What a leaf of those in is off.
    fn cost(&self) -> Cost {
        let (mut at, mut below, mut sums) = (0, 0, 0);
        let mut step = self.weights.len().next_power_of_two();
        while step > 0 {
            let next = at + step;
            if next < self.weights.len() && 2 * (below + self.weights[next]) < self.weight {
                at = next;
                below += self.weights[next];
                sums += self.sums[next];
            }
            step /= 2;
        }
        let median = &self.ground.items[self.items[at] as usize];
        let above = self.weight - below - median.weight;
        let upper = self.sum - sums - median.sum;
        let tilted = self.ground.units.tilted(median.low, below - above);
        (upper - sums + tilted).max(0) as Cost
    }

    /// By number of items on the left, less one, what two leaves are off.
    pub fn costs_of_stumps(
        &mut self,
        order: impl DoubleEndedIterator<Item = u32> + Clone,
    ) -> Vec<Cost> {
        self.clear();
        let mut costs: Vec<Cost> = Vec::new();
        for slot in order.clone() {
            self.insert(slot);
            costs.push(self.cost());
        }
        self.clear();
        let places = costs.len().saturating_sub(1);
        costs.truncate(places);
        for (slot, cost) in order.rev().zip(costs.iter_mut().rev()) {
            self.insert(slot);
            *cost += self.cost();
        }
        costs
    }
}
