//! Finds thresholds for a shape with features (Lemma 6: Algorithms 1 and 2), and with them a best
//! tree that uses exactly the features S (Theorem 4).
//!
//! If a threshold admits a left subtree, so does every smaller threshold, and a larger threshold is
//! better for the right child. So the largest threshold that admits a left subtree is best; binary
//! search finds it by solving the left subtree.
//!
//! The paper returns thresholds. Here the tree is built directly, without superfluous nodes: those
//! with an empty child, and those in a subset of one class.

use super::minimal_support_sets::SupportSet;
use super::pseudo_trees::{PseudoTree, each_assignment, each_shape};
use super::quantity::TreeQuantity;
use super::search::SupportSetSearch;
use crate::support::bits::Bits;
use crate::support::clock::Stopped;
use crate::support::size_loop::DecisionResult;
use exactree_model::Tree;
use std::ops::ControlFlow;
use std::sync::Arc;

impl SupportSetSearch<'_> {
    /// A best tree of size (depth) at most s that uses exactly S (Theorem 4).
    pub(super) fn best_with(&mut self, set: &SupportSet, s: u32) -> DecisionResult {
        if self.options.shapes_together {
            return self.tree_within(&self.examples.everything(), set, s, 0);
        }
        // Smaller (shallower) shapes come first, so the first tree is best.
        let found = match self.minimize {
            TreeQuantity::Size => {
                (set.len()..=s).try_for_each(|nodes| self.try_shapes(set, nodes, None))
            }
            TreeQuantity::Depth => (0..=s).try_for_each(|depth| {
                let maximum = self.max_features(depth);
                (set.len().max(depth)..=maximum)
                    .try_for_each(|nodes| self.try_shapes(set, nodes, Some(depth)))
            }),
        };
        match found {
            ControlFlow::Break(solution) => solution.map(Some),
            ControlFlow::Continue(()) => Ok(None),
        }
    }

    /// Tries the shapes of a size, and of a depth if given, with all assignments of the features S.
    fn try_shapes(
        &mut self,
        set: &SupportSet,
        nodes: u32,
        depth: Option<u32>,
    ) -> ControlFlow<Result<Arc<Tree>, Stopped>> {
        let everything = self.examples.everything();
        each_shape(nodes, depth.unwrap_or(nodes), &mut |t| {
            if depth.is_some_and(|depth| t.depth() != depth) {
                return ControlFlow::Continue(());
            }
            each_assignment(nodes as usize, &set.features, &mut |alpha| {
                self.stats.pairs += 1;
                match self.find_th(&everything, t, alpha) {
                    Ok(None) => ControlFlow::Continue(()),
                    Ok(Some(tree)) => ControlFlow::Break(Ok(tree)),
                    Err(Stopped) => ControlFlow::Break(Err(Stopped)),
                }
            })
        })
    }

    /// Algorithm 1: a tree of shape T with features α that classifies E; `None` if there is none.
    fn find_th(&mut self, e: &Bits, t: &PseudoTree, alpha: &[u32]) -> DecisionResult {
        self.clock.check()?;
        self.stats.find_th += 1;
        if let Some(class) = self.examples.uniform(e) {
            return Ok(Some(Tree::leaf(class)));
        }
        let PseudoTree::Node(children) = t else { return Ok(None) };
        let [c_l, c_r] = &**children;
        // The features of the nodes are in preorder.
        let (f, alpha_l, alpha_r) = (alpha[0], &alpha[1..=c_l.size()], &alpha[c_l.size() + 1..]);
        let Some((t, left)) = self.binary_search(e, c_l, alpha_l, f as usize)? else {
            // Below the smallest value: everything goes right.
            return self.find_th(e, c_r, alpha_r);
        };
        let on_right = self.examples.right(e, f as usize, t);
        if on_right.count() == 0 {
            return Ok(Some(left));
        }
        let right = self.find_th(&on_right, c_r, alpha_r)?;
        Ok(right.map(|right| Tree::node(f, t, left, right)))
    }

    /// Algorithm 2: the largest value t for which E[f ≤ t] has a left subtree, and that subtree.
    fn binary_search(
        &mut self,
        e: &Bits,
        c_l: &PseudoTree,
        alpha_l: &[u32],
        f: usize,
    ) -> Result<Option<(u32, Arc<Tree>)>, Stopped> {
        let domain = self.examples.domain(e, f);
        last_feasible(&domain, |t| self.find_th(&self.examples.left(e, f, t), c_l, alpha_l))
    }
}

/// The last of some thresholds for which a child has a tree, and that tree. If a threshold is
/// feasible, those before it must be feasible as well.
pub(super) fn last_feasible(
    thresholds: &[u32],
    mut tree_for: impl FnMut(u32) -> DecisionResult,
) -> Result<Option<(u32, Arc<Tree>)>, Stopped> {
    let mut best = None;
    // The first `low` thresholds are feasible, those from `high` on are not.
    let (mut low, mut high) = (0, thresholds.len());
    while low < high {
        let m = (low + high) / 2;
        match tree_for(thresholds[m])? {
            Some(tree) => {
                best = Some((thresholds[m], tree));
                low = m + 1;
            }
            None => high = m,
        }
    }
    Ok(best)
}
