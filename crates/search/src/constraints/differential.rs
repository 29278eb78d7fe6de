//! The search under constraints against the definition: all trees are listed, and checked against
//! the constraints at every point of the grid of values.

pub(crate) mod instance;
pub(crate) mod trees;

use crate::constraints::solve_constrained;
use crate::constraints::statement::TreeConstraints;
use crate::engine::request::Request;
use crate::spaces::continuous::differential::random_options;
use crate::support::clock::{Clock, StopSwitch, stop_at_poll};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::options::Options;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Errors, Outcome, Status, Table, UNBOUNDED, Weight};
use instance::draw_errors;
use num_bigint::BigUint;
use trees::{Fraction, Instance, LeafDefinition, Listed, class_weights, share, unscaled_weights};

/// Plain errors of a random problem.
#[derive(Debug)]
pub(crate) struct ErrorLeaves {
    pub objective: Errors,
    pub below: Cost,
}

pub(crate) type ErrorInstance = Instance<ErrorLeaves>;

impl LeafDefinition for ErrorLeaves {
    fn class(&self, constraints: &TreeConstraints, table: &Table, items: &[usize]) -> u32 {
        let weights = unscaled_weights(table, items);
        if constraints.error_costs.is_empty() {
            return Errors::leaf_class(&weights);
        }
        // The sum of the costs of errors on the other classes.
        let cost = |label: &usize| -> BigUint {
            let others = weights.iter().zip(&constraints.error_costs).enumerate();
            others.filter(|(of, _)| of != label).map(|(_, (&w, cost))| cost * w).sum()
        };
        (0..weights.len()).min_by_key(cost).expect("there are classes") as u32
    }

    fn value(&self, constraints: &TreeConstraints, table: &Table, items: &[usize]) -> Fraction {
        match constraints.in_shares {
            true => share(constraints, &unscaled_weights(table, items)),
            false => (self.class(constraints, table, items).into(), 1.into()),
        }
    }
}

/// The cost of a tree, without and with the prices of its features.
pub(crate) fn costs(instance: &ErrorInstance, tree: &Listed) -> [Cost; 2] {
    let errors = |items: &[usize]| Errors::leaf_errors(&class_weights(&instance.table, items));
    let leaf = |items| instance.leaves.objective.leaf(errors(items));
    let cost: Cost = tree.leaves().into_iter().map(leaf).sum();
    let price = |feature: u32| instance.constraints.prices[feature as usize];
    [cost, cost + instance.used(tree).into_iter().map(price).sum::<Cost>()]
}

/// Whether a tree satisfies all constraints, and costs less than the limit.
pub(crate) fn is_feasible(instance: &ErrorInstance, tree: &Listed) -> bool {
    costs(instance, tree)[0] < instance.leaves.below && instance.is_feasible(tree)
}

/// The minimum cost of feasible trees, and whether constraints exclude a cheaper one.
pub(crate) fn optimum(instance: &ErrorInstance) -> (Option<Cost>, bool) {
    let (mut best, mut excluded) = (None, false);
    for tree in instance.trees(&instance.all_items(), instance.limits.normalised()) {
        let cost = costs(instance, &tree)[1];
        if best.is_none_or(|best| cost < best) {
            match is_feasible(instance, &tree) {
                true => best = Some(cost),
                false => excluded = true,
            }
        }
    }
    (best, excluded)
}

fn solved(instance: &ErrorInstance, options: &Options, threads: usize) -> Outcome {
    let request = Request {
        objective: instance.leaves.objective,
        limits: instance.limits,
        below: instance.leaves.below,
        memory_limit: None,
        stop_at_gap: 0.0,
        threads,
    };
    let (switch, progress) = (StopSwitch::default(), Progress::default());
    let clock = Clock::start(None, &switch);
    solve_constrained(
        &instance.table,
        &request,
        &instance.constraints,
        options,
        clock,
        &progress,
        None,
    )
    .outcome
}

/// Why an outcome is not that of the definition.
fn fault(instance: &ErrorInstance, optimum: Option<Cost>, outcome: &Outcome) -> Option<String> {
    let tree = outcome.tree.as_ref().map(|tree| instance.listed(tree, &instance.all_items()));
    let expected = if optimum.is_some() { Status::Optimal } else { Status::Infeasible };
    let right = outcome.status == expected
        && outcome.cost == optimum
        && optimum.is_none_or(|cost| outcome.lower_bound == cost)
        && tree.as_ref().map(|tree| costs(instance, tree)[1]) == optimum
        && tree
            .is_none_or(|tree| tree.size() <= instance.limits.size && is_feasible(instance, &tree));
    (!right).then(|| format!("expected {optimum:?}, got {outcome:?}"))
}

fn compare(seed: u64, count: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut violated, mut infeasible) = (0, 0);
    for number in 0..count {
        let instance = draw_errors(&mut random, |weight| weight);
        let (optimum, excluded) = optimum(&instance);
        violated += usize::from(excluded);
        infeasible += usize::from(optimum.is_none());
        let off = [0, 20, 50][random.usize(0..3)];
        let options = random_options(&mut random, off);
        let threads = if number % 16 == 0 { 2 } else { 1 };
        let fault = fault(&instance, optimum, &solved(&instance, &options, threads));
        assert!(fault.is_none(), "{number}: {fault:?}, {instance:?}, {options:?}");
    }
    assert!(violated > count / 4 && infeasible > count / 100, "{violated} {infeasible}");
}

#[test]
fn the_search_under_constraints_is_the_definition() {
    compare(20_261_123, 20_000);
}

/// The cost of a tree whose leaves predict the classes that constraints know, with all prices.
fn cost_as_predicted(instance: &ErrorInstance, tree: &Listed) -> Cost {
    let (constraints, table) = (&instance.constraints, &instance.table);
    let errors = |items: &[usize]| {
        let class = instance.leaves.class(constraints, table, items);
        let weights = class_weights(table, items);
        weights.iter().sum::<Weight>() - weights[class as usize]
    };
    let leaf = |items| instance.leaves.objective.leaf(errors(items));
    let price = |feature: u32| constraints.prices[feature as usize];
    tree.leaves().into_iter().map(leaf).sum::<Cost>()
        + instance.used(tree).into_iter().map(price).sum::<Cost>()
}

/// Weights that are rounded after multiplication by costs of errors leave the constraints exact,
/// and predictions may cost more than others. No feasible tree then costs less than the lower
/// bound.
#[test]
fn rounded_weights_leave_constraints_exact_and_bounds_valid() {
    let mut random = fastrand::Rng::with_seed(20_261_127);
    let (mut differ, mut monotone) = (0, 0);
    for number in 0..20_000 {
        let noise = random.u64(1..7);
        let mut instance =
            draw_errors(&mut random, |weight| (weight + weight * noise % 3).max(2) - 1);
        instance.leaves.below = UNBOUNDED;
        let trees = instance.trees(&instance.all_items(), instance.limits.normalised());
        let feasible = || trees.iter().filter(|tree| instance.is_feasible(tree));
        let least = feasible().map(|tree| cost_as_predicted(&instance, tree)).min();
        let options = random_options(&mut random, [0, 20, 50][number % 3]);
        let threads = if number % 16 == 0 { 2 } else { 1 };
        let outcome = solved(&instance, &options, threads);
        let context = || format!("{number}: {least:?}, {outcome:?}, {instance:?}, {options:?}");
        let tree = outcome.tree.as_ref().map(|tree| instance.listed(tree, &instance.all_items()));
        assert_eq!(least.is_some(), tree.is_some(), "{}", context());
        let (Some(least), Some(tree)) = (least, tree) else { continue };
        assert_eq!(outcome.status, Status::Optimal, "{}", context());
        assert!(outcome.lower_bound <= least, "{}", context());
        assert!(instance.is_feasible(&tree), "{}", context());
        assert_eq!(Some(costs(&instance, &tree)[1]), outcome.cost, "{}", context());
        differ += usize::from(outcome.cost < Some(cost_as_predicted(&instance, &tree)));
        monotone += usize::from(instance.constraints.monotone());
    }
    assert!(differ > 200 && monotone > 4_000, "{differ} {monotone}");
}

#[test]
#[ignore = "takes minutes"]
fn the_search_under_constraints_is_the_definition_on_many_instances() {
    compare(20_261_124, 400_000);
}

#[test]
fn a_stopped_search_under_constraints_has_a_valid_bound_and_a_feasible_tree() {
    let mut random = fastrand::Rng::with_seed(20_261_126);
    let mut stopped = 0;
    for number in 0..20_000 {
        let instance = draw_errors(&mut random, |weight| weight);
        let (optimum, _) = optimum(&instance);
        let polls = random.u64(1..60);
        let outcome = stop_at_poll(polls, || solved(&instance, &Options::default(), 1));
        stopped += usize::from(outcome.stopped_by.is_some());
        let context = format!("{number}: {polls} polls, {optimum:?}, {outcome:?}, {instance:?}");
        match optimum {
            None => assert!(outcome.tree.is_none(), "{context}"),
            Some(cost) => assert!(outcome.lower_bound <= cost, "{context}"),
        }
        if let Some(tree) = &outcome.tree {
            let tree = instance.listed(tree, &instance.all_items());
            assert!(is_feasible(&instance, &tree), "{context}");
            assert_eq!(Some(costs(&instance, &tree)[1]), outcome.cost, "{context}");
        }
    }
    assert!(stopped > 1_000, "{stopped}");
}

#[test]
fn wrong_bounds_of_monotone_trees_are_noticed() {
    for mutant in [Mutant::MonotoneStumps, Mutant::CrossBound] {
        let mut random = fastrand::Rng::with_seed(20_261_125);
        let noticed = (0..20_000).any(|_| {
            let instance = draw_errors(&mut random, |weight| weight);
            if !instance.constraints.monotone() || instance.limits.depth < 2 {
                return false;
            }
            let options = Options { incumbent: false, ..Options::default() };
            let right = solved(&instance, &options, 1).cost;
            let wrong = with_mutant(Some(mutant), || solved(&instance, &options, 1)).cost;
            wrong != right
        });
        assert!(noticed, "{mutant:?}");
    }
}
