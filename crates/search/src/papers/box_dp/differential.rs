//! The dynamic programme over boxes against enumeration, on random tables.

use super::{BoxOptions, BoxRequest, BoxStats, box_dp};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::min_size_by_enumeration::{
    InstanceLimits, check, check_tree, definition, draw,
};
use crate::support::statistics::Progress;
use exactree_model::{Outcome, Status, StoppedBy, Table};
use std::time::Duration;

fn solve(table: &Table, request: &BoxRequest) -> (Outcome, BoxStats) {
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    box_dp(table, request, &clock, &Progress::default()).expect("small tables fit")
}

fn request(size: u32) -> BoxRequest {
    BoxRequest { size, memory_limit: None, options: BoxOptions::default() }
}

#[test]
fn the_minimum_size_is_that_of_enumeration_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_120);
    let (mut borders, mut inner_subsets) = (0, 0);
    for _ in 0..3_000 {
        let pure = random.u32(0..4) > 0;
        let table = draw(&mut random, 10, pure);
        let allowed = InstanceLimits::all(&table);
        let items: Vec<usize> = (0..table.items.len()).collect();
        let expected = definition(&table, &items, &allowed);
        let mut request = request(if random.bool() { u32::MAX } else { random.u32(0..5) });
        request.options = BoxOptions::some_off(&mut random);
        let (outcome, stats) = solve(&table, &request);
        check(&table, &allowed, request.size, &outcome, expected);
        borders += stats.empty_borders;
        inner_subsets += stats.inner_subsets;
    }
    assert!(borders > 0 && inner_subsets > 0);
}

/// Random points in a plane, which have many boxes and need many nodes.
fn plane(random: &mut fastrand::Rng, points: usize) -> Table {
    let columns: Vec<Vec<f64>> =
        (0..2).map(|_| (0..points).map(|_| random.f64()).collect()).collect();
    let labels: Vec<u32> = (0..points).map(|_| random.u32(0..2)).collect();
    Table::new(&columns, &labels, &vec![1; points], 2)
}

#[test]
fn a_stopped_search_returns_a_tree_and_a_lower_bound() {
    let mut random = fastrand::Rng::with_seed(5);
    let table = plane(&mut random, 160);
    let switch = StopSwitch::default();
    let clock = Clock::start(Some(Duration::from_millis(40)), &switch);
    let (outcome, stats) =
        box_dp(&table, &request(u32::MAX), &clock, &Progress::default()).expect("it fits");
    assert_eq!(outcome.status, Status::Feasible);
    assert_eq!(outcome.stopped_by, Some(StoppedBy::TimeLimit));
    assert!(stats.filled > 0 && stats.filled < stats.entries);
    let tree = outcome.tree.expect("at least the greedy tree");
    assert_eq!(outcome.cost, Some(u64::from(tree.size())));
    check_tree(&table, &InstanceLimits::all(&table), &tree);
}

#[test]
fn a_table_of_boxes_that_does_not_fit_is_refused() {
    let mut random = fastrand::Rng::with_seed(6);
    let table = plane(&mut random, 1_000);
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    let refused = box_dp(&table, &request(u32::MAX), &clock, &Progress::default());
    assert!(refused.is_err_and(|reason| reason.to_string().contains("250500250000 entries")));
}

#[test]
fn one_feature_needs_a_node_at_every_change_of_class() {
    let values: Vec<f64> = (0..300).map(f64::from).collect();
    let labels: Vec<u32> = (0..300).map(|row| row % 2).collect();
    let table = Table::new(&[values], &labels, &vec![1; 300], 2);
    let mut request = request(u32::MAX);
    request.options.set("incumbent", false);
    let (outcome, _) = solve(&table, &request);
    assert_eq!(outcome.cost, Some(299));
    assert!(outcome.tree.is_some_and(|tree| tree.depth() == 9));
}
