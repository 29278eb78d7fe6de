//! The minimized quantity, size or depth, and limits that follow from it.

use exactree_model::Tree;

/// The quantity to minimize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeQuantity {
    Size,
    Depth,
}

impl TreeQuantity {
    /// Size or depth of a tree.
    pub fn of(self, tree: &Tree) -> u32 {
        match self {
            TreeQuantity::Size => tree.size(),
            TreeQuantity::Depth => tree.depth(),
        }
    }

    /// Maximum number of nodes of a tree of size (depth) s.
    pub fn max_nodes(self, s: u32) -> u32 {
        match self {
            TreeQuantity::Size => s,
            TreeQuantity::Depth => 1u32.checked_shl(s).map_or(u32::MAX, |leaves| leaves - 1),
        }
    }

    /// The maximal pairs of sizes (depths) of the two subtrees of a tree of size (depth) s.
    pub(super) fn shares(self, s: u32) -> Vec<(u32, u32)> {
        match self {
            TreeQuantity::Size => (0..s).map(|left| (left, s - 1 - left)).collect(),
            TreeQuantity::Depth => vec![(s - 1, s - 1)],
        }
    }
}
