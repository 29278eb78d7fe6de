//! The search against the definition in exact fractions on random tables, and against
//! itself with wrong bounds: every mutant must be noticed.
//!
//! Length: all compare one kind of random instance with one definition.

use super::clusters::least_cost_of_groups;
use super::ground::{self, Ground};
use super::part::{Part, leaf_of};
use super::{
    Deviation, Examples, Regression, RegressionOptions, RegressionRequest, Units, regression,
};
use crate::limits::{Clock, StopSwitch};
use crate::mutants::{Mutant, with};
use crate::tracer::Progress;
use exactree_model::{Cost, Limits, Status, Table, Tree};
use std::sync::Arc;

/// Every weight of a small table divides it: costs times this are integers.
const WHOLE: i128 = 2_329_089_562_800;

#[derive(Debug)]
struct Instance {
    columns: Vec<Vec<f64>>,
    targets: Vec<i64>,
    weights: Vec<u64>,
    deviation: Deviation,
    limits: Limits,
    /// Sixteenths of a unit.
    penalty: u32,
    threads: usize,
}

impl Instance {
    fn price(&self) -> i128 {
        WHOLE / 16 * i128::from(self.penalty)
    }

    /// What a leaf costs, times `WHOLE`.
    fn leaf(&self, rows: &[usize]) -> i128 {
        let weight = |row: usize| i128::from(self.weights[row]);
        let target = |row: usize| i128::from(self.targets[row]);
        let all: i128 = rows.iter().map(|&row| weight(row)).sum();
        let off = match self.deviation {
            Deviation::Squared => {
                let sum: i128 = rows.iter().map(|&row| weight(row) * target(row)).sum();
                let squares: i128 = rows.iter().map(|&row| weight(row) * target(row).pow(2)).sum();
                squares * WHOLE - sum * sum * (WHOLE / all)
            }
            Deviation::Absolute => {
                let to = |other: usize| -> i128 {
                    rows.iter().map(|&row| weight(row) * (target(row) - target(other)).abs()).sum()
                };
                rows.iter().map(|&row| to(row)).min().unwrap_or(0) * WHOLE
            }
            Deviation::Classes => unreachable!("class_costs/differential.rs has these"),
        };
        off + self.price()
    }

    /// Least cost by trying every rule at every node.
    fn definition(&self, rows: &[usize], depth: u32, size: u32) -> i128 {
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

    /// What a tree costs, times `WHOLE`; it must be within the limits.
    fn cost(&self, examples: &Examples, tree: &Tree, rows: &[usize], depth: u32) -> i128 {
        match tree {
            Tree::Leaf { .. } => {
                assert!(rows.len() as u64 >= self.limits.min_rows.min(self.targets.len() as u64));
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
        self.solved_with(options, |target| target)
    }

    /// The same with targets changed one by one.
    fn solved_with(
        &self,
        options: &RegressionOptions,
        change: impl Fn(f64) -> f64,
    ) -> (Examples, Regression) {
        self.solved_from(options, change, None)
    }

    /// The same, from a tree on.
    fn solved_from(
        &self,
        options: &RegressionOptions,
        change: impl Fn(f64) -> f64,
        given: Option<&Arc<Tree>>,
    ) -> (Examples, Regression) {
        let request = RegressionRequest {
            limits: self.limits,
            leaf_penalty: f64::from(self.penalty) / 16.0,
            memory_limit: None,
            stop_at_gap: 0.0,
            threads: self.threads,
            options: options.clone(),
        };
        let targets: Vec<f64> = self.targets.iter().map(|&target| change(target as f64)).collect();
        let examples =
            Examples::new(&self.columns, &targets, &self.weights, self.deviation, &request);
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let found = regression(&examples, &request, given, &clock, &progress);
        (examples, found)
    }

    /// The exact cost of what the search finds, which it has to call best.
    fn found(&self, options: &RegressionOptions) -> i128 {
        let (examples, found) = self.solved(options);
        assert_eq!(found.outcome.status, Status::Optimal, "{self:?} {options:?}");
        let tree = found.outcome.tree.expect("no limit forbids a leaf");
        let rows: Vec<usize> = (0..self.targets.len()).collect();
        assert!(tree.size() <= self.limits.size);
        let cost = self.cost(&examples, &tree, &rows, self.limits.depth);
        let exact = cost as f64 / WHOLE as f64;
        let near = (1e-9 * exact).max(1e-15 * self.leaf(&rows) as f64 / WHOLE as f64);
        assert!((found.cost.expect("of the tree") - exact).abs() <= near, "{self:?}");
        assert!(found.lower_bound <= exact && found.lower_bound >= exact - near, "{self:?}");
        cost
    }
}

/// A random instance of at most so many rows, by depth; all weights together are at
/// most 30.
fn draw(random: &mut fastrand::Rng, most_rows: [usize; 4], columns: usize) -> Instance {
    let depth = random.u32(0..4);
    let rows = random.usize(2..most_rows[depth as usize]);
    let features = random.usize(1..columns + 1);
    let values = [2, 2, 3, 6, 40][random.usize(0..5)];
    let columns: Vec<Vec<f64>> =
        (0..features).map(|_| (0..rows).map(|_| random.u32(0..values) as f64).collect()).collect();
    let targets = [2, 4, 30, 1000][random.usize(0..4)];
    let noisy = random.bool();
    let target = |row: usize, random: &mut fastrand::Rng| match noisy || random.u32(0..8) == 0 {
        true => random.i64(0..targets),
        false => (columns[0][row] as i64 * 3 + columns[features - 1][row] as i64) % targets,
    };
    let targets: Vec<i64> = (0..rows).map(|row| target(row, random)).collect();
    let heavy = random.u32(0..3) == 0 && rows <= 10;
    let weights = (0..rows).map(|_| if heavy { random.u64(1..4) } else { 1 }).collect();
    let full = (1 << depth) - 1;
    Instance {
        columns,
        targets,
        weights,
        deviation: [Deviation::Squared, Deviation::Squared, Deviation::Absolute]
            [random.usize(0..3)],
        limits: Limits {
            depth,
            size: if random.bool() { full } else { random.u32(0..8).min(full) },
            min_rows: [1, 1, 1, 2, 3][random.usize(0..5)],
        },
        penalty: [0, 0, 0, 1, 8, 100][random.usize(0..6)],
        threads: if random.u32(0..10) == 0 { 2 } else { 1 },
    }
}

/// The best tree and any stump, as trees of the table.
fn starts(random: &mut fastrand::Rng, instance: &Instance) -> Vec<Arc<Tree>> {
    let (examples, best) = instance.solved(&RegressionOptions::default());
    let mut starts: Vec<Arc<Tree>> = best.outcome.tree.into_iter().collect();
    let least = instance.limits.min_rows as usize;
    for (at, feature) in examples.table.features.iter().enumerate() {
        let rank = random.u32(0..feature.values.len() as u32 - 1);
        let column = &instance.columns[feature.index as usize];
        let to_left = column.iter().filter(|&&x| x <= feature.values[rank as usize]).count();
        if instance.limits.size > 0 && to_left.min(column.len() - to_left) >= least {
            starts.push(Tree::node(at as u32, rank, Tree::leaf(0), Tree::leaf(0)));
        }
    }
    starts
}

#[test]
fn a_tree_to_begin_with_changes_no_optimum() {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut fewer, mut begun) = (0, 0);
    for _ in 0..1_000 {
        let instance = draw(&mut random, [8, 30, 20, 10], 3);
        let rows: Vec<usize> = (0..instance.targets.len()).collect();
        let least = instance.definition(&rows, instance.limits.depth, instance.limits.size);
        let options = RegressionOptions::some_off(&mut random);
        let alone = instance.solved(&options).1.stats.nodes;
        for start in starts(&mut random, &instance) {
            let (examples, found) = instance.solved_from(&options, |target| target, Some(&start));
            assert_eq!(found.outcome.status, Status::Optimal, "{instance:?} {options:?}");
            let tree = found.outcome.tree.expect("of an optimal outcome");
            let cost = instance.cost(&examples, &tree, &rows, instance.limits.depth);
            assert_eq!(cost, least, "{instance:?} {options:?} {start:?}");
            fewer += (found.stats.nodes < alone) as u32;
            begun += 1;
        }
    }
    assert!(begun > 2_000 && fewer > 20, "{begun} starts, {fewer} of them of use");
}

#[test]
fn the_search_agrees_with_the_definition_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let mut given_up = [0; 10];
    for _ in 0..3_000 {
        let instance = draw(&mut random, [8, 30, 20, 10], 3);
        let rows: Vec<usize> = (0..instance.targets.len()).collect();
        let least = instance.definition(&rows, instance.limits.depth, instance.limits.size);
        let options = [
            RegressionOptions::default(),
            RegressionOptions::some_off(&mut random),
            RegressionOptions::some_off(&mut random),
        ];
        for options in &options {
            assert_eq!(instance.found(options), least, "{instance:?} {options:?}");
        }
        let (_, found) = instance.solved(&options[1]);
        for (sum, (_, count)) in given_up.iter_mut().zip(found.discards()) {
            *sum += count;
        }
    }
    assert!(given_up.iter().all(|&count| count > 0), "{given_up:?}");
}

/// An instance whose rules are columns of bits, up to four levels deep.
fn draw_columns(random: &mut fastrand::Rng) -> Instance {
    let (depth, features) = (random.u32(1..5), random.usize(1..6));
    let rows = random.usize(2..[12, 30, 40, 30][depth as usize - 1]);
    let dense = random.u32(1..4);
    let mut columns: Vec<Vec<f64>> = (0..features)
        .map(|_| (0..rows).map(|_| f64::from(random.u32(0..4) < dense)).collect())
        .collect();
    if random.bool() {
        // Thresholds of one number are chains, and so are opposites of them.
        let numbers: Vec<u32> = (0..rows).map(|_| random.u32(0..6)).collect();
        for (at, column) in columns.iter_mut().enumerate().skip(1) {
            let above = |&number: &u32| f64::from((number > at as u32) != (at == 2));
            *column = numbers.iter().map(above).collect();
        }
    }
    let weights = (0..rows).map(|_| if rows <= 10 { random.u64(1..4) } else { 1 }).collect();
    let full = (1 << depth) - 1;
    Instance {
        columns,
        targets: (0..rows).map(|_| random.i64(0..50)).collect(),
        weights,
        deviation: Deviation::Squared,
        limits: Limits {
            depth,
            size: if random.bool() { full } else { random.u32(0..8).min(full) },
            min_rows: [1, 1, 2, 3][random.usize(0..4)],
        },
        penalty: [0, 0, 1, 100][random.usize(0..4)],
        threads: if random.u32(0..10) == 0 { 2 } else { 1 },
    }
}

#[test]
fn counts_of_columns_agree_with_the_definition() {
    let mut random = fastrand::Rng::with_seed(20_261_125);
    let (mut counted, mut deep) = (0, 0);
    for _ in 0..2_500 {
        let instance = draw_columns(&mut random);
        let rows: Vec<usize> = (0..instance.targets.len()).collect();
        let least = instance.definition(&rows, instance.limits.depth, instance.limits.size);
        let on = RegressionOptions::default();
        for options in [&on, &RegressionOptions::some_off(&mut random)] {
            assert_eq!(instance.found(options), least, "{instance:?} {options:?}");
        }
        let stats = instance.solved(&on).1.stats;
        counted += stats.depth_two_calls;
        deep += u64::from(instance.limits.depth == 4) * stats.nodes;
    }
    assert!(counted > 2_000 && deep > 2_000, "{counted} {deep}");
}

#[test]
fn with_all_switches_off_the_search_is_the_definition() {
    let mut random = fastrand::Rng::with_seed(20_261_122);
    for _ in 0..500 {
        let instance = draw(&mut random, [8, 20, 14, 9], 2);
        let rows: Vec<usize> = (0..instance.targets.len()).collect();
        let least = instance.definition(&rows, instance.limits.depth, instance.limits.size);
        assert_eq!(instance.found(&RegressionOptions::all_off()), least, "{instance:?}");
    }
}

#[test]
fn scaled_and_shifted_targets_have_the_same_tree() {
    let mut random = fastrand::Rng::with_seed(20_261_123);
    for _ in 0..300 {
        let instance = Instance { penalty: 0, ..draw(&mut random, [8, 60, 60, 30], 3) };
        let tree = |change: &dyn Fn(f64) -> f64| {
            let found = instance.solved_with(&RegressionOptions::default(), change).1.outcome;
            (format!("{:?}", found.tree), found.cost)
        };
        let plain = tree(&|target| target);
        assert_eq!(tree(&|target| target + 1e8), plain);
        assert_eq!(tree(&|target| target * 2f64.powi(-1030)), plain);
        assert_eq!(tree(&|target| target * 2f64.powi(1000)), plain);
    }
}

#[test]
fn every_mutant_of_a_bound_is_noticed() {
    let mutants = [
        Mutant::RegressionIntervals,
        Mutant::RegressionFeatureBounds,
        Mutant::RegressionNeighbourhood,
        Mutant::RegressionLeafBudget,
        Mutant::RegressionLeafPrice,
        Mutant::RegressionMemo,
        Mutant::RegressionEqualRows,
        Mutant::RegressionClusters,
        Mutant::RegressionRelaxation,
        Mutant::RegressionStumpBounds,
    ];
    for mutant in mutants {
        let mut random = fastrand::Rng::with_seed(20_261_124);
        let noticed = (0..4_000).find(|_| {
            let instance = draw(&mut random, [8, 60, 40, 20], 3);
            let cost = |found: Regression| (found.outcome.status, found.outcome.cost);
            let right = cost(instance.solved(&RegressionOptions::default()).1);
            (0..2).any(|_| {
                let options = RegressionOptions::some_off(&mut random);
                with(Some(mutant), || cost(instance.solved(&options).1)) != right
            })
        });
        println!("{mutant:?} noticed after {noticed:?} instances");
        assert!(noticed.is_some(), "{mutant:?} went unnoticed");
    }
}

/// Targets that rounding is hard on: one far away from many that are nearly the same.
fn hard_targets(random: &mut fastrand::Rng) -> Vec<f64> {
    let near = [1.0, 1e-4, 1e-7, 1e-9][random.usize(0..4)];
    let different = [3, 40, 1 << 30][random.usize(0..3)];
    let mut targets: Vec<f64> = (0..random.usize(5..60))
        .map(|_| near * f64::from(random.u32(0..different)) / f64::from(different))
        .collect();
    (0..random.usize(0..3)).for_each(|_| targets.push(1.0 - random.f64() / 8.0));
    targets
}

/// What the search says that the best `groups` runs of a part cost, by trying all.
fn least_of_runs(ground: &Ground, count: usize, groups: usize) -> Cost {
    let run = |first: usize, end: usize| leaf_of(ground, first as u32..end as u32);
    let mut best: Vec<Cost> = (0..=count).map(|end| run(0, end)).collect();
    for _ in 1..groups {
        best = (0..=count)
            .map(|end| (0..=end).map(|first| best[first] + run(first, end)).min().unwrap_or(0))
            .collect();
    }
    best[count]
}

#[test]
fn groups_found_by_halving_never_cost_more_than_the_best() {
    let mut random = fastrand::Rng::with_seed(20_261_125);
    let mut unlike = 0;
    for number in 0..3_000 {
        let targets = hard_targets(&mut random);
        let heavy = random.bool();
        let weights: Vec<u64> =
            targets.iter().map(|_| if heavy { random.u64(1..1 << 20) } else { 1 }).collect();
        let columns: [Vec<f64>; 1] = [(0..targets.len()).map(|row| row as f64).collect()];
        let deviation = [Deviation::Squared, Deviation::Absolute][number % 2];
        let (distinct, codes) = ground::codes(&targets);
        let by_code = ground::weights_of(&codes, &weights, distinct.len());
        let coarse = Units::new(deviation, &distinct, &by_code, 0.0);
        let units = coarse.finer().filter(|_| random.bool()).unwrap_or(coarse);
        let table = Table::new(&columns, &codes, &weights, distinct.len());
        let ground = Ground::new(&table, units, &RegressionOptions::default(), 1);
        let part = Part::whole(&ground);
        let leaves = random.u32(2..9);
        let found = least_cost_of_groups(&ground, &part, leaves, 0);
        let least = least_of_runs(&ground, part.count, leaves as usize);
        let levels = i64::from(part.count.ilog2()) + 1;
        let off = 4 * i64::from(leaves) * (levels + 1) * ground.units.leaf_off(part.count);
        assert!(found <= least, "{found} {least} {targets:?}");
        assert!(found as i64 >= least as i64 - off, "{found} {least} {targets:?}");
        unlike += u32::from(halved(&ground, &part, leaves) > least);
    }
    // Without what is allowed for, halving would go wrong on these.
    println!("{unlike} would be wrong");
    assert!(unlike > 0);
}

/// The groups found by halving, with nothing allowed for.
fn halved(ground: &Ground, part: &Part, leaves: u32) -> Cost {
    with(Some(Mutant::RegressionRounding), || least_cost_of_groups(ground, part, leaves, 0))
}
