//! The best stumps below pairs of columns, and with them the best trees in the children of columns.

use super::gains::{
    BLOCK, GainLanes, LeafSavings, gain, gains_of_three, gains_of_two, max_pair, or_stump, raise,
};
use super::rows::ChainRows;
use super::savings::Savings;

/// Raises the savings of stumps below pairs of columns, by all triples whose first column is
/// `first`.
#[inline(always)]
pub(super) fn stumps_of_triples(
    rows: &ChainRows,
    first: usize,
    leaf_savings: &LeafSavings,
    savings: &mut Savings,
) {
    let (columns, stride) = (rows.columns, savings.pairs.stride);
    let own = savings.own(first);
    let later = (first..columns).find(|&at| !rows.chained[at]).map_or(columns, |at| at + 1);
    let mut gains = [[0.0; BLOCK]; 8];
    for second in first + 1..columns {
        let (pairs, triples) = (&savings.pairs, &savings.triples);
        let both = pairs.at(first, second);
        let (one, other) = (own - both, savings.own(second) - both);
        let rest = rows.all - own - other;
        let mut from = second + 1;
        while from < columns {
            let count = (columns - from).next_multiple_of(8).min(BLOCK);
            let shared = if second < later { pairs } else { triples };
            let lanes = [
                GainLanes::of(shared, second, from, count),
                GainLanes::of(pairs, first, from, count),
                GainLanes::of(pairs, second, from, count),
                GainLanes { sums: &savings.own[0][from..], weights: &savings.own[1][from..] },
            ];
            gains_of_three([both, one, other, rest], lanes, leaf_savings, &mut gains);
            let g = &gains;
            for cell in 0..4 {
                let pair = &mut savings.stumps[cell];
                let at = first * stride + second;
                pair[at] = pair[at].max(max_pair(&g[2 * cell], &g[2 * cell + 1], count));
                let (i, k) = (cell / 2, cell % 2);
                raise(
                    &mut pair[first * stride + from..][..count],
                    &g[4 * i + k],
                    &g[4 * i + 2 + k],
                );
                raise(
                    &mut pair[second * stride + from..][..count],
                    &g[2 * i + k],
                    &g[4 + 2 * i + k],
                );
            }
            from += BLOCK;
        }
    }
}

/// Raises the savings of trees in the children of a column and of all later columns.
#[inline(always)]
pub(super) fn children<const TRIPLES: bool>(
    rows: &ChainRows,
    first: usize,
    leaf_savings: &LeafSavings,
    savings: &mut Savings,
) {
    let (columns, stride) = (rows.columns, savings.pairs.stride);
    let own = savings.own(first);
    let rest = rows.all - own;
    let leaves =
        [gain(rest.sum, rest.weight, leaf_savings), gain(own.sum, own.weight, leaf_savings)];
    let (mut gains, mut best) = ([[0.0; BLOCK]; 4], [[0.0; BLOCK]; 4]);
    let mut from = first + 1;
    while from < columns {
        let count = (columns - from).next_multiple_of(8).min(BLOCK);
        let others = GainLanes { sums: &savings.own[0][from..], weights: &savings.own[1][from..] };
        let lanes = [GainLanes::of(&savings.pairs, first, from, count), others];
        gains_of_two([own, rest], lanes, leaf_savings, &mut gains);
        let g = &gains;
        for child in 0..2 {
            let one = &mut savings.below[1][child];
            one[first] = one[first].max(max_pair(&g[2 * child], &g[2 * child + 1], count));
            raise(&mut one[from..][..count], &g[child], &g[2 + child]);
        }
        if TRIPLES {
            for (cell, best) in best.iter_mut().enumerate() {
                or_stump(&g[cell], &savings.stumps[cell][first * stride + from..][..count], best);
            }
            for child in 0..2 {
                let (here, there) = ([2 * child, 2 * child + 1], [child, 2 + child]);
                let [_, _, two, three] = &mut savings.below;
                for (a, b) in [(&best, g), (g, &best)] {
                    let two = &mut two[child];
                    two[first] = two[first].max(max_pair(&a[here[0]], &b[here[1]], count));
                    raise(&mut two[from..][..count], &a[there[0]], &b[there[1]]);
                }
                let three = &mut three[child];
                three[first] = three[first].max(max_pair(&best[here[0]], &best[here[1]], count));
                raise(&mut three[from..][..count], &best[there[0]], &best[there[1]]);
            }
        }
        from += BLOCK;
    }
    for (child, leaf) in leaves.into_iter().enumerate() {
        savings.below[0][child][first] = leaf.to_bits() as i64;
    }
}
