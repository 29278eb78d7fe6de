//! The search over dichotomies against the definition, on random dichotomies.

use super::error_space::DichotomySpace;
use super::prepared_table::DichotomyTable;
use super::subset::DichotomySubset;
use super::{Dichotomies, DichotomyExamples, ProperOptions, ProperRequest, ProperStats, proper};
use crate::engine::laws::{self, LawTrial};
use crate::engine::space::Search;
use crate::kernels::InstructionSet;
use crate::kernels::stumps::StumpCounts;
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Errors, Limits, Outcome, Status, Tree, UNBOUNDED};

/// A table of random dichotomies; some rows are equal, and some columns.
pub(super) struct RandomDichotomies {
    pub(super) dichotomies: Dichotomies,
    pub(super) examples: DichotomyExamples,
    /// By column and row, whether the row goes left.
    left: Vec<Vec<bool>>,
}

pub(super) fn draw(random: &mut fastrand::Rng) -> RandomDichotomies {
    let (rows, n_classes) = (random.usize(1..9), random.usize(1..5));
    let mut left: Vec<Vec<bool>> =
        (0..random.usize(0..8)).map(|_| (0..rows).map(|_| random.bool()).collect()).collect();
    if rows > 1 && random.bool() {
        // Each differs from the one before in one row, like hyperplanes rotated past one example.
        for k in 1..left.len() {
            left[k] = left[k - 1].clone();
            let row = random.usize(0..rows);
            left[k][row] = !left[k][row];
        }
    }
    if rows > 2 && random.bool() {
        left.iter_mut().for_each(|column| column[1] = column[0]);
    }
    if left.len() > 1 && random.bool() {
        left[1] = left[0].iter().map(|left| !left).collect();
    }
    let examples = DichotomyExamples {
        labels: (0..rows).map(|_| random.u32(0..n_classes as u32)).collect(),
        weights: match random.bool() {
            true => (0..rows).map(|_| random.u64(1..7)).collect(),
            false => random_weights::weights(random, rows, 60),
        },
        n_classes,
    };
    RandomDichotomies { dichotomies: packed(&left), examples, left }
}

fn packed(left: &[Vec<bool>]) -> Dichotomies {
    let stride = left.first().map_or(1, |column| column.len().div_ceil(8));
    let mut bits = vec![0u8; stride * left.len()];
    for (k, column) in left.iter().enumerate() {
        for (row, &goes_left) in column.iter().enumerate() {
            bits[k * stride + row / 8] |= u8::from(goes_left) << (row % 8);
        }
    }
    Dichotomies { bits, stride }
}

pub(super) fn request(random: &mut fastrand::Rng, drawn: &RandomDichotomies) -> ProperRequest {
    let any = |random: &mut fastrand::Rng, maximum: u32| match random.bool() {
        true => u32::MAX,
        false => random.u32(0..maximum),
    };
    let min_samples_leaf = if random.bool() { 1 } else { random.u64(1..4) };
    let min_samples_leaf = min_samples_leaf.min(drawn.examples.labels.len() as u64);
    let leaf_price = if random.u32(0..3) == 0 { random.u64(0..5) } else { 0 };
    let leaves = match random.u32(0..4) {
        0 => vec![(random.u32(0..drawn.examples.n_classes as u32), random.u32(0..3))],
        _ => Vec::new(),
    };
    ProperRequest {
        objective: Errors { error_price: random.u64(1..3), leaf_price },
        limits: Limits { depth: any(random, 4), size: any(random, 5), min_samples_leaf },
        leaves,
        below: if random.bool() { UNBOUNDED } else { random.u64(1..12) },
        memory_limit: random.bool().then_some(2_000),
        stop_at_gap: 0.0,
        threads: if random.u32(0..10) == 0 { 2 } else { 1 },
        options: ProperOptions::some_off(random),
    }
}

/// The minimum cost by definition, without pruning; quotas limit the leaves of some classes.
fn definition(
    drawn: &RandomDichotomies,
    request: &ProperRequest,
    rows: &[usize],
    depth: u32,
    size: u32,
    quotas: &[(u32, u32)],
) -> Cost {
    let examples = &drawn.examples;
    let mut weights = vec![0; examples.n_classes];
    rows.iter().for_each(|&row| weights[examples.labels[row] as usize] += examples.weights[row]);
    let class = Errors::leaf_class(&weights);
    let free = quotas.iter().all(|&(limited, maximum)| limited != class || maximum > 0);
    let enough = rows.len() as u64 >= request.limits.min_samples_leaf;
    let leaf = request.objective.leaf(Errors::leaf_errors(&weights));
    let mut optimum = if free && enough { leaf } else { UNBOUNDED };
    if depth == 0 || size == 0 {
        return optimum;
    }
    for column in &drawn.left {
        let (left, right): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&row| column[row]);
        if left.is_empty() || right.is_empty() {
            continue;
        }
        let maximum = (size - 1).min(rows.len() as u32);
        for left_size in 0..=maximum {
            for quota in 0..=quotas.first().map_or(0, |&(_, maximum)| maximum) {
                let share =
                    |maximum: u32| quotas.iter().map(|&(c, _)| (c, maximum)).collect::<Vec<_>>();
                let all = quotas.first().map_or(0, |&(_, maximum)| maximum);
                let cost = |rows: &[usize], size, quota| {
                    definition(drawn, request, rows, depth - 1, size, &share(quota))
                };
                let left_cost = cost(&left, left_size, quota);
                optimum = optimum
                    .min(left_cost + cost(&right, maximum - left_size, all - quota))
                    .min(UNBOUNDED);
            }
        }
    }
    optimum
}

fn solved(drawn: &RandomDichotomies, request: &ProperRequest) -> (Outcome, ProperStats) {
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    proper(&drawn.dichotomies, &drawn.examples, request, &clock, &Progress::default())
}

pub(super) fn expected(drawn: &RandomDichotomies, request: &ProperRequest) -> Cost {
    let rows: Vec<usize> = (0..drawn.examples.labels.len()).collect();
    let depth = request.limits.depth.min(rows.len() as u32);
    let size = request.limits.size.min(rows.len() as u32);
    definition(drawn, request, &rows, depth, size, &request.leaves)
}

/// The cost of a tree; asserts the minimum number of rows of its leaves.
pub(super) fn measured(
    drawn: &RandomDichotomies,
    request: &ProperRequest,
    rows: &[usize],
    tree: &Tree,
) -> Cost {
    match tree {
        Tree::Leaf { class } => {
            assert!(rows.len() as u64 >= request.limits.min_samples_leaf);
            let wrong = rows.iter().filter(|&&row| drawn.examples.labels[row] != *class);
            request.objective.leaf(wrong.map(|&row| drawn.examples.weights[row]).sum())
        }
        Tree::Node { rank, left, right, .. } => {
            let column = &drawn.left[*rank as usize];
            let (to_left, to_right): (Vec<usize>, Vec<usize>) =
                rows.iter().partition(|&&row| column[row]);
            measured(drawn, request, &to_left, left) + measured(drawn, request, &to_right, right)
        }
    }
}

fn check(drawn: &RandomDichotomies, request: &ProperRequest, outcome: &Outcome) {
    let optimum = expected(drawn, request);
    if optimum >= request.below {
        assert_eq!(outcome.status, Status::Infeasible, "{request:?}");
        return;
    }
    assert_eq!((outcome.status, outcome.cost), (Status::Optimal, Some(optimum)), "{request:?}");
    let tree = outcome.tree.as_ref().expect("an optimal tree");
    assert!(tree.depth() <= request.limits.depth && tree.size() <= request.limits.size);
    let rows: Vec<usize> = (0..drawn.examples.labels.len()).collect();
    assert_eq!(measured(drawn, request, &rows, tree), optimum);
}

#[test]
fn errors_over_dichotomies_obey_the_laws_of_the_engine() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    for _ in 0..2_000 {
        let drawn = draw(&mut random);
        let ProperRequest { objective, options, limits, .. } = request(&mut random, &drawn);
        let with_rows = limits.min_samples_leaf > 1;
        let prepared = DichotomyTable::new(&drawn.dichotomies, &drawn.examples, with_rows, &clock);
        let prepared = &prepared.expect("nothing stops it");
        let space = DichotomySpace { prepared, objective, options: &options };
        let whole = DichotomySubset::whole(prepared, Vec::new());
        let rules: Vec<(u32, u32)> =
            whole.candidates.iter().map(|&dichotomy| (0, dichotomy)).collect();
        let mut trial = LawTrial { random: &mut random, leaf_error: 0 };
        laws::obeys_laws(&space, &whole, &rules, &mut trial);
    }
}

#[test]
fn the_minimum_cost_is_that_of_the_definition_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let mut counts = [0; 6];
    for _ in 0..6_000 {
        let drawn = draw(&mut random);
        let request = request(&mut random, &drawn);
        let (outcome, stats) = solved(&drawn, &request);
        check(&drawn, &request, &outcome);
        for (total, (_, count)) in counts.iter_mut().zip(stats.pruned()) {
            *total += count;
        }
    }
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}

#[test]
fn a_search_that_stops_at_gap_1_returns_a_tree_if_there_is_one() {
    let mut random = fastrand::Rng::with_seed(11);
    let (mut stopped, mut found) = (0, 0);
    for _ in 0..3_000 {
        let drawn = draw(&mut random);
        let request = ProperRequest { stop_at_gap: 1.0, ..request(&mut random, &drawn) };
        let (outcome, _) = solved(&drawn, &request);
        let optimum = expected(&drawn, &request);
        assert_eq!(outcome.tree.is_none(), optimum >= request.below, "{request:?}");
        assert!(outcome.lower_bound <= optimum);
        let Some(tree) = &outcome.tree else { continue };
        let rows: Vec<usize> = (0..drawn.examples.labels.len()).collect();
        assert!(measured(&drawn, &request, &rows, tree) < request.below);
        found += 1;
        stopped += u32::from(outcome.status == Status::Feasible);
    }
    assert!(found > stopped && stopped > 0);
}

/// Each of ten examples has eight slots, one for each bit of its weight, and the leaf price allows
/// trees of 98 nodes. Neither number limits a tree of fewer nodes than examples.
#[test]
fn a_size_limit_beyond_the_number_of_examples_limits_nothing() {
    let left: Vec<Vec<bool>> = (0..9).map(|k| (0..10).map(|row| row <= k).collect()).collect();
    let examples = DichotomyExamples {
        labels: (0..10).map(|row| row % 2).collect(),
        weights: vec![255; 10],
        n_classes: 2,
    };
    let request = ProperRequest {
        objective: Errors { error_price: 1, leaf_price: 1 },
        limits: Limits { depth: u32::MAX, size: u32::MAX, min_samples_leaf: 1 },
        leaves: Vec::new(),
        below: UNBOUNDED,
        memory_limit: None,
        stop_at_gap: 0.0,
        threads: 1,
        options: ProperOptions::default(),
    };
    let (switch, progress) = (StopSwitch::default(), Progress::default());
    let clock = Clock::start(None, &switch);
    let prepared = DichotomyTable::new(&packed(&left), &examples, false, &clock);
    let prepared = prepared.expect("nothing stops it");
    let ProperRequest { objective, options, .. } = &request;
    let space = DichotomySpace { prepared: &prepared, objective: *objective, options };
    let (instructions, cache) = (InstructionSet::detect(true), SharedCache::new(None, 1));
    let search =
        Search::over(space, clock, &progress, &cache, instructions, StumpCounts::default());
    let whole = DichotomySubset::whole(&prepared, Vec::new());
    let limits_below =
        |upper| search.reachable_limits(&whole, search.affordable_limits(request.limits, upper));
    let limits = limits_below(100);
    assert_eq!((limits.depth, limits.shares().len()), (9, 1));
    let tight = limits_below(8);
    assert_eq!((tight.depth, tight.shares().len()), (6, 1));
}

#[test]
fn a_bound_that_is_wrong_by_one_is_noticed() {
    let mutants = [
        Mutant::ColumnSimilarity,
        Mutant::EqualRows,
        Mutant::ClassCount,
        Mutant::LeafBudget,
        Mutant::LeafPrice,
        Mutant::CachedBounds,
    ];
    for mutant in mutants {
        let mut random = fastrand::Rng::with_seed(7);
        let noticed = (0..20_000).any(|_| {
            let drawn = draw(&mut random);
            let mut request = request(&mut random, &drawn);
            (request.options, request.limits.min_samples_leaf) = (ProperOptions::default(), 1);
            // A mutant is active on one thread.
            request.threads = 1;
            request.limits.depth = random.u32(1..4);
            request.leaves.clear();
            let (outcome, _) = with_mutant(Some(mutant), || solved(&drawn, &request));
            let optimum = expected(&drawn, &request);
            match outcome.cost {
                Some(cost) => cost != optimum || outcome.status != Status::Optimal,
                None => optimum < request.below,
            }
        });
        assert!(noticed, "{mutant:?}");
    }
}

#[test]
fn a_stopped_search_returns_a_tree_and_a_lower_bound() {
    let mut random = fastrand::Rng::with_seed(5);
    let left: Vec<Vec<bool>> =
        (0..3_000).map(|_| (0..200).map(|_| random.bool()).collect()).collect();
    let examples = DichotomyExamples {
        labels: (0..200).map(|_| random.u32(0..2)).collect(),
        weights: vec![1; 200],
        n_classes: 2,
    };
    let switch = StopSwitch::default();
    let clock = Clock::start(Some(std::time::Duration::from_millis(60)), &switch);
    let request = ProperRequest {
        objective: Errors { error_price: 1, leaf_price: 0 },
        limits: Limits { depth: 3, size: 7, min_samples_leaf: 1 },
        leaves: Vec::new(),
        below: UNBOUNDED,
        memory_limit: None,
        stop_at_gap: 0.0,
        threads: 1,
        options: ProperOptions::default(),
    };
    let dichotomies = packed(&left);
    let (outcome, _) = proper(&dichotomies, &examples, &request, &clock, &Progress::default());
    assert_eq!(outcome.status, Status::Feasible);
    let drawn = RandomDichotomies { dichotomies, examples, left };
    let rows: Vec<usize> = (0..200).collect();
    let cost = measured(&drawn, &request, &rows, &outcome.tree.expect("a leaf at least"));
    assert_eq!(outcome.cost, Some(cost));
    assert!(outcome.lower_bound < cost);
}
