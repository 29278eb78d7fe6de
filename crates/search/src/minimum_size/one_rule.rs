//! Trees of one node: whether one rule classifies a subset, and how many items from an end of an
//! order one rule classifies. The loops are in `kernels`.

use super::cache::Verdict;
use super::decision::SizeDecision;
use super::prepared_table::SizeTable;
use super::subtree_limits::ChildBudget;
use crate::kernels::class_runs::{LANES, RunItems, classify};
use crate::kernels::extremes::{EMPTY, RankExtremes, widen};
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, contains, insert, members, or, without};
use exactree_model::Weight;

/// Minimum and maximum rank of a class in a feature, from the extremes of all classes. There ranks
/// are shifted down to fit a lane.
#[inline]
pub(super) fn extremes_of<const W: usize>(
    extremes: &[RankExtremes],
    prepared: &SizeTable<W>,
    class: usize,
    feature: usize,
) -> (i32, i32) {
    let group = &extremes[class * prepared.chunks + feature / LANES];
    let rank = |lane: i16| i32::from(lane) - i32::from(i16::MIN);
    (rank(group.low[feature % LANES]), rank(group.high[feature % LANES]))
}

impl<const W: usize> SizeDecision<'_, W> {
    /// The number of items of an order, from its start or (`prefix` is false) from its end, that
    /// one rule classifies.
    pub(super) fn classified_in_order(&mut self, order: &[u16], prefix: bool) -> usize {
        let prepared = self.prepared;
        let items =
            RunItems { lanes: &prepared.lanes, class: &prepared.class, chunks: prepared.chunks };
        let mut classified = 0;
        classify(
            prepared.instructions,
            &items,
            order,
            prefix,
            &mut self.workspace.ranges,
            &mut classified,
        );
        classified
    }

    /// The extremes of every class in a subset.
    pub(super) fn extremes(&mut self, set: &Set<W>) -> Vec<RankExtremes> {
        let prepared = self.prepared;
        let items =
            RunItems { lanes: &prepared.lanes, class: &prepared.class, chunks: prepared.chunks };
        let mut extremes = std::mem::take(&mut self.workspace.extremes);
        extremes.clear();
        extremes.resize(prepared.classes.len() * prepared.chunks, EMPTY);
        self.workspace.items.clear();
        self.workspace.items.extend(members(set).map(|item| item as u16));
        widen(prepared.instructions, &items, &self.workspace.items, &mut extremes);
        extremes
    }

    /// Whether a budget is one rule without errors and without limits on leaves.
    pub(super) fn is_one_rule(&self, budget: ChildBudget) -> bool {
        let limits = self.limits.get(budget.limits);
        budget.size == 1 && budget.errors == 0 && limits.depth > 0 && limits.leaves.is_empty()
    }

    /// Whether one rule classifies a subset of two or more classes without errors.
    pub(super) fn one_rule(&mut self, set: &Set<W>) -> Verdict<W> {
        let mut core = [0; W];
        match self.one_rule_or_extend_core(set, &mut core) {
            true => Verdict::Feasible(self.widened_by_one_rule(set)),
            false => Verdict::Infeasible(core, 1),
        }
    }

    /// Whether one rule classifies a subset without errors; if none does, adds items of the subset
    /// to `core` so that no rule classifies `core`.
    pub(super) fn one_rule_or_extend_core(&mut self, set: &Set<W>, core: &mut Set<W>) -> bool {
        let mut order = std::mem::take(&mut self.workspace.items);
        order.clear();
        order.extend(members(&and(set, core)).map(|item| item as u16));
        let fixed = order.len();
        order.extend(members(&without(set, core)).map(|item| item as u16));
        let classified = self.classified_in_order(&order, true);
        let all_classified = classified == order.len();
        if !all_classified {
            *core = or(core, &self.minimal_core(&mut order, classified, fixed));
        }
        self.workspace.items = order;
        all_classified
    }

    /// A minimal set of items that no rule classifies together with the first `fixed` items of an
    /// order, given the number `classified` of first items that one rule classifies.
    ///
    /// Each pass finds an item of the set: the first item that no rule classifies together with the
    /// items before it. Later items are dropped, and the item moves directly behind the fixed
    /// items. The set is complete when no rule classifies it with the fixed items.
    pub(super) fn minimal_core(
        &mut self,
        order: &mut Vec<u16>,
        mut classified: usize,
        fixed: usize,
    ) -> Set<W> {
        let mut front = fixed;
        while classified >= front {
            order.truncate(classified + 1);
            order[front..].rotate_right(1);
            order[fixed..=front].rotate_right(1);
            front += 1;
            classified = self.classified_in_order(order, true);
        }
        let mut core = [0; W];
        let needed = order[fixed..front].iter().skip(offset(Mutant::Core) as usize);
        needed.for_each(|&item| insert(&mut core, item.into()));
        core
    }

    /// All items of the table that a rule classifies, for the first rule that classifies the
    /// subset.
    fn widened_by_one_rule(&mut self, set: &Set<W>) -> Set<W> {
        let extremes = self.extremes(set);
        let classes: Vec<usize> = self.prepared.classes_in(set).collect();
        let mut wide = *set;
        if let &[first, second] = &classes[..] {
            for feature in 0..self.prepared.features {
                let ranks_of = |class| extremes_of(&extremes, self.prepared, class, feature);
                let ((first_low, first_high), (second_low, second_high)) =
                    (ranks_of(first), ranks_of(second));
                let (left_class, right_class, rank) = if first_high < second_low {
                    (first, second, first_high)
                } else if second_high < first_low {
                    (second, first, second_high)
                } else {
                    continue;
                };
                let up_to = self.prepared.up_to(feature, rank as u32);
                let left = and(&self.prepared.classes[left_class], &up_to);
                wide = or(&left, &without(&self.prepared.classes[right_class], &up_to));
                break;
            }
        }
        self.workspace.extremes = extremes;
        wide
    }

    /// Whether one rule classifies a subset with at most `errors`, without limits on leaves.
    pub(super) fn one_rule_with_errors(&mut self, set: &Set<W>, errors: Weight) -> Verdict<W> {
        let mut minimum = Weight::MAX;
        for feature in 0..self.prepared.features {
            minimum = minimum.min(self.min_errors_of_rule(set, feature));
            if minimum <= errors {
                return Verdict::Feasible(*set);
            }
        }
        Verdict::Infeasible(*set, minimum)
    }

    fn min_errors_of_rule(&self, set: &Set<W>, feature: usize) -> Weight {
        let order = self.prepared.orders[feature].iter().map(|&item| u32::from(item));
        let inside: Vec<u32> = order.filter(|&item| contains(set, item)).collect();
        let mut left = vec![0; self.prepared.classes.len()];
        let mut right = self.prepared.class_weights(set);
        let errors = |child: &[Weight]| {
            child.iter().sum::<Weight>() - child.iter().max().copied().unwrap_or(0)
        };
        let mut minimum = errors(&right);
        for pair in inside.windows(2) {
            let item = pair[0] as usize;
            let class = self.prepared.class[item] as usize;
            left[class] += self.prepared.weight[item];
            right[class] -= self.prepared.weight[item];
            if self.prepared.rank(feature, pair[0]) != self.prepared.rank(feature, pair[1]) {
                minimum = minimum.min(errors(&left) + errors(&right));
            }
        }
        minimum
    }
}
