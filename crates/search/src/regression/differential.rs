//! The regression search against the definition in exact fractions on random tables, which
//! `differential/instance.rs` draws; wrong bounds are in `differential/mutants.rs`.

pub(super) mod definition;
mod instance;
pub(super) mod mutants;

use super::RegressionOptions;
use definition::Definition;
use exactree_model::Tree;
use instance::{RegressionInstance, draw, draw_columns};
use std::sync::Arc;

/// The best tree and any stump, as trees of the table.
fn starts(random: &mut fastrand::Rng, instance: &RegressionInstance) -> Vec<Arc<Tree>> {
    let (examples, best) = instance.solved(&RegressionOptions::default());
    let mut starts: Vec<Arc<Tree>> = best.outcome.tree.into_iter().collect();
    let least = instance.limits.min_samples_leaf as usize;
    for (at, feature) in examples.table.features.iter().enumerate() {
        let rank = random.u32(0..feature.values.len() as u32 - 1);
        let column = &instance.columns[feature.index as usize];
        let to_left = column.iter().filter(|&&x| x <= feature.values[rank as usize]).count();
        if instance.limits.size > 0 && to_left.min(column.len() - to_left) >= least {
            starts.push(Tree::node(at as u32, rank, Tree::leaf(0), Tree::leaf(0)));
        }
    }
    starts
}

#[test]
fn a_tree_to_begin_with_changes_no_optimum() {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut fewer, mut begun) = (0, 0);
    for number in 0..2_000 {
        let instance = draw(&mut random, [8, 30, 20, 10], 3);
        let least = instance.least();
        let mut options = RegressionOptions::some_off(&mut random);
        if number % 2 == 0 {
            // A given tree matters if the search builds no incumbent itself, and has to search
            // nodes.
            options.incumbent = false;
            (options.depth_two, options.bit_columns) = (false, false);
        }
        let alone = instance.solved(&options).1.stats.nodes;
        for start in starts(&mut random, &instance) {
            let (examples, found) = instance.solved_from(&options, |target| target, Some(&start));
            let nodes = found.stats.nodes;
            instance.check(&(examples, found), least);
            fewer += (nodes < alone) as u32;
            begun += 1;
        }
    }
    assert!(begun > 4_000 && fewer > 100, "{begun} starts, {fewer} of them of use");
}

#[test]
fn the_search_agrees_with_the_definition_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let mut given_up = [0; 10];
    for _ in 0..3_000 {
        let instance = draw(&mut random, [8, 30, 20, 10], 3);
        let least = instance.least();
        let options = [
            RegressionOptions::default(),
            RegressionOptions::some_off(&mut random),
            RegressionOptions::some_off(&mut random),
        ];
        for options in &options {
            instance.check(&instance.solved(options), least);
        }
        let (_, found) = instance.solved(&options[1]);
        for (sum, (_, count)) in given_up.iter_mut().zip(found.pruned()) {
            *sum += count;
        }
    }
    assert!(given_up.iter().all(|&count| count > 0), "{given_up:?}");
}

#[test]
fn counts_of_columns_agree_with_the_definition() {
    let mut random = fastrand::Rng::with_seed(20_261_125);
    let (mut counted, mut deep) = (0, 0);
    for _ in 0..2_500 {
        let instance = draw_columns(&mut random);
        let least = instance.least();
        let on = RegressionOptions::default();
        for options in [&on, &RegressionOptions::some_off(&mut random)] {
            instance.check(&instance.solved(options), least);
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
        let least = instance.least();
        instance.check(&instance.solved(&RegressionOptions::all_off()), least);
    }
}

#[test]
fn scaled_and_shifted_targets_have_the_same_tree() {
    let mut random = fastrand::Rng::with_seed(20_261_123);
    for _ in 0..300 {
        let instance = RegressionInstance { penalty: 0, ..draw(&mut random, [8, 60, 60, 30], 3) };
        let tree = |change: &dyn Fn(f64) -> f64| {
            let found = instance.solved_with(&RegressionOptions::default(), change).1.outcome;
            (format!("{:?}", found.tree), found.cost)
        };
        let plain = tree(&|target| target);
        assert_eq!(tree(&|target| target + 1e8), plain);
        assert_eq!(tree(&|target| target * 2f64.powi(-1030)), plain);
        assert_eq!(tree(&|target| target * 2f64.powi(1000)), plain);
    }
}
