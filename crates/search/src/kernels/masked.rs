//! The best stumps with columns of bits on both sides of a rule that is none of
//! them, given as a mask of its left side.

use super::chunks::{BLOCK, Chunks, Stumps, Tallies};
use super::multiversion;

#[inline(always)]
fn body(
    chunks: &Chunks<u32>,
    tallies: &Tallies<u32>,
    mask: &[u32],
    left: &[u32],
    stumps: &mut Stumps<u32>,
) {
    for side in [&mut stumps.left, &mut stumps.right] {
        side.clear();
        side.resize(chunks.stride, 0);
    }
    let on_left = stumps.left.as_chunks_mut::<BLOCK>().0.iter_mut();
    let on_right = stumps.right.as_chunks_mut::<BLOCK>().0;
    for (block, (on_left, on_right)) in on_left.zip(on_right).enumerate() {
        let mut most = [[0; BLOCK]; 4];
        let mut first = 0;
        for (class, segments) in chunks.classes.iter().enumerate() {
            let mut both = [0; BLOCK];
            let mut length = 0;
            for segment in &chunks.segments[segments.clone()] {
                length = segment.words.len();
                let words = segment.words.start * chunks.stride..segment.words.end * chunks.stride;
                let rows = chunks.words[words].chunks_exact(chunks.stride);
                let mut held = [0; BLOCK];
                for (mine, row) in mask[first..first + length].iter().zip(rows) {
                    let others = &row.as_chunks::<BLOCK>().0[block];
                    for at in 0..BLOCK {
                        held[at] += (mine & others[at]).count_ones();
                    }
                }
                for at in 0..BLOCK {
                    both[at] += held[at] << segment.bit;
                }
            }
            first += length;
            let held = &tallies.held[class * chunks.stride..][..chunks.stride];
            let held = &held.as_chunks::<BLOCK>().0[block];
            let (mine, rest) = (left[class], tallies.totals[class] - left[class]);
            for at in 0..BLOCK {
                let other = held[at] - both[at];
                most[0][at] = most[0][at].max(both[at]);
                most[1][at] = most[1][at].max(mine - both[at]);
                most[2][at] = most[2][at].max(other);
                most[3][at] = most[3][at].max(rest - other);
            }
        }
        for at in 0..BLOCK {
            on_left[at] = most[0][at] + most[1][at];
            on_right[at] = most[2][at] + most[3][at];
        }
    }
}

multiversion! {
    /// For every column, the greatest weight that its stump gets right left of the
    /// rule and right of it. The mask has the words of all classes; every plane of a
    /// class has as many. `left` is what the rule holds of each class.
    pub fn stumps<>(
        chunks: &Chunks<u32>,
        tallies: &Tallies<u32>,
        mask: &[u32],
        left: &[u32],
        stumps: &mut Stumps<u32>,
    ) = body
}

#[inline(always)]
fn below_body<T: Copy + Ord>(places: &[T], left: T, mask: &mut Vec<u32>) {
    let bits = |places: &[T]| {
        places.iter().enumerate().fold(0, |bits, (at, &place)| bits | ((place < left) as u32) << at)
    };
    let (whole, rest) = places.as_chunks::<32>();
    mask.extend(whole.iter().map(|places| bits(places)));
    if !rest.is_empty() {
        mask.push(bits(rest));
    }
}

multiversion! {
    /// Appends words of bits: set where a place is below `left`.
    pub fn below<T: PlaceNumber>(places: &[T], left: T, mask: &mut Vec<u32>) = below_body
}

/// A number that may be a place.
pub trait PlaceNumber: Copy + Ord {}

impl<T: super::sweep::Lane> PlaceNumber for T {}
