//! Leaf classes: a bound for trees with a minimum leaf size m.
//!
//! Let S lie between an inner set I and an outer set O (`engine/two_set_bound.rs`). A leaf for S that
//! predicts class c and holds at least m rows holds at least m − n(c) rows of other classes, where O
//! holds n(c) rows of class c. If that is too expensive for all classes but one, all leaves of a better
//! tree predict that class, and a single leaf costs no more: no tree with an inner root is better.

use crate::engine::solution::Bounds;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Limits, Weight};

impl ContinuousSearch<'_, '_> {
    /// Whether at most one class can be the prediction of a leaf of a tree that costs less than the
    /// upper bound.
    pub(crate) fn one_leaf_class(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: &Bounds,
    ) -> bool {
        if limits.min_samples_leaf == 1 || !self.space.options.leaf_classes {
            return false;
        }
        let affordable = |class: usize| {
            let missing = limits.min_samples_leaf.saturating_sub(self.class_rows(subset, class));
            let errors = missing.saturating_mul(self.space.layout.min_row_weight);
            let errors = errors.saturating_add(offset(Mutant::LeafClasses)).min(subset.weight);
            self.stump_cost(errors) < bounds.upper
        };
        (0..self.space.layout.n_classes).filter(|&class| affordable(class)).nth(1).is_none()
    }

    /// Number of rows of a class.
    fn class_rows(&self, subset: &ContinuousSubset, class: usize) -> u64 {
        let words = self.space.layout.class_words[class].clone();
        let members = &subset.members.words[words.clone()];
        if self.space.layout.unit_rows {
            return members.iter().map(|word| Weight::from(word.count_ones())).sum();
        }
        let slots =
            crate::support::bits::ones(members).map(|slot| slot as usize + words.start * 64);
        slots.map(|slot| self.space.layout.rows[slot]).sum()
    }
}
