//! Whole trees: whether they satisfy constraints, and how they are pruned until they do.

use crate::constraints::costs::{ConstrainedCosts, ConstrainedSpace};
use crate::constraints::feature_space::LeafRegion;
use crate::constraints::leaf_totals::LeafTotals;
use crate::engine::children::join;
use crate::engine::solution::CostedTree;
use crate::engine::space::TableCosts;
use crate::engine::subset::SearchTable;
use crate::engine::subset_state::{LeafCondition, LeafValue, SubsetState};
use exactree_model::{Cost, Tree, Weight};
use std::sync::Arc;

/// Checks of trees for sets of slots.
pub(crate) struct Feasibility<'s, 'a, B> {
    pub space: &'s ConstrainedSpace<'a, B>,
}

/// A leaf of a tree: its slots and their totals.
struct TreeLeaf {
    slots: Vec<u32>,
    totals: LeafTotals,
}

impl<B: ConstrainedCosts> Feasibility<'_, '_, B> {
    /// Whether a tree satisfies the constraints of a subset and is monotone there.
    pub(super) fn satisfies(&self, slots: &[u32], tree: &Tree, state: &SubsetState) -> bool {
        self.keeps(slots, tree, state) && self.is_monotone(slots, tree)
    }

    /// Whether a tree satisfies the constraints of a subset except monotonicity.
    fn keeps(&self, slots: &[u32], tree: &Tree, state: &SubsetState) -> bool {
        let min_leaf_weight = self.space.constraints.statement.min_leaf_weight;
        let mut leaves = Vec::new();
        self.leaves(slots, tree, &mut leaves);
        let class = |leaf: &TreeLeaf| self.space.class(&leaf.totals);
        let count = |of: u32| leaves.iter().filter(|leaf| class(leaf) == of).count();
        let weight = |leaf: &TreeLeaf| self.space.leaf_weight(&leaf.totals);
        let used = self.features_used(tree);
        state.required.iter().all(|feature| used.contains(feature))
            && state.quotas.iter().all(|&(class, most)| count(class) <= most as usize)
            && leaves.iter().all(|leaf| !leaf.slots.is_empty() && weight(leaf) >= min_leaf_weight)
            && self.stands_below(tree, &state.above)
            && state
                .conditions
                .iter()
                .all(|condition| condition.allows(&self.value_at(slots, tree, &condition.point)))
    }

    /// Whether a tree is monotone.
    pub(super) fn is_monotone(&self, slots: &[u32], tree: &Tree) -> bool {
        let Some(space) = &self.space.constraints.space else { return true };
        space.is_monotone(&self.regions(slots, tree))
    }

    /// Two conditions that a tree violates; every monotone tree satisfies one of them. `None` if it
    /// is monotone.
    pub(super) fn choice(&self, slots: &[u32], tree: &Tree) -> Option<[LeafCondition; 2]> {
        let space = self.space.constraints.space.as_ref()?;
        let regions = self.regions(slots, tree);
        space.choice(&regions, self.space.boundary(), |slots| self.value(slots))
    }

    /// The same for a tree whose leaves predict the classes that it names.
    pub(super) fn choice_of_classes(
        &self,
        slots: &[u32],
        tree: &Tree,
    ) -> Option<[LeafCondition; 2]> {
        let space = self.space.constraints.space.as_ref()?;
        let mut regions = self.regions(slots, tree);
        // Regions are listed from right to left.
        let classes = classes_of(tree);
        regions
            .iter_mut()
            .zip(classes.iter().rev())
            .for_each(|(leaf, &of)| leaf.value = LeafValue::whole(of));
        space.choice(&regions, Some(LeafValue::whole(0)), |_| LeafValue::whole(0))
    }

    /// The features that a tree uses, each once.
    pub(super) fn features_used(&self, tree: &Tree) -> Vec<u32> {
        let Tree::Node { feature, left, right, .. } = tree else { return Vec::new() };
        let mut used = self.features_used(left);
        used.extend(self.features_used(right));
        used.push(self.space.constraints.features[*feature as usize]);
        used.sort_unstable();
        used.dedup();
        used
    }

    /// The same tree with the middle one of all thresholds that split the subset of a node alike.
    pub(super) fn centred(&self, slots: &[u32], tree: &Arc<Tree>) -> Arc<Tree> {
        let Tree::Node { feature, rank, left, right } = &**tree else { return tree.clone() };
        let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
        let ranks = self.space.ranks(*feature);
        let low = left_slots.iter().map(|&slot| ranks[slot as usize]).max().unwrap_or(*rank);
        let high = right_slots.iter().map(|&slot| ranks[slot as usize]).min().unwrap_or(rank + 1);
        let rank = low.midpoint(high - 1);
        let (left, right) = (self.centred(&left_slots, left), self.centred(&right_slots, right));
        Tree::node(*feature, rank, left, right)
    }

    /// A tree made feasible by collapsing nodes, one after the other: each time the node that leads
    /// to the cheapest feasible tree, or to the cheapest tree if none is feasible. `None` if no
    /// tree is feasible in the end.
    pub(super) fn collapsed_until(
        &self,
        slots: &[u32],
        tree: &Arc<Tree>,
        feasible: &dyn Fn(&Tree) -> bool,
    ) -> Option<Arc<Tree>> {
        let mut tree = tree.clone();
        while !feasible(&tree) {
            let mut fewer = Vec::new();
            self.collapsed(slots, &tree, &mut |tree| fewer.push(tree));
            let (good, other): (Vec<_>, Vec<_>) =
                fewer.into_iter().partition(|tree| feasible(tree));
            let best = if good.is_empty() { other } else { good };
            tree = best.into_iter().min_by_key(|tree| self.cost(slots, tree))?;
        }
        Some(tree)
    }

    /// A tree without nodes that can be collapsed, or replaced by a child, at no cost.
    pub(super) fn reduced(
        &self,
        slots: &[u32],
        tree: &Arc<Tree>,
        total: &dyn Fn(&Tree) -> Cost,
        feasible: &dyn Fn(&Tree) -> bool,
    ) -> Arc<Tree> {
        let mut tree = tree.clone();
        loop {
            let cost = total(&tree);
            let mut smaller = Vec::new();
            self.with_less(slots, &tree, &mut |tree| smaller.push(tree));
            let better = smaller.into_iter().find(|tree| total(tree) <= cost && feasible(tree));
            match better {
                Some(better) => tree = better,
                None => return tree,
            }
        }
    }

    /// The cost of a tree for some slots, recounted.
    pub(super) fn cost(&self, slots: &[u32], tree: &Tree) -> Cost {
        match tree {
            Tree::Leaf { .. } => self.space.leaf_of(slots).0,
            Tree::Node { feature, rank, left, right } => {
                let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
                join(self.cost(&left_slots, left), self.cost(&right_slots, right))
            }
        }
    }

    /// The smallest leaf of a tree, in rows.
    pub(super) fn min_leaf_rows(&self, slots: &[u32], tree: &Tree) -> u64 {
        let mut leaves = Vec::new();
        self.leaves(slots, tree, &mut leaves);
        let rows = |leaf: &TreeLeaf| -> u64 {
            leaf.slots.iter().map(|&slot| self.space.table().rows(slot as usize)).sum()
        };
        leaves.iter().map(rows).min().unwrap_or(0)
    }

    /// The tree for these slots with leaves that predict their classes.
    pub(super) fn costed(&self, slots: &[u32], tree: &Tree) -> CostedTree {
        match tree {
            Tree::Leaf { .. } => self.space.leaf_of(slots),
            Tree::Node { feature, rank, left, right } => {
                let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
                let (left_cost, left) = self.costed(&left_slots, left);
                let (right_cost, right) = self.costed(&right_slots, right);
                (join(left_cost, right_cost), Tree::node(*feature, *rank, left, right))
            }
        }
    }

    /// Lists the trees with one node as a leaf.
    fn collapsed(&self, slots: &[u32], tree: &Arc<Tree>, found: &mut dyn FnMut(Arc<Tree>)) {
        let Tree::Node { feature, rank, left, right } = &**tree else { return };
        found(self.space.leaf_of(slots).1);
        let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
        let on_left = &mut |child| found(Tree::node(*feature, *rank, child, right.clone()));
        self.collapsed(&left_slots, left, on_left);
        let on_right = &mut |child| found(Tree::node(*feature, *rank, left.clone(), child));
        self.collapsed(&right_slots, right, on_right);
    }

    /// Lists the trees with one node as a leaf, or replaced by one of its children.
    fn with_less(&self, slots: &[u32], tree: &Arc<Tree>, found: &mut dyn FnMut(Arc<Tree>)) {
        let Tree::Node { feature, rank, left, right } = &**tree else { return };
        found(self.space.leaf_of(slots).1);
        found(self.refitted(slots, left));
        found(self.refitted(slots, right));
        let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
        let on_left = &mut |child| found(Tree::node(*feature, *rank, child, right.clone()));
        self.with_less(&left_slots, left, on_left);
        let on_right = &mut |child| found(Tree::node(*feature, *rank, left.clone(), child));
        self.with_less(&right_slots, right, on_right);
    }

    /// The tree for other slots, without splits that have an empty child.
    pub(super) fn refitted(&self, slots: &[u32], tree: &Arc<Tree>) -> Arc<Tree> {
        let Tree::Node { feature, rank, left, right } = &**tree else {
            return self.space.leaf_of(slots).1;
        };
        let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
        match (left_slots.is_empty(), right_slots.is_empty()) {
            (true, _) => self.refitted(slots, right),
            (_, true) => self.refitted(slots, left),
            _ => Tree::node(
                *feature,
                *rank,
                self.refitted(&left_slots, left),
                self.refitted(&right_slots, right),
            ),
        }
    }

    fn routed(&self, slots: &[u32], column: u32, rank: u32) -> (Vec<u32>, Vec<u32>) {
        let ranks = self.space.ranks(column);
        slots.iter().partition(|&&slot| ranks[slot as usize] <= rank)
    }

    fn totals(&self, slots: &[u32]) -> LeafTotals {
        self.space.totals(slots.iter().copied())
    }

    fn value(&self, slots: &[u32]) -> LeafValue {
        self.space.value(&self.totals(slots))
    }

    fn leaves(&self, slots: &[u32], tree: &Tree, found: &mut Vec<TreeLeaf>) {
        match tree {
            Tree::Leaf { .. } => {
                found.push(TreeLeaf { slots: slots.to_vec(), totals: self.totals(slots) });
            }
            Tree::Node { feature, rank, left, right } => {
                let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
                self.leaves(&left_slots, left, found);
                self.leaves(&right_slots, right, found);
            }
        }
    }

    /// The leaves of a tree with their regions.
    fn regions(&self, slots: &[u32], tree: &Tree) -> Vec<LeafRegion> {
        let space = self.space.constraints.space.as_ref().expect("only of monotone trees");
        let mut found = Vec::new();
        let mut open = vec![(slots.to_vec(), tree, space.everything())];
        while let Some((slots, tree, region)) = open.pop() {
            match tree {
                Tree::Leaf { .. } => {
                    let weight = |&slot: &u32| self.space.base.example(slot as usize).1;
                    let (value, weight) = (self.value(&slots), slots.iter().map(weight).sum());
                    found.push(LeafRegion { slots, value, weight, ..region });
                }
                Tree::Node { feature, rank, left, right } => {
                    let (left_slots, right_slots) = self.routed(&slots, *feature, *rank);
                    let [left_region, right_region] =
                        space.split(&region, *feature as usize, *rank);
                    open.push((left_slots, left, left_region));
                    open.push((right_slots, right, right_region));
                }
            }
        }
        found
    }

    fn stands_below(&self, tree: &Tree, above: &[u32]) -> bool {
        let Tree::Node { feature, left, right, .. } = tree else { return true };
        let feature = self.space.constraints.features[*feature as usize];
        let mut below = above.to_vec();
        below.push(feature);
        self.space.constraints.stands_below(feature, above)
            && self.stands_below(left, &below)
            && self.stands_below(right, &below)
    }

    /// The value of the leaf that a point reaches.
    fn value_at(&self, slots: &[u32], tree: &Tree, point: &[u32]) -> LeafValue {
        match tree {
            Tree::Leaf { .. } => self.value(slots),
            Tree::Node { feature, rank, left, right } => {
                let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
                match point[*feature as usize] <= *rank {
                    true => self.value_at(&left_slots, left, point),
                    false => self.value_at(&right_slots, right, point),
                }
            }
        }
    }
}

/// The classes of the leaves of a tree, from left to right.
fn classes_of(tree: &Tree) -> Vec<Weight> {
    match tree {
        Tree::Leaf { class } => vec![Weight::from(*class)],
        Tree::Node { left, right, .. } => [classes_of(left), classes_of(right)].concat(),
    }
}
