//! Counts of all pairs of rules: the weight of each class that two rules both send left, and the
//! best stump in both children of every rule.
//!
//! A rule *holds* an item if the item is in its left child.
//!
//! Columns are stored word by word (`words[w][j]`), so that one word of rule i
//! is combined with the same word of all later rules in one vectorized loop.

use super::multiversion;

/// Words of one class and one bit of the weights: each bit set in them counts 2^bit.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub class: usize,
    pub bit: u32,
    pub words: std::ops::Range<usize>,
}

/// The rules of a subset as packed columns.
#[derive(Default)]
pub(crate) struct PackedColumns {
    pub count: usize,
    /// `words[w * count + j]` is word w of rule j.
    pub words: Vec<u64>,
    pub segments: Vec<Segment>,
    /// Weight of each class in the subset.
    pub totals: Vec<u64>,
    /// `tallies[c * count + j]`: weight of class c in the left child of rule j.
    pub tallies: Vec<u64>,
}

/// For every rule as root, the greatest weight that a stump classifies correctly in the left and in
/// the right child.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(crate) struct BestStumps {
    pub left: Vec<u64>,
    pub right: Vec<u64>,
}

/// Workspace for one root rule against all later ones.
#[derive(Default)]
pub(crate) struct PairRow {
    /// By class, the weight that both rules hold.
    pub both: Vec<u64>,
    /// Greatest class weight in each cell: what both rules hold, one, the other, neither.
    cells: [Vec<u64>; 4],
    /// Weight in each cell.
    held: [Vec<u64>; 4],
}

impl PairRow {
    fn clear(&mut self, classes: usize, count: usize) {
        self.both.clear();
        self.both.resize(classes * count, 0);
        for cell in self.cells.iter_mut().chain(&mut self.held) {
            cell.clear();
            cell.resize(count, 0);
        }
    }
}

#[inline(always)]
fn body<const MINIMUM: bool>(
    columns: &PackedColumns,
    root: usize,
    minimum: u64,
    row: &mut PairRow,
    best: &mut BestStumps,
) {
    row.clear(columns.totals.len(), columns.count);
    count(columns, root, row);
    split::<MINIMUM>(columns, root, row);
    combine::<MINIMUM>(columns.count, root, minimum, row, best);
}

#[inline(always)]
fn count(columns: &PackedColumns, root: usize, row: &mut PairRow) {
    let n = columns.count;
    for segment in &columns.segments {
        let both = &mut row.both[segment.class * n..(segment.class + 1) * n][root + 1..];
        for word in segment.words.clone() {
            let others = &columns.words[word * n..(word + 1) * n];
            let mine = others[root];
            for (both, &other) in both.iter_mut().zip(&others[root + 1..]) {
                *both += ((mine & other).count_ones() as u64) << segment.bit;
            }
        }
    }
}

/// The other three cells of each pair, from the weight that both rules hold, by inclusion and
/// exclusion (MurTree).
#[inline(always)]
fn split<const MINIMUM: bool>(columns: &PackedColumns, root: usize, row: &mut PairRow) {
    let n = columns.count;
    for (class, &total) in columns.totals.iter().enumerate() {
        let tallies = &columns.tallies[class * n..(class + 1) * n];
        let both = &row.both[class * n..(class + 1) * n];
        let mine = tallies[root];
        let [a, b, c, d] = &mut row.cells;
        for j in root + 1..n {
            a[j] = a[j].max(both[j]);
            b[j] = b[j].max(mine - both[j]);
            c[j] = c[j].max(tallies[j] - both[j]);
            d[j] = d[j].max(total + both[j] - mine - tallies[j]);
        }
        if MINIMUM {
            let [a, b, c, d] = &mut row.held;
            for j in root + 1..n {
                a[j] += both[j];
                b[j] += mine - both[j];
                c[j] += tallies[j] - both[j];
                d[j] += total + both[j] - mine - tallies[j];
            }
        }
    }
}

#[inline(always)]
fn combine<const MINIMUM: bool>(
    n: usize,
    root: usize,
    minimum: u64,
    row: &PairRow,
    best: &mut BestStumps,
) {
    let [a, b, c, d] = &row.cells;
    let [held_a, held_b, held_c, held_d] = &row.held;
    let (mut left, mut right) = (best.left[root], best.right[root]);
    for j in root + 1..n {
        // A stump with a leaf that is too light does not count.
        let allowed =
            |one: &[u64], other: &[u64]| !MINIMUM || (one[j] >= minimum && other[j] >= minimum);
        let score = |allowed: bool, value: u64| if allowed { value } else { 0 };
        left = left.max(score(allowed(held_a, held_b), a[j] + b[j]));
        right = right.max(score(allowed(held_c, held_d), c[j] + d[j]));
        best.left[j] = best.left[j].max(score(allowed(held_a, held_c), a[j] + c[j]));
        best.right[j] = best.right[j].max(score(allowed(held_b, held_d), b[j] + d[j]));
    }
    best.left[root] = left;
    best.right[root] = right;
}

multiversion! {
    /// Combines rule `root` with all later rules and raises `best` for all of them. With `MINIMUM`,
    /// stumps with a leaf lighter than `minimum` do not count.
    pub(crate) fn meet<; const MINIMUM: bool>(
        columns: &PackedColumns,
        root: usize,
        minimum: u64,
        row: &mut PairRow,
        best: &mut BestStumps,
    ) = body
}

#[cfg(test)]
mod tests {
    use super::super::InstructionSet;
    use super::*;
    use proptest::prelude::*;

    /// Two classes, one word each; weights of class 1 are doubled.
    fn columns(rules: &[(u64, u64)]) -> PackedColumns {
        let segment = |class: usize| Segment { class, bit: class as u32, words: class..class + 1 };
        let words =
            rules.iter().map(|rule| rule.0).chain(rules.iter().map(|rule| rule.1)).collect();
        let tallies = rules
            .iter()
            .map(|rule| rule.0.count_ones() as u64)
            .chain(rules.iter().map(|rule| 2 * rule.1.count_ones() as u64))
            .collect();
        let totals = vec![64, 128];
        PackedColumns {
            count: rules.len(),
            words,
            segments: vec![segment(0), segment(1)],
            totals,
            tallies,
        }
    }

    fn naive(rules: &[(u64, u64)], minimum: u64) -> BestStumps {
        let weigh = |cell: (u64, u64)| [cell.0.count_ones() as u64, 2 * cell.1.count_ones() as u64];
        let stump = |mask: (u64, u64), other: &(u64, u64)| {
            let cells = [
                weigh((mask.0 & other.0, mask.1 & other.1)),
                weigh((mask.0 & !other.0, mask.1 & !other.1)),
            ];
            let enough = cells.iter().all(|cell| cell[0] + cell[1] >= minimum);
            if enough { cells.iter().map(|cell| cell[0].max(cell[1])).sum() } else { 0 }
        };
        let others = |at: usize| {
            let mut others = rules.to_vec();
            others.remove(at);
            others
        };
        let best = |at: usize, mask: (u64, u64)| {
            others(at).iter().map(|other| stump(mask, other)).max().unwrap_or(0)
        };
        let left = |(at, rule): (usize, &(u64, u64))| best(at, *rule);
        let right = |(at, rule): (usize, &(u64, u64))| best(at, (!rule.0, !rule.1));
        BestStumps {
            left: rules.iter().enumerate().map(left).collect(),
            right: rules.iter().enumerate().map(right).collect(),
        }
    }

    proptest! {
        #[test]
        fn all_levels_agree_with_counting_every_pair(
            rules in prop::collection::vec((any::<u64>(), any::<u64>()), 1..12),
            minimum in 0u64..60,
        ) {
            let columns = columns(&rules);
            for instructions in InstructionSet::available() {
                let zeros = vec![0; rules.len()];
                let mut plain = BestStumps { left: zeros.clone(), right: zeros };
                let mut limited = plain.clone();
                let mut row = PairRow::default();
                for root in 0..rules.len() {
                    meet::<false>(instructions, &columns, root, 0, &mut row, &mut plain);
                    meet::<true>(instructions, &columns, root, minimum, &mut row, &mut limited);
                }
                prop_assert_eq!(&plain, &naive(&rules, 0));
                prop_assert_eq!(&limited, &naive(&rules, minimum));
            }
        }
    }
}
