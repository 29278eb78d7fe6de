//! Searches of some dichotomies as roots, in any order and stopped anywhere, against the definition.

use super::DichotomyRootSearch;
use crate::engine::root_range::in_tests::{KnownBounds, TaskCounts, TaskLimits, by_tasks};
use crate::engine::root_range::{RootRange, RootTasks, SearchControl};
use crate::spaces::dichotomies::ProperRequest;
use crate::spaces::dichotomies::differential::{
    RandomDichotomies, draw, expected, measured, request,
};
use crate::spaces::dichotomies::leaf_quotas::keeps_quotas;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::statistics::Progress;
use exactree_model::{Limits, Tree, UNBOUNDED};

/// Counts of events in searches that are split into tasks.
#[derive(Default)]
struct RunCounts {
    tasks: TaskCounts,
    /// Problems with limits on the leaves of a class.
    with_quotas: usize,
    with_min_rows: usize,
}

fn prepared(drawn: &RandomDichotomies, request: ProperRequest) -> DichotomyRootSearch {
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    let search = DichotomyRootSearch::prepare(&drawn.dichotomies, &drawn.examples, request, &clock);
    search.expect("nothing stops it")
}

/// Solves a random problem task by task; false if a bound, a tree or the cost is wrong.
fn solves_by_tasks(random: &mut fastrand::Rng, counts: &mut RunCounts) -> bool {
    let drawn = draw(random);
    let request = ProperRequest { below: UNBOUNDED, ..request(random, &drawn) };
    let optimum = expected(&drawn, &request);
    let rows: Vec<usize> = (0..drawn.examples.labels.len()).collect();
    counts.with_quotas += usize::from(!request.leaves.is_empty());
    counts.with_min_rows += usize::from(request.limits.min_samples_leaf > 1);
    let search = prepared(&drawn, request.clone());
    let is_right = |known: KnownBounds<'_>| {
        known.lower <= optimum
            && known.best.is_none_or(|(cost, tree)| {
                let within =
                    tree.depth() <= request.limits.depth && tree.size() <= request.limits.size;
                within && *cost >= optimum && keeps_quotas(&request.leaves, tree) && {
                    measured(&drawn, &request, &rows, tree) == *cost
                }
            })
    };
    let (limits, start) = (TaskLimits { micros: 40, far: Some(1) }, (UNBOUNDED, 0, None));
    let found = by_tasks(&search, (random, &mut counts.tasks), limits, start, &is_right);
    found.is_ok_and(|best| best.map_or(UNBOUNDED, |best| best.0) == optimum)
}

fn agrees_with_the_definition(problems: usize, seed: u64) {
    let (mut random, mut counts) = (fastrand::Rng::with_seed(seed), RunCounts::default());
    for number in 0..problems {
        assert!(solves_by_tasks(&mut random, &mut counts), "problem {number}");
    }
    let RunCounts { tasks, with_quotas, with_min_rows } = counts;
    let TaskCounts { returned_open, stopped, ranges } = tasks;
    println!("{returned_open} {stopped} {with_quotas} {with_min_rows} {ranges}");
    assert!(returned_open > problems / 20 && stopped > problems / 20 && ranges > problems / 20);
    assert!(with_quotas > problems / 10 && with_min_rows > problems / 10);
}

#[test]
fn any_order_of_tasks_agrees_with_the_definition() {
    agrees_with_the_definition(4_000, 12);
}

#[test]
#[ignore = "minutes: make test-long"]
fn any_order_of_tasks_agrees_with_the_definition_on_many_problems() {
    agrees_with_the_definition(200_000, 14);
}

#[test]
fn a_root_closed_too_early_is_noticed() {
    let (mut random, mut counts) = (fastrand::Rng::with_seed(13), RunCounts::default());
    let noticed = (0..5_000).find(|_| {
        !with_mutant(Some(Mutant::RootsLeft), || solves_by_tasks(&mut random, &mut counts))
    });
    assert!(noticed.is_some());
}

#[test]
fn the_roots_are_one_range_of_the_dichotomies_that_differ() {
    let mut random = fastrand::Rng::with_seed(15);
    let mut with_equal = 0;
    for _ in 0..500 {
        let drawn = draw(&mut random);
        let search = prepared(&drawn, request(&mut random, &drawn));
        let kept = search.prepared.kept.len() as u32;
        let whole = (kept > 0).then(|| RootRange::new(0, 0, kept - 1));
        assert_eq!(search.roots(), whole.into_iter().collect::<Vec<RootRange>>());
        with_equal += u32::from(kept < drawn.dichotomies.count() as u32);
    }
    assert!(with_equal > 50);
}

#[test]
fn a_tree_of_other_dichotomies_or_beyond_the_limits_on_leaves_does_not_agree() {
    let mut random = fastrand::Rng::with_seed(16);
    let (mut limited, mut dropped, mut too_small) = (0, 0, 0);
    for _ in 0..4_000 {
        let drawn = draw(&mut random);
        let request = ProperRequest { leaves: Vec::new(), ..request(&mut random, &drawn) };
        let search = prepared(&drawn, request.clone());
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let control = SearchControl::default();
        let (solved, _) =
            search.run(&search.roots(), (UNBOUNDED, false), clock, &progress, &control);
        let Some((cost, tree)) = solved.outcome.cost.zip(solved.outcome.tree) else { continue };
        assert!(search.agrees(&tree, cost));
        if let Some(other) = (0..drawn.dichotomies.count() as u32)
            .find(|number| !search.prepared.kept.contains(number))
        {
            let split = Tree::node(0, other, tree.clone(), tree.clone());
            assert!(!search.agrees(&split, cost));
            dropped += 1;
        }
        let class = random.u32(0..drawn.examples.n_classes as u32);
        let leaves = vec![(class, 0)];
        let predicted = !keeps_quotas(&leaves, &tree);
        let within = prepared(&drawn, ProperRequest { leaves, ..request.clone() });
        assert_eq!(within.agrees(&tree, cost), !predicted);
        limited += u32::from(predicted);
        let rows: Vec<usize> = (0..drawn.examples.labels.len()).collect();
        let min_samples_leaf = fewest_rows(&drawn, &rows, &tree);
        let agrees_with = |min_samples_leaf: u64| {
            let limits = Limits { min_samples_leaf, ..request.limits };
            prepared(&drawn, ProperRequest { limits, ..request.clone() }).agrees(&tree, cost)
        };
        assert!(agrees_with(min_samples_leaf) && !agrees_with(min_samples_leaf + 1));
        too_small += u32::from(tree.size() > 0);
    }
    assert!(limited > 500 && dropped > 100 && too_small > 500);
}

/// Number of rows in the smallest leaf of a tree for some rows.
fn fewest_rows(drawn: &RandomDichotomies, rows: &[usize], tree: &Tree) -> u64 {
    let Tree::Node { rank, left, right, .. } = tree else { return rows.len() as u64 };
    let goes_left = |row: &usize| drawn.dichotomies.goes_left(*rank as usize, *row);
    let (to_left, to_right): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| goes_left(row));
    fewest_rows(drawn, &to_left, left).min(fewest_rows(drawn, &to_right, right))
}
