//! Reads the tree of a box from the entries.
//!
//! The entries do not store splits, which halves their memory. For each node of the tree, its split
//! is found again, in the time of filling one entry.

use super::fill::Boxes;
use super::grid::Corners;
use exactree_model::Tree;
use std::sync::Arc;

impl Boxes<'_> {
    /// A smallest tree for a box that holds items; all entries must be filled.
    pub(super) fn tree(&self, corners: &Corners) -> Arc<Tree> {
        match self.split(corners) {
            None => Tree::leaf(self.at(corners.number).class().unwrap_or(0)),
            Some((feature, t)) => {
                let (left, right) = self.grid.split(corners, feature, t);
                // The t smallest values go left; the largest of these has rank t − 1.
                Tree::node(feature as u32, t as u32 - 1, self.tree(&left), self.tree(&right))
            }
        }
    }

    /// The feature of the root of a smallest tree, and the number of values that go left; `None`
    /// for a leaf. Of several such splits, one whose larger subtree is smallest, to avoid deep
    /// trees.
    fn split(&self, corners: &Corners) -> Option<(usize, usize)> {
        let minimum = self.at(corners.number).size();
        let mut best: Option<(u32, usize, usize)> = None;
        for feature in 0..self.grid.values.len() {
            for t in corners.u[feature] + 1..corners.v[feature] {
                let (left, right) = self.grid.children(corners, feature, t);
                let (left, right) = (self.at(left).size(), self.at(right).size());
                if left + right + 1 == minimum {
                    let larger = left.max(right);
                    if best.is_none_or(|(best_larger, ..)| larger < best_larger) {
                        best = Some((larger, feature, t));
                    }
                }
            }
        }
        best.map(|(_, feature, t)| (feature, t))
    }
}
