//! Rules as thresholds on the features of a table.

use super::cost_space::{CostNode, CostRules, CostSearch, CostSpace, CostSubtask};
use super::incumbent::DEEPEST_GREEDY;
use super::options::CostOptions;
use super::stump_evaluator::StumpEvaluator;
use crate::costs::items::CostSubset;
use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::intervals::{OpenIntervals, ThresholdResult, ThresholdTrial};
use crate::engine::rules::Rule;
use crate::engine::solution::{Bounds, Solution};
use crate::support::task_queue::TaskQueue;
use exactree_model::Limits;
use std::sync::Arc;

/// Rules that compare a feature with a threshold.
#[derive(Clone, Copy)]
pub(crate) struct ThresholdRules;

/// A search whose rules are thresholds.
pub(crate) type ThresholdsSearch<'s, 'a> = CostSearch<'s, 'a, ThresholdRules>;

impl CostRules for ThresholdRules {
    type Open = OpenIntervals;

    fn branching(
        search: &mut ThresholdsSearch<'_, '_>,
        subset: &CostSubset,
        limits: Limits,
        bounds: &mut Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Option<OpenIntervals> {
        Some(search.open_intervals(subset, limits, bounds, inherited))
    }

    fn try_split(
        search: &mut ThresholdsSearch<'_, '_>,
        trial: &ThresholdTrial,
        subset: &CostSubset,
        limits: Limits,
    ) -> ThresholdResult {
        search.try_threshold(trial, subset, limits)
    }

    fn solve_terminal(
        search: &mut ThresholdsSearch<'_, '_>,
        subset: &CostSubset,
        limits: Limits,
        bounds: Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds> {
        match limits.depth {
            1 => Ok(search.one_level(subset, limits, bounds)),
            2 if search.space.options.depth_two => {
                Ok(search.depth_two(subset, limits, bounds, inherited))
            }
            _ => Err(bounds),
        }
    }

    fn is_shallow(&self, _options: &CostOptions, limits: Limits) -> bool {
        limits.is_terminal()
    }

    fn greedy_split(
        search: &mut ThresholdsSearch<'_, '_>,
        subset: &CostSubset,
        limits: Limits,
        level: u32,
    ) -> Option<((u32, u32), [CostSubset; 2])> {
        let rule = match level > DEEPEST_GREEDY {
            true => search.most_even_rule(subset, limits),
            false => search.rule_of_best_stump(subset, limits),
        }?;
        let children = subset.split(search.space.prepared, &rule);
        Some(((rule.feature as u32, rule.rank), children))
    }

    fn carry_out_stumps(
        search: &mut ThresholdsSearch<'_, '_>,
        queue: &TaskQueue<CostNode<Self>>,
        number: u64,
        first: CostSubtask<Self>,
    ) {
        let task = first.task.clone();
        let CostSpace { prepared, price, .. } = search.space;
        // Notes belong to the thread that made them.
        let mut children = StumpEvaluator::new(prepared, &task.subset, price, search.instructions);
        children.takes_notes = false;
        search.enter_all(queue, number, first, |search, subtask| {
            Some(search.try_stumps(&subtask.trial, &task.subset, task.limits, &mut children))
        });
        search.stats.pruned.stump_bounds += children.skipped_features;
    }
}

impl ThresholdsSearch<'_, '_> {
    /// The rule that splits a subset most evenly, of those that leave enough rows in both children.
    fn most_even_rule(&self, subset: &CostSubset, limits: Limits) -> Option<Rule> {
        let features = 0..subset.sorted.features();
        let rules = features
            .flat_map(|at| subset.rules(self.space.prepared, at).iter().collect::<Vec<_>>());
        let rows = limits.min_samples_leaf;
        let allowed = rules.filter(|rule| rule.rows.min(subset.rows - rule.rows) >= rows);
        allowed.min_by_key(|rule| rule.items.abs_diff(subset.count - rule.items))
    }

    fn rule_of_best_stump(&mut self, subset: &CostSubset, limits: Limits) -> Option<Rule> {
        let (features, clock) = (0..subset.sorted.features(), self.clock);
        let stumps = features.take_while(|_| !clock.stopped()).filter_map(|feature| {
            let (cost, rank) = self.best_stump(subset, feature, limits.min_samples_leaf)?;
            Some((cost, feature, rank))
        });
        let (_, feature, rank) = stumps.min()?;
        let rules = subset.rules(self.space.prepared, feature);
        let at = rules.ends.partition_point(|end| end.rank <= rank).checked_sub(1)?;
        Some(rules.get(at))
    }
}
