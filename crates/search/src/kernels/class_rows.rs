//! The rows of a subset with their classes, separated by child of a root, and what kernels of stumps
//! compute from them block by block.

use super::gains::Thresholds;
use super::multiversion;

/// Number of thresholds that are evaluated together.
pub const BLOCK: usize = 128;

/// A row of a subset in the order of a feature: its rank, and its class in the lower half.
pub type RankedClass = u64;

pub fn ranked_class(rank: u32, class: u32) -> RankedClass {
    u64::from(rank) << 32 | u64::from(class)
}

pub fn rank(row: RankedClass) -> u32 {
    (row >> 32) as u32
}

pub fn class(row: RankedClass) -> usize {
    row as u32 as usize
}

/// The rows of a subset in the order of one feature.
#[derive(Clone, Copy)]
pub struct ClassOrder<'a> {
    /// Numbers of the rows.
    pub rows: &'a [u32],
    pub ranked: &'a [RankedClass],
    /// Empty if every row weighs one.
    pub weights: &'a [i64],
}

/// The rows of one child in the order of a feature.
#[derive(Clone, Copy)]
pub struct ClassRows<'a> {
    pub ranked: &'a [RankedClass],
    /// Empty if every row weighs one.
    pub weights: &'a [i64],
}

/// The rows of the left child from the first place on, those of the right child from the place on
/// that is the number of all rows.
#[derive(Default)]
pub struct SplitClasses {
    ranked: Vec<RankedClass>,
    weights: Vec<i64>,
    left: usize,
    all: usize,
}

impl SplitClasses {
    pub fn child(&self, child: usize) -> ClassRows<'_> {
        let rows = [0..self.left, self.all..2 * self.all - self.left][child].clone();
        let weights = self.weights.get(rows.clone()).unwrap_or(&[]);
        ClassRows { ranked: &self.ranked[rows], weights }
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
    pub fn separate_classes<; const PLAIN: bool>(
        order: &ClassOrder<'_>,
        on_right: &[u8],
        split: &mut SplitClasses,
    ) = separate_body
}

/// The weights of a class, or of all, up to every place of a block.
pub type BlockWeights = [i64; BLOCK];

/// The weights of rows up to every place of a block, given the weight before the block, of the rows
/// that count; and the weight after it. The last weight is repeated up to the end of the block.
#[inline(always)]
pub fn weights_up_to<const PLAIN: bool>(
    ranked: &[RankedClass],
    weights: &[i64],
    before: i64,
    counts: impl Fn(RankedClass) -> bool,
    found: &mut BlockWeights,
) -> i64 {
    let mut sum = before;
    for (at, (&row, found)) in ranked.iter().zip(&mut *found).enumerate() {
        let weight = if PLAIN { 1 } else { weights[at] };
        sum += weight & -i64::from(counts(row));
        *found = sum;
    }
    found[ranked.len()..].fill(sum);
    sum
}

/// Replaces costs by `none` where no threshold is allowed between a row and the next; returns their
/// minimum too.
#[inline(always)]
pub fn only_allowed(
    allowed: Thresholds,
    rows: &[RankedClass],
    after: &[RankedClass],
    mut costs: [i64; BLOCK],
    none: i64,
) -> ([i64; BLOCK], i64) {
    let count = rows.len().min(after.len());
    let (rows, after) = (&rows[..count], &after[..count]);
    costs[count..].fill(none);
    let mut minimum = none;
    for (at, cost) in costs[..count].iter_mut().enumerate() {
        let open = -i64::from(allowed.separate(rank(rows[at]), rank(after[at])));
        *cost = *cost & open | none & !open;
        minimum = minimum.min(*cost);
    }
    (costs, minimum)
}

#[cfg(test)]
pub(in crate::kernels) mod tests {
    use super::*;
    use crate::kernels::InstructionSet;
    use crate::support::random_weights;

    /// Random rows of one child: ranks, classes, and weights or ones; and the thresholds allowed.
    pub fn draw(
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

    /// By class, the weight of some rows from a place on.
    pub fn class_weights(rows: &ClassRows<'_>, from: usize, to: usize, classes: u32) -> Vec<i64> {
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
            for level in InstructionSet::available() {
                let mut split = SplitClasses::default();
                match weights.is_empty() {
                    true => separate_classes::<true>(level, &order, &on_right, &mut split),
                    false => separate_classes::<false>(level, &order, &on_right, &mut split),
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
