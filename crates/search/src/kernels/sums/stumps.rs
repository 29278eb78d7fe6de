//! The best stumps below pairs of columns, and what the sides of each column save with them.

use super::gains::{
    BLOCK, Lanes, Price, gain, gains_of_three, gains_of_two, most, or_stump, raise,
};
use super::rows::Rows;
use super::saved::Saved;

/// Raises what stumps save below pairs of columns, of which this is the first of three.
#[inline(always)]
pub(super) fn stumps_of_threes(rows: &Rows, first: usize, price: &Price, saved: &mut Saved) {
    let (columns, stride) = (rows.columns, saved.pairs.stride);
    let own = saved.pairs.at(first, first);
    let later = (first..columns).find(|&at| !rows.chained[at]).map_or(columns, |at| at + 1);
    let mut gains = [[0.0; BLOCK]; 8];
    for second in first + 1..columns {
        let (pairs, threes) = (&saved.pairs, &saved.threes);
        let both = pairs.at(first, second);
        let (one, other) = (own - both, pairs.at(second, second) - both);
        let rest = rows.all - own - other;
        let mut from = second + 1;
        while from < columns {
            let count = (columns - from).next_multiple_of(8).min(BLOCK);
            let shared = if second < later { pairs } else { threes };
            let lanes = [
                Lanes::of(shared, second, from, count),
                Lanes::of(pairs, first, from, count),
                Lanes::of(pairs, second, from, count),
                Lanes { sums: &saved.own[0][from..], weights: &saved.own[1][from..] },
            ];
            gains_of_three([both, one, other, rest], lanes, price, &mut gains);
            let g = &gains;
            for what in 0..4 {
                let pair = &mut saved.stumps[what];
                let at = first * stride + second;
                pair[at] = pair[at].max(most(&g[2 * what], &g[2 * what + 1], count));
                let (i, k) = (what / 2, what % 2);
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

/// What the sides of a column save, and raises what those of the columns after it save.
#[inline(always)]
pub(super) fn sides<const THREES: bool>(
    rows: &Rows,
    first: usize,
    price: &Price,
    saved: &mut Saved,
) {
    let (columns, stride) = (rows.columns, saved.pairs.stride);
    let own = saved.pairs.at(first, first);
    let rest = rows.all - own;
    let leaves = [gain(rest.sum, rest.weight, price), gain(own.sum, own.weight, price)];
    let (mut gains, mut best) = ([[0.0; BLOCK]; 4], [[0.0; BLOCK]; 4]);
    let mut from = first + 1;
    while from < columns {
        let count = (columns - from).next_multiple_of(8).min(BLOCK);
        let others = Lanes { sums: &saved.own[0][from..], weights: &saved.own[1][from..] };
        let lanes = [Lanes::of(&saved.pairs, first, from, count), others];
        gains_of_two([own, rest], lanes, price, &mut gains);
        let g = &gains;
        for side in 0..2 {
            let one = &mut saved.below[1][side];
            one[first] = one[first].max(most(&g[2 * side], &g[2 * side + 1], count));
            raise(&mut one[from..][..count], &g[side], &g[2 + side]);
        }
        if THREES {
            for (what, best) in best.iter_mut().enumerate() {
                or_stump(&g[what], &saved.stumps[what][first * stride + from..][..count], best);
            }
            for side in 0..2 {
                let (here, there) = ([2 * side, 2 * side + 1], [side, 2 + side]);
                let [_, _, two, three] = &mut saved.below;
                for (a, b) in [(&best, g), (g, &best)] {
                    let two = &mut two[side];
                    two[first] = two[first].max(most(&a[here[0]], &b[here[1]], count));
                    raise(&mut two[from..][..count], &a[there[0]], &b[there[1]]);
                }
                let three = &mut three[side];
                three[first] = three[first].max(most(&best[here[0]], &best[here[1]], count));
                raise(&mut three[from..][..count], &best[there[0]], &best[there[1]]);
            }
        }
        from += BLOCK;
    }
    for (side, leaf) in leaves.into_iter().enumerate() {
        saved.below[0][side][first] = leaf.to_bits() as i64;
    }
}
