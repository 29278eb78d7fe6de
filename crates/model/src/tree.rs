//! A tree over merged rows: subtrees are shared, thresholds are ranks.

use std::sync::Arc;

/// A decision tree. A node sends an item left when its rank in `feature` is at
/// most `rank`; features are indices into `Table::features`.
#[derive(Debug, PartialEq, Eq)]
pub enum Tree {
    Leaf { class: u32 },
    Node { feature: u32, rank: u32, left: Arc<Tree>, right: Arc<Tree> },
}

impl Tree {
    pub fn leaf(class: u32) -> Arc<Tree> {
        Arc::new(Tree::Leaf { class })
    }

    pub fn node(feature: u32, rank: u32, left: Arc<Tree>, right: Arc<Tree>) -> Arc<Tree> {
        Arc::new(Tree::Node { feature, rank, left, right })
    }

    /// Number of inner nodes.
    pub fn size(&self) -> u32 {
        match self {
            Tree::Leaf { .. } => 0,
            Tree::Node { left, right, .. } => 1 + left.size() + right.size(),
        }
    }

    /// Nodes on the longest path.
    pub fn depth(&self) -> u32 {
        match self {
            Tree::Leaf { .. } => 0,
            Tree::Node { left, right, .. } => 1 + left.depth().max(right.depth()),
        }
    }

    /// Number of leaves that predict a class.
    pub fn leaves_of(&self, class: u32) -> u32 {
        match self {
            Tree::Leaf { class: predicted } => u32::from(*predicted == class),
            Tree::Node { left, right, .. } => left.leaves_of(class) + right.leaves_of(class),
        }
    }

    /// The tree with another number for each feature.
    pub fn with_features(self: &Arc<Tree>, number: &impl Fn(u32) -> u32) -> Arc<Tree> {
        let Tree::Node { feature, rank, left, right } = &**self else { return self.clone() };
        let (left, right) = (left.with_features(number), right.with_features(number));
        Tree::node(number(*feature), *rank, left, right)
    }

    /// The tree with another feature and rank for each node, given those that it has; `None` if there
    /// are none for a node.
    pub fn with_rules(
        self: &Arc<Tree>,
        rule: &impl Fn(u32, u32) -> Option<(u32, u32)>,
    ) -> Option<Arc<Tree>> {
        let Tree::Node { feature, rank, left, right } = &**self else { return Some(self.clone()) };
        let (left, right) = (left.with_rules(rule)?, right.with_rules(rule)?);
        rule(*feature, *rank).map(|(feature, rank)| Tree::node(feature, rank, left, right))
    }

    /// The class predicted for an item; `rank_of` returns its rank in a feature.
    pub fn predict(&self, rank_of: impl Fn(u32) -> u32) -> u32 {
        let mut tree = self;
        loop {
            match tree {
                Tree::Leaf { class } => return *class,
                Tree::Node { feature, rank, left, right } => {
                    tree = if rank_of(*feature) <= *rank { left } else { right };
                }
            }
        }
    }
}
