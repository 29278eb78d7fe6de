//! Random regression tables, and checks of the search on them.

use super::definition::{Definition, draw_limits, draw_table};
use crate::costs::units::TargetError;
use crate::spaces::leaf_costs::{CostExamples, CostOptions, CostOutcome, CostRequest, solve_costs};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Limits, Status, Tree};
use std::sync::Arc;

/// Number of units of the definition in a unit of cost: the least common multiple of 1 to `LIGHT`. The
/// weight of every leaf of a light table divides it, so that costs are integers; the costs of a heavy
/// table are rounded down, leaf by leaf.
const WHOLE: i128 = 2_329_089_562_800;

/// Greatest total weight of a light table.
const LIGHT: u64 = 30;

#[derive(Debug)]
pub(in crate::spaces::leaf_costs) struct TargetInstance {
    pub columns: Vec<Vec<f64>>,
    pub targets: Vec<i64>,
    pub weights: Vec<u64>,
    pub deviation: TargetError,
    pub limits: Limits,
    /// Price of a leaf in sixteenths of a unit.
    pub sixteenths: u32,
    pub threads: usize,
}

impl TargetInstance {
    fn price(&self) -> i128 {
        WHOLE / 16 * i128::from(self.sixteenths)
    }

    /// A cost of the definition in the user's unit.
    pub(crate) fn in_units(&self, cost: i128) -> f64 {
        cost as f64 / WHOLE as f64
    }

    /// Whether a result, perhaps of an unfinished search, has a valid lower bound, and a cost that is
    /// not below the optimum, up to its rounding.
    pub(crate) fn encloses(&self, found: &CostOutcome, optimum: i128) -> bool {
        let rounded = if self.weight() <= LIGHT { 0 } else { 64 };
        let [optimum, rounded, one_leaf] =
            [optimum, rounded, self.leaf(&self.all_rows())].map(|cost| self.in_units(cost));
        let near = self.promised(optimum, one_leaf) + rounded + found.rounding;
        found.lower_bound <= optimum * (1.0 + 1e-15) + rounded
            && found.cost.is_none_or(|cost| cost >= optimum - near)
    }

    /// The weight of all rows.
    fn weight(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// The rounding error that the search promises not to exceed (docs/regression.md).
    fn promised(&self, cost: f64, one_leaf: f64) -> f64 {
        let of_one_leaf = match self.deviation {
            TargetError::Absolute => 3e-15,
            _ => 1e-15,
        };
        (1e-9 * cost).max(of_one_leaf * one_leaf)
    }

    /// Asserts that the search proves a tree of the minimum cost optimal, up to the promised
    /// rounding, and that its cost and lower bound are valid.
    pub(crate) fn check(&self, (examples, found): &(CostExamples, CostOutcome), optimum: i128) {
        let outcome = &found.outcome;
        assert_eq!(outcome.status, Status::Optimal, "{self:?}");
        let cost = self.cost(examples, outcome.tree.as_ref().expect("no limit forbids a leaf"));
        let one_leaf = self.leaf(&self.all_rows());
        // The definition rounds the costs of heavy rows, leaf by leaf.
        let rounded = if self.weight() <= LIGHT { 0 } else { 64 };
        let tolerance = match rounded {
            0 => 0,
            _ => self.promised(optimum as f64, one_leaf as f64) as i128 + rounded,
        };
        assert!((optimum..=optimum + tolerance).contains(&cost), "{cost} {optimum} {self:?}");
        let [exact, optimum, rounded, one_leaf] =
            [cost, optimum, rounded, one_leaf].map(|cost| self.in_units(cost));
        let near = self.promised(exact, one_leaf) + rounded;
        let reported = found.cost.expect("of the tree");
        assert!((reported - exact).abs() <= near, "{reported} {exact} {self:?}");
        let proved = exact - near..=optimum * (1.0 + 1e-15) + rounded;
        assert!(proved.contains(&found.lower_bound), "{} {exact} {self:?}", found.lower_bound);
    }

    /// Like `solved`, with targets mapped one by one.
    pub(crate) fn solved_with(
        &self,
        options: &CostOptions,
        change: impl Fn(f64) -> f64,
    ) -> (CostExamples, CostOutcome) {
        self.solved_from(options, change, None)
    }

    /// The request of a search with these switches.
    pub(crate) fn request(&self, options: &CostOptions) -> CostRequest {
        CostRequest {
            limits: self.limits,
            leaf_price: f64::from(self.sixteenths) / 16.0,
            memory_limit: None,
            stop_at_gap: 0.0,
            threads: self.threads,
            options: options.clone(),
        }
    }

    /// The prepared examples, with targets mapped one by one, and the request.
    pub(crate) fn request_with(
        &self,
        options: &CostOptions,
        change: impl Fn(f64) -> f64,
    ) -> (CostExamples, CostRequest) {
        let request = self.request(options);
        let targets: Vec<f64> = self.targets.iter().map(|&target| change(target as f64)).collect();
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let (columns, weights) = (&self.columns, &self.weights);
        let examples =
            CostExamples::new(&clock, columns, &targets, weights, self.deviation, &request);
        (examples.expect("nothing stops it"), request)
    }

    /// Like `solved`, starting from a tree.
    pub(crate) fn solved_from(
        &self,
        options: &CostOptions,
        change: impl Fn(f64) -> f64,
        initial: Option<&Arc<Tree>>,
    ) -> (CostExamples, CostOutcome) {
        let (examples, request) = self.request_with(options, change);
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let found = solve_costs(&examples, &request, initial, &clock, &progress);
        (examples, found)
    }
}

impl Definition for TargetInstance {
    type Cost = i128;

    fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Cost of a leaf, times `WHOLE`.
    fn leaf(&self, rows: &[usize]) -> i128 {
        let weight = |row: usize| i128::from(self.weights[row]);
        let target = |row: usize| i128::from(self.targets[row]);
        let all: i128 = rows.iter().map(|&row| weight(row)).sum();
        let off = match self.deviation {
            TargetError::Squared => {
                let sum: i128 = rows.iter().map(|&row| weight(row) * target(row)).sum();
                let squares: i128 = rows.iter().map(|&row| weight(row) * target(row).pow(2)).sum();
                // A sum of squares about the mean, times the weight; divided with remainder,
                // because the product with `WHOLE` has too many bits.
                let about_mean = squares * all - sum * sum;
                about_mean / all * WHOLE + about_mean % all * WHOLE / all
            }
            TargetError::Absolute => {
                let to = |other: usize| -> i128 {
                    rows.iter().map(|&row| weight(row) * (target(row) - target(other)).abs()).sum()
                };
                rows.iter().map(|&row| to(row)).min().unwrap_or(0) * WHOLE
            }
        };
        off + self.price()
    }

    fn solved(&self, options: &CostOptions) -> (CostExamples, CostOutcome) {
        self.solved_with(options, |target| target)
    }
}

/// Random weights. Costs times the weight of the table, and the remainder of a division by it times
/// `WHOLE`, must stay below 2^127.
fn draw_weights(random: &mut fastrand::Rng, rows: usize, targets: i64) -> Vec<u64> {
    match random.u32(0..3) {
        0 => vec![1; rows],
        1 if rows <= 10 => (0..rows).map(|_| random.u64(1..4)).collect(),
        1 => vec![1; rows],
        _ => random_weights::weights(random, rows, 61 - targets.ilog2()),
    }
}

/// A random instance; `max_rows` limits its rows by depth.
pub(in crate::spaces::leaf_costs) fn draw(
    random: &mut fastrand::Rng,
    max_rows: [usize; 4],
    columns: usize,
) -> TargetInstance {
    let (depth, columns) = draw_table(random, max_rows, columns);
    let (rows, features) = (columns[0].len(), columns.len());
    let below = [2, 4, 30, 1000][random.usize(0..4)];
    let noisy = random.bool();
    let target = |row: usize, random: &mut fastrand::Rng| match noisy || random.u32(0..8) == 0 {
        true => random.i64(0..below),
        false => (columns[0][row] as i64 * 3 + columns[features - 1][row] as i64) % below,
    };
    let targets: Vec<i64> = (0..rows).map(|row| target(row, random)).collect();
    let weights = draw_weights(random, rows, below);
    TargetInstance {
        columns,
        targets,
        weights,
        deviation: [TargetError::Squared, TargetError::Squared, TargetError::Absolute]
            [random.usize(0..3)],
        limits: draw_limits(random, depth),
        sixteenths: [0, 0, 0, 1, 8, 100][random.usize(0..6)],
        threads: if random.u32(0..10) == 0 { 2 } else { 1 },
    }
}

/// An instance whose rules are columns of bits, up to four levels deep.
pub(in crate::spaces::leaf_costs) fn draw_columns(random: &mut fastrand::Rng) -> TargetInstance {
    let (depth, features) = (random.u32(1..5), random.usize(1..6));
    let rows = random.usize(2..[12, 30, 40, 30][depth as usize - 1]);
    let dense = random.u32(1..4);
    let mut columns: Vec<Vec<f64>> = (0..features)
        .map(|_| (0..rows).map(|_| f64::from(random.u32(0..4) < dense)).collect())
        .collect();
    if random.bool() {
        // Thresholds of one feature form chains, and so do their opposites.
        let numbers: Vec<u32> = (0..rows).map(|_| random.u32(0..6)).collect();
        for (at, column) in columns.iter_mut().enumerate().skip(1) {
            let above = |&number: &u32| f64::from((number > at as u32) != (at == 2));
            *column = numbers.iter().map(above).collect();
        }
    }
    let weights = draw_weights(random, rows, 50);
    let full = (1 << depth) - 1;
    TargetInstance {
        columns,
        targets: (0..rows).map(|_| random.i64(0..50)).collect(),
        weights,
        deviation: TargetError::Squared,
        limits: Limits {
            depth,
            size: if random.bool() { full } else { random.u32(0..8).min(full) },
            min_samples_leaf: [1, 1, 2, 3][random.usize(0..4)],
        },
        sixteenths: [0, 0, 1, 100][random.usize(0..4)],
        threads: if random.u32(0..10) == 0 { 2 } else { 1 },
    }
}
