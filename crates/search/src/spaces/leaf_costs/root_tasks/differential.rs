//! Searches of some roots, in any order and stopped anywhere, against the definition.

use super::{CostRootSearch, RootCosts};
use crate::engine::root_range::in_tests::{KnownBounds, TaskCounts, TaskLimits, by_tasks};
use crate::engine::root_range::{RootRange, RootTasks, SearchControl};
use crate::spaces::leaf_costs::differential::class_costs::instance::draw as draw_classes;
use crate::spaces::leaf_costs::differential::definition::Definition;
use crate::spaces::leaf_costs::differential::instance::{TargetInstance, draw, draw_columns};
use crate::spaces::leaf_costs::{CostExamples, CostOptions, CostOutcome, CostRequest};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::statistics::Progress;
use exactree_model::{Cost, Limits, Tree, UNBOUNDED};
use std::sync::Arc;

/// Solves a problem task by task, in fine units if needed. After each task `is_valid` checks what
/// is proved. `fine` counts the searches in fine units.
fn solved_by_tasks(
    (examples, request): (CostExamples, CostRequest),
    initial: Option<Arc<Tree>>,
    (random, counts, fine): (&mut fastrand::Rng, &mut TaskCounts, &mut usize),
    is_valid: &dyn Fn(&CostOutcome) -> bool,
) -> (CostExamples, CostOutcome) {
    let search = CostRootSearch::new(examples, request.clone(), initial);
    let is_right =
        |known: KnownBounds<'_>| is_valid(&search.conclude(known.best.cloned(), known.lower));
    let (limits, start) = (TaskLimits { micros: 300, far: Some(1_000_000) }, (UNBOUNDED, 0, None));
    let best = by_tasks(&search, (random, counts), limits, start, &is_right);
    let best = best.expect("all trees and bounds are right");
    let found = search.conclude(best.clone(), best.as_ref().map_or(UNBOUNDED, |best| best.0));
    if !search.is_too_coarse(&found) {
        return (search.examples, found);
    }
    *fine += 1;
    let (switch, initial) = (StopSwitch::default(), best.map(|best| best.1));
    let clock = Clock::start(None, &switch);
    let examples = search.examples.in_fine_units(&clock, &request).expect("nothing stops it");
    solved_by_tasks((examples, request), initial, (random, counts, fine), is_valid)
}

fn random_options(random: &mut fastrand::Rng) -> CostOptions {
    match random.bool() {
        true => CostOptions::default(),
        false => CostOptions::some_off(random),
    }
}

const ROWS: [usize; 4] = [8, 30, 20, 10];

fn draw_numbers(random: &mut fastrand::Rng, number: usize) -> TargetInstance {
    if number.is_multiple_of(4) { draw_columns(random) } else { draw(random, ROWS, 3) }
}

fn check_numbers(instances: usize, seed: u64) {
    let (mut random, mut counts) = (fastrand::Rng::with_seed(seed), TaskCounts::default());
    let mut fine = 0;
    for number in 0..instances {
        let instance = draw_numbers(&mut random, number);
        let (options, optimum) = (random_options(&mut random), instance.optimum());
        let start = instance.request_with(&options, |target| target);
        let is_valid = |found: &CostOutcome| instance.encloses(found, optimum);
        let found = solved_by_tasks(start, None, (&mut random, &mut counts, &mut fine), &is_valid);
        instance.check(&found, optimum);
    }
    let TaskCounts { returned_open, stopped, .. } = counts;
    println!("{returned_open} {stopped} {fine}");
    assert!(returned_open > instances / 20 && stopped > instances / 100 && fine > instances / 200);
}

fn check_classes(instances: usize, seed: u64) {
    let (mut random, mut counts) = (fastrand::Rng::with_seed(seed), TaskCounts::default());
    let mut fine = 0;
    for number in 0..instances {
        let instance = draw_classes(&mut random, [8, 30, 16, 9], number.is_multiple_of(2));
        let (options, optimum) = (random_options(&mut random), instance.optimum());
        let near = 1e-11 * (1.0 + instance.leaf(&instance.all_rows()));
        let is_valid = |found: &CostOutcome| {
            found.lower_bound <= optimum + near && found.cost.is_none_or(|c| c >= optimum - near)
        };
        let start = instance.request_with(&options);
        let (examples, found) =
            solved_by_tasks(start, None, (&mut random, &mut counts, &mut fine), &is_valid);
        instance.check_found((&examples, &found), &options, optimum);
    }
    assert!(counts.returned_open > instances / 20 && counts.stopped > instances / 100);
}

#[test]
fn any_order_of_tasks_agrees_with_the_definition() {
    check_numbers(800, 20_261_123);
    check_classes(600, 20_261_124);
}

#[test]
#[ignore = "minutes: make test-long"]
fn any_order_of_tasks_agrees_with_the_definition_on_many_instances() {
    check_numbers(40_000, 20_261_125);
    check_classes(40_000, 20_261_126);
}

#[test]
fn a_rule_closed_too_early_is_noticed() {
    let mut random = fastrand::Rng::with_seed(20_261_127);
    let noticed = (0..5_000).find(|&number| {
        let instance = draw_numbers(&mut random, number);
        let (options, optimum) = (random_options(&mut random), instance.optimum());
        let start = instance.request_with(&options, |target| target);
        let counted = (&mut random, &mut TaskCounts::default(), &mut 0);
        let (_, found) = with_mutant(Some(Mutant::RootsLeft), || {
            solved_by_tasks(start, None, counted, &|_| true)
        });
        let value = instance.in_units(optimum);
        !instance.encloses(&found, optimum) || found.cost > Some(value * (1.0 + 1e-6) + 1e-6)
    });
    println!("noticed after {noticed:?} instances");
    assert!(noticed.is_some());
}

#[test]
fn a_search_returns_exactly_the_roots_that_may_contain_a_better_tree() {
    let rules = |ranges: &[RootRange]| -> u32 {
        ranges.iter().map(|range| range.last - range.first + 1).sum()
    };
    let mut random = fastrand::Rng::with_seed(5);
    let mut searches = std::iter::repeat_with(|| {
        let mut instance = draw(&mut random, [40; 4], 3);
        instance.limits = Limits { depth: 3, size: 7, min_samples_leaf: 1 };
        let options = CostOptions { bit_columns: false, ..CostOptions::default() };
        let (examples, request) = instance.request_with(&options, |target| target);
        CostRootSearch::new(examples, request, None)
    });
    let search = searches.find(|search| rules(&search.roots()) > 20);
    let search = search.expect("many tables are large enough");
    let run = |below: Cost, change: &dyn Fn(&SearchControl)| {
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let (clock, control) = (Clock::start(None, &switch), SearchControl::default());
        change(&control);
        search.run(&search.roots(), (below, false), clock, &progress, &control)
    };
    let returned = run(UNBOUNDED, &SearchControl::return_open).1;
    assert_eq!(rules(&returned), rules(&search.roots()));
    let (complete, open) = run(UNBOUNDED, &|_| ());
    assert!(open.is_empty());
    let optimum = complete.outcome.cost.expect("a leaf at least");
    assert!(run(optimum, &|_| ()).0.outcome.tree.is_none());
    assert!(run(UNBOUNDED, &|control| control.tighten_upper_bound(0)).1.is_empty());
}
