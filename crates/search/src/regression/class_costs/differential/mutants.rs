//! The search against itself with wrong bounds: every mutant must be noticed.

use super::instance::draw;
use crate::regression::differential::mutants::noticed_after;
use crate::support::mutants::Mutant;

/// All bounds that the search for numbers has, but for groups of items: these bound no costs of
/// classes, because items of classes have no order (`engine/bounds.rs` leaves them out).
#[test]
fn every_mutant_of_a_bound_is_noticed() {
    let mutants = [
        Mutant::RegressionIntervals,
        Mutant::RegressionFeatureBounds,
        Mutant::RegressionSimilarity,
        Mutant::RegressionLeafBudget,
        Mutant::RegressionLeafPrice,
        Mutant::RegressionCache,
        Mutant::RegressionEqualRows,
        Mutant::RegressionRelaxation,
        Mutant::RegressionStumpBounds,
    ];
    for mutant in mutants {
        // Bounds by root threshold are noticed last, after some six thousand.
        let noticed = noticed_after(mutant, 20_000, |random| draw(random, [8, 60, 40, 20], true));
        println!("{mutant:?} noticed after {noticed:?} instances");
        assert!(noticed.is_some(), "{mutant:?} went unnoticed");
    }
}
