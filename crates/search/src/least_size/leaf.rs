//! Whether a leaf serves a part.

use super::decide::Decision;
use super::memo::Verdict;
use super::terms::TermsId;
use crate::mutants::{Mutant, off};
use crate::sets::{Set, and, first_member, insert, members, or, without};
use exactree_model::{Errors, Weight};

impl<const W: usize> Decision<'_, W> {
    /// Whether a leaf serves a part.
    ///
    /// A leaf that errs this much serves, besides, all items of its class. Where
    /// no leaf serves, none serves the items up to the first that made it so.
    pub(super) fn leaf(&self, set: &Set<W>, terms: TermsId, errors: Weight) -> Verdict<W> {
        if errors == 0 {
            return self.pure_leaf(set, terms);
        }
        let weights = self.ground.class_weights(set);
        let made = Errors::leaf_errors(&weights);
        if made <= errors {
            let class = Errors::leaf_class(&weights) as usize;
            return Verdict::Served(or(&self.ground.classes[class], set));
        }
        let (mut core, mut weights) = ([0; W], vec![0; self.ground.classes.len()]);
        for item in members(set) {
            insert(&mut core, item);
            weights[self.ground.class[item as usize] as usize] += self.ground.weight[item as usize];
            let made = Errors::leaf_errors(&weights);
            if made > errors {
                return Verdict::Refused(core, made);
            }
        }
        Verdict::Refused(*set, made)
    }

    fn pure_leaf(&self, set: &Set<W>, terms: TermsId) -> Verdict<W> {
        let Some(item) = first_member(set) else { return Verdict::Served([0; W]) };
        let class = self.ground.class[item as usize] as usize;
        let mut core = [0; W];
        insert(&mut core, item);
        if self.leaves_of(terms, class) == 0 {
            return Verdict::Refused(core, 1);
        }
        match first_member(&without(set, &self.ground.classes[class])) {
            None => Verdict::Served(self.ground.classes[class]),
            Some(other) => {
                insert(&mut core, other);
                Verdict::Refused(core, 1)
            }
        }
    }

    fn leaves_of(&self, terms: TermsId, class: usize) -> u32 {
        self.terms.get(terms).leaves.get(class).copied().unwrap_or(u32::MAX)
    }

    /// A tree without errors has a leaf for every class: one item of each that
    /// is one too many, or of one that may have no leaf.
    pub(super) fn too_many_classes(
        &self,
        set: &Set<W>,
        size: u32,
        terms: TermsId,
    ) -> Option<Set<W>> {
        let limited = !self.terms.get(terms).leaves.is_empty();
        if self.ground.classes.len() <= 2 && !limited {
            return None;
        }
        let (mut core, mut leaves) = ([0; W], 0);
        for class in self.ground.classes_in(set) {
            let item = first_member(&and(set, &self.ground.classes[class]))?;
            if self.leaves_of(terms, class) == 0 {
                let mut core = [0; W];
                insert(&mut core, item);
                return Some(core);
            }
            insert(&mut core, item);
            leaves += 1;
            if leaves + off(Mutant::TooManyClasses) as u32 > size + 1 {
                return Some(core);
            }
        }
        None
    }
}
