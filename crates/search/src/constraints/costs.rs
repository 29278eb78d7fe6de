//! Costs of leaves under constraints: those of the search without constraints, for the leaves that
//! the constraints of a subset allow.

use crate::constraints::leaf_totals::{LeafTotals, Targets};
use crate::constraints::prepared_constraints::PreparedConstraints;
use crate::engine::solution::CostedTree;
use crate::engine::space::{LeafCosts, Space, SubsetOf, TableCosts, ThresholdSpace};
use crate::engine::subset::ThresholdTable;
use crate::engine::subset_state::{LeafValue, SubsetState};
use crate::support::bits::Bits;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Limits, UNBOUNDED, Weight};
use num_bigint::BigInt;
use std::borrow::Cow;
use std::ops::Range;

/// Costs of leaves on which constraints can be put: a space without constraints, which is the
/// relaxation.
pub(crate) trait ConstrainedCosts: ThresholdSpace + Space<Workspace: Default> {
    /// The class of the item of a slot, or the code of its target, and the weight that constraints
    /// compare.
    fn example(&self, slot: usize) -> (u32, Weight);

    /// The class that a leaf predicts if errors on all classes cost as much as these costs say.
    fn leaf_class(&self, class_weights: &[Weight]) -> u32;

    /// The costs of the stumps on a feature, prices included: entry i is that of the stump whose
    /// left child has the first i + 1 items in the order of the feature. Entries between equal
    /// values have no meaning.
    fn stump_costs(&self, subset: &SubsetOf<Self>, feature: usize) -> Vec<Cost>;

    /// The slots for conditions "predicts this class" (`cross_bound.rs`); none without such
    /// conditions.
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

    /// The totals of some items.
    pub(crate) fn totals(&self, slots: impl Iterator<Item = u32>) -> LeafTotals {
        let PreparedConstraints { statement, targets, n_codes, .. } = self.constraints;
        let mut totals = match (targets, statement.monotone()) {
            (None, _) => LeafTotals::Classes(vec![0; *n_codes]),
            (Some(_), false) => LeafTotals::Weight(0),
            (Some(Targets::Means(_)), true) => LeafTotals::Mean(0, BigInt::ZERO),
            (Some(Targets::Medians), true) => LeafTotals::Median(0, vec![0; *n_codes]),
        };
        slots.for_each(|slot| self.update(&mut totals, slot, true));
        totals
    }

    /// Adds an item to totals, or removes it.
    pub(crate) fn update(&self, totals: &mut LeafTotals, slot: u32, adds: bool) {
        let example = self.base.example(slot as usize);
        totals.update(example, || self.constraints.target(example.0), adds);
    }

    /// The value of a leaf that must be monotone.
    pub(crate) fn value(&self, totals: &LeafTotals) -> LeafValue {
        let statement = self.constraints.statement;
        match totals {
            LeafTotals::Classes(weights) if statement.in_shares => statement.share(weights),
            LeafTotals::Classes(weights) => LeafValue::whole(self.class_of(weights).into()),
            _ => totals.predicted_target(),
        }
    }

    /// The class that a leaf predicts; 0 in regression.
    pub(crate) fn class(&self, totals: &LeafTotals) -> u32 {
        match totals {
            LeafTotals::Classes(weights) => self.class_of(weights),
            _ => 0,
        }
    }

    fn class_of(&self, class_weights: &[Weight]) -> u32 {
        let found = self.constraints.statement.class_of_least_errors(class_weights);
        found.unwrap_or_else(|| self.base.leaf_class(class_weights))
    }

    /// The weight of a leaf, for its minimum.
    pub(crate) fn leaf_weight(&self, totals: &LeafTotals) -> Weight {
        match totals {
            LeafTotals::Classes(weights) => weights.iter().sum(),
            LeafTotals::Mean(weight, _)
            | LeafTotals::Median(weight, _)
            | LeafTotals::Weight(weight) => *weight,
        }
    }

    /// The greatest value of a leaf that predicts the earlier of two classes; `None` in regression.
    pub(crate) fn boundary(&self) -> Option<LeafValue> {
        let statement = self.constraints.statement;
        match self.constraints.targets {
            Some(_) => None,
            None if statement.in_shares => Some(statement.share_of_equal_errors()),
            None => Some(LeafValue::whole(0)),
        }
    }

    /// Whether a subset with these totals may be a leaf.
    pub(crate) fn allows_leaf(&self, state: &SubsetState, totals: &LeafTotals) -> bool {
        if !state.required.is_empty() {
            return false;
        }
        let no_more = |&(of, most): &(u32, u32)| most == 0 && of == self.class(totals);
        if self.leaf_weight(totals) < self.constraints.statement.min_leaf_weight
            || state.quotas.iter().any(no_more)
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
