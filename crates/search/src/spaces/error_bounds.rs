//! Lower bounds on the errors of every tree, by weights of classes and of equal examples; the arguments
//! are in `engine/bounds.rs`.

use crate::support::mutants::{Mutant, offset};
use crate::support::options::Options;
use exactree_model::{Limits, Weight};

/// The weight of the errors that no tree avoids, because examples are equal; 0 if this bound is off.
pub(super) fn equivalent_points(options: &Options, unavoidable: Weight) -> Weight {
    if options.equivalent_points { unavoidable + offset(Mutant::EqualRows) } else { 0 }
}

/// A tree with l leaves predicts at most l classes, so it misclassifies at least the weight of all
/// classes but the l heaviest. 0 if this bound is off.
pub(super) fn class_count(options: &Options, class_weights: &[Weight], limits: Limits) -> Weight {
    let leaves = (limits.size.saturating_add(1) as u64 - offset(Mutant::ClassCount)) as usize;
    if !options.class_count || leaves >= class_weights.len() {
        return 0;
    }
    let mut weights = class_weights.to_vec();
    weights.sort_unstable_by(|a, b| b.cmp(a));
    weights[leaves..].iter().sum()
}
