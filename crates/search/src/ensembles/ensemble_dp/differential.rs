//! The dynamic programme for ensembles against enumeration, on random tables.

use super::{EnsembleDpOptions, ensemble_dp};
use crate::ensembles::{
    EnsembleQuantity, EnsembleRequest,
    differential::{MeasuredLabelings, draw_quantities},
};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::min_size_by_enumeration::draw;
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::Table;

/// The quantities that the dynamic programme can minimize.
const QUANTITIES: [EnsembleQuantity; 3] =
    [EnsembleQuantity::Total, EnsembleQuantity::Largest, EnsembleQuantity::Errors];

#[test]
fn minimum_values_are_those_of_enumeration_with_and_without_dominated_labellings() {
    let mut random = fastrand::Rng::with_seed(20_261_212);
    let mut dominated = 0;
    for round in 0..2_000 {
        let table = draw(&mut random, 5, round % 2 == 0);
        let labelings = MeasuredLabelings::new(&table);
        let request = EnsembleRequest {
            trees: random.u32(1..5).min(labelings.max_trees()),
            quantities: draw_quantities(&mut random, &QUANTITIES),
            errors: random_weights::errors(&mut random, &table),
            size: if random.bool() { u32::MAX } else { random.u32(0..3) },
            depth: u32::MAX,
            total: if random.bool() { u32::MAX } else { random.u32(0..4) },
            min_samples_leaf: 1,
            leaves: Vec::new(),
            memory_limit: None,
            stop_at_gap: 0.0,
        };
        let options = EnsembleDpOptions { dominated: random.bool() };
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let (outcome, stats) =
            ensemble_dp(&table, &request, &options, &clock, &Progress::default())
                .expect("a small table");
        labelings.check(&table, &request, &outcome);
        dominated += stats.dominated;
    }
    assert!(dominated > 0);
}

#[test]
fn a_table_with_too_many_entries_is_refused() {
    let columns: Vec<Vec<f64>> = vec![(0..40).map(f64::from).collect()];
    let labels: Vec<u32> = (0..40).map(|row| row % 2).collect();
    let table = Table::new(&columns, &labels, &[1; 40], 2);
    let request = EnsembleRequest {
        trees: 3,
        quantities: vec![EnsembleQuantity::Total],
        errors: 0,
        size: u32::MAX,
        depth: u32::MAX,
        total: u32::MAX,
        min_samples_leaf: 1,
        leaves: Vec::new(),
        memory_limit: None,
        stop_at_gap: 0.0,
    };
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    let options = EnsembleDpOptions::default();
    let refused = ensemble_dp(&table, &request, &options, &clock, &Progress::default());
    assert!(refused.is_err_and(|reason| reason.to_string().contains("Lemma 6.3")));
}
