//! Limits of the trees of a claim, and how the children of a root share them.

use crate::format::NO_LIMIT;

/// Limits on the depth and the number of inner nodes; `NO_LIMIT` for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    pub depth: u64,
    pub size: u64,
}

impl Limits {
    /// The tightest limits that allow the same trees.
    pub(crate) fn normalised(self) -> Limits {
        let size = self.size.min(full_size(self.depth));
        Limits { depth: self.depth.min(size), size }
    }

    /// The limits of a child of a root with at most `size` inner nodes.
    pub(crate) fn child(self, size: u64) -> Limits {
        Limits { depth: self.depth - 1, size }.normalised()
    }

    /// The most inner nodes that the two children of a root can have; the limits are normalised.
    pub(crate) fn shares(self) -> impl Iterator<Item = (u64, u64)> {
        let below = if self.size == NO_LIMIT { NO_LIMIT } else { self.size - 1 };
        let most = full_size(self.depth - 1).min(below);
        let least = below - most;
        // Both children can be complete, or the number of nodes has no limit.
        let free = least >= most || below == NO_LIMIT;
        let lefts = if free { most..=most } else { least..=most };
        lefts.map(move |left| (left, if free { most } else { below - left }))
    }
}

/// Inner nodes of a complete tree.
fn full_size(depth: u64) -> u64 {
    if depth >= 64 {
        NO_LIMIT
    } else {
        (1 << depth) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;

    #[test]
    fn every_division_of_the_size_is_within_a_share() {
        for (depth, size) in (1..5).flat_map(|depth| (1..20).map(move |size| (depth, size))) {
            let limits = Limits { depth, size }.normalised();
            let shares: Vec<(u64, u64)> = limits.shares().collect();
            let most = (1 << (limits.depth - 1)) - 1;
            for left in 0..=most.min(limits.size - 1) {
                for right in 0..=most.min(limits.size - 1 - left) {
                    assert!(shares.iter().any(|share| left <= share.0 && right <= share.1));
                }
            }
            assert!(shares.iter().all(|share| share.0.max(share.1) <= most));
        }
    }
}
