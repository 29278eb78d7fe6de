//! Sums of the items that a column holds: alone, with one other column, and with two others, summed
//! over the chains.

use super::rows::{ChainRows, EightSums, WeightedSum, blocks};
use super::savings::Savings;

/// Adds the items listed with a column to the sums of the later columns that also hold them.
#[inline(always)]
pub(super) fn add<const TRIPLES: bool>(rows: &ChainRows, column: usize, savings: &mut Savings) {
    let blocks = blocks(rows.columns);
    let first = if column == 0 { 0 } else { rows.entry_ends[column - 1] };
    for entry in &rows.entries[first as usize..rows.entry_ends[column] as usize] {
        let item = entry.item as usize;
        let held = rows.items[item];
        let later = &rows.holders[entry.next as usize..rows.ends[item] as usize];
        savings.alone[column] += held;
        for &one in later {
            savings.alone[one as usize] += held;
            if TRIPLES {
                let lanes = &rows.lanes[item * blocks..][..blocks];
                // Lanes before the column itself are never read.
                let from = one as usize / 8;
                let raw = &mut savings.raw[one as usize * blocks..][..blocks];
                add_eights(&mut raw[from..], &lanes[from..]);
            }
        }
    }
}

/// Adds sums lane by lane; lanes that are never read may overflow.
#[inline(always)]
pub(super) fn add_eights(totals: &mut [EightSums], addends: &[EightSums]) {
    for (total, addend) in totals.iter_mut().zip(addends) {
        let (sums, weights) = (total.sums, total.weights);
        total.sums = std::array::from_fn(|lane| sums[lane].wrapping_add(addend.sums[lane]));
        total.weights =
            std::array::from_fn(|lane| weights[lane].wrapping_add(addend.weights[lane]));
    }
}

/// Sums the single columns over the chains, as a row of pairs with this column.
#[inline(always)]
pub(super) fn pair_row(rows: &ChainRows, column: usize, savings: &mut Savings) {
    let mut held = WeightedSum::default();
    for other in (column + 1..rows.columns).rev() {
        if !rows.chained[other] {
            held = WeightedSum::default();
        }
        held += savings.alone[other];
        savings.pairs.set(column, other, held);
    }
    let mut own = savings.alone[column];
    if rows.chained[column] {
        own += savings.own(column + 1);
    }
    (savings.own[0][column], savings.own[1][column]) = (own.sum, own.weight);
    for other in column + 1..rows.columns {
        if !rows.chained[other - 1] {
            break;
        }
        // In the same chain this column holds all items of the other.
        savings.pairs.set(column, other, savings.own(other));
    }
}

/// Sums the pairs of columns held together with this column over the chains.
#[inline(always)]
pub(super) fn triples_of(rows: &ChainRows, after: usize, savings: &mut Savings) {
    let (columns, blocks) = (rows.columns, blocks(rows.columns));
    let Savings { raw, run, triples, .. } = savings;
    for one in (after..columns).rev() {
        let from = one / 8;
        let raw = &raw[one * blocks..][..blocks];
        if rows.chained[one] {
            // The next column holds none of the items listed with this column.
            run[from].sums[one % 8] = 0;
            run[from].weights[one % 8] = 0;
            add_eights(&mut run[from..], &raw[from..]);
        } else {
            run[from..].copy_from_slice(&raw[from..]);
        }
        let place = one * triples.stride + from * 8..one * triples.stride + blocks * 8;
        let sums = &mut triples.sums[place.clone()];
        let weights = &mut triples.weights[place];
        for (at, run) in run[from..].iter().enumerate() {
            sums[8 * at..][..8].copy_from_slice(&run.sums);
            weights[8 * at..][..8].copy_from_slice(&run.weights);
        }
        for &link in rows.links.iter().take_while(|&&link| link as usize >= one) {
            let at = link as usize - 8 * from;
            sums[at] = sums[at].wrapping_add(sums[at + 1]);
            weights[at] = weights[at].wrapping_add(weights[at + 1]);
        }
    }
}
