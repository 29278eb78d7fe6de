//! One rule as root with all rules below it: the best stump in both children, and the weight that
//! each rule and the root both send left.
//!
//! `pairs.rs` counts each pair once for all roots; here a root is evaluated alone, so that bounds
//! can prune roots.

use super::multiversion;
use super::pairs::PackedColumns;

/// Number of rules counted together, so that their counts stay in the processor's cache.
const CHUNK: usize = 256;

/// Counts of one root with the rules below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StumpCounts {
    /// The greatest weight that a stump classifies correctly in the left child.
    pub left: u64,
    /// The same for the right child.
    pub right: u64,
    /// By rule, the weight that it and the root both send left.
    pub both: Vec<u64>,
}

/// Counts of a chunk of rules, by cell of the pair.
type CellCounts = [[u64; CHUNK]; 4];

#[inline(always)]
fn body<const MINIMUM: bool>(
    columns: &PackedColumns,
    root: usize,
    minimum: u64,
    below: &mut StumpCounts,
) {
    // With a minimum the last class counts rows.
    let classes = columns.totals.len() - usize::from(MINIMUM);
    below.left = 0;
    below.right = 0;
    below.both.clear();
    below.both.resize(columns.count, 0);
    let mut start = 0;
    while start < columns.count {
        let end = (start + CHUNK).min(columns.count);
        let mut heaviest: CellCounts = [[0; CHUNK]; 4];
        let mut rows: CellCounts = [[0; CHUNK]; 4];
        for class in 0..classes {
            let counts = cells(columns, root, class, start, end);
            for (maximum, counts) in heaviest.iter_mut().zip(&counts) {
                for (maximum, &count) in maximum.iter_mut().zip(counts) {
                    *maximum = (*maximum).max(count);
                }
            }
            for (both, &count) in below.both[start..end].iter_mut().zip(&counts[0]) {
                *both += count;
            }
        }
        if MINIMUM {
            rows = cells(columns, root, classes, start, end);
        }
        let [a, b, c, d] = &heaviest;
        let (mut left, mut right) = (0, 0);
        for at in 0..end - start {
            // A stump with a leaf of too few rows does not count.
            let allowed = |one: usize, other: usize| {
                !MINIMUM || (rows[one][at] >= minimum && rows[other][at] >= minimum)
            };
            left = left.max(if allowed(0, 1) { a[at] + b[at] } else { 0 });
            right = right.max(if allowed(2, 3) { c[at] + d[at] } else { 0 });
        }
        below.left = below.left.max(left);
        below.right = below.right.max(right);
        start = end;
    }
}

/// The weight of a class in the four cells of the root and each rule of a chunk.
#[inline(always)]
fn cells(
    columns: &PackedColumns,
    root: usize,
    class: usize,
    start: usize,
    end: usize,
) -> CellCounts {
    let n = columns.count;
    let mut cells: CellCounts = [[0; CHUNK]; 4];
    let [both, mine_alone, other_alone, none] = &mut cells;
    for segment in columns.segments.iter().filter(|segment| segment.class == class) {
        for word in segment.words.clone() {
            let words = &columns.words[word * n..(word + 1) * n];
            let mine = words[root];
            for (both, &other) in both.iter_mut().zip(&words[start..end]) {
                *both += ((mine & other).count_ones() as u64) << segment.bit;
            }
        }
    }
    let (total, tallies) = (columns.totals[class], &columns.tallies[class * n..(class + 1) * n]);
    let mine = tallies[root];
    for (at, &other) in tallies[start..end].iter().enumerate() {
        mine_alone[at] = mine - both[at];
        other_alone[at] = other - both[at];
        none[at] = total + both[at] - mine - other;
    }
    cells
}

multiversion! {
    /// Combines rule `root` with all rules. With `MINIMUM` the last class of the columns counts
    /// rows, and stumps with a leaf of fewer than `minimum` rows do not count.
    pub(crate) fn meet_below<; const MINIMUM: bool>(
        columns: &PackedColumns,
        root: usize,
        minimum: u64,
        below: &mut StumpCounts,
    ) = body
}

#[cfg(test)]
mod tests {
    use super::super::InstructionSet;
    use super::super::pairs::Segment;
    use super::*;
    use proptest::prelude::*;

    /// Two classes and the rows, one word each; weights of class 1 are doubled.
    fn columns(rules: &[(u64, u64, u64)]) -> PackedColumns {
        let segment =
            |class: usize| Segment { class, bit: u32::from(class == 1), words: class..class + 1 };
        let words: [Vec<u64>; 3] = [
            rules.iter().map(|rule| rule.0).collect(),
            rules.iter().map(|rule| rule.1).collect(),
            rules.iter().map(|rule| rule.2).collect(),
        ];
        let tally = |class: usize| {
            let bit = u32::from(class == 1);
            words[class].iter().map(move |word| u64::from(word.count_ones()) << bit)
        };
        PackedColumns {
            count: rules.len(),
            tallies: (0..3).flat_map(tally).collect(),
            words: words.concat(),
            segments: (0..3).map(segment).collect(),
            totals: vec![64, 128, 64],
        }
    }

    fn naive(rules: &[(u64, u64, u64)], root: usize, minimum: u64) -> StumpCounts {
        let mine = rules[root];
        let stump = |mask: (u64, u64, u64), other: &(u64, u64, u64)| {
            let children = [(other.0, other.1, other.2), (!other.0, !other.1, !other.2)];
            let held = children.map(|child| (mask.2 & child.2).count_ones() as u64);
            let right = children.map(|child| {
                let [a, b] = [(mask.0 & child.0).count_ones(), (mask.1 & child.1).count_ones()];
                u64::from(a).max(2 * u64::from(b))
            });
            if held.iter().all(|&rows| rows >= minimum) { right.iter().sum() } else { 0 }
        };
        let best = |mask| rules.iter().map(|other| stump(mask, other)).max().unwrap_or(0);
        let both = |other: &(u64, u64, u64)| {
            u64::from((mine.0 & other.0).count_ones())
                + 2 * u64::from((mine.1 & other.1).count_ones())
        };
        StumpCounts {
            left: best(mine),
            right: best((!mine.0, !mine.1, !mine.2)),
            both: rules.iter().map(both).collect(),
        }
    }

    proptest! {
        #[test]
        fn all_levels_agree_with_counting_every_pair(
            rules in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 1..12),
            copies in 1usize..40,
            minimum in 0u64..40,
        ) {
            let rules: Vec<_> = rules.iter().cycle().take(rules.len() * copies).copied().collect();
            let all = columns(&rules);
            for instructions in InstructionSet::available() {
                let mut below = StumpCounts::default();
                meet_below::<true>(instructions, &all, 0, minimum, &mut below);
                prop_assert_eq!(&below, &naive(&rules, 0, minimum));
                let mut classes = columns(&rules);
                classes.segments.truncate(2);
                classes.totals.truncate(2);
                meet_below::<false>(instructions, &classes, 0, 0, &mut below);
                prop_assert_eq!(&below, &naive(&rules, 0, 0));
            }
        }
    }
}
