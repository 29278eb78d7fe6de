//! Counts of pairs of rules by sparse lists: for every item, the list of rules that hold it.
//!
//! Where few rules hold an item, counting its pairs of rules one by one is fast (as in MurTree),
//! and no columns need to be packed for counting. Columns of such a table mark the smaller children
//! of splits (`columns.rs`); the other cells of a pair follow by inclusion and exclusion. The
//! counts are the same as by words of bits, so all conclusions from them hold unchanged.

use super::columns::BinaryColumns;
use crate::engine::columns::ColumnRule;
use crate::kernels::chunks::{BLOCK, ChunkLane, Pairs};

/// The lists of a whole table; subsets use those of their items.
pub(crate) struct RuleLists<'a> {
    table: &'a BinaryColumns,
    /// By place of an item, the start of its list; followed by the end of the last list.
    begin: Vec<u32>,
    rules: Vec<u32>,
}

/// The number of a rule of the table that a subset does not have.
const NONE: u32 = u32::MAX;

/// Whether lists pay for `rules` rules, of which `mean` hold an item on average. Measured: with
/// lists an item held by m rules takes m² + 8 steps; with columns, which process many items at
/// once, it takes one step per 512 pairs of rules.
fn lists_pay(rules: usize, mean: f64) -> bool {
    512.0 * (mean * mean + 8.0) <= (rules * rules) as f64
}

impl BinaryColumns {
    /// Inverts columns so that bits mark the smaller children, if lists pay then; returns whether
    /// they do.
    pub(crate) fn invert_to_smaller(&mut self, sources: &mut [ColumnRule]) -> bool {
        let ones = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>();
        let items = ones(&self.all);
        let held: Vec<u32> = (0..sources.len()).map(|at| ones(self.column(at))).collect();
        let rarer: f64 = held.iter().map(|&held| f64::from(held.min(items - held))).sum();
        if !lists_pay(sources.len(), rarer / f64::from(items)) {
            return false;
        }
        let columns = self.words.chunks_exact_mut(self.width);
        for ((column, &held), source) in columns.zip(&held).zip(sources) {
            source.inverted = held > items - held;
            if source.inverted {
                column.iter_mut().zip(&self.all).for_each(|(word, all)| *word = all & !*word);
            }
        }
        true
    }
}

/// Calls `visit` with the place of every bit set in `words`, which begin at word `first`.
#[inline(always)]
fn for_each_bit(words: &[u64], first: usize, mut visit: impl FnMut(usize)) {
    for (at, &word) in words.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            visit((first + at) * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

impl<'a> RuleLists<'a> {
    pub(crate) fn of(table: &'a BinaryColumns) -> Self {
        let columns = 0..table.rules.len();
        let mut begin = vec![0; table.width * 64 + 1];
        columns.clone().for_each(|rule| for_each_bit(table.column(rule), 0, |at| begin[at] += 1));
        let mut end = 0;
        for begin in &mut begin {
            end += *begin;
            *begin = end;
        }
        let mut rules = vec![0; end as usize];
        for rule in columns {
            for_each_bit(table.column(rule), 0, |at| {
                begin[at] -= 1;
                rules[begin[at] as usize] = rule as u32;
            });
        }
        RuleLists { table, begin, rules }
    }

    /// Counts, for every two rules of a subset, the weight of the given items that both hold; items
    /// are numbered as in the table.
    pub(crate) fn count<L: ChunkLane>(
        &self,
        subset: &BinaryColumns,
        members: &[u64],
        pairs: &mut Pairs<L>,
    ) {
        let count = subset.rules.len();
        let stride = count.next_multiple_of(BLOCK);
        (pairs.count, pairs.stride) = (count, stride);
        pairs.held.clear();
        pairs.held.resize(subset.classes.len() * count * stride, L::default());
        let mut number = vec![NONE; self.table.rules.len()];
        (0..).zip(&subset.rules).for_each(|(at, &rule)| number[rule as usize] = at);
        let mut list = Vec::new();
        for segment in &self.table.segments {
            let class = self.table.classes[segment.class];
            let Some(class) = subset.classes.iter().position(|&other| other == class) else {
                continue;
            };
            let weight = L::of(1).shifted(segment.bit);
            let held = &mut pairs.held[class * count * stride..][..count * stride];
            for_each_bit(&members[segment.words.clone()], segment.words.start, |place| {
                let rules = self.begin[place] as usize..self.begin[place + 1] as usize;
                list.clear();
                let numbers = self.rules[rules].iter().map(|&rule| number[rule as usize]);
                list.extend(numbers.filter(|&number| number != NONE));
                for &rule in &list {
                    let row = &mut held[rule as usize * stride..][..stride];
                    list.iter().for_each(|&other| {
                        let both = &mut row[other as usize];
                        *both = both.plus(weight);
                    });
                }
            });
        }
    }
}
