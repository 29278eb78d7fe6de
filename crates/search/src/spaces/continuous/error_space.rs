//! Plain errors on a prepared table: the space of `engine/search.rs` that counts misclassified weight.

use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::intervals::{OpenIntervals, ThresholdResult, ThresholdTrial};
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::space::{LeafCosts, NodeOf, Search, Space, SubtaskOf, Switches, TableCosts};
use crate::kernels::InstructionSet;
use crate::spaces::continuous::class_totals::{ClassTotals, ContinuousSubset};
use crate::spaces::continuous::depth_two::workspace::ErrorWorkspace;
use crate::spaces::continuous::layout::Layout;
use crate::spaces::error_bounds::{class_count, equivalent_points};
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::options::Options;
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Errors, Limits, Tree};
use std::sync::Arc;

/// A table whose misclassified weight is minimized.
#[derive(Clone, Copy)]
pub(crate) struct ErrorSpace<'a> {
    pub layout: &'a Layout,
    pub objective: Errors,
    pub options: &'a Options,
    /// Restricts the last two levels to monotone trees (`depth_two/directed_roots.rs`).
    pub directions: Option<Directions<'a>>,
}

/// The features in which trees must be monotone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Directions<'a> {
    /// By feature: 1 if predictions must not decrease, -1 if they must not increase, else 0.
    pub by_feature: &'a [i8],
    /// Whether roots of depth-two trees are also restricted. That is valid if the ranks of a point in
    /// different features are independent of each other.
    pub roots: bool,
}

/// A search for fewest errors.
pub(crate) type ContinuousSearch<'s, 'a> = Search<'s, ErrorSpace<'a>>;

impl<'a> ContinuousSearch<'a, 'a> {
    /// A search with empty statistics, for one thread and all roots.
    pub(crate) fn new(
        layout: &'a Layout,
        objective: Errors,
        options: &'a Options,
        clock: Clock<'a>,
        progress: &'a Progress,
        cache: &'a SharedCache,
    ) -> Self {
        let space = ErrorSpace { layout, objective, options, directions: None };
        let instructions = InstructionSet::detect(options.wide_lanes);
        Search::over(space, clock, progress, cache, instructions, ErrorWorkspace::default())
    }
}

impl LeafCosts for ErrorSpace<'_> {
    type Totals = ClassTotals;

    fn leaf(&self, subset: &ContinuousSubset) -> CostedTree {
        let class = Errors::leaf_class(&subset.class_weights);
        (self.objective.leaf(subset.leaf_errors()), Tree::leaf(class))
    }

    fn leaf_price(&self) -> Cost {
        self.objective.leaf_price
    }

    fn lower_bounds(&self, subset: &ContinuousSubset, limits: Limits) -> [Cost; 2] {
        let equivalent_points =
            equivalent_points(subset.unavoidable, self.options.equivalent_points);
        [equivalent_points, class_count(&subset.class_weights, limits, self.options.class_count)]
            .map(|errors| errors * self.objective.error_price)
    }
}

impl Space for ErrorSpace<'_> {
    type Open = OpenIntervals;
    type Workspace = ErrorWorkspace;

    fn switches(&self) -> Switches {
        let options = self.options;
        Switches {
            interval_bound: options.interval_bound,
            similarity_bound: options.similarity_bound,
            upper_bound_margin: options.upper_bound_margin,
            feature_bounds: options.feature_bounds,
            // Bit columns hold no weightless items.
            two_set_bound: options.two_set_bound && !self.layout.pair_columns,
            cache: options.cache,
            cached_bounds: options.cached_bounds,
            early_bound: options.early_bound,
        }
    }

    fn prunes(
        search: &mut Search<'_, Self>,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        let pruned = search.one_leaf_class(subset, limits, bounds);
        if pruned {
            search.stats.pruned.leaf_classes += 1;
            bounds.lower = bounds.upper;
        }
        pruned
    }

    fn solve_terminal(
        search: &mut Search<'_, Self>,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds> {
        if !limits.is_terminal() || !search.space.options.depth_two {
            return Err(bounds);
        }
        Ok(search.solve_depth_two(subset, limits, bounds, inherited))
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
        search.try_threshold(trial, subset, limits)
    }

    fn carry_out_stumps(
        search: &mut Search<'_, Self>,
        queue: &TaskQueue<NodeOf<Self>>,
        number: u64,
        first: SubtaskOf<Self>,
    ) {
        let task = first.task.clone();
        let mut evaluators = search.take_evaluators();
        let layout = search.space.layout;
        let evaluator = evaluators.begin(layout, &task.subset, task.limits.min_samples_leaf > 1);
        search.enter_all(queue, number, first, |search, subtask| {
            search.try_stumps(&subtask.trial, &task.subset, task.limits, evaluator)
        });
        search.workspace.evaluators = Some(evaluators);
    }
}

impl TableCosts for ErrorSpace<'_> {
    type Table = Layout;

    fn table(&self) -> &Layout {
        self.layout
    }

    fn leaf_of(&self, slots: &[u32]) -> CostedTree {
        let mut weights = vec![0; self.layout.n_classes];
        for slot in slots.iter().map(|&slot| slot as usize) {
            weights[self.layout.class[slot] as usize] += self.layout.weight[slot];
        }
        let cost = self.objective.leaf(Errors::leaf_errors(&weights));
        (cost, Tree::leaf(Errors::leaf_class(&weights)))
    }

    fn similarity_price(&self, _subset: &ContinuousSubset) -> Option<Cost> {
        Some(self.objective.error_price)
    }

    fn rounding(&self, _leaves: u32) -> Cost {
        0
    }
}
