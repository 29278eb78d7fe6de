//! Covers against enumeration and the witness search, on random tables of two classes.

use super::{CoverQuantity, CoverRequest, cover};
use crate::ensembles::witness_ensemble::{EnsembleOptions, witness_ensemble};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::options::{CoverOptions, SizeOptions};
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Status, Table, Tree};
use rustc_hash::FxHashMap;

/// The votes of one tree as bits, and the Pareto-optimal pairs (size, depth) of such trees.
type VotesOfTrees = FxHashMap<u64, Vec<(u32, u32)>>;

/// The votes of all trees within a size and a depth on some items.
fn votes_of(table: &Table, items: &[usize], size: u32, depth: u32) -> VotesOfTrees {
    let all = items.iter().fold(0, |set, &item| set | 1 << item);
    let mut found = VotesOfTrees::default();
    add(&mut found, 0, (0, 0));
    add(&mut found, all, (0, 0));
    if size == 0 || depth == 0 {
        return found;
    }
    for feature in &table.features {
        for rank in 0..feature.values.len() as u32 - 1 {
            let (left, right): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| feature.ranks[item] <= rank);
            if left.is_empty() || right.is_empty() {
                continue;
            }
            let rights = votes_of(table, &right, size - 1, depth - 1);
            for (a, pairs) in votes_of(table, &left, size - 1, depth - 1) {
                for (b, others) in &rights {
                    for (s, d) in &pairs {
                        for (t, e) in others.iter().filter(|(t, _)| s + t < size) {
                            add(&mut found, a | b, (s + t + 1, d.max(e) + 1));
                        }
                    }
                }
            }
        }
    }
    found
}

fn add(found: &mut VotesOfTrees, votes: u64, pair: (u32, u32)) {
    let pairs = found.entry(votes).or_default();
    if !pairs.iter().any(|other| other.0 <= pair.0 && other.1 <= pair.1) {
        pairs.push(pair);
    }
}

/// The minimum value over all ensembles within the limits, by enumeration. Trees for at most five
/// rows need no more than six nodes and depth four.
fn minimum_by_enumeration(table: &Table, request: &CoverRequest) -> Option<u32> {
    let items: Vec<usize> = (0..table.items.len()).collect();
    let votes = votes_of(table, &items, request.size.min(6), request.depth.min(4));
    let right =
        items.iter().fold(0u64, |set, &item| set | u64::from(table.items[item].class) << item);
    let single: Vec<(u64, (u32, u32))> = votes
        .iter()
        .flat_map(|(&votes, pairs)| pairs.iter().map(move |&pair| (votes, pair)))
        .collect();
    // By votes of the first trees (number of votes for class 1 by item), the Pareto-optimal values:
    // total size, largest size, total depth, largest depth.
    let mut ways: FxHashMap<Vec<u32>, Vec<[u32; 4]>> = FxHashMap::default();
    ways.insert(vec![0; items.len()], vec![[0; 4]]);
    for _ in 0..request.trees {
        let mut next: FxHashMap<Vec<u32>, Vec<[u32; 4]>> = FxHashMap::default();
        for (counts, values) in &ways {
            for (votes, (size, depth)) in &single {
                let sum: Vec<u32> = counts
                    .iter()
                    .enumerate()
                    .map(|(item, c)| c + (votes >> item & 1) as u32)
                    .collect();
                let entry = next.entry(sum).or_default();
                for value in values {
                    let value = [
                        value[0] + size,
                        value[1].max(*size),
                        value[2] + depth,
                        value[3].max(*depth),
                    ];
                    if !entry.iter().any(|other| (0..4).all(|at| other[at] <= value[at])) {
                        entry.push(value);
                    }
                }
            }
        }
        ways = next;
    }
    let at = match request.minimize {
        CoverQuantity::TotalSize => 0,
        CoverQuantity::LargestSize => 1,
        CoverQuantity::TotalDepth => 2,
        CoverQuantity::LargestDepth => 3,
    };
    // The limit on the total is on sizes or on depths, as the minimized quantity.
    let total = at / 2 * 2;
    let feasible = |counts: &[u32]| {
        items.iter().all(|&item| (2 * counts[item] > request.trees) == (right >> item & 1 == 1))
    };
    let within = ways.iter().filter(|(counts, _)| feasible(counts)).flat_map(|(_, values)| values);
    within.filter(|value| value[total] <= request.total).map(|value| value[at]).min()
}

fn draw(random: &mut fastrand::Rng) -> Table {
    let rows = random.usize(1..6);
    let features = random.usize(1..4);
    let values = [2, 3, 6][random.usize(0..3)];
    let columns: Vec<Vec<f64>> =
        (0..features).map(|_| (0..rows).map(|_| random.u32(0..values) as f64).collect()).collect();
    let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..2)).collect();
    Table::new(&columns, &labels, &random_weights::weights(random, rows, 62), 2)
}

fn draw_request(random: &mut fastrand::Rng) -> CoverRequest {
    let options = CoverOptions::some_off(random);
    let limit =
        |random: &mut fastrand::Rng| [u32::MAX, u32::MAX, random.u32(0..4)][random.usize(0..3)];
    let minimize = [
        CoverQuantity::TotalSize,
        CoverQuantity::LargestSize,
        CoverQuantity::TotalDepth,
        CoverQuantity::LargestDepth,
    ][random.usize(0..4)];
    CoverRequest {
        trees: random.u32(1..5),
        minimize,
        size: limit(random),
        depth: limit(random),
        total: limit(random),
        memory_limit: if random.bool() { None } else { Some(random.usize(0..4_000)) },
        stop_at_gap: 0.0,
        options,
        size_options: SizeOptions::default(),
    }
}

#[test]
fn the_minimum_ensembles_are_those_of_enumeration_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_120);
    let (mut totals, mut infeasible) = (FxHashMap::<&str, u64>::default(), 0);
    for round in 0..2_000 {
        let table = draw(&mut random);
        let request = draw_request(&mut random);
        let expected = minimum_by_enumeration(&table, &request);
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let (outcome, stats) =
            cover(&table, &request, &clock, &Progress::default()).expect("two classes");
        assert_eq!(outcome.stopped_by, None);
        match (expected, &outcome.ensemble) {
            (Some(optimum), Some(trees)) => {
                assert_eq!(outcome.status, Status::Optimal);
                assert_eq!(
                    outcome.lower_bound,
                    [u64::from(optimum)],
                    "{round} {table:?} {request:?}"
                );
                check(&table, &request, trees, optimum);
            }
            (None, None) => assert_eq!(outcome.status, Status::Infeasible),
            _ => panic!("{round} {table:?} {request:?} {outcome:?}"),
        }
        for (name, count) in stats.list() {
            *totals.entry(name).or_default() += count;
        }
        infeasible += u32::from(expected.is_none());
    }
    // The required items only prune with more rows: see the next test.
    totals.remove("required_items");
    assert!(totals.values().all(|&total| total > 0) && infeasible > 100, "{totals:?} {infeasible}");
}

#[test]
fn the_minimum_sizes_of_more_rows_are_those_of_the_witness_search_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_151);
    let (mut pruned, mut several) = (0, 0);
    for round in 0..100 {
        let columns: Vec<Vec<f64>> =
            (0..3).map(|_| (0..8).map(|_| random.u32(0..5) as f64).collect()).collect();
        let labels: Vec<u32> = (0..8).map(|_| random.u32(0..2)).collect();
        let weights = random_weights::weights(&mut random, 8, 62);
        let table = Table::new(&columns, &labels, &weights, 2);
        if table.contradictory_groups > 0 {
            // The witness search would go through all sizes.
            continue;
        }
        let minimize = [CoverQuantity::TotalSize, CoverQuantity::LargestSize][round % 2];
        let (size, depth, total) = (u32::MAX, u32::MAX, u32::MAX);
        let options = CoverOptions::some_off(&mut random);
        let request = CoverRequest {
            trees: 3,
            minimize,
            size,
            depth,
            total,
            memory_limit: None,
            options,
            ..draw_request(&mut random)
        };
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let (covered, stats) =
            cover(&table, &request, &clock, &Progress::default()).expect("two classes");
        let request_by_size = request.by_size().expect("sizes");
        let options = EnsembleOptions::default();
        let (found, _) =
            witness_ensemble(&table, &request_by_size, &options, &clock, &Progress::default())
                .expect("small enough");
        assert_eq!(covered.status, Status::Optimal);
        assert_eq!(covered.lower_bound, found.lower_bound, "{table:?} {request:?}");
        pruned += stats.required_items;
        several += u32::from(covered.lower_bound[0] > 2);
    }
    assert!(pruned > 0 && several > 10, "{pruned} {several}");
}

/// Checks that trees are within the limits and classify all items.
fn check(table: &Table, request: &CoverRequest, trees: &[std::sync::Arc<Tree>], optimum: u32) {
    assert_eq!(trees.len(), request.trees as usize);
    assert!(trees.iter().all(|tree| tree.size() <= request.size && tree.depth() <= request.depth));
    let measures: Vec<u32> = trees.iter().map(|tree| request.minimize.measure(tree)).collect();
    let (total, greatest) = (measures.iter().sum::<u32>(), measures.iter().max().copied());
    assert!(total <= request.total);
    assert_eq!(if request.minimize.is_total() { Some(total) } else { greatest }, Some(optimum));
    for (at, item) in table.items.iter().enumerate() {
        let class =
            |tree: &Tree| tree.predict(|feature| table.features[feature as usize].ranks[at]);
        let ones = trees.iter().filter(|tree| class(tree) == 1).count();
        assert_eq!(2 * ones > trees.len(), item.class == 1);
    }
}
