//! Block bounds of plain errors against the definition on random tables.

use super::ErrorBlocks;
use crate::engine::block_bound::BlockBound;
use crate::engine::request::Request;
use crate::spaces::continuous::differential::{Instance, definition, draw, random_options, solved};
use crate::spaces::solve::{solve, solve_beside};
use crate::support::clock::stop_at_poll;
use crate::support::clock::{Background, Clock, Occupation, StopSwitch};
use crate::support::mutants::Mutant;
use crate::support::mutants::with_mutant;
use crate::support::options::Options;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Status, Tree, UNBOUNDED};

/// The cost of a tree of the table, and the number of rows in its smallest leaf.
fn recounted(instance: &Instance, items: &[usize], tree: &Tree) -> (Cost, u64) {
    let table = &instance.table;
    match tree {
        Tree::Leaf { class } => {
            let wrong = |item: &&usize| table.items[**item].class != *class;
            let errors = items.iter().filter(wrong).map(|&item| table.items[item].weight).sum();
            let rows = items.iter().map(|&item| table.items[item].rows).sum();
            (instance.objective.leaf(errors), rows)
        }
        Tree::Node { feature, rank, left, right } => {
            let ranks = &table.features[*feature as usize].ranks;
            let (on_left, on_right): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| ranks[item] <= *rank);
            let left = recounted(instance, &on_left, left);
            let right = recounted(instance, &on_right, right);
            (left.0 + right.0, left.1.min(right.1))
        }
    }
}

fn request(instance: &Instance, threads: usize) -> Request {
    Request {
        objective: instance.objective,
        limits: instance.limits,
        below: UNBOUNDED,
        memory_limit: None,
        stop_at_gap: 0.0,
        threads,
    }
}

/// What is done before blocks are merged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    SolveAll,
    ProveShares,
    SeekSize,
}

/// The bounds after every block, down to a single block, and the minimum cost of the table. Checks the
/// tree of the blocks.
fn bounds(instance: &Instance, level: u32, first: First) -> (Vec<Cost>, Cost) {
    let Instance { table, limits, .. } = instance;
    let request = request(instance, 1);
    let (switch, progress) = (StopSwitch::default(), Progress::default());
    let clock = Clock::start(None, &switch);
    let options = Options::default();
    let start = (level, 0);
    let problem = ErrorBlocks::new(table, &request, &options, &solve);
    let mut blocks = BlockBound::at_level(problem, &progress, start);
    match first {
        First::SolveAll => {}
        First::ProveShares => blocks = blocks.proving_shares(),
        First::SeekSize => blocks = blocks.seeking_size(),
    }
    let mut bounds = Vec::new();
    while blocks.step(&clock, Occupation::Idle) {
        bounds.push(blocks.lower_bound());
    }
    let items: Vec<usize> = (0..table.items.len()).collect();
    if let Some((cost, tree)) = blocks.tree() {
        let (recounted, rows) = recounted(instance, &items, &tree);
        assert_eq!(recounted, cost, "{instance:?}");
        assert!(tree.depth() <= limits.depth && tree.size() <= limits.size);
        assert!(rows >= limits.min_samples_leaf);
    } else {
        assert!(limits.min_samples_leaf > 1, "{instance:?}");
    }
    (bounds, definition(instance, &items, limits.normalised()))
}

#[test]
fn sums_over_blocks_rise_to_at_most_the_minimum_cost() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    let (mut positive, mut merged) = (0, 0);
    for _ in 0..2_000 {
        let instance = draw(&mut random, [0, 40, 20, 9, 7]);
        let level = random.u32(1..4);
        let (bounds, optimum) = bounds(&instance, level, First::SolveAll);
        let blocks = (2 << level) - 2;
        assert_eq!(bounds.len(), blocks, "all blocks of all levels");
        assert!(bounds.is_sorted() && bounds[blocks - 1] <= optimum, "{bounds:?} {instance:?}");
        positive += u32::from(bounds[(1 << level) - 1] > 0);
        merged += u32::from(bounds[blocks - 1] > bounds[(1 << level) - 1]);
    }
    assert!(positive > 500 && merged > 100, "{positive} {merged}");
}

#[test]
fn shares_of_the_costs_of_blocks_rise_to_the_sum_of_these_costs() {
    let mut random = fastrand::Rng::with_seed(20_261_131);
    let mut rising = [0; 3];
    for _ in 0..2_000 {
        let instance = draw(&mut random, [0, 40, 20, 9, 7]);
        let level = random.u32(1..4);
        let (solved, _) = bounds(&instance, level, First::SolveAll);
        let (bounds, optimum) = bounds(&instance, level, First::ProveShares);
        // Two shares of every block, and then all blocks of all levels.
        let blocks = 1 << level;
        assert_eq!(bounds.len(), 2 * blocks + solved.len());
        assert!(bounds.is_sorted() && bounds[bounds.len() - 1] <= optimum, "{instance:?}");
        assert_eq!(bounds[3 * blocks - 1..], solved[blocks - 1..], "{instance:?}");
        for (pass, rising) in rising.iter_mut().enumerate() {
            let end = (pass + 1) * blocks - 1;
            *rising += u32::from(bounds[end] > if pass == 0 { 0 } else { bounds[end - blocks] });
        }
    }
    assert!(rising.iter().all(|&count| count > 50), "{rising:?}");
}

/// The size depends on times, and so does whether shares are proved, but the bounds hold and rise.
#[test]
fn blocks_of_a_sought_size_bound_the_minimum_cost() {
    let mut random = fastrand::Rng::with_seed(20_261_130);
    let mut taken_apart = 0;
    for _ in 0..2_000 {
        let instance = draw(&mut random, [0, 40, 20, 9, 7]);
        let level = random.u32(2..5);
        let (bounds, optimum) = bounds(&instance, level, First::SeekSize);
        assert!(bounds.is_sorted() && bounds.iter().all(|&bound| bound <= optimum));
        // All blocks of a level and of those below it were solved, besides those that were tried, of
        // each level two, and two shares of every block.
        let blocks = (1..=level).map(|level| (2 << level) - 2);
        taken_apart += u32::from(!blocks.clone().any(|blocks| bounds.len() == blocks));
        assert!(bounds.len() <= (2 << level) - 2 + (2 << level) + 2 * level as usize);
    }
    assert!(taken_apart > 100, "{taken_apart}");
}

/// Searches that solve blocks at every poll, stopped at a random poll or not at all.
#[test]
fn blocks_change_no_outcome_of_a_search_and_leave_stopped_searches_valid_bounds() {
    let mut random = fastrand::Rng::with_seed(20_261_129);
    let (mut stopped, mut of_blocks) = (0, 0);
    for number in 0..3_000 {
        let instance = draw(&mut random, [0, 40, 20, 9, 7]);
        let items: Vec<usize> = (0..instance.table.items.len()).collect();
        let optimum = definition(&instance, &items, instance.limits.normalised());
        let request = request(&instance, if number % 10 == 0 { 2 } else { 1 });
        let options = random_options(&mut random, 20);
        let alone = solved(&instance, &options, 1, UNBOUNDED).outcome;
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let table = &instance.table;
        let start = (random.u32(1..4), 0);
        let problem = ErrorBlocks::new(table, &request, &options, &solve);
        let blocks = BlockBound::at_level(problem, &progress, start);
        let search =
            || solve_beside(Some(&blocks), table, &request, &options, clock, &progress).outcome;
        let polls = if random.bool() { u64::MAX } else { random.u64(1..30) };
        let outcome = stop_at_poll(polls, search);
        assert!(outcome.lower_bound <= optimum, "{instance:?} {options:?}");
        assert!(outcome.cost.is_none_or(|cost| cost >= optimum), "{instance:?} {options:?}");
        of_blocks += u32::from(blocks.lower_bound() > 0);
        if outcome.status == Status::Optimal {
            assert_eq!(outcome.cost, Some(optimum), "{instance:?} {options:?}");
            if request.threads == 1 && switch.reason().is_none() {
                assert_eq!(outcome.tree, alone.tree, "{instance:?} {options:?}");
            }
        } else {
            assert!(switch.reason().is_some(), "{instance:?} {options:?}");
            stopped += 1;
        }
    }
    assert!(stopped > 100 && of_blocks > 100, "{stopped} {of_blocks}");
}

#[test]
fn a_price_of_leaves_that_is_paid_in_every_block_is_noticed() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    let noticed = |_: &u32| {
        let instance = draw(&mut random, [0, 40, 20, 9, 7]);
        let (bounds, optimum) =
            with_mutant(Some(Mutant::BlockBound), || bounds(&instance, 2, First::SolveAll));
        bounds.iter().any(|&bound| bound > optimum)
    };
    assert!((0..200).find(noticed).is_some());
}
