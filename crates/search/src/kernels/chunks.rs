//! Counts of all pairs of rules, as columns of short words: the weight of each class that two rules
//! both send left, and the best stump in both children of every rule.
//!
//! A rule *holds* an item if the item is in its left child.
//!
//! A chunk has as many items of one class as a lane has bits. Chunks are
//! stored chunk by chunk (`words[c * stride + j]`), so that one chunk of rule i
//! meets the same chunk of a whole block of rules, and the popcount of a lane is
//! already the count of that rule; no sum across lanes is needed.
//!
//! `chunks/stumps.rs` finds the best stumps in these counts, `chunks/trees.rs` the best trees.

pub(crate) mod stumps;
pub(crate) mod trees;

use super::multiversion;
use super::pairs::Segment;
use std::ops::Range;

/// Number of rules processed together.
pub(crate) const BLOCK: usize = 32;

/// An integer type of the words of chunks and of weights.
pub(crate) trait ChunkLane:
    Copy + Ord + Default + Send + Sync + std::fmt::Debug + 'static
{
    /// Number of items in a chunk.
    const BITS: u32;
    fn and(self, other: Self) -> Self;
    fn ones(self) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn shifted(self, bits: u32) -> Self;
    /// The low bits of a word.
    fn of(word: u64) -> Self;
    fn wide(self) -> u64;
}

macro_rules! lane {
    ($($number:ty),*) => {$(
        impl ChunkLane for $number {
            const BITS: u32 = <$number>::BITS;
            #[inline(always)]
            fn and(self, other: Self) -> Self { self & other }
            #[inline(always)]
            fn ones(self) -> Self { self.count_ones() as $number }
            #[inline(always)]
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn minus(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn shifted(self, bits: u32) -> Self { self << bits }
            #[inline(always)]
            fn of(word: u64) -> Self { word as $number }
            #[inline(always)]
            fn wide(self) -> u64 { self as u64 }
        }
    )*};
}
lane!(u16, u32);

/// The rules of a subset in chunks.
#[derive(Default, Clone)]
pub(crate) struct Chunks<L> {
    pub count: usize,
    /// `count` rounded up to whole blocks; the rules beyond it hold nothing.
    pub stride: usize,
    pub words: Vec<L>,
    /// The chunks of each class and bit of the weight, ordered by class.
    pub segments: Vec<Segment>,
    /// The segments of each class.
    pub classes: Vec<Range<usize>>,
}

/// By class, the weight that each rule holds, and the total weight.
#[derive(Default, Clone)]
pub(crate) struct Tallies<L> {
    /// The weight of class c that rule j holds is `held[c * stride + j]`.
    pub held: Vec<L>,
    pub totals: Vec<L>,
}

/// By class, the weight that two rules both hold: for class c and rules i and j it is
/// `held[(c * count + i) * stride + j]`.
#[derive(Default, Clone)]
pub(crate) struct Pairs<L> {
    pub count: usize,
    pub stride: usize,
    pub held: Vec<L>,
}

impl<L: ChunkLane> Pairs<L> {
    /// The counts of one rule with all rules, for one class.
    #[inline]
    pub(crate) fn row(&self, class: usize, rule: usize) -> &[L] {
        &self.held[(class * self.count + rule) * self.stride..][..self.stride]
    }
}

/// For every rule as root, the greatest weight that a stump classifies correctly in the left and in
/// the right child.
#[derive(Default, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stumps<L> {
    pub left: Vec<L>,
    pub right: Vec<L>,
}

type ChunkLanes<L> = [L; BLOCK];

#[inline(always)]
fn each<L: ChunkLane>(mut lane: impl FnMut(usize) -> L) -> ChunkLanes<L> {
    let mut lanes = [L::default(); BLOCK];
    for (at, value) in lanes.iter_mut().enumerate() {
        *value = lane(at);
    }
    lanes
}

/// Counts the weight of one class that rule `rule` and each rule of some blocks both hold.
#[inline(always)]
fn count_together<L: ChunkLane, const BLOCKS: usize>(
    chunks: &Chunks<L>,
    class: usize,
    rule: usize,
    block: usize,
    all: &mut [ChunkLanes<L>],
) {
    all.fill([L::default(); BLOCK]);
    for segment in &chunks.segments[chunks.classes[class].clone()] {
        let mut held = [[L::default(); BLOCK]; BLOCKS];
        let words = segment.words.start * chunks.stride..segment.words.end * chunks.stride;
        for row in chunks.words[words].chunks_exact(chunks.stride) {
            let (own, others) = (row[rule], &row.as_chunks::<BLOCK>().0[block..block + BLOCKS]);
            for (held, others) in held.iter_mut().zip(others) {
                *held = each(|at| held[at].plus(own.and(others[at]).ones()));
            }
        }
        for (all, held) in all.iter_mut().zip(&held) {
            *all = each(|at| all[at].plus(held[at].shifted(segment.bit)));
        }
    }
}

#[inline(always)]
fn count_body<L: ChunkLane>(chunks: &Chunks<L>, whole: bool, pairs: &mut Pairs<L>) {
    let (count, stride) = (chunks.count, chunks.stride);
    (pairs.count, pairs.stride) = (count, stride);
    let size = chunks.classes.len() * count * stride;
    if pairs.held.len() < size {
        pairs.held.resize(size, L::default());
    }
    for class in 0..chunks.classes.len() {
        for rule in 0..count {
            let row = &mut pairs.held[(class * count + rule) * stride..][..stride];
            let (blocks, _) = row.as_chunks_mut();
            let mut block = if whole { 0 } else { rule / BLOCK };
            while block + 2 <= blocks.len() {
                count_together::<L, 2>(chunks, class, rule, block, &mut blocks[block..block + 2]);
                block += 2;
            }
            if block < blocks.len() {
                count_together::<L, 1>(chunks, class, rule, block, &mut blocks[block..]);
            }
        }
    }
}

multiversion! {
    /// Counts the weights that every two rules i and j both hold: for all pairs if `whole`,
    /// otherwise only for j in the block of i or a later block.
    pub(crate) fn count<L: ChunkLane>(chunks: &Chunks<L>, whole: bool, pairs: &mut Pairs<L>) = count_body
}

#[cfg(test)]
mod differential;
