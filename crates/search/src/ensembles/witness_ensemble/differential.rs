//! The witness search for ensembles against enumeration, on random tables.

use super::enumeration::{AllEnsemblesRequest, all_ensembles};
use super::statistics::{EnsemblePruneCounts, EnsembleStats};
use super::{EnsembleOptions, witness_ensemble};
use crate::ensembles::{
    Ensemble, EnsembleOutcome, EnsembleQuantity, EnsembleRequest, Sizes,
    differential::{MeasuredLabelings, draw_quantities},
    ensemble_errors, sizes, value_of,
};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::min_size_by_enumeration::draw;
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Status, StoppedBy, Table};
use std::collections::BTreeSet;
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

const QUANTITIES: [EnsembleQuantity; 5] = [
    EnsembleQuantity::Total,
    EnsembleQuantity::Largest,
    EnsembleQuantity::TotalDepth,
    EnsembleQuantity::LargestDepth,
    EnsembleQuantity::Errors,
];

/// The quantities that may be minimized when all ensembles are listed.
const LISTED_QUANTITIES: [EnsembleQuantity; 3] =
    [EnsembleQuantity::Total, EnsembleQuantity::Largest, EnsembleQuantity::Errors];

fn draw_request(random: &mut fastrand::Rng, table: &Table) -> EnsembleRequest {
    let leaf_limit = |random: &mut fastrand::Rng| match random.u32(0..2) {
        0 => random.u32(0..3),
        _ => u32::MAX,
    };
    let leaves = match random.u32(0..4) {
        0 => (0..table.n_classes).map(|_| leaf_limit(random)).collect(),
        _ => Vec::new(),
    };
    let limit = |random: &mut fastrand::Rng| match random.u32(0..4) {
        0 => random.u32(0..4),
        _ => u32::MAX,
    };
    EnsembleRequest {
        trees: 2,
        quantities: draw_quantities(random, &QUANTITIES),
        errors: random_weights::errors(random, table),
        size: limit(random),
        depth: limit(random),
        total: limit(random),
        min_samples_leaf: if random.u32(0..4) == 0 { random.u64(2..4) } else { 1 },
        leaves,
        memory_limit: None,
        stop_at_gap: 0.0,
    }
}

#[test]
fn the_minimum_values_are_those_of_enumeration_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_210);
    let mut totals = EnsemblePruneCounts::default();
    for round in 0..6_000 {
        let table = draw(&mut random, 6, round % 2 == 0);
        let drawn = draw_request(&mut random, &table);
        let labelings = MeasuredLabelings::within(&table, drawn.min_samples_leaf, &drawn.leaves);
        let trees = random.u32(1..5).min(labelings.max_trees());
        let request = EnsembleRequest { trees, ..drawn };
        let options = EnsembleOptions::some_off(&mut random);
        let (outcome, stats) = solve(&table, &request, &options);
        labelings.check(&table, &request, &outcome);
        totals.add(&stats.pruned);
    }
    assert!(totals.list().iter().all(|(_, total)| *total > 0), "{totals:?}");
}

#[test]
fn with_fixed_votes_alone_the_minimum_values_are_those_of_enumeration() {
    let mut random = fastrand::Rng::with_seed(20_261_213);
    let mut lost_votes = 0;
    for round in 0..1_500 {
        let table = draw(&mut random, 6, round % 2 == 0);
        let drawn = draw_request(&mut random, &table);
        let labelings = MeasuredLabelings::within(&table, drawn.min_samples_leaf, &drawn.leaves);
        let trees = random.u32(2..5).min(labelings.max_trees());
        let request = EnsembleRequest { trees, size: u32::MAX, total: u32::MAX, ..drawn };
        let options = EnsembleOptions {
            fixed_votes: true,
            fixed_errors: random.bool(),
            equal_trees: random.bool(),
            ..EnsembleOptions::all_off()
        };
        let (outcome, stats) = solve(&table, &request, &options);
        labelings.check(&table, &request, &outcome);
        lost_votes += stats.pruned.lost_votes;
    }
    assert!(lost_votes > 100, "{lost_votes}");
}

#[test]
fn a_stopped_search_returns_its_incumbent_and_lower_bound() {
    let mut random = fastrand::Rng::with_seed(20_261_211);
    let columns: Vec<Vec<f64>> =
        (0..8).map(|_| (0..150).map(|_| f64::from(random.u32(0..50))).collect()).collect();
    let labels: Vec<u32> = (0..150).map(|_| random.u32(0..2)).collect();
    let table = Table::new(&columns, &labels, &[1; 150], 2);
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
    let clock = Clock::start(Some(Duration::from_millis(300)), &switch);
    let options = EnsembleOptions::default();
    let (outcome, _) =
        witness_ensemble(&table, &request, &options, &clock, &Progress::default()).expect("small");
    assert_eq!(outcome.status, Status::Feasible);
    assert_eq!(outcome.stopped_by, Some(StoppedBy::TimeLimit));
    let ensemble = outcome.ensemble.expect("a greedy tree at least");
    assert_eq!(ensemble_errors(&table, &ensemble), 0);
    let total = value_of(&table, &ensemble, EnsembleQuantity::Total);
    assert!(outcome.lower_bound[0] < total, "{} {total}", outcome.lower_bound[0]);
}

#[test]
fn every_bound_that_is_wrong_by_one_is_noticed() {
    let mutants = [
        Mutant::EnsembleVotesLeft,
        Mutant::EnsembleVotesGained,
        Mutant::EnsembleVotesNeeded,
        Mutant::EnsembleCellPairs,
        Mutant::EnsembleItemsToTry,
        Mutant::EnsembleOneTree,
        Mutant::EnsembleDepth,
        Mutant::EnsembleTotalDepth,
        Mutant::EnsembleDepthOfOneTree,
        Mutant::EnsembleLeafRows,
        Mutant::EnsembleLeavesOf,
    ];
    for mutant in mutants {
        let mut random = fastrand::Rng::with_seed(20_261_215);
        let noticed = (0..3_000).any(|round| {
            let table = draw(&mut random, 8, round % 2 == 0);
            let drawn = draw_request(&mut random, &table);
            let request = EnsembleRequest { trees: random.u32(2..4), ..drawn };
            let options =
                EnsembleOptions { incumbent: false, ..EnsembleOptions::some_off(&mut random) };
            let (right, _) = solve(&table, &request, &options);
            let (wrong, _) = with_mutant(Some(mutant), || solve(&table, &request, &options));
            (right.status, right.lower_bound) != (wrong.status, wrong.lower_bound)
        });
        assert!(noticed, "{mutant:?} went unnoticed");
    }
}

/// The trees of an ensemble in a canonical order.
fn content(ensemble: &Ensemble) -> Vec<String> {
    let mut trees: Vec<String> = ensemble.iter().map(|tree| format!("{tree:?}")).collect();
    trees.sort_unstable();
    trees
}

#[test]
fn the_list_of_smallest_ensembles_is_the_same_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_214);
    let (mut several, mut too_many) = (0, 0);
    for round in 0..3_000 {
        let table = draw(&mut random, 6, round % 2 == 0);
        let quantities = draw_quantities(&mut random, &LISTED_QUANTITIES);
        let drawn = EnsembleRequest {
            quantities,
            min_samples_leaf: 1,
            leaves: Vec::new(),
            ..draw_request(&mut random, &table)
        };
        if !drawn.quantities.contains(&EnsembleQuantity::Total) {
            continue;
        }
        let request = EnsembleRequest { trees: random.u32(1..4), ..drawn };
        let (outcome, _) = solve(&table, &request, &EnsembleOptions::default());
        let Some(optimum) = &outcome.ensemble else { continue };
        let minimized = |quantity| request.quantities.contains(&quantity);
        let largest = match minimized(EnsembleQuantity::Largest) {
            false => request.size.min(request.total),
            true => sizes(optimum).largest,
        };
        let errors = match minimized(EnsembleQuantity::Errors) {
            false => request.errors,
            true => ensemble_errors(&table, optimum),
        };
        let all = AllEnsemblesRequest {
            trees: request.trees,
            errors,
            sizes: Sizes { total: sizes(optimum).total, largest },
            depth: request.depth,
            maximum: 200,
            memory_limit: None,
        };
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let list = |all: &AllEnsemblesRequest, options: &EnsembleOptions| {
            all_ensembles(&table, all, options, &clock).expect("small enough")
        };
        let (expected, complete) = list(&all, &EnsembleOptions::all_off());
        if !complete {
            too_many += 1;
            continue;
        }
        let contents = |ensembles: &[Ensemble]| {
            let contents: BTreeSet<Vec<String>> = ensembles.iter().map(content).collect();
            assert_eq!(contents.len(), ensembles.len(), "{table:?} {all:?}");
            contents
        };
        let (found, complete) = list(&all, &EnsembleOptions::some_off(&mut random));
        assert!(complete && contents(&found) == contents(&expected), "{table:?} {all:?}");
        for ensemble in &found {
            assert!(
                ensemble_errors(&table, ensemble) <= all.errors
                    && request.permits(&table, ensemble)
            );
            assert_eq!(sizes(ensemble).total, all.sizes.total);
        }
        if found.len() > 1 {
            several += 1;
            let fewer = AllEnsemblesRequest { maximum: found.len() - 1, ..all.clone() };
            let (first, complete) = list(&fewer, &EnsembleOptions::default());
            assert!(!complete && first.len() == found.len() - 1);
        }
    }
    assert!(several > 500 && too_many < 1_000, "{several} {too_many}");
}
