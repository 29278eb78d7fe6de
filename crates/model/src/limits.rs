//! Limits on a tree: depth, size and rows per leaf; how a node divides them between its children.

/// The limits of a subtree. `u32::MAX` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Number of inner nodes on the longest path.
    pub depth: u32,
    /// Number of inner nodes.
    pub size: u32,
    /// Minimum number of rows (as given, before merging) in every leaf; at least 1.
    pub min_samples_leaf: u64,
}

impl Limits {
    /// The tightest limits that allow the same set of trees: a tree of size s is at most s deep,
    /// and a tree of depth d has at most 2^d − 1 nodes.
    pub fn normalised(self) -> Self {
        let size = self.size.min(full_size(self.depth));
        Limits { depth: self.depth.min(size), size, ..self }
    }

    /// Whether a leaf is the only tree allowed.
    pub fn leaf_only(&self) -> bool {
        self.depth == 0 || self.size == 0
    }

    /// Whether subproblems with these limits go to the depth-two solver.
    pub fn is_terminal(&self) -> bool {
        self.depth <= 2
    }

    /// Whether every tree within `other` is within `self`.
    pub fn covers(&self, other: &Limits) -> bool {
        self.depth >= other.depth
            && self.size >= other.size
            && self.min_samples_leaf <= other.min_samples_leaf
    }

    /// The limits without the minimum leaf size.
    pub fn relaxed(self) -> Self {
        Limits { min_samples_leaf: 1, ..self }
    }

    /// These limits, with depth at most two.
    pub fn depth_two(self) -> Self {
        Limits { depth: self.depth.min(2), ..self }.normalised()
    }

    /// Limits of a child that may use `size` nodes.
    pub fn child(&self, size: u32) -> Self {
        Limits { depth: self.depth - 1, size, ..*self }.normalised()
    }

    /// The ways to divide the nodes below the root between its children, as sizes of the left and
    /// right child. Only maximal divisions are listed; if the limits allow two complete trees as
    /// children, that is the only division.
    pub fn shares(&self) -> Vec<(u32, u32)> {
        if self.size == u32::MAX {
            return vec![(u32::MAX, u32::MAX)];
        }
        let below = self.size - 1;
        let max_child = full_size(self.depth - 1).min(below);
        let min_child = below - max_child;
        if min_child >= max_child {
            return vec![(max_child, max_child)];
        }
        (min_child..=max_child).map(|left| (left, below - left)).collect()
    }
}

/// Number of nodes of a complete tree of this depth.
fn full_size(depth: u32) -> u32 {
    if depth >= 32 { u32::MAX } else { ((1u64 << depth) - 1) as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_contain_every_pair_of_child_sizes(depth in 1u32..6, size in 1u32..40) {
            let limits = Limits { depth, size, min_samples_leaf: 1 }.normalised();
            let max_child = full_size(limits.depth - 1);
            for left in 0..=max_child {
                for right in 0..=max_child {
                    let allowed = left + right < limits.size;
                    let shared = limits.shares().iter().any(|&(l, r)| left <= l && right <= r);
                    prop_assert_eq!(allowed, shared);
                }
            }
        }

        #[test]
        fn normalising_twice_changes_nothing(depth in 0u32..70, size in 0u32..1000) {
            let limits = Limits { depth, size, min_samples_leaf: 1 }.normalised();
            prop_assert_eq!(limits, limits.normalised());
            prop_assert_eq!(limits.depth == 0, limits.size == 0);
        }
    }
}
