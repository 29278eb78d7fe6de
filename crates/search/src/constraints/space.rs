//! Errors under constraints: a space of `engine/search.rs` that is bounded by its relaxation.
//!
//! *Relaxation.* A tree under constraints is a tree within the limits, so the minimum cost within the
//! limits alone is a lower bound. It also obeys the law of the engine (a leaf never costs less with more
//! items), which constrained costs do not: with fewer items a leaf may predict another class. So the
//! bounds of intervals are those of the relaxation, for all subsets, and a split is solved under
//! constraints only if its relaxation costs less than the upper bound (`children.rs`).
//!
//! If the optimal tree of the relaxation satisfies the constraints, it is optimal (`prunes`).
//!
//! With the switch `relaxation` off, every split is solved under constraints.

use crate::constraints::feasible::Feasibility;
use crate::constraints::statement::PreparedConstraints;
use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::intervals::{OpenIntervals, ThresholdResult, ThresholdTrial};
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::space::{LeafCosts, Search, Space, Switches, TableCosts};
use crate::engine::subset_state::{LeafValue, SubsetState};
use crate::spaces::continuous::class_totals::{ClassTotals, ContinuousSubset};
use crate::spaces::continuous::error_space::{ContinuousSearch, ErrorSpace};
use crate::spaces::continuous::layout::Layout;
use crate::support::bits::Bits;
use exactree_model::{Cost, Errors, Limits, Tree, UNBOUNDED, Weight};
use std::borrow::Cow;
use std::sync::Arc;

/// A table whose misclassified weight is minimized under constraints.
#[derive(Clone, Copy)]
pub(crate) struct ConstrainedSpace<'a> {
    pub errors: ErrorSpace<'a>,
    pub constraints: &'a PreparedConstraints<'a>,
}

/// A search under constraints.
pub(crate) type ConstrainedSearch<'s, 'a> = Search<'s, ConstrainedSpace<'a>>;

/// The relaxation, with a cache of its own.
pub(crate) struct Relaxation<'s, 'a> {
    pub plain: ContinuousSearch<'s, 'a>,
    /// With conditions as further items (`cross_bound.rs`); `None` if that bound is off.
    pub conditions: Option<ContinuousSearch<'s, 'a>>,
}

impl ConstrainedSpace<'_> {
    /// The constraints of a subset.
    pub fn state<'s>(&self, subset: &'s ContinuousSubset) -> &'s SubsetState {
        subset.state.as_ref().expect("a subset under constraints has a state")
    }

    /// The value of a leaf that must be monotone.
    pub fn value(&self, class_weights: &[Weight]) -> LeafValue {
        if !self.constraints.stated.in_shares {
            let class = Weight::from(Errors::leaf_class(class_weights));
            return LeafValue { numerator: class, denominator: 1 };
        }
        let stated = self.constraints.stated;
        let total: Weight = stated.shares(class_weights).sum();
        let second = stated.shares(class_weights).last().unwrap_or(0);
        LeafValue { numerator: second, denominator: total.max(1) }
    }

    /// The greatest value of a leaf that predicts the earlier of two classes.
    pub fn boundary(&self) -> LeafValue {
        let factors = &self.constraints.stated.share_factors;
        match (self.constraints.stated.in_shares, factors.as_slice()) {
            // Equal costs: the weights of the classes in shares are as their factors.
            (true, [first, .., last]) => LeafValue { numerator: *last, denominator: first + last },
            _ => LeafValue { numerator: 0, denominator: 1 },
        }
    }

    /// Whether a subset of these weights may be a leaf.
    pub fn allows_leaf(&self, state: &SubsetState, class_weights: &[Weight]) -> bool {
        if !state.required.is_empty() {
            return false;
        }
        let weight: Weight = self.constraints.stated.shares(class_weights).sum();
        let class = Errors::leaf_class(class_weights);
        let within = |&(of, most): &(u32, u32)| of != class || most > 0;
        if weight < self.constraints.stated.min_leaf_weight || !state.quotas.iter().all(within) {
            return false;
        }
        state.conditions.is_empty() || {
            let value = self.value(class_weights);
            state.conditions.iter().all(|condition| condition.allows(value))
        }
    }

    /// Whether a node of a subset may use a feature.
    pub fn may_use(&self, state: &SubsetState, column: usize, limits: Limits) -> bool {
        let feature = self.constraints.features[column];
        // If there are as many required features as nodes, every node uses one of them.
        let few_nodes = state.required.len() as u64 >= u64::from(limits.size);
        (!few_nodes || state.required.contains(&feature))
            && !(state.undirected_root && self.constraints.direction(column) != 0)
            && self.constraints.stands_below(feature, &state.above)
    }
}

impl LeafCosts for ConstrainedSpace<'_> {
    type Totals = ClassTotals;

    fn leaf(&self, subset: &ContinuousSubset) -> CostedTree {
        let (cost, tree) = self.errors.leaf(subset);
        let allowed = self.allows_leaf(self.state(subset), &subset.class_weights);
        (if allowed { cost } else { UNBOUNDED }, tree)
    }

    fn leaf_price(&self) -> Cost {
        self.errors.leaf_price()
    }

    fn lower_bounds(&self, subset: &ContinuousSubset, limits: Limits) -> [Cost; 2] {
        self.errors.lower_bounds(subset, limits)
    }

    /// The items and the state; the items are as many words for every subset.
    fn key<'s>(&self, subset: &'s ContinuousSubset) -> Cow<'s, Bits> {
        let mut words = subset.members.words.to_vec();
        self.state(subset).encode(&mut words);
        Cow::Owned(Bits { words: words.into_iter().collect() })
    }
}

impl TableCosts for ConstrainedSpace<'_> {
    type Table = Layout;

    fn table(&self) -> &Layout {
        self.errors.layout
    }

    fn leaf_of(&self, slots: &[u32]) -> CostedTree {
        self.errors.leaf_of(slots)
    }

    fn may_split_on(&self, subset: &ContinuousSubset, column: usize, limits: Limits) -> bool {
        self.may_use(self.state(subset), column, limits)
    }

    fn similarity_price(&self, subset: &ContinuousSubset) -> Option<Cost> {
        self.errors.similarity_price(subset)
    }

    fn rounding(&self, leaves: u32) -> Cost {
        self.errors.rounding(leaves)
    }
}

impl<'a> Space for ConstrainedSpace<'a> {
    type Open = OpenIntervals;
    type Workspace = Relaxation<'a, 'a>;

    /// Bounds on thresholds are those of the relaxation, which inherits them from itself.
    fn switches(&self) -> Switches {
        let switches = self.errors.switches();
        Switches { feature_bounds: false, early_bound: false, ..switches }
    }

    fn prunes(
        search: &mut Search<'_, Self>,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        if search.space.state(subset).required.len() as u64 > u64::from(limits.size) {
            bounds.lower = UNBOUNDED;
            return true;
        }
        if limits.depth <= 1 || !search.space.errors.options.relaxation {
            return false;
        }
        let conditions = search.class_conditions(subset);
        let (lower, tree) = search.with_conditions(subset, &conditions, limits, bounds.upper);
        bounds.lower = bounds.lower.max(lower);
        if bounds.lower >= bounds.upper {
            search.stats.pruned.relaxation += 1;
            return true;
        }
        let Some((cost, tree)) = tree else { return false };
        let feasible = search.space.feasible_tree(subset, &tree);
        if let Some(tree) = feasible {
            bounds.improve(cost, tree);
        }
        bounds.lower >= bounds.upper
    }

    fn solve_terminal(
        search: &mut Search<'_, Self>,
        subset: &ContinuousSubset,
        limits: Limits,
        mut bounds: Bounds,
        _inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds> {
        if limits.depth > 1 {
            return Err(bounds);
        }
        search.space.best_stump(subset, limits, &mut bounds);
        Ok(Solution { tree: bounds.incumbent, ..Solution::with_lower(bounds.upper) })
    }

    fn branching(
        search: &mut Search<'_, Self>,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: &mut Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Option<OpenIntervals> {
        Some(search.open_intervals(subset, limits, bounds, inherited))
    }

    fn try_split(
        search: &mut Search<'_, Self>,
        trial: &ThresholdTrial,
        subset: &ContinuousSubset,
        limits: Limits,
    ) -> ThresholdResult {
        search.constrained_split(trial, subset, limits)
    }
}

impl ConstrainedSpace<'_> {
    /// A tree of the relaxation with ranks that satisfy the constraints of a subset; `None` if it
    /// violates them.
    fn feasible_tree(&self, subset: &ContinuousSubset, tree: &Arc<Tree>) -> Option<Arc<Tree>> {
        let slots: Vec<u32> = subset.members.iter().collect();
        let check = Feasibility { space: self };
        let tree = check.centred(&slots, tree);
        check.satisfies(&slots, &tree, self.state(subset)).then_some(tree)
    }
}
