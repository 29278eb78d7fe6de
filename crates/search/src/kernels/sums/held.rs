//! What columns hold with one column: alone, in pairs and in threes, summed over the chains.

use super::rows::{Eight, Held, Rows, blocks};
use super::saved::Saved;

/// Adds the items of which a column is the last, to what is held with it.
#[inline(always)]
pub(super) fn add<const THREES: bool>(rows: &Rows, column: usize, saved: &mut Saved) {
    let blocks = blocks(rows.columns);
    let first = if column == 0 { 0 } else { rows.entry_ends[column - 1] };
    for entry in &rows.entries[first as usize..rows.entry_ends[column] as usize] {
        let item = entry.item as usize;
        let held = rows.items[item];
        let later = &rows.holders[entry.next as usize..rows.ends[item] as usize];
        saved.alone[column] += held;
        let lanes = &rows.lanes[item * blocks..][..blocks];
        for &one in later {
            saved.alone[one as usize] += held;
            if THREES {
                // Lanes before the column itself are never looked at.
                let from = one as usize / 8;
                let raw = &mut saved.raw[one as usize * blocks..][..blocks];
                add_eights(&mut raw[from..], &lanes[from..]);
            }
        }
    }
}

/// Adds numbers; lanes that are never looked at may overflow.
#[inline(always)]
pub(super) fn add_eights(to: &mut [Eight], what: &[Eight]) {
    for (to, what) in to.iter_mut().zip(what) {
        let (sums, weights) = (to.sums, to.weights);
        to.sums = std::array::from_fn(|lane| sums[lane].wrapping_add(what.sums[lane]));
        to.weights = std::array::from_fn(|lane| weights[lane].wrapping_add(what.weights[lane]));
    }
}

/// Sums what is held alone over the chains, as a row of pairs.
#[inline(always)]
pub(super) fn pair_row(rows: &Rows, column: usize, saved: &mut Saved) {
    let mut held = Held::default();
    for other in (column + 1..rows.columns).rev() {
        if !rows.chained[other] {
            held = Held::default();
        }
        held += saved.alone[other];
        saved.pairs.set(column, other, held);
    }
    let mut own = saved.alone[column];
    if rows.chained[column] {
        own += saved.pairs.at(column + 1, column + 1);
    }
    saved.pairs.set(column, column, own);
    (saved.own[0][column], saved.own[1][column]) = (own.sum, own.weight);
    for other in column + 1..rows.columns {
        if !rows.chained[other - 1] {
            break;
        }
        // Of the same chain: held with all that is held by the other.
        saved.pairs.set(column, other, saved.pairs.at(other, other));
    }
}

/// Sums what pairs of columns hold with this one over the chains.
#[inline(always)]
pub(super) fn threes_of(rows: &Rows, after: usize, saved: &mut Saved) {
    let (columns, blocks) = (rows.columns, blocks(rows.columns));
    let Saved { raw, run, threes, .. } = saved;
    for one in (after..columns).rev() {
        let from = one / 8;
        let raw = &raw[one * blocks..][..blocks];
        if rows.chained[one] {
            // The next column holds nothing of this one's own.
            run[from].sums[one % 8] = 0;
            run[from].weights[one % 8] = 0;
            add_eights(&mut run[from..], &raw[from..]);
        } else {
            run[from..].copy_from_slice(&raw[from..]);
        }
        let place = one * threes.stride + from * 8..one * threes.stride + blocks * 8;
        let sums = &mut threes.sums[place.clone()];
        let weights = &mut threes.weights[place];
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
