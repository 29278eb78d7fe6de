//! The witness tree: refined and reverted in place.
//!
//! Every leaf has one item as its witness, of which only the ranks are stored. A refinement inserts
//! a new node above a subtree; one child of it is a new leaf, the other the subtree. Every spot
//! stores its subset and, for every feature, the minimum and maximum rank of the witnesses below
//! it, which determine the rules that keep all these witnesses in one child.

use super::prepared_table::WitnessTable;
use crate::support::sets::{Set, and, or, without};
use exactree_model::Tree;
use std::ops::Range;
use std::sync::Arc;

/// A leaf with its class, or a node with its rule and its children.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SpotKind {
    Leaf { class: u32 },
    Node { feature: usize, rank: u32, left: usize, right: usize },
}

/// A leaf or a node of the witness tree, and the items that reach it.
#[derive(Clone, Debug)]
pub(crate) struct Spot<const W: usize> {
    pub parent: Option<usize>,
    pub subset: Set<W>,
    pub kind: SpotKind,
}

/// A witness tree. Spots are numbered in the order of insertion: every refinement adds its node and
/// then its leaf.
pub(crate) struct WitnessTree<'a, const W: usize> {
    pub prepared: &'a WitnessTable<W>,
    pub root: usize,
    pub spots: Vec<Spot<W>>,
    /// By spot and feature, the minimum and maximum rank of a witness below.
    low: Vec<u32>,
    high: Vec<u32>,
    /// By feature, the minimum and maximum rank of the table.
    all_ranks: (Vec<u32>, Vec<u32>),
}

impl<'a, const W: usize> WitnessTree<'a, W> {
    /// A witness tree of one leaf.
    pub(crate) fn new(
        prepared: &'a WitnessTable<W>,
        subset: Set<W>,
        witness: u32,
        class: u32,
    ) -> Self {
        let ranks = prepared.ranks(witness).to_vec();
        let leaf = Spot { parent: None, subset, kind: SpotKind::Leaf { class } };
        let last = (0..prepared.features).map(|feature| prepared.rules(feature).len() as u32);
        let all_ranks = (vec![0; prepared.features], last.collect());
        WitnessTree {
            prepared,
            root: 0,
            spots: vec![leaf],
            low: ranks.clone(),
            high: ranks,
            all_ranks,
        }
    }

    /// Number of nodes.
    pub(crate) fn size(&self) -> u32 {
        (self.spots.len() / 2) as u32
    }

    /// Minimum ranks of the witnesses below a spot, by feature.
    #[inline]
    fn low(&self, at: usize) -> &[u32] {
        let features = self.prepared.features;
        &self.low[at * features..][..features]
    }

    /// Maximum ranks of the witnesses below a spot, by feature.
    #[inline]
    fn high(&self, at: usize) -> &[u32] {
        let features = self.prepared.features;
        &self.high[at * features..][..features]
    }

    /// Minimum and maximum ranks of the witnesses below a spot, by feature.
    #[inline]
    pub(crate) fn ends(&self, at: usize) -> (&[u32], &[u32]) {
        (self.low(at), self.high(at))
    }

    /// `ends` of the parent; above the root these are the ends of all ranks.
    #[inline]
    pub(crate) fn ends_above(&self, at: usize) -> (&[u32], &[u32]) {
        match self.spots[at].parent {
            Some(parent) => self.ends(parent),
            None => (&self.all_ranks.0, &self.all_ranks.1),
        }
    }

    /// The leaf of an item.
    pub(crate) fn leaf(&self, item: u32) -> usize {
        let mut at = self.root;
        while let SpotKind::Node { feature, rank, left, right } = self.spots[at].kind {
            at = if self.prepared.ranks(item)[feature] <= rank { left } else { right };
        }
        at
    }

    /// A spot and its ancestors, up to the root.
    pub(crate) fn upwards(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(at), |&at| self.spots[at].parent)
    }

    /// Number of nodes on the longest path down from a spot.
    pub(crate) fn nodes_below(&self, at: usize) -> u32 {
        match self.spots[at].kind {
            SpotKind::Leaf { .. } => 0,
            SpotKind::Node { left, right, .. } => {
                1 + self.nodes_below(left).max(self.nodes_below(right))
            }
        }
    }

    /// The items that the tree misclassifies.
    pub(crate) fn dirty(&self) -> Set<W> {
        self.spots.iter().fold([0; W], |dirty, spot| match spot.kind {
            SpotKind::Leaf { class } => {
                or(&dirty, &without(&spot.subset, &self.prepared.classes[class as usize]))
            }
            SpotKind::Node { .. } => dirty,
        })
    }

    /// The ranks of the rules of a feature that separate an item from all witnesses below a spot,
    /// and whether the item goes left.
    #[inline]
    pub(crate) fn legal(&self, at: usize, item: u32, feature: usize) -> (Range<u32>, bool) {
        let rank = self.prepared.ranks(item)[feature];
        let (low, high) = (self.low(at)[feature], self.high(at)[feature]);
        if rank < low { (rank..low, true) } else { (high..rank, false) }
    }

    /// Inserts a new node above a spot, with a new leaf as its other child. The rule and the
    /// subsets of the children are set by `split`. Returns the node.
    pub(crate) fn insert(&mut self, at: usize, witness: u32, class: u32) -> usize {
        let node = self.spots.len();
        let parent = self.spots[at].parent;
        let subset = self.spots[at].subset;
        self.replace(parent, at, node);
        let kind = SpotKind::Node { feature: 0, rank: 0, left: node + 1, right: at };
        self.spots.push(Spot { parent, subset, kind });
        self.spots.push(Spot {
            parent: Some(node),
            subset: [0; W],
            kind: SpotKind::Leaf { class },
        });
        self.spots[at].parent = Some(node);
        let features = self.prepared.features;
        self.low.extend_from_within(at * features..(at + 1) * features);
        self.high.extend_from_within(at * features..(at + 1) * features);
        self.low.extend_from_slice(self.prepared.ranks(witness));
        self.high.extend_from_slice(self.prepared.ranks(witness));
        self.add_witness(node, witness);
        node
    }

    /// Sets the rule of the node inserted above `at`; the new leaf is its left or its right child.
    pub(crate) fn split(&mut self, node: usize, at: usize, rule: (usize, u32), leaf_left: bool) {
        let (feature, rank) = rule;
        let (left, right) = if leaf_left { (node + 1, at) } else { (at, node + 1) };
        self.spots[node].kind = SpotKind::Node { feature, rank, left, right };
        self.route(node);
    }

    /// Removes the last node inserted, which is above `at`, and its leaf.
    pub(crate) fn remove(&mut self, node: usize, at: usize) {
        let Spot { parent, subset, .. } = self.spots[node];
        self.replace(parent, node, at);
        self.spots[at].parent = parent;
        self.spots[at].subset = subset;
        self.route(at);
        self.spots.truncate(node);
        let features = self.prepared.features;
        self.low.truncate(node * features);
        self.high.truncate(node * features);
        let mut above = parent;
        while let Some(spot) = above {
            self.join_witnesses(spot);
            above = self.spots[spot].parent;
        }
    }

    /// Replaces a child of a parent, or the root, by another spot.
    fn replace(&mut self, parent: Option<usize>, old: usize, new: usize) {
        match parent.map(|parent| &mut self.spots[parent].kind) {
            None => self.root = new,
            Some(SpotKind::Node { left, .. }) if *left == old => *left = new,
            Some(SpotKind::Node { right, .. }) => *right = new,
            Some(SpotKind::Leaf { .. }) => unreachable!("a parent is a node"),
        }
    }

    /// Recomputes the subsets below a spot.
    fn route(&mut self, at: usize) {
        if let SpotKind::Node { feature, rank, left, right } = self.spots[at].kind {
            let subset = self.spots[at].subset;
            let goes_left = &self.prepared.rules(feature)[rank as usize];
            self.spots[left].subset = and(&subset, goes_left);
            self.spots[right].subset = without(&subset, goes_left);
            self.route(left);
            self.route(right);
        }
    }

    /// Extends the ranks of a spot and its ancestors by a new witness.
    fn add_witness(&mut self, at: usize, witness: u32) {
        let features = self.prepared.features;
        let ranks = self.prepared.ranks(witness);
        let mut above = Some(at);
        while let Some(spot) = above {
            for (feature, &rank) in ranks.iter().enumerate() {
                let place = spot * features + feature;
                self.low[place] = self.low[place].min(rank);
                self.high[place] = self.high[place].max(rank);
            }
            above = self.spots[spot].parent;
        }
    }

    /// Recomputes the ranks of the witnesses of a node from its children.
    fn join_witnesses(&mut self, at: usize) {
        if let SpotKind::Node { left, right, .. } = self.spots[at].kind {
            let features = self.prepared.features;
            for feature in 0..features {
                let (l, r) = (left * features + feature, right * features + feature);
                self.low[at * features + feature] = self.low[l].min(self.low[r]);
                self.high[at * features + feature] = self.high[l].max(self.high[r]);
            }
        }
    }

    /// The tree with the rules of the table. Leaves predict the heaviest class of their subset,
    /// which is at least as good as the class of their witness.
    pub(crate) fn build(&self, at: usize) -> Arc<Tree> {
        self.build_with(at, &|subset, _| self.prepared.leaf_class(subset))
    }

    /// The tree with the rules of the table; `leaf` returns the class that a leaf predicts, given
    /// its subset and its class.
    pub(crate) fn build_with(&self, at: usize, leaf: &impl Fn(&Set<W>, u32) -> u32) -> Arc<Tree> {
        match self.spots[at].kind {
            SpotKind::Leaf { class } => Tree::leaf(leaf(&self.spots[at].subset, class)),
            SpotKind::Node { feature, rank, left, right } => {
                let origin = self.prepared.origin(feature, rank);
                let (left, right) = if origin.swapped { (right, left) } else { (left, right) };
                let (left, right) = (self.build_with(left, leaf), self.build_with(right, leaf));
                Tree::node(origin.feature, origin.rank, left, right)
            }
        }
    }
}
