//! Searches with one wrong bound each: the comparison must notice every such mutant.

use super::instance::draw;
use crate::spaces::leaf_costs::differential::mutants::noticed_after;
use crate::support::mutants::Mutant;

/// All bounds of the regression search except the clustering bound, which does not apply to costs
/// of classes, because classes have no order.
#[test]
fn every_mutant_of_a_bound_is_noticed() {
    let mutants = [
        Mutant::Intervals,
        Mutant::FeatureBounds,
        Mutant::CostSimilarity,
        Mutant::LeafBudget,
        Mutant::LeafPrice,
        Mutant::CachedBounds,
        Mutant::CostEqualRows,
        Mutant::TwoSetBound,
        Mutant::CostStumpBounds,
    ];
    for mutant in mutants {
        // Wrong bounds by root threshold are noticed last, after about six thousand instances.
        let noticed = noticed_after(mutant, 20_000, |random| draw(random, [8, 60, 40, 20], true));
        println!("{mutant:?} noticed after {noticed:?} instances");
        assert!(noticed.is_some(), "{mutant:?} went unnoticed");
    }
}
