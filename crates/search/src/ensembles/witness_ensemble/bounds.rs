//! Lower bounds on the number of refinements that the missing votes need.
//!
//! A solution that classifies a dirty item changes the votes of at least `Votes::missing` trees. A
//! vote changes only in a new leaf, and every refinement makes one leaf, in one tree, of one class.
//!
//! *Votes left.* Only trees that give the item a wrong class, have nodes left and do not keep their
//! vote can help. If there are too few, the item is wrong in every solution, and if such items
//! weigh too much, there is no solution.
//!
//! *Votes gained.* A new leaf gains votes on *gaining items*: items in it that need its class, and
//! items whose lost vote it restores. Within one tree the entries of `papers/witness/bounds.rs`
//! bound the gains of leaves made at different places; the argument there is about one tree and any
//! set of items to gain. If the greatest entries of all trees, as many as there are nodes left,
//! gain too little, there is no solution. Allowed errors are deducted from the items that miss most
//! votes.
//!
//! *Votes needed.* The next refinement must gain the votes still missing if all other refinements
//! gain as much as they can. Rules farther from the item capture more, so the rules that gain
//! enough are the last ones.
//!
//! All three hold for any number of classes: a change to a class that is not
//! the item's own helps less than assumed.

use super::search::{EnsembleBranching, EnsembleWitnessSearch};
use super::votes::Votes;
use crate::papers::witness::tree::WitnessTree;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, contains, disjoint, empty, insert, members, or, without};
use exactree_model::Weight;
use std::ops::Range;

impl<const W: usize> EnsembleWitnessSearch<'_, W> {
    /// The branching of this search node; `None` if a bound proves that there is no solution. Items
    /// that are wrong in every solution become errors.
    pub(super) fn branching(&mut self, votes: &Votes<W>) -> Option<EnsembleBranching<W>> {
        let left = self.left();
        if left == 0 {
            return None;
        }
        let (votes, lost) = votes.expected(&self.settled.kept);
        let open = without(&votes.dirty(self.prepared), &self.settled.errors);
        let gaining_items = self.gaining_items(&votes, &lost, &open);
        let mut branching = EnsembleBranching { votes, lost, open, gaining_items, needed: 0 };
        if self.options.votes_left && !self.enough_votes_left(&mut branching) {
            self.pruned.votes_left += 1;
            return None;
        }
        if self.options.votes_gained || self.options.votes_needed {
            match self.min_gain(&branching, left) {
                Some(needed) if self.options.votes_needed => branching.needed = needed,
                Some(_) => {}
                None => {
                    self.pruned.votes_gained += 1;
                    return None;
                }
            }
        }
        if self.cell_pairs_exceed(left) {
            self.pruned.cell_pairs += 1;
            return None;
        }
        Some(branching)
    }

    /// By tree and class, the gaining items: open items for which the tree votes for another class,
    /// which is wrong, and items with lost votes.
    fn gaining_items(
        &self,
        votes: &Votes<W>,
        lost: &[Vec<Set<W>>],
        open: &Set<W>,
    ) -> Vec<Vec<Set<W>>> {
        let classes = &self.prepared.classes;
        let of_tree = |tree: usize| {
            let given = &votes.given[tree];
            let kept = &self.settled.kept[tree];
            let right = (0..classes.len())
                .fold([0; W], |right, class| or(&right, &and(&given[class], &classes[class])));
            let all_kept = kept.iter().fold([0; W], |all, kept| or(&all, kept));
            let wrong = without(&without(open, &right), &all_kept);
            (0..classes.len())
                .map(|class| {
                    let mut gaining_items = without(&wrong, &given[class]);
                    if classes.len() == 2 {
                        gaining_items = and(&gaining_items, &classes[class]);
                    }
                    or(&gaining_items, &lost[tree][class])
                })
                .collect()
        };
        (0..self.trees.len()).map(of_tree).collect()
    }

    /// Settles the items that too few trees can put right as errors; returns whether that many
    /// errors are allowed.
    fn enough_votes_left(&mut self, branching: &mut EnsembleBranching<W>) -> bool {
        let mut hopeless = [0; W];
        for item in members(&branching.open) {
            let own = self.prepared.class[item as usize];
            let may_change = (0..self.trees.len()).filter(|&tree| {
                let gaining_items = &branching.gaining_items[tree];
                self.left_of(tree) > 0 && gaining_items.iter().any(|items| contains(items, item))
            });
            let missing = u64::from(branching.votes.missing(item, own));
            if (may_change.count() as u64) < missing + offset(Mutant::EnsembleVotesLeft) {
                insert(&mut hopeless, item);
            }
        }
        if !empty(&hopeless) {
            // A vote is kept only while its item is to be right.
            if self.settled.kept.iter().flatten().any(|kept| !disjoint(kept, &hopeless)) {
                return false;
            }
            self.settled.errors = or(&self.settled.errors, &hopeless);
            branching.open = without(&branching.open, &hopeless);
            for gaining_items in branching.gaining_items.iter_mut().flatten() {
                *gaining_items = without(gaining_items, &hopeless);
            }
        }
        self.prepared.weigh(&self.settled.errors) <= self.prepared.errors
    }

    /// The weight that one of `left` refinements must gain if the others gain as much as they can;
    /// `None` if all together cannot gain enough.
    fn min_gain(&self, branching: &EnsembleBranching<W>, left: u32) -> Option<Weight> {
        let needed = self.votes_missing(branching);
        let mut entries: Vec<Weight> = Vec::new();
        for (tree, gaining_items) in branching.gaining_items.iter().enumerate() {
            let maximum = self.left_of(tree) as usize;
            if maximum > 0 {
                let tree: &WitnessTree<'_, W> = &self.trees[tree];
                for items in gaining_items.iter().filter(|items| !empty(items)) {
                    tree.gather(tree.root, items, maximum, &mut entries);
                }
            }
        }
        min_gain_of_last(&mut entries, left as usize, needed)
    }

    /// Weight of the votes to gain: the votes that the open items miss, less the errors still
    /// allowed, plus the lost votes.
    fn votes_missing(&self, branching: &EnsembleBranching<W>) -> Weight {
        let mut by_number: Vec<Weight> = vec![0; self.trees.len() + 1];
        for item in members(&branching.open) {
            let missing = branching.votes.missing(item, self.prepared.class[item as usize]);
            by_number[missing as usize] += self.prepared.weight(item);
        }
        let errors = self.prepared.errors - self.prepared.weigh(&self.settled.errors);
        let lost = branching.lost.iter().flatten().map(|lost| self.prepared.weigh(lost));
        missing_votes(&by_number, errors, lost)
    }

    /// Of a range of rules of a feature, those that gain enough. `here` are the gaining items; the
    /// flag says whether the new leaf is the left child.
    pub(super) fn gaining_rules(
        &self,
        branching: &EnsembleBranching<W>,
        here: &Set<W>,
        feature: usize,
        (ranks, left): (Range<u32>, bool),
    ) -> Range<u32> {
        if branching.needed <= 1 || ranks.is_empty() {
            return ranks;
        }
        let rules = &self.prepared.rules(feature)[ranks.start as usize..ranks.end as usize];
        if left {
            let few = |left: &Set<W>| self.prepared.weigh(&and(here, left)) < branching.needed;
            ranks.start + rules.partition_point(few) as u32..ranks.end
        } else {
            let enough =
                |left: &Set<W>| self.prepared.weigh(&without(here, left)) >= branching.needed;
            ranks.start..ranks.start + rules.partition_point(enough) as u32
        }
    }
}

/// Weight of missing votes and lost votes. `by_number` is the weight of the items by number of
/// votes that they miss; items that miss most votes are left out, up to the allowed errors. The
/// votes of several trees may overflow: then the result is the greatest integer, which is too
/// small.
fn missing_votes(
    by_number: &[Weight],
    mut errors: Weight,
    lost: impl Iterator<Item = Weight>,
) -> Weight {
    let mut needed: Weight = 0;
    for (missing, &weight) in by_number.iter().enumerate().rev() {
        let kept = weight.saturating_sub(errors);
        errors -= weight - kept;
        needed = kept.saturating_mul(missing as Weight).saturating_add(needed);
    }
    lost.fold(needed, Weight::saturating_add)
}

/// The weight that one of `left` refinements must gain if the others gain the greatest entries;
/// `None` if all of them gain too little.
///
/// Sums saturate at the greatest integer, as `needed` does. So a saturated gain is always enough,
/// and the result is never too great.
fn min_gain_of_last(entries: &mut [Weight], left: usize, needed: Weight) -> Option<Weight> {
    entries.sort_unstable_by_key(|&entry| std::cmp::Reverse(entry));
    let others = entries.iter().take(left - 1).fold(0, |sum: Weight, &one| sum.saturating_add(one));
    let gained = others.saturating_add(entries.get(left - 1).map_or(0, |&entry| entry));
    let enough = gained >= needed.saturating_add(offset(Mutant::EnsembleVotesGained));
    enough.then(|| needed.saturating_sub(others) + offset(Mutant::EnsembleVotesNeeded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::random_weights;

    /// Weights of fewer than `maximum` items; in half of the cases as heavy as the limit on the
    /// total weight of tables permits.
    fn draw_weights(random: &mut fastrand::Rng, maximum: usize) -> Vec<Weight> {
        let count = random.usize(1..maximum);
        let weights = random_weights::weights(random, count, 62);
        let spare_bits = weights.iter().sum::<Weight>().leading_zeros() - 2;
        let shift = if random.bool() { spare_bits } else { 0 };
        weights.into_iter().map(|weight| weight << shift).collect()
    }

    #[test]
    fn saturated_sums_of_votes_never_require_more_than_exact_sums() {
        let mut random = fastrand::Rng::with_seed(20_261_123);
        let (mut beyond, mut infeasible, mut exact) = (0, 0, 0);
        for _ in 0..20_000 {
            let by_number = draw_weights(&mut random, 30);
            let lost: Vec<Weight> =
                (0..random.usize(0..4)).map(|_| draw_weights(&mut random, 9)[0]).collect();
            let errors = random.u64(0..=by_number.iter().sum::<Weight>());
            // The definition: the votes of every unit of weight, most missing first, in 128 bits.
            let (mut needed, mut errors_left) = (0u128, u128::from(errors));
            for (missing, &weight) in by_number.iter().enumerate().rev() {
                let allowed = errors_left.min(weight.into());
                errors_left -= allowed;
                needed += (u128::from(weight) - allowed) * missing as u128;
            }
            needed += lost.iter().map(|&lost| u128::from(lost)).sum::<u128>();
            let found = missing_votes(&by_number, errors, lost.into_iter());
            assert_eq!(u128::from(found), needed.min(u64::MAX.into()), "{by_number:?} {errors}");

            // Entries of several trees, each up to the total weight of the table.
            let trees = random.usize(1..12);
            let mut entries: Vec<Weight> =
                (0..trees).flat_map(|_| draw_weights(&mut random, 4)).collect();
            let left = random.usize(1..entries.len() + 3);
            let mut greatest = entries.clone();
            greatest.sort_unstable_by_key(|&entry| std::cmp::Reverse(entry));
            let wide = greatest.iter().take(left).map(|&entry| u128::from(entry));
            let gained: u128 = wide.clone().sum();
            let others: u128 = wide.take(left - 1).sum();
            let bound = min_gain_of_last(&mut entries, left, found);
            match bound {
                None => assert!(gained < needed, "{gained} {needed}"),
                Some(bound) => assert!(u128::from(bound) <= needed.saturating_sub(others)),
            }
            if needed.max(gained) <= u64::MAX.into() {
                let expected = (gained >= needed).then(|| needed.saturating_sub(others));
                assert_eq!(bound.map(u128::from), expected);
                exact += 1;
            }
            beyond += u32::from(gained > u64::MAX.into());
            infeasible += u32::from(bound.is_none());
        }
        assert!(beyond > 500 && infeasible > 500 && exact > 500, "{beyond} {infeasible} {exact}");
    }
}
