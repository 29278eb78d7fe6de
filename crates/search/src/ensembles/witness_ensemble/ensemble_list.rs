//! The list of all ensembles that a search finds, each once.
//!
//! Two ensembles are the same if they have the same trees in any order; two trees are the same if
//! they have the same structure, and corresponding nodes have the same feature and the same items
//! on the left, and corresponding leaves the same class. The search may find an ensemble several
//! times, so all contents are stored.

use crate::ensembles::Ensemble;
use crate::papers::witness::tree::{SpotKind, WitnessTree};
use rustc_hash::FxHashSet;

/// The distinct ensembles found so far.
pub(super) struct EnsembleList<const W: usize> {
    contents: FxHashSet<Vec<u64>>,
    pub ensembles: Vec<Ensemble>,
    maximum: usize,
}

impl<const W: usize> EnsembleList<W> {
    pub(super) fn new(maximum: usize) -> Self {
        EnsembleList { contents: FxHashSet::default(), ensembles: Vec::new(), maximum }
    }

    /// Adds an ensemble; returns whether the list is full.
    pub(super) fn add(&mut self, trees: &[WitnessTree<'_, W>]) -> bool {
        let mut content: Vec<Vec<u64>> = trees.iter().map(content_of).collect();
        content.sort_unstable();
        if self.contents.insert(content.concat()) {
            let build = |tree: &WitnessTree<'_, W>| tree.build_with(tree.root, &|_, class| class);
            self.ensembles.push(trees.iter().map(build).collect());
        }
        self.ensembles.len() >= self.maximum
    }
}

/// The content of a tree, equal for trees that are the same: in preorder, a 0 and the class for a
/// leaf, the feature counted from 1 and the items on the left for a node.
fn content_of<const W: usize>(tree: &WitnessTree<'_, W>) -> Vec<u64> {
    let (mut content, mut next) = (Vec::new(), vec![tree.root]);
    while let Some(at) = next.pop() {
        match tree.spots[at].kind {
            SpotKind::Leaf { class } => content.extend([0, class.into()]),
            SpotKind::Node { feature, left, right, .. } => {
                content.push(feature as u64 + 1);
                content.extend(tree.spots[left].subset);
                next.extend([right, left]);
            }
        }
    }
    content
}
