//! A subset as lists: its items, and for each of them the columns that hold it; and the memory for
//! counting.
//!
//! A *chain* is a sequence of columns in which each column holds all items of the next. So an item is
//! listed only with the last column of each chain that holds it (`kernels/sums.rs`).

use super::columns::CostColumns;
use crate::costs::items::CostItem;
use crate::costs::items::CostSubset;
use crate::kernels::sums::{ChainEntry, ChainRows, Savings, WeightedSum};
use crate::support::bits::Bits;

/// Workspace for counting, reused.
#[derive(Default)]
pub(crate) struct ColumnsWorkspace {
    pub counted: SubsetColumns,
    pub savings: Savings,
}

/// A subset as lists of the columns that split it. These columns are numbered within the subset.
#[derive(Default)]
pub(crate) struct SubsetColumns {
    pub rows: ChainRows,
    /// By number of a column within the subset, the column of the table.
    pub columns: Vec<usize>,
    /// By column of the table, its number within the subset; `NONE` if the column is not selected.
    number_of: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl SubsetColumns {
    /// Loads the items of a subset, and the columns that split it; for sums of triples if `triples`.
    pub(crate) fn load(
        &mut self,
        columns: &CostColumns,
        items: &[CostItem],
        subset: &CostSubset,
        triples: bool,
    ) {
        self.select_columns(columns, subset);
        let rows = &mut self.rows;
        rows.items.clear();
        rows.holders.clear();
        rows.ends.clear();
        rows.all = WeightedSum { sum: subset.sum, weight: subset.weight };
        let (mut counts, mut maximum) = (vec![0; rows.columns + 1], 0);
        for slot in subset.members.iter() {
            let (item, first) = (&items[slot as usize], rows.holders.len() as u32);
            rows.items.push(WeightedSum { sum: item.sum, weight: item.weight });
            for &column in columns.holders(slot as usize) {
                let number = self.number_of[column as usize];
                if number != NONE {
                    rows.holders.push(number);
                    counts[number as usize + 1] += 1;
                }
            }
            maximum = maximum.max(rows.holders.len() as u32 - first);
            rows.ends.push(rows.holders.len() as u32);
        }
        for column in 0..rows.columns {
            counts[column + 1] += counts[column];
        }
        rows.entries.clear();
        rows.entries.resize(rows.holders.len(), ChainEntry::default());
        // Runs of entries with equally many columns after them are processed faster.
        for later in 1..=maximum {
            let mut first = 0;
            for (item, &end) in rows.ends.iter().enumerate() {
                if first + later <= end {
                    let next = end - later + 1;
                    let place = &mut counts[rows.holders[next as usize - 1] as usize];
                    rows.entries[*place as usize] = ChainEntry { item: item as u32, next };
                    *place += 1;
                }
                first = end;
            }
        }
        // Each count has advanced to the end of its column.
        counts.pop();
        rows.entry_ends = counts;
        if triples {
            rows.spread();
        }
    }

    /// Selects the columns that split a subset; of equal columns of a chain only the last.
    fn select_columns(&mut self, columns: &CostColumns, subset: &CostSubset) {
        let all = columns.held.len();
        self.columns.clear();
        self.number_of.clear();
        self.number_of.resize(all, NONE);
        let count = |column: &Bits| -> u32 {
            let words = subset.members.words.iter().zip(&column.words);
            words.map(|(members, held)| (members & held).count_ones()).sum()
        };
        let mut last = 0;
        for column in 0..all {
            let held = count(&columns.held[column]);
            if held == 0 || held as usize == subset.count {
                continue;
            }
            let chain = columns.chains[column];
            match self.columns.last_mut() {
                // The column is a subset of the previous column and as large, so they are equal.
                Some(before) if columns.chains[*before] == chain && last == held => {
                    *before = column;
                }
                _ => self.columns.push(column),
            }
            last = held;
        }
        self.rows.columns = self.columns.len();
        self.rows.chained.clear();
        for (number, &column) in self.columns.iter().enumerate() {
            self.number_of[column] = number as u32;
            let next = self.columns.get(number + 1);
            self.rows
                .chained
                .push(next.is_some_and(|&next| columns.chains[next] == columns.chains[column]));
        }
    }
}
