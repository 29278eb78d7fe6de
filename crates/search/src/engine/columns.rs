//! Open columns: rules as columns of bits, each the items of one child, and how evaluated columns
//! prune others.
//!
//! The first child of a column has the items that it holds, the second the others.
//!
//! *Similarity bound.* Let A and B be subsets of a node, and T a tree within limits for B. Applied
//! to A, T is within the same limits (rules that do not split A are left out), and costs at most
//! the price of the weight of A \ B more. So the best tree of B costs at least the best tree of A
//! minus that price. A and B are children of two columns: the weight that both hold gives the
//! weight of A \ B for all four pairs of children.
//!
//! The same holds for the node itself. With another column at the root of a tree, and the same
//! trees below, only the items that the two columns send to different children change their leaf.
//! They may be counted for the column or for its opposite, with the two trees exchanged. If the
//! size can be divided in several ways, this bound is not the sum of those of the children.
//!
//! The bound does not hold with a minimum leaf size: T may leave too few rows in a leaf of A. The
//! space then declares no similarity.

use crate::engine::inherited_bounds::ThresholdBounds;
use crate::engine::open_splits::{OpenSplits, RootSplits};
use crate::engine::root_range::RootRange;
use crate::engine::solution::{Bounds, CostedTree};
use crate::support::mutants::{Mutant, offset};
use crate::support::statistics::PruneCounts;
use exactree_model::{Cost, UNBOUNDED, Weight};
use std::sync::Arc;

/// The counts of a space for all columns of a node, which are read when a column is evaluated.
pub(crate) trait ColumnCounts: Send + Sync {
    /// Whether several threads evaluate the columns faster than one.
    fn pays_in_parallel(&self) -> bool {
        true
    }
}

impl ColumnCounts for () {}

/// The columns of a node; no other column is allowed as root.
pub(crate) struct OpenColumns<C = ()> {
    counts: Arc<C>,
    /// In the order in which they are evaluated if their lower bounds are equal.
    columns: Vec<OpenColumn>,
    /// Places of the columns not yet evaluated.
    open: Vec<u32>,
    similarity: Option<ColumnSimilarity>,
}

/// A column, and the lower bounds known for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenColumn {
    /// Its number in the space.
    pub number: u32,
    pub rule: ColumnRule,
    /// No tree with this root costs less.
    pub lower: Cost,
    /// Lower bounds on both children, for children of maximum size.
    pub children: [Cost; 2],
}

/// The rule that a column represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ColumnRule {
    pub feature: u32,
    pub rank: u32,
    /// Whether the column holds the right child.
    pub inverted: bool,
}

/// Data of a node for the similarity bound.
#[derive(Clone, Debug)]
pub(crate) struct ColumnSimilarity {
    /// The price of a unit of weight.
    pub price: Cost,
    /// The margin by which children are solved beyond their upper bounds, as a cost.
    pub margin: Cost,
    /// By number of a column, the weight that it holds.
    pub held: Vec<Weight>,
    /// The weight of the node.
    pub total: Weight,
}

/// A column to evaluate.
pub(crate) struct ColumnTrial<C = ()> {
    pub counts: Arc<C>,
    /// Its place in the order.
    pub place: usize,
    pub column: OpenColumn,
    /// Trees of this cost do not improve the incumbent.
    pub upper: Cost,
    /// Cost by which children are solved beyond their upper bounds.
    pub margin: Cost,
    /// Whether its bounds may prune other columns.
    pub similar: bool,
}

/// The result of evaluating a column.
pub(crate) struct ColumnResult {
    /// No tree with this root costs less.
    pub lower: Cost,
    /// Lower bounds on both children, for children of maximum size.
    pub children: [Cost; 2],
    /// The best tree with this root that costs less than the upper bound.
    pub tree: Option<CostedTree>,
    /// By number of a column, the weight that it and this column both hold; empty if this result
    /// prunes no other column.
    pub both: Vec<Weight>,
}

impl OpenColumn {
    /// No tree with this root costs less.
    fn lower(&self) -> Cost {
        self.lower.max(self.children[0].saturating_add(self.children[1]))
    }

    fn raise(&mut self, lower: Cost, children: [Cost; 2]) {
        self.lower = self.lower.max(lower);
        for (known, child) in self.children.iter_mut().zip(children) {
            *known = child.max(*known);
        }
    }

    /// The same rule as a root, with its bounds.
    fn root(&self) -> RootRange {
        let ColumnRule { feature, rank, inverted } = self.rule;
        let [left, right] = in_order(self.children, inverted);
        RootRange { lower: self.lower(), left, right, ..RootRange::new(feature, rank, rank) }
    }
}

/// The weight that two columns send to different children, after one is replaced by its opposite if
/// that is less. The columns hold the weights `mine` and `other`, and together `both`; the node has
/// the weight `total`.
pub(crate) fn different(both: Weight, mine: Weight, other: Weight, total: Weight) -> Weight {
    let different = mine + other - 2 * both;
    let least = different.min(total - different);
    least - offset(Mutant::ColumnSimilarity).min(least)
}

/// Converts the child that a column holds and the other child to left and right, or back.
pub(crate) fn in_order<T>([held, rest]: [T; 2], inverted: bool) -> [T; 2] {
    if inverted { [rest, held] } else { [held, rest] }
}

impl<C> OpenColumns<C> {
    pub(crate) fn new(
        counts: Arc<C>,
        columns: Vec<OpenColumn>,
        similarity: Option<ColumnSimilarity>,
    ) -> Self {
        let open = (0..columns.len() as u32).collect();
        OpenColumns { counts, columns, open, similarity }
    }

    /// The counts, unless another thread still has them.
    pub(crate) fn into_counts(self) -> Option<C> {
        Arc::into_inner(self.counts)
    }

    /// Raises the bounds of the columns that may lead below `upper` by those of one column, given
    /// the weight that each column and this one both hold.
    fn raise_similar(&mut self, by: OpenColumn, both: &[Weight], upper: Cost) {
        let Some(ColumnSimilarity { price, held, total, .. }) = &self.similarity else { return };
        let (lower, [first, second]) = (by.lower(), by.children);
        let mine = held[by.number as usize];
        let less = |cost: Cost, weight: Weight| cost.saturating_sub(weight.saturating_mul(*price));
        for column in self.columns.iter_mut().filter(|column| column.lower() < upper) {
            let (both, other) = (both[column.number as usize], held[column.number as usize]);
            // The weights that only this column holds, only the other one, and neither.
            let (only_mine, only_other) = (mine - both, other - both);
            let neither = total - both - only_mine - only_other;
            let different = different(both, mine, other, *total);
            let wrong = offset(Mutant::ColumnSimilarity);
            let children = [
                less(first + wrong, only_mine).max(less(second, neither)),
                less(first + wrong, both).max(less(second, only_other)),
            ];
            column.raise(less(lower, different), children);
        }
    }
}

impl<C: ColumnCounts> OpenSplits for OpenColumns<C> {
    type Trial = ColumnTrial<C>;
    type Result = ColumnResult;

    fn take(
        &mut self,
        upper: Cost,
        margin: bool,
        pruned: &mut PruneCounts,
    ) -> Option<ColumnTrial<C>> {
        let rank = |&place: &u32| (self.columns[place as usize].lower(), place);
        let (at, (lower, _)) = self.open.iter().map(rank).enumerate().min_by_key(|best| best.1)?;
        if lower >= upper {
            if self.similarity.is_some() {
                pruned.similarity_bound += self.open.len() as u64;
            }
            self.open.clear();
            return None;
        }
        let place = self.open.swap_remove(at) as usize;
        let similarity = self.similarity.as_ref().filter(|_| margin);
        Some(ColumnTrial {
            counts: self.counts.clone(),
            place,
            column: self.columns[place],
            upper,
            margin: similarity.map_or(0, |similarity| similarity.margin),
            similar: self.similarity.is_some(),
        })
    }

    fn put_back(&mut self, trial: ColumnTrial<C>) {
        self.open.push(trial.place as u32);
    }

    fn enter(&mut self, trial: ColumnTrial<C>, result: ColumnResult, bounds: &mut Bounds) {
        self.columns[trial.place].raise(result.lower, result.children);
        if !result.both.is_empty() {
            self.raise_similar(self.columns[trial.place], &result.both, bounds.upper);
        }
        if let Some((cost, tree)) = result.tree {
            bounds.improve(cost, tree);
        }
    }

    fn lower(&self) -> Cost {
        self.columns.iter().map(OpenColumn::lower).min().unwrap_or(UNBOUNDED)
    }

    fn lower_of(trial: &ColumnTrial<C>) -> Cost {
        trial.column.lower()
    }

    fn pays_in_parallel(&self) -> bool {
        self.counts.pays_in_parallel()
    }

    /// None: in general no child of a column contains a child of another one.
    fn into_threshold_bounds(self) -> Vec<ThresholdBounds> {
        Vec::new()
    }
}

impl<C: ColumnCounts> RootSplits for OpenColumns<C> {
    /// Nothing: the ranges returned carry all bounds at a column.
    type Evaluated = ();

    fn keep(&mut self, roots: &[RootRange], _evaluated: Option<&()>) {
        let mut roots = roots.to_vec();
        roots.sort_unstable_by_key(|range| (range.feature, range.first));
        let range_of = |ColumnRule { feature, rank, .. }: ColumnRule| {
            let after =
                roots.partition_point(|range| (range.feature, range.first) <= (feature, rank));
            let range = &roots[after.checked_sub(1)?];
            (range.feature == feature && rank <= range.last).then_some(range)
        };
        let mut kept = Vec::new();
        for mut column in self.columns.drain(..) {
            let Some(range) = range_of(column.rule) else { continue };
            column.raise(range.lower, in_order([range.left, range.right], column.rule.inverted));
            kept.push(column);
        }
        *self = OpenColumns::new(self.counts.clone(), kept, self.similarity.take());
    }

    fn close_all(
        &mut self,
        upper: Cost,
        _evaluated: Option<&mut ()>,
        _pruned: &mut PruneCounts,
    ) -> Vec<RootRange> {
        self.open.clear();
        let all = self.columns.iter().map(OpenColumn::root);
        all.filter(|root| root.lower < upper).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A node of ten items of weight one: columns 0 and 1 differ in one item, column 2 is nearly
    /// the opposite of column 0, column 3 is like none of them.
    fn four_columns() -> OpenColumns {
        let rule = |feature: u32| ColumnRule { feature, rank: 0, inverted: feature == 2 };
        let column =
            |number: u32| OpenColumn { number, rule: rule(number), lower: 2, children: [1, 0] };
        let similarity =
            ColumnSimilarity { price: 1, margin: 0, held: vec![5, 4, 4, 6], total: 10 };
        OpenColumns::new(Arc::default(), (0..4).map(column).collect(), Some(similarity))
    }

    /// The weight that each column and column 0 both hold.
    const BOTH: [Weight; 4] = [5, 4, 0, 3];

    fn evaluated(lower: Cost, children: [Cost; 2], both: Vec<Weight>) -> ColumnResult {
        ColumnResult { lower, children, tree: None, both }
    }

    #[test]
    fn a_column_exactly_as_similar_as_the_spare_cost_is_pruned() {
        let (mut open, mut bounds) = (four_columns(), Bounds::with_upper(10));
        let mut pruned = PruneCounts::default();
        let trial = open.take(10, false, &mut pruned).expect("open");
        assert_eq!((trial.column.number, OpenColumns::lower_of(&trial)), (0, 2));
        open.enter(trial, evaluated(11, [0, 0], BOTH.to_vec()), &mut bounds);
        // One item distinguishes columns 0 and 1, and columns 0 and 2 but for their names.
        assert_eq!(
            open.columns.iter().map(OpenColumn::lower).collect::<Vec<Cost>>(),
            [11, 10, 10, 6]
        );
        let trial = open.take(10, false, &mut pruned).expect("column 3");
        assert_eq!(trial.column.number, 3);
        assert!(open.take(10, false, &mut pruned).is_none());
        assert_eq!((pruned.similarity_bound, open.lower()), (2, 6));
    }

    #[test]
    fn a_bound_on_a_child_bounds_both_children_of_other_columns() {
        let (mut open, mut bounds) = (four_columns(), Bounds::with_upper(10));
        let trial = open.take(10, false, &mut PruneCounts::default()).expect("open");
        open.enter(trial, evaluated(3, [9, 7], BOTH.to_vec()), &mut bounds);
        // Column 2 holds no item of column 0: its second child contains the first of column 0.
        let children: Vec<[Cost; 2]> = open.columns.iter().map(|open| open.children).collect();
        assert_eq!(children, [[9, 7], [8, 7], [6, 9], [7, 6]]);
    }

    #[test]
    fn the_column_with_the_lowest_bound_comes_first_and_a_stopped_one_stays_open() {
        let (mut open, mut pruned) = (four_columns(), PruneCounts::default());
        open.columns[0].lower = 7;
        let trial = open.take(10, false, &mut pruned).expect("open");
        assert_eq!(trial.column.number, 1);
        open.put_back(trial);
        let numbers = |open: &mut OpenColumns| {
            let next = || open.take(10, false, &mut PruneCounts::default());
            std::iter::from_fn(next).map(|trial| trial.column.number).collect::<Vec<u32>>()
        };
        assert_eq!(numbers(&mut open), [1, 2, 3, 0]);
    }

    #[test]
    fn bounds_of_roots_are_those_of_their_left_and_right_children() {
        let mut open = four_columns();
        let root = |feature| RootRange { lower: 4, left: 1, ..RootRange::new(feature, 0, 0) };
        open.keep(&[root(1), RootRange { right: 3, ..root(2) }], None);
        let children: Vec<[Cost; 2]> = open.columns.iter().map(|open| open.children).collect();
        assert_eq!(children, [[1, 0], [3, 1]]);
        let closed = open.close_all(10, None, &mut PruneCounts::default());
        assert_eq!(closed, [root(1), RootRange { right: 3, ..root(2) }]);
        assert!(open.close_all(4, None, &mut PruneCounts::default()).is_empty());
    }
}
