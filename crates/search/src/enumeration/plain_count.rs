//! Counts on larger tables against a plain recursion, and counts and lists that are stopped.

use super::{AllTreesOptions, AllTreesRequest, Shapes, count_trees, list_trees};
use crate::support::clock::{Clock, StopSwitch};
use exactree_model::{Errors, Table, Weight};
use num_bigint::BigUint;
use std::collections::{BTreeSet, HashMap};

/// A counted set of trees: items, maximum depth, exact size and exact errors.
type CountKey = (Vec<usize>, u32, u32, Weight);

/// The number of trees, by trying every rule and every division, without any bound.
fn plain_count(table: &Table, key: CountKey, known: &mut HashMap<CountKey, u64>) -> u64 {
    if let Some(&count) = known.get(&key) {
        return count;
    }
    let (items, depth, size, errors) = key.clone();
    let mut weights: Vec<Weight> = vec![0; table.n_classes];
    items.iter().for_each(|&at| weights[table.items[at].class as usize] += table.items[at].weight);
    let mut count = u64::from(size == 0 && Errors::leaf_errors(&weights) == errors);
    for feature in table.features.iter().filter(|_| size > 0 && depth > 0) {
        let present: BTreeSet<u32> = items.iter().map(|&item| feature.ranks[item]).collect();
        for rank in present {
            let (left, right): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| feature.ranks[item] <= rank);
            for (size_left, errors_left) in
                (0..size).flat_map(|size| (0..=errors).map(move |errors| (size, errors)))
            {
                let left = (left.clone(), depth - 1, size_left, errors_left);
                let right = (right.clone(), depth - 1, size - 1 - size_left, errors - errors_left);
                if !left.0.is_empty() && !right.0.is_empty() {
                    count += plain_count(table, left, known) * plain_count(table, right, known);
                }
            }
        }
    }
    known.insert(key, count);
    count
}

/// The request for all trees of minimum size with these errors.
fn smallest_trees(depth: u32, sizes: (u32, u32), errors: Weight) -> AllTreesRequest {
    AllTreesRequest {
        objective: Errors { error_price: 1, leaf_price: 0 },
        depth,
        shapes: None,
        sizes: Some(sizes),
        costs: (0, errors),
        min_samples_leaf: 1,
        minimum_size: true,
        order: Vec::new(),
        memory_limit: None,
        options: AllTreesOptions::default(),
    }
}

#[test]
fn counts_of_smallest_trees_on_larger_tables_are_those_of_a_plain_recursion() {
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let (mut done, mut maximum) = (0, 0);
    while done < 60 {
        let rows = random.usize(8..22);
        let columns: Vec<Vec<f64>> =
            (0..3).map(|_| (0..rows).map(|_| random.u32(0..12) as f64).collect()).collect();
        let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..3).min(1)).collect();
        let table = Table::new(&columns, &labels, &vec![1; rows], 2);
        let (errors, depth) = (random.u64(0..3), random.u32(2..6));
        let items: Vec<usize> = (0..table.items.len()).collect();
        let mut known = HashMap::new();
        let mut of_size = |size| -> u64 {
            let key = |errors| (items.clone(), depth, size, errors);
            (0..=errors).map(|errors| plain_count(&table, key(errors), &mut known)).sum()
        };
        let Some((size, count)) = (0..5).map(|size| (size, of_size(size))).find(|at| at.1 > 0)
        else {
            continue;
        };
        (done, maximum) = (done + 1, maximum.max(count));
        let request = smallest_trees(depth, (size, size), errors);
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let counted = count_trees(&table, &request, &clock).0;
        assert_eq!(counted, Some(BigUint::from(count)), "{table:?} {request:?}");
    }
    assert!(maximum > 100, "{maximum}");
}

#[test]
fn shapes_come_once_and_after_the_shapes_of_their_subtrees() {
    let leaf_and_stump = [None, Some((0, 0))];
    assert_eq!(Shapes::new(&leaf_and_stump).map(|shapes| shapes.whole()), Some(1));
    assert!(Shapes::new(&[]).is_none());
    assert!(Shapes::new(&[Some((0, 0))]).is_none());
    assert!(Shapes::new(&[None, None]).is_none());
    assert!(Shapes::new(&[None, Some((0, 0)), Some((1, 0)), Some((0, 1))]).is_none());
}

#[test]
fn a_graph_beyond_the_memory_limit_has_no_count_and_an_incomplete_list() {
    let columns = [(0..40).map(f64::from).collect::<Vec<f64>>()];
    let table = Table::new(&columns, &[0; 40], &[1; 40], 2);
    let mut request = smallest_trees(u32::MAX, (0, 39), 0);
    (request.minimum_size, request.memory_limit) = (false, Some(20_000));
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    assert_eq!(count_trees(&table, &request, &clock).0, None);
    assert_eq!(clock.stopped_by(), Some(exactree_model::StoppedBy::MemoryLimit));
    assert!(!list_trees(&table, &request, &clock, &mut |_| true));
    request.memory_limit = Some(1 << 30);
    let switch = StopSwitch::default();
    let count = count_trees(&table, &request, &Clock::start(None, &switch)).0;
    assert!(count.is_some_and(|count| count > BigUint::from(1u64 << 60)));
}

#[test]
fn a_stopped_search_has_no_count_and_an_incomplete_list() {
    let columns = [vec![0.0, 1.0, 2.0, 3.0]];
    let table = Table::new(&columns, &[0, 1, 0, 1], &[1; 4], 2);
    let request = smallest_trees(u32::MAX, (3, 3), 0);
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    assert_eq!(count_trees(&table, &request, &clock).0, Some(BigUint::from(5u32)));
    assert!(!list_trees(&table, &request, &clock, &mut |_| false));
    switch.stop(exactree_model::StoppedBy::Interrupt);
    assert_eq!(count_trees(&table, &request, &clock).0, None);
    assert!(!list_trees(&table, &request, &clock, &mut |_| true));
}
