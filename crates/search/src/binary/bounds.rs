//! Lower bounds that need no search; their arguments are those of `bounds.rs` one
//! storey up.

use super::part::Part;
use super::search::{BinarySearch, Bracket};
use crate::kernels::chunks::Lane;
use crate::mutants::{Mutant, off};
use exactree_model::{Cost, Errors, Limits, UNBOUNDED, Weight};

impl<L: Lane> BinarySearch<'_, L> {
    /// Whether bounds alone show that no tree with an inner root costs less
    /// than what there is.
    pub fn settled(&mut self, part: &Part, limits: Limits, bracket: &mut Bracket) -> bool {
        if limits.leaf_only() || part.weight < 2 * limits.min_rows {
            bracket.lower = UNBOUNDED;
            return true;
        }
        let unavoidable = self.unavoidable(part.unavoidable);
        let equal_rows = self.node_cost(unavoidable);
        let class_count = self.node_cost(self.class_count(&part.class_weights, limits));
        bracket.lower = bracket.lower.max(equal_rows).max(class_count);
        if bracket.lower < bracket.upper {
            return false;
        }
        let discards = &mut self.stats.discards;
        if self.objective.leaf_price * 2 >= bracket.upper {
            discards.leaf_price += 1;
        } else if equal_rows >= bracket.upper {
            discards.equal_rows += 1;
        } else if class_count >= bracket.upper {
            discards.class_count += 1;
        }
        true
    }

    /// A lower bound on the cost of a part that may also stay a leaf.
    pub fn floor(&self, class_weights: &[Weight], unavoidable: Weight, limits: Limits) -> Cost {
        let leaf = self.objective.leaf(Errors::leaf_errors(class_weights));
        if limits.leaf_only() {
            return leaf;
        }
        let errors = self.unavoidable(unavoidable).max(self.class_count(class_weights, limits));
        self.node_cost(errors).min(leaf)
    }

    /// Least cost of a tree with an inner root that misclassifies `errors`.
    pub fn node_cost(&self, errors: Weight) -> Cost {
        let price = off(Mutant::LeafPrice) * self.objective.leaf_price;
        self.objective.join(self.objective.leaf(errors), self.objective.leaf(price))
    }

    pub fn unavoidable(&self, weight: Weight) -> Weight {
        if self.options.equal_rows { weight + off(Mutant::EqualRows) } else { 0 }
    }

    fn class_count(&self, class_weights: &[Weight], limits: Limits) -> Weight {
        let leaves = (limits.size.saturating_add(1) as u64 - off(Mutant::ClassCount)) as usize;
        if !self.options.class_count || leaves >= class_weights.len() {
            return 0;
        }
        let mut weights = class_weights.to_vec();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        weights[leaves..].iter().sum()
    }
}
