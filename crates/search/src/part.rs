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
    /// By feature, the items in the order of their ranks; empty when bit
    /// columns serve the table.
    pub sorted: Vec<Vec<Entry>>,
}

/// An item in a feature's order; the rank is kept beside it because a look-up
/// by slot would miss the cache.
#[derive(Clone, Copy, Debug)]
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

impl Part {
    /// All items of the table.
    pub fn whole(layout: &Layout) -> Part {
        let entries = |feature: &crate::layout::LaidFeature| {
            let entry = |&slot: &u32| Entry { rank: feature.ranks[slot as usize], slot };
            feature.sorted.iter().map(entry).collect()
        };
        let sorted = match layout.bit_columns {
            true => Vec::new(),
            false => layout.features.iter().map(entries).collect(),
        };
        Part::of(layout, layout.occupied.clone(), sorted)
    }

    /// The part of these items.
    pub fn with(layout: &Layout, members: Bits) -> Part {
        let mut part = Part::whole(layout);
        for entries in &mut part.sorted {
            entries.retain(|entry| members.contains(entry.slot));
        }
        Part::of(layout, members, part.sorted)
    }

    fn of(layout: &Layout, members: Bits, sorted: Vec<Vec<Entry>>) -> Part {
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
        let entries = &self.sorted[feature];
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

    /// One side of a rule, with the order of one feature only.
    pub fn side(&self, layout: &Layout, rule: &Rule, on_left: bool, feature: usize) -> Part {
        let ranks = &layout.features[rule.feature].ranks;
        let on_side = |slot: u32| (ranks[slot as usize] <= rule.rank) == on_left;
        let mut sorted = vec![Vec::new(); self.sorted.len()];
        let order = self.sorted[feature].iter().filter(|entry| on_side(entry.slot));
        sorted[feature] = order.copied().collect();
        let mut members = Bits::empty(layout.slots);
        sorted[feature].iter().for_each(|entry: &Entry| members.insert(entry.slot));
        Part::of(layout, members, sorted)
    }

    /// The two sides of a rule.
    pub fn divide(&self, layout: &Layout, rule: &Rule) -> (Part, Part) {
        if layout.bit_columns {
            let column = &layout.features[rule.feature].columns[rule.rank as usize];
            let left = Part::of(layout, self.members.and(column), Vec::new());
            let right = Part::of(layout, self.members.without(column), Vec::new());
            return (left, right);
        }
        let mut left = Bits::empty(layout.slots);
        for entry in &self.sorted[rule.feature][..rule.items] {
            left.insert(entry.slot);
        }
        let right = self.members.without(&left);
        let (mut sorted_left, mut sorted_right) = (Vec::new(), Vec::new());
        for entries in &self.sorted {
            let (to_left, to_right) = divide_entries(entries, &left, rule.items);
            sorted_left.push(to_left);
            sorted_right.push(to_right);
        }
        (Part::of(layout, left, sorted_left), Part::of(layout, right, sorted_right))
    }
}

/// Divides sorted entries by membership, keeping their order. Both outputs are
/// written at every step and only one advances: no branch to mispredict.
pub(crate) fn divide_entries(
    entries: &[Entry],
    left: &Bits,
    left_items: usize,
) -> (Vec<Entry>, Vec<Entry>) {
    let blank = Entry { rank: 0, slot: 0 };
    let mut to_left = vec![blank; left_items + 1];
    let mut to_right = vec![blank; entries.len() - left_items + 1];
    let (mut at_left, mut at_right) = (0, 0);
    for &entry in entries {
        let goes_left = left.contains(entry.slot) as usize;
        to_left[at_left] = entry;
        to_right[at_right] = entry;
        at_left += goes_left;
        at_right += 1 - goes_left;
    }
    to_left.truncate(left_items);
    to_right.truncate(entries.len() - left_items);
    (to_left, to_right)
}
