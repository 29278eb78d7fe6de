//! The search under constraints against the definition: all trees are listed, and checked against the
//! constraints at every point of the grid of values.

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
use exactree_model::{Cost, Errors, Outcome, Status, Table};
use instance::draw_errors;
use trees::{Instance, LeafDefinition, Listed, class_weights};

/// Plain errors of a random problem.
#[derive(Debug)]
pub(crate) struct ErrorLeaves {
    pub objective: Errors,
    pub below: Cost,
}

pub(crate) type ErrorInstance = Instance<ErrorLeaves>;

impl LeafDefinition for ErrorLeaves {
    fn class(&self, table: &Table, items: &[usize]) -> u32 {
        Errors::leaf_class(&class_weights(table, items))
    }

    fn value(&self, constraints: &TreeConstraints, table: &Table, items: &[usize]) -> (i128, i128) {
        if !constraints.in_shares {
            return (self.class(table, items).into(), 1);
        }
        let weights = class_weights(table, items);
        let share = |class: usize| {
            let (factor, added) =
                (constraints.share_factors[class], constraints.share_added[class]);
            i128::from(weights[class] * factor + added)
        };
        (share(weights.len() - 1), (0..weights.len()).map(share).sum())
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
        let instance = draw_errors(&mut random);
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
        let instance = draw_errors(&mut random);
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
            let instance = draw_errors(&mut random);
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
