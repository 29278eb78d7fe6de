//! Pareto fronts between two pairs against the pairs of all trees of random tables.

use super::{ErrorPair, ErrorPrices, ParetoFront, pairs_between};
use crate::spaces::leaf_costs::differential::class_costs::instance::{
    ClassCostInstance, CostKind, draw,
};
use crate::spaces::leaf_costs::differential::definition::Definition;
use crate::spaces::leaf_costs::{CostExamples, CostOptions, CostRequest};
use crate::support::clock::{Clock, StopSwitch};
use exactree_model::Tree;

/// False positives and negatives of a tree, counted at its leaves.
fn pair_of(instance: &ClassCostInstance, examples: &CostExamples, tree: &Tree) -> (u64, u64) {
    let mut pair = (0, 0);
    for (row, &label) in instance.labels.iter().enumerate() {
        let predicted = tree.predict(|feature| {
            let feature = &examples.table.features[feature as usize];
            let value = instance.columns[feature.index as usize][row];
            feature.values.partition_point(|&other| other < value) as u32
        });
        pair.0 += u64::from(label == 0 && predicted == 1) * instance.weights[row];
        pair.1 += u64::from(label == 1 && predicted == 0) * instance.weights[row];
    }
    pair
}

impl ClassCostInstance {
    /// All non-dominated pairs, by trying every rule at every node.
    fn all_pairs(&self, rows: &[usize], depth: u32, size: u32) -> ParetoFront {
        let mut front = ParetoFront::default();
        let held = |label: u32| {
            let rows = rows.iter().filter(|&&row| self.labels[row] == label);
            rows.map(|&row| self.weights[row]).sum::<u64>()
        };
        front.insert((0, held(1)), || Tree::leaf(0));
        front.insert((held(0), 0), || Tree::leaf(1));
        if depth == 0 || size == 0 {
            return front;
        }
        for (left, right) in self.splits(rows) {
            for share in 0..size {
                let left = self.all_pairs(&left, depth - 1, share);
                let right = self.all_pairs(&right, depth - 1, size - 1 - share);
                for (a, b) in left.0.iter().flat_map(|a| right.0.iter().map(move |b| (a, b))) {
                    let sum = |one: u64, other: u64| one + other;
                    let pair = (
                        sum(a.false_positives, b.false_positives),
                        sum(a.false_negatives, b.false_negatives),
                    );
                    front.insert(pair, || Tree::leaf(0));
                }
            }
        }
        front
    }
}

#[test]
fn all_nondominated_pairs_between_two_are_found() {
    let mut random = fastrand::Rng::with_seed(20_261_126);
    let (mut found_inside, mut pruned, mut evicted) = (0, 0, 0);
    for _ in 0..7_000 {
        let mut instance = draw(&mut random, [8, 20, 14, 8], true);
        instance.labels.iter_mut().for_each(|label| *label %= 2);
        let all =
            instance.all_pairs(&instance.all_rows(), instance.limits.depth, instance.limits.size);
        let numbers = |pair: &ErrorPair| (pair.false_positives, pair.false_negatives);
        // Mostly the whole front, since few pairs lie between others.
        let whole = random.u32(0..4) > 0;
        let (first, last) = (random.usize(0..all.0.len()), random.usize(0..all.0.len()));
        let (first, last) = if whole { (0, all.0.len() - 1) } else { (first, last) };
        let ends = [first.min(last), first.max(last)];
        let [p, n] = [random.u64(1..9), random.u64(1..9)];
        let prices = ErrorPrices { positive: 1, false_positives: p, false_negatives: n };
        let by_class = vec![vec![0, p], vec![n, 0]];
        instance.kind = CostKind::Matrix(by_class, 0);
        let options = CostOptions::some_off(&mut random);
        let (examples, request) = instance.request_with(&options);
        let memory_limit = random.bool().then(|| random.usize(0..8_000));
        let request = CostRequest { memory_limit, ..request };
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let ends_of = ends.map(|at| numbers(&all.0[at]));
        let (pairs, stats) = pairs_between(&examples, &request, &clock, &prices, ends_of);
        let expected = all.0.get(ends[0] + 1..ends[1]).unwrap_or(&[]);
        let (found, expected): (Vec<_>, Vec<_>) =
            (pairs.iter().map(numbers).collect(), expected.iter().map(numbers).collect());
        assert_eq!(found, expected, "{instance:?} {ends_of:?} {options:?}");
        for pair in &pairs {
            assert_eq!(pair_of(&instance, &examples, &pair.tree), numbers(pair));
            assert!(pair.tree.depth() <= instance.limits.depth);
            assert!(pair.tree.size() <= instance.limits.size);
        }
        found_inside += pairs.len();
        pruned += stats.pruned.interval_bound + stats.pruned.similarity_bound;
        evicted += stats.cache_evicted;
    }
    let counts = (found_inside, pruned, evicted);
    assert!(found_inside > 1_000 && pruned > 400 && evicted > 1_000, "{counts:?}");
}
