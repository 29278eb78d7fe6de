//! Searches of some roots under constraints, in any order and stopped anywhere, against the definition.

use super::{CostInstance, draw};
use crate::constraints::leaf_costs::{ConstrainedCostRoots, ConstrainedExamples};
use crate::engine::root_range::in_tests::{KnownBounds, TaskCounts, TaskLimits, by_tasks};
use crate::engine::solution::CostedTree;
use crate::spaces::leaf_costs::root_tasks::RootCosts;
use crate::spaces::leaf_costs::{CostOptions, CostOutcome, CostRequest};
use crate::support::clock::{Clock, StopSwitch};
use exactree_model::UNBOUNDED;

/// Solves a problem task by task, after its relaxation, in coarse or in fine units. `redrawn` returns the
/// examples. Returns the outcome, and whether it is too coarse.
fn solved_by_tasks(
    instance: &CostInstance,
    optimum: Option<f64>,
    redrawn: &dyn Fn() -> ConstrainedExamples,
    (request, fine): (&CostRequest, bool),
    (random, counts): (&mut fastrand::Rng, &mut TaskCounts),
) -> (CostOutcome, bool) {
    let (switch, limits) = (StopSwitch::default(), TaskLimits { micros: 100, far: Some(1 << 24) });
    let clock = Clock::start(None, &switch);
    let prepared = |relaxation: bool| {
        let (constraints, kind) = (instance.constraints.clone(), (relaxation, fine));
        ConstrainedCostRoots::prepare(redrawn(), request, constraints, kind, None, &clock)
            .expect("nothing stops it")
    };
    let (search, relaxation) = (prepared(false), prepared(true));
    let is_bound = |found: &CostOutcome| match optimum {
        None => found.outcome.tree.is_none(),
        Some(cost) => {
            found.lower_bound <= cost * (1.0 + 1e-12) + instance.tolerance(found, cost) * 1e-6
        }
    };
    let mut start = (UNBOUNDED, 0, None);
    if request.options.relaxation {
        let is_right = |known: KnownBounds<'_>| {
            optimum.is_none() || is_bound(&search.conclude(None, known.lower))
        };
        let counted = (&mut *random, &mut TaskCounts::default());
        let limits = TaskLimits { far: None, ..limits };
        let found = by_tasks(relaxation.tasks(), counted, limits, start.clone(), &is_right);
        let found = found.expect("all trees and bounds of the relaxation are right");
        let lower = found.as_ref().map_or(UNBOUNDED, |found| found.0);
        start = (UNBOUNDED, lower, found.and_then(|found| search.tasks().adopted(found)));
    }
    let is_right = |known: KnownBounds<'_>| {
        let right = |(_, tree): &CostedTree| {
            instance.is_feasible(&instance.listed(tree, &instance.all_items()))
        };
        known.best.is_none_or(right) && is_bound(&search.conclude(known.best.cloned(), known.lower))
    };
    let best = by_tasks(search.tasks(), (random, counts), limits, start, &is_right);
    let best = best.expect("all trees and bounds are right");
    let cost = best.as_ref().map_or(UNBOUNDED, |best| best.0);
    let found = search.conclude(best, cost);
    let coarse = search.is_too_coarse(&found);
    (found, coarse)
}

fn compare_tasks(seed: u64, count: usize) {
    let (mut random, mut counts) = (fastrand::Rng::with_seed(seed), TaskCounts::default());
    let (mut violated, mut finer) = (0, 0);
    for number in 0..count {
        let before = random.clone();
        let (_, instance) = draw(&mut random, false);
        let redrawn = || draw(&mut before.clone(), false).0;
        let (optimum, excluded) = instance.optimum();
        violated += usize::from(excluded);
        let options = match random.u32(0..3) {
            0 => CostOptions::default(),
            _ => CostOptions::some_off(&mut random),
        };
        let request = instance.request(&options, 1 + usize::from(number % 16 == 0));
        let (mut fine, mut found) = (false, None);
        while found.is_none() {
            let drawn = (&mut random, &mut counts);
            let (solved, coarse) =
                solved_by_tasks(&instance, optimum, &redrawn, (&request, fine), drawn);
            found = (fine || !coarse).then_some(solved);
            fine = true;
            finer += usize::from(coarse);
        }
        let fault = instance.fault(optimum, &found.expect("the loop has ended"));
        assert!(fault.is_none(), "{number}: {fault:?}, {instance:?}, {options:?}");
    }
    let TaskCounts { returned_open, stopped, .. } = counts;
    println!("{violated} {finer} {counts:?}");
    assert!(violated > count / 6 && returned_open > count / 20 && stopped > count / 20);
}

#[test]
fn any_order_of_tasks_is_the_definition() {
    compare_tasks(20_261_135, 6_000);
}

#[test]
#[ignore = "takes minutes"]
fn any_order_of_tasks_is_the_definition_on_many_instances() {
    compare_tasks(20_261_136, 150_000);
}
