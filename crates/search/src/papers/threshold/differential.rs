//! The threshold search against enumeration, on random tables.

use super::{ThresholdOptions, ThresholdRequest, ThresholdStats, threshold};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::min_size_by_enumeration::{
    InstanceLimits, check, check_tree, definition, draw,
};
use crate::support::statistics::Progress;
use exactree_model::{Outcome, Status, StoppedBy, Table};
use std::time::Duration;

fn solve(table: &Table, request: &ThresholdRequest) -> (Outcome, ThresholdStats) {
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    threshold(table, request, &clock, &Progress::default()).expect("small tables fit")
}

fn request() -> ThresholdRequest {
    let options = ThresholdOptions::default();
    ThresholdRequest {
        size: u32::MAX,
        features: None,
        leaves: Vec::new(),
        memory_limit: None,
        options,
    }
}

/// Draws limits on the leaves of at most two classes.
fn draw_leaves(random: &mut fastrand::Rng, table: &Table) -> Vec<(u32, u32)> {
    let mut leaves = Vec::new();
    for class in 0..table.n_classes as u32 {
        if leaves.len() < 2 && random.u32(0..2) == 0 {
            leaves.push((class, random.u32(0..4)));
        }
    }
    leaves
}

/// Checks the search on random tables of fewer than `rows` rows with random switches; if `leaves`,
/// with random limits on leaves, and if `features`, with random features. Returns summed counts.
fn check_random(rows: usize, rounds: usize, leaves: bool, features: bool) -> ThresholdStats {
    let mut random = fastrand::Rng::with_seed(20_261_120);
    let mut counted = ThresholdStats::default();
    for _ in 0..rounds {
        let pure = random.u32(0..5) > 0;
        let table = draw(&mut random, rows, pure);
        let mut request = ThresholdRequest {
            options: ThresholdOptions::some_off(&mut random),
            ..self::request()
        };
        let mut allowed = InstanceLimits::all(&table);
        if features {
            allowed.features.retain(|_| random.u32(0..3) > 0);
            request.features = Some(allowed.features.clone());
        }
        if leaves {
            request.leaves = draw_leaves(&mut random, &table);
            request.leaves.iter().for_each(|&(class, r)| allowed.leaves[class as usize] = r);
        }
        if random.bool() {
            request.size = random.u32(0..5);
        }
        if random.u32(0..4) == 0 {
            request.memory_limit = Some(2_000);
        }
        let items: Vec<usize> = (0..table.items.len()).collect();
        let expected = definition(&table, &items, &allowed);
        let (outcome, stats) = solve(&table, &request);
        check(&table, &allowed, request.size, &outcome, expected);
        counted.cache_hits += stats.cache_hits;
        counted.cache_evicted += stats.cache_evicted;
        counted.class_count += stats.class_count;
        counted.fewer_nodes += stats.fewer_nodes;
    }
    counted
}

#[test]
fn the_minimum_size_is_that_of_enumeration_under_random_switches() {
    let counted = check_random(8, 2_000, false, false);
    assert!(counted.cache_hits > 0 && counted.cache_evicted > 0);
    assert!(counted.class_count > 0 && counted.fewer_nodes > 0);
}

#[test]
fn the_minimum_size_with_leaf_limits_is_that_of_enumeration() {
    let counted = check_random(6, 2_500, true, false);
    assert!(counted.cache_hits > 0 && counted.fewer_nodes > 0);
}

#[test]
fn given_features_are_the_only_ones_used() {
    check_random(8, 1_500, false, true);
    check_random(6, 1_500, true, true);
}

/// Random points of two classes in four features; almost surely all values differ.
fn points(rows: usize) -> Table {
    let mut random = fastrand::Rng::with_seed(rows as u64);
    let columns: Vec<Vec<f64>> =
        (0..4).map(|_| (0..rows).map(|_| random.f64()).collect()).collect();
    let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..2)).collect();
    Table::new(&columns, &labels, &vec![1; rows], 2)
}

#[test]
fn a_stopped_search_returns_a_tree_and_a_lower_bound() {
    let table = points(200);
    let switch = StopSwitch::default();
    let clock = Clock::start(Some(Duration::from_millis(100)), &switch);
    let (outcome, _) =
        threshold(&table, &request(), &clock, &Progress::default()).expect("it fits");
    assert_eq!(outcome.status, Status::Feasible);
    assert_eq!(outcome.stopped_by, Some(StoppedBy::TimeLimit));
    assert!(outcome.lower_bound > 1);
    let tree = outcome.tree.expect("the greedy tree at least");
    check_tree(&table, &InstanceLimits::all(&table), &tree);
}

#[test]
fn splits_that_do_not_fit_are_refused() {
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    let request = ThresholdRequest { memory_limit: Some(1_000), ..self::request() };
    let refused = threshold(&points(200), &request, &clock, &Progress::default());
    // For 200 items a set has 4 words, so each of the 4 features stores 200 / 4 + 1 sets.
    assert!(refused.is_err_and(|reason| reason.to_string().contains("204 entries")));
}
