//! The kernels against naive counts, on every instruction set that the processor has and in lanes
//! of both widths.

use super::super::InstructionSet;
use super::super::spread_columns::{ColumnWords, spread};
use super::stumps::combine;
use super::trees::{best, leaf_support};
use super::*;
use proptest::prelude::*;

/// Class and bit of the weight of three segments of one word each.
const SEGMENTS: [(usize, u32); 3] = [(0, 0), (0, 1), (1, 0)];

/// A set of items, one word for each segment.
type ItemSet = [u64; 3];

fn weigh(set: ItemSet) -> [u64; 2] {
    let mut weights = [0; 2];
    for (&(class, bit), word) in SEGMENTS.iter().zip(set) {
        weights[class] += u64::from(word.count_ones()) << bit;
    }
    weights
}

fn both(one: ItemSet, two: ItemSet) -> ItemSet {
    [0, 1, 2].map(|at| one[at] & two[at])
}

fn not(one: ItemSet) -> ItemSet {
    one.map(|word| !word)
}

/// Weight that the best stump with leaves of at least `minimum` weight classifies correctly.
fn stump(set: ItemSet, rules: &[ItemSet], minimum: u64) -> u64 {
    let correct = |rule: &ItemSet| {
        let leaves = [weigh(both(set, *rule)), weigh(both(set, not(*rule)))];
        let enough = leaves.iter().all(|leaf| leaf[0] + leaf[1] >= minimum);
        if enough { leaves.iter().map(|leaf| leaf[0].max(leaf[1])).sum() } else { 0 }
    };
    rules.iter().map(correct).max().unwrap_or(0)
}

fn counted<L: ChunkLane>(
    instructions: InstructionSet,
    rules: &[ItemSet],
    mask: ItemSet,
) -> (Pairs<L>, Tallies<L>) {
    let segments: Vec<Segment> = SEGMENTS
        .iter()
        .enumerate()
        .map(|(at, &(class, bit))| Segment { class, bit, words: at..at + 1 })
        .collect();
    let (words, count) = (rules.concat(), rules.len());
    let columns = ColumnWords { count, width: 3, words: &words, segments: &segments, classes: 2 };
    let (mut chunks, mut pairs) = (Chunks::default(), Pairs::default());
    spread(instructions, &columns, &mask, &mut chunks);
    count_pairs(instructions, &chunks, &mut pairs);
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

fn count_pairs<L: ChunkLane>(
    instructions: InstructionSet,
    chunks: &Chunks<L>,
    pairs: &mut Pairs<L>,
) {
    count(instructions, chunks, true, pairs);
    let mut later = Pairs::default();
    count(instructions, chunks, false, &mut later);
    for rule in 0..chunks.count {
        let from = rule / BLOCK * BLOCK;
        assert_eq!(pairs.row(1, rule)[from..], later.row(1, rule)[from..]);
    }
}

fn agrees<L: ChunkLane>(rules: &[ItemSet], mask: ItemSet, subset: ItemSet, minimum: u64) {
    let subset = both(subset, mask);
    for instructions in InstructionSet::available() {
        let (whole, _) = counted::<L>(instructions, rules, mask);
        let (inside, _) = counted::<L>(instructions, rules, subset);
        let rest = both(mask, not(subset));
        let (_, tallies) = counted::<L>(instructions, rules, rest);
        let (mut plain, mut limited) = (Stumps::default(), Stumps::default());
        combine::<L, true, false>(instructions, &whole, &inside, &tallies, L::of(0), &mut plain);
        let (pairs, min_weight) = (counted::<L>(instructions, rules, rest).0, L::of(minimum));
        combine::<L, false, true>(instructions, &pairs, &pairs, &tallies, min_weight, &mut limited);
        for (at, rule) in rules.iter().enumerate() {
            let children = [both(rest, *rule), both(rest, not(*rule))];
            assert_eq!(plain.left[at].wide(), stump(children[0], rules, 0));
            assert_eq!(plain.right[at].wide(), stump(children[1], rules, 0));
            assert_eq!(limited.left[at].wide(), stump(children[0], rules, minimum));
            assert_eq!(limited.right[at].wide(), stump(children[1], rules, minimum));
        }
        let mut maximum = [L::default(); 4];
        best(instructions, &tallies, &limited, min_weight, &mut maximum);
        let mut expected = [0; 4];
        let leaf = |set: ItemSet| weigh(set).into_iter().max().unwrap_or(0);
        expected[0] = leaf(rest);
        for rule in rules {
            let children = [both(rest, *rule), both(rest, not(*rule))];
            if children.iter().all(|child| weigh(*child).iter().sum::<u64>() >= minimum) {
                let leaves = children.map(leaf);
                let deep = children.map(|child| stump(child, rules, minimum).max(leaf(child)));
                let two = (leaves[0] + deep[1]).max(deep[0] + leaves[1]);
                let found = [leaves[0] + leaves[1], two, deep[0] + deep[1]];
                (1..4).for_each(|size| expected[size] = found[size - 1].max(expected[size]));
            }
        }
        assert_eq!(maximum.map(|correct| correct.wide()), expected);
        for needed in [1, minimum, minimum.div_ceil(2)] {
            let mut found = [L::default(); 2];
            leaf_support(
                instructions,
                &tallies,
                &limited,
                [needed, minimum].map(L::of),
                &mut found,
            );
            let children = rules.iter().flat_map(|&rule| [both(rest, rule), both(rest, not(rule))]);
            let children = children.chain((!rules.len().is_multiple_of(BLOCK)).then_some(rest));
            let mut expected = [L::of(u64::MAX).wide(); 2];
            for child in children {
                let all: u64 = weigh(child).iter().sum();
                for (errors, (correct, needed)) in expected
                    .iter_mut()
                    .zip([(leaf(child), needed), (stump(child, rules, minimum), minimum)])
                {
                    if correct >= needed {
                        *errors = (*errors).min(all - correct);
                    }
                }
            }
            assert_eq!(found.map(|wrong| wrong.wide()), expected);
        }
    }
}

/// Pairs, stumps and trees of a table as heavy as lanes of two bytes allow, computed in lanes of a
/// given width.
fn heaviest<L: ChunkLane>(
    instructions: InstructionSet,
    columns: &[Vec<u64>],
    subset: &[u64],
) -> Vec<u64> {
    // Class 0 weighs 64 * 2^9 = 2^15, class 1 weighs 63 * 2^9 + 511 = 2^15 - 1; both together weigh
    // u16::MAX.
    let segment = |(at, (class, bit))| Segment { class, bit, words: at..at + 1 };
    let lighter = (0..9).map(|bit| (1, bit));
    let classes_and_bits = [(0, 9)].into_iter().chain(lighter).chain([(1, 9)]);
    let segments: Vec<Segment> = classes_and_bits.enumerate().map(segment).collect();
    let mut all = vec![1; 11];
    (all[0], all[10]) = (u64::MAX, u64::MAX >> 1);
    let (words, count, width) = (columns.concat(), columns.len(), 11);
    let columns = ColumnWords { count, width, words: &words, segments: &segments, classes: 2 };
    let (mut chunks, mut pairs, mut inside) =
        (Chunks::<L>::default(), Pairs::default(), Pairs::default());
    spread(instructions, &columns, subset, &mut chunks);
    count_pairs(instructions, &chunks, &mut inside);
    spread(instructions, &columns, &all, &mut chunks);
    count_pairs(instructions, &chunks, &mut pairs);
    let mut tallies = Tallies::default();
    for class in 0..2 {
        let held = (0..chunks.stride)
            .map(|rule| if rule < count { pairs.row(class, rule)[rule] } else { L::default() });
        tallies.held.extend(held);
        tallies.totals.push(L::of(32_768 - class as u64));
    }
    let (mut stumps, mut maximum) = (Stumps::default(), [L::default(); 4]);
    combine::<L, false, true>(instructions, &pairs, &inside, &tallies, L::of(1), &mut stumps);
    best(instructions, &tallies, &stumps, L::of(1), &mut maximum);
    let of_stumps = [stumps.left, stumps.right].concat();
    pairs.held.into_iter().chain(of_stumps).chain(maximum).map(L::wide).collect()
}

#[test]
fn the_heaviest_rows_that_lanes_hold_do_not_overflow() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    for _ in 0..200 {
        let mut column = || -> Vec<u64> { (0..11).map(|_| random.u64(..)).collect() };
        let mut columns: Vec<Vec<u64>> = (0..5).map(|_| column()).collect();
        // A column of one class, all items, and no items.
        columns.push([vec![u64::MAX], vec![0; 10]].concat());
        columns.push(vec![u64::MAX; 11]);
        columns.push(vec![0; 11]);
        let wide = heaviest::<u32>(InstructionSet::Portable, &columns, &columns[0].clone());
        assert_eq!(*wide.last().expect("trees"), u64::from(u16::MAX));
        for instructions in InstructionSet::available() {
            assert_eq!(heaviest::<u16>(instructions, &columns, &columns[0].clone()), wide);
        }
    }
}

proptest! {
    #[test]
    fn all_levels_and_lanes_agree_with_counting_every_pair(
        rules in prop::collection::vec(any::<ItemSet>(), 1..70),
        mask in any::<ItemSet>(),
        subset in any::<ItemSet>(),
        minimum in 1u64..60,
    ) {
        agrees::<u16>(&rules, mask, subset, minimum);
        agrees::<u32>(&rules, mask, subset, minimum);
    }
}
