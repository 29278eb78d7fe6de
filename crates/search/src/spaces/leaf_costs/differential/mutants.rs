//! Searches with one wrong bound each: the comparison must notice every such mutant.

use super::definition::Definition;
use super::instance::{TargetInstance, draw};
use crate::spaces::leaf_costs::{CostOptions, CostOutcome};
use crate::support::mutants::{Mutant, with_mutant};
use exactree_model::Limits;

/// The number of instances drawn before the one on which the search with one wrong bound disagrees
/// with the search itself; `None` if it never does.
pub(in crate::spaces::leaf_costs) fn noticed_after<I: Definition>(
    mutant: Mutant,
    max_instances: usize,
    draw: impl Fn(&mut fastrand::Rng) -> I,
) -> Option<usize> {
    let mut random = fastrand::Rng::with_seed(20_261_124);
    (0..max_instances).find(|_| {
        let instance = draw(&mut random);
        let cost = |found: CostOutcome| (found.outcome.status, found.outcome.cost);
        let expected = cost(instance.solved(&CostOptions::default()).1);
        (0..6).any(|_| {
            let options = CostOptions::some_off(&mut random);
            with_mutant(Some(mutant), || cost(instance.solved(&options).1)) != expected
        })
    })
}

/// The instance with limits under which bounds by root threshold are inherited: no size limit, no
/// minimum leaf size and no leaf price.
fn with_inherited_bounds(instance: TargetInstance) -> TargetInstance {
    let depth = instance.limits.depth;
    let limits = Limits { depth, size: (1 << depth) - 1, min_samples_leaf: 1 };
    TargetInstance { limits, sixteenths: 0, ..instance }
}

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
        Mutant::CostClusters,
        Mutant::TwoSetBound,
        Mutant::CostStumpBounds,
    ];
    for mutant in mutants {
        let noticed = noticed_after(mutant, 4_000, |random| {
            let instance = draw(random, [8, 60, 40, 20], 3);
            if mutant == Mutant::FeatureBounds { with_inherited_bounds(instance) } else { instance }
        });
        println!("{mutant:?} noticed after {noticed:?} instances");
        assert!(noticed.is_some(), "{mutant:?} went unnoticed");
    }
}
