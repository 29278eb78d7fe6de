//! A part: the items that reach a node, and how a rule divides them.

use super::class_costs::ClassCosts;
use super::ground::Ground;
use super::units::Deviation;
use crate::bits::Bits;
use crate::part::{Entry, Rule, divide_entries};
use crate::rules::{End, Rules};
use exactree_model::{Cost, UNBOUNDED};

/// The items that reach a node.
#[derive(Clone)]
pub(crate) struct Part {
    pub members: Bits,
    /// Items.
    pub count: usize,
    /// Rows as given.
    pub rows: u64,
    pub weight: i64,
    /// Weight times target.
    pub sum: i64,
    /// Weight times squared target.
    pub square: Cost,
    /// What one leaf is off.
    pub leaf: Cost,
    /// What every tree is off.
    pub least: Cost,
    /// All targets are equal.
    pub pure: bool,
    /// The least and the greatest target, as differences; for classes nothing and the weight.
    range: (f64, f64),
    /// The weight of each class; none where targets are numbers.
    pub classes: Vec<i64>,
    /// By feature, the items in the order of their ranks; none where rules are columns of
    /// bits.
    pub sorted: Vec<Vec<Entry>>,
}

impl Part {
    /// All items of the table.
    pub fn whole(ground: &Ground) -> Part {
        let sorted = ground.features.iter().map(|feature| {
            let entry = |&slot: &u32| Entry { rank: feature.ranks[slot as usize], slot };
            feature.sorted.iter().map(entry).collect()
        });
        let sorted = if ground.columns.is_some() { Vec::new() } else { sorted.collect() };
        Part::of(ground, ground.all.clone(), sorted)
    }

    fn of(ground: &Ground, members: Bits, sorted: Vec<Vec<Entry>>) -> Part {
        let mut part = Part {
            members,
            count: 0,
            rows: 0,
            weight: 0,
            sum: 0,
            square: 0,
            leaf: 0,
            least: 0,
            pure: true,
            range: (0.0, 0.0),
            classes: Vec::new(),
            sorted,
        };
        let (mut low, mut high) = (u32::MAX, 0);
        for slot in part.members.iter() {
            let item = &ground.items[slot as usize];
            part.count += 1;
            part.rows += item.rows;
            part.weight += item.weight;
            part.sum += item.sum;
            part.square += item.square;
            part.least += item.least;
            low = low.min(item.low);
            high = high.max(item.high);
        }
        part.classes = ground.class_weights(part.members.iter());
        let one_is_best = |costs: &ClassCosts| costs.one_class_is_best();
        part.pure = low >= high && ground.units.classes.as_ref().is_none_or(one_is_best);
        part.range = match ground.units.deviation {
            Deviation::Classes => (0.0, part.weight as f64),
            _ => (ground.units.difference(low), ground.units.difference(high)),
        };
        part.leaf = match ground.units.deviation {
            Deviation::Squared => part.square - ground.units.saved(part.sum, part.weight),
            Deviation::Absolute => absolute(ground, part.members.iter(), part.weight),
            Deviation::Classes => leaf_of_classes(ground, &part.classes),
        };
        part
    }

    /// The rules of a feature that have two non-empty sides. A rule's weight is what the
    /// items on its left add to a leaf at most, or their number where nobody asks.
    pub fn rules(&self, ground: &Ground, feature: usize, reaches: bool) -> Rules {
        let entries = &self.sorted[feature];
        let plain = ground.plain && !reaches;
        let mut rules = Rules::blank(feature, entries.len(), plain);
        let (mut rows, mut weight, mut count) = (0, 0, 0);
        for (at, pair) in entries.windows(2).enumerate() {
            let (rank, slot) = (pair[0].rank, pair[0].slot as usize);
            rules.ends[count] = End { rank, items: at as u32 + 1 };
            if !plain {
                let item = &ground.items[slot];
                rows += item.rows;
                weight += if reaches { self.reach(ground, pair[0].slot) } else { 1 };
                rules.totals[count] = (rows, weight);
            }
            count += (rank != pair[1].rank) as usize;
        }
        rules.truncate(count);
        rules
    }

    /// The two sides of a column, left first.
    pub fn sides_of(&self, ground: &Ground, column: usize) -> (Part, Part) {
        let Some(columns) = &ground.columns else { return (self.clone(), self.clone()) };
        let held = &columns.held[column];
        let held_part = Part::of(ground, self.members.and(held), Vec::new());
        let rest = Part::of(ground, self.members.without(held), Vec::new());
        if columns.on_left[column] { (held_part, rest) } else { (rest, held_part) }
    }

    /// What an item adds at most to a leaf of this part's items: never more than all of them cost
    /// in one leaf, because no leaf costs less with more items. That keeps heavy rows within
    /// integers; it allows for what both leaves are off by roundings.
    fn reach(&self, ground: &Ground, slot: u32) -> Cost {
        let rounded = match ground.units.deviation {
            Deviation::Classes => ground.units.off_by_leaf().ceil() as Cost,
            _ => ground.units.leaf_off(self.count) as Cost,
        };
        let one_leaf = self.leaf.saturating_add(2 * rounded);
        ground.items[slot as usize].reach(&ground.units, self.range).min(one_leaf)
    }

    /// Whether what all items add to a leaf at most can be summed up.
    pub fn reaches(&self, ground: &Ground) -> bool {
        let mut slots = self.members.iter();
        let all = slots.try_fold(0, |all: Cost, slot| {
            Some(all + self.reach(ground, slot)).filter(|&all| all < UNBOUNDED)
        });
        all.is_some()
    }

    /// The two sides of a rule.
    pub fn divide(&self, ground: &Ground, rule: &Rule) -> (Part, Part) {
        let mut left = Bits::empty(ground.items.len());
        for entry in &self.sorted[rule.feature][..rule.items] {
            left.insert(entry.slot);
        }
        let right = self.members.without(&left);
        let (mut sorted_left, mut sorted_right) = (Vec::new(), Vec::new());
        for entries in &self.sorted {
            let blank = Entry { rank: 0, slot: 0 };
            let mut to_left = vec![blank; rule.items + 1];
            let mut to_right = vec![blank; entries.len() - rule.items + 1];
            divide_entries(entries, &left, &mut to_left, &mut to_right);
            to_left.pop();
            to_right.pop();
            sorted_left.push(to_left);
            sorted_right.push(to_right);
        }
        (Part::of(ground, left, sorted_left), Part::of(ground, right, sorted_right))
    }
}

/// What a leaf of some items is off; they are in increasing order.
pub(crate) fn leaf_of(ground: &Ground, slots: impl Iterator<Item = u32> + Clone) -> Cost {
    let items = slots.clone().map(|slot| &ground.items[slot as usize]);
    let (square, sum, weight) = items.fold((0, 0, 0), |(square, sum, weight), item| {
        (square + item.square, sum + item.sum, weight + item.weight)
    });
    match ground.units.deviation {
        _ if weight == 0 => 0,
        Deviation::Squared => square - ground.units.saved(sum, weight),
        Deviation::Absolute => absolute(ground, slots, weight),
        Deviation::Classes => leaf_of_classes(ground, &ground.class_weights(slots)),
    }
}

/// What a leaf costs by the weights of its classes.
pub(crate) fn leaf_of_classes(ground: &Ground, weights: &[i64]) -> Cost {
    ground.units.classes.as_ref().map_or(0, |costs| costs.leaf(weights))
}

/// The absolute error of a leaf with items in the order of their targets, which
/// weigh so much.
pub(crate) fn absolute(ground: &Ground, items: impl Iterator<Item = u32>, weight: i64) -> Cost {
    let (mut below, mut sums, mut cost, mut median) = (0, 0, 0, None);
    for slot in items {
        let item = &ground.items[slot as usize];
        match median {
            None if 2 * (below + item.weight) >= weight => {
                // Below and above the median there is about as much weight.
                median = Some(item.low);
                let above = weight - below - item.weight;
                cost = ground.units.tilted(item.low, below - above) - sums;
            }
            None => {
                below += item.weight;
                sums += item.sum;
            }
            Some(_) => cost += item.sum,
        }
    }
    cost.max(0) as Cost
}
