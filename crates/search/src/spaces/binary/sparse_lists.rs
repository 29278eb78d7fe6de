//! The rules that hold an item, item by item: pairs of rules counted by lists.
//!
//! Where few rules hold an item, the pairs that do are soon counted one by one (as
//! MurTree does), and no columns need to be spread for a subset. Columns of such a table
//! stand for the rarer children of splits (`columns.rs`); the other cells of a pair follow
//! by inclusion and exclusion, as ever. The counts are the same numbers, so that
//! nothing that is concluded from them changes.

use super::columns::BinaryColumns;
use crate::kernels::chunks::{BLOCK, ChunkLane, Pairs};

/// The lists of a whole table; subsets use those of their items.
pub(crate) struct RuleLists<'a> {
    table: &'a BinaryColumns,
    /// By place of an item: where its list begins. The end of the last one.
    begin: Vec<u32>,
    rules: Vec<u32>,
}

/// A rule or class of the table that a subset does not have.
const NONE: u32 = u32::MAX;

/// Whether lists pay for so many rules, of which items are held by so many. An item on
/// m lists takes m² steps and eight more; in columns of all rules, which meet many items
/// at once, it takes as long as one step for 512 pairs of rules (measured).
pub(crate) fn lists_pay(rules: usize, mean: f64) -> bool {
    512.0 * (mean * mean + 8.0) <= (rules * rules) as f64
}

/// Shows the places of all bits in words, of which the first is at `first`.
#[inline(always)]
fn each_one(words: &[u64], first: usize, mut show: impl FnMut(usize)) {
    for (at, &word) in words.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            show((first + at) * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

impl<'a> RuleLists<'a> {
    pub fn of(table: &'a BinaryColumns) -> Self {
        let columns = 0..table.rules.len();
        let mut begin = vec![0; table.width * 64 + 1];
        columns.clone().for_each(|rule| each_one(table.column(rule), 0, |at| begin[at] += 1));
        let mut end = 0;
        for begin in &mut begin {
            end += *begin;
            *begin = end;
        }
        let mut rules = vec![0; end as usize];
        for rule in columns {
            each_one(table.column(rule), 0, |at| {
                begin[at] -= 1;
                rules[begin[at] as usize] = rule as u32;
            });
        }
        RuleLists { table, begin, rules }
    }

    /// Counts what every two rules of a subset hold together of some of its items, which
    /// are given among those of the table.
    pub fn count<L: ChunkLane>(
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
            each_one(&members[segment.words.clone()], segment.words.start, |place| {
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
