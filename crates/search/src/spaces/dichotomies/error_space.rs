//! Start here: plain errors over a given list of dichotomies, as a space of `engine/search.rs`.
//!
//! Its columns are the dichotomies of a subset, packed (`subset.rs`). Subproblems with at most two
//! levels left are solved by counts (`depth_two.rs`). A problem may have quotas: a maximum number of
//! leaves of some classes (`leaf_quotas.rs`).

use super::leaf_quotas::{LeafQuotas, allows, divisions};
use super::prepared_table::DichotomyTable;
use super::request::{ProperOptions, ProperRequest};
use super::subset::{DichotomySubset, DichotomyTotals, SubsetDichotomies};
use crate::engine::column_children::ColumnSpace;
use crate::engine::columns::{
    ColumnResult, ColumnRule, ColumnSimilarity, ColumnTrial, OpenColumn, OpenColumns, in_order,
};
use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::space::{LeafCosts, Search, Space, Switches, TableCosts};
use crate::engine::subset::{SortedOrders, Subset};
use crate::kernels::stumps::StumpCounts;
use crate::spaces::error_bounds::{class_count, equivalent_points};
use crate::support::bits::Bits;
use exactree_model::{Cost, Errors, Limits, Tree, UNBOUNDED, Weight};
use std::borrow::Cow;
use std::sync::Arc;

/// The margin by which children are solved beyond their upper bounds, for a stronger similarity bound:
/// the weight of the subset divided by this.
const MARGIN_DIVISOR: Weight = 32;

/// A table over dichotomies whose misclassified weight is minimized.
#[derive(Clone, Copy)]
pub(super) struct DichotomySpace<'a> {
    pub prepared: &'a DichotomyTable,
    pub objective: Errors,
    pub options: &'a ProperOptions,
}

/// A search for fewest errors over dichotomies.
pub(super) type DichotomySearch<'s, 'a> = Search<'s, DichotomySpace<'a>>;

impl LeafCosts for DichotomySpace<'_> {
    type Totals = DichotomyTotals;

    /// A leaf predicts the heaviest class; if its quota is zero, there is no leaf.
    fn leaf(&self, subset: &DichotomySubset) -> CostedTree {
        let class = Errors::leaf_class(&subset.class_weights);
        let errors = Errors::leaf_errors(&subset.class_weights);
        let allowed = allows(&subset.quotas, class);
        (if allowed { self.objective.leaf(errors) } else { UNBOUNDED }, Tree::leaf(class))
    }

    fn leaf_price(&self) -> Cost {
        self.objective.leaf_price
    }

    fn lower_bounds(&self, subset: &DichotomySubset, limits: Limits) -> [Cost; 2] {
        let options = self.options;
        [
            equivalent_points(subset.unavoidable, options.equivalent_points),
            class_count(&subset.class_weights, limits, options.class_count),
        ]
        .map(|errors| errors * self.objective.error_price)
    }

    /// The members, followed by one word per quota, so that subsets with different quotas have
    /// different keys.
    fn key<'s>(&self, subset: &'s DichotomySubset) -> Cow<'s, Bits> {
        if subset.quotas.is_empty() {
            return subset.key();
        }
        let word =
            |&(class, maximum): &(u32, u32)| (u64::from(class) << 32) | (u64::from(maximum) + 1);
        let words = subset.members.words.iter().copied();
        Cow::Owned(Bits { words: words.chain(subset.quotas.iter().map(word)).collect() })
    }
}

impl TableCosts for DichotomySpace<'_> {
    type Table = DichotomyTable;

    fn table(&self) -> &DichotomyTable {
        self.prepared
    }

    fn leaf_of(&self, slots: &[u32]) -> CostedTree {
        let weights = self.prepared.class_weights(slots);
        (
            self.objective.leaf(Errors::leaf_errors(&weights)),
            Tree::leaf(Errors::leaf_class(&weights)),
        )
    }

    /// `None` with quotas: the similarity bound does not hold then, because a subset may cost more than
    /// its superset, whose leaves may predict another class.
    fn similarity_price(&self, subset: &DichotomySubset) -> Option<Cost> {
        subset.quotas.is_empty().then_some(self.objective.error_price)
    }

    fn rounding(&self, _leaves: u32) -> Cost {
        0
    }
}

impl Space for DichotomySpace<'_> {
    type Open = OpenColumns;
    type Workspace = StumpCounts;

    fn switches(&self) -> Switches {
        let options = self.options;
        Switches {
            interval_bound: false,
            similarity_bound: options.similarity_bound,
            upper_bound_margin: options.upper_bound_margin,
            feature_bounds: false,
            two_set_bound: false,
            cache: options.cache,
            cached_bounds: true,
            early_bound: false,
        }
    }

    fn prunes(
        search: &mut Search<'_, Self>,
        subset: &DichotomySubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        if search.control.is_some() && search.open_calls == 0 {
            // This search tries only some root rules. The relaxed search of the whole table would try
            // all of them; it is a search of its own, with tasks of its own.
            return false;
        }
        if !subset.quotas.is_empty() {
            return search.solved_without_quotas(subset, limits, bounds);
        }
        limits.min_samples_leaf > 1
            && search.space.options.relaxation
            && search.solved_without_minimum(subset, limits, bounds)
    }

    fn solve_terminal(
        search: &mut Search<'_, Self>,
        subset: &DichotomySubset,
        limits: Limits,
        mut bounds: Bounds,
        _inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds> {
        let counted = search.space.options.depth_two && subset.quotas.is_empty();
        if !counted || !limits.is_terminal() {
            return Err(bounds);
        }
        search.open_calls += 1;
        let lower = search.depth_two(subset, limits, &mut bounds);
        search.open_calls -= 1;
        bounds.lower = bounds.lower.max(lower);
        Ok(search.bound_only(subset, bounds))
    }

    /// The columns that leave enough rows in both children, those of minimum Gini impurity first.
    fn branching(
        search: &mut Search<'_, Self>,
        subset: &DichotomySubset,
        limits: Limits,
        bounds: &mut Bounds,
        _inherited: Option<&Arc<InheritedBounds>>,
    ) -> Option<OpenColumns> {
        let dichotomies = search.dichotomies(subset, limits);
        let column = |number: usize| OpenColumn {
            number: number as u32,
            rule: dichotomies.rule(number),
            lower: bounds.lower,
            children: [0; 2],
        };
        let columns = dichotomies.promising(search.space.prepared.n_classes, limits).map(column);
        let similar = search.switches.similarity_bound && limits.min_samples_leaf == 1;
        let price = similar.then(|| search.space.similarity_price(subset)).flatten();
        let similarity = price.map(|price| ColumnSimilarity {
            price,
            margin: dichotomies.weight.div_ceil(MARGIN_DIVISOR) * price,
            held: dichotomies.held.clone(),
            total: dichotomies.weight,
        });
        Some(OpenColumns::new(Arc::default(), columns.collect(), similarity))
    }

    fn try_split(
        search: &mut Search<'_, Self>,
        trial: &ColumnTrial,
        subset: &DichotomySubset,
        limits: Limits,
    ) -> ColumnResult {
        search.try_column(trial, subset, limits)
    }
}

impl ColumnSpace for DichotomySpace<'_> {
    fn children(&self, subset: &DichotomySubset, column: u32) -> [DichotomySubset; 2] {
        let dichotomies = subset.known_dichotomies();
        // The rank of a rule is the number of its dichotomy in the table.
        let ColumnRule { rank: dichotomy, inverted, .. } = dichotomies.rule(column as usize);
        in_order(self.split(subset, dichotomy, &dichotomies.ids), inverted)
    }

    fn divisions(&self, children: [DichotomySubset; 2]) -> Vec<[DichotomySubset; 2]> {
        let quotas = &children[0].quotas;
        if quotas.is_empty() {
            return vec![children];
        }
        let with = |[first, second]: [LeafQuotas; 2]| {
            [children[0].clone().with_quotas(first), children[1].clone().with_quotas(second)]
        };
        divisions(quotas).into_iter().map(with).collect()
    }

    fn held_by_both(&self, subset: &DichotomySubset, column: u32) -> Vec<Weight> {
        subset.known_dichotomies().held_by_both(self.prepared.n_classes, column as usize)
    }
}

impl<'a> DichotomySpace<'a> {
    pub(super) fn new(prepared: &'a DichotomyTable, request: &'a ProperRequest) -> Self {
        DichotomySpace { prepared, objective: request.objective, options: &request.options }
    }

    /// The left and the right child of a dichotomy; `candidates` are the dichotomies that may split
    /// them. Both have the quotas of the subset.
    pub(super) fn split(
        &self,
        subset: &DichotomySubset,
        dichotomy: u32,
        candidates: &Arc<Vec<u32>>,
    ) -> [DichotomySubset; 2] {
        let column = self.prepared.column(dichotomy);
        let pairs = || subset.members.words.iter().zip(column);
        let left = Bits { words: pairs().map(|(mine, left)| mine & left).collect() };
        let right = Bits { words: pairs().map(|(mine, left)| mine & !left).collect() };
        [left, right].map(|members| {
            let mut child = Subset::of(self.prepared, members, None, SortedOrders::default());
            child.totals.candidates = candidates.clone();
            child.totals.quotas = subset.quotas.clone();
            child
        })
    }
}

impl DichotomySearch<'_, '_> {
    /// The rules that a subset may have at its root within limits.
    pub(crate) fn dichotomies(
        &mut self,
        subset: &DichotomySubset,
        limits: Limits,
    ) -> Arc<SubsetDichotomies> {
        let with_rows = limits.min_samples_leaf > 1;
        let new = !subset.has_dichotomies(with_rows);
        let dichotomies = subset.dichotomies(self.space.prepared, self.instructions, with_rows);
        self.stats.pruned.equal_rules += if new { dichotomies.equal } else { 0 };
        dichotomies
    }
}
