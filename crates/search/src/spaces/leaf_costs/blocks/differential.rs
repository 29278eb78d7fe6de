//! Block bounds of costs of leaves against searches of the whole table, which are compared with the
//! definition elsewhere.

use super::CostBlocks;
use crate::costs::leaf_cost::{LeafCost, LeafRounding};
use crate::engine::block_bound::BlockBound;
use crate::spaces::leaf_costs::differential::class_costs::instance;
use crate::spaces::leaf_costs::differential::instance as targets;
use crate::spaces::leaf_costs::one_search::{CostStart, search_from};
use crate::spaces::leaf_costs::solve::solve_beside;
use crate::spaces::leaf_costs::{CostExamples, CostOptions, CostOutcome, CostRequest};
use crate::support::clock::{Background, Clock, Occupation, StopSwitch, stop_at_poll};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::statistics::Progress;
use exactree_model::{Cost, Status};

/// A random problem: squared or absolute error, a cost matrix, or costs of shares.
fn draw(random: &mut fastrand::Rng, options: &CostOptions) -> (CostExamples, CostRequest) {
    let max_rows = [0, 40, 20, 9].map(|rows: usize| rows.max(3));
    match random.u32(0..4) {
        0 | 1 => targets::draw(random, max_rows, 5).request_with(options, |target| target),
        kind => instance::draw(random, max_rows, kind == 2).request_with(options),
    }
}

fn blocks<'a>((examples, request): &'a (CostExamples, CostRequest)) -> CostBlocks<'a> {
    CostBlocks { table: &examples.table, prepared: &examples.prepared, request }
}

/// The search of the whole table in the usual units.
fn solved((examples, request): &(CostExamples, CostRequest)) -> CostOutcome {
    let (switch, progress) = (StopSwitch::default(), Progress::default());
    let clock = Clock::start(None, &switch);
    let start = CostStart { initial: None, greedy: request.options.incumbent };
    search_from(&examples.prepared, request, &clock, &progress, start)
}

/// The lower bounds after every block, down to a single block, and the cost of the tree of the blocks.
fn bounds(problem: &(CostExamples, CostRequest), level: u32) -> (Vec<Cost>, Option<Cost>) {
    let (switch, progress) = (StopSwitch::default(), Progress::default());
    let clock = Clock::start(None, &switch);
    let blocks = BlockBound::at_level(blocks(problem), &progress, (level, 0));
    let mut bounds = Vec::new();
    while blocks.step(&clock, Occupation::Idle) {
        bounds.push(blocks.lower_bound());
    }
    (bounds, blocks.tree().map(|(cost, _)| cost))
}

fn is_super_additive(problem: &(CostExamples, CostRequest)) -> bool {
    problem.0.prepared.units.cost.laws().super_additive
}

#[test]
fn sums_over_blocks_rise_to_at_most_the_minimum_cost() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    let (mut positive, mut merged, mut without_law) = (0, 0, 0);
    for _ in 0..2_000 {
        let problem = draw(&mut random, &CostOptions::default());
        let level = random.u32(1..4);
        let (bounds, tree) = bounds(&problem, level);
        let best = solved(&problem).outcome.cost.expect("no limit forbids a leaf");
        let last = bounds[bounds.len() - 1];
        if !is_super_additive(&problem) {
            without_law += u32::from(last > best);
            continue;
        }
        assert_eq!(bounds.len(), (2 << level) - 2, "all blocks of all levels");
        let (units, request) = (&problem.0.prepared.units, &problem.1);
        assert!(bounds.is_sorted() && last <= best, "{bounds:?} {best} {units:?} {request:?}");
        if let Some(tree) = tree {
            let rounding = units.cost.leaf_error(problem.0.prepared.items.len());
            assert!(tree + 16 * rounding >= best, "{tree} {best} {units:?} {request:?}");
        }
        let first = bounds[(1 << level) - 1];
        positive += u32::from(first > best / 4);
        merged += u32::from(last > first);
    }
    assert!(positive > 300 && merged > 100, "{positive} {merged}");
    assert!(without_law > 10, "{without_law}");
}

/// Searches that solve blocks at every poll, stopped at a random poll or not at all.
#[test]
fn blocks_change_no_outcome_of_a_search_and_leave_stopped_searches_valid_bounds() {
    let mut random = fastrand::Rng::with_seed(20_261_129);
    let (mut stopped, mut of_blocks) = (0, 0);
    for _ in 0..3_000 {
        let options = CostOptions::some_off(&mut random);
        let problem = draw(&mut random, &options);
        if !is_super_additive(&problem) {
            continue;
        }
        let alone = solved(&problem);
        let (examples, request) = &problem;
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let start = (random.u32(1..4), 0);
        let blocks = BlockBound::at_level(blocks(&problem), &progress, start);
        let search = || solve_beside(Some(&blocks), examples, request, None, &clock, &progress);
        let polls = if random.bool() { u64::MAX } else { random.u64(1..30) };
        let found = stop_at_poll(polls, search);
        let optimum = alone.cost.expect("no limit forbids a leaf");
        let near = alone.rounding + found.rounding + 1e-12 * optimum;
        assert!(found.lower_bound <= optimum + near, "{found:?} {optimum} {request:?}");
        assert!(found.cost.is_none_or(|cost| cost >= optimum - near), "{found:?} {request:?}");
        of_blocks += u32::from(blocks.lower_bound() > 0);
        match found.outcome.status {
            Status::Optimal => {
                let cost = found.cost.expect("of the tree");
                assert!((cost - optimum).abs() <= near, "{found:?} {optimum} {request:?}");
            }
            _ => stopped += u32::from(switch.reason().is_some()),
        }
    }
    assert!(stopped > 100 && of_blocks > 100, "{stopped} {of_blocks}");
}

#[test]
fn a_price_of_leaves_that_is_paid_in_every_block_is_noticed() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    let noticed = |_: &u32| {
        let problem = draw(&mut random, &CostOptions::default());
        let best = solved(&problem).outcome.cost.unwrap_or(Cost::MAX);
        let (bounds, _) = with_mutant(Some(Mutant::BlockBound), || bounds(&problem, 2));
        is_super_additive(&problem) && bounds.iter().any(|&bound| bound > best)
    };
    assert!((0..500).find(noticed).is_some());
}
