//! Sums of costs under constraints against the definition: all trees are listed.

mod tasks;

use super::{ConstrainedExamples, FeaturePrices, constrained_costs};
use crate::constraints::differential::instance::{
    draw_columns, draw_constraints, grid, without_choice,
};
use crate::constraints::differential::trees::{
    Fraction, Instance, LeafDefinition, Listed, class_weights, share,
};
use crate::constraints::statement::TreeConstraints;
use crate::costs::class_costs::{ClassCosts, ShareCost};
use crate::costs::units::TargetError;
use crate::spaces::leaf_costs::{CostOptions, CostOutcome, CostRequest};
use crate::support::clock::{Clock, StopSwitch, stop_at_poll};
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Errors, Status, Table, Weight};

/// What a leaf costs.
#[derive(Clone, Debug)]
enum LeafCost {
    /// The targets by code, in units of 2 to the power.
    Squared {
        targets: Vec<i64>,
        power: i32,
    },
    Absolute {
        targets: Vec<i64>,
        power: i32,
    },
    Matrix(Vec<Vec<Cost>>),
    /// With what smoothing adds to the weight of each class.
    Shares(ShareCost, Vec<Weight>),
}

/// The costs of a random problem.
#[derive(Debug)]
struct CostLeaves {
    cost: LeafCost,
    leaf_penalty: Weight,
}

impl LeafCost {
    /// The code of the lower median of some items.
    fn median(table: &Table, items: &[usize]) -> usize {
        let weights = class_weights(table, items);
        let total: Weight = weights.iter().sum();
        let up_to = |code: usize| weights[..=code].iter().sum::<Weight>();
        (0..weights.len())
            .find(|&code| up_to(code) >= total.div_ceil(2))
            .expect("half of the weight")
    }

    /// The cost of a leaf without its price.
    fn of(&self, table: &Table, items: &[usize]) -> f64 {
        let weights = class_weights(table, items);
        match self {
            LeafCost::Squared { targets, power } => {
                let sum = |value: &dyn Fn(i128) -> i128| -> i128 {
                    let pairs = weights.iter().zip(targets);
                    pairs.map(|(&w, &t)| i128::from(w) * value(t.into())).sum()
                };
                let (weight, sums, squares) = (sum(&|_| 1), sum(&|t| t), sum(&|t| t * t));
                (squares * weight - sums * sums) as f64 / weight as f64 * 4f64.powi(*power)
            }
            LeafCost::Absolute { targets, power } => {
                let median = targets[LeafCost::median(table, items)];
                let pairs = weights.iter().zip(targets);
                let far =
                    |(&w, &t): (&Weight, &i64)| i128::from(w) * i128::from(t.abs_diff(median));
                pairs.map(far).sum::<i128>() as f64 * 2f64.powi(*power)
            }
            LeafCost::Matrix(by_class) => {
                let cost = |label: usize| -> Cost {
                    weights.iter().zip(by_class).map(|(w, row)| w * row[label]).sum()
                };
                (0..by_class.len()).map(cost).min().unwrap_or(0) as f64
            }
            LeafCost::Shares(kind, added) => {
                let all = weights.iter().chain(added).sum::<Weight>();
                let whole = weights.iter().sum::<Weight>() as f64;
                let terms = weights.iter().zip(added).map(|(&w, &a)| {
                    // Differences of floats would lose light weights beside heavy ones.
                    let (own, others) = ((w + a) as f64, (all - w - a) as f64);
                    match kind {
                        ShareCost::LogLoss if w == 0 => 0.0,
                        ShareCost::LogLoss => w as f64 * (others / own).ln_1p(),
                        ShareCost::Gini => {
                            whole * (own / (own + others)) * (others / (own + others))
                        }
                    }
                });
                terms.sum()
            }
        }
    }
}

impl LeafDefinition for CostLeaves {
    fn class(&self, _: &TreeConstraints, table: &Table, items: &[usize]) -> u32 {
        let weights = class_weights(table, items);
        match &self.cost {
            LeafCost::Matrix(by_class) => {
                let cost = |label: &u32| -> Cost {
                    let rows = weights.iter().zip(by_class);
                    rows.map(|(w, row)| w * row[*label as usize]).sum()
                };
                (0..by_class.len() as u32).min_by_key(cost).expect("there are classes")
            }
            _ => Errors::leaf_class(&weights),
        }
    }

    fn value(&self, constraints: &TreeConstraints, table: &Table, items: &[usize]) -> Fraction {
        let weights = class_weights(table, items);
        match &self.cost {
            LeafCost::Squared { targets, .. } => {
                let sum = |(&w, &t): (&Weight, &i64)| i128::from(w) * i128::from(t);
                let weight: Weight = weights.iter().sum();
                (weights.iter().zip(targets).map(sum).sum::<i128>().into(), weight.into())
            }
            LeafCost::Absolute { .. } => (LeafCost::median(table, items).into(), 1.into()),
            _ if constraints.in_shares => share(constraints, &weights),
            _ => (self.class(constraints, table, items).into(), 1.into()),
        }
    }
}

type CostInstance = Instance<CostLeaves>;

/// Draws a problem with costs of one of six kinds; perhaps with a choice of features.
fn draw(random: &mut fastrand::Rng, chooses: bool) -> (ConstrainedExamples, CostInstance) {
    let drawn = draw_columns(random);
    let of_choice = |constraints| if chooses { constraints } else { without_choice(constraints) };
    let rows = drawn.columns[0].len();
    let bits = [30, 55][random.usize(0..2)];
    let weights = random_weights::weights(random, rows, bits);
    let total: Weight = weights.iter().sum();
    let price = total / [1, 9, 30][random.usize(0..3)] + 1;
    let leaf_penalty = [0, 0, 1, total / 20][random.usize(0..4)];
    let monotone = random.u32(0..4) > 0;
    let kind = random.u32(0..6);
    let (switch, columns) = (StopSwitch::default(), &drawn.columns);
    let clock = Clock::start(None, &switch);
    let (examples, constraints, cost) = if kind < 2 {
        // If all targets were equal, prices far above them would be cut (`costs/targets.rs`).
        let number = |row| if row == 0 { 5 } else { random.i64(-4..5) };
        let numbers: Vec<i64> = (0..rows).map(number).collect();
        let power = [-60, -3, 0, 0, 40][random.usize(0..5)];
        let targets: Vec<f64> = numbers.iter().map(|&t| t as f64 * 2f64.powi(power)).collect();
        let mut distinct = numbers;
        distinct.sort_unstable();
        distinct.dedup();
        let constraints = draw_constraints(random, &drawn, (monotone, 0), (total, price));
        let constraints = of_choice(constraints);
        let (deviation, cost) = match kind {
            0 => (TargetError::Squared, LeafCost::Squared { targets: distinct, power }),
            _ => (TargetError::Absolute, LeafCost::Absolute { targets: distinct, power }),
        };
        let prices = prices_of(&cost, &constraints);
        let penalty = leaf_penalty as f64 * price_unit(&cost);
        let examples = ConstrainedExamples::new(
            &clock,
            columns,
            &targets,
            &weights,
            deviation,
            (penalty, &prices),
        );
        (examples, constraints, cost)
    } else {
        let classes = 2 + random.u32(0..2);
        let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..classes)).collect();
        let monotone = monotone && classes == 2;
        let constraints = draw_constraints(random, &drawn, (monotone, classes), (total, price));
        let constraints = of_choice(constraints);
        let mut whole = vec![0; classes as usize];
        labels.iter().zip(&weights).for_each(|(&l, &w)| whole[l as usize] += w as i64);
        let (costs, cost) = if kind < 4 {
            let matrix: Vec<Vec<Cost>> = (0..classes)
                .map(|of| (0..classes).map(|to| random.u64(0..4) * u64::from(of != to)).collect())
                .collect();
            let costs = ClassCosts::Matrix { by_class: matrix.clone(), price: leaf_penalty };
            ((costs, 0), LeafCost::Matrix(matrix))
        } else {
            let share = [ShareCost::LogLoss, ShareCost::Gini][kind as usize - 4];
            let added: Vec<Weight> =
                (0..classes).map(|_| random.u64(0..2) * random.u64(0..5)).collect();
            let prices = constraints.prices.iter().sum::<Cost>() + leaf_penalty;
            let floats = added.iter().map(|&more| more as f64).collect();
            let costs = ClassCosts::of_shares(share, floats, &whole, prices as f64);
            (costs, LeafCost::Shares(share, added))
        };
        let examples = ConstrainedExamples::of_classes(&clock, columns, &labels, &weights, costs);
        (examples, constraints, cost)
    };
    let examples = examples.expect("nothing stops it");
    let table = examples.table.clone();
    let points = grid(&constraints, &table, columns.len());
    let leaves = CostLeaves { cost, leaf_penalty };
    (examples, Instance { table, limits: drawn.limits, constraints, points, leaves })
}

/// The user's unit of a price of 1, so that prices are comparable with costs.
fn price_unit(cost: &LeafCost) -> f64 {
    match cost {
        LeafCost::Squared { power, .. } => 4f64.powi(*power),
        LeafCost::Absolute { power, .. } => 2f64.powi(*power),
        LeafCost::Matrix(_) | LeafCost::Shares(..) => 1.0,
    }
}

fn prices_of(cost: &LeafCost, constraints: &TreeConstraints) -> FeaturePrices {
    let unit = price_unit(cost);
    match cost {
        LeafCost::Matrix(_) => FeaturePrices::Exact(constraints.prices.clone()),
        _ => FeaturePrices::Rounded(constraints.prices.iter().map(|&p| p as f64 * unit).collect()),
    }
}

impl CostInstance {
    /// The cost of a tree with all prices.
    fn cost(&self, tree: &Listed) -> f64 {
        let CostLeaves { cost, leaf_penalty } = &self.leaves;
        let leaves = tree.leaves();
        let price = |feature: u32| self.constraints.prices[feature as usize];
        let prices: Cost = self.used(tree).into_iter().map(price).sum::<Cost>()
            + leaf_penalty * leaves.len() as Cost;
        let costs: f64 = leaves.iter().map(|items| cost.of(&self.table, items)).sum();
        costs + prices as f64 * price_unit(cost)
    }

    /// The minimum cost of feasible trees, and whether constraints exclude a cheaper one.
    fn optimum(&self) -> (Option<f64>, bool) {
        let (mut best, mut excluded) = (None, false);
        for tree in self.trees(&self.all_items(), self.limits.normalised()) {
            let cost = self.cost(&tree);
            if best.is_none_or(|best| cost < best) {
                match self.is_feasible(&tree) {
                    true => best = Some(cost),
                    false => excluded = true,
                }
            }
        }
        (best, excluded)
    }

    fn request(&self, options: &CostOptions, threads: usize) -> CostRequest {
        CostRequest {
            limits: self.limits,
            leaf_price: self.leaves.leaf_penalty as f64 * price_unit(&self.leaves.cost),
            memory_limit: None,
            stop_at_gap: 0.0,
            threads,
            options: options.clone(),
        }
    }

    fn solved(
        &self,
        examples: &ConstrainedExamples,
        options: &CostOptions,
        threads: usize,
    ) -> CostOutcome {
        let request = self.request(options, threads);
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let prices = prices_of(&self.leaves.cost, &self.constraints);
        let constraints = &self.constraints;
        constrained_costs(examples, &request, constraints, &prices, clock, &progress, None)
    }

    /// The greatest difference of a proved cost from the optimum.
    fn tolerance(&self, found: &CostOutcome, cost: f64) -> f64 {
        let one_leaf = self.leaves.cost.of(&self.table, &self.all_items());
        found.rounding + 1e-9 * cost + 4e-15 * one_leaf
    }

    /// Why an outcome is not that of the definition.
    fn fault(&self, optimum: Option<f64>, found: &CostOutcome) -> Option<String> {
        let tree = found.outcome.tree.as_ref().map(|tree| self.listed(tree, &self.all_items()));
        let right = match (optimum, &tree) {
            (None, None) => found.outcome.status == Status::Infeasible,
            (Some(optimum), Some(tree)) => {
                let cost = self.cost(tree);
                let near = self.tolerance(found, cost);
                found.outcome.status == Status::Optimal
                    && self.is_feasible(tree)
                    && tree.size() <= self.limits.size
                    && (cost - optimum).abs() <= near
                    && found.cost.is_some_and(|found| (found - cost).abs() <= near)
                    && found.lower_bound <= optimum * (1.0 + 1e-12) + near * 1e-6
                    && found.lower_bound >= cost - 2.0 * near
            }
            _ => false,
        };
        let cost = tree.map(|tree| (self.cost(&tree), self.is_feasible(&tree)));
        let CostOutcome { outcome, lower_bound, rounding, .. } = found;
        (!right).then(|| {
            format!("expected {optimum:?}, got {cost:?} {outcome:?} {lower_bound} {rounding}")
        })
    }
}

fn compare(seed: u64, count: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut violated, mut infeasible) = (0, 0);
    for number in 0..count {
        let (examples, instance) = draw(&mut random, true);
        let (optimum, excluded) = instance.optimum();
        violated += usize::from(excluded);
        infeasible += usize::from(optimum.is_none());
        let options = match random.u32(0..3) {
            0 => CostOptions::default(),
            _ => CostOptions::some_off(&mut random),
        };
        let threads = if number % 16 == 0 { 2 } else { 1 };
        let found = instance.solved(&examples, &options, threads);
        let fault = instance.fault(optimum, &found);
        assert!(fault.is_none(), "{number}: {fault:?}, {instance:?}, {options:?}");
    }
    assert!(violated > count / 5 && infeasible > count / 200, "{violated} {infeasible}");
}

#[test]
fn sums_of_costs_under_constraints_are_those_of_the_definition() {
    compare(20_261_123, 20_000);
}

#[test]
#[ignore = "takes minutes"]
fn sums_of_costs_under_constraints_are_those_of_the_definition_on_many_instances() {
    compare(20_261_124, 400_000);
}

#[test]
fn a_stopped_search_has_a_valid_bound_and_a_feasible_tree() {
    let mut random = fastrand::Rng::with_seed(20_261_126);
    let mut stopped = 0;
    for number in 0..10_000 {
        let (examples, instance) = draw(&mut random, true);
        let (optimum, _) = instance.optimum();
        let polls = random.u64(1..60);
        let options = CostOptions::default();
        let found = stop_at_poll(polls, || instance.solved(&examples, &options, 1));
        stopped += usize::from(found.outcome.stopped_by.is_some());
        let context = format!("{number}: {polls} polls, {optimum:?}, {instance:?}");
        match optimum {
            None => assert!(found.outcome.tree.is_none(), "{context}"),
            Some(cost) => {
                let near = instance.tolerance(&found, cost);
                assert!(found.lower_bound <= cost + near * 1e-6, "{context}");
            }
        }
        if let Some(tree) = &found.outcome.tree {
            let tree = instance.listed(tree, &instance.all_items());
            assert!(instance.is_feasible(&tree), "{context}");
            let cost = instance.cost(&tree);
            let near = instance.tolerance(&found, cost);
            assert!(found.cost.is_some_and(|found| (found - cost).abs() <= near), "{context}");
        }
    }
    assert!(stopped > 500, "{stopped}");
}
