//! Costs of leaves under constraints: the costs of a search without constraints, of leaves that their
//! subset allows.

use crate::constraints::leaf_totals::LeafTotals;
use crate::constraints::prepared_constraints::PreparedConstraints;
use crate::engine::solution::CostedTree;
use crate::engine::space::{LeafCosts, Space, SubsetOf, TableCosts, ThresholdSpace};
use crate::engine::subset::ThresholdTable;
use crate::engine::subset_state::{LeafValue, SubsetState};
use crate::support::bits::Bits;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Limits, UNBOUNDED, Weight};
use std::borrow::Cow;
use std::ops::Range;

/// Costs of leaves on which constraints can be put: a space without constraints, which is the
/// relaxation.
pub(crate) trait ConstrainedCosts: ThresholdSpace + Space<Workspace: Default> {
    /// The class of the item of a slot, or the code of its target, and its weight.
    fn example(&self, slot: usize) -> (u32, Weight);

    /// The class that a leaf predicts.
    fn leaf_class(&self, class_weights: &[Weight]) -> u32;

    /// The costs of the stumps on a feature, prices included: entry i is that of the stump whose left
    /// child has the first i + 1 items in the order of the feature. Entries between equal values have
    /// no meaning.
    fn stump_costs(&self, subset: &SubsetOf<Self>, feature: usize) -> Vec<Cost>;

    /// The slots for conditions "predicts this class" (`cross_bound.rs`); none without such conditions.
    fn condition_slots(&self, _class: usize) -> Range<u32> {
        0..0
    }
}

/// A table whose costs are minimized under constraints.
pub(crate) struct ConstrainedSpace<'a, B> {
    pub base: B,
    pub constraints: &'a PreparedConstraints<'a>,
    pub options: ConstraintOptions,
}

impl<B: Copy> Clone for ConstrainedSpace<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: Copy> Copy for ConstrainedSpace<'_, B> {}

/// The accelerators of a search under constraints, beside those of its relaxation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstraintOptions {
    pub relaxation: bool,
    pub incumbent: bool,
    pub cross_bound: bool,
    pub monotone_stumps: bool,
    pub wide_lanes: bool,
}

impl<B: ConstrainedCosts> ConstrainedSpace<'_, B> {
    /// The constraints of a subset.
    pub(crate) fn state<'s>(&self, subset: &'s SubsetOf<B>) -> &'s SubsetState {
        subset.state.as_ref().expect("a subset under constraints has a state")
    }

    /// The greatest value of a leaf that predicts the earlier of two classes; `None` in regression.
    pub(crate) fn boundary(&self) -> Option<LeafValue> {
        let statement = self.constraints.statement;
        match (statement.in_shares, statement.share_factors.as_slice()) {
            _ if self.constraints.targets.is_some() => None,
            // Equal costs: the weights of the classes in shares are as their factors.
            (true, [first, .., last]) => {
                Some(LeafValue::Ratio { numerator: *last, denominator: first + last })
            }
            _ => Some(LeafValue::whole(0)),
        }
    }

    /// Whether a subset with these totals may be a leaf.
    pub(crate) fn allows_leaf(&self, state: &SubsetState, totals: &LeafTotals) -> bool {
        if !state.required.is_empty() {
            return false;
        }
        let class = self.class(totals);
        let within = |&(of, most): &(u32, u32)| of != class || most > 0;
        if self.leaf_weight(totals) < self.constraints.statement.min_leaf_weight
            || !state.quotas.iter().all(within)
        {
            return false;
        }
        state.conditions.is_empty() || {
            let value = self.value(totals);
            state.conditions.iter().all(|condition| condition.allows(&value))
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

    /// The ranks of a column, by slot.
    pub(crate) fn ranks(&self, column: u32) -> &[u32] {
        self.base.table().ranks(column as usize)
    }
}

impl<B: ConstrainedCosts> LeafCosts for ConstrainedSpace<'_, B> {
    type Totals = B::Totals;

    fn leaf(&self, subset: &SubsetOf<B>) -> CostedTree {
        let (cost, tree) = self.base.leaf(subset);
        let allowed = self.allows_leaf(self.state(subset), &self.totals(subset.members.iter()));
        (if allowed { cost } else { UNBOUNDED }, tree)
    }

    fn leaf_price(&self) -> Cost {
        self.base.leaf_price()
    }

    fn lower_bounds(&self, subset: &SubsetOf<B>, limits: Limits) -> [Cost; 2] {
        self.base.lower_bounds(subset, limits)
    }

    /// The items and the state; the items are as many words for every subset.
    fn key<'s>(&self, subset: &'s SubsetOf<B>) -> Cow<'s, Bits> {
        let mut words = subset.members.words.to_vec();
        self.state(subset).encode(&mut words);
        Cow::Owned(Bits { words: words.into_iter().collect() })
    }

    fn gap(&self, progress: &Progress) -> f64 {
        self.base.gap(progress)
    }
}

impl<B: ConstrainedCosts> TableCosts for ConstrainedSpace<'_, B> {
    type Table = B::Table;

    fn table(&self) -> &B::Table {
        self.base.table()
    }

    fn leaf_of(&self, slots: &[u32]) -> CostedTree {
        self.base.leaf_of(slots)
    }

    fn may_split_on(&self, subset: &SubsetOf<B>, column: usize, limits: Limits) -> bool {
        self.may_use(self.state(subset), column, limits)
    }

    fn similarity_price(&self, subset: &SubsetOf<B>) -> Option<Cost> {
        self.base.similarity_price(subset)
    }

    fn rounding(&self, leaves: u32) -> Cost {
        self.base.rounding(leaves)
    }
}
