//! Reduces the rules, once before the search.
//!
//! *Pure borders.* If all items of rank at most r are of one class, rule r can replace every rule
//! below it: if a tree has a lower rule, use r instead and replace its left child by a leaf of that
//! class; the right child only loses items. So only the last of these rules is kept; likewise at
//! the upper end. This holds with errors allowed: the new leaf makes no errors, and the right
//! subtree makes no more errors after its subset has lost items.
//!
//! *Equal rules.* Of rules that split the table in the same way, possibly with children swapped,
//! any one can replace the others.
//!
//! *Mergeable features.* If the left children of all rules of two features (possibly with the
//! children of the second swapped) are nested, the features are merged. The rules remain the same,
//! but fewer features strengthen bounds and constraints.

use super::features::{WitnessFeature, merged, swapped, with_all_rules};
use super::options::WitnessOptions;
use crate::support::clock::{Clock, Stopped};
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, contains, first, within, without};
use exactree_model::Table;
use rustc_hash::FxHashSet;

/// Number of rules that every reduction removed; for `mergeable_features`, number of features.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReductionCounts {
    pub pure_borders: u64,
    pub equal_rules: u64,
    pub mergeable_features: u64,
}

/// The reduced features, and the number of rules and features removed.
pub(super) fn reduce<const W: usize>(
    table: &Table,
    classes: &[Set<W>],
    options: &WitnessOptions,
    clock: &Clock<'_>,
) -> Result<(Vec<WitnessFeature<W>>, ReductionCounts), Stopped> {
    let all = first(table.items.len());
    let feature_of = |feature| clock.check().map(|()| with_all_rules(table, feature));
    let mut features: Vec<WitnessFeature<W>> =
        (0..table.features.len()).map(feature_of).collect::<Result<_, _>>()?;
    let count_rules =
        |features: &[WitnessFeature<W>]| features.iter().map(|f| f.left.len() as u64).sum::<u64>();
    let mut removed = ReductionCounts::default();
    let before = count_rules(&features);
    if options.pure_borders {
        features.iter_mut().for_each(|feature| keep_pure_borders(feature, classes, &all));
    }
    removed.pure_borders = before - count_rules(&features);
    let before = count_rules(&features);
    if options.equal_rules {
        keep_unequal(&mut features, &all, clock)?;
    }
    removed.equal_rules = before - count_rules(&features);
    features.retain(|feature| !feature.left.is_empty());
    let before = features.len();
    if options.mergeable_features {
        features = merge_features(features, &all, clock)?;
    }
    removed.mergeable_features = (before - features.len()) as u64;
    Ok((features, removed))
}

/// Keeps only the outermost pure rule at either end.
fn keep_pure_borders<const W: usize>(
    feature: &mut WitnessFeature<W>,
    classes: &[Set<W>],
    all: &Set<W>,
) {
    let pure = |set: &Set<W>| classes.iter().any(|class| within(set, class));
    let from = feature.left.partition_point(|left| pure(left)).saturating_sub(1);
    let from = (from + offset(Mutant::WitnessBorders) as usize).min(feature.left.len());
    let to = feature.left.partition_point(|left| !pure(&without(all, left)));
    let to = (to + 1).clamp(from + 1, feature.left.len().max(from + 1));
    let kept = from..to.min(feature.left.len());
    feature.left = feature.left[kept.clone()].to_vec();
    feature.origins = feature.origins[kept].to_vec();
}

/// Keeps only the first of rules that split the table in the same way.
fn keep_unequal<const W: usize>(
    features: &mut [WitnessFeature<W>],
    all: &Set<W>,
    clock: &Clock<'_>,
) -> Result<(), Stopped> {
    let mut seen: FxHashSet<Set<W>> = FxHashSet::default();
    for feature in features {
        clock.check()?;
        let (origins, left): (Vec<_>, Vec<_>) = feature
            .origins
            .iter()
            .zip(&feature.left)
            .filter(|(_, left)| {
                // The child with the first item is the same if the children are swapped.
                let child = if contains(left, 0) { **left } else { without(all, left) };
                seen.insert(child)
            })
            .unzip();
        *feature = WitnessFeature { origins, left };
    }
    Ok(())
}

/// Merges features, those with fewest rules first, until no two can be merged.
fn merge_features<const W: usize>(
    mut open: Vec<WitnessFeature<W>>,
    all: &Set<W>,
    clock: &Clock<'_>,
) -> Result<Vec<WitnessFeature<W>>, Stopped> {
    let mut done = Vec::new();
    while !open.is_empty() {
        clock.check()?;
        // The sort is stable, so the order is always the same.
        open.sort_by_key(|feature| feature.left.len());
        let feature = open.remove(0);
        let found = open.iter().enumerate().find_map(|(at, other)| {
            let merged = merged(&feature, other).or_else(|| merged(&feature, &swapped(other, all)));
            merged.map(|merged| (at, merged))
        });
        match found {
            Some((at, merged)) => open[at] = merged,
            None => done.push(feature),
        }
    }
    Ok(done)
}
