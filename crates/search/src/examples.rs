//! Examples as the papers on thresholds and on support sets write them: E,
//! E[f ≤ t], D_E(f), uniform. A part of the table is a set of items.

use crate::bits::Bits;
use crate::entries::refuse_large_table;
use exactree_model::Table;

/// What never changes during a search.
pub(crate) struct Examples {
    pub items: usize,
    pub features: usize,
    classes: Vec<Bits>,
    class: Vec<u32>,
    /// By feature, the rank of every item.
    ranks: Vec<Vec<u32>>,
    /// By feature and rank, the items up to that rank.
    up_to: Vec<Vec<Bits>>,
}

impl Examples {
    /// Refuses a table whose divisions, all as sets, would not fit memory.
    pub fn new(table: &Table, memory_limit: Option<usize>) -> Result<Self, String> {
        let items = table.items.len();
        let words = items.div_ceil(64).max(1);
        let divisions: u128 = table.features.iter().map(|f| f.values.len() as u128).sum();
        refuse_large_table("divisions", divisions, 8 * words, memory_limit)?;
        let mut classes = vec![Bits::empty(items); table.n_classes];
        for (at, item) in table.items.iter().enumerate() {
            classes[item.class as usize].insert(at as u32);
        }
        let sets = table.features.iter().map(|feature| {
            let mut sets = vec![Bits::empty(items); feature.values.len()];
            for (item, &rank) in feature.ranks.iter().enumerate() {
                sets[rank as usize..].iter_mut().for_each(|set| set.insert(item as u32));
            }
            sets
        });
        Ok(Examples {
            items,
            features: table.features.len(),
            class: table.items.iter().map(|item| item.class).collect(),
            ranks: table.features.iter().map(|feature| feature.ranks.clone()).collect(),
            up_to: sets.collect(),
            classes,
        })
    }

    pub fn everything(&self) -> Bits {
        let mut set = Bits::empty(self.items);
        (0..self.items as u32).for_each(|item| set.insert(item));
        set
    }

    /// The class of a part, if all its items are of one.
    pub fn uniform(&self, e: &Bits) -> Option<u32> {
        let class = self.class(e.iter().next()?);
        e.within(&self.classes[class as usize]).then_some(class)
    }

    /// The classes that have items in a part.
    pub fn classes_in(&self, e: &Bits) -> impl Iterator<Item = u32> {
        let present = |&class: &u32| !self.classes[class as usize].disjoint(e);
        (0..self.classes.len() as u32).filter(present)
    }

    pub fn class(&self, item: u32) -> u32 {
        self.class[item as usize]
    }

    pub fn rank(&self, feature: usize, item: u32) -> u32 {
        self.ranks[feature][item as usize]
    }

    /// D_E(f) in ascending order, as ranks.
    pub fn domain(&self, e: &Bits, feature: usize) -> Vec<u32> {
        let mut values = Bits::empty(self.up_to[feature].len());
        e.iter().for_each(|item| values.insert(self.rank(feature, item)));
        values.iter().collect()
    }

    /// E[f ≤ t] and E[f > t].
    pub fn divide(&self, e: &Bits, feature: usize, t: u32) -> (Bits, Bits) {
        (self.left(e, feature, t), self.right(e, feature, t))
    }

    /// E[f ≤ t].
    pub fn left(&self, e: &Bits, feature: usize, t: u32) -> Bits {
        e.and(&self.up_to[feature][t as usize])
    }

    /// E[f > t].
    pub fn right(&self, e: &Bits, feature: usize, t: u32) -> Bits {
        e.without(&self.up_to[feature][t as usize])
    }
}
