//! Plain errors under constraints.

use crate::constraints::cost_family::CostFamily;
use crate::constraints::costs::{ConstrainedCosts, ConstraintOptions};
use crate::constraints::feature_choice::{ChoiceRequest, FeatureChoice, Problem};
use crate::constraints::root_tasks::{ConstrainedRoots, RootsRequest};
use crate::constraints::statement::TreeConstraints;
use crate::engine::request::{Request, SearchOutcome};
use crate::engine::root_range::RootTasks;
use crate::engine::subset::OrderEntry;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::{Directions, ErrorSpace};
use crate::spaces::continuous::layout::Layout;
use crate::support::clock::Clock;
use crate::support::options::Options;
use crate::support::statistics::{Progress, Stats};
use exactree_model::{Cost, Errors, Limits, Outcome, Table, Tree, UNBOUNDED, Weight};
use std::ops::Range;
use std::sync::Arc;

/// Slots for conditions, by class.
const CONDITION_SLOTS: u32 = 64;

/// Errors, with the resources of the search.
struct ErrorFamily {
    request: Request,
    options: Options,
}

impl ErrorFamily {
    fn new(request: &Request, options: &Options) -> Self {
        // Equal columns may belong to different features.
        let options = Options { equal_features: false, ..options.clone() };
        ErrorFamily { request: request.clone(), options }
    }
}

impl From<&Request> for ChoiceRequest {
    fn from(request: &Request) -> Self {
        let Request { limits, below, memory_limit, stop_at_gap, threads, .. } = *request;
        ChoiceRequest { limits, below, memory_limit, stop_at_gap, threads }
    }
}

/// Finds the best tree that satisfies the constraints, or the best tree and lower bound within the
/// time limit. `initial` is a tree to start from, made feasible by collapsing nodes. Trees of cost
/// `request.below` or more, without prices of features, are not searched for.
pub fn solve_constrained(
    table: &Table,
    request: &Request,
    constraints: &TreeConstraints,
    options: &Options,
    clock: Clock<'_>,
    progress: &Progress,
    initial: Option<&Arc<Tree>>,
) -> SearchOutcome {
    let family = ErrorFamily::new(request, options);
    let problem = Problem {
        table,
        request: ChoiceRequest::from(request),
        constraints,
        targets: None,
        prices: &constraints.prices,
    };
    let Some(layout) = FeatureChoice::prepare(&family, table, clock) else {
        let stats = Stats { seconds: clock.seconds(), ..Stats::default() };
        let outcome = Outcome::of(None, 0, UNBOUNDED, clock.stopped_by());
        return SearchOutcome { outcome, stats };
    };
    let found = FeatureChoice::solve(&family, &layout, &problem, clock, progress, initial);
    let outcome = Outcome::of(found.tree, found.lower, UNBOUNDED, clock.stopped_by());
    SearchOutcome { outcome, stats: found.stats }
}

/// A table prepared once for root tasks under constraints.
pub struct ConstrainedErrorRoots {
    roots: ConstrainedRoots<ErrorFamily>,
}

impl ConstrainedErrorRoots {
    /// Prepares a table, for the problem of `solve_constrained` without `max_features` or prices
    /// of features, or for its `relaxation`; `None` if the clock stops.
    pub fn prepare(
        table: Table,
        request: &Request,
        constraints: TreeConstraints,
        options: &Options,
        (relaxation, initial): (bool, Option<Arc<Tree>>),
        clock: &Clock<'_>,
    ) -> Option<Self> {
        let family = ErrorFamily::new(request, options);
        let request = ChoiceRequest::from(request);
        let request = RootsRequest { request, constraints, targets: None, relaxation };
        let roots = ConstrainedRoots::prepare(family, table, request, initial, clock)?;
        Some(ConstrainedErrorRoots { roots })
    }

    pub fn table(&self) -> &Table {
        self.roots.table()
    }

    pub fn tasks(&self) -> &dyn RootTasks {
        &self.roots
    }
}

impl CostFamily for ErrorFamily {
    type Prepared = Layout;
    type Base<'p> = ErrorSpace<'p>;

    fn options(&self) -> ConstraintOptions {
        let Options { relaxation, incumbent, cross_bound, monotone_stumps, wide_lanes, .. } =
            self.options;
        ConstraintOptions { relaxation, incumbent, cross_bound, monotone_stumps, wide_lanes }
    }

    fn prepare(
        &self,
        stopped: &dyn Fn() -> bool,
        table: &Table,
        conditions: bool,
    ) -> Option<Layout> {
        let free = if conditions { CONDITION_SLOTS } else { 0 };
        let Request { limits, threads, .. } = self.request;
        let rows = limits.min_samples_leaf;
        Layout::prepare_sorted(stopped, table, &self.options, rows, (free, threads))
    }

    /// They fit if the table with all conditions obeys the law of every table: a leaf that errs on
    /// everything costs less than `UNBOUNDED`. Then no search of some of it exceeds 64 bits.
    fn add_conditions(&self, layout: &mut Layout) -> bool {
        let Errors { error_price, leaf_price } = self.request.objective;
        let total: Weight = layout.weight.iter().sum();
        let classes = layout.class_words.iter().filter(|words| !words.is_empty()).count();
        let slots = u128::from(CONDITION_SLOTS) * classes as u128;
        let all = u128::from(total) + slots * (u128::from(total) + 1);
        let cost = all.saturating_mul(error_price.into()) + u128::from(leaf_price);
        if cost >= UNBOUNDED.into() || classes < 2 {
            return false;
        }
        layout.plain = false;
        // Columns do not have the ranks of conditions.
        layout.pair_columns = false;
        layout.unit_rows = false;
        layout.rows_are_weights = false;
        layout.ranks_in_orders = true;
        for class in 0..layout.class_words.len() {
            for slot in slots_for_conditions(layout, class) {
                layout.class[slot as usize] = class as u32;
                layout.weight[slot as usize] = total + 1;
            }
        }
        true
    }

    fn base<'p>(
        &'p self,
        layout: &'p Layout,
        directions: Option<Directions<'p>>,
    ) -> ErrorSpace<'p> {
        let (objective, options) = (self.request.objective, &self.options);
        ErrorSpace { layout, objective, options, directions }
    }

    fn whole(&self, layout: &Layout) -> ContinuousSubset {
        ContinuousSubset::whole(layout)
    }

    fn unconstrained(
        &self,
        table: &Table,
        limits: Limits,
        clock: Clock<'_>,
        progress: &Progress,
    ) -> (Option<Arc<Tree>>, Stats) {
        let request =
            Request { limits, below: UNBOUNDED, stop_at_gap: 0.0, ..self.request.clone() };
        let found = crate::spaces::solve::solve(table, &request, &self.options, clock, progress);
        (found.outcome.tree, found.stats)
    }
}

impl ConstrainedCosts for ErrorSpace<'_> {
    fn example(&self, slot: usize) -> (u32, Weight) {
        (self.layout.class[slot], self.layout.unscaled[slot])
    }

    fn leaf_class(&self, class_weights: &[Weight]) -> u32 {
        Errors::leaf_class(class_weights)
    }

    fn stump_costs(&self, subset: &ContinuousSubset, feature: usize) -> Vec<Cost> {
        let layout = self.layout;
        let (mut left, mut right) = (vec![0; layout.n_classes], subset.class_weights.clone());
        let order = subset.sorted.order(feature);
        let cost = |pair: &[OrderEntry]| {
            let slot = pair[0].slot as usize;
            let (class, weight) = (layout.class[slot] as usize, layout.weight[slot]);
            left[class] += weight;
            right[class] -= weight;
            if pair[0].rank == pair[1].rank {
                return UNBOUNDED;
            }
            let errors = Errors::leaf_errors(&left) + Errors::leaf_errors(&right);
            self.objective.leaf(errors) + self.objective.leaf_price
        };
        order.windows(2).map(cost).collect()
    }

    fn condition_slots(&self, class: usize) -> Range<u32> {
        slots_for_conditions(self.layout, class)
    }
}

/// The free slots of a class.
fn slots_for_conditions(layout: &Layout, class: usize) -> Range<u32> {
    let end = layout.class_words[class].end as u32 * 64;
    end.saturating_sub(CONDITION_SLOTS)..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_refused_if_their_costs_do_not_fit() {
        let columns = [vec![0.0, 1.0, 2.0]];
        let table = Table::new(&columns, &[0, 1, 0], &[1, 1, 8], 2);
        let fits = |error_price: Cost, leaf_price: Cost| {
            let request = Request {
                objective: Errors { error_price, leaf_price },
                limits: Limits { depth: 3, size: 7, min_samples_leaf: 1 },
                below: UNBOUNDED,
                memory_limit: None,
                stop_at_gap: 0.0,
                threads: 1,
            };
            let family = ErrorFamily { request, options: Options::default() };
            let mut layout = family.prepare(&|| false, &table, true).expect("nothing stops it");
            let added = family.add_conditions(&mut layout);
            let slot = family.base(&layout, None).condition_slots(0).start as usize;
            assert_eq!(layout.weight[slot], if added { 11 } else { 0 });
            added
        };
        // All rows weigh 10, so that 128 conditions of weight 11 and the rows weigh 1,418.
        let most = (UNBOUNDED - 1) / 1_418;
        assert!(fits(1, 0) && fits(most, 0));
        assert!(!fits(most + 1, 0) && !fits(most, UNBOUNDED - 1_418 * most));
    }
}
