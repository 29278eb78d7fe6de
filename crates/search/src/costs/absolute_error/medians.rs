//! Absolute deviations from medians while items are removed one by one.
//!
//! The remaining items form a linked list in the order of their targets. When an item is removed,
//! the median stays or moves to a neighbour if all weights are equal; otherwise it may move
//! farther. The costs of the first items of an order are found by removing items from its end,
//! those of the last items by removing them from its beginning.

use crate::costs::items::CostItem;
use crate::costs::targets::IntegerTargets;
use exactree_model::Cost;

/// The place before the first item and after the last.
const BORDER: usize = 0;

/// Items of a set in the order of their targets, and the list of those that remain.
pub(crate) struct Medians<'a> {
    targets: &'a IntegerTargets,
    /// Whether all items weigh one.
    plain: bool,
    /// By place in that order from 1 on, the codes of the targets.
    codes: Vec<u32>,
    weights: Vec<i64>,
    sums: Vec<i64>,
    /// Neighbours of each place.
    before: Vec<u32>,
    after: Vec<u32>,
    /// The median of all items.
    whole: Middle,
}

/// The median of the remaining items, with the weights and sums before it and in total.
#[derive(Clone, Copy, Default)]
struct Middle {
    at: usize,
    weight: i64,
    sum: i64,
    all_weight: i64,
    all_sum: i64,
}

impl<'a> Medians<'a> {
    /// From items in the order of their targets.
    pub(super) fn new<'i>(
        targets: &'a IntegerTargets,
        items: impl Iterator<Item = &'i CostItem>,
    ) -> Self {
        let (codes, weights, sums) = (vec![0], vec![0], vec![0]);
        let (before, after, whole) = (vec![0], vec![0], Middle::default());
        let mut medians =
            Medians { targets, plain: true, codes, weights, sums, before, after, whole };
        for item in items {
            medians.plain &= item.weight == 1;
            medians.codes.push(item.low);
            medians.weights.push(item.weight);
            medians.sums.push(item.sum);
            medians.whole.all_weight += item.weight;
            medians.whole.all_sum += item.sum;
        }
        medians.link_all();
        // The border if there are no items.
        medians.whole.at = medians.after[BORDER] as usize;
        medians.whole = medians.moved_to_median(medians.whole);
        medians
    }

    /// Links all places.
    fn link_all(&mut self) {
        let last = self.codes.len() as u32 - 1;
        self.before.clear();
        self.before.push(last);
        self.before.extend(0..last);
        self.after.clear();
        self.after.extend(1..=last);
        self.after.push(BORDER as u32);
    }

    /// Cost of a leaf of all items.
    pub(super) fn leaf(&self) -> Cost {
        self.cost(&self.whole)
    }

    /// The costs of two leaves, by number of items on the left minus one; `order` has the place and
    /// rank of each item.
    pub(super) fn costs_of_stumps(&mut self, order: &[(u32, u32)], costs: &mut Vec<Cost>) {
        let rules = order.len().saturating_sub(1);
        costs.clear();
        costs.resize(rules, 0);
        let from_the_end = order[order.len() - rules..].iter().rev();
        self.remove_all(from_the_end, costs.iter_mut().rev());
        self.remove_all(order.iter(), costs.iter_mut());
    }

    /// Removes items one by one and adds the cost of the leaf of the remaining items to each of
    /// some costs.
    fn remove_all<'o>(
        &mut self,
        order: impl Iterator<Item = &'o (u32, u32)>,
        costs: impl Iterator<Item = &'o mut Cost>,
    ) {
        let mut middle = self.whole;
        let mut count = self.codes.len() - 1;
        for (&(place, _), cost) in order.zip(costs) {
            let place = place as usize;
            let (before, after) = (self.before[place], self.after[place]);
            self.after[before as usize] = after;
            self.before[after as usize] = before;
            *cost += match self.plain {
                true => self.without_plain(place, count, &mut middle),
                false => self.without(place, &mut middle),
            };
            count -= 1;
        }
        self.link_all();
    }

    /// Cost of a leaf after removing one of `count` items, if all weigh one: there are as many items
    /// before the median as behind it, or one fewer, so it moves by one place or not at all.
    #[inline(always)]
    fn without_plain(&self, place: usize, count: usize, middle: &mut Middle) -> Cost {
        let (sum, at) = (self.sums[place], middle.at);
        middle.all_sum -= sum;
        if count % 2 == 1 {
            let next = self.before[at] as usize;
            middle.sum -= if place < at { sum } else { self.sums[next] };
            middle.at = if place < at { at } else { next };
        } else {
            let next = self.after[at] as usize;
            middle.sum += if place < at { self.sums[at] - sum } else { 0 };
            middle.at = if place > at { at } else { next };
        }
        let median = self.sums[middle.at];
        let extra = if count % 2 == 1 { median } else { 0 };
        (middle.all_sum - 2 * middle.sum - median - extra).max(0) as Cost
    }

    /// The same for arbitrary weights.
    fn without(&self, place: usize, middle: &mut Middle) -> Cost {
        let (weight, sum) = (self.weights[place], self.sums[place]);
        middle.all_weight -= weight;
        middle.all_sum -= sum;
        if place < middle.at {
            middle.weight -= weight;
            middle.sum -= sum;
        } else if place == middle.at && self.after[place] as usize != BORDER {
            middle.at = self.after[place] as usize;
        } else if place == middle.at {
            self.back(middle);
        }
        *middle = self.moved_to_median(*middle);
        self.cost(middle)
    }

    /// Moves to the median: the first place up to which there is half the weight.
    fn moved_to_median(&self, mut middle: Middle) -> Middle {
        loop {
            let weight = middle.weight + self.weights[middle.at];
            if 2 * weight < middle.all_weight {
                middle.weight = weight;
                middle.sum += self.sums[middle.at];
                middle.at = self.after[middle.at] as usize;
            } else if middle.weight > 0 && 2 * middle.weight >= middle.all_weight {
                self.back(&mut middle);
            } else {
                return middle;
            }
        }
    }

    /// Moves to the place before.
    fn back(&self, middle: &mut Middle) {
        middle.at = self.before[middle.at] as usize;
        middle.weight -= self.weights[middle.at];
        middle.sum -= self.sums[middle.at];
    }

    /// Cost of a leaf of the remaining items.
    fn cost(&self, middle: &Middle) -> Cost {
        let (weight, sum) = (self.weights[middle.at], self.sums[middle.at]);
        let above = middle.all_weight - middle.weight - weight;
        let upper = middle.all_sum - middle.sum - sum;
        let extra = self.targets.signed_sum(self.codes[middle.at], middle.weight - above);
        (upper - middle.sum + extra).max(0) as Cost
    }
}
