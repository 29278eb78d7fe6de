//! The dynamic programme over sets against enumeration, on random tables.

use super::{SubsetOptions, SubsetRequest, SubsetStats, subset_dp};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::min_size_by_enumeration::{
    InstanceLimits, check, check_tree, definition, draw,
};
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Outcome, Status, StoppedBy, Table, Weight};
use std::time::Duration;

fn solve(table: &Table, request: &SubsetRequest) -> (Outcome, SubsetStats) {
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    subset_dp(table, request, &clock, &Progress::default()).expect("small tables fit")
}

fn request(errors: Weight, size: u32) -> SubsetRequest {
    SubsetRequest { errors, size, memory_limit: None, options: SubsetOptions::default() }
}

#[test]
fn the_minimum_size_is_that_of_enumeration_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_120);
    let (mut inner_subsets, mut few_errors, mut by_errors, mut by_labelings) = (0, 0, 0, 0);
    for _ in 0..4_000 {
        let pure = random.u32(0..3) > 0;
        let table = draw(&mut random, 8, pure);
        let errors = random_weights::errors(&mut random, &table);
        let allowed = InstanceLimits { errors, ..InstanceLimits::all(&table) };
        let items: Vec<usize> = (0..table.items.len()).collect();
        let expected = definition(&table, &items, &allowed);
        let mut request = request(errors, if random.bool() { u32::MAX } else { random.u32(0..5) });
        request.options = SubsetOptions::some_off(&mut random);
        let (outcome, stats) = solve(&table, &request);
        check(&table, &allowed, request.size, &outcome, expected);
        inner_subsets += stats.inner_subsets;
        few_errors += stats.few_errors;
        by_errors += u32::from(stats.error_budgets);
        by_labelings += u32::from(stats.filled > 0 && errors > 0 && !stats.error_budgets);
    }
    assert!(inner_subsets > 0 && few_errors > 0, "{inner_subsets} {few_errors}");
    assert!(by_errors > 100 && by_labelings > 100, "{by_errors} {by_labelings}");
}

/// Random points in a plane, two classes.
fn plane(rows: usize) -> Table {
    let mut random = fastrand::Rng::with_seed(rows as u64);
    let columns: Vec<Vec<f64>> =
        (0..2).map(|_| (0..rows).map(|_| random.f64()).collect()).collect();
    let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..2)).collect();
    Table::new(&columns, &labels, &vec![1; rows], 2)
}

#[test]
fn both_kinds_of_tables_have_the_same_minimum_on_more_rows() {
    let table = plane(11);
    for errors in 1..4 {
        let by_errors = solve(&table, &request(errors, u32::MAX));
        let mut labelings = request(errors, u32::MAX);
        labelings.options.set("error_budgets", false);
        let by_labelings = solve(&table, &labelings);
        assert!(by_errors.1.error_budgets && !by_labelings.1.error_budgets);
        assert_eq!(by_errors.0.cost, by_labelings.0.cost);
    }
}

#[test]
fn a_stopped_search_returns_a_tree_and_a_lower_bound() {
    let table = plane(30);
    for errors in [0, 1] {
        let switch = StopSwitch::default();
        let clock = Clock::start(Some(Duration::from_millis(20)), &switch);
        let request = request(errors, u32::MAX);
        let (outcome, stats) =
            subset_dp(&table, &request, &clock, &Progress::default()).expect("it fits");
        assert_eq!(outcome.stopped_by, Some(StoppedBy::TimeLimit));
        assert!(stats.filled > 0 && stats.filled < stats.entries);
        match outcome.tree {
            None => assert_eq!(outcome.status, Status::Stopped),
            Some(tree) => {
                assert_eq!(outcome.status, Status::Feasible);
                check_tree(
                    &table,
                    &InstanceLimits { errors, ..InstanceLimits::all(&table) },
                    &tree,
                );
            }
        }
    }
}

#[test]
fn tables_of_sets_that_do_not_fit_are_refused() {
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    for (rows, errors, error_budgets) in
        [(33, 0, true), (64, 0, true), (32, 1, true), (21, 2, false)]
    {
        let mut request = request(errors, u32::MAX);
        request.options.set("error_budgets", error_budgets);
        let refused = subset_dp(&plane(rows), &request, &clock, &Progress::default());
        let reason = refused.expect_err("too large").to_string();
        assert!(reason.contains("entries"), "{reason}");
    }
}
