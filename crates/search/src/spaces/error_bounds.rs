//! Lower bounds on misclassified weight (`engine/bounds.rs` has the arguments).

use crate::support::mutants::{Mutant, offset};
use exactree_model::{Limits, Weight};

/// The weight that items which no rule distinguishes misclassify together; 0 if switched off.
pub(crate) fn equivalent_points(unavoidable: Weight, on: bool) -> Weight {
    if on { unavoidable + offset(Mutant::EqualRows) } else { 0 }
}

/// A tree with l leaves predicts at most l classes, so it misclassifies at least the weight of all
/// classes but the l heaviest; 0 if switched off.
pub(crate) fn class_count(class_weights: &[Weight], limits: Limits, on: bool) -> Weight {
    let leaves = u64::from(limits.size.saturating_add(1)) - offset(Mutant::ClassCount);
    if !on || leaves >= class_weights.len() as u64 {
        return 0;
    }
    let mut weights = class_weights.to_vec();
    weights.sort_unstable_by(|a, b| b.cmp(a));
    weights[leaves as usize..].iter().sum()
}
