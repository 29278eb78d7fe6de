//! Branching: selects the first witness and the dirty items to introduce.
//!
//! With at most t errors allowed, every solution classifies at least one item of any list of dirty
//! items with total weight above t (001, 6.2); without errors, a list of one item will do. The
//! algorithm is correct for any such list.
//!
//! *Priority.* Prefer the items with the fewest legal refinements. Start from the witness with the
//! smallest distance to an unlike item, since then the first dirty item has the fewest.
//!
//! *Settled errors.* If no solution classifies the first item of the list, all misclassify it: in
//! the branches of the following items its weight is deducted from t, and it is never introduced.
//! When the whole list is settled, no solution is left. The same holds for starts: instead of one
//! witness with each class (001, 4), a list of witnesses with their own classes is tried.

use super::options::WitnessOptions;
use super::pairs::Nearest;
use super::prepared_table::WitnessTable;
use super::search::{WitnessBranching, WitnessSearch};
use crate::support::clock::{Clock, Stopped};
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, insert, members, without};
use exactree_model::Weight;

/// A leaf to start with: its witness and class; and the items that all solutions found from this and
/// later starts misclassify.
#[derive(Clone, Copy, Debug)]
pub struct WitnessStart<const W: usize> {
    pub witness: u32,
    pub class: u32,
    pub settled: Set<W>,
}

/// The starts to try for a subset, which must not be empty.
pub fn starts<const W: usize>(
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
fn more_than<const W: usize>(
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

impl<const W: usize> WitnessSearch<'_, W> {
    /// A list of dirty items of which every solution classifies at least one, in the order to try.
    pub fn items_to_try(&self, branching: &WitnessBranching<W>) -> Vec<u32> {
        let open = members(&branching.open);
        let maximum = self.prepared.errors - self.prepared.weigh(&self.settled);
        if !self.options.dirty_priority {
            return more_than(self.prepared, open.collect(), maximum);
        }
        if maximum == 0 {
            let (mut fewest, mut item_of_fewest) = (u64::MAX, None);
            for item in open {
                let refinements = self.refinement_count(branching, item, fewest);
                if refinements < fewest {
                    (fewest, item_of_fewest) = (refinements, Some(item));
                }
            }
            return item_of_fewest.into_iter().collect();
        }
        let mut keyed: Vec<(u64, u32)> =
            open.map(|item| (self.refinement_count(branching, item, u64::MAX), item)).collect();
        keyed.sort_unstable();
        more_than(self.prepared, keyed.into_iter().map(|(_, item)| item).collect(), maximum)
    }

    /// Number of rules that introduce an item, over all spots of its path; may stop counting at
    /// `maximum`.
    fn refinement_count(&self, branching: &WitnessBranching<W>, item: u32, maximum: u64) -> u64 {
        let class = self.prepared.class[item as usize] as usize;
        let mut total = 0;
        for at in self.tree.upwards(self.tree.leaf(item)) {
            for feature in 0..self.prepared.features {
                let (ranks, leaf_left) = self.tree.legal(at, item, feature);
                total +=
                    branching.restrict_rules(class, at, feature, leaf_left, ranks).len() as u64;
            }
            if total >= maximum {
                break;
            }
        }
        total
    }
}
