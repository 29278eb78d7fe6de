//! Searches of some columns as roots, in any order and stopped anywhere, against the definition.

use super::definition::Definition;
use super::instance::draw_columns;
use crate::engine::differential::{Returned, finds_by_rounds};
use crate::engine::root_range::RootRange;
use crate::spaces::leaf_costs::CostOptions;
use crate::spaces::leaf_costs::column_rules::ColumnRules;
use crate::spaces::leaf_costs::cost_space::{CostSearch, CostSpace};
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::statistics::Progress;
use exactree_model::{Cost, Limits, UNBOUNDED};

/// The minimum cost by one search of all roots.
fn minimum_cost(space: CostSpace<'_, ColumnRules<'_>>, limits: Limits) -> Cost {
    let (switch, progress) = (StopSwitch::default(), Progress::default());
    let (clock, cache) = (Clock::start(None, &switch), SharedCache::new(None, 1));
    let mut search = CostSearch::new(space, &clock, &progress, &cache);
    search.solve(&space.prepared.whole(), limits, UNBOUNDED, None).lower
}

/// Draws tables until one has columns, and compares searches of some of its roots with one search
/// of all.
fn agrees_with_one_search(random: &mut fastrand::Rng, returned: &mut Returned) -> bool {
    loop {
        let instance = draw_columns(random);
        let options = CostOptions { bit_columns: true, ..CostOptions::some_off(random) };
        let request = instance.request(&options);
        let examples = instance.solved(&options).0;
        let Some(columns) = &examples.prepared.columns else { continue };
        let space = CostSpace::new(&examples.prepared, &request, ColumnRules(columns));
        let limits = request.limits.normalised();
        let optimum = minimum_cost(space, limits);
        let whole = space.prepared.whole();
        let roots = columns.rules.iter().map(|rule| RootRange::new(rule.0, 0, 0)).collect();
        return finds_by_rounds(space, (&whole, limits), roots, optimum, random, returned);
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
