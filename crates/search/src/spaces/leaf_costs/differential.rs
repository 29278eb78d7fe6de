//! The regression search against the definition in exact fractions on random tables, which
//! `differential/instance.rs` draws; wrong bounds are in `differential/mutants.rs`.

pub(crate) mod class_costs;
mod column_roots;
pub(crate) mod definition;
pub(super) mod instance;
pub(super) mod mutants;

use super::cost_space::CostSpace;
use super::threshold_rules::ThresholdRules;
use super::{CostExamples, CostOptions, CostRequest, pruned_bounds};
use crate::costs::leaf_cost::LeafRounding;
use crate::engine::laws::{self, LawTrial};
use definition::Definition;
use exactree_model::Tree;
use instance::{TargetInstance, draw, draw_columns};
use std::sync::Arc;

/// The best tree and any stump, as trees of the table.
fn starts(random: &mut fastrand::Rng, instance: &TargetInstance) -> Vec<Arc<Tree>> {
    let (examples, best) = instance.solved(&CostOptions::default());
    let mut starts: Vec<Arc<Tree>> = best.outcome.tree.into_iter().collect();
    let min_rows = instance.limits.min_samples_leaf as usize;
    for (at, feature) in examples.table.features.iter().enumerate() {
        let rank = random.u32(0..feature.values.len() as u32 - 1);
        let column = &instance.columns[feature.index as usize];
        let to_left = column.iter().filter(|&&x| x <= feature.values[rank as usize]).count();
        if instance.limits.size > 0 && to_left.min(column.len() - to_left) >= min_rows {
            starts.push(Tree::node(at as u32, rank, Tree::leaf(0), Tree::leaf(0)));
        }
    }
    starts
}

/// Checks the laws of the engine for the prepared examples of a request.
pub(super) fn obey_laws(
    (examples, request): &(CostExamples, CostRequest),
    random: &mut fastrand::Rng,
) {
    let prepared = &examples.prepared;
    let space = CostSpace::new(prepared, request, ThresholdRules);
    let whole = prepared.whole();
    let rules = laws::threshold_rules(prepared, &laws::slots_of(&whole));
    let leaf_error = prepared.units.cost.leaf_error(prepared.items.len());
    let mut trial = LawTrial { random, leaf_error };
    laws::obeys_laws(&space, &whole, &rules, &mut trial);
    laws::obeys_the_law_of_rules(&space, &whole, &mut trial);
}

#[test]
fn squared_and_absolute_errors_obey_the_laws_of_the_engine() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    let options = CostOptions { bit_columns: false, ..CostOptions::default() };
    for _ in 0..1_000 {
        let instance = draw(&mut random, [8, 30, 20, 10], 3);
        obey_laws(&instance.request_with(&options, |target| target), &mut random);
    }
}

#[test]
fn an_initial_tree_changes_no_optimum() {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut fewer, mut started) = (0, 0);
    for number in 0..2_000 {
        let instance = draw(&mut random, [8, 30, 20, 10], 3);
        let optimum = instance.optimum();
        let mut options = CostOptions::some_off(&mut random);
        if number % 2 == 0 {
            // An initial tree matters if the search builds no incumbent itself, and has to search
            // nodes.
            options.incumbent = false;
            (options.depth_two, options.bit_columns) = (false, false);
        }
        let alone = instance.solved(&options).1.stats.nodes;
        for start in starts(&mut random, &instance) {
            let (examples, found) = instance.solved_from(&options, |target| target, Some(&start));
            let nodes = found.stats.nodes;
            instance.check(&(examples, found), optimum);
            fewer += (nodes < alone) as u32;
            started += 1;
        }
    }
    assert!(started > 4_000 && fewer > 100, "{started} starts, {fewer} of them of use");
}

#[test]
fn the_search_agrees_with_the_definition_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let mut pruned = [0; 10];
    for _ in 0..3_000 {
        let instance = draw(&mut random, [8, 30, 20, 10], 3);
        let optimum = instance.optimum();
        let options = [
            CostOptions::default(),
            CostOptions::some_off(&mut random),
            CostOptions::some_off(&mut random),
        ];
        for options in &options {
            instance.check(&instance.solved(options), optimum);
        }
        let (_, found) = instance.solved(&options[1]);
        for (sum, (_, count)) in pruned.iter_mut().zip(pruned_bounds(&found.stats)) {
            *sum += count;
        }
    }
    assert!(pruned.iter().all(|&count| count > 0), "{pruned:?}");
}

#[test]
fn counts_of_columns_agree_with_the_definition() {
    let mut random = fastrand::Rng::with_seed(20_261_125);
    let (mut counted, mut deep) = (0, 0);
    for _ in 0..2_500 {
        let instance = draw_columns(&mut random);
        let optimum = instance.optimum();
        let on = CostOptions::default();
        for options in [&on, &CostOptions::some_off(&mut random)] {
            instance.check(&instance.solved(options), optimum);
        }
        let stats = instance.solved(&on).1.stats;
        counted += stats.depth_two_calls;
        deep += u64::from(instance.limits.depth == 4) * stats.nodes;
    }
    assert!(counted > 2_000 && deep > 2_000, "{counted} {deep}");
}

#[test]
fn with_all_switches_off_the_search_is_the_definition() {
    let mut random = fastrand::Rng::with_seed(20_261_122);
    for _ in 0..500 {
        let instance = draw(&mut random, [8, 20, 14, 9], 2);
        let optimum = instance.optimum();
        instance.check(&instance.solved(&CostOptions::all_off()), optimum);
    }
}

/// Tables large enough that a minimum leaf size matters at three levels. The definition would take
/// too long, so the search is compared with a search that has almost all switches off.
#[test]
fn bounds_under_a_minimum_leaf_size_change_no_optimum_on_larger_tables() {
    let mut random = fastrand::Rng::with_seed(20_261_126);
    let plain = CostOptions { depth_two: true, cache: true, ..CostOptions::all_off() };
    let (mut matters, mut pruned) = (0, 0);
    for _ in 0..1_000 {
        let mut instance = draw(&mut random, [71, 71, 71, 71], 3);
        (instance.limits.depth, instance.limits.size) = (3, 7);
        instance.limits.min_samples_leaf = random.u64(2..6);
        let cost = |options: &CostOptions, instance: &TargetInstance| {
            instance.solved(options).1.cost.expect("no limit forbids a leaf")
        };
        let optimum = cost(&plain, &instance);
        let near = 1e-8 * (1.0 + optimum);
        for options in [CostOptions::default(), CostOptions::some_off(&mut random)] {
            let found = cost(&options, &instance);
            assert!((found - optimum).abs() <= near, "{found} {optimum} {options:?} {instance:?}");
        }
        pruned += instance.solved(&CostOptions::default()).1.stats.pruned.two_set_bound;
        instance.limits.min_samples_leaf = 1;
        matters += u32::from(cost(&plain, &instance) < optimum - near);
    }
    assert!(matters > 100 && pruned > 1_000, "{matters} {pruned}");
}

#[test]
fn scaled_and_shifted_targets_have_the_same_tree() {
    let mut random = fastrand::Rng::with_seed(20_261_123);
    for _ in 0..300 {
        let instance = TargetInstance { sixteenths: 0, ..draw(&mut random, [8, 60, 60, 30], 3) };
        let tree = |change: &dyn Fn(f64) -> f64| {
            let found = instance.solved_with(&CostOptions::default(), change).1.outcome;
            (format!("{:?}", found.tree), found.cost)
        };
        let plain = tree(&|target| target);
        assert_eq!(tree(&|target| target + 1e8), plain);
        assert_eq!(tree(&|target| target * 2f64.powi(-1030)), plain);
        assert_eq!(tree(&|target| target * 2f64.powi(1000)), plain);
    }
}
