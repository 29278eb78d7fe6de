//! Rules as columns of short words: how much weight of each class every two
//! rules hold together, and the best second rule on both sides of every first.
//!
//! A chunk holds as many items of one class as a lane has bits. Chunks are
//! stored chunk by chunk (`words[c * stride + j]`), so that one chunk of rule i
//! meets the same chunk of a whole block of rules, and the popcount of a lane is
//! already the count of that rule: no sum across lanes is ever needed.
//!
//! Length: half of it is the naive count that all levels are held against.

use super::multiversion;
use super::pairs::Segment;
use std::ops::Range;

/// Rules that are met at once.
pub const BLOCK: usize = 32;

/// A number that serves as word of a chunk and as weight.
pub trait Lane: Copy + Ord + Default + Send + Sync + std::fmt::Debug + 'static {
    /// Items of a chunk.
    const BITS: u32;
    fn and(self, other: Self) -> Self;
    fn ones(self) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn shifted(self, bits: u32) -> Self;
    /// The low bits.
    fn of(word: u64) -> Self;
    fn wide(self) -> u64;
}

macro_rules! lane {
    ($($number:ty),*) => {$(
        impl Lane for $number {
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

/// The rules of a part in chunks.
#[derive(Default, Clone)]
pub struct Chunks<L> {
    pub count: usize,
    /// `count` rounded up to whole blocks; the rules beyond it hold nothing.
    pub stride: usize,
    pub words: Vec<L>,
    /// Which chunks belong to which class and bit of the weight, by class.
    pub segments: Vec<Segment>,
    /// The segments of each class.
    pub classes: Vec<Range<usize>>,
}

/// Weight of each class that a rule holds, and that there is.
#[derive(Default, Clone)]
pub struct Tallies<L> {
    /// `held[c * stride + j]`.
    pub held: Vec<L>,
    pub totals: Vec<L>,
}

/// Weight of each class that two rules hold together:
/// `held[(c * count + i) * stride + j]`.
#[derive(Default, Clone)]
pub struct Pairs<L> {
    pub count: usize,
    pub stride: usize,
    pub held: Vec<L>,
}

impl<L: Lane> Pairs<L> {
    /// Row of one rule and class.
    #[inline]
    pub fn row(&self, class: usize, rule: usize) -> &[L] {
        &self.held[(class * self.count + rule) * self.stride..][..self.stride]
    }
}

/// For every rule as root, the greatest weight a stump gets right on its left
/// side and on its right side.
#[derive(Default, Clone, Debug, PartialEq, Eq)]
pub struct Stumps<L> {
    pub left: Vec<L>,
    pub right: Vec<L>,
}

type Lanes<L> = [L; BLOCK];

#[inline(always)]
fn each<L: Lane>(mut lane: impl FnMut(usize) -> L) -> Lanes<L> {
    let mut lanes = [L::default(); BLOCK];
    for (at, value) in lanes.iter_mut().enumerate() {
        *value = lane(at);
    }
    lanes
}

/// What rule `rule` and the rules of some blocks hold together of one class.
#[inline(always)]
fn together<L: Lane, const BLOCKS: usize>(
    chunks: &Chunks<L>,
    class: usize,
    rule: usize,
    block: usize,
    all: &mut [Lanes<L>],
) {
    all.fill([L::default(); BLOCK]);
    for segment in &chunks.segments[chunks.classes[class].clone()] {
        let mut held = [[L::default(); BLOCK]; BLOCKS];
        let words = segment.words.start * chunks.stride..segment.words.end * chunks.stride;
        for row in chunks.words[words].chunks_exact(chunks.stride) {
            let (mine, others) = (row[rule], &row.as_chunks::<BLOCK>().0[block..block + BLOCKS]);
            for (held, others) in held.iter_mut().zip(others) {
                *held = each(|at| held[at].plus(mine.and(others[at]).ones()));
            }
        }
        for (all, held) in all.iter_mut().zip(&held) {
            *all = each(|at| all[at].plus(held[at].shifted(segment.bit)));
        }
    }
}

#[inline(always)]
fn count_body<L: Lane>(chunks: &Chunks<L>, whole: bool, pairs: &mut Pairs<L>) {
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
                together::<L, 2>(chunks, class, rule, block, &mut blocks[block..block + 2]);
                block += 2;
            }
            if block < blocks.len() {
                together::<L, 1>(chunks, class, rule, block, &mut blocks[block..]);
            }
        }
    }
}

multiversion! {
    /// Counts what every two rules hold together: of pairs i, j with j in the
    /// block of i or a later one, or of all.
    pub fn count<L: Lane>(chunks: &Chunks<L>, whole: bool, pairs: &mut Pairs<L>) = count_body
}

/// The counts of one class for one rule with the rules of all blocks.
struct ClassRow<'a, L> {
    pairs: &'a [Lanes<L>],
    less: &'a [Lanes<L>],
    held: &'a [Lanes<L>],
    mine: L,
    total: L,
}

/// Greatest class weight in each cell of one rule with those of a block, by inclusion and
/// exclusion (MurTree), and with `MINIMUM` the weight of each cell.
#[derive(Clone, Copy)]
struct Cells<L> {
    most: [Lanes<L>; 4],
    held: [Lanes<L>; 4],
}

impl<L: Lane> Cells<L> {
    #[inline(always)]
    fn new() -> Self {
        let none = [[L::default(); BLOCK]; 4];
        Cells { most: none, held: none }
    }

    /// Adds a class. Lanes of a block are in arrays of their own before the loop over
    /// them, which compiles to vector instructions only without checks of bounds.
    #[inline(always)]
    fn add<const REST: bool, const MINIMUM: bool>(&mut self, row: &ClassRow<'_, L>, block: usize) {
        let (pairs, held) = (&row.pairs[block], &row.held[block]);
        let less = if REST { &row.less[block] } else { &[L::default(); BLOCK] };
        for at in 0..BLOCK {
            let both = if REST { pairs[at].minus(less[at]) } else { pairs[at] };
            let alone = row.mine.minus(both);
            let other = held[at].minus(both);
            let neither = row.total.minus(held[at]).minus(alone);
            let weights = [both, alone, other, neither];
            for (cell, weight) in weights.into_iter().enumerate() {
                self.most[cell][at] = self.most[cell][at].max(weight);
                if MINIMUM {
                    self.held[cell][at] = self.held[cell][at].plus(weight);
                }
            }
        }
    }

    /// What a stump with these two leaves gets right; nothing where a leaf holds
    /// too little.
    #[inline(always)]
    fn stump<const MINIMUM: bool>(&self, at: usize, cells: [usize; 2], minimum: L) -> L {
        let [one, two] = cells;
        let allowed = !MINIMUM || self.held[one][at].min(self.held[two][at]) >= minimum;
        if allowed { self.most[one][at].plus(self.most[two][at]) } else { L::default() }
    }
}

/// Meets one rule with those of its own block and of all later ones.
#[inline(always)]
fn meet<L: Lane, const REST: bool, const MINIMUM: bool>(
    rows: &[ClassRow<'_, L>],
    rule: usize,
    minimum: L,
    left: &mut [Lanes<L>],
    right: &mut [Lanes<L>],
) {
    let first = rule / BLOCK;
    let (mut on_left, mut on_right) = ([L::default(); BLOCK], [L::default(); BLOCK]);
    for block in first..left.len() {
        let mut cells = Cells::new();
        rows.iter().for_each(|row| cells.add::<REST, MINIMUM>(row, block));
        let (left, right) = (&mut left[block], &mut right[block]);
        for at in 0..BLOCK {
            let stump = |one, two| cells.stump::<MINIMUM>(at, [one, two], minimum);
            on_left[at] = on_left[at].max(stump(0, 1));
            on_right[at] = on_right[at].max(stump(2, 3));
            left[at] = left[at].max(stump(0, 2));
            right[at] = right[at].max(stump(1, 3));
        }
    }
    let most = |lanes: Lanes<L>| lanes.into_iter().max().unwrap_or_default();
    let (left, right) = (&mut left[first][rule % BLOCK], &mut right[first][rule % BLOCK]);
    *left = most(on_left).max(*left);
    *right = most(on_right).max(*right);
}

#[inline(always)]
fn combine_body<L: Lane, const REST: bool, const MINIMUM: bool>(
    pairs: &Pairs<L>,
    less: &Pairs<L>,
    tallies: &Tallies<L>,
    minimum: L,
    best: &mut Stumps<L>,
) {
    let (count, stride) = (pairs.count, pairs.stride);
    for side in [&mut best.left, &mut best.right] {
        side.clear();
        side.resize(stride, L::default());
    }
    let (left, _) = best.left.as_chunks_mut();
    let (right, _) = best.right.as_chunks_mut();
    let row = |class: usize, rule: usize| {
        let held = &tallies.held[class * stride..][..stride];
        ClassRow {
            pairs: pairs.row(class, rule).as_chunks().0,
            less: if REST { less.row(class, rule).as_chunks().0 } else { &[] },
            held: held.as_chunks().0,
            mine: held[rule],
            total: tallies.totals[class],
        }
    };
    for rule in 0..count {
        // A few classes without a loop over them, which would be in the way of vectors.
        let row = |class| row(class, rule);
        match tallies.totals.len() {
            2 if !MINIMUM => meet::<L, REST, MINIMUM>(&[0, 1].map(row), rule, minimum, left, right),
            3 if !MINIMUM => {
                meet::<L, REST, MINIMUM>(&[0, 1, 2].map(row), rule, minimum, left, right)
            }
            4 if !MINIMUM => {
                meet::<L, REST, MINIMUM>(&[0, 1, 2, 3].map(row), rule, minimum, left, right)
            }
            classes => {
                let rows: Vec<_> = (0..classes).map(row).collect();
                meet::<L, REST, MINIMUM>(&rows, rule, minimum, left, right);
            }
        }
    }
}

multiversion! {
    /// Finds the best stumps on both sides of every rule from the counts of
    /// pairs, or with `REST` from what `pairs` counts more than `less`. A rule
    /// as its own stump is a leaf. With `MINIMUM`, stumps with a leaf below
    /// `minimum` weight do not count.
    pub fn combine<L: Lane; const REST: bool; const MINIMUM: bool>(
        pairs: &Pairs<L>,
        less: &Pairs<L>,
        tallies: &Tallies<L>,
        minimum: L,
        best: &mut Stumps<L>,
    ) = combine_body
}

#[inline(always)]
fn beside_body<L: Lane>(
    tallies: &Tallies<L>,
    stumps: &Stumps<L>,
    needed: [L; 2],
    least: &mut [L; 2],
) {
    let stride = stumps.left.len();
    let none = L::of(u64::MAX);
    let mut lanes = [[none; BLOCK]; 2];
    let sides = stumps.left.as_chunks::<BLOCK>().0.iter();
    for (block, sides) in sides.zip(stumps.right.as_chunks::<BLOCK>().0).enumerate() {
        let (mut weight, mut leaf) = ([[L::default(); BLOCK]; 2], [[L::default(); BLOCK]; 2]);
        for (class, &total) in tallies.totals.iter().enumerate() {
            let held = &tallies.held[class * stride..][..stride].as_chunks::<BLOCK>().0[block];
            for at in 0..BLOCK {
                for (side, here) in [held[at], total.minus(held[at])].into_iter().enumerate() {
                    weight[side][at] = weight[side][at].plus(here);
                    leaf[side][at] = leaf[side][at].max(here);
                }
            }
        }
        for (side, stump) in [sides.0, sides.1].into_iter().enumerate() {
            for at in 0..BLOCK {
                for (lanes, (right, needed)) in
                    lanes.iter_mut().zip([(leaf[side][at], needed[0]), (stump[at], needed[1])])
                {
                    let wrong = weight[side][at].minus(right);
                    lanes[at] = lanes[at].min(if right >= needed { wrong } else { none });
                }
            }
        }
    }
    *least = lanes.map(|lanes| lanes.into_iter().min().unwrap_or(none));
}

multiversion! {
    /// Least weight that a leaf, and that the best stump, misclassifies on a side of
    /// any rule, among those that get at least `needed` right; all bits are set
    /// where there is none. Lanes beyond the last rule count as one that leaves all items
    /// on one side, which only lowers what is a lower bound.
    pub fn beside<L: Lane>(
        tallies: &Tallies<L>,
        stumps: &Stumps<L>,
        needed: [L; 2],
        least: &mut [L; 2],
    ) = beside_body
}

#[inline(always)]
fn best_body<L: Lane>(tallies: &Tallies<L>, stumps: &Stumps<L>, minimum: L, most: &mut [L; 4]) {
    let stride = stumps.left.len();
    *most = [L::default(); 4];
    most[0] = tallies.totals.iter().copied().max().unwrap_or_default();
    for (block, (left, right)) in stumps
        .left
        .as_chunks::<BLOCK>()
        .0
        .iter()
        .zip(stumps.right.as_chunks::<BLOCK>().0)
        .enumerate()
    {
        let (mut on_left, mut on_right) = ([L::default(); BLOCK], [L::default(); BLOCK]);
        let (mut leaf_left, mut leaf_right) = (on_left, on_right);
        for (class, &total) in tallies.totals.iter().enumerate() {
            let held = &tallies.held[class * stride..][..stride].as_chunks::<BLOCK>().0[block];
            for at in 0..BLOCK {
                let other = total.minus(held[at]);
                (on_left[at], on_right[at]) =
                    (on_left[at].plus(held[at]), on_right[at].plus(other));
                leaf_left[at] = leaf_left[at].max(held[at]);
                leaf_right[at] = leaf_right[at].max(other);
            }
        }
        let mut found = [[L::default(); BLOCK]; 3];
        for at in 0..BLOCK {
            let (leaf_left, leaf_right) = (leaf_left[at], leaf_right[at]);
            let (left, right) = (left[at].max(leaf_left), right[at].max(leaf_right));
            let allowed = on_left[at].min(on_right[at]) >= minimum;
            let score = |hits: L| if allowed { hits } else { L::default() };
            found[0][at] = score(leaf_left.plus(leaf_right));
            found[1][at] = score(leaf_left.plus(right).max(left.plus(leaf_right)));
            found[2][at] = score(left.plus(right));
        }
        for (most, found) in most[1..].iter_mut().zip(found) {
            *most = found.into_iter().max().unwrap_or_default().max(*most);
        }
    }
}

multiversion! {
    /// The greatest weight that trees of depth two with 0, 1, 2 and 3 nodes get
    /// right; both sides of a root hold at least `minimum`, which is not zero.
    pub fn best<L: Lane>(
        tallies: &Tallies<L>,
        stumps: &Stumps<L>,
        minimum: L,
        most: &mut [L; 4],
    ) = best_body
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::super::spread::{Rows, spread};
    use super::*;
    use proptest::prelude::*;

    /// Two planes of class 0 and one of class 1, one word each; `mask` says which
    /// items there are.
    const PLANES: [(usize, u32); 3] = [(0, 0), (0, 1), (1, 0)];

    type Column = [u64; 3];

    fn weigh(set: Column) -> [u64; 2] {
        let mut weights = [0; 2];
        for (&(class, bit), word) in PLANES.iter().zip(set) {
            weights[class] += u64::from(word.count_ones()) << bit;
        }
        weights
    }

    fn both(one: Column, two: Column) -> Column {
        [0, 1, 2].map(|at| one[at] & two[at])
    }

    fn not(one: Column) -> Column {
        one.map(|word| !word)
    }

    /// What the best stump of a set gets right, if a rule may have such leaves.
    fn stump(set: Column, rules: &[Column], minimum: u64) -> u64 {
        let right = |rule: &Column| {
            let leaves = [weigh(both(set, *rule)), weigh(both(set, not(*rule)))];
            let enough = leaves.iter().all(|leaf| leaf[0] + leaf[1] >= minimum);
            if enough { leaves.iter().map(|leaf| leaf[0].max(leaf[1])).sum() } else { 0 }
        };
        rules.iter().map(right).max().unwrap_or(0)
    }

    fn counted<L: Lane>(level: Level, rules: &[Column], mask: Column) -> (Pairs<L>, Tallies<L>) {
        let segments: Vec<Segment> = PLANES
            .iter()
            .enumerate()
            .map(|(at, &(class, bit))| Segment { class, bit, words: at..at + 1 })
            .collect();
        let (words, count) = (rules.concat(), rules.len());
        let rows = Rows { count, width: 3, words: &words, segments: &segments, classes: 2 };
        let (mut chunks, mut pairs) = (Chunks::default(), Pairs::default());
        spread(level, &rows, &mask, &mut chunks);
        count_pairs(level, &chunks, &mut pairs);
        let totals = weigh(mask).map(L::of).to_vec();
        let held = (0..2).flat_map(|class| {
            let pairs = &pairs;
            let held = move |rule: usize| {
                if rule < count { pairs.row(class, rule)[rule] } else { L::default() }
            };
            (0..chunks.stride).map(held)
        });
        let held = held.collect();
        (pairs, Tallies { held, totals })
    }

    fn count_pairs<L: Lane>(level: Level, chunks: &Chunks<L>, pairs: &mut Pairs<L>) {
        count(level, chunks, true, pairs);
        let mut later = Pairs::default();
        count(level, chunks, false, &mut later);
        for rule in 0..chunks.count {
            let from = rule / BLOCK * BLOCK;
            assert_eq!(pairs.row(1, rule)[from..], later.row(1, rule)[from..]);
        }
    }

    fn agrees<L: Lane>(rules: &[Column], mask: Column, part: Column, minimum: u64) {
        let part = both(part, mask);
        for level in Level::available() {
            let (whole, _) = counted::<L>(level, rules, mask);
            let (inside, _) = counted::<L>(level, rules, part);
            let rest = both(mask, not(part));
            let (_, tallies) = counted::<L>(level, rules, rest);
            let (mut plain, mut limited) = (Stumps::default(), Stumps::default());
            combine::<L, true, false>(level, &whole, &inside, &tallies, L::of(0), &mut plain);
            let (pairs, least) = (counted::<L>(level, rules, rest).0, L::of(minimum));
            combine::<L, false, true>(level, &pairs, &pairs, &tallies, least, &mut limited);
            for (at, rule) in rules.iter().enumerate() {
                let sides = [both(rest, *rule), both(rest, not(*rule))];
                assert_eq!(plain.left[at].wide(), stump(sides[0], rules, 0));
                assert_eq!(plain.right[at].wide(), stump(sides[1], rules, 0));
                assert_eq!(limited.left[at].wide(), stump(sides[0], rules, minimum));
                assert_eq!(limited.right[at].wide(), stump(sides[1], rules, minimum));
            }
            let mut most = [L::default(); 4];
            best(level, &tallies, &limited, least, &mut most);
            let mut expected = [0; 4];
            let leaf = |set: Column| weigh(set).into_iter().max().unwrap_or(0);
            expected[0] = leaf(rest);
            for rule in rules {
                let sides = [both(rest, *rule), both(rest, not(*rule))];
                if sides.iter().all(|side| weigh(*side).iter().sum::<u64>() >= minimum) {
                    let leaves = sides.map(leaf);
                    let deep = sides.map(|side| stump(side, rules, minimum).max(leaf(side)));
                    let two = (leaves[0] + deep[1]).max(deep[0] + leaves[1]);
                    let found = [leaves[0] + leaves[1], two, deep[0] + deep[1]];
                    (1..4).for_each(|size| expected[size] = found[size - 1].max(expected[size]));
                }
            }
            assert_eq!(most.map(|hits| hits.wide()), expected);
            for needed in [1, minimum, minimum.div_ceil(2)] {
                let mut found = [L::default(); 2];
                beside(level, &tallies, &limited, [needed, minimum].map(L::of), &mut found);
                let sides =
                    rules.iter().flat_map(|&rule| [both(rest, rule), both(rest, not(rule))]);
                let sides = sides.chain((!rules.len().is_multiple_of(BLOCK)).then_some(rest));
                let mut expected = [L::of(u64::MAX).wide(); 2];
                for side in sides {
                    let all: u64 = weigh(side).iter().sum();
                    for (least, (right, needed)) in expected
                        .iter_mut()
                        .zip([(leaf(side), needed), (stump(side, rules, minimum), minimum)])
                    {
                        if right >= needed {
                            *least = (*least).min(all - right);
                        }
                    }
                }
                assert_eq!(found.map(|wrong| wrong.wide()), expected);
            }
        }
    }

    /// Counts of as much weight as lanes of two bytes hold, by lanes of any width: pairs
    /// of all, and the stumps and trees among what `part` leaves.
    fn heaviest<L: Lane>(level: Level, columns: &[Vec<u64>], part: &[u64]) -> Vec<u64> {
        // Both classes weigh 2^15, less one: 64 and 63 times 2^9, and 511.
        let plane = |(at, (class, bit))| Segment { class, bit, words: at..at + 1 };
        let lighter = (0..9).map(|bit| (1, bit));
        let planes = [(0, 9)].into_iter().chain(lighter).chain([(1, 9)]);
        let segments: Vec<Segment> = planes.enumerate().map(plane).collect();
        let mut all = vec![1; 11];
        (all[0], all[10]) = (u64::MAX, u64::MAX >> 1);
        let (words, count, width) = (columns.concat(), columns.len(), 11);
        let rows = Rows { count, width, words: &words, segments: &segments, classes: 2 };
        let (mut chunks, mut pairs, mut inside) =
            (Chunks::<L>::default(), Pairs::default(), Pairs::default());
        spread(level, &rows, part, &mut chunks);
        count_pairs(level, &chunks, &mut inside);
        spread(level, &rows, &all, &mut chunks);
        count_pairs(level, &chunks, &mut pairs);
        let mut tallies = Tallies::default();
        for class in 0..2 {
            let held = (0..chunks.stride)
                .map(|rule| if rule < count { pairs.row(class, rule)[rule] } else { L::default() });
            tallies.held.extend(held);
            tallies.totals.push(L::of(32_768 - class as u64));
        }
        let (mut stumps, mut most) = (Stumps::default(), [L::default(); 4]);
        combine::<L, false, true>(level, &pairs, &inside, &tallies, L::of(1), &mut stumps);
        best(level, &tallies, &stumps, L::of(1), &mut most);
        let of_stumps = [stumps.left, stumps.right].concat();
        pairs.held.into_iter().chain(of_stumps).chain(most).map(L::wide).collect()
    }

    #[test]
    fn the_heaviest_rows_that_lanes_hold_do_not_overflow() {
        let mut random = fastrand::Rng::with_seed(20_261_121);
        for _ in 0..200 {
            let mut column = || -> Vec<u64> { (0..11).map(|_| random.u64(..)).collect() };
            let mut columns: Vec<Vec<u64>> = (0..5).map(|_| column()).collect();
            // One class against the other, all and nothing.
            columns.push([vec![u64::MAX], vec![0; 10]].concat());
            columns.push(vec![u64::MAX; 11]);
            columns.push(vec![0; 11]);
            let wide = heaviest::<u32>(Level::Portable, &columns, &columns[0].clone());
            assert_eq!(*wide.last().expect("trees"), u64::from(u16::MAX));
            for level in Level::available() {
                assert_eq!(heaviest::<u16>(level, &columns, &columns[0].clone()), wide);
            }
        }
    }

    proptest! {
        #[test]
        fn all_levels_and_lanes_agree_with_counting_every_pair(
            rules in prop::collection::vec(any::<Column>(), 1..70),
            mask in any::<Column>(),
            part in any::<Column>(),
            minimum in 1u64..60,
        ) {
            agrees::<u16>(&rules, mask, part, minimum);
            agrees::<u32>(&rules, mask, part, minimum);
        }
    }
}
