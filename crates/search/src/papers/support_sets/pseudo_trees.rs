//! Shapes of trees with a feature for every node, and all of them (Lemma 5).

use crate::support::bits::Bits;
use std::ops::ControlFlow;
use std::rc::Rc;

/// T: a shape.
#[derive(Clone)]
pub enum PseudoTree {
    Leaf,
    Node(Rc<[PseudoTree; 2]>),
}

impl PseudoTree {
    /// Number of nodes.
    pub fn size(&self) -> usize {
        match self {
            PseudoTree::Leaf => 0,
            PseudoTree::Node(children) => 1 + children[0].size() + children[1].size(),
        }
    }

    /// Nodes on the longest path.
    pub fn depth(&self) -> u32 {
        match self {
            PseudoTree::Leaf => 0,
            PseudoTree::Node(children) => 1 + children[0].depth().max(children[1].depth()),
        }
    }
}

/// Visits every shape with a given number of nodes, at most `depth` of them on a path, until the
/// visitor breaks.
pub fn each_shape<B>(
    nodes: u32,
    depth: u32,
    show: &mut dyn FnMut(&PseudoTree) -> ControlFlow<B>,
) -> ControlFlow<B> {
    if nodes == 0 {
        return show(&PseudoTree::Leaf);
    }
    if depth == 0 {
        return ControlFlow::Continue(());
    }
    for left in 0..nodes {
        each_shape(left, depth - 1, &mut |c_l| {
            each_shape(nodes - 1 - left, depth - 1, &mut |c_r| {
                show(&PseudoTree::Node(Rc::new([c_l.clone(), c_r.clone()])))
            })
        })?;
    }
    ControlFlow::Continue(())
}

/// Visits every way to assign features of S to the nodes so that all of S is used, until the
/// visitor breaks.
pub fn each_assignment<B>(
    nodes: usize,
    s: &Bits,
    show: &mut dyn FnMut(&[u32]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let features: Vec<u32> = s.iter().collect();
    if features.len() > nodes || (features.is_empty() && nodes > 0) {
        return ControlFlow::Continue(());
    }
    let mut at = vec![0; nodes];
    loop {
        if (0..features.len()).all(|feature| at.contains(&feature)) {
            let alpha: Vec<u32> = at.iter().map(|&feature| features[feature]).collect();
            show(&alpha)?;
        }
        // The last node's feature changes first.
        let Some(next) = at.iter().rposition(|&feature| feature + 1 < features.len()) else {
            return ControlFlow::Continue(());
        };
        at[next] += 1;
        at[next + 1..].fill(0);
    }
}
