//! Plain errors on a prepared table: the space of `engine/search.rs` that counts misclassified weight.

use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::parallel_node::ThresholdSubtask;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::space::{LeafCosts, NodeOf, Search, Space, Switches};
use crate::kernels::InstructionSet;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::depth_two::workspace::ErrorWorkspace;
use crate::spaces::continuous::layout::Layout;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::mutants::{Mutant, offset};
use crate::support::options::Options;
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Errors, Limits, Tree, Weight};
use std::sync::Arc;

/// A table whose misclassified weight is minimized.
#[derive(Clone, Copy)]
pub(crate) struct ErrorSpace<'a> {
    pub layout: &'a Layout,
    pub objective: Errors,
    pub options: &'a Options,
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
        let space = ErrorSpace { layout, objective, options };
        let level = InstructionSet::detect(options.wide_lanes);
        Search::over(space, clock, progress, cache, level, ErrorWorkspace::default())
    }
}

impl LeafCosts for ErrorSpace<'_> {
    type Table = Layout;

    fn table(&self) -> &Layout {
        self.layout
    }

    fn leaf(&self, subset: &ContinuousSubset) -> CostedTree {
        let class = Errors::leaf_class(&subset.class_weights);
        (self.objective.leaf(subset.leaf_errors()), Tree::leaf(class))
    }

    fn leaf_of(&self, slots: &[u32]) -> CostedTree {
        let mut weights = vec![0; self.layout.n_classes];
        for slot in slots.iter().map(|&slot| slot as usize) {
            weights[self.layout.class[slot] as usize] += self.layout.weight[slot];
        }
        let cost = self.objective.leaf(Errors::leaf_errors(&weights));
        (cost, Tree::leaf(Errors::leaf_class(&weights)))
    }

    fn lower_bounds(&self, subset: &ContinuousSubset, limits: Limits) -> [Cost; 2] {
        [self.equivalent_points(subset), self.class_count(subset, limits)]
            .map(|errors| errors * self.objective.error_price)
    }

    fn similarity_price(&self, _subset: &ContinuousSubset) -> Option<Cost> {
        Some(self.objective.error_price)
    }

    fn rounding(&self, _leaves: u32) -> Cost {
        0
    }
}

impl ErrorSpace<'_> {
    fn equivalent_points(&self, subset: &ContinuousSubset) -> Weight {
        if self.options.equivalent_points {
            subset.unavoidable + offset(Mutant::EqualRows)
        } else {
            0
        }
    }

    /// A tree with l leaves predicts at most l classes, so it misclassifies at least the weight of all
    /// classes but the l heaviest.
    fn class_count(&self, subset: &ContinuousSubset, limits: Limits) -> Weight {
        let leaves = (limits.size.saturating_add(1) as u64 - offset(Mutant::ClassCount)) as usize;
        if !self.options.class_count || leaves >= subset.class_weights.len() {
            return 0;
        }
        let mut weights = subset.class_weights.clone();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        weights[leaves..].iter().sum()
    }
}

impl Space for ErrorSpace<'_> {
    type Workspace = ErrorWorkspace;

    fn switches(&self) -> Switches {
        let options = self.options;
        Switches {
            interval_bound: options.interval_bound,
            similarity_bound: options.similarity_bound,
            upper_bound_margin: options.upper_bound_margin,
            feature_bounds: options.feature_bounds,
            // Bit columns hold no weightless items.
            two_set_bound: options.two_set_bound && !self.layout.bit_columns,
            cache: options.cache,
            cached_bounds: options.cached_bounds,
            early_bound: options.early_bound,
        }
    }

    fn leaf_price(&self) -> Cost {
        self.objective.leaf_price
    }

    fn gap(&self, progress: &Progress) -> f64 {
        progress.gap()
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

    fn carry_out_stumps(
        search: &mut Search<'_, Self>,
        queue: &TaskQueue<NodeOf<Self>>,
        number: u64,
        first: ThresholdSubtask<ContinuousSubset>,
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
