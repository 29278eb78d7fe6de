//! Subproblems with at most three levels left, for rules as columns of bits: sums over pairs and
//! triples of columns give the savings of all trees.

use super::column_rules::ColumnsSearch;
use super::columns::MAX_LEVELS;
use super::subset_columns::ColumnsWorkspace;
use crate::costs::items::CostSubset;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::kernels::sums::{LeafSavings, save};
use exactree_model::{Cost, Limits, Tree};

/// A root column, and the numbers of nodes of its two subtrees: of the items whose bit is 0, and of
/// those whose bit is 1.
#[derive(Clone, Copy)]
struct ColumnRoot {
    column: usize,
    nodes: [u32; 2],
}

impl ColumnsSearch<'_, '_, '_> {
    /// The best tree of a subset with few levels left.
    pub(crate) fn solve_by_counts(
        &mut self,
        subset: &CostSubset,
        limits: Limits,
        mut bounds: Bounds,
    ) -> Solution {
        self.stats.depth_two_calls += 1;
        if let Some((optimum, root)) = self.best_root(subset, limits) {
            bounds.lower = optimum;
            if optimum < bounds.upper {
                self.take_tree(subset, limits, root, &mut bounds);
            }
        }
        self.bound_only(subset, bounds)
    }

    /// Takes the best tree with a root as incumbent, unless the search is stopped first.
    fn take_tree(
        &mut self,
        subset: &CostSubset,
        limits: Limits,
        root: Option<ColumnRoot>,
        bounds: &mut Bounds,
    ) {
        if let Some((cost, tree)) = self.tree_of(subset, limits, root) {
            bounds.improve(cost, tree);
        }
    }

    /// Cost of the best tree, and its root unless it is a leaf; `None` if the search is stopped.
    fn best_root(
        &mut self,
        subset: &CostSubset,
        limits: Limits,
    ) -> Option<(Cost, Option<ColumnRoot>)> {
        let (leaf, columns) = ((self.leaf_cost(subset), None), self.space.rules.0);
        let ColumnsWorkspace { counted, savings } = &mut self.workspace.columns;
        counted.load(columns, &self.space.prepared.items, subset, limits.depth > 2);
        let leaf_savings =
            LeafSavings { scale: columns.gain_scale, minimum: limits.min_samples_leaf as i64 };
        let (rows, level, clock) = (&counted.rows, self.instructions, &self.clock);
        let stopped = &|| clock.stopped();
        match limits.depth {
            0..=2 => save::<false>(level, rows, &leaf_savings, stopped, savings),
            _ => save::<true>(level, rows, &leaf_savings, stopped, savings),
        }
        if !savings.complete {
            return None;
        }
        let roots = 0..counted.columns.len();
        let best = roots.filter_map(|counted_column| self.best_at(subset, limits, counted_column));
        let best = best.min_by_key(|(cost, _)| *cost).filter(|(cost, _)| *cost < leaf.0);
        Some(best.map_or(leaf, |(cost, root)| (cost, Some(root))))
    }

    /// The cheapest tree with one of the counted columns as root.
    fn best_at(
        &self,
        subset: &CostSubset,
        limits: Limits,
        counted_column: usize,
    ) -> Option<(Cost, ColumnRoot)> {
        let ColumnsWorkspace { counted, savings } = &self.workspace.columns;
        let maximum = (1 << (limits.depth - 1)) - 1;
        let mut best: Option<(Cost, ColumnRoot)> = None;
        for without in 0..=maximum {
            for with in 0..=maximum.min((limits.size - 1).saturating_sub(without)) {
                let children = [(without, false), (with, true)];
                let children = children
                    .map(|(nodes, held)| savings.savings(nodes as usize, held, counted_column));
                if children[0] < 0 || children[1] < 0 || without >= limits.size {
                    continue;
                }
                let leaves = Cost::from(without + with + 2);
                let cost =
                    subset.square - (children[0] + children[1]) as Cost + leaves * self.space.price;
                if best.is_none_or(|(optimum, _)| cost < optimum) {
                    let column = counted.columns[counted_column];
                    best = Some((cost, ColumnRoot { column, nodes: [without, with] }));
                }
            }
        }
        best
    }

    /// The best tree with a root that was counted; `None` if the search is stopped.
    fn tree_of(
        &mut self,
        subset: &CostSubset,
        limits: Limits,
        root: Option<ColumnRoot>,
    ) -> Option<CostedTree> {
        let Some(root) = root else { return Some((self.leaf_cost(subset), Tree::leaf(0))) };
        let columns = self.space.rules.0;
        let (feature, rank) = columns.rules[root.column];
        let held_on_left = columns.on_left[root.column];
        let [left, right] = self.space.children_in_order(subset, root.column);
        let [without, with] = root.nodes;
        let nodes = if held_on_left { [with, without] } else { [without, with] };
        let [left, right] = [(left, nodes[0]), (right, nodes[1])].map(|(child, nodes)| {
            let limits = Limits { depth: limits.depth - 1, size: nodes, ..limits }.normalised();
            if limits.leaf_only() {
                return Some((self.leaf_cost(&child), Tree::leaf(0)));
            }
            let (_, root) = self.best_root(&child, limits)?;
            self.tree_of(&child, limits, root)
        });
        let (left, right) = (left?, right?);
        Some((left.0 + right.0, Tree::node(feature, rank, left.1, right.1)))
    }

    /// The column of the best stump.
    pub(crate) fn best_column(&mut self, subset: &CostSubset, limits: Limits) -> Option<usize> {
        self.best_root(subset, Limits { depth: 1, size: 1, ..limits })?.1.map(|root| root.column)
    }

    /// The column that splits a subset most evenly, of those that leave enough rows in both
    /// children.
    pub(crate) fn most_even_split(&mut self, subset: &CostSubset, limits: Limits) -> Option<usize> {
        // Counts the columns, which is all that is needed here.
        self.best_root(subset, Limits { depth: 1, size: 1, ..limits })?;
        let ColumnsWorkspace { counted, savings } = &self.workspace.columns;
        let held = |counted_column: usize| savings.own(counted_column).weight;
        let allowed = |counted_column: &usize| {
            held(*counted_column).min(subset.weight - held(*counted_column))
                >= limits.min_samples_leaf as i64
        };
        let uneven = |counted_column: &usize| (subset.weight - 2 * held(*counted_column)).abs();
        let counted_column = (0..counted.columns.len()).filter(allowed).min_by_key(uneven)?;
        Some(counted.columns[counted_column])
    }

    /// For a subproblem with too many levels for counts: takes the best shallow tree as incumbent
    /// and returns the columns in the order of the cost of the best shallow tree with this root; in
    /// any order if the search is stopped, which then leaves them all open.
    pub(crate) fn order_by_shallow_trees(
        &mut self,
        subset: &CostSubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> Vec<usize> {
        let mut few = Limits { depth: MAX_LEVELS, ..limits }.normalised();
        while !self.space.rules.0.are_counted(self.space.options, few) {
            few = Limits { depth: few.depth - 1, ..few }.normalised();
        }
        let Some((optimum, root)) = self.best_root(subset, few) else {
            return self.workspace.columns.counted.columns.clone();
        };
        let mut order: Vec<(Cost, usize)> = (0..self.workspace.columns.counted.columns.len())
            .filter_map(|counted_column| self.best_at(subset, few, counted_column))
            .map(|(cost, root)| (cost, root.column))
            .collect();
        order.sort_unstable();
        if optimum < bounds.upper {
            self.take_tree(subset, few, root, bounds);
        }
        order.into_iter().map(|(_, column)| column).collect()
    }
}
