//! Tests: counts on larger tables agree with a plain recursion, searches that are stopped report no
//! count and an incomplete list, and lists of shapes are checked.

use super::{AllTreesOptions, AllTreesRequest, Shapes, count_trees, list_trees};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::random_weights;
use exactree_model::{Errors, Table, Weight};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The trees that an entry counts: their items, maximum depth and exact size.
type CountKey = (Vec<usize>, u32, u32);
/// The number of trees by their errors.
type CountOf = BTreeMap<Weight, u64>;

/// The number of trees by their errors, by trying every rule and every division of the size,
/// without any bound.
fn plain_count(
    table: &Table,
    key: CountKey,
    maximum: Weight,
    cache: &mut HashMap<CountKey, Rc<CountOf>>,
) -> Rc<CountOf> {
    if let Some(counts) = cache.get(&key) {
        return counts.clone();
    }
    let (items, depth, size) = key.clone();
    let mut weights: Vec<Weight> = vec![0; table.n_classes];
    items.iter().for_each(|&at| weights[table.items[at].class as usize] += table.items[at].weight);
    let leaf = Errors::leaf_errors(&weights);
    let mut counts: CountOf =
        (size == 0 && leaf <= maximum).then_some((leaf, 1)).into_iter().collect();
    for feature in table.features.iter().filter(|_| size > 0 && depth > 0) {
        let present: BTreeSet<u32> = items.iter().map(|&item| feature.ranks[item]).collect();
        for rank in present {
            let (left, right): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| feature.ranks[item] <= rank);
            if left.is_empty() || right.is_empty() {
                continue;
            }
            for size_left in 0..size {
                let left = plain_count(table, (left.clone(), depth - 1, size_left), maximum, cache);
                let right = (right.clone(), depth - 1, size - 1 - size_left);
                let right = plain_count(table, right, maximum, cache);
                for (&errors_left, of_left) in left.iter() {
                    for (&errors_right, of_right) in right.range(..=maximum - errors_left) {
                        let errors = errors_left + errors_right;
                        *counts.entry(errors).or_default() += of_left * of_right;
                    }
                }
            }
        }
    }
    let counts = Rc::new(counts);
    cache.insert(key, counts.clone());
    counts
}

/// A request for all trees of minimum size with at most `errors` errors.
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
    let (mut done, mut maximum, mut heavy) = (0, 0, 0);
    while done < 60 {
        let rows = random.usize(8..22);
        let columns: Vec<Vec<f64>> =
            (0..3).map(|_| (0..rows).map(|_| random.u32(0..12) as f64).collect()).collect();
        let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..3).min(1)).collect();
        let weights = random_weights::weights(&mut random, rows, 62);
        let table = Table::new(&columns, &labels, &weights, 2);
        // The error limit: 0 to 2, or the total weight of up to two rows.
        let mut shuffled: Vec<Weight> = weights.clone();
        random.shuffle(&mut shuffled);
        let of_few_rows: Weight = shuffled.into_iter().take(random.usize(0..3)).sum();
        let errors = if random.bool() { random.u64(0..3) } else { of_few_rows };
        let depth = random.u32(2..6);
        let items: Vec<usize> = (0..table.items.len()).collect();
        let mut cache = HashMap::new();
        let mut of_size = |size| -> u64 {
            plain_count(&table, (items.clone(), depth, size), errors, &mut cache).values().sum()
        };
        let Some((size, count)) = (0..5).map(|size| (size, of_size(size))).find(|at| at.1 > 0)
        else {
            continue;
        };
        (done, maximum) = (done + 1, maximum.max(count));
        heavy += u32::from(count > 1 && errors > 1 << 20);
        let request = smallest_trees(depth, (size, size), errors);
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let counted = count_trees(&table, &request, &clock).0;
        assert_eq!(counted, Some(BigUint::from(count)), "{table:?} {request:?}");
    }
    assert!(maximum > 100 && heavy > 0, "{maximum} {heavy}");
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
    // For any k of the 39 thresholds, there is one tree for each binary search tree of k nodes.
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
    // The three thresholds form a binary search tree in five ways.
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    assert_eq!(count_trees(&table, &request, &clock).0, Some(BigUint::from(5u32)));
    assert!(!list_trees(&table, &request, &clock, &mut |_| false));
    switch.stop(exactree_model::StoppedBy::Interrupt);
    assert_eq!(count_trees(&table, &request, &clock).0, None);
    assert!(!list_trees(&table, &request, &clock, &mut |_| true));
}
