//! The objective: misclassified weight plus a price per leaf, in exact integers.
//!
//! A cost is `error_price * errors + leaf_price * leaves`. Python chooses the two prices so that a
//! rational penalty per leaf becomes an integer, and so that the cost of every tree that can matter
//! stays below 2^62.
//!
//! Laws (tested below): *monotone*, a larger cost of a child never lowers the join; *inflating*, a
//! join costs at least as much as each child; *faithful*, the join of leaves is the cost counted
//! over the whole tree.

/// Weight of examples, as an exact integer.
pub type Weight = u64;

/// Value of the objective for a subtree.
pub type Cost = u64;

/// Larger than every cost; the sum of four does not overflow.
pub const UNBOUNDED: Cost = u64::MAX / 4;

/// Misclassified weight, and a price for every leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errors {
    pub error_price: Cost,
    pub leaf_price: Cost,
}

impl Errors {
    /// Cost of a leaf that misclassifies `errors`.
    #[inline]
    pub fn leaf(&self, errors: Weight) -> Cost {
        errors * self.error_price + self.leaf_price
    }

    /// Cost of a node whose children cost `left` and `right`.
    #[inline]
    pub fn join(&self, left: Cost, right: Cost) -> Cost {
        left.saturating_add(right).min(UNBOUNDED)
    }

    /// Minimum misclassified weight of a leaf that holds these class weights.
    #[inline]
    pub fn leaf_errors(class_weights: &[Weight]) -> Weight {
        let total: Weight = class_weights.iter().sum();
        total - class_weights.iter().max().copied().unwrap_or(0)
    }

    /// The class that a leaf predicts: the first one of maximum weight.
    pub fn leaf_class(class_weights: &[Weight]) -> u32 {
        let mut best = 0;
        for (class, &weight) in class_weights.iter().enumerate() {
            if weight > class_weights[best] {
                best = class;
            }
        }
        best as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn join_is_monotone_and_inflating(a in 0..UNBOUNDED, b in 0..UNBOUNDED, more in 0u64..1000) {
            let errors = Errors { error_price: 1, leaf_price: 0 };
            prop_assert!(errors.join(a + more, b) >= errors.join(a, b));
            prop_assert!(errors.join(a, b) >= a.max(b));
        }

        #[test]
        fn join_is_faithful(a in 0u64..1 << 40, b in 0u64..1 << 40, price in 0u64..1 << 20, leaf in 0u64..1 << 20) {
            let errors = Errors { error_price: price, leaf_price: leaf };
            let joined = errors.join(errors.leaf(a), errors.leaf(b));
            prop_assert_eq!(joined, (a + b) * price + 2 * leaf);
        }

        #[test]
        fn a_leaf_predicts_the_earliest_heaviest_class(weights in prop::collection::vec(0u64..5, 1..6)) {
            let class = Errors::leaf_class(&weights) as usize;
            let total: u64 = weights.iter().sum();
            prop_assert_eq!(Errors::leaf_errors(&weights), total - weights[class]);
            prop_assert!(weights[..class].iter().all(|&w| w < weights[class]));
        }
    }
}
