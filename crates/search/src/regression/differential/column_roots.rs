//! Searches of some columns as roots, in any order and stopped anywhere, against the definition.

use super::definition::Definition;
use super::instance::draw_columns;
use crate::engine::root_range::{RootRange, SearchControl};
use crate::regression::RegressionOptions;
use crate::regression::column_rules::ColumnRules;
use crate::regression::cost_space::{CostSearch, CostSpace};
use crate::regression::subset::RegressionSubset;
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::statistics::Progress;
use exactree_model::{Cost, Limits, StoppedBy, UNBOUNDED};
use std::sync::Mutex;

/// Number of searches that returned open columns.
#[derive(Default)]
struct Returned {
    on_request: usize,
    stopped: usize,
}

/// Solves a space task by task; whether all rounds have valid bounds and the last one the optimum.
fn solves_by_tasks(
    space: CostSpace<'_, ColumnRules<'_>>,
    limits: Limits,
    random: &mut fastrand::Rng,
    optimum: Cost,
    returned: &mut Returned,
) -> bool {
    let (cache, progress) = (SharedCache::new(None, 1), Progress::default());
    let whole = RegressionSubset::whole(space.prepared);
    let root = |rule: &(u32, u32)| RootRange::new(rule.0, 0, 0);
    let mut open: Vec<RootRange> = space.rules.0.rules.iter().map(root).collect();
    let mut best = UNBOUNDED;
    for round in 0.. {
        random.shuffle(&mut open);
        let roots = open.split_off(random.usize(0..=open.len()));
        let (switch, control) = (StopSwitch::default(), SearchControl::default());
        // Later rounds are never stopped.
        match random.u32(0..30 + round) {
            0..8 => control.return_open(),
            8..16 => switch.stop(StoppedBy::Interrupt),
            _ => {}
        }
        control.tighten_upper_bound(best);
        let clock = Clock::start(None, &switch);
        let mut search = CostSearch::new(space, &clock, &progress, &cache);
        search.control = Some(&control);
        let tried = search.best_of_roots(&whole, limits, best, (&roots, &Mutex::new(())));
        returned.on_request += usize::from(control.must_return_open() && !tried.open.is_empty());
        returned.stopped += usize::from(switch.reason().is_some() && !tried.open.is_empty());
        best = tried.tree.map_or(best, |(cost, _)| cost.min(best));
        open.extend(tried.open);
        open.retain(|root| root.lower < best);
        let lower = open.iter().map(|root| root.lower).fold(best, Cost::min);
        if lower > optimum || best < optimum {
            return false;
        }
        if open.is_empty() && round > 0 {
            return best == optimum;
        }
    }
    unreachable!("the rounds do not end")
}

/// The minimum cost by one search of all roots.
fn minimum_cost(space: CostSpace<'_, ColumnRules<'_>>, limits: Limits) -> Cost {
    let (switch, progress) = (StopSwitch::default(), Progress::default());
    let (clock, cache) = (Clock::start(None, &switch), SharedCache::new(None, 1));
    let mut search = CostSearch::new(space, &clock, &progress, &cache);
    search.solve(&RegressionSubset::whole(space.prepared), limits, UNBOUNDED, None).lower
}

/// Draws tables until one has columns, and compares searches of some of its roots with one search
/// of all.
fn agrees_with_one_search(random: &mut fastrand::Rng, returned: &mut Returned) -> bool {
    loop {
        let instance = draw_columns(random);
        let options =
            RegressionOptions { bit_columns: true, ..RegressionOptions::some_off(random) };
        let request = instance.request(&options);
        let examples = instance.solved(&options).0;
        let Some(columns) = &examples.prepared.columns else { continue };
        let space = CostSpace::new(&examples.prepared, &request, ColumnRules(columns));
        let limits = request.limits.normalised();
        let optimum = minimum_cost(space, limits);
        return solves_by_tasks(space, limits, random, optimum, returned);
    }
}

#[test]
fn any_order_of_columns_as_roots_agrees_with_one_search() {
    let mut random = fastrand::Rng::with_seed(20_261_127);
    let mut returned = Returned::default();
    for number in 0..1_500 {
        assert!(agrees_with_one_search(&mut random, &mut returned), "instance {number}");
    }
    assert!(returned.on_request > 100 && returned.stopped > 100);
}
