//! The leaves to start with: their witnesses and classes (argument in `dirty_examples.rs`).

use super::options::WitnessOptions;
use super::pairs::Nearest;
use super::prepared_table::WitnessTable;
use crate::support::clock::{Clock, Stopped};
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, insert, members, without};
use exactree_model::Weight;

/// A leaf to start with: its witness and class; and the items that all solutions found from this
/// and later starts misclassify.
#[derive(Clone, Copy, Debug)]
pub(super) struct WitnessStart<const W: usize> {
    pub witness: u32,
    pub class: u32,
    pub settled: Set<W>,
}

/// The starts to try for a subset, which must not be empty.
pub(super) fn starts<const W: usize>(
    prepared: &WitnessTable<W>,
    options: &WitnessOptions,
    clock: &Clock<'_>,
    nearest: Option<&Nearest>,
    subset: &Set<W>,
) -> Result<Vec<WitnessStart<W>>, Stopped> {
    let mut items: Vec<u32> = members(subset).collect();
    if options.dirty_priority {
        let mut keyed = Vec::with_capacity(items.len());
        for &item in &items {
            clock.check()?;
            keyed.push((nearest_unlike(prepared, nearest, subset, item), item));
        }
        keyed.sort_unstable();
        items = keyed.into_iter().map(|(_, item)| item).collect();
    }
    let own = |item: u32| prepared.class[item as usize];
    if options.fixed_errors {
        let mut settled = [0; W];
        let start = |witness| {
            let start = WitnessStart { witness, class: own(witness), settled };
            insert(&mut settled, witness);
            start
        };
        return Ok(more_than(prepared, items, prepared.errors).into_iter().map(start).collect());
    }
    let witness = items[0];
    let classes = 0..prepared.classes.len() as u32;
    let allowed =
        |&class: &u32| class == own(witness) || prepared.weight(witness) <= prepared.errors;
    Ok(classes
        .filter(allowed)
        .map(|class| WitnessStart { witness, class, settled: [0; W] })
        .collect())
}

/// The distance of an item to the nearest item of another class in a subset.
fn nearest_unlike<const W: usize>(
    prepared: &WitnessTable<W>,
    nearest: Option<&Nearest>,
    subset: &Set<W>,
    item: u32,
) -> u64 {
    if let Some(nearest) = nearest {
        return nearest.in_subset(item, subset).map_or(u64::MAX, |(distance, _)| distance);
    }
    let unlike = without(subset, &prepared.classes[prepared.class[item as usize] as usize]);
    let distances = members(&unlike).map(|other| prepared.distance(item, other));
    // Equal items are never separated, whatever their classes.
    distances.filter(|&distance| distance > 0).min().unwrap_or(u64::MAX)
}

/// The first items of a list until they weigh more than `maximum`.
pub(super) fn more_than<const W: usize>(
    prepared: &WitnessTable<W>,
    mut items: Vec<u32>,
    maximum: Weight,
) -> Vec<u32> {
    let mut weight = 0;
    let reached = items.iter().position(|&item| {
        weight += prepared.weight(item);
        weight + offset(Mutant::WitnessItemsToTry) > maximum
    });
    items.truncate(reached.map_or(items.len(), |last| last + 1));
    items
}
