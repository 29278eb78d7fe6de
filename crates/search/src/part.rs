//! A part: the items that reach a node, and how a rule divides them.

use crate::bits::Bits;
use crate::layout::Layout;
use crate::rules::{End, Rules};
use exactree_model::{Errors, Weight};

/// The items that reach a node.
#[derive(Clone)]
pub struct Part {
    pub members: Bits,
    /// Items.
    pub count: usize,
    /// Rows as given.
    pub rows: u64,
    pub weight: Weight,
    pub class_weights: Vec<Weight>,
    /// Weight every tree misclassifies here.
    pub unavoidable: Weight,
    /// Empty when bit columns serve the table.
    pub sorted: Sorted,
}

/// The items of a part in the order of every feature, one order after the other.
#[derive(Clone, Default)]
pub struct Sorted {
    items: usize,
    features: usize,
    /// And room for one entry more, see `divide_entries`.
    entries: Vec<Entry>,
}

/// Orders of parts that are no more, to be written over.
pub type Spare = Vec<Vec<Entry>>;

/// An item in a feature's order; the rank is kept beside it because a look-up
/// by slot would miss the cache.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry {
    pub rank: u32,
    pub slot: u32,
}

/// A rule of a part: items of rank at most `rank` go left.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub feature: usize,
    pub rank: u32,
    /// Items, rows and weight of the left side.
    pub items: usize,
    pub rows: u64,
    pub weight: Weight,
}

impl Sorted {
    /// Room for orders, with anything in it.
    fn blank(items: usize, features: usize, mut entries: Vec<Entry>) -> Sorted {
        entries.resize(items * features + 1, Entry::default());
        Sorted { items, features, entries }
    }

    /// The orders of so many features, by feature.
    fn new<I: Iterator<Item = Entry>>(
        features: usize,
        items: usize,
        order: impl Fn(usize) -> I,
    ) -> Sorted {
        let mut entries = Vec::with_capacity(features * items + 1);
        (0..features).for_each(|feature| entries.extend(order(feature)));
        let items = if features == 0 { 0 } else { items };
        entries.push(Entry::default());
        Sorted { items, features, entries }
    }

    /// Features with an order.
    pub fn features(&self) -> usize {
        self.features
    }

    /// By rank of a feature.
    pub fn order(&self, feature: usize) -> &[Entry] {
        &self.entries[feature * self.items..][..self.items]
    }

    /// Gives the room away.
    pub fn spare(self, spare: &mut Spare) {
        spare.push(self.entries);
    }
}

impl Part {
    /// All items of the table.
    pub fn whole(layout: &Layout) -> Part {
        Part::with(layout, layout.occupied.clone())
    }

    /// The part of these items.
    pub fn with(layout: &Layout, members: Bits) -> Part {
        let order = |feature: usize| {
            let feature = &layout.features[feature];
            let slots =
                feature.sorted(&layout.occupied).iter().filter(|&&slot| members.contains(slot));
            slots.map(|&slot| Entry { rank: feature.ranks[slot as usize], slot })
        };
        let features = if layout.bit_columns { 0 } else { layout.features.len() };
        let items = members.words.iter().map(|word| word.count_ones() as usize).sum();
        let sorted = Sorted::new(features, items, order);
        Part::of(layout, members, sorted)
    }

    fn of(layout: &Layout, members: Bits, sorted: Sorted) -> Part {
        let mut part = Part {
            count: 0,
            rows: 0,
            weight: 0,
            class_weights: vec![0; layout.n_classes],
            unavoidable: 0,
            members,
            sorted,
        };
        if layout.plain {
            for (class, words) in layout.class_words.iter().enumerate() {
                part.class_weights[class] =
                    part.members.words[words.clone()].iter().map(|w| w.count_ones() as u64).sum();
            }
            part.weight = part.class_weights.iter().sum();
            part.rows = part.weight;
            part.count = part.weight as usize;
        } else {
            for slot in part.members.iter() {
                let slot = slot as usize;
                part.count += 1;
                part.rows += layout.rows[slot];
                part.weight += layout.weight[slot];
                part.class_weights[layout.class[slot] as usize] += layout.weight[slot];
                part.unavoidable += layout.unavoidable[slot];
            }
        }
        part
    }

    /// Least weight a leaf misclassifies here.
    pub fn leaf_errors(&self) -> Weight {
        Errors::leaf_errors(&self.class_weights)
    }

    /// The rules of a feature that have two non-empty sides.
    pub fn rules(&self, layout: &Layout, feature: usize) -> Rules {
        if layout.bit_columns {
            Rules::new(feature, &self.rules_of_columns(layout, feature))
        } else {
            self.rules_of_sorted(layout, feature)
        }
    }

    fn rules_of_columns(&self, layout: &Layout, feature: usize) -> Vec<Rule> {
        let mut rules: Vec<Rule> = Vec::new();
        for (rank, column) in layout.features[feature].columns.iter().enumerate() {
            let rule = self.rule_at(layout, column, feature, rank as u32);
            if rule.items == self.count {
                break;
            }
            if rule.items > rules.last().map_or(0, |last| last.items) {
                rules.push(rule);
            }
        }
        rules
    }

    fn rule_at(&self, layout: &Layout, column: &Bits, feature: usize, rank: u32) -> Rule {
        let pairs = self.members.words.iter().zip(&column.words);
        let items = pairs.map(|(a, b)| (a & b).count_ones() as usize).sum();
        if layout.plain {
            return Rule { feature, rank, items, rows: items as u64, weight: items as u64 };
        }
        let (mut rows, mut weight) = (0, 0);
        for slot in self.members.and(column).iter() {
            rows += layout.rows[slot as usize];
            weight += layout.weight[slot as usize];
        }
        Rule { feature, rank, items, rows, weight }
    }

    /// Every rule is written and only those at the end of a value are kept: no
    /// branch to mispredict.
    fn rules_of_sorted(&self, layout: &Layout, feature: usize) -> Rules {
        let entries = self.sorted.order(feature);
        let mut rules = Rules::blank(feature, entries.len(), layout.plain);
        let (mut rows, mut weight, mut count) = (0, 0, 0);
        for (at, pair) in entries.windows(2).enumerate() {
            let (rank, slot) = (pair[0].rank, pair[0].slot as usize);
            rules.ends[count] = End { rank, items: at as u32 + 1 };
            if !layout.plain {
                rows += layout.rows[slot];
                weight += layout.weight[slot];
                rules.totals[count] = (rows, weight);
            }
            count += (rank != pair[1].rank) as usize;
        }
        rules.truncate(count);
        rules
    }

    /// The two sides of a rule.
    pub fn divide(&self, layout: &Layout, rule: &Rule) -> (Part, Part) {
        self.divide_into(layout, rule, &mut Spare::new())
    }

    /// The same, in spare room.
    pub fn divide_into(&self, layout: &Layout, rule: &Rule, spare: &mut Spare) -> (Part, Part) {
        if layout.bit_columns {
            let column = &layout.features[rule.feature].columns[rule.rank as usize];
            let left = Part::of(layout, self.members.and(column), Sorted::default());
            let right = Part::of(layout, self.members.without(column), Sorted::default());
            return (left, right);
        }
        let mut left = Bits::empty(layout.slots);
        for entry in &self.sorted.order(rule.feature)[..rule.items] {
            left.insert(entry.slot);
        }
        let right = self.members.without(&left);
        let features = self.sorted.features;
        let mut room = |items| Sorted::blank(items, features, spare.pop().unwrap_or_default());
        let (mut to_left, mut to_right) = (room(rule.items), room(self.count - rule.items));
        for feature in 0..features {
            let (first_left, first_right) = (feature * to_left.items, feature * to_right.items);
            divide_entries(
                self.sorted.order(feature),
                &left,
                &mut to_left.entries[first_left..=first_left + to_left.items],
                &mut to_right.entries[first_right..=first_right + to_right.items],
            );
        }
        (Part::of(layout, left, to_left), Part::of(layout, right, to_right))
    }
}

/// Divides sorted entries by membership, keeping their order. Both outputs are
/// written at every step and only one advances: no branch to mispredict. So each
/// has room for one entry more, where that of the next feature begins.
pub(crate) fn divide_entries(
    entries: &[Entry],
    left: &Bits,
    to_left: &mut [Entry],
    to_right: &mut [Entry],
) {
    let (mut at_left, mut at_right) = (0, 0);
    for &entry in entries {
        let goes_left = left.contains(entry.slot) as usize;
        to_left[at_left] = entry;
        to_right[at_right] = entry;
        at_left += goes_left;
        at_right += 1 - goes_left;
    }
}
