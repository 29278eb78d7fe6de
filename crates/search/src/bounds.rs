//! Lower bounds that need no search, and what they settle.
//!
//! *Equal rows.* Items that agree in every feature end in the same leaf of every
//! tree; all but the heaviest class among them is misclassified.
//!
//! *Class count.* A tree with l leaves predicts at most l classes, so it misses
//! all but the l heaviest ones.
//!
//! *Leaf price.* A tree with an inner root pays for two leaves.
//!
//! All three hold with and without a demand on rows per leaf, and for every
//! weighting. Each bounds the cost of a whole tree from below, so the greatest
//! of them does.

use crate::answer::Bracket;
use crate::best::Search;
use crate::mutants::{Mutant, off};
use crate::part::Part;
use exactree_model::{Cost, Limits, Weight};

impl Search<'_> {
    /// Whether bounds alone show that no tree with an inner root costs less
    /// than what there is. Raises the bracket's lower bound to theirs.
    pub(crate) fn settled(&mut self, part: &Part, limits: Limits, bracket: &mut Bracket) -> bool {
        if limits.leaf_only() || part.rows < 2 * limits.min_rows {
            bracket.lower = bracket.lower.max(self.objective.leaf(part.leaf_errors()));
            return true;
        }
        let two_leaves = self.node_cost(0);
        let equal_rows = self.node_cost(self.equal_rows(part));
        let class_count = self.node_cost(self.class_count(part, limits));
        let bound = equal_rows.max(class_count).max(two_leaves);
        bracket.lower = bracket.lower.max(bound);
        if bracket.lower < bracket.upper {
            return false;
        }
        let discards = &mut self.stats.discards;
        if two_leaves >= bracket.upper {
            discards.leaf_price += 1;
        } else if equal_rows >= bracket.upper {
            discards.equal_rows += 1;
        } else if class_count >= bracket.upper {
            discards.class_count += 1;
        }
        true
    }

    /// A lower bound on the cost of a part that may also stay a leaf.
    pub(crate) fn floor(&self, part: &Part, limits: Limits) -> Cost {
        if limits.leaf_only() {
            return self.objective.leaf(part.leaf_errors());
        }
        let errors = self.equal_rows(part).max(self.class_count(part, limits));
        self.objective.leaf(errors).min(self.objective.leaf(part.leaf_errors()))
    }

    /// Least cost of a tree with an inner root that misclassifies `errors`.
    fn node_cost(&self, errors: Weight) -> Cost {
        self.stump_cost(errors) + off(Mutant::LeafPrice) * self.objective.leaf_price
    }

    fn equal_rows(&self, part: &Part) -> Weight {
        if self.options.equal_rows { part.unavoidable + off(Mutant::EqualRows) } else { 0 }
    }

    fn class_count(&self, part: &Part, limits: Limits) -> Weight {
        let leaves = (limits.size.saturating_add(1) as u64 - off(Mutant::ClassCount)) as usize;
        if !self.options.class_count || leaves >= part.class_weights.len() {
            return 0;
        }
        let mut weights = part.class_weights.clone();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        weights[leaves..].iter().sum()
    }
}
