//! A first tree that uses all required features, built without search.
//!
//! Nodes at the top split on the required features, and on the features that must be above these.
//! Each node passes as many of the remaining features as fit to the child with more rows, and the
//! others to the other child. A child that gets none is a leaf, or is split further if that lowers
//! the cost. A tree that violates other constraints is no incumbent.

use crate::constraints::costs::{ConstrainedCosts, ConstrainedSpace};
use crate::constraints::leaf_totals::LeafTotals;
use crate::constraints::stumps::StumpLeaves;
use crate::engine::rules::Rule;
use crate::engine::space::{SubsetOf, TableCosts};
use crate::engine::subset::SearchTable;
use exactree_model::{Cost, Limits, Tree, UNBOUNDED};
use std::sync::Arc;

/// Maximum depth of subtrees without required features.
const GROWN_LEVELS: u32 = 8;

/// How a first tree is built.
#[derive(Clone, Copy)]
pub(crate) enum FirstTree {
    /// Required features only, each by its cheapest split.
    Cheapest,
    /// Required features only, each by its most even split: children keep many different values.
    MostEven,
    /// As `Cheapest`; then every leaf is split while its cheapest split lowers the cost.
    Grown,
}

/// A subtree to build: the features that it must use, and those that nodes above use.
struct Task {
    needed: Vec<u32>,
    above: Vec<u32>,
    limits: Limits,
}

impl<B: ConstrainedCosts> ConstrainedSpace<'_, B> {
    /// A tree for all items that uses the required features; `None` if none was found or if
    /// `stopped`.
    pub(crate) fn first_tree(
        &self,
        whole: &SubsetOf<B>,
        limits: Limits,
        kind: FirstTree,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Arc<Tree>> {
        let task = Task { needed: self.needed(), above: Vec::new(), limits: limits.normalised() };
        self.built(whole, task, kind, stopped)
    }

    /// The required features, and all features that must be above them.
    fn needed(&self) -> Vec<u32> {
        let statement = self.constraints.statement;
        let mut needed = statement.required.clone();
        let mut at = 0;
        while let Some(&feature) = needed.get(at) {
            let above = statement.only_below[feature as usize];
            needed.extend(above.filter(|feature| !needed.contains(feature)));
            at += 1;
        }
        needed.sort_unstable();
        needed.dedup();
        needed
    }

    fn built(
        &self,
        subset: &SubsetOf<B>,
        task: Task,
        kind: FirstTree,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Arc<Tree>> {
        let (cost, leaf) = self.base.leaf(subset);
        if task.needed.is_empty() {
            let grown = matches!(kind, FirstTree::Grown).then(|| {
                let limits = Limits { depth: task.limits.depth.min(GROWN_LEVELS), ..task.limits };
                self.split_cheaper_than(subset, cost, Task { limits, ..task }, kind, stopped)
            });
            return Some(grown.flatten().unwrap_or(leaf));
        }
        self.split_cheaper_than(subset, UNBOUNDED, task, kind, stopped)
    }

    /// A tree whose root splits on a needed feature, or on any feature if none is needed; with two
    /// leaves, this root would cost less than `upper`.
    fn split_cheaper_than(
        &self,
        subset: &SubsetOf<B>,
        upper: Cost,
        Task { needed, mut above, limits }: Task,
        kind: FirstTree,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Arc<Tree>> {
        if limits.leaf_only() {
            return None;
        }
        let usable = |column: &usize| {
            let feature = self.constraints.features[*column];
            (needed.is_empty() || needed.contains(&feature))
                && self.constraints.stands_below(feature, &above)
        };
        let whole = self.totals(subset.members.iter());
        let mut best = (upper, None);
        for column in (0..subset.sorted.features()).filter(usable) {
            if stopped() {
                return None;
            }
            self.take_better_split((subset, &whole), column, limits, kind, &mut best);
        }
        let rule: Rule = best.1?;
        let feature = self.constraints.features[rule.feature];
        above.push(feature);
        let mut rest: Vec<u32> = needed.into_iter().filter(|&other| other != feature).collect();
        let children = subset.split_into(self.table(), &rule, &mut Vec::new());
        let first = usize::from(children[0].rows < children[1].rows);
        let most = limits.child(limits.size - 1).size as usize;
        let others = rest.split_off(rest.len().min(most));
        let size = (limits.size - 1).checked_sub(others.len() as u32)?;
        let task = Task { needed: rest, above: above.clone(), limits: limits.child(size) };
        let larger = self.built(&children[first], task, kind, stopped)?;
        let size = limits.size - 1 - larger.size();
        let task = Task { needed: others, above, limits: limits.child(size) };
        let smaller = self.built(&children[1 - first], task, kind, stopped)?;
        let [left, right] = if first == 0 { [larger, smaller] } else { [smaller, larger] };
        Some(Tree::node(rule.feature as u32, rule.rank, left, right))
    }

    /// Replaces the best split by the best one on a column if that is better: cheaper, or more
    /// even. Both children are heavy enough; as leaves they satisfy the direction of the feature.
    fn take_better_split(
        &self,
        (subset, whole): (&SubsetOf<B>, &LeafTotals),
        column: usize,
        limits: Limits,
        kind: FirstTree,
        best: &mut (Cost, Option<Rule>),
    ) {
        let order = subset.sorted.order(column);
        let costs = match kind {
            FirstTree::MostEven => Vec::new(),
            FirstTree::Cheapest | FirstTree::Grown => self.base.stump_costs(subset, column),
        };
        let min_leaf_weight = self.constraints.statement.min_leaf_weight;
        let mut leaves = StumpLeaves::of(order);
        let (mut rows, mut weight) = (0, 0);
        for (at, pair) in order.windows(2).enumerate() {
            rows += self.table().rows(pair[0].slot as usize);
            weight += self.base.example(pair[0].slot as usize).1;
            let fewest = rows.min(subset.rows - rows);
            let key = costs.get(at).copied().unwrap_or(subset.rows - fewest);
            if pair[0].rank == pair[1].rank || key >= best.0 || fewest < limits.min_samples_leaf {
                continue;
            }
            let children = leaves.totals_at(self, whole, at + 1);
            let heavy = children.iter().all(|child| self.leaf_weight(child) >= min_leaf_weight);
            if heavy && self.in_order(column, children) {
                let (rank, items) = (pair[0].rank, at + 1);
                *best = (key, Some(Rule { feature: column, rank, items, rows, weight }));
            }
        }
    }
}
