//! The search against itself with wrong bounds: every mutant must be noticed.

use super::definition::Definition;
use super::instance::draw;
use crate::mutants::{Mutant, with};
use crate::regression::{Regression, RegressionOptions};

/// Draws at most so many instances until the search disagrees with itself once one bound is
/// wrong; how many it took.
pub(in crate::regression) fn noticed_after<I: Definition>(
    mutant: Mutant,
    most: usize,
    draw: impl Fn(&mut fastrand::Rng) -> I,
) -> Option<usize> {
    let mut random = fastrand::Rng::with_seed(20_261_124);
    (0..most).find(|_| {
        let instance = draw(&mut random);
        let cost = |found: Regression| (found.outcome.status, found.outcome.cost);
        let right = cost(instance.solved(&RegressionOptions::default()).1);
        (0..2).any(|_| {
            let options = RegressionOptions::some_off(&mut random);
            with(Some(mutant), || cost(instance.solved(&options).1)) != right
        })
    })
}

#[test]
fn every_mutant_of_a_bound_is_noticed() {
    let mutants = [
        Mutant::RegressionIntervals,
        Mutant::RegressionFeatureBounds,
        Mutant::RegressionNeighbourhood,
        Mutant::RegressionLeafBudget,
        Mutant::RegressionLeafPrice,
        Mutant::RegressionMemo,
        Mutant::RegressionEqualRows,
        Mutant::RegressionClusters,
        Mutant::RegressionRelaxation,
        Mutant::RegressionStumpBounds,
    ];
    for mutant in mutants {
        let noticed = noticed_after(mutant, 20_000, |random| draw(random, [8, 60, 40, 20], 3));
        println!("{mutant:?} noticed after {noticed:?} instances");
        assert!(noticed.is_some(), "{mutant:?} went unnoticed");
    }
}
