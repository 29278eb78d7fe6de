//! The search for costs of classes against the definition on random tables, and against itself
//! with a wrong bound, which must be noticed.

use super::{ClassCosts, Shares};
use crate::limits::{Clock, StopSwitch};
use crate::mutants::{Mutant, with};
use crate::regression::pairs::{Pair, Prices, Staircase};
use crate::regression::{
    Examples, Regression, RegressionOptions, RegressionRequest, pairs_between, regression,
};
use crate::tracer::Progress;
use exactree_model::{Limits, Status, Tree};

#[derive(Clone, Debug)]
enum Kind {
    Matrix(Vec<Vec<u64>>, u64),
    Shares(Shares, Vec<f64>, f64),
}

#[derive(Clone, Debug)]
struct Instance {
    columns: Vec<Vec<f64>>,
    labels: Vec<u32>,
    weights: Vec<u64>,
    kind: Kind,
    limits: Limits,
    threads: usize,
}

impl Instance {
    fn classes(&self) -> usize {
        match &self.kind {
            Kind::Matrix(by_class, _) => by_class.len(),
            Kind::Shares(_, added, _) => added.len(),
        }
    }

    /// What a leaf costs, by the formulas as they are read.
    fn leaf(&self, rows: &[usize]) -> f64 {
        let mut held = vec![0u64; self.classes()];
        rows.iter().for_each(|&row| held[self.labels[row] as usize] += self.weights[row]);
        match &self.kind {
            Kind::Matrix(by_class, price) => {
                let said = |label: usize| -> u64 {
                    (0..held.len())
                        .map(|true_class| held[true_class] * by_class[true_class][label])
                        .sum()
                };
                ((0..held.len()).map(said).min().unwrap_or(0) + price) as f64
            }
            Kind::Shares(kind, added, price) => {
                let smoothed: Vec<f64> =
                    held.iter().zip(added).map(|(&own, more)| own as f64 + more).collect();
                let (all, weight): (f64, u64) = (smoothed.iter().sum(), held.iter().sum());
                let cost = match kind {
                    Shares::LogLoss => {
                        let pairs = held.iter().zip(&smoothed).filter(|(own, _)| **own > 0);
                        pairs.map(|(&own, share)| -(own as f64) * (share / all).ln()).sum::<f64>()
                    }
                    Shares::Gini => {
                        let squares: f64 = smoothed.iter().map(|share| (share / all).powi(2)).sum();
                        weight as f64 * (1.0 - squares)
                    }
                };
                cost + price
            }
        }
    }

    /// Least cost by trying every rule at every node.
    fn definition(&self, rows: &[usize], depth: u32, size: u32) -> f64 {
        let mut least = self.leaf(rows);
        if depth == 0 || size == 0 {
            return least;
        }
        for column in &self.columns {
            let mut values: Vec<f64> = rows.iter().map(|&row| column[row]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            for threshold in &values[..values.len() - 1] {
                let (left, right): (Vec<usize>, Vec<usize>) =
                    rows.iter().partition(|&&row| column[row] <= *threshold);
                if (left.len().min(right.len()) as u64) < self.limits.min_rows {
                    continue;
                }
                for share in 0..size {
                    let left = self.definition(&left, depth - 1, share);
                    if left < least {
                        least =
                            least.min(left + self.definition(&right, depth - 1, size - 1 - share));
                    }
                }
            }
        }
        least
    }

    /// What a tree costs; it must be within the limits.
    fn cost(&self, examples: &Examples, tree: &Tree, rows: &[usize], depth: u32) -> f64 {
        match tree {
            Tree::Leaf { .. } => {
                assert!(rows.len() as u64 >= self.limits.min_rows.min(self.labels.len() as u64));
                self.leaf(rows)
            }
            Tree::Node { feature, rank, left, right } => {
                assert!(depth > 0);
                let feature = &examples.table.features[*feature as usize];
                let threshold = feature.values[*rank as usize];
                let column = &self.columns[feature.index as usize];
                let (to_left, to_right): (Vec<usize>, Vec<usize>) =
                    rows.iter().partition(|&&row| column[row] <= threshold);
                self.cost(examples, left, &to_left, depth - 1)
                    + self.cost(examples, right, &to_right, depth - 1)
            }
        }
    }

    fn solved(&self, options: &RegressionOptions) -> (Examples, Regression) {
        let (costs, penalty) = match &self.kind {
            Kind::Matrix(by_class, price) => {
                ((ClassCosts::Matrix { by_class: by_class.clone(), price: *price }, 0), 0.0)
            }
            Kind::Shares(kind, added, price) => {
                let mut whole = vec![0; added.len()];
                for (&label, &weight) in self.labels.iter().zip(&self.weights) {
                    whole[label as usize] += weight as i64;
                }
                (ClassCosts::of_shares(*kind, added.clone(), &whole, *price), *price)
            }
        };
        let request = RegressionRequest {
            limits: self.limits,
            leaf_penalty: penalty,
            memory_limit: None,
            stop_at_gap: 0.0,
            threads: self.threads,
            options: options.clone(),
        };
        let examples =
            Examples::of_classes(&self.columns, &self.labels, &self.weights, costs, &request);
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let found = regression(&examples, &request, None, &clock, &progress);
        (examples, found)
    }

    /// Checks what the search finds, which it has to call best, against the least cost.
    fn check(&self, options: &RegressionOptions, least: f64) -> Regression {
        let (examples, found) = self.solved(options);
        assert_eq!(found.outcome.status, Status::Optimal, "{self:?} {options:?}");
        let tree = found.outcome.tree.clone().expect("no limit forbids a leaf");
        let rows: Vec<usize> = (0..self.labels.len()).collect();
        assert!(tree.size() <= self.limits.size);
        let cost = self.cost(&examples, &tree, &rows, self.limits.depth);
        // The formulas above are off by more than the search.
        let near = 1e-11 * (1.0 + self.leaf(&rows));
        assert!((cost - least).abs() <= near, "{cost} {least} {self:?} {options:?}");
        assert!(found.lower_bound <= least + near, "{self:?} {options:?}");
        assert!(found.lower_bound >= least - near, "{self:?} {options:?}");
        if let Kind::Matrix(..) = self.kind {
            assert_eq!(found.outcome.cost, Some(least as u64), "{self:?} {options:?}");
            assert_eq!(found.slack, 0.0);
        }
        found
    }
}

fn draw_kind(random: &mut fastrand::Rng, classes: usize, matrix: bool) -> Kind {
    let price = [0, 0, 0, 1, 4][random.usize(0..5)];
    if matrix {
        // Large enough that bounds an eighth too high are wrong.
        let cell = |random: &mut fastrand::Rng| 97 * random.u64(0..6);
        let row = |random: &mut fastrand::Rng| (0..classes).map(|_| cell(random)).collect();
        return Kind::Matrix((0..classes).map(|_| row(random)).collect(), 97 * price);
    }
    let kind = [Shares::LogLoss, Shares::Gini][random.usize(0..2)];
    let added = match random.u32(0..3) {
        0 => vec![0.0; classes],
        1 => vec![1.0; classes],
        _ => (0..classes).map(|_| random.f64() * 4.0 + 1e-3).collect(),
    };
    Kind::Shares(kind, added, price as f64 / 4.0)
}

/// A random instance of at most so many rows, by depth.
fn draw(random: &mut fastrand::Rng, most_rows: [usize; 4], matrix: bool) -> Instance {
    let depth = random.u32(0..4);
    let rows = random.usize(2..most_rows[depth as usize]);
    let features = random.usize(1..4);
    let values = [2, 2, 3, 6, 40][random.usize(0..5)];
    let columns: Vec<Vec<f64>> =
        (0..features).map(|_| (0..rows).map(|_| random.u32(0..values) as f64).collect()).collect();
    let classes = random.usize(2..5);
    let noisy = random.bool();
    let label = |row: usize, random: &mut fastrand::Rng| match noisy || random.u32(0..8) == 0 {
        true => random.u32(0..classes as u32),
        false => (columns[0][row] as u32 + columns[features - 1][row] as u32) % classes as u32,
    };
    let labels = (0..rows).map(|row| label(row, random)).collect();
    let heavy = random.u32(0..3) == 0;
    let full = (1 << depth) - 1;
    Instance {
        labels,
        weights: (0..rows).map(|_| if heavy { random.u64(1..4) } else { 1 }).collect(),
        kind: draw_kind(random, classes, matrix),
        limits: Limits {
            depth,
            size: if random.bool() { full } else { random.u32(0..8).min(full) },
            min_rows: [1, 1, 1, 2, 3][random.usize(0..5)],
        },
        threads: if random.u32(0..10) == 0 { 2 } else { 1 },
        columns,
    }
}

#[test]
fn the_search_agrees_with_the_definition_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    for matrix in [true, false] {
        let mut given_up = [0; 10];
        for _ in 0..1_500 {
            let instance = draw(&mut random, [8, 30, 16, 9], matrix);
            let rows: Vec<usize> = (0..instance.labels.len()).collect();
            let least = instance.definition(&rows, instance.limits.depth, instance.limits.size);
            instance.check(&RegressionOptions::default(), least);
            instance.check(&RegressionOptions::all_off(), least);
            let found = instance.check(&RegressionOptions::some_off(&mut random), least);
            for (sum, (_, count)) in given_up.iter_mut().zip(found.discards()) {
                *sum += count;
            }
        }
        // Groups of numbers are no bound for classes; bounds of neighbours need larger tables,
        // which tests/engine/test_class_costs.py has.
        let unused = given_up.iter().enumerate().filter(|(_, count)| **count == 0);
        let unused: Vec<usize> = unused.map(|(at, _)| at).collect();
        assert!(unused == [7] || unused == [2, 7], "{given_up:?}");
    }
}

/// Bounds are those of the search for numbers, whose own test has their mutants; this one rests on
/// leaves alone that never cost less with more items.
#[test]
fn intervals_that_discard_too_much_are_noticed() {
    let mut random = fastrand::Rng::with_seed(20_261_124);
    let noticed = (0..4_000).find(|_| {
        let instance = draw(&mut random, [8, 60, 40, 20], true);
        let cost = |found: Regression| (found.outcome.status, found.outcome.cost);
        let right = cost(instance.solved(&RegressionOptions::default()).1);
        (0..2).any(|_| {
            let options = RegressionOptions::some_off(&mut random);
            let solved = || cost(instance.solved(&options).1);
            with(Some(Mutant::RegressionIntervals), solved) != right
        })
    });
    assert!(noticed.is_some());
}

/// False positives and negatives of a tree, told by its leaves.
fn pair_of(instance: &Instance, examples: &Examples, tree: &Tree) -> (u64, u64) {
    let mut pair = (0, 0);
    for (row, &label) in instance.labels.iter().enumerate() {
        let said = tree.predict(|feature| {
            let feature = &examples.table.features[feature as usize];
            let value = instance.columns[feature.index as usize][row];
            feature.values.partition_point(|&other| other < value) as u32
        });
        pair.0 += u64::from(label == 0 && said == 1) * instance.weights[row];
        pair.1 += u64::from(label == 1 && said == 0) * instance.weights[row];
    }
    pair
}

impl Instance {
    /// All best pairs, by trying every rule at every node.
    fn all_pairs(&self, rows: &[usize], depth: u32, size: u32) -> Staircase {
        let mut stairs = Staircase::default();
        let held = |label: u32| {
            let rows = rows.iter().filter(|&&row| self.labels[row] == label);
            rows.map(|&row| self.weights[row]).sum::<u64>()
        };
        stairs.insert((0, held(1)), || Tree::leaf(0));
        stairs.insert((held(0), 0), || Tree::leaf(1));
        if depth == 0 || size == 0 {
            return stairs;
        }
        for column in &self.columns {
            let mut values: Vec<f64> = rows.iter().map(|&row| column[row]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            for threshold in &values[..values.len() - 1] {
                let (left, right): (Vec<usize>, Vec<usize>) =
                    rows.iter().partition(|&&row| column[row] <= *threshold);
                if (left.len().min(right.len()) as u64) < self.limits.min_rows {
                    continue;
                }
                for share in 0..size {
                    let left = self.all_pairs(&left, depth - 1, share);
                    let right = self.all_pairs(&right, depth - 1, size - 1 - share);
                    for (a, b) in left.0.iter().flat_map(|a| right.0.iter().map(move |b| (a, b))) {
                        let sum = |one: u64, other: u64| one + other;
                        let pair = (
                            sum(a.false_positives, b.false_positives),
                            sum(a.false_negatives, b.false_negatives),
                        );
                        stairs.insert(pair, || Tree::leaf(0));
                    }
                }
            }
        }
        stairs
    }
}

#[test]
fn all_best_pairs_between_two_are_found() {
    let mut random = fastrand::Rng::with_seed(20_261_126);
    let (mut found_inside, mut discarded) = (0, 0);
    for _ in 0..2_500 {
        let mut instance = draw(&mut random, [8, 20, 14, 8], true);
        instance.labels.iter_mut().for_each(|label| *label %= 2);
        let rows: Vec<usize> = (0..instance.labels.len()).collect();
        let all = instance.all_pairs(&rows, instance.limits.depth, instance.limits.size);
        let numbers = |pair: &Pair| (pair.false_positives, pair.false_negatives);
        let (first, last) = (random.usize(0..all.0.len()), random.usize(0..all.0.len()));
        let ends = [first.min(last), first.max(last)];
        let [p, n] = [random.u64(1..9), random.u64(1..9)];
        let prices = Prices { positive: 1, false_positives: p, false_negatives: n };
        let by_class = vec![vec![0, p], vec![n, 0]];
        instance.kind = Kind::Matrix(by_class.clone(), 0);
        let request = RegressionRequest {
            limits: instance.limits,
            leaf_penalty: 0.0,
            memory_limit: None,
            stop_at_gap: 0.0,
            threads: 1,
            options: RegressionOptions::some_off(&mut random),
        };
        let costs = (ClassCosts::Matrix { by_class, price: 0 }, 0);
        let (columns, labels) = (&instance.columns, &instance.labels);
        let examples = Examples::of_classes(columns, labels, &instance.weights, costs, &request);
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let ends_of = ends.map(|at| numbers(&all.0[at]));
        let (pairs, stats) = pairs_between(&examples, &request, &clock, &prices, ends_of);
        let expected = all.0.get(ends[0] + 1..ends[1]).unwrap_or(&[]);
        let (found, expected): (Vec<_>, Vec<_>) =
            (pairs.iter().map(numbers).collect(), expected.iter().map(numbers).collect());
        assert_eq!(found, expected, "{instance:?} {ends_of:?} {:?}", request.options);
        for pair in &pairs {
            assert_eq!(pair_of(&instance, &examples, &pair.tree), numbers(pair));
            assert!(pair.tree.depth() <= instance.limits.depth);
            assert!(pair.tree.size() <= instance.limits.size);
        }
        found_inside += pairs.len();
        discarded += stats.discards.intervals + stats.discards.neighbourhood;
    }
    assert!(found_inside > 100 && discarded > 100, "{found_inside} {discarded}");
}
