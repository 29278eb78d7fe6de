//! Beyond the paper: all shapes and all their features by one recursion over
//! parts, and all sets around a support set by limiting the nodes outside it.
//!
//! `all_shapes`. Theorem 4 asks findTH for one shape with features after another.
//! What makes the largest threshold best, that a part needs no more nodes than a
//! part around it, holds for "some shape of j nodes with features of S" as well as
//! for one shape: so ask that of the left side, with each number of nodes, and
//! then of the right side. A tree with fewer features than S is found, too; it
//! is a tree.
//!
//! `nodes_outside`. Let F be the features of a tree of at most s nodes, S inside
//! F. Every feature of S has a node, so at most s − |S| nodes have features outside
//! S. (For depth s the tree has at most 2^s − 1 nodes.) The recursion carries that
//! number: a tree with so few nodes outside S exists or no set around S has one,
//! and Algorithm 4 need not add features one by one. What Lemma 14 says of them
//! remains: if F is not S, it has a feature in the branching set. So none can be
//! outside if that is empty, and if only one can, it is from there.
//!
//! `smaller_side`. A node's two sides are alike: the threshold may as well be the
//! smallest for which the right side works. The side with fewer nodes is the
//! cheaper one to ask.
//!
//! `sets_memo`. What is asked of a part for the present S depends on the nodes, in
//! all and outside S. Where all nodes may be outside, S does not matter: such
//! answers serve all sets. They pay no heed to features tried before, which can
//! only find a tree that another branch would have found.
//!
//! `sets_class_leaves`. A tree without errors has a leaf for every class of the
//! part, and one leaf more than nodes.

use super::algorithms::Search;
use super::find_thresholds::last_that_works;
use super::minimal_support_sets::SupportSet;
use crate::bits::Bits;
use crate::climb::Answer;
use exactree_model::Tree;
use std::sync::Arc;

/// What a subtree may have: size (depth), and nodes outside S.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Share {
    s: u32,
    outside: u32,
}

/// All nodes may be outside S.
pub(super) const ANY: u32 = u32::MAX;

impl Search<'_> {
    /// A tree of size (depth) at most s whose features are S or around it; any
    /// tree, if one is found that is not.
    pub(super) fn best_around(&mut self, set: &SupportSet, s: u32) -> Answer {
        let mut set = set.clone();
        let mut outside = self.most_features(s) - set.len();
        if outside > 0 {
            let branching = self.branching_set(&set);
            if branching.count() == 0 {
                self.stats.empty_branching_sets += 1;
                outside = 0;
            } else if outside == 1 {
                let before = set.tried.count();
                let all = 0..self.examples.features as u32;
                let beyond = all.filter(|&f| !branching.contains(f) && !set.features.contains(f));
                beyond.for_each(|f| set.tried.insert(f));
                self.stats.small_branching_sets += u64::from(set.tried.count() > before);
            }
        }
        self.tree_within(&self.examples.everything(), &set, s, outside)
    }

    /// A tree for E of size (depth) at most s with at most so many nodes outside S.
    pub(super) fn tree_within(
        &mut self,
        e: &Bits,
        set: &SupportSet,
        s: u32,
        outside: u32,
    ) -> Answer {
        if let Some(class) = self.examples.uniform(e) {
            return Ok(Some(Tree::leaf(class)));
        }
        // Every leaf holds an item.
        let nodes = self.minimize.most_nodes(s).min(e.count() - 1);
        if nodes == 0 || self.too_few_leaves(e, nodes) {
            return Ok(None);
        }
        let outside = if outside >= nodes { ANY } else { outside };
        if let Some(answer) = self.remembered(e, s, outside) {
            return Ok(answer);
        }
        self.clock.check()?;
        self.stats.calls += 1;
        let found = self.node_within(e, set, s, outside)?;
        self.remember(e, s, outside, &found);
        Ok(found)
    }

    /// The same for an E of several classes.
    fn node_within(&mut self, e: &Bits, set: &SupportSet, s: u32, outside: u32) -> Answer {
        for f in 0..self.examples.features {
            let below = match set.features.contains(f as u32) {
                _ if outside == ANY => ANY,
                true => outside,
                false if outside == 0 || set.tried.contains(f as u32) => continue,
                false => outside - 1,
            };
            let domain = self.examples.domain(e, f);
            if domain.len() < 2 {
                continue;
            }
            for (left, right) in self.shares(s, below) {
                let divided = self.best_threshold(e, set, f, &domain, left, right)?;
                if divided.is_some() {
                    return Ok(divided);
                }
            }
        }
        Ok(None)
    }

    /// The ways to share what a node may have among its two subtrees.
    fn shares(&self, s: u32, outside: u32) -> Vec<(Share, Share)> {
        let mut found = Vec::new();
        for (left, right) in self.minimize.shares(s) {
            if outside == ANY {
                let share = |s| Share { s, outside: ANY };
                found.push((share(left), share(right)));
                continue;
            }
            // No side is given more than it can use while the other one lacks it.
            let most = |s| self.minimize.most_nodes(s).min(outside);
            let (most_left, most_right) = (most(left), most(right));
            let least = outside - most_right;
            for on_left in least.min(most_left)..=most_left {
                let on_right = (outside - on_left).min(most_right);
                let share = |s, outside| Share { s, outside };
                found.push((share(left, on_left), share(right, on_right)));
            }
        }
        found
    }

    /// The node with the threshold of f that is best for the two shares, if its
    /// sides have trees.
    fn best_threshold(
        &mut self,
        e: &Bits,
        set: &SupportSet,
        f: usize,
        domain: &[u32],
        left: Share,
        right: Share,
    ) -> Answer {
        let by_right = self.options.smaller_side && right < left;
        let (first, second) = if by_right { (right, left) } else { (left, right) };
        // The largest threshold that works, or the smallest.
        let mut thresholds = domain[..domain.len() - 1].to_vec();
        if by_right {
            thresholds.reverse();
        }
        let found = last_that_works(&thresholds, |t| {
            let near = self.side(e, f, t, by_right);
            self.tree_within(&near, set, first.s, first.outside)
        })?;
        let Some((t, near)) = found else { return Ok(None) };
        let far = self.side(e, f, t, !by_right);
        let far = self.tree_within(&far, set, second.s, second.outside)?;
        Ok(far.map(|far| {
            let (left, right) = if by_right { (far, near) } else { (near, far) };
            Tree::node(f as u32, t, left, right)
        }))
    }

    fn side(&self, e: &Bits, f: usize, t: u32, on_right: bool) -> Bits {
        if on_right { self.examples.right(e, f, t) } else { self.examples.left(e, f, t) }
    }

    fn too_few_leaves(&mut self, e: &Bits, nodes: u32) -> bool {
        let too_few = self.options.sets_class_leaves
            && self.examples.classes_in(e).count() as u64 > u64::from(nodes) + 1;
        self.stats.class_leaves += u64::from(too_few);
        too_few
    }

    fn remembered(&mut self, e: &Bits, s: u32, outside: u32) -> Option<Option<Arc<Tree>>> {
        if !self.options.sets_memo {
            return None;
        }
        self.stats.memo_lookups += 1;
        // What no tree serves, no tree with few nodes outside S serves.
        let answer = match (outside, self.memo.answer(e, &ANY, s, false)) {
            (ANY, answer) => answer,
            (_, Some(None)) => Some(None),
            _ => self.memo.answer(e, &outside, s, false),
        };
        self.stats.memo_hits += u64::from(answer.is_some());
        answer
    }

    fn remember(&mut self, e: &Bits, s: u32, outside: u32, found: &Option<Arc<Tree>>) {
        if !self.options.sets_memo {
            return;
        }
        match found {
            None => self.memo.no_tree(e, &outside, s),
            Some(tree) => self.memo.a_tree(e, &outside, self.minimize.of(tree), tree, false),
        }
    }
}
