//! The prepared table: items as bits of sets.

use crate::kernels::InstructionSet;
use crate::kernels::class_runs::{LANES, RankLanes};
use crate::support::sets::{Set, and, contains, count, first_member, insert, members, mixed};
use exactree_model::{Feature, Table, Weight};

/// The data that is constant during a search.
pub(crate) struct SizeTable<const W: usize> {
    /// Number of items.
    pub items: usize,
    /// The items of every class that has items.
    pub classes: Vec<Set<W>>,
    /// By class of `classes`, its index in the table.
    pub labels: Vec<u32>,
    /// By item, the index of its class in `classes`.
    pub class: Vec<u16>,
    pub all: Set<W>,
    pub weight: Vec<Weight>,
    /// Whether every item weighs one.
    pub unit: bool,
    pub features: usize,
    /// By item, its rank in every feature.
    ranks: Vec<u32>,
    /// The same ranks in lanes of features, `chunks` per item; see `one_rule.rs`.
    pub lanes: Vec<RankLanes>,
    pub chunks: usize,
    pub instructions: InstructionSet,
    /// By feature, the items in the order of their ranks.
    pub orders: Vec<Vec<u16>>,
    /// By feature and rank, the items of at most this rank; empty if that would take too much
    /// memory.
    up_to: Vec<Vec<Set<W>>>,
}

/// Maximum number of bytes of all sets of `up_to`.
const MAX_PREFIX_BYTES: usize = 1 << 26;

impl<const W: usize> SizeTable<W> {
    /// Prepares a table; `None` if `stopped` before it is prepared.
    pub(crate) fn prepare(
        stopped: &dyn Fn() -> bool,
        table: &Table,
        instructions: InstructionSet,
    ) -> Option<Self> {
        let order = mixed(table.items.len());
        let items: Vec<_> = order.iter().map(|&item| table.items[item]).collect();
        let mut classes = vec![[0; W]; table.n_classes];
        for (at, item) in items.iter().enumerate() {
            insert(&mut classes[item.class as usize], at as u32);
        }
        let present = |label: &u32| classes[*label as usize].iter().any(|&word| word != 0);
        let labels: Vec<u32> = (0..table.n_classes as u32).filter(present).collect();
        classes.retain(|set| set.iter().any(|&word| word != 0));
        let class_of = |label: u32| labels.iter().position(|&l| l == label).unwrap_or(0) as u16;
        let ranks =
            order.iter().flat_map(|&item| table.features.iter().map(move |f| f.ranks[item]));
        let mut all = [0; W];
        (0..items.len() as u32).for_each(|item| insert(&mut all, item));
        let prepared = SizeTable {
            items: items.len(),
            all,
            class: items.iter().map(|item| class_of(item.class)).collect(),
            weight: items.iter().map(|item| item.weight).collect(),
            unit: items.iter().all(|item| item.weight == 1),
            features: table.features.len(),
            ranks: ranks.collect(),
            lanes: Vec::new(),
            chunks: table.features.len().div_ceil(LANES),
            instructions,
            orders: Vec::new(),
            up_to: Vec::new(),
            classes,
            labels,
        };
        let mut orders = Vec::with_capacity(prepared.features);
        for feature in 0..prepared.features {
            if stopped() {
                return None;
            }
            let mut order: Vec<u16> = (0..items.len()).map(|item| item as u16).collect();
            order.sort_by_key(|&item| prepared.rank(feature, item.into()));
            orders.push(order);
        }
        let lanes = (0..items.len() as u32).flat_map(|item| prepared.row(item).chunks(LANES));
        let lanes = lanes.map(|row| std::array::from_fn(|lane| lane_of(row, lane)));
        let lanes = lanes.collect();
        let mut prepared = SizeTable { orders, lanes, ..prepared };
        let sets: usize = table.features.iter().map(|feature| feature.values.len()).sum();
        if sets * size_of::<Set<W>>() > MAX_PREFIX_BYTES {
            return Some(prepared);
        }
        for (at, feature) in table.features.iter().enumerate() {
            if stopped() {
                return None;
            }
            prepared.up_to.push(prepared.all_up_to(at, feature));
        }
        Some(prepared)
    }

    /// By rank, the items of at most this rank, each set extended from the previous set.
    fn all_up_to(&self, at: usize, feature: &Feature) -> Vec<Set<W>> {
        let mut set = [0; W];
        let mut items = self.orders[at].iter().map(|&item| u32::from(item)).peekable();
        let extended = |rank: u32| {
            while let Some(item) = items.next_if(|&item| self.rank(at, item) <= rank) {
                insert(&mut set, item);
            }
            set
        };
        (0..feature.values.len() as u32).map(extended).collect()
    }

    /// The items of at most this rank in a feature.
    #[inline]
    pub(crate) fn up_to(&self, feature: usize, rank: u32) -> Set<W> {
        match self.up_to.get(feature) {
            Some(sets) => sets[rank as usize],
            None => self.scan_up_to(feature, rank),
        }
    }

    /// `up_to` without stored sets.
    pub(super) fn scan_up_to(&self, feature: usize, rank: u32) -> Set<W> {
        let mut set = [0; W];
        let order = self.orders[feature].iter().map(|&item| u32::from(item));
        order
            .take_while(|&item| self.rank(feature, item) <= rank)
            .for_each(|item| insert(&mut set, item));
        set
    }

    #[inline]
    pub(crate) fn rank(&self, feature: usize, item: u32) -> u32 {
        self.ranks[item as usize * self.features + feature]
    }

    fn row(&self, item: u32) -> &[u32] {
        &self.ranks[item as usize * self.features..][..self.features]
    }

    /// Weight of each class in this subset.
    pub(crate) fn class_weights(&self, set: &Set<W>) -> Vec<Weight> {
        self.classes.iter().map(|class| self.weight_of(&and(set, class))).collect()
    }

    /// Whether a leaf of this subset misclassifies nothing.
    #[inline]
    pub(crate) fn pure(&self, set: &Set<W>) -> bool {
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

    /// Classes with members in this subset.
    pub(crate) fn classes_in(&self, set: &Set<W>) -> impl Iterator<Item = usize> {
        (0..self.classes.len())
            .filter(|&class| first_member(&and(set, &self.classes[class])).is_some())
    }

    /// The maximum rank in a feature among some items.
    pub(crate) fn max_rank(&self, feature: usize, set: &Set<W>) -> Option<u32> {
        members(set).map(|item| self.rank(feature, item)).max()
    }

    /// The minimum rank in a feature among some items.
    pub(crate) fn min_rank(&self, feature: usize, set: &Set<W>) -> Option<u32> {
        members(set).map(|item| self.rank(feature, item)).min()
    }

    /// The members of a subset in the order of a feature.
    pub(crate) fn in_order(&self, feature: usize, set: &Set<W>, into: &mut Vec<u16>) {
        into.clear();
        let items = count(set) as usize;
        if items * 16 < self.items {
            into.extend(members(set).map(|item| item as u16));
            into.sort_unstable_by_key(|&item| self.rank(feature, item.into()));
            return;
        }
        // Every item is written, but `at` advances only past items of the subset, so that no branch
        // can be mispredicted.
        into.resize(items + 1, 0);
        let mut at = 0;
        for &item in &self.orders[feature] {
            into[at] = item;
            at += contains(set, item.into()) as usize;
        }
        into.truncate(items);
    }

    fn weight_of(&self, set: &Set<W>) -> Weight {
        if self.unit {
            return count(set) as Weight;
        }
        members(set).map(|item| self.weight[item as usize]).sum()
    }
}

/// A rank shifted into the range of a lane: at most 2^16 items have at most 2^16 ranks. Lanes
/// beyond the last feature have the same value for all items.
fn lane_of(row: &[u32], lane: usize) -> i16 {
    row.get(lane).map_or(0, |&rank| (rank as i32 + i16::MIN as i32) as i16)
}
