//! Packing of the bits of columns that lie under a mask into chunks.

use super::InstructionSet;
use super::chunks::{BLOCK, ChunkLane, Chunks};
use super::compress::extract;
use super::pairs::Segment;

/// Columns of words, column by column, with the segments of their words.
#[derive(Clone, Copy)]
pub(crate) struct ColumnWords<'a> {
    pub count: usize,
    pub width: usize,
    pub words: &'a [u64],
    /// In the order of their classes and of their words.
    pub segments: &'a [Segment],
    pub classes: usize,
}

/// Writes the bits of all columns under `mask` into `chunks`.
pub(crate) fn spread<L: ChunkLane>(
    instructions: InstructionSet,
    columns: &ColumnWords<'_>,
    mask: &[u64],
    chunks: &mut Chunks<L>,
) {
    match instructions {
        InstructionSet::Portable => fill(columns, mask, chunks, extract),
        // SAFETY: the other levels are only detected on processors with bmi2 and popcnt.
        #[cfg(target_arch = "x86_64")]
        _ => unsafe { fill_bmi2(columns, mask, chunks) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2,popcnt")]
fn fill_bmi2<L: ChunkLane>(columns: &ColumnWords<'_>, mask: &[u64], chunks: &mut Chunks<L>) {
    fill(columns, mask, chunks, |value, mask| std::arch::x86_64::_pext_u64(value, mask));
}

#[inline(always)]
fn fill<L: ChunkLane>(
    columns: &ColumnWords<'_>,
    mask: &[u64],
    chunks: &mut Chunks<L>,
    extract: impl Fn(u64, u64) -> u64,
) {
    let wanted = prepare(columns, mask, chunks);
    for column in 0..columns.count {
        let words = &columns.words[column * columns.width..][..columns.width];
        for (from, to) in wanted.iter().zip(&chunks.segments) {
            let (mut at, mut filled, mut word) = (to.words.start, 0, 0);
            for (&value, &mask) in words[from.clone()].iter().zip(&mask[from.clone()]) {
                let bits = extract(value, mask);
                word |= bits << filled;
                let count = mask.count_ones();
                if filled + count >= u64::BITS {
                    for shift in (0..u64::BITS).step_by(L::BITS as usize) {
                        chunks.words[at * chunks.stride + column] = L::of(word >> shift);
                        at += 1;
                    }
                    word = if filled == 0 { 0 } else { bits >> (u64::BITS - filled) };
                }
                filled = (filled + count) % u64::BITS;
            }
            for shift in (0..filled).step_by(L::BITS as usize) {
                chunks.words[at * chunks.stride + column] = L::of(word >> shift);
                at += 1;
            }
        }
    }
}

/// Allots chunks to every segment that has bits under the mask; returns the words of these
/// segments.
fn prepare<L: ChunkLane>(
    columns: &ColumnWords<'_>,
    mask: &[u64],
    chunks: &mut Chunks<L>,
) -> Vec<std::ops::Range<usize>> {
    chunks.count = columns.count;
    chunks.stride = columns.count.next_multiple_of(BLOCK);
    chunks.segments.clear();
    chunks.classes.clear();
    let (mut end, mut wanted) = (0, Vec::with_capacity(columns.segments.len()));
    let mut from = columns.segments.iter().peekable();
    for class in 0..columns.classes {
        let first = chunks.segments.len();
        while let Some(segment) = from.next_if(|segment| segment.class == class) {
            let held: u32 = mask[segment.words.clone()].iter().map(|w| w.count_ones()).sum();
            if held > 0 {
                let words = end..end + held.div_ceil(L::BITS) as usize;
                end = words.end;
                chunks.segments.push(Segment { words, ..segment.clone() });
                wanted.push(segment.words.clone());
            }
        }
        chunks.classes.push(first..chunks.segments.len());
    }
    chunks.words.clear();
    chunks.words.resize(end * chunks.stride, L::default());
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The bits of a segment under the mask, in their order.
    fn kept(words: &[u64], mask: &[u64], segment: &Segment) -> Vec<bool> {
        let bit = |words: &[u64], at: usize| words[at / 64] >> (at % 64) & 1 == 1;
        let places = segment.words.start * 64..segment.words.end * 64;
        places.filter(|&at| bit(mask, at)).map(|at| bit(words, at)).collect()
    }

    fn chunked<L: ChunkLane>(chunks: &Chunks<L>, rule: usize, segment: &Segment) -> Vec<bool> {
        let words = segment.words.clone().map(|at| chunks.words[at * chunks.stride + rule].wide());
        words.flat_map(|word| (0..L::BITS).map(move |bit| word >> bit & 1 == 1)).collect()
    }

    fn agrees<L: ChunkLane>(columns: &ColumnWords<'_>, mask: &[u64]) {
        for instructions in InstructionSet::available() {
            let mut chunks = Chunks::<L>::default();
            spread(instructions, columns, mask, &mut chunks);
            let mut found = chunks.segments.iter();
            for segment in columns.segments {
                if kept(mask, mask, segment).is_empty() {
                    continue;
                }
                let packed = found.next().expect("a segment with bits under the mask");
                assert_eq!((packed.class, packed.bit), (segment.class, segment.bit));
                for rule in 0..chunks.stride {
                    let bits = chunked(&chunks, rule, packed);
                    let mut expected = match rule < columns.count {
                        true => kept(&columns.words[rule * columns.width..], mask, segment),
                        false => Vec::new(),
                    };
                    expected.resize(bits.len(), false);
                    assert_eq!(bits, expected);
                }
            }
            assert!(found.next().is_none());
        }
    }

    proptest! {
        #[test]
        fn all_levels_and_lanes_keep_the_bits_under_the_mask_in_order(
            words in prop::collection::vec(any::<u64>(), 35 * 5),
            masks in prop::collection::vec((any::<u64>(), any::<u64>(), 0u8..3), 5),
        ) {
            let segment = |(class, bit, words)| Segment { class, bit, words };
            let segments = [(0, 0, 0..2), (0, 3, 2..3), (2, 0, 3..5)].map(segment);
            // Words of the mask are full, half full or nearly empty.
            let mask: Vec<u64> = masks.iter().map(|mask| match mask.2 {
                0 => u64::MAX,
                1 => mask.0,
                _ => mask.0 & mask.1 & mask.0.rotate_left(7) & mask.1.rotate_left(9),
            }).collect();
            let columns =
                ColumnWords { count: 35, width: 5, words: &words, segments: &segments, classes: 3 };
            agrees::<u16>(&columns, &mask);
            agrees::<u32>(&columns, &mask);
        }
    }
}
