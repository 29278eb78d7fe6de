//! Vectors of caps: one cap for every tree, the smallest first.

use super::request::{CoverQuantity, CoverRequest};
use exactree_model::Limits;

/// Limits of one tree.
pub(super) type Cap = Limits;

/// The vectors of caps for a value of the minimized quantity: every ensemble of that value is
/// within one of them. The most uneven vectors come first, because they are refuted fastest.
pub(super) fn caps_of(request: &CoverRequest, value: u32) -> Vec<Vec<Cap>> {
    let cap = |share: u32| match request.minimize {
        CoverQuantity::TotalSize | CoverQuantity::LargestSize => {
            Cap { depth: request.depth, size: share.min(request.size), min_samples_leaf: 1 }
        }
        CoverQuantity::TotalDepth | CoverQuantity::LargestDepth => {
            Cap { depth: share.min(request.depth), size: request.size, min_samples_leaf: 1 }
        }
    };
    let trees = request.trees as usize;
    let shares = match request.minimize {
        CoverQuantity::LargestSize | CoverQuantity::LargestDepth => {
            let total = value.saturating_mul(request.trees).min(request.total);
            shares_of(total, trees, value)
        }
        CoverQuantity::TotalSize => shares_of(value, trees, value.min(request.size)),
        CoverQuantity::TotalDepth => shares_of(value, trees, value.min(request.depth)),
    };
    shares
        .iter()
        .map(|vector| vector.iter().map(|&share| cap(share).normalised()).collect())
        .collect()
}

/// The ways to write a number as a sum of `terms` terms in ascending order, none above `maximum`;
/// the greatest last term first.
fn shares_of(value: u32, terms: usize, maximum: u32) -> Vec<Vec<u32>> {
    if terms == 0 {
        return if value == 0 { vec![Vec::new()] } else { Vec::new() };
    }
    let mut found = Vec::new();
    for last in (value.div_ceil(terms as u32)..=maximum.min(value)).rev() {
        for mut share in shares_of(value - last, terms - 1, last) {
            share.push(last);
            found.push(share);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_the_partitions_of_a_number() {
        assert_eq!(shares_of(0, 3, 0), [[0, 0, 0]]);
        assert_eq!(shares_of(4, 3, 4), [[0, 0, 4], [0, 1, 3], [0, 2, 2], [1, 1, 2]]);
        assert_eq!(shares_of(4, 2, 2), [[2, 2]]);
        assert!(shares_of(5, 2, 2).is_empty());
    }
}
