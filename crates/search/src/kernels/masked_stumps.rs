//! Best stumps among columns of bits in both children of a root split. The root is not among the
//! columns; its left child is given as a mask.

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
    for child in [&mut stumps.left, &mut stumps.right] {
        child.clear();
        child.resize(chunks.stride, 0);
    }
    let on_left = stumps.left.as_chunks_mut::<BLOCK>().0.iter_mut();
    let on_right = stumps.right.as_chunks_mut::<BLOCK>().0;
    for (block, (on_left, on_right)) in on_left.zip(on_right).enumerate() {
        let mut maximum = [[0; BLOCK]; 4];
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
                maximum[0][at] = maximum[0][at].max(both[at]);
                maximum[1][at] = maximum[1][at].max(mine - both[at]);
                maximum[2][at] = maximum[2][at].max(other);
                maximum[3][at] = maximum[3][at].max(rest - other);
            }
        }
        for at in 0..BLOCK {
            on_left[at] = maximum[0][at] + maximum[1][at];
            on_right[at] = maximum[2][at] + maximum[3][at];
        }
    }
}

multiversion! {
    /// For every column, computes the weight that its stump classifies correctly in the left and in
    /// the right child of the root. The mask has the words of all classes; all planes of a class
    /// have the same number of words. `left` has the class weights of the root's left child.
    pub(crate) fn stumps<>(
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
    pub(crate) fn below<T: PlaceNumber>(places: &[T], left: T, mask: &mut Vec<u32>) = below_body
}

/// A number that holds a place in an order.
pub(crate) trait PlaceNumber: Copy + Ord {}

impl<T: super::sweep::SweepLane> PlaceNumber for T {}

#[cfg(test)]
mod tests {
    use super::super::InstructionSet;
    use super::super::pairs::Segment;
    use super::*;
    use proptest::prelude::*;

    /// A class of one plane and one of two, two words each: by column, its words.
    type MaskedColumn = [u32; 6];

    fn chunks(columns: &[MaskedColumn]) -> Chunks<u32> {
        let stride = columns.len().next_multiple_of(BLOCK);
        let mut words = vec![0; 6 * stride];
        for (at, column) in columns.iter().enumerate() {
            (0..6).for_each(|word| words[word * stride + at] = column[word]);
        }
        let plane = |(class, bit, start)| Segment { class, bit, words: start..start + 2 };
        let segments = [(0, 0, 0), (1, 0, 2), (1, 3, 4)].map(plane).to_vec();
        Chunks { count: columns.len(), stride, words, segments, classes: vec![0..1, 1..3] }
    }

    fn weigh(set: MaskedColumn) -> [u32; 2] {
        let ones = |at: usize| set[at].count_ones() + set[at + 1].count_ones();
        [ones(0), ones(2) + 8 * ones(4)]
    }

    proptest! {
        #[test]
        fn all_levels_agree_with_counting_every_stump(
            columns in prop::collection::vec(any::<MaskedColumn>(), 1..70),
            all in any::<MaskedColumn>(),
            mask in any::<[u32; 4]>(),
        ) {
            // Both planes of the second class stand for the same items.
            let mask = [mask[0], mask[1], mask[2], mask[3]];
            let spread = [mask[0], mask[1], mask[2], mask[3], mask[2], mask[3]];
            let both = |one: MaskedColumn, two: MaskedColumn| -> MaskedColumn { std::array::from_fn(|at| one[at] & two[at]) };
            let not = |one: MaskedColumn| one.map(|word| !word);
            let columns: Vec<MaskedColumn> = columns.iter().map(|&column| both(column, all)).collect();
            let chunks = chunks(&columns);
            let held = |class: usize| {
                let columns = &columns;
                (0..chunks.stride).map(move |at| columns.get(at).map_or(0, |&column| weigh(column)[class]))
            };
            let tallies = Tallies { held: held(0).chain(held(1)).collect(), totals: weigh(all).to_vec() };
            let left = weigh(both(all, spread));
            let right = |child: MaskedColumn, column: MaskedColumn| -> u32 {
                let leaves = [weigh(both(child, column)), weigh(both(child, not(column)))];
                leaves.iter().map(|leaf| leaf[0].max(leaf[1])).sum()
            };
            for instructions in InstructionSet::available() {
                let mut found = Stumps::default();
                stumps(instructions, &chunks, &tallies, &mask, &left, &mut found);
                for (at, &column) in columns.iter().enumerate() {
                    prop_assert_eq!(found.left[at], right(both(all, spread), column));
                    prop_assert_eq!(found.right[at], right(both(all, not(spread)), column));
                }
            }
        }

        #[test]
        fn all_levels_and_widths_find_the_places_below_a_number(
            places in prop::collection::vec(0i16..99, 0..150), left in 0i16..99,
        ) {
            let mut expected = vec![0u32; places.len().div_ceil(32)];
            for (at, &place) in places.iter().enumerate() {
                expected[at / 32] |= u32::from(place < left) << (at % 32);
            }
            let wider: Vec<i32> = places.iter().copied().map(i32::from).collect();
            let widest: Vec<i64> = places.iter().copied().map(i64::from).collect();
            for instructions in InstructionSet::available() {
                let mut masks = [vec![], vec![], vec![]];
                below(instructions, &places, left, &mut masks[0]);
                below(instructions, &wider, left.into(), &mut masks[1]);
                below(instructions, &widest, left.into(), &mut masks[2]);
                prop_assert!(masks.iter().all(|mask| *mask == expected));
            }
        }
    }
}
