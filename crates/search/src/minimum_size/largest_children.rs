//! Largest children: the largest prefix or suffix of a subset, in the order of a feature, that a
//! tree within a budget classifies.

use super::cache::Verdict;
use super::decision::SizeDecision;
use super::one_rule::extremes_of;
use super::prepared_table::SizeTable;
use super::subtree_limits::ChildBudget;
use crate::kernels::extremes::RankExtremes;
use crate::support::clock::Stopped;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, first_member, insert, without};
use exactree_model::{UNBOUNDED, Weight};

/// A subset in the order of a feature, from the smallest value or from the greatest. Its children
/// are numbered by steps: each step adds the next rank.
#[derive(Clone, Copy)]
pub(super) struct SubsetOrder {
    pub feature: usize,
    pub prefix: bool,
    low: u32,
    high: u32,
}

impl SubsetOrder {
    /// The number of children; the next step would be the whole subset.
    pub(super) fn steps(&self) -> u32 {
        self.high - self.low
    }

    /// The threshold of a rule that splits a child off.
    pub(super) fn threshold(&self, step: u32) -> u32 {
        if self.prefix { self.low + step } else { self.high - 1 - step }
    }

    /// The first step whose child holds items of a rank.
    fn step_of(&self, rank: u32) -> u32 {
        if self.prefix { rank - self.low } else { self.high - rank }
    }

    pub(super) fn child<const W: usize>(
        &self,
        prepared: &SizeTable<W>,
        set: &Set<W>,
        step: u32,
    ) -> Set<W> {
        if self.prefix {
            return and(set, &prepared.up_to(self.feature, self.low + step));
        }
        match self.high - step {
            0 => *set,
            rank => without(set, &prepared.up_to(self.feature, rank - 1)),
        }
    }

    /// The first step whose child holds any of these items of the subset.
    fn nearest<const W: usize>(&self, prepared: &SizeTable<W>, items: &Set<W>) -> Option<u32> {
        let first_rank = match self.prefix {
            true => prepared.min_rank(self.feature, items),
            false => prepared.max_rank(self.feature, items),
        };
        first_rank.map(|rank| self.step_of(rank))
    }

    /// The first step whose child holds all of these items of the subset.
    fn farthest<const W: usize>(&self, prepared: &SizeTable<W>, items: &Set<W>) -> Option<u32> {
        SubsetOrder { prefix: !self.prefix, ..*self }
            .nearest(prepared, items)
            .map(|step| self.steps() - step)
    }
}

/// The largest child of an order that a tree within a budget classifies.
#[derive(Clone, Copy)]
pub(super) struct LargestChild<const W: usize> {
    pub order: SubsetOrder,
    /// The number of steps whose children can be classified; 0 if none can.
    pub feasible: u32,
    /// The proof that the next child cannot be classified; `None` if the next step would be the
    /// whole subset.
    pub limit: Option<ChildLimit<W>>,
}

/// A child that cannot be classified, an infeasible core of it, and the errors that it needs.
#[derive(Clone, Copy)]
pub(super) struct ChildLimit<const W: usize> {
    pub child: Set<W>,
    /// `None` if no rule classifies it and no core is known.
    pub core: Option<Set<W>>,
    pub needs: Weight,
}

impl<const W: usize> LargestChild<W> {
    /// The fewest errors with which a larger child might be classified.
    pub(super) fn needs(&self) -> Weight {
        self.limit.as_ref().map_or(UNBOUNDED, |limit| limit.needs)
    }
}

impl<const W: usize> SizeDecision<'_, W> {
    /// The orders of all features, from both ends: two for each.
    pub(super) fn orders(&self, extremes: &[RankExtremes]) -> Vec<SubsetOrder> {
        let classes = 0..self.prepared.classes.len();
        let mut orders = Vec::with_capacity(2 * self.prepared.features);
        for feature in 0..self.prepared.features {
            let (mut low, mut high) = (i32::MAX, 0);
            for class in classes.clone() {
                let of_class = extremes_of(extremes, self.prepared, class, feature);
                low = low.min(of_class.0);
                high = high.max(of_class.1);
            }
            let (low, high) = (low as u32, high as u32);
            orders.extend([true, false].map(|prefix| SubsetOrder { feature, prefix, low, high }));
        }
        orders
    }

    /// The largest child of an order; the first `from` steps are known to be feasible.
    pub(super) fn largest_child(
        &mut self,
        set: &Set<W>,
        extremes: &[RankExtremes],
        order: SubsetOrder,
        budget: ChildBudget,
        from: u32,
    ) -> Result<LargestChild<W>, Stopped> {
        let pure = budget.errors == 0 && self.limits.get(budget.limits).leaves.is_empty();
        if pure && budget.size == 0 && self.options.pure_runs {
            return Ok(self.pure_run(set, extremes, order));
        }
        if self.is_one_rule(budget) && self.options.one_split_runs {
            return Ok(self.one_rule_run(set, order));
        }
        let (mut feasible, mut beyond) = (from, order.steps());
        let mut limit = None;
        while feasible < beyond {
            let middle = (feasible + beyond) / 2;
            let child = order.child(self.prepared, set, middle);
            match self.fits(&child, budget)? {
                Verdict::Feasible(wide) => {
                    let outside = without(set, &wide);
                    let reached = order.nearest(self.prepared, &outside).unwrap_or(beyond);
                    feasible = (reached + offset(Mutant::Wide) as u32).clamp(middle + 1, beyond);
                    self.stats.widened_subsets += u64::from(feasible > middle + 1);
                }
                Verdict::Infeasible(core, needs) => {
                    let reached = order.farthest(self.prepared, &core).unwrap_or(middle);
                    beyond = reached.clamp(feasible, middle);
                    self.stats.cores += u64::from(beyond < middle);
                    limit = Some((Some(core), needs));
                }
            }
        }
        Ok(self.child(set, order, feasible, limit))
    }

    /// The largest child of an order, given the number of feasible steps and, if the next step is
    /// infeasible, its core and errors.
    fn child(
        &self,
        set: &Set<W>,
        order: SubsetOrder,
        feasible: u32,
        infeasible: Option<(Option<Set<W>>, Weight)>,
    ) -> LargestChild<W> {
        let limit = infeasible.filter(|_| feasible < order.steps()).map(|(core, needs)| {
            ChildLimit { child: order.child(self.prepared, set, feasible), core, needs }
        });
        LargestChild { order, feasible, limit }
    }

    /// The largest child of one class: it ends before the first rank of another class.
    pub(super) fn pure_run(
        &mut self,
        set: &Set<W>,
        extremes: &[RankExtremes],
        order: SubsetOrder,
    ) -> LargestChild<W> {
        self.stats.pure_runs += 1;
        // The first two classes in the order, each with the first step whose child holds it.
        let mut nearest = [(u32::MAX, 0), (u32::MAX, 0)];
        for class in 0..self.prepared.classes.len() {
            let (low, high) = extremes_of(extremes, self.prepared, class, order.feature);
            if low <= high {
                let step = order.step_of(if order.prefix { low } else { high } as u32);
                nearest[1] = nearest[1].min((step, class));
                nearest.sort_unstable();
            }
        }
        let feasible = nearest[1].0.min(order.steps());
        let child = order.child(self.prepared, set, feasible);
        let mut core = [0; W];
        for (_, class) in nearest {
            let item = first_member(&and(&child, &self.prepared.classes[class]));
            item.into_iter().for_each(|item| insert(&mut core, item));
        }
        self.child(set, order, feasible, Some((Some(core), 1)))
    }

    /// The largest child that one rule classifies: it ends before the rank of the first item that
    /// no rule classifies together with those before it.
    fn one_rule_run(&mut self, set: &Set<W>, order: SubsetOrder) -> LargestChild<W> {
        self.stats.one_split_runs += 1;
        let mut items = std::mem::take(&mut self.workspace.items);
        self.prepared.in_order(order.feature, set, &mut items);
        let run = self.classified_in_order(&items, order.prefix);
        let mut child = LargestChild { order, feasible: order.steps(), limit: None };
        if run < items.len() {
            let place = if order.prefix { run } else { items.len() - 1 - run };
            let rank = self.prepared.rank(order.feature, items[place].into());
            let feasible = order.step_of(rank);
            if feasible < order.steps() {
                child = self.child(set, order, feasible, Some((None, 1)));
            }
        }
        self.workspace.items = items;
        child
    }
}
