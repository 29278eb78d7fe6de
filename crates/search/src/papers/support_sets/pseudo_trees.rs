//! Enumerates the pseudo trees (Lemma 5): the shapes of trees, and the assignments of features to
//! their nodes.

use crate::support::bits::Bits;
use std::ops::ControlFlow;
use std::rc::Rc;

/// T: the shape of a pseudo tree; its features are α. Mirror images are different shapes here.
#[derive(Clone)]
pub(super) enum PseudoTree {
    Leaf,
    Node(Rc<[PseudoTree; 2]>),
}

impl PseudoTree {
    /// Number of nodes.
    pub(super) fn size(&self) -> usize {
        match self {
            PseudoTree::Leaf => 0,
            PseudoTree::Node(children) => 1 + children[0].size() + children[1].size(),
        }
    }

    /// Number of nodes on the longest path.
    pub(super) fn depth(&self) -> u32 {
        match self {
            PseudoTree::Leaf => 0,
            PseudoTree::Node(children) => 1 + children[0].depth().max(children[1].depth()),
        }
    }
}

/// Visits every shape with a given number of nodes, at most `depth` of them on a path, until the
/// visitor breaks.
pub(super) fn each_shape<B>(
    nodes: u32,
    depth: u32,
    visit: &mut dyn FnMut(&PseudoTree) -> ControlFlow<B>,
) -> ControlFlow<B> {
    if nodes == 0 {
        return visit(&PseudoTree::Leaf);
    }
    if depth == 0 {
        return ControlFlow::Continue(());
    }
    for left in 0..nodes {
        each_shape(left, depth - 1, &mut |c_l| {
            each_shape(nodes - 1 - left, depth - 1, &mut |c_r| {
                visit(&PseudoTree::Node(Rc::new([c_l.clone(), c_r.clone()])))
            })
        })?;
    }
    ControlFlow::Continue(())
}

/// Visits every way to assign features of S to the nodes so that all of S is used, until the
/// visitor breaks.
pub(super) fn each_assignment<B>(
    nodes: usize,
    s: &Bits,
    visit: &mut dyn FnMut(&[u32]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let features: Vec<u32> = s.iter().collect();
    if features.len() > nodes || (features.is_empty() && nodes > 0) {
        return ControlFlow::Continue(());
    }
    let mut at = vec![0; nodes];
    loop {
        if (0..features.len()).all(|feature| at.contains(&feature)) {
            let alpha: Vec<u32> = at.iter().map(|&feature| features[feature]).collect();
            visit(&alpha)?;
        }
        // The feature of the last node changes first.
        let Some(next) = at.iter().rposition(|&feature| feature + 1 < features.len()) else {
            return ControlFlow::Continue(());
        };
        at[next] += 1;
        at[next + 1..].fill(0);
    }
}
