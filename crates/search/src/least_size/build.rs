//! The tree of a size that was found to fit: the same search once more, with
//! every answer remembered, taking the first root that fits.

use super::SizeRequest;
use super::decide::{Decision, LargestSides, Stopped};
use super::ground::{Set, count, without};
use super::lists::Lists;
use exactree_model::{Errors, Tree, Weight};
use std::sync::Arc;

impl<const W: usize> Decision<'_, W> {
    /// A tree of at most `size` nodes; there must be one.
    pub fn build(
        &mut self,
        set: &Set<W>,
        size: u32,
        request: &SizeRequest,
    ) -> Result<Arc<Tree>, Stopped> {
        self.subtree(set, &Lists::whole(self.ground), size, request.depth, request.errors)
    }

    fn subtree(
        &mut self,
        set: &Set<W>,
        above: &Lists,
        size: u32,
        depth: u32,
        errors: Weight,
    ) -> Result<Arc<Tree>, Stopped> {
        let lists = above.of(set, count(set) as usize);
        let mut least = 0;
        // `root` is asked for the least size only: it need not find larger trees.
        while least < size && !self.fits(set, &lists, least, depth, errors)? {
            least += 1;
        }
        let mut sides = LargestSides::default();
        let root = match least {
            0 => None,
            size => self.root(set, &lists, size, depth, errors, &mut sides)?,
        };
        let Some((root, small, small_errors)) = root else { return Ok(self.leaf(set)) };
        let size = least;
        let small_set = without(set, &root.remainder);
        let small_tree = self.subtree(&small_set, &lists, small, depth - 1, small_errors)?;
        let rest = (size - 1 - small, errors - small_errors);
        let large_tree = self.subtree(&root.remainder, &lists, rest.0, depth - 1, rest.1)?;
        let order = lists.feature(root.feature);
        let last_left = if root.prefix { root.items } else { order.len() - root.items } - 1;
        let rank = self.ground.rank(root.feature, order[last_left].into());
        let (left, right) =
            if root.prefix { (small_tree, large_tree) } else { (large_tree, small_tree) };
        Ok(Tree::node(root.feature as u32, rank, left, right))
    }

    fn leaf(&self, set: &Set<W>) -> Arc<Tree> {
        let weights: Vec<Weight> = self.ground.class_weights(set);
        Tree::leaf(self.ground.labels[Errors::leaf_class(&weights) as usize])
    }
}
