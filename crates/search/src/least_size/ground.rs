//! The table as sets of bits: one bit per item.

use crate::kernels::Level;
use crate::kernels::run::{LANES, Lanes};
use exactree_model::{Errors, Table, Weight};

/// A set of items.
pub type Set<const W: usize> = [u64; W];

/// What never changes during a search.
pub struct Ground<const W: usize> {
    pub items: usize,
    /// Classes that have items, and their indices in the table.
    pub classes: Vec<Set<W>>,
    pub labels: Vec<u32>,
    pub class: Vec<u16>,
    pub weight: Vec<Weight>,
    /// Every item weighs one.
    pub unit: bool,
    pub features: usize,
    /// By item, its rank in every feature.
    ranks: Vec<u32>,
    /// The same in lanes of features, `chunks` for an item; see `one_rule.rs`.
    pub lanes: Vec<Lanes>,
    pub chunks: usize,
    pub level: Level,
    /// By feature, the items in the order of their ranks.
    pub orders: Vec<Vec<u32>>,
}

impl<const W: usize> Ground<W> {
    pub fn new(table: &Table, level: Level) -> Self {
        let from = mixed(table.items.len());
        let items: Vec<_> = from.iter().map(|&item| table.items[item]).collect();
        let mut classes = vec![[0; W]; table.n_classes];
        for (at, item) in items.iter().enumerate() {
            insert(&mut classes[item.class as usize], at as u32);
        }
        let present = |label: &u32| classes[*label as usize].iter().any(|&word| word != 0);
        let labels: Vec<u32> = (0..table.n_classes as u32).filter(present).collect();
        classes.retain(|set| set.iter().any(|&word| word != 0));
        let local = |label: u32| labels.iter().position(|&l| l == label).unwrap_or(0) as u16;
        let ranks = from.iter().flat_map(|&item| table.features.iter().map(move |f| f.ranks[item]));
        let ground = Ground {
            items: items.len(),
            class: items.iter().map(|item| local(item.class)).collect(),
            weight: items.iter().map(|item| item.weight).collect(),
            unit: items.iter().all(|item| item.weight == 1),
            features: table.features.len(),
            ranks: ranks.collect(),
            lanes: Vec::new(),
            chunks: table.features.len().div_ceil(LANES),
            level,
            orders: Vec::new(),
            classes,
            labels,
        };
        let order = |feature: usize| {
            let mut order: Vec<u32> = (0..items.len() as u32).collect();
            order.sort_by_key(|&item| ground.rank(feature, item));
            order
        };
        let orders = (0..ground.features).map(order).collect();
        let lanes = (0..items.len() as u32).flat_map(|item| ground.row(item).chunks(LANES));
        let lanes = lanes.map(|row| std::array::from_fn(|lane| lane_of(row, lane))).collect();
        Ground { orders, lanes, ..ground }
    }

    #[inline]
    pub fn rank(&self, feature: usize, item: u32) -> u32 {
        self.ranks[item as usize * self.features + feature]
    }

    fn row(&self, item: u32) -> &[u32] {
        &self.ranks[item as usize * self.features..][..self.features]
    }

    pub fn everything(&self) -> Set<W> {
        let mut set = [0; W];
        (0..self.items as u32).for_each(|item| insert(&mut set, item));
        set
    }

    /// Weight that a leaf of this part misclassifies.
    pub fn leaf_errors(&self, set: &Set<W>) -> Weight {
        Errors::leaf_errors(&self.class_weights(set))
    }

    /// Weight of each class in this part.
    pub fn class_weights(&self, set: &Set<W>) -> Vec<Weight> {
        self.classes.iter().map(|class| self.weight_of(&and(set, class))).collect()
    }

    /// Whether a leaf of this part misclassifies nothing.
    #[inline]
    pub fn pure(&self, set: &Set<W>) -> bool {
        let mut seen = false;
        for class in &self.classes {
            let any = (0..W).any(|word| set[word] & class[word] != 0);
            if any && seen {
                return false;
            }
            seen |= any;
        }
        true
    }

    /// Classes with members in this part.
    pub fn classes_in(&self, set: &Set<W>) -> u32 {
        self.classes.iter().filter(|class| (0..W).any(|w| set[w] & class[w] != 0)).count() as u32
    }

    fn weight_of(&self, set: &Set<W>) -> Weight {
        if self.unit {
            return count(set) as Weight;
        }
        members(set).map(|item| self.weight[item as usize]).sum()
    }
}

/// A rank moved into the range of a lane: there are at most 2^16 items, and so
/// ranks. Lanes beyond the last feature hold the same for all items.
fn lane_of(row: &[u32], lane: usize) -> i16 {
    row.get(lane).map_or(0, |&rank| (rank as i32 + i16::MIN as i32) as i16)
}

/// An order of items that mixes the classes, so that going through a part
/// meets unlike items early. Any order serves; this one is always the same.
pub(crate) fn mixed(items: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items).collect();
    order.sort_by_key(|&item| (item as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    order
}

#[inline]
pub fn insert<const W: usize>(set: &mut Set<W>, item: u32) {
    set[item as usize / 64] |= 1 << (item % 64);
}

#[inline]
pub fn contains<const W: usize>(set: &Set<W>, item: u32) -> bool {
    set[item as usize / 64] >> (item % 64) & 1 == 1
}

#[inline]
pub fn and<const W: usize>(a: &Set<W>, b: &Set<W>) -> Set<W> {
    std::array::from_fn(|word| a[word] & b[word])
}

#[inline]
pub fn without<const W: usize>(a: &Set<W>, b: &Set<W>) -> Set<W> {
    std::array::from_fn(|word| a[word] & !b[word])
}

#[inline]
pub fn within<const W: usize>(a: &Set<W>, b: &Set<W>) -> bool {
    (0..W).all(|word| a[word] & !b[word] == 0)
}

#[inline]
pub fn count<const W: usize>(set: &Set<W>) -> u32 {
    set.iter().map(|word| word.count_ones()).sum()
}

pub fn members<const W: usize>(set: &Set<W>) -> impl Iterator<Item = u32> + '_ {
    set.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                at as u32 * 64 + bit
            })
        })
    })
}
