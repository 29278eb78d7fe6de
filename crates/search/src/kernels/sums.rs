//! Sums of what columns of bits hold alone, in pairs and in threes, and what the best
//! stumps below them save.
//!
//! Columns stand in chains: each holds all items of the one after it in its chain. An
//! item is listed with the last column of each chain that holds it, and what a column
//! holds is the sum over it and all after it in its chain. So every three chains are
//! met once for an item, however many of their columns hold it.
//!
//! What columns hold is counted in `sums/held.rs`, what leaves save in `sums/gains.rs`, and
//! what the best stumps do in `sums/stumps.rs`.

mod gains;
mod held;
mod rows;
mod saved;
mod stumps;

pub use gains::Price;
pub use rows::{Entry, Held, Rows};
pub use saved::Saved;

use super::multiversion;
use held::{add, pair_row, threes_of};
use rows::{Eight, blocks};
use stumps::{sides, stumps_of_threes};

#[inline(always)]
fn save_body<const THREES: bool>(rows: &Rows, price: &Price, saved: &mut Saved) {
    saved.begin(rows.columns, THREES);
    for column in (0..rows.columns).rev() {
        if !rows.chained[column] {
            saved.alone[column..].fill(Held::default());
            if THREES {
                saved.raw[column * blocks(rows.columns)..].fill(Eight::default());
            }
        }
        add::<THREES>(rows, column, saved);
        pair_row(rows, column, saved);
        if THREES {
            let last = (column..rows.columns).find(|&at| !rows.chained[at]);
            threes_of(rows, last.map_or(rows.columns, |last| last + 1), saved);
            stumps_of_threes(rows, column, price, saved);
        }
    }
    for column in 0..rows.columns {
        sides::<THREES>(rows, column, price, saved);
    }
    for nodes in 1..4 {
        let (before, now) = saved.below.split_at_mut(nodes);
        for (before, now) in before[nodes - 1].iter().zip(&mut now[0]) {
            now.iter_mut().zip(before).for_each(|(now, before)| *now = (*now).max(*before));
        }
    }
}

multiversion! {
    /// What trees below the sides of all columns save: of up to three nodes if `THREES`,
    /// else of one.
    pub fn save<; const THREES: bool>(rows: &Rows, price: &Price, saved: &mut Saved) = save_body
}

#[cfg(test)]
mod differential;
