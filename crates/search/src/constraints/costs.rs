//! Costs of leaves under constraints: the errors of a leaf that its subset allows.

use crate::constraints::prepared_constraints::PreparedConstraints;
use crate::engine::solution::CostedTree;
use crate::engine::space::{LeafCosts, TableCosts};
use crate::engine::subset_state::{LeafValue, SubsetState};
use crate::spaces::continuous::class_totals::{ClassTotals, ContinuousSubset};
use crate::spaces::continuous::error_space::ErrorSpace;
use crate::spaces::continuous::layout::Layout;
use crate::support::bits::Bits;
use exactree_model::{Cost, Errors, Limits, UNBOUNDED, Weight};
use std::borrow::Cow;

/// A table whose misclassified weight is minimized under constraints.
#[derive(Clone, Copy)]
pub(crate) struct ConstrainedSpace<'a> {
    pub errors: ErrorSpace<'a>,
    pub constraints: &'a PreparedConstraints<'a>,
}

impl ConstrainedSpace<'_> {
    /// The constraints of a subset.
    pub(crate) fn state<'s>(&self, subset: &'s ContinuousSubset) -> &'s SubsetState {
        subset.state.as_ref().expect("a subset under constraints has a state")
    }

    /// The value of a leaf that must be monotone.
    pub(crate) fn value(&self, class_weights: &[Weight]) -> LeafValue {
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
    pub(crate) fn boundary(&self) -> LeafValue {
        let factors = &self.constraints.stated.share_factors;
        match (self.constraints.stated.in_shares, factors.as_slice()) {
            // Equal costs: the weights of the classes in shares are as their factors.
            (true, [first, .., last]) => LeafValue { numerator: *last, denominator: first + last },
            _ => LeafValue { numerator: 0, denominator: 1 },
        }
    }

    /// Whether a subset of these weights may be a leaf.
    pub(crate) fn allows_leaf(&self, state: &SubsetState, class_weights: &[Weight]) -> bool {
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
    pub(crate) fn may_use(&self, state: &SubsetState, column: usize, limits: Limits) -> bool {
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
