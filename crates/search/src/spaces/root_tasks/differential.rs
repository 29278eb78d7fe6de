//! Searches of some roots, in any order and stopped anywhere, against the definition.

use super::{RootRange, RootSearch};
use crate::engine::request::Request;
use crate::engine::root_range::RootTasks;
use crate::engine::root_range::in_tests::{KnownBounds, TaskCounts, TaskLimits, by_tasks};
use crate::spaces::continuous::differential::{Instance, definition, draw, random_options};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::options::Options;
use exactree_model::UNBOUNDED;

/// Solves an instance task by task; false if a bound or the cost is wrong.
fn solves_by_tasks(
    instance: &Instance,
    random: &mut fastrand::Rng,
    (binary, counts): (&mut usize, &mut TaskCounts),
) -> bool {
    let items: Vec<usize> = (0..instance.table.items.len()).collect();
    let optimum = definition(instance, &items, instance.limits.normalised());
    let off = [0, 20, 50][random.usize(0..3)];
    let (limits, threads) = (instance.limits, 1 + (random.u32(0..10) == 0) as usize);
    let (objective, below, memory_limit) = (instance.objective, UNBOUNDED, None);
    let request = Request { objective, limits, below, memory_limit, stop_at_gap: 0.0, threads };
    let options = random_options(random, off);
    let search = RootSearch::prepare(&|| false, instance.table.clone(), request, options);
    let search = search.expect("nothing stops it");
    *binary += search.layout.binary(&search.options) as usize;
    let is_right = |known: KnownBounds<'_>| {
        known.lower <= optimum && known.best.is_none_or(|best| best.0 >= optimum)
    };
    let limits = TaskLimits { micros: 300, far: Some(1) };
    let found = by_tasks(&search, (random, counts), limits, (UNBOUNDED, 0, None), &is_right);
    found.is_ok_and(|best| best.is_some_and(|best| best.0 == optimum))
}

const ROWS: [usize; 5] = [0, 40, 20, 12, 8];

fn agrees_with_the_definition(instances: usize, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut binary, mut counts) = (0, TaskCounts::default());
    for _ in 0..instances {
        let instance = draw(&mut random, ROWS);
        let counted = (&mut binary, &mut counts);
        assert!(solves_by_tasks(&instance, &mut random, counted), "{instance:?}");
    }
    let TaskCounts { returned_open, stopped, .. } = counts;
    println!("{binary} {returned_open} {stopped}");
    assert!(binary > instances / 20 && returned_open > instances / 20 && stopped > instances / 100);
}

#[test]
fn any_order_of_subtasks_agrees_with_the_definition() {
    agrees_with_the_definition(600, 20_261_121);
}

#[test]
#[ignore = "minutes: make test-long"]
fn any_order_of_subtasks_agrees_with_the_definition_on_many_instances() {
    agrees_with_the_definition(50_000, 20_261_122);
}

#[test]
fn a_rule_closed_too_early_is_noticed() {
    let mut random = fastrand::Rng::with_seed(20_261_123);
    let noticed = (0..5_000).find(|_| {
        let instance = draw(&mut random, ROWS);
        let counted = (&mut 0, &mut TaskCounts::default());
        !with_mutant(Some(Mutant::RootsLeft), || solves_by_tasks(&instance, &mut random, counted))
    });
    assert!(noticed.is_some());
}

#[test]
fn overlapping_ranges_become_disjoint_with_minimum_bounds() {
    let range = |first, last, lower| RootRange { lower, ..RootRange::new(1, first, last) };
    let ranges = vec![range(2, 5, 4), range(4, 6, 3), range(12, 12, 9)];
    let all = [range(0, 6, 0), range(7, 20, 0)];
    let disjoint = crate::engine::some_roots::disjoint(ranges, &all);
    assert_eq!(disjoint, [range(2, 3, 4), range(4, 6, 3), range(12, 12, 9)]);
}

/// Three levels, errors as cost.
fn three_levels() -> Request {
    Request {
        objective: exactree_model::Errors { error_price: 1, leaf_price: 0 },
        limits: exactree_model::Limits { depth: 3, size: 7, min_samples_leaf: 1 },
        below: UNBOUNDED,
        memory_limit: None,
        stop_at_gap: 0.0,
        threads: 1,
    }
}

#[test]
fn preparing_a_table_stops_at_any_poll() {
    let columns: Vec<Vec<f64>> =
        (1..=5).map(|k| (0..40).map(|row| f64::from(row * k % 37)).collect()).collect();
    let labels: Vec<u32> = (0..40).map(|row| row % 2).collect();
    let table = exactree_model::Table::new(&columns, &labels, &[1; 40], 2);
    let polls = std::cell::Cell::new(0);
    let prepare = |max_polls: u32| {
        polls.set(0);
        let stopped = || {
            polls.set(polls.get() + 1);
            polls.get() > max_polls
        };
        RootSearch::prepare(&stopped, table.clone(), three_levels(), Options::default())
    };
    assert!(prepare(99).is_some());
    let needed = polls.get();
    assert!(needed >= 5, "once for every feature at least");
    assert!((0..needed).all(|max_polls| prepare(max_polls).is_none()));
    let unread = exactree_model::Table::unread(&labels, &[1; 40], 2);
    assert!(RootSearch::prepare(&|| false, unread, three_levels(), Options::default()).is_none());
}

#[test]
fn the_roots_of_a_table_are_the_rules_that_differ() {
    let columns = [vec![0.0, 1.0, 2.0, 2.5], vec![1.0; 4], vec![5.0, 6.0, 7.0, 8.0]];
    let table = exactree_model::Table::new(&columns, &[0, 1, 0, 1], &[1; 4], 2);
    let search = RootSearch::prepare(&|| false, table, three_levels(), Options::default());
    let roots = search.expect("nothing stops it").roots();
    let rules: u32 = roots.iter().map(|roots| roots.last - roots.first + 1).sum();
    assert_eq!(rules, 3);
    assert!(roots.iter().all(|roots| roots.feature == 0));
}
