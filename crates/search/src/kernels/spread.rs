//! Packs the bits of columns that lie under a mask into chunks.

use super::Level;
use super::chunks::{BLOCK, Chunks, Lane};
use super::compress::extract;
use super::pairs::Segment;

/// Columns of words, column by column, with the segments of their words.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    pub count: usize,
    pub width: usize,
    pub words: &'a [u64],
    /// In the order of their classes and of their words.
    pub segments: &'a [Segment],
    pub classes: usize,
}

/// Writes the bits of all columns under `mask` into `chunks`.
pub fn spread<L: Lane>(level: Level, rows: &Rows<'_>, mask: &[u64], chunks: &mut Chunks<L>) {
    match level {
        Level::Portable => fill(rows, mask, chunks, extract),
        // SAFETY: all other levels are only made on processors with bmi2 and popcnt.
        #[cfg(target_arch = "x86_64")]
        _ => unsafe { fill_bmi2(rows, mask, chunks) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2,popcnt")]
fn fill_bmi2<L: Lane>(rows: &Rows<'_>, mask: &[u64], chunks: &mut Chunks<L>) {
    fill(rows, mask, chunks, |value, mask| std::arch::x86_64::_pext_u64(value, mask));
}

#[inline(always)]
fn fill<L: Lane>(
    rows: &Rows<'_>,
    mask: &[u64],
    chunks: &mut Chunks<L>,
    extract: impl Fn(u64, u64) -> u64,
) {
    let wanted = lay_out(rows, mask, chunks);
    for column in 0..rows.count {
        let words = &rows.words[column * rows.width..][..rows.width];
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

/// Gives every segment that has bits under the mask its chunks; returns the
/// words that these segments had.
fn lay_out<L: Lane>(
    rows: &Rows<'_>,
    mask: &[u64],
    chunks: &mut Chunks<L>,
) -> Vec<std::ops::Range<usize>> {
    chunks.count = rows.count;
    chunks.stride = rows.count.next_multiple_of(BLOCK);
    chunks.segments.clear();
    chunks.classes.clear();
    let (mut end, mut wanted) = (0, Vec::with_capacity(rows.segments.len()));
    let mut from = rows.segments.iter().peekable();
    for class in 0..rows.classes {
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
