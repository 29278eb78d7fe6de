//! Reads the tree of a box from the entries.
//!
//! The table does not store splits, which halves its memory. Finding a split again takes the time
//! of one entry, for every node of the tree.

use super::fill::Boxes;
use super::grid::Corners;
use exactree_model::Tree;
use std::sync::Arc;

impl Boxes<'_> {
    /// A smallest tree for a box with items; the table must be complete.
    pub fn tree(&self, corners: &Corners) -> Arc<Tree> {
        match self.split(corners) {
            None => Tree::leaf(self.at(corners.number).class().unwrap_or(0)),
            Some((feature, t)) => {
                let (left, right) = self.grid.split(corners, feature, t);
                // `t` values go left, the last of them has rank t − 1.
                Tree::node(feature as u32, t as u32 - 1, self.tree(&left), self.tree(&right))
            }
        }
    }

    /// The feature and the split of the root of a smallest tree; `None` for a leaf. Of several such
    /// splits, one whose larger subtree is smallest, to avoid deep trees.
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
