//! Improvements on the paper: one recursion over subsets for all shapes and their features, and a
//! limit on nodes outside a support set for all its supersets. Their switches (`request.rs`):
//!
//! `shapes_together`. The algorithm of Theorem 4 calls findTH (`find_thresholds.rs`) for every
//! pseudo tree. The largest threshold is best because a subset needs no more nodes than its
//! supersets. This holds for "some shape of j nodes with features of S" as well as for one shape.
//! So at each node, for each division of the limits between the children: find the largest
//! threshold whose left child has a tree within its share, then decide whether the right child has
//! one. The result may use fewer features than S, which does no harm.
//!
//! `nodes_outside`. Let F be the features of a tree of at most s nodes, and S a subset of F. Every
//! feature of S has a node, so at most s − |S| nodes have features outside S. (For depth s the tree
//! has at most 2^s − 1 nodes.) The recursion limits the number of nodes outside S: it finds a tree
//! if any superset of S has one, and Algorithm 4 need not add features one by one. Lemma 14 still
//! holds: if F is not S, it has a feature in the branching set. So if the branching set is empty,
//! no node may be outside S, and if only one node may be, its feature is in the branching set.
//!
//! `smaller_child`. The two children are symmetric: the threshold may as well be the smallest
//! threshold that admits a right subtree. The child with fewer nodes is cheaper to solve.
//!
//! `cache`. The solution of a subset for the current S depends on the limits on nodes, in total and
//! outside S. If all nodes may be outside, S does not matter, and the solution holds for all sets.
//! Such a solution ignores that features tried before are excluded, so it may be a tree that
//! another branch would have found.
//!
//! `class_count`. A tree without errors has a leaf for every class of the subset, and one leaf more
//! than nodes.

use super::find_thresholds::last_feasible;
use super::minimal_support_sets::SupportSet;
use super::search::SupportSetSearch;
use crate::support::bits::Bits;
use crate::support::size_loop::DecisionResult;
use exactree_model::Tree;
use std::sync::Arc;

/// Limits of a subtree: size (depth), and nodes outside S.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NodeBudget {
    s: u32,
    outside: u32,
}

/// Value of `outside` if all nodes may be outside S.
pub(super) const ANY: u32 = u32::MAX;

impl SupportSetSearch<'_> {
    /// A tree of size (depth) at most s, if one exists that uses all features of S and none of
    /// `set.tried`; the features of the tree found may differ.
    pub(super) fn tree_around(&mut self, set: &SupportSet, s: u32) -> DecisionResult {
        let mut set = set.clone();
        let mut outside = self.max_features(s) - set.len();
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

    /// A tree for E of size (depth) at most s with at most `outside` nodes outside S.
    pub(super) fn tree_within(
        &mut self,
        e: &Bits,
        set: &SupportSet,
        s: u32,
        outside: u32,
    ) -> DecisionResult {
        if let Some(class) = self.examples.uniform(e) {
            return Ok(Some(Tree::leaf(class)));
        }
        // Every leaf has an item.
        let nodes = self.minimize.max_nodes(s).min(e.count() - 1);
        if nodes == 0 || self.too_few_leaves(e, nodes) {
            return Ok(None);
        }
        let outside = if outside >= nodes { ANY } else { outside };
        if let Some(solution) = self.cached(e, s, outside) {
            return Ok(solution);
        }
        self.clock.check()?;
        self.stats.calls += 1;
        let found = self.node_within(e, set, s, outside)?;
        self.store(e, s, outside, &found);
        Ok(found)
    }

    /// `tree_within` for an E of several classes.
    fn node_within(&mut self, e: &Bits, set: &SupportSet, s: u32, outside: u32) -> DecisionResult {
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
                let split = self.best_threshold(e, set, f, &domain, left, right)?;
                if split.is_some() {
                    return Ok(split);
                }
            }
        }
        Ok(None)
    }

    /// The ways to divide the limits of a node between its two subtrees.
    fn shares(&self, s: u32, outside: u32) -> Vec<(NodeBudget, NodeBudget)> {
        let mut found = Vec::new();
        for (left, right) in self.minimize.shares(s) {
            if outside == ANY {
                let share = |s| NodeBudget { s, outside: ANY };
                found.push((share(left), share(right)));
                continue;
            }
            // A child gets no more than it can use, and the other child gets the rest.
            let maximum = |s| self.minimize.max_nodes(s).min(outside);
            let (max_left, max_right) = (maximum(left), maximum(right));
            let minimum = outside - max_right;
            for on_left in minimum.min(max_left)..=max_left {
                let on_right = (outside - on_left).min(max_right);
                let share = |s, outside| NodeBudget { s, outside };
                found.push((share(left, on_left), share(right, on_right)));
            }
        }
        found
    }

    /// The node with the best threshold of f for these limits, if its children have trees.
    fn best_threshold(
        &mut self,
        e: &Bits,
        set: &SupportSet,
        f: usize,
        domain: &[u32],
        left: NodeBudget,
        right: NodeBudget,
    ) -> DecisionResult {
        let by_right = self.options.smaller_child && right < left;
        let (first, second) = if by_right { (right, left) } else { (left, right) };
        // The largest threshold that is feasible for the left child, or the smallest that is
        // feasible for the right child.
        let mut thresholds = domain[..domain.len() - 1].to_vec();
        if by_right {
            thresholds.reverse();
        }
        let found = last_feasible(&thresholds, |t| {
            let near = self.child(e, f, t, by_right);
            self.tree_within(&near, set, first.s, first.outside)
        })?;
        let Some((t, near)) = found else { return Ok(None) };
        let far = self.child(e, f, t, !by_right);
        let far = self.tree_within(&far, set, second.s, second.outside)?;
        Ok(far.map(|far| {
            let (left, right) = if by_right { (far, near) } else { (near, far) };
            Tree::node(f as u32, t, left, right)
        }))
    }

    fn child(&self, e: &Bits, f: usize, t: u32, on_right: bool) -> Bits {
        if on_right { self.examples.right(e, f, t) } else { self.examples.left(e, f, t) }
    }

    fn too_few_leaves(&mut self, e: &Bits, nodes: u32) -> bool {
        let too_few = self.options.class_count
            && self.examples.classes_in(e).count() as u64 > u64::from(nodes) + 1;
        self.stats.class_count += u64::from(too_few);
        too_few
    }

    fn cached(&mut self, e: &Bits, s: u32, outside: u32) -> Option<Option<Arc<Tree>>> {
        if !self.options.cache {
            return None;
        }
        self.stats.cache_lookups += 1;
        // If there is no tree at all, there is none with few nodes outside S.
        let solution = match (outside, self.cache.solution(e, &ANY, s, false)) {
            (ANY, solution) => solution,
            (_, Some(None)) => Some(None),
            _ => self.cache.solution(e, &outside, s, false),
        };
        self.stats.cache_hits += u64::from(solution.is_some());
        solution
    }

    fn store(&mut self, e: &Bits, s: u32, outside: u32, found: &Option<Arc<Tree>>) {
        if !self.options.cache {
            return;
        }
        match found {
            None => self.cache.record_infeasible(e, &outside, s),
            Some(tree) => self.cache.record_tree(e, &outside, self.minimize.of(tree), tree, false),
        }
    }
}
