//! Branching: selects the first witness and the dirty items to put right.
//!
//! With at most t errors allowed, every solution classifies at least one item of any list of dirty
//! items with total weight above t (001, 6.2); without errors, a list of one item will do. The
//! algorithm is correct for any such list, and for any witness.
//!
//! *Priority.* Prefer the items with the fewest refinements over all trees that may change their
//! vote on them. Start from the witness with the smallest distance to an unlike item.
//!
//! *Settled errors.* If no solution classifies the first item of the list, all misclassify it: in
//! the branches of the following items its weight is deducted from t, and it is never introduced.

use super::search::{EnsembleBranching, EnsembleWitnessSearch, SearchStopped};
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{and, insert, members, without};

impl<const W: usize> EnsembleWitnessSearch<'_, W> {
    /// The item that all trees have as their first witness.
    pub(super) fn first_witness(&self) -> Result<u32, SearchStopped> {
        if !self.options.dirty_priority {
            return Ok(0);
        }
        let mut nearest = (u64::MAX, 0);
        for item in 0..self.prepared.items as u32 {
            if self.clock.stopped() {
                return Err(SearchStopped);
            }
            let own = &self.prepared.classes[self.prepared.class[item as usize] as usize];
            let unlike = without(&self.prepared.everything(), own);
            let distances = members(&unlike).map(|other| self.prepared.distance(item, other));
            // Equal items are never separated, whatever their classes.
            let distance = distances.filter(|&distance| distance > 0).min().unwrap_or(u64::MAX);
            nearest = nearest.min((distance, item));
        }
        Ok(nearest.1)
    }

    /// All multisets of classes of the first leaves for which the witness is right or an allowed
    /// error.
    pub(super) fn starts(&self, trees: usize, witness: u32) -> Vec<Vec<u32>> {
        let own = self.prepared.class[witness as usize];
        let classes = self.prepared.classes.len() as u32;
        let mut starts: Vec<Vec<u32>> = vec![Vec::new()];
        for _ in 0..trees {
            let longer = |start: &Vec<u32>| {
                let from = start.last().copied().unwrap_or(0);
                let start = start.clone();
                (from..classes).map(move |class| [start.clone(), vec![class]].concat())
            };
            starts = starts.iter().flat_map(longer).collect();
        }
        let elected = |start: &Vec<u32>| {
            let votes = |class: u32| start.iter().filter(|&&vote| vote == class).count();
            (0..classes).rev().max_by_key(|&class| votes(class))
        };
        let allowed = self.prepared.weight(witness) <= self.prepared.errors;
        let leaf = |class: &u32| self.limits.leaves.get(*class as usize) != Some(&0);
        starts.retain(|start| (allowed || elected(start) == Some(own)) && start.iter().all(leaf));
        starts
    }

    /// A list of dirty items of which every solution classifies at least one, in the order to try.
    pub(super) fn items_to_try(&self, branching: &EnsembleBranching<W>) -> Vec<u32> {
        let allowed = self.prepared.errors - self.prepared.weigh(&self.settled.errors);
        let open = members(&branching.open);
        if !self.options.dirty_priority {
            return self.more_than(open.collect(), allowed);
        }
        if allowed == 0 {
            let mut fewest = (u64::MAX, None);
            for item in open {
                let refinements = self.refinements_of_all_trees(branching, item, fewest.0);
                if fewest.1.is_none() || refinements < fewest.0 {
                    fewest = (refinements, Some(item));
                }
            }
            return fewest.1.into_iter().collect();
        }
        let mut keyed: Vec<(u64, u32)> = open
            .map(|item| (self.refinements_of_all_trees(branching, item, u64::MAX), item))
            .collect();
        keyed.sort_unstable();
        self.more_than(keyed.into_iter().map(|(_, item)| item).collect(), allowed)
    }

    /// Settles an item whose branch has no solution as an error.
    pub(super) fn settle_error(&mut self, item: u32) {
        if self.options.fixed_errors {
            insert(&mut self.settled.errors, item);
        }
    }

    /// The first items of a list until they weigh more than `maximum`.
    fn more_than(&self, mut items: Vec<u32>, maximum: u64) -> Vec<u32> {
        let mut weight = 0;
        let reached = items.iter().position(|&item| {
            weight += self.prepared.weight(item);
            weight + offset(Mutant::EnsembleItemsToTry) > maximum
        });
        items.truncate(reached.map_or(items.len(), |last| last + 1));
        items
    }

    /// Number of refinements that put an item right, over all trees; may stop counting at
    /// `maximum`.
    fn refinements_of_all_trees(
        &self,
        branching: &EnsembleBranching<W>,
        item: u32,
        maximum: u64,
    ) -> u64 {
        let own = self.prepared.class[item as usize];
        let classes = self.prepared.classes.len() as u32;
        let mut total = 0;
        for tree in 0..self.trees.len() {
            let present = branching.votes.class(tree, item);
            if present == own || self.left_of(tree) == 0 || self.settled.keeps(tree, present, item)
            {
                continue;
            }
            for class in (0..classes).filter(|&class| class != present) {
                total += self.refinement_count(
                    branching,
                    tree,
                    item,
                    class,
                    maximum.saturating_sub(total),
                );
            }
            if total >= maximum {
                break;
            }
        }
        total
    }

    /// Number of rules that introduce an item into a tree with a class, over all spots of its path;
    /// may stop counting at `maximum`.
    pub(super) fn refinement_count(
        &self,
        branching: &EnsembleBranching<W>,
        tree: usize,
        item: u32,
        class: u32,
        maximum: u64,
    ) -> u64 {
        let mut total = 0;
        for at in self.trees[tree].upwards(self.trees[tree].leaf(item)) {
            let subset = &self.trees[tree].spots[at].subset;
            let here = and(subset, &branching.gaining_items[tree][class as usize]);
            for feature in 0..self.prepared.features {
                let legal = self.trees[tree].legal(at, item, feature);
                total += self.gaining_rules(branching, &here, feature, legal).len() as u64;
            }
            if total >= maximum {
                break;
            }
        }
        total
    }
}
