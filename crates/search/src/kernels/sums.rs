//! Weighted sums over columns of bits, over their pairs and triples, and the savings of the best
//! small trees below each column: a leaf of sum S and weight W saves S²/W of the total of the
//! squares (`costs/squared_error.rs`).
//!
//! A column *holds* the items whose bit is set. Columns form chains: each column holds all items of
//! the next column of its chain. An item is listed with the last column of each chain that holds
//! it, and the sum of a column is the total over itself and all later columns of its chain. So
//! every three chains are processed once per item, however many of their columns hold the item.
//!
//! The trees below a column are known once the sums of its pairs with all later columns are. Only
//! triples need the pairs of other columns again; without them one row of pairs is kept at a time, so
//! that the memory grows with the number of columns, not with its square.
//!
//! `sums/column_sums.rs` computes the sums of columns, `sums/gains.rs` the savings of leaves, and
//! `sums/stumps.rs` those of the best stumps.

mod column_sums;
mod gains;
mod rows;
mod savings;
mod stumps;

pub(crate) use gains::LeafSavings;
pub(crate) use rows::{ChainEntry, ChainRows, WeightedSum};
pub(crate) use savings::Savings;

use super::multiversion;
use column_sums::{add, pair_row, triples_of};
use rows::{EightSums, blocks};
use stumps::{children, stumps_of_triples};

/// The search may be stopped once in so many columns; with 20,000 columns they take tenths of a second.
const COLUMNS_TO_POLL: usize = 256;

#[inline(always)]
fn save_body<const TRIPLES: bool>(
    rows: &ChainRows,
    leaf_savings: &LeafSavings,
    stopped: &dyn Fn() -> bool,
    savings: &mut Savings,
) {
    savings.begin(rows.columns, TRIPLES);
    for column in (0..rows.columns).rev() {
        if column % COLUMNS_TO_POLL == COLUMNS_TO_POLL - 1 && stopped() {
            return;
        }
        if !rows.chained[column] {
            savings.alone[column..].fill(WeightedSum::default());
            if TRIPLES {
                savings.raw[column * blocks(rows.columns)..].fill(EightSums::default());
            }
        }
        add::<TRIPLES>(rows, column, savings);
        pair_row(rows, column, savings);
        if TRIPLES {
            let last = (column..rows.columns).find(|&at| !rows.chained[at]);
            triples_of(rows, last.map_or(rows.columns, |last| last + 1), savings);
            stumps_of_triples(rows, column, leaf_savings, savings);
        } else {
            children::<TRIPLES>(rows, column, leaf_savings, savings);
        }
    }
    // The stumps below a pair of columns are known when all columns before them were first.
    for column in 0..if TRIPLES { rows.columns } else { 0 } {
        children::<TRIPLES>(rows, column, leaf_savings, savings);
    }
    for nodes in 1..4 {
        let (before, now) = savings.below.split_at_mut(nodes);
        for (before, now) in before[nodes - 1].iter().zip(&mut now[0]) {
            now.iter_mut().zip(before).for_each(|(now, before)| *now = (*now).max(*before));
        }
    }
    savings.complete = true;
}

multiversion! {
    /// Computes the savings of trees in both children of all columns: trees of up to three nodes if
    /// `TRIPLES`, otherwise of one node. `Savings::complete` says whether it was not stopped.
    pub(crate) fn save<; const TRIPLES: bool>(rows: &ChainRows, leaf_savings: &LeafSavings, stopped: &dyn Fn() -> bool, savings: &mut Savings) = save_body
}

#[cfg(test)]
mod differential;
