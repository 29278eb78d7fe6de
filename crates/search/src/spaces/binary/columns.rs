//! The rules of a subset as columns of bits, and how a rule splits a subset.
//!
//! Bits stand for items, class by class and, within a class, one plane after the
//! other: an item of weight 5 has a bit in the planes of 1 and 4, so weighing a set is
//! counting bits plane by plane. Planes begin at whole words.
//!
//! A bit is set if the item is in the left child of a rule or, where lists of rules pay
//! (`sparse_lists.rs`), in the smaller child. Costs and limits are symmetric in left and right, so
//! only the children in trees have to be exchanged.

use crate::engine::columns::ColumnRule;
use crate::kernels::InstructionSet;
use crate::kernels::compress::compress;
use crate::kernels::pairs::Segment;
use crate::kernels::spread_columns::ColumnWords;
use crate::spaces::continuous::layout::Layout;
use exactree_model::Weight;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Columns restricted to the items of one subset.
#[derive(Clone, Default)]
pub(crate) struct BinaryColumns {
    /// The rule of each column, as index into the columns of the whole table.
    pub rules: Vec<u32>,
    pub width: usize,
    /// Column after column, `width` words each.
    pub words: Vec<u64>,
    /// Words by class and bit of the weight; classes count from 0 without gaps.
    pub segments: Vec<Segment>,
    /// Classes of the table that have items here.
    pub classes: Vec<u32>,
    /// The bits in use.
    pub all: Vec<u64>,
    /// Items that every tree misclassifies; empty if there are none.
    pub unavoidable: Vec<u64>,
}

impl BinaryColumns {
    /// All distinct rules of a table, and the rule that each column represents.
    pub(crate) fn of_table(
        layout: &Layout,
        instructions: InstructionSet,
    ) -> (BinaryColumns, Vec<ColumnRule>) {
        let width = layout.slots.div_ceil(64);
        let mut unavoidable = vec![0; width];
        for slot in layout.occupied.iter().map(|slot| slot as usize) {
            unavoidable[slot / 64] |= ((layout.unavoidable[slot] > 0) as u64) << (slot % 64);
        }
        let mut columns = BinaryColumns::default();
        let (mut all_rules, mut sources): (Vec<ColumnRule>, Vec<&[u64]>) = Default::default();
        for (at, feature) in layout.features.iter().enumerate() {
            for (rank, column) in feature.columns.iter().enumerate() {
                all_rules.push(ColumnRule {
                    feature: at as u32,
                    rank: rank as u32,
                    inverted: false,
                });
                sources.push(&column.words);
            }
        }
        sources.push(&unavoidable);
        let mut packed = vec![Vec::new(); sources.len()];
        for plane in &layout.planes {
            if columns.classes.last() != Some(&plane.class) {
                columns.classes.push(plane.class);
            }
            let words = layout.class_words[plane.class as usize].clone();
            let mask = &plane.members.words[words.clone()];
            let start = columns.all.len();
            compress(instructions, mask, mask, &mut columns.all);
            for (source, packed) in sources.iter().zip(&mut packed) {
                compress(instructions, &source[words.clone()], mask, packed);
            }
            let class = columns.classes.len() - 1;
            let words = start..columns.all.len();
            columns.segments.push(Segment { class, bit: plane.bit, words });
        }
        columns.width = columns.all.len();
        columns.unavoidable = non_empty(packed.pop());
        let numbers: Vec<u32> = (0..packed.len() as u32).collect();
        columns.keep(&numbers, &packed.concat());
        let numbers = (0..columns.rules.len() as u32).collect();
        let kept = std::mem::replace(&mut columns.rules, numbers);
        (columns, kept.iter().map(|&number| all_rules[number as usize]).collect())
    }

    /// Keeps the columns that split the subset. Of equal or opposite columns only the first is
    /// kept, since costs and limits are symmetric in left and right.
    fn keep(&mut self, rules: &[u32], packed: &[u64]) {
        let Some(first) = self.all.iter().position(|&word| word != 0) else { return };
        let bit = self.all[first] & self.all[first].wrapping_neg();
        // Places of columns by hash; a hash only selects the columns to compare.
        let mut places = vec![u32::MAX; (2 * rules.len()).next_power_of_two()];
        for (&rule, words) in rules.iter().zip(packed.chunks_exact(self.width)) {
            let flip_of = |words: &[u64]| if words[first] & bit != 0 { u64::MAX } else { 0 };
            let flip = flip_of(words);
            let word = |at: usize| (words[at] ^ flip) & self.all[at];
            let mut hasher = FxHasher::default();
            (0..words.len()).for_each(|at| hasher.write_u64(word(at)));
            if (0..words.len()).all(|at| word(at) == 0) {
                continue;
            }
            let mut place = hasher.finish() as usize % places.len();
            let known = loop {
                let Some(&other) = places.get(place).filter(|&&other| other != u32::MAX) else {
                    break false;
                };
                let other = self.column(other as usize);
                let flip = flip_of(other);
                if (0..words.len()).all(|at| (other[at] ^ flip) & self.all[at] == word(at)) {
                    break true;
                }
                place = (place + 1) % places.len();
            };
            if !known {
                places[place] = self.rules.len() as u32;
                self.rules.push(rule);
                self.words.extend_from_slice(words);
            }
        }
    }

    pub(crate) fn column(&self, at: usize) -> &[u64] {
        &self.words[at * self.width..][..self.width]
    }

    /// The items in one child of a rule.
    pub(crate) fn child(&self, at: usize, left: bool) -> Vec<u64> {
        let column = self.column(at).iter();
        if left {
            column.copied().collect()
        } else {
            column.zip(&self.all).map(|(c, a)| a & !c).collect()
        }
    }

    /// The columns in the form that the kernels read.
    pub(crate) fn rows(&self) -> ColumnWords<'_> {
        ColumnWords {
            count: self.rules.len(),
            width: self.width,
            words: &self.words,
            segments: &self.segments,
            classes: self.classes.len(),
        }
    }

    /// Weight of each class in a set.
    pub(crate) fn weigh(&self, set: impl Fn(usize) -> u64) -> Vec<Weight> {
        let mut weights = vec![0; self.classes.len()];
        for segment in &self.segments {
            let ones: u64 = segment.words.clone().map(|at| set(at).count_ones() as u64).sum();
            weights[segment.class] += ones << segment.bit;
        }
        weights
    }

    /// Weight that every tree misclassifies in a set.
    pub(crate) fn unavoidable_in(&self, set: impl Fn(usize) -> u64) -> Weight {
        if self.unavoidable.is_empty() {
            return 0;
        }
        self.weigh(|at| set(at) & self.unavoidable[at]).iter().sum()
    }

    /// The columns of the subset selected by a mask.
    pub(crate) fn within(&self, instructions: InstructionSet, mask: &[u64]) -> BinaryColumns {
        let mut subset = BinaryColumns::default();
        let mut wanted = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            let start = subset.all.len();
            let mask = &mask[segment.words.clone()];
            compress(instructions, mask, mask, &mut subset.all);
            if subset.all.len() > start {
                let class = self.classes[segment.class];
                if subset.classes.last() != Some(&class) {
                    subset.classes.push(class);
                }
                let class = subset.classes.len() - 1;
                let words = start..subset.all.len();
                subset.segments.push(Segment { class, bit: segment.bit, words });
                wanted.push(segment.words.clone());
            }
        }
        subset.width = subset.all.len();
        let pack = |column: &[u64], packed: &mut Vec<u64>| {
            for words in &wanted {
                compress(instructions, &column[words.clone()], &mask[words.clone()], packed);
            }
        };
        if !self.unavoidable.is_empty() {
            let mut packed = Vec::with_capacity(subset.width);
            pack(&self.unavoidable, &mut packed);
            subset.unavoidable = non_empty(Some(packed));
        }
        let mut packed = Vec::with_capacity(subset.width * self.rules.len());
        (0..self.rules.len()).for_each(|at| pack(self.column(at), &mut packed));
        subset.keep(&self.rules, &packed);
        subset
    }
}

/// The words of a set; no words if the set is empty.
fn non_empty(set: Option<Vec<u64>>) -> Vec<u64> {
    set.filter(|words| words.iter().any(|&word| word != 0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash of two words is (one · K + two) · K, rotated.
    const K: u64 = 0xf135_7aea_2e62_a9c5;

    #[test]
    fn columns_of_equal_hash_are_both_kept() {
        let one: [u64; 2] = [0xf0f0, 0x1234_5678_9abc_def0];
        let two = [one[0] + 2, one[1].wrapping_sub(K.wrapping_mul(2))];
        let hash = |words: [u64; 2]| {
            let mut hasher = FxHasher::default();
            words.into_iter().for_each(|word| hasher.write_u64(word));
            hasher.finish()
        };
        assert_eq!(hash(one), hash(two), "the test needs other words");
        let mut columns =
            BinaryColumns { width: 2, all: vec![u64::MAX; 2], ..BinaryColumns::default() };
        // The opposite of a column is redundant.
        columns.keep(&[7, 8, 9], &[one, two, one.map(|word| !word)].concat());
        assert_eq!(columns.rules, [7, 8]);
        assert_eq!(columns.words, [one, two].concat());
    }
}
