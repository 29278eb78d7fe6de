//! Searches with one wrong bound each: the comparison must notice every such mutant.

use super::{Instance, definition, draw, engine, random_options};
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use crate::spaces::continuous::layout::Layout;
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::options::Options;
use crate::support::statistics::Progress;

/// Whether the early bound is wrong on some random instance, with one bound made wrong on purpose.
fn some_early_bound_is_wrong(mutant: Option<Mutant>) -> bool {
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let wrong = |_: usize| {
        let instance = draw(&mut random, [0, 40, 20, 9, 6]);
        let items: Vec<usize> = (0..instance.table.items.len()).collect();
        let limits = instance.limits.normalised();
        let optimum = definition(&instance, &items, limits);
        let share = random.u64(1..optimum + 3);
        let options = random_options(&mut random, 20);
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let (clock, cache) = (Clock::start(None, &switch), SharedCache::new(None, 1));
        let layout = Layout::new(&instance.table, &options, limits.min_samples_leaf);
        let mut search =
            ContinuousSearch::new(&layout, instance.objective, &options, clock, &progress, &cache);
        let solution = with_mutant(mutant, || {
            search.solve_below_share(&ContinuousSubset::whole(&layout), limits, share, None)
        });
        let proved = solution.lower >= optimum.min(share) && solution.lower <= optimum;
        let found = solution.tree.map(|(cost, _)| cost);
        !proved || found != (optimum < share).then_some(optimum)
    };
    (0..1_000).any(wrong)
}

#[test]
fn an_early_bound_is_the_requested_share_or_the_minimum_cost() {
    assert!(!some_early_bound_is_wrong(None));
    assert!(some_early_bound_is_wrong(Some(Mutant::EarlyBound)));
}

/// The number of instances drawn before the one on which the engine with one wrong bound disagrees
/// with the engine itself.
pub(crate) fn noticed_after(
    mutant: Mutant,
    draw: impl Fn(&mut fastrand::Rng) -> Instance,
) -> Option<usize> {
    let mut random = fastrand::Rng::with_seed(20_261_120);
    (0..5_000).find(|_| {
        let instance = draw(&mut random);
        let expected = engine(&instance, &Options::default(), 1);
        [0, 20, 50].iter().any(|&off| {
            let options = random_options(&mut random, off);
            with_mutant(Some(mutant), || engine(&instance, &options, 1)) != expected
        })
    })
}

#[test]
fn every_mutant_of_a_bound_is_noticed() {
    let mutants = [
        Mutant::Intervals,
        Mutant::ThresholdSimilarity,
        Mutant::FeatureBounds,
        Mutant::StumpBounds,
        Mutant::EqualRows,
        Mutant::ClassCount,
        Mutant::LeafPrice,
        Mutant::LeafBudget,
        Mutant::CachedBounds,
        Mutant::TwoSetBound,
        Mutant::LeafClasses,
        Mutant::LeafRowCounts,
    ];
    for mutant in mutants {
        let noticed = noticed_after(mutant, |random| draw(random, [0, 60, 60, 40, 16]));
        println!("{mutant:?} noticed after {noticed:?} instances");
        assert!(noticed.is_some(), "{mutant:?} went unnoticed");
    }
}
