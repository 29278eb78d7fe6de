//! Best stumps of features with few values, by columns of bits.
//!
//! A sweep of a feature takes a step per item, however few values the feature has. With a column of
//! bits per threshold, one step handles 32 items and 32 columns. Nothing is pruned: all these
//! stumps are counted in both children of every root.

use crate::kernels::InstructionSet;
use crate::kernels::chunks::{BLOCK, Chunks, Stumps, Tallies};
use crate::kernels::masked_stumps;
use crate::kernels::pairs::Segment;
use crate::kernels::sweep::SweepLane;
use exactree_model::Weight;
use std::ops::Range;

/// Number of values up to which columns are cheaper than a sweep.
pub(super) const MAX_VALUES: usize = 9;

/// The thresholds of some features of a subset as columns.
#[derive(Default)]
pub(super) struct FewValues {
    /// The feature of each column.
    features: Vec<usize>,
    chunks: Chunks<u32>,
    tallies: Tallies<u32>,
    /// By class, its items.
    classes: Vec<Range<usize>>,
    /// The left child of the current root, class by class.
    mask: Vec<u32>,
    stumps: Stumps<u32>,
}

/// Weight that the best stump classifies correctly in a child, and the feature of the stump.
pub(super) type BestStump = (Weight, usize);

impl FewValues {
    /// The columns of features, given for each feature its items with their ranks in increasing order,
    /// for each class the range of its items, and the weights of the items.
    pub(super) fn new(
        orders: &[(usize, Vec<(usize, u32)>)],
        classes: Vec<Range<usize>>,
        weights: &[Weight],
    ) -> Self {
        let mut few = FewValues { classes, ..FewValues::default() };
        let (bit_of, words) = few.bits_of_items(weights.len());
        let mut columns: Vec<Vec<u32>> = Vec::new();
        for (feature, order) in orders {
            let mut left = vec![0; words];
            for pair in order.windows(2) {
                let [(item, rank), (_, next_rank)] = [pair[0], pair[1]];
                left[bit_of[item] / 32] |= 1 << (bit_of[item] % 32);
                if rank != next_rank {
                    columns.push(left.clone());
                    few.features.push(*feature);
                }
            }
        }
        few.chunks.count = columns.len();
        few.chunks.stride = columns.len().next_multiple_of(BLOCK);
        few.tallies.held.resize(few.classes.len() * few.chunks.stride, 0);
        for class in 0..few.classes.len() {
            few.add_class(class, &bit_of, &columns, weights);
        }
        few
    }

    /// By item, the number of its bit in words where every class begins with a word; and the number
    /// of words.
    fn bits_of_items(&self, items: usize) -> (Vec<usize>, usize) {
        let mut bit_of = Vec::with_capacity(items);
        let mut words: usize = 0;
        for items in &self.classes {
            bit_of.extend(32 * words..32 * words + items.len());
            words += items.len().div_ceil(32);
        }
        (bit_of, words)
    }

    /// Prepares the items of a class, once per bit of the weight.
    fn add_class(
        &mut self,
        class: usize,
        bit_of: &[usize],
        columns: &[Vec<u32>],
        weights: &[Weight],
    ) {
        let items = self.classes[class].clone();
        let stride = self.chunks.stride;
        let (from, length) = (bit_of[items.start] / 32, items.len().div_ceil(32));
        let heaviest = weights[items.clone()].iter().max().copied().unwrap_or(0);
        let first = self.chunks.segments.len();
        self.tallies.totals.push(weights[items.clone()].iter().sum::<Weight>() as u32);
        for bit in 0..Weight::BITS - heaviest.leading_zeros() {
            let start = self.chunks.words.len() / stride.max(1);
            let mut plane = vec![0; length];
            for item in items.clone() {
                let own = bit_of[item] - 32 * from;
                plane[own / 32] |= ((weights[item] >> bit & 1) as u32) << (own % 32);
            }
            self.chunks.words.resize((start + length) * stride, 0);
            for (at, column) in columns.iter().enumerate() {
                let words = self.chunks.words[start * stride..].chunks_exact_mut(stride);
                for ((of_columns, left), plane) in words.zip(&column[from..]).zip(&plane) {
                    of_columns[at] = left & plane;
                    self.tallies.held[class * stride + at] += of_columns[at].count_ones() << bit;
                }
            }
            self.chunks.segments.push(Segment { class, bit, words: start..start + length });
        }
        self.chunks.classes.push(first..self.chunks.segments.len());
    }

    /// The best stumps in both children of a root: items at places below `left` in the order of the
    /// root's feature are in its left child, which has these class weights.
    pub(super) fn best<T: SweepLane>(
        &mut self,
        instructions: InstructionSet,
        places: &[T],
        left: T,
        on_left: &[Weight],
    ) -> [BestStump; 2] {
        self.mask.clear();
        for items in &self.classes {
            masked_stumps::below(instructions, &places[items.clone()], left, &mut self.mask);
        }
        let on_left: Vec<u32> = on_left.iter().map(|&weight| weight as u32).collect();
        let (chunks, tallies) = (&self.chunks, &self.tallies);
        masked_stumps::stumps(
            instructions,
            chunks,
            tallies,
            &self.mask,
            &on_left,
            &mut self.stumps,
        );
        [&self.stumps.left, &self.stumps.right].map(|child| {
            let maximum = child[..self.features.len()].iter().max().copied().unwrap_or(0);
            let at = child.iter().position(|&correct| correct == maximum).unwrap_or(0);
            (Weight::from(maximum), self.features.get(at).copied().unwrap_or(0))
        })
    }
}
