//! All trees of a random problem, and whether they satisfy its constraints.

use crate::constraints::statement::TreeConstraints;
use exactree_model::{Limits, Table, Tree, Weight};
use num_bigint::BigInt;
use std::fmt::Debug;
use std::sync::Arc;

/// A random problem: a table, limits and constraints.
#[derive(Debug)]
pub(crate) struct Instance<L> {
    pub table: Table,
    pub limits: Limits,
    pub constraints: TreeConstraints,
    /// The grid of points by column of the problem, as ranks.
    pub points: Vec<Vec<u32>>,
    pub leaves: L,
}

/// A numerator and a positive denominator.
pub(crate) type Fraction = (BigInt, BigInt);

/// What the definition of a feasible tree needs of its leaves.
pub(crate) trait LeafDefinition: Debug {
    /// The class that a leaf with these items predicts.
    fn class(&self, constraints: &TreeConstraints, table: &Table, items: &[usize]) -> u32;

    /// The value that must be monotone, as numerator and positive denominator.
    fn value(&self, constraints: &TreeConstraints, table: &Table, items: &[usize]) -> Fraction;
}

/// A tree with the items of each leaf.
#[derive(Clone)]
pub(crate) enum Listed {
    Leaf(Vec<usize>),
    Node(usize, u32, Arc<Listed>, Arc<Listed>),
}

impl Listed {
    pub(crate) fn size(&self) -> u32 {
        match self {
            Listed::Leaf(_) => 0,
            Listed::Node(_, _, left, right) => 1 + left.size() + right.size(),
        }
    }

    /// The items of every leaf.
    pub(crate) fn leaves(&self) -> Vec<&[usize]> {
        match self {
            Listed::Leaf(items) => vec![items],
            Listed::Node(_, _, left, right) => [left.leaves(), right.leaves()].concat(),
        }
    }
}

/// The weights of the classes of some items.
pub(crate) fn class_weights(table: &Table, items: &[usize]) -> Vec<Weight> {
    let mut weights = vec![0; table.n_classes];
    for item in items.iter().map(|&item| table.items[item]) {
        weights[item.class as usize] += item.weight;
    }
    weights
}

/// The weights of the classes of some items that constraints compare.
pub(crate) fn unscaled_weights(table: &Table, items: &[usize]) -> Vec<Weight> {
    let mut weights = vec![0; table.n_classes];
    for item in items.iter().map(|&item| table.items[item]) {
        weights[item.class as usize] += item.unscaled;
    }
    weights
}

/// The share of the last class with smoothing.
pub(crate) fn share(constraints: &TreeConstraints, weights: &[Weight]) -> Fraction {
    let share = |class: usize| {
        let added = constraints.share_added.get(class).cloned().unwrap_or_default();
        BigInt::from(constraints.share_scale.clone()) * weights[class] + BigInt::from(added)
    };
    (share(weights.len() - 1), (0..weights.len()).map(share).sum())
}

impl<L: LeafDefinition> Instance<L> {
    pub(crate) fn all_items(&self) -> Vec<usize> {
        (0..self.table.items.len()).collect()
    }

    /// All trees for some items within limits, with ranks of the whole table.
    pub(crate) fn trees(&self, items: &[usize], limits: Limits) -> Vec<Listed> {
        let rows: u64 = items.iter().map(|&item| self.table.items[item].rows).sum();
        if rows < limits.min_samples_leaf {
            return Vec::new();
        }
        let mut found = vec![Listed::Leaf(items.to_vec())];
        if limits.depth == 0 || limits.size == 0 {
            return found;
        }
        for (at, feature) in self.table.features.iter().enumerate() {
            for rank in 0..feature.values.len() as u32 - 1 {
                let (left, right): (Vec<usize>, Vec<usize>) =
                    items.iter().partition(|&&item| feature.ranks[item] <= rank);
                if left.is_empty() || right.is_empty() {
                    continue;
                }
                let child = Limits { depth: limits.depth - 1, size: limits.size - 1, ..limits };
                let rights: Vec<Arc<Listed>> =
                    self.trees(&right, child).into_iter().map(Arc::new).collect();
                for left in self.trees(&left, child).into_iter().map(Arc::new) {
                    let of =
                        |right: &Arc<Listed>| Listed::Node(at, rank, left.clone(), right.clone());
                    found.extend(rights.iter().map(of).filter(|tree| tree.size() <= limits.size));
                }
            }
        }
        found
    }

    fn feature_of(&self, column: usize) -> u32 {
        self.constraints.features[self.table.features[column].index as usize]
    }

    /// The features that a tree uses, each once.
    pub(crate) fn used(&self, tree: &Listed) -> Vec<u32> {
        let Listed::Node(column, _, left, right) = tree else { return Vec::new() };
        let mut features = [self.used(left), self.used(right)].concat();
        features.push(self.feature_of(*column));
        features.sort_unstable();
        features.dedup();
        features
    }

    fn stands_below(&self, tree: &Listed, above: &[u32]) -> bool {
        let Listed::Node(column, _, left, right) = tree else { return true };
        let feature = self.feature_of(*column);
        let below = [above, &[feature]].concat();
        self.constraints.only_below[feature as usize].is_none_or(|other| above.contains(&other))
            && [left, right].iter().all(|child| self.stands_below(child, &below))
    }

    fn value_at(&self, tree: &Listed, point: &[u32]) -> Fraction {
        match tree {
            Listed::Leaf(items) => self.leaves.value(&self.constraints, &self.table, items),
            Listed::Node(column, rank, left, right) => {
                let at = point[self.table.features[*column].index as usize];
                self.value_at(if at <= *rank { left } else { right }, point)
            }
        }
    }

    fn is_monotone(&self, tree: &Listed) -> bool {
        let directed = self.constraints.directions.iter().enumerate().filter(|(_, d)| **d != 0);
        directed.into_iter().all(|(column, &direction)| {
            self.points.iter().all(|point| {
                let mut next = point.clone();
                next[column] += 1;
                if !self.points.contains(&next) {
                    return true;
                }
                let (a, b) = (self.value_at(tree, point), self.value_at(tree, &next));
                let (a, b) = (a.0 * b.1, b.0 * a.1);
                if direction > 0 { a <= b } else { a >= b }
            })
        })
    }

    /// The weight of a leaf for its minimum.
    fn leaf_weight(&self, items: &[usize]) -> Weight {
        items.iter().map(|&item| self.table.items[item].unscaled).sum()
    }

    /// Whether a tree satisfies all constraints.
    pub(crate) fn is_feasible(&self, tree: &Listed) -> bool {
        let constraints = &self.constraints;
        let (found, features) = (tree.leaves(), self.used(tree));
        let predicting = |class: u32| {
            let predicted = |items: &&[usize]| self.leaves.class(constraints, &self.table, items);
            found.iter().filter(|items| predicted(items) == class).count()
        };
        constraints.required.iter().all(|feature| features.contains(feature))
            && constraints.max_features.is_none_or(|most| features.len() <= most)
            && constraints.quotas.iter().all(|&(class, most)| predicting(class) <= most as usize)
            && found.iter().all(|items| self.leaf_weight(items) >= constraints.min_leaf_weight)
            && self.stands_below(tree, &[])
            && (!constraints.monotone() || self.is_monotone(tree))
    }

    /// A tree of the search as a listed tree.
    pub(crate) fn listed(&self, tree: &Tree, items: &[usize]) -> Listed {
        match tree {
            Tree::Leaf { .. } => Listed::Leaf(items.to_vec()),
            Tree::Node { feature, rank, left, right } => {
                let ranks = &self.table.features[*feature as usize].ranks;
                let (left_items, right_items): (Vec<usize>, Vec<usize>) =
                    items.iter().partition(|&&item| ranks[item] <= *rank);
                let left = Arc::new(self.listed(left, &left_items));
                let right = Arc::new(self.listed(right, &right_items));
                Listed::Node(*feature as usize, *rank, left, right)
            }
        }
    }
}
