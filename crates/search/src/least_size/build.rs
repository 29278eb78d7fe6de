//! The tree of a size that was found to fit: the same search once more, with
//! every answer remembered, taking the first root that fits.

use super::SizeRequest;
use super::decide::Decision;
use super::memo::{Question, Verdict};
use super::root::Roots;
use super::sides::Share;
use crate::limits::Stopped;
use crate::sets::Set;
use exactree_model::{Errors, Tree};
use std::sync::Arc;

impl<const W: usize> Decision<'_, W> {
    /// A tree of at most `size` nodes; there must be one.
    pub fn build(
        &mut self,
        set: &Set<W>,
        size: u32,
        request: &SizeRequest,
    ) -> Result<Arc<Tree>, Stopped> {
        let (terms, errors) = self.asked(request);
        self.subtree(set, Share { size, terms, errors })
    }

    fn subtree(&mut self, set: &Set<W>, share: Share) -> Result<Arc<Tree>, Stopped> {
        let mut least = 0;
        // `root` is asked for the least size only: it need not find larger trees.
        while least < share.size && self.refused(set, Share { size: least, ..share })? {
            least += 1;
        }
        let root = match least {
            0 => None,
            size => {
                let Share { terms, errors, .. } = share;
                let mut node = self.node(&Question { set: *set, terms, errors });
                match self.root(&mut node, size)? {
                    Roots::Found(root) => Some(root),
                    Roots::Refused(..) => None,
                }
            }
        };
        let Some(root) = root else {
            let weights = self.ground.class_weights(set);
            return Ok(Tree::leaf(self.ground.labels[Errors::leaf_class(&weights) as usize]));
        };
        let left = self.subtree(&root.left.0, root.left.1)?;
        let right = self.subtree(&root.right.0, root.right.1)?;
        Ok(Tree::node(root.feature as u32, root.rank, left, right))
    }

    fn refused(&mut self, set: &Set<W>, share: Share) -> Result<bool, Stopped> {
        Ok(matches!(self.fits(set, share)?, Verdict::Refused(..)))
    }
}
