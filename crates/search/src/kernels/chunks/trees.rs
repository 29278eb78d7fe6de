//! The best trees of up to three nodes, from the best stumps in both children of every rule.

use super::{BLOCK, ChunkLane, Stumps, Tallies};
use crate::kernels::multiversion;

#[inline(always)]
fn leaf_support_body<L: ChunkLane>(
    tallies: &Tallies<L>,
    stumps: &Stumps<L>,
    needed: [L; 2],
    errors: &mut [L; 2],
) {
    let stride = stumps.left.len();
    let none = L::of(u64::MAX);
    let mut lanes = [[none; BLOCK]; 2];
    let children = stumps.left.as_chunks::<BLOCK>().0.iter();
    for (block, children) in children.zip(stumps.right.as_chunks::<BLOCK>().0).enumerate() {
        let (mut weight, mut leaf) = ([[L::default(); BLOCK]; 2], [[L::default(); BLOCK]; 2]);
        for (class, &total) in tallies.totals.iter().enumerate() {
            let held = &tallies.held[class * stride..][..stride].as_chunks::<BLOCK>().0[block];
            for at in 0..BLOCK {
                for (child, here) in [held[at], total.minus(held[at])].into_iter().enumerate() {
                    weight[child][at] = weight[child][at].plus(here);
                    leaf[child][at] = leaf[child][at].max(here);
                }
            }
        }
        for (child, stump) in [children.0, children.1].into_iter().enumerate() {
            for at in 0..BLOCK {
                for (lanes, (correct, needed)) in
                    lanes.iter_mut().zip([(leaf[child][at], needed[0]), (stump[at], needed[1])])
                {
                    let wrong = weight[child][at].minus(correct);
                    lanes[at] = lanes[at].min(if correct >= needed { wrong } else { none });
                }
            }
        }
    }
    *errors = lanes.map(|lanes| lanes.into_iter().min().unwrap_or(none));
}

multiversion! {
    /// Finds the fewest errors of a leaf, and of a best stump, in a child of any rule, among those
    /// that classify at least `needed` correctly; all bits are set if there is none. Lanes beyond
    /// the last rule count as a rule with an empty child, which can only lower these lower bounds.
    pub(crate) fn leaf_support<L: ChunkLane>(
        tallies: &Tallies<L>,
        stumps: &Stumps<L>,
        needed: [L; 2],
        errors: &mut [L; 2],
    ) = leaf_support_body
}

#[inline(always)]
fn best_body<L: ChunkLane>(
    tallies: &Tallies<L>,
    stumps: &Stumps<L>,
    minimum: L,
    maximum: &mut [L; 4],
) {
    let stride = stumps.left.len();
    *maximum = [L::default(); 4];
    maximum[0] = tallies.totals.iter().copied().max().unwrap_or_default();
    for (block, (left, right)) in stumps
        .left
        .as_chunks::<BLOCK>()
        .0
        .iter()
        .zip(stumps.right.as_chunks::<BLOCK>().0)
        .enumerate()
    {
        let (mut on_left, mut on_right) = ([L::default(); BLOCK], [L::default(); BLOCK]);
        let (mut leaf_left, mut leaf_right) = (on_left, on_right);
        for (class, &total) in tallies.totals.iter().enumerate() {
            let held = &tallies.held[class * stride..][..stride].as_chunks::<BLOCK>().0[block];
            for at in 0..BLOCK {
                let other = total.minus(held[at]);
                (on_left[at], on_right[at]) =
                    (on_left[at].plus(held[at]), on_right[at].plus(other));
                leaf_left[at] = leaf_left[at].max(held[at]);
                leaf_right[at] = leaf_right[at].max(other);
            }
        }
        let mut found = [[L::default(); BLOCK]; 3];
        for at in 0..BLOCK {
            let (leaf_left, leaf_right) = (leaf_left[at], leaf_right[at]);
            let (left, right) = (left[at].max(leaf_left), right[at].max(leaf_right));
            let allowed = on_left[at].min(on_right[at]) >= minimum;
            let if_allowed = |correct: L| if allowed { correct } else { L::default() };
            found[0][at] = if_allowed(leaf_left.plus(leaf_right));
            found[1][at] = if_allowed(leaf_left.plus(right).max(left.plus(leaf_right)));
            found[2][at] = if_allowed(left.plus(right));
        }
        for (maximum, found) in maximum[1..].iter_mut().zip(found) {
            *maximum = found.into_iter().max().unwrap_or_default().max(*maximum);
        }
    }
}

multiversion! {
    /// Finds the greatest weight that trees of depth at most two with 0, 1, 2 and 3 nodes classify
    /// correctly; both children of a root weigh at least `minimum`, which is not zero.
    pub(crate) fn best<L: ChunkLane>(
        tallies: &Tallies<L>,
        stumps: &Stumps<L>,
        minimum: L,
        maximum: &mut [L; 4],
    ) = best_body
}
