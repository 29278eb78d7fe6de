//! The search for costs of classes against the definition on random tables, which
//! `differential/instance.rs` draws; wrong bounds are in `differential/mutants.rs`.

pub(in crate::regression) mod instance;
mod mutants;

use crate::regression::RegressionOptions;
use crate::regression::differential::definition::Definition;
use instance::draw;

#[test]
fn the_search_agrees_with_the_definition_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    for matrix in [true, false] {
        let mut given_up = [0; 10];
        for _ in 0..1_500 {
            let instance = draw(&mut random, [8, 30, 16, 9], matrix);
            let least = instance.least();
            instance.check(&RegressionOptions::default(), least);
            instance.check(&RegressionOptions::all_off(), least);
            let found = instance.check(&RegressionOptions::some_off(&mut random), least);
            for (sum, (_, count)) in given_up.iter_mut().zip(found.discards()) {
                *sum += count;
            }
        }
        // Groups of numbers are no bound for classes; bounds of neighbours need larger tables,
        // which tests/engine/test_class_costs.py has.
        let unused = given_up.iter().enumerate().filter(|(_, count)| **count == 0);
        let unused: Vec<usize> = unused.map(|(at, _)| at).collect();
        assert!(unused == [7] || unused == [2, 7], "{given_up:?}");
    }
}
