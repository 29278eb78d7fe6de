//! Leaves: whether one leaf classifies a subset, and whether the classes of a subset need more
//! leaves than its tree may have.

use super::cache::Verdict;
use super::decision::SizeDecision;
use super::subtree_limits::SubtreeLimitsId;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, first_member, insert, members, or, without};
use exactree_model::{Errors, Weight};

impl<const W: usize> SizeDecision<'_, W> {
    /// Decides whether a single leaf for a subset misclassifies weight at most `errors`.
    ///
    /// If so, this leaf also classifies all other items of its class. If not, the verdict has a
    /// core, items of the subset for which no such leaf exists: the shortest such prefix of the
    /// subset, or one or two items if no errors are allowed. The verdict also has a lower bound on
    /// the errors of a leaf for the core. Limits on leaves apply only without errors
    /// (`SizeRequest::leaves`).
    pub(super) fn leaf(&self, set: &Set<W>, limits: SubtreeLimitsId, errors: Weight) -> Verdict<W> {
        if errors == 0 {
            return self.pure_leaf(set, limits);
        }
        let weights = self.prepared.class_weights(set);
        let leaf_errors = Errors::leaf_errors(&weights);
        if leaf_errors <= errors {
            let class = Errors::leaf_class(&weights) as usize;
            return Verdict::Feasible(or(&self.prepared.classes[class], set));
        }
        let (mut core, mut weights) = ([0; W], vec![0; self.prepared.classes.len()]);
        for item in members(set) {
            insert(&mut core, item);
            weights[self.prepared.class[item as usize] as usize] +=
                self.prepared.weight[item as usize];
            let core_errors = Errors::leaf_errors(&weights);
            if core_errors > errors {
                return Verdict::Infeasible(core, core_errors);
            }
        }
        Verdict::Infeasible(*set, leaf_errors)
    }

    /// `leaf` without errors.
    fn pure_leaf(&self, set: &Set<W>, limits: SubtreeLimitsId) -> Verdict<W> {
        let Some(item) = first_member(set) else { return Verdict::Feasible([0; W]) };
        let class = self.prepared.class[item as usize] as usize;
        let mut core = [0; W];
        insert(&mut core, item);
        if self.max_leaves_of(limits, class) == 0 {
            return Verdict::Infeasible(core, 1);
        }
        match first_member(&without(set, &self.prepared.classes[class])) {
            None => Verdict::Feasible(self.prepared.classes[class]),
            Some(other) => {
                insert(&mut core, other);
                Verdict::Infeasible(core, 1)
            }
        }
    }

    /// Maximum number of leaves of a class.
    fn max_leaves_of(&self, limits: SubtreeLimitsId, class: usize) -> u32 {
        self.limits.get(limits).leaves.get(class).copied().unwrap_or(u32::MAX)
    }

    /// For trees without errors, of at least one node: if the subset has more classes than the
    /// `size` + 1 leaves, a core with one item of each of `size` + 2 classes; if it has a class
    /// that may have no leaf, a core with an item of this class. Otherwise `None`.
    pub(super) fn core_by_classes(
        &self,
        set: &Set<W>,
        size: u32,
        limits: SubtreeLimitsId,
    ) -> Option<Set<W>> {
        let limited = !self.limits.get(limits).leaves.is_empty();
        if self.prepared.classes.len() <= 2 && !limited {
            return None;
        }
        let (mut core, mut leaves) = ([0; W], 0);
        for class in self.prepared.classes_in(set) {
            let item = first_member(&and(set, &self.prepared.classes[class]))?;
            if self.max_leaves_of(limits, class) == 0 {
                let mut core = [0; W];
                insert(&mut core, item);
                return Some(core);
            }
            insert(&mut core, item);
            leaves += 1;
            if leaves + offset(Mutant::TooManyClasses) as u32 > size + 1 {
                return Some(core);
            }
        }
        None
    }
}
