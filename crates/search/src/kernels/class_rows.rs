//! The rows of a subset with their classes, separated by child of a root, and the weights up to
//! every row, which kernels of stumps compute block by block.

use super::gains::Thresholds;
use super::multiversion;

/// Number of thresholds that are evaluated together.
pub(crate) const BLOCK: usize = 32;

/// A row of a subset in the order of a feature: its rank, and its class in the lower half.
pub(crate) type RankedClass = u64;

#[inline(always)]
pub(crate) fn ranked_class(rank: u32, class: u32) -> RankedClass {
    u64::from(rank) << 32 | u64::from(class)
}

#[inline(always)]
pub(crate) fn rank(row: RankedClass) -> u32 {
    (row >> 32) as u32
}

#[inline(always)]
pub(crate) fn class(row: RankedClass) -> usize {
    row as u32 as usize
}

/// The rows of a subset in the order of one feature.
#[derive(Clone, Copy)]
pub(crate) struct ClassOrder<'a> {
    /// Numbers of the rows.
    pub rows: &'a [u32],
    pub ranked: &'a [RankedClass],
    /// Empty if every row weighs one.
    pub weights: &'a [i64],
}

/// The rows of one child in the order of a feature.
#[derive(Clone, Copy)]
pub(crate) struct ClassRows<'a> {
    pub ranked: &'a [RankedClass],
    /// Empty if every row weighs one.
    pub weights: &'a [i64],
}

/// Rows separated by child. Of n rows in all, those of the left child begin at place 0, those of
/// the right child at place n.
#[derive(Default)]
pub(crate) struct SplitClasses {
    ranked: Vec<RankedClass>,
    weights: Vec<i64>,
    left: usize,
    all: usize,
}

impl SplitClasses {
    pub(crate) fn child(&self, child: usize) -> ClassRows<'_> {
        let rows = [0..self.left, self.all..2 * self.all - self.left][child].clone();
        let weights = self.weights.get(rows.clone()).unwrap_or(&[]);
        ClassRows { ranked: &self.ranked[rows], weights }
    }
}

impl<'a> ClassRows<'a> {
    /// The rows from a place on.
    #[inline(always)]
    pub(crate) fn from(&self, place: usize) -> ClassRows<'a> {
        let weights = if self.weights.is_empty() { self.weights } else { &self.weights[place..] };
        ClassRows { ranked: &self.ranked[place..], weights }
    }
}

#[inline(always)]
fn separate_body<const PLAIN: bool>(
    order: &ClassOrder<'_>,
    on_right: &[u8],
    split: &mut SplitClasses,
) {
    let count = order.rows.len();
    if split.ranked.len() < 2 * count {
        split.ranked.resize(2 * count, 0);
        split.weights.resize(if PLAIN { 0 } else { 2 * count }, 0);
    }
    // Slices of the same lengths, so that one comparison checks all places.
    let to_ranked = &mut split.ranked[..2 * count];
    let to_weights = &mut split.weights[..if PLAIN { 0 } else { 2 * count }];
    let (rows, ranked) = (order.rows, &order.ranked[..count]);
    let weights = &order.weights[..if PLAIN { 0 } else { count }];
    let mut left = 0;
    for at in 0..count {
        let goes_right = on_right[rows[at] as usize];
        let to = if goes_right == 0 { left } else { count + at - left };
        to_ranked[to] = ranked[at];
        if !PLAIN {
            to_weights[to] = weights[at];
        }
        left += usize::from(1 - goes_right);
    }
    (split.left, split.all) = (left, count);
}

multiversion! {
    /// Separates rows by child of a root; `PLAIN` if every row weighs one.
    pub(crate) fn separate_classes<; const PLAIN: bool>(
        order: &ClassOrder<'_>,
        on_right: &[u8],
        split: &mut SplitClasses,
    ) = separate_body
}

/// The weights of a class, or of all classes, up to every place of a block.
pub(crate) type BlockWeights = [i64; BLOCK];

/// The weights of the rows of a class, or of all classes, up to every place of a block, given the
/// weight before the block; returns the weight after it, which is repeated up to the end of the
/// block.
#[inline(always)]
pub(crate) fn weights_up_to<const PLAIN: bool>(
    rows: &ClassRows<'_>,
    class: Option<u32>,
    before: i64,
    found: &mut BlockWeights,
) -> i64 {
    let (ranked, found) = (&rows.ranked[..rows.ranked.len().min(BLOCK)], found);
    let weights = if PLAIN { &[][..] } else { &rows.weights[..ranked.len()] };
    let (mask, class) = (if class.is_some() { u32::MAX } else { 0 }, class.unwrap_or(0));
    let mut sum = before;
    for at in 0..ranked.len() {
        let counts = -i64::from(ranked[at] as u32 & mask == class);
        sum += if PLAIN { 1 } else { weights[at] } & counts;
        found[at] = sum;
    }
    found[ranked.len()..].fill(sum);
    sum
}

/// Replaces costs by `none` where no threshold is allowed behind a row; returns their minimum.
/// `rows` are those of the block and all that follow.
#[inline(always)]
pub(crate) fn only_allowed(
    allowed: Thresholds,
    rows: &[RankedClass],
    costs: &mut [i64; BLOCK],
    none: i64,
) -> i64 {
    let count = (rows.len() - 1).min(BLOCK);
    let (rows, after) = (&rows[..count], &rows[1..count + 1]);
    let (costs, behind) = costs.split_at_mut(count);
    behind.fill(none);
    let mut minimum = none;
    for at in 0..count {
        let open = -i64::from(allowed.separate(rank(rows[at]), rank(after[at])));
        costs[at] = costs[at] & open | none & !open;
        minimum = minimum.min(costs[at]);
    }
    minimum
}

#[cfg(test)]
pub(in crate::kernels) mod tests {
    use super::*;
    use crate::kernels::InstructionSet;
    use crate::support::random_weights;

    /// Random rows of one child: ranks, classes, and weights or ones; and the thresholds allowed.
    pub(crate) fn draw(
        random: &mut fastrand::Rng,
        classes: u32,
        bits: u32,
    ) -> (Vec<RankedClass>, Vec<i64>, Thresholds) {
        let (rows, ranks) = (random.usize(0..400), random.u32(1..500));
        let row = |_| ranked_class(random.u32(0..ranks), random.u32(0..classes));
        let mut ranked: Vec<RankedClass> = (0..rows).map(row).collect();
        ranked.sort_by_key(|&row| rank(row));
        let weights = match random.bool() || rows == 0 {
            true => Vec::new(),
            false => {
                random_weights::weights(random, rows, bits).iter().map(|&w| w as i64).collect()
            }
        };
        let first = random.u32(0..ranks);
        let allowed = match random.bool() {
            true => Thresholds::ALL,
            false => Thresholds { first, last: random.u32(first..=ranks) },
        };
        (ranked, weights, allowed)
    }

    /// By class, the weight of the rows from one place up to another, exclusive.
    pub(crate) fn class_weights(
        rows: &ClassRows<'_>,
        from: usize,
        to: usize,
        classes: u32,
    ) -> Vec<i64> {
        let mut found = vec![0; classes as usize];
        for at in from..to {
            found[class(rows.ranked[at])] += rows.weights.get(at).copied().unwrap_or(1);
        }
        found
    }

    #[test]
    fn rows_are_separated_by_child_in_the_same_order_on_all_levels() {
        let mut random = fastrand::Rng::with_seed(20_261_123);
        for _ in 0..100 {
            let (ranked, weights, _) = draw(&mut random, 5, 60);
            let mut rows: Vec<u32> = (0..ranked.len() as u32).collect();
            random.shuffle(&mut rows);
            let on_right: Vec<u8> = rows.iter().map(|_| random.u8(0..2)).collect();
            let order = ClassOrder { rows: &rows, ranked: &ranked, weights: &weights };
            for instructions in InstructionSet::available() {
                let mut split = SplitClasses::default();
                match weights.is_empty() {
                    true => separate_classes::<true>(instructions, &order, &on_right, &mut split),
                    false => separate_classes::<false>(instructions, &order, &on_right, &mut split),
                }
                for child in 0..2 {
                    let here = |at: &usize| on_right[rows[*at] as usize] == child as u8;
                    let places: Vec<usize> = (0..rows.len()).filter(here).collect();
                    let expected: Vec<RankedClass> = places.iter().map(|&at| ranked[at]).collect();
                    assert_eq!(split.child(child).ranked, expected);
                    let heavy = places.iter().filter(|_| !weights.is_empty());
                    let expected: Vec<i64> = heavy.map(|&at| weights[at]).collect();
                    assert_eq!(split.child(child).weights, expected);
                }
            }
        }
    }
}
