//! Whether a leaf classifies a subset.

use super::cache::Verdict;
use super::decision::SizeDecision;
use super::subtree_limits::SubtreeLimitsId;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, first_member, insert, members, or, without};
use exactree_model::{Errors, Weight};

impl<const W: usize> SizeDecision<'_, W> {
    /// Whether a leaf classifies a subset.
    ///
    /// A leaf with these errors also classifies all further items of its class. If no leaf
    /// classifies the subset, the core consists of its items up to the first that rules out every
    /// leaf.
    pub(super) fn leaf(&self, set: &Set<W>, limits: SubtreeLimitsId, errors: Weight) -> Verdict<W> {
        if errors == 0 {
            return self.pure_leaf(set, limits);
        }
        let weights = self.prepared.class_weights(set);
        let made = Errors::leaf_errors(&weights);
        if made <= errors {
            let class = Errors::leaf_class(&weights) as usize;
            return Verdict::Feasible(or(&self.prepared.classes[class], set));
        }
        let (mut core, mut weights) = ([0; W], vec![0; self.prepared.classes.len()]);
        for item in members(set) {
            insert(&mut core, item);
            weights[self.prepared.class[item as usize] as usize] +=
                self.prepared.weight[item as usize];
            let made = Errors::leaf_errors(&weights);
            if made > errors {
                return Verdict::Infeasible(core, made);
            }
        }
        Verdict::Infeasible(*set, made)
    }

    fn pure_leaf(&self, set: &Set<W>, limits: SubtreeLimitsId) -> Verdict<W> {
        let Some(item) = first_member(set) else { return Verdict::Feasible([0; W]) };
        let class = self.prepared.class[item as usize] as usize;
        let mut core = [0; W];
        insert(&mut core, item);
        if self.leaves_of(limits, class) == 0 {
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

    fn leaves_of(&self, limits: SubtreeLimitsId, class: usize) -> u32 {
        self.limits.get(limits).leaves.get(class).copied().unwrap_or(u32::MAX)
    }

    /// A tree without errors has a leaf for every class. If there are too many classes, or one that
    /// may have no leaf, returns an item of each as core.
    pub(super) fn too_many_classes(
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
            if self.leaves_of(limits, class) == 0 {
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
