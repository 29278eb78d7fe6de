//! The witness search for ensembles against enumeration, on random tables.

use super::{EnsembleOptions, EnsembleStats, witness_ensemble};
use crate::ensembles::{
    EnsembleOutcome, EnsembleRequest, Quantity, Sizes, differential::Labelings, ensemble_errors,
    sizes,
};
use crate::enumeration::draw;
use crate::limits::{Clock, StopSwitch};
use crate::tracer::Progress;
use exactree_model::{Status, StoppedBy, Table};
use std::time::Duration;

fn solve(
    table: &Table,
    request: &EnsembleRequest,
    options: &EnsembleOptions,
) -> (EnsembleOutcome, EnsembleStats) {
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    witness_ensemble(table, request, options, &clock, &Progress::default()).expect("small enough")
}

/// Every switch on with a random probability of 1/4, 2/4, 3/4 or 1.
fn random_switches(random: &mut fastrand::Rng) -> EnsembleOptions {
    let mut options = EnsembleOptions::default();
    let share = random.u32(0..4);
    for (name, _) in EnsembleOptions::ALL {
        options.set(name, random.u32(0..4) >= share);
    }
    options
}

fn draw_request(random: &mut fastrand::Rng) -> EnsembleRequest {
    let quantities = [
        vec![Quantity::Total],
        vec![Quantity::Largest],
        vec![Quantity::Total, Quantity::Largest],
        vec![Quantity::Largest, Quantity::Total],
    ];
    let limit = |random: &mut fastrand::Rng| match random.u32(0..4) {
        0 => random.u32(0..4),
        _ => u32::MAX,
    };
    EnsembleRequest {
        trees: 2,
        quantities: quantities[random.usize(0..4)].clone(),
        errors: if random.bool() { 0 } else { random.u64(0..3) },
        size: limit(random),
        total: limit(random),
        memory_limit: None,
        stop_at_gap: 0.0,
    }
}

#[test]
fn the_least_sizes_are_those_of_enumeration_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_210);
    let mut totals = [0; 7];
    for round in 0..3_000 {
        let table = draw(&mut random, 6, round % 2 == 0);
        let labelings = Labelings::new(&table);
        let request = EnsembleRequest {
            trees: random.u32(2..5).min(labelings.most_trees()),
            ..draw_request(&mut random)
        };
        let options = random_switches(&mut random);
        let (outcome, stats) = solve(&table, &request, &options);
        labelings.check(&table, &request, &outcome);
        for (total, (_, count)) in totals.iter_mut().zip(stats.discards.list()) {
            *total += count;
        }
    }
    assert!(totals.iter().all(|&total| total > 0), "{totals:?}");
}

#[test]
fn a_search_that_is_stopped_keeps_its_ensemble_and_its_bound() {
    let mut random = fastrand::Rng::with_seed(20_261_211);
    let columns: Vec<Vec<f64>> =
        (0..8).map(|_| (0..150).map(|_| f64::from(random.u32(0..50))).collect()).collect();
    let labels: Vec<u32> = (0..150).map(|_| random.u32(0..2)).collect();
    let table = Table::new(&columns, &labels, &[1; 150], 2);
    let request = EnsembleRequest {
        trees: 3,
        quantities: vec![Quantity::Total],
        errors: 0,
        size: u32::MAX,
        total: u32::MAX,
        memory_limit: None,
        stop_at_gap: 0.0,
    };
    let switch = StopSwitch::default();
    let clock = Clock::start(Some(Duration::from_millis(300)), &switch);
    let options = EnsembleOptions::default();
    let (outcome, _) =
        witness_ensemble(&table, &request, &options, &clock, &Progress::default()).expect("small");
    assert_eq!(outcome.status, Status::Feasible);
    assert_eq!(outcome.stopped_by, Some(StoppedBy::TimeLimit));
    let ensemble = outcome.ensemble.expect("a greedy tree at least");
    assert_eq!(ensemble_errors(&table, &ensemble), 0);
    let Sizes { total, .. } = sizes(&ensemble);
    assert!(outcome.lower_bound[0] < total, "{} {total}", outcome.lower_bound[0]);
}
