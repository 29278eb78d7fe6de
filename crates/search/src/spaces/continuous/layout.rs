//! The table prepared for search: items in slots, grouped by class, features as
//! ranks by slot and, where that pays, every rule as a column of bits.
//!
//! Each class starts at a multiple of 64 slots, so that a class is a range of words in every set;
//! unused slots are in no subset.

use crate::support::bits::Bits;
use crate::support::columns_in_parallel::for_columns;
use crate::support::options::Options;
use exactree_model::{Item, Table, Weight};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::OnceLock;

/// The prepared table.
pub(crate) struct Layout {
    pub slots: usize,
    /// Slots of each class that no item has.
    free: u32,
    /// Threads that prepare columns.
    pub threads: usize,
    pub n_classes: usize,
    /// Items in use, as a set of slots.
    pub occupied: Bits,
    /// By slot.
    pub class: Vec<u32>,
    pub weight: Vec<Weight>,
    /// The weights that constraints on leaves compare.
    pub unscaled: Vec<Weight>,
    pub rows: Vec<u64>,
    pub unavoidable: Vec<Weight>,
    /// Words of each class.
    pub class_words: Vec<Range<usize>>,
    /// Every item has weight one and stands for one row, and no two items agree in all features.
    pub plain: bool,
    /// Every item is one row.
    pub unit_rows: bool,
    /// A lower bound on the weight of every row.
    pub min_row_weight: Weight,
    /// Every item weighs as much as it has rows.
    pub rows_are_weights: bool,
    pub features: Vec<PreparedFeature>,
    /// Sets of slots by class and bit of the weight.
    pub planes: Vec<Plane>,
    /// Whether all rules are also columns of bits, by which depth two counts pairs of them.
    pub pair_columns: bool,
    /// Whether subsets are split by these columns, too, instead of sorted items.
    pub bit_columns: bool,
    /// Whether subsets may have items whose ranks are only in the orders of the subset, not in
    /// `PreparedFeature::ranks`.
    pub ranks_in_orders: bool,
}

/// A feature that the search may use.
pub(crate) struct PreparedFeature {
    /// Index into `Table::features`.
    pub index: u32,
    /// By slot.
    pub ranks: Vec<u32>,
    /// Slots in the order of their ranks, computed on first use.
    sorted: OnceLock<Vec<u32>>,
    /// Number of distinct values.
    pub values: usize,
    /// One set per rule: the slots of rank at most 0, 1, ... (bit columns only).
    pub columns: Vec<Bits>,
}

impl PreparedFeature {
    /// The slots in use in the order of their ranks; within a rank in increasing order.
    pub(crate) fn sorted(&self, occupied: &Bits) -> &[u32] {
        self.sorted.get_or_init(|| {
            let mut next = vec![0usize; self.values + 1];
            occupied.iter().for_each(|slot| next[self.ranks[slot as usize] as usize + 1] += 1);
            for rank in 1..next.len() {
                next[rank] += next[rank - 1];
            }
            let mut sorted = vec![0; next[self.values]];
            for slot in occupied.iter() {
                let place = &mut next[self.ranks[slot as usize] as usize];
                sorted[*place] = slot;
                *place += 1;
            }
            sorted
        })
    }

    /// One set per rule: the slots in use of rank at most 0, 1, ...
    fn rules_as_bits(&self, occupied: &Bits) -> Vec<Bits> {
        let mut column = Bits::empty(self.ranks.len());
        if self.values == 2 {
            for (word, ranks) in column.words.iter_mut().zip(self.ranks.chunks(64)) {
                let bit = |(at, &rank): (usize, &u32)| u64::from(rank == 0) << at;
                *word = ranks.iter().enumerate().map(bit).fold(0, |word, bit| word | bit);
            }
            column.words.iter_mut().zip(&occupied.words).for_each(|(word, used)| *word &= used);
            return vec![column];
        }
        let (sorted, mut next) = (self.sorted(occupied), 0);
        (0..self.values as u32 - 1)
            .map(|rank| {
                while self.ranks[sorted[next] as usize] <= rank {
                    column.insert(sorted[next]);
                    next += 1;
                }
                column.clone()
            })
            .collect()
    }
}

/// The items of one class whose weight has one bit set: a weighted count is
/// the sum over planes of 2^bit times a popcount, exact for every weight.
pub(crate) struct Plane {
    pub class: u32,
    pub bit: u32,
    pub members: Bits,
}

/// Counting pairs pays if it costs less than this share of all sweeps, which is about the share that
/// remains after pruning, measured at depths three and four. On two tables whose pairs cost 0.37 of
/// all sweeps, counting takes two thirds of the time of sweeping; on a table with 0.48 it takes twice
/// the time.
const PAIRS_PER_SWEEP: f64 = 0.4;

impl Layout {
    #[cfg(test)]
    pub(crate) fn new(table: &Table, options: &Options, min_samples_leaf: u64) -> Layout {
        Layout::prepare(&|| false, table, options, min_samples_leaf, 1).expect("nothing stops it")
    }

    /// The prepared table; unless rules are columns of bits, some threads sort all features. `None` if
    /// it was stopped.
    pub(crate) fn prepare(
        stopped: &dyn Fn() -> bool,
        table: &Table,
        options: &Options,
        min_samples_leaf: u64,
        threads: usize,
    ) -> Option<Layout> {
        let layout = Layout::of_items(table, 0, threads);
        layout.with_features(stopped, table, options, min_samples_leaf, false)
    }

    /// Like `prepare`, with subsets that are always split by sorted items. There are `free` slots for
    /// each class that no item has, a multiple of 64; they come after the slots of the items of the
    /// class.
    pub(crate) fn prepare_sorted(
        stopped: &dyn Fn() -> bool,
        table: &Table,
        options: &Options,
        min_samples_leaf: u64,
        (free, threads): (u32, usize),
    ) -> Option<Layout> {
        let layout = Layout::of_items(table, free, threads);
        layout.with_features(stopped, table, options, min_samples_leaf, true)
    }

    fn with_features(
        self,
        stopped: &dyn Fn() -> bool,
        table: &Table,
        options: &Options,
        min_samples_leaf: u64,
        sorted: bool,
    ) -> Option<Layout> {
        let mut layout = self;
        let slot_of = slots_with_free(table, layout.free);
        let classes: Vec<&[Item]> = table.items.chunk_by(|a, b| a.class == b.class).collect();
        let mut seen: FxHashSet<&[u32]> = FxHashSet::default();
        for (index, feature) in table.features.iter().enumerate() {
            if stopped() {
                return None;
            }
            // Features with equal ranks have equal rules; one of them suffices.
            if options.equal_features && !seen.insert(&feature.ranks) {
                continue;
            }
            let mut ranks = vec![0; layout.slots];
            let mut item = 0;
            // The items of a class are neighbours, and so are their slots.
            for class in &classes {
                let slot = slot_of[item] as usize;
                let items = item..item + class.len();
                item = items.end;
                ranks[slot..slot + class.len()].copy_from_slice(&feature.ranks[items]);
            }
            layout.features.push(PreparedFeature {
                index: index as u32,
                ranks,
                sorted: OnceLock::new(),
                values: feature.values.len(),
                columns: Vec::new(),
            });
        }
        // Pairs are counted by weight, so with a minimum leaf size weights must be numbers of rows.
        let countable = min_samples_leaf == 1 || layout.rows_are_weights;
        let two_valued = options.binary && table.features.iter().all(|f| f.values.len() == 2);
        let suited = || layout.counts_fit(table) && (two_valued || layout.columns_pay(table));
        layout.pair_columns = options.bit_columns && countable && suited();
        layout.bit_columns = layout.pair_columns && !sorted;
        if layout.pair_columns {
            layout.add_columns();
        }
        if layout.bit_columns {
            return Some(layout);
        }
        let size = (layout.slots, layout.features.len());
        for_columns(layout.threads, stopped, size, |feature| {
            layout.features[feature].sorted(&layout.occupied);
        })?;
        Some(layout)
    }

    fn of_items(table: &Table, free: u32, threads: usize) -> Layout {
        let slot_of = slots_with_free(table, free);
        let mut class_words = vec![0..0; table.n_classes];
        for (item, &slot) in table.items.iter().zip(&slot_of) {
            let word = slot as usize / 64;
            let words = &mut class_words[item.class as usize];
            let start = if words.start == words.end { word } else { words.start };
            *words = start..word + 1;
        }
        let free_words = free as usize / 64;
        class_words.iter_mut().filter(|w| w.start < w.end).for_each(|w| w.end += free_words);
        let slots = class_words.iter().map(|words| words.end * 64).max().unwrap_or(0);
        let mut layout = Layout {
            slots,
            free,
            threads,
            n_classes: table.n_classes,
            occupied: Bits::empty(slots),
            class: vec![0; slots],
            weight: vec![0; slots],
            unscaled: vec![0; slots],
            rows: vec![0; slots],
            unavoidable: vec![0; slots],
            class_words,
            plain: table.items.iter().all(|i| i.weight == 1 && i.rows == 1 && i.unavoidable == 0),
            unit_rows: table.items.iter().all(|item| item.rows == 1),
            min_row_weight: table.items.iter().map(|i| i.weight / i.rows.max(1)).min().unwrap_or(0),
            rows_are_weights: table.items.iter().all(|item| item.weight == item.rows),
            features: Vec::new(),
            planes: Vec::new(),
            pair_columns: false,
            bit_columns: false,
            ranks_in_orders: false,
        };
        for (item, &slot) in table.items.iter().zip(&slot_of) {
            let at = slot as usize;
            layout.occupied.insert(slot);
            layout.class[at] = item.class;
            layout.weight[at] = item.weight;
            layout.unscaled[at] = item.unscaled;
            layout.rows[at] = item.rows;
            layout.unavoidable[at] = item.unavoidable;
        }
        layout
    }

    /// Whether the counts of all pairs of rules of a node take less than a gigabyte. Making that many
    /// also takes seconds, without a poll of the clock.
    fn counts_fit(&self, table: &Table) -> bool {
        let rules: f64 = table.features.iter().map(|f| f.values.len() as f64 - 1.0).sum();
        rules * rules * self.n_classes as f64 * (size_of::<u32>() as f64) < 1e9
    }

    /// Whether counting all pairs of rules by words of bits is cheaper than sweeping sorted rows.
    /// Both estimates are for one depth-two call in nanoseconds, from profiles; a sweep settles a
    /// feature after about forty evaluations, most of which are pruned.
    fn columns_pay(&self, table: &Table) -> bool {
        let rules: f64 = table.features.iter().map(|f| f.values.len() as f64 - 1.0).sum();
        let evaluations: f64 =
            table.features.iter().map(|f| (f.values.len() as f64 - 1.0).min(40.0)).sum();
        let items = table.items.len() as f64;
        let planes = table.items.iter().map(|i| i.weight.count_ones() as f64).sum::<f64>() / items;
        let pairs = rules * rules / 2.0 * (items * planes / 64.0 * 0.35 + 3.0);
        let sweeps = evaluations * table.features.len() as f64 * items;
        let bytes = rules * self.slots as f64 / 8.0;
        pairs < PAIRS_PER_SWEEP * sweeps && bytes < 256e6
    }

    /// Whether the search over binary columns is used for the table; every rule is one column.
    /// Its lanes must hold the weight of the table plus one.
    pub(crate) fn binary(&self, options: &Options) -> bool {
        let fits = self.weight.iter().sum::<Weight>() < Weight::from(u32::MAX);
        options.binary && options.depth_two && self.bit_columns && fits
    }

    fn add_columns(&mut self) {
        for feature in &mut self.features {
            feature.columns = feature.rules_as_bits(&self.occupied);
        }
        for class in 0..self.n_classes as u32 {
            let words = self.class_words[class as usize].clone();
            for bit in 0..u64::BITS {
                let mut members = Bits::empty(self.slots);
                for slot in words.start * 64..words.end * 64 {
                    if self.weight[slot] >> bit & 1 == 1 {
                        members.insert(slot as u32);
                    }
                }
                if members.words.iter().any(|&word| word != 0) {
                    self.planes.push(Plane { class, bit, members });
                }
            }
        }
    }
}

/// The slot of every item; items are ordered by class.
pub(crate) fn slots_of_items(table: &Table) -> Vec<u32> {
    slots_with_free(table, 0)
}

fn slots_with_free(table: &Table, free: u32) -> Vec<u32> {
    let mut next = 0u32;
    let mut class = table.items.first().map_or(0, |item| item.class);
    table
        .items
        .iter()
        .map(|item| {
            if item.class != class {
                class = item.class;
                next = next.next_multiple_of(64) + free;
            }
            next += 1;
            next - 1
        })
        .collect()
}
