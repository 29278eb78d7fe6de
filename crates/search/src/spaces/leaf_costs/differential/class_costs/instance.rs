//! Random tables of classes, the cost of their leaves by definition, and checks of the search.

use crate::costs::class_costs::{ClassCosts, ShareCost};
use crate::spaces::leaf_costs::differential::definition::{Definition, draw_limits, draw_table};
use crate::spaces::leaf_costs::{CostExamples, CostOptions, CostOutcome, CostRequest, solve_costs};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Limits, Status};

/// The cost of leaves: a matrix and the leaf price, or a cost of shares, the smoothing and the leaf
/// price.
#[derive(Clone, Debug)]
pub(crate) enum CostKind {
    Matrix(Vec<Vec<u64>>, u64),
    Shares(ShareCost, Vec<f64>, f64),
}

#[derive(Clone, Debug)]
pub(crate) struct ClassCostInstance {
    pub columns: Vec<Vec<f64>>,
    pub labels: Vec<u32>,
    pub weights: Vec<u64>,
    pub kind: CostKind,
    pub limits: Limits,
    pub threads: usize,
}

impl ClassCostInstance {
    fn classes(&self) -> usize {
        match &self.kind {
            CostKind::Matrix(by_class, _) => by_class.len(),
            CostKind::Shares(_, added, _) => added.len(),
        }
    }

    /// The prepared examples and the request.
    pub(crate) fn request_with(&self, options: &CostOptions) -> (CostExamples, CostRequest) {
        let (costs, price) = match &self.kind {
            CostKind::Matrix(by_class, price) => {
                ((ClassCosts::Matrix { by_class: by_class.clone(), price: *price }, 0), 0.0)
            }
            CostKind::Shares(kind, added, price) => {
                let mut whole = vec![0; added.len()];
                for (&label, &weight) in self.labels.iter().zip(&self.weights) {
                    whole[label as usize] += weight as i64;
                }
                (ClassCosts::of_shares(*kind, added.clone(), &whole, *price), *price)
            }
        };
        let request = CostRequest {
            limits: self.limits,
            leaf_price: price,
            memory_limit: None,
            stop_at_gap: 0.0,
            threads: self.threads,
            options: options.clone(),
        };
        let (columns, labels, weights) = (&self.columns, &self.labels, &self.weights);
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let examples = CostExamples::of_classes(&clock, columns, labels, weights, costs, &request);
        (examples.expect("nothing stops it"), request)
    }

    /// Checks that the search proves a tree optimal and that its cost is the minimum cost.
    pub(crate) fn check(&self, options: &CostOptions, optimum: f64) -> CostOutcome {
        let (examples, found) = self.solved(options);
        self.check_found((&examples, &found), options, optimum);
        found
    }

    /// Checks that a search proved a tree optimal and that its cost is the minimum cost.
    pub(crate) fn check_found(
        &self,
        (examples, found): (&CostExamples, &CostOutcome),
        options: &CostOptions,
        optimum: f64,
    ) {
        assert_eq!(found.outcome.status, Status::Optimal, "{self:?} {options:?}");
        let tree = found.outcome.tree.clone().expect("no limit forbids a leaf");
        let cost = self.cost(examples, &tree);
        // The rounding error of the formulas below is larger than that of the search.
        let near = 1e-11 * (1.0 + self.leaf(&self.all_rows()));
        assert!((cost - optimum).abs() <= near, "{cost} {optimum} {self:?} {options:?}");
        assert!(found.lower_bound <= optimum + near, "{self:?} {options:?}");
        // The stated rounding is within the tolerance.
        assert!(
            found.rounding <= 1e-9 * (1.0 + self.leaf(&self.all_rows())),
            "{self:?} {options:?}"
        );
        assert!(found.lower_bound >= optimum - near, "{self:?} {options:?}");
        if let CostKind::Matrix(..) = self.kind {
            assert_eq!(found.outcome.cost, Some(optimum as u64), "{self:?} {options:?}");
            assert_eq!(found.rounding_units, 0.0);
        }
    }
}

impl Definition for ClassCostInstance {
    type Cost = f64;

    fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Cost of a leaf by the textbook formulas, except that for shares near one the difference to
    /// one is computed from the other classes.
    fn leaf(&self, rows: &[usize]) -> f64 {
        let mut held = vec![0u64; self.classes()];
        rows.iter().for_each(|&row| held[self.labels[row] as usize] += self.weights[row]);
        match &self.kind {
            CostKind::Matrix(by_class, price) => {
                let predicted_cost = |label: usize| -> u64 {
                    (0..held.len())
                        .map(|true_class| held[true_class] * by_class[true_class][label])
                        .sum()
                };
                ((0..held.len()).map(predicted_cost).min().unwrap_or(0) + price) as f64
            }
            CostKind::Shares(kind, added, price) => {
                let smoothed: Vec<f64> =
                    held.iter().zip(added).map(|(&own, more)| own as f64 + more).collect();
                let (all, weight): (f64, u64) = (smoothed.iter().sum(), held.iter().sum());
                let others = |class: usize| -> f64 {
                    let others = smoothed.iter().enumerate().filter(|(other, _)| *other != class);
                    others.map(|(_, share)| share / all).sum()
                };
                let log_of_share = |class: usize| match smoothed[class] / all {
                    share if share > 0.5 => (-others(class)).ln_1p(),
                    share => share.ln(),
                };
                let cost = |class: usize| match kind {
                    ShareCost::LogLoss if held[class] == 0 => 0.0,
                    ShareCost::LogLoss => -(held[class] as f64) * log_of_share(class),
                    ShareCost::Gini => weight as f64 * (smoothed[class] / all) * others(class),
                };
                (0..held.len()).map(cost).sum::<f64>() + price
            }
        }
    }

    fn solved(&self, options: &CostOptions) -> (CostExamples, CostOutcome) {
        let (examples, request) = self.request_with(options);
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let found = solve_costs(&examples, &request, None, &clock, &progress);
        (examples, found)
    }
}

fn draw_kind(random: &mut fastrand::Rng, classes: usize, matrix: bool) -> CostKind {
    let price = [0, 0, 0, 1, 4][random.usize(0..5)];
    if matrix {
        // Large enough that a bound one eighth too high is detected.
        let cell = |random: &mut fastrand::Rng| 97 * random.u64(0..6);
        let row = |random: &mut fastrand::Rng| (0..classes).map(|_| cell(random)).collect();
        return CostKind::Matrix((0..classes).map(|_| row(random)).collect(), 97 * price);
    }
    let kind = [ShareCost::LogLoss, ShareCost::Gini][random.usize(0..2)];
    let added = match random.u32(0..3) {
        0 => vec![0.0; classes],
        1 => vec![1.0; classes],
        _ => (0..classes).map(|_| random.f64() * 4.0 + 1e-3).collect(),
    };
    CostKind::Shares(kind, added, price as f64 / 4.0)
}

/// A random instance; `max_rows` limits its rows by depth.
pub(crate) fn draw(
    random: &mut fastrand::Rng,
    max_rows: [usize; 4],
    matrix: bool,
) -> ClassCostInstance {
    let (depth, columns) = draw_table(random, max_rows, 3);
    let (rows, features) = (columns[0].len(), columns.len());
    let classes = random.usize(2..5);
    let noisy = random.bool();
    let label = |row: usize, random: &mut fastrand::Rng| match noisy || random.u32(0..8) == 0 {
        true => random.u32(0..classes as u32),
        false => (columns[0][row] as u32 + columns[features - 1][row] as u32) % classes as u32,
    };
    let labels = (0..rows).map(|row| label(row, random)).collect();
    // The definition sums matrix costs, which are below 2^9, in doubles: exact within 53 bits,
    // times any power of two.
    let (bits, shift) = if matrix { (43, random.u32(0..10)) } else { (62, 0) };
    let weights = random_weights::weights(random, rows, bits);
    let kind = match draw_kind(random, classes, matrix) {
        CostKind::Matrix(by_class, price) => CostKind::Matrix(by_class, price << shift),
        shares => shares,
    };
    ClassCostInstance {
        labels,
        weights: weights.into_iter().map(|weight| weight << shift).collect(),
        kind,
        limits: draw_limits(random, depth),
        threads: if random.u32(0..10) == 0 { 2 } else { 1 },
        columns,
    }
}
