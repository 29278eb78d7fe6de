//! The search for costs of classes against the definition on random tables, which
//! `differential/instance.rs` draws; wrong bounds are in `differential/mutants.rs`.

pub(crate) mod instance;
mod mutants;

use crate::costs::class_costs::ShareCost;
use crate::spaces::leaf_costs::differential::definition::Definition;
use crate::spaces::leaf_costs::differential::obey_laws;
use crate::spaces::leaf_costs::{CostOptions, pruned_bounds};
use exactree_model::Limits;
use instance::{ClassCostInstance, CostKind, draw};

#[test]
fn the_search_agrees_with_the_definition_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    for matrix in [true, false] {
        let mut pruned = [0; 10];
        for _ in 0..1_500 {
            let instance = draw(&mut random, [8, 30, 16, 9], matrix);
            let optimum = instance.optimum();
            instance.check(&CostOptions::default(), optimum);
            instance.check(&CostOptions::all_off(), optimum);
            let found = instance.check(&CostOptions::some_off(&mut random), optimum);
            for (sum, (_, count)) in pruned.iter_mut().zip(pruned_bounds(&found.stats)) {
                *sum += count;
            }
        }
        // The clustering bound does not apply to classes. Inherited bounds (`feature_bounds`)
        // hardly ever prune on tables as small as these; `differential/mutants.rs` draws larger
        // ones.
        let unused = pruned.iter().enumerate().filter(|(_, count)| **count == 0);
        let unused: Vec<usize> = unused.map(|(at, _)| at).collect();
        assert!(unused == [7] || unused == [2, 7], "{pruned:?}");
    }
}

#[test]
fn costs_of_classes_obey_the_laws_of_the_engine() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    let options = CostOptions::default();
    for number in 0..1_000 {
        let instance = draw(&mut random, [8, 30, 16, 9], number % 2 == 0);
        obey_laws(&instance.request_with(&options), &mut random);
    }
}

/// Tables large enough that a minimum leaf size matters at three levels; the search is compared
/// with a search that has almost all switches off.
#[test]
fn bounds_under_a_minimum_leaf_size_change_no_optimum_on_larger_tables() {
    let mut random = fastrand::Rng::with_seed(20_261_127);
    let plain = CostOptions { depth_two: true, cache: true, ..CostOptions::all_off() };
    let (mut matters, mut pruned) = (0, 0);
    for number in 0..400 {
        let mut instance = draw(&mut random, [61, 61, 61, 61], number % 2 == 0);
        (instance.limits.depth, instance.limits.size) = (3, 7);
        instance.limits.min_samples_leaf = random.u64(2..6);
        let cost = |options: &CostOptions, instance: &ClassCostInstance| {
            let found = instance.solved(options).1;
            (found.cost.expect("no limit forbids a leaf"), found.rounding)
        };
        let (optimum, rounding) = cost(&plain, &instance);
        for options in [CostOptions::default(), CostOptions::some_off(&mut random)] {
            let (found, more) = cost(&options, &instance);
            let near = 1e-9 * optimum + rounding + more;
            assert!((found - optimum).abs() <= near, "{found} {optimum} {options:?} {instance:?}");
        }
        pruned += instance.solved(&CostOptions::default()).1.stats.pruned.two_set_bound;
        instance.limits.min_samples_leaf = 1;
        matters += u32::from(cost(&plain, &instance).0 < optimum - 2.0 * rounding);
    }
    assert!(matters > 100 && pruned > 500, "{matters} {pruned}");
}

/// Units are fine if the whole table costs little. The bound on the cost that a heavy row adds to a
/// leaf then saturated a cast, adding one overflowed to zero, and distant thresholds were pruned
/// wrongly.
#[test]
fn a_heavy_row_among_light_rows_hides_no_threshold() {
    let heavy = |labels: &[u32], weight: u64, kind: ShareCost| ClassCostInstance {
        columns: vec![(0..labels.len()).map(|row| row as f64).collect()],
        labels: labels.to_vec(),
        weights: (0..labels.len())
            .map(|row| [1, weight][usize::from(row == labels.len() / 2)])
            .collect(),
        kind: CostKind::Shares(kind, vec![0.0; 2], 0.0),
        limits: Limits { depth: 3, size: 7, min_samples_leaf: 1 },
        threads: 1,
    };
    for kind in [ShareCost::Gini, ShareCost::LogLoss] {
        for weight in [1 << 18, 1 << 22, 1 << 40, 1 << 61] {
            for labels in [[0, 0, 1, 0, 1].as_slice(), &[1, 0, 1, 1, 0, 1, 1]] {
                let instance = heavy(labels, weight, kind);
                let optimum = instance.optimum();
                assert!(optimum < 1.0);
                instance.check(&CostOptions::default(), optimum);
            }
        }
    }
}
