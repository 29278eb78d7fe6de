//! The search for the best tree on some features, without their prices.

use crate::constraints::costs::ConstrainedSpace;
use crate::constraints::cross_bound::{CONDITION_SLOTS, add_conditions};
use crate::constraints::feature_choice::FeatureChoice;
use crate::constraints::prepared_constraints::PreparedConstraints;
use crate::constraints::space::{ConstrainedSearch, Relaxation};
use crate::engine::request::Request;
use crate::engine::solution::CostedTree;
use crate::engine::space::Search;
use crate::engine::subset_state::SubsetState;
use crate::engine::threads::with_workers;
use crate::kernels::InstructionSet;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::{ContinuousSearch, Directions, ErrorSpace};
use crate::spaces::continuous::layout::Layout;
use crate::support::cache::SharedCache;
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Table, UNBOUNDED};
use std::sync::Arc;

impl FeatureChoice<'_> {
    /// The best tree on some features, with the prices of those that are paid for, and a lower bound on
    /// these trees without prices.
    pub(crate) fn search(&mut self, allowed: &[bool], price: Cost) -> (Option<CostedTree>, Cost) {
        // Otherwise its incumbents are not those of the problem.
        let single = !self.chooses();
        let table = self.restricted(|feature| allowed[feature]);
        let rows = self.request.limits.min_samples_leaf;
        // The relaxation with conditions has further items in slots that are free here.
        let crosses = self.options.cross_bound && self.constraints.monotone();
        let free = if crosses { CONDITION_SLOTS } else { 0 };
        let prepare = || {
            let stopped = || self.clock.stopped();
            Layout::with_free_slots(&stopped, &table, self.options, rows, free)
        };
        let Some(layout) = prepare() else { return (None, 0) };
        let conditions = if crosses { prepare() } else { None };
        let conditions =
            conditions.and_then(|mut layout| add_conditions(&mut layout).then_some(layout));
        let constraints = PreparedConstraints::new(self.constraints, &table, &layout);
        let (threads, whole) = (self.request.threads, ContinuousSubset::whole(&layout));
        let memory = self.request.memory_limit.map(|bytes| bytes / 2);
        let cache = SharedCache::new(memory, threads);
        let limits = self.request.limits.normalised();
        let private = Progress::default();
        let (objective, options, clock) = (self.request.objective, self.options, self.clock);
        let by_column: Vec<i8> =
            (0..layout.features.len()).map(|column| constraints.direction(column)).collect();
        let restricts = options.monotone_stumps && self.constraints.monotone();
        // A category with several columns has no point for some pairs of their ranks.
        let mut features = constraints.features.clone();
        features.sort_unstable();
        features.dedup();
        let roots = features.len() == layout.features.len();
        let directions = restricts.then_some(Directions { by_feature: &by_column, roots });
        let relaxed_search = || {
            let mut search =
                ContinuousSearch::new(&layout, objective, options, clock, &private, &cache);
            search.space.directions = directions;
            search
        };
        let column = |at: u32| table.features[layout.features[at as usize].index as usize].index;
        if options.relaxation {
            let queue = TaskQueue::new();
            let searcher = || {
                let mut search = relaxed_search();
                search.queue = (threads > 1).then_some(&queue);
                search
            };
            if self.options.incumbent && self.constraints.monotone() {
                self.take_without_directed(allowed);
            }
            let upper = self.upper_without(price);
            let (relaxed, stats) = with_workers(threads - 1, &queue, &searcher, |search| {
                search.solve(&whole, limits, upper, None)
            });
            self.stats.add(&stats);
            if let Some((_, tree)) = &relaxed.tree {
                self.take(&self.in_layout_features(tree, column));
            }
            if single {
                self.progress.report(self.upper, relaxed.lower.min(self.upper));
            }
            if relaxed.lower >= self.upper_without(price) || clock.stopped() {
                return (None, relaxed.lower);
            }
        }
        let upper = self.upper_without(price);
        let no_cache = SharedCache::new(memory, 1);
        let constrained_cache = SharedCache::new(memory, threads);
        let queue = TaskQueue::new();
        let errors = ErrorSpace { layout: &layout, objective, options, directions };
        let space = ConstrainedSpace { errors, constraints: &constraints };
        let progress = if single { self.progress } else { &private };
        let level = InstructionSet::detect(options.wide_lanes);
        let searcher = || -> ConstrainedSearch<'_, '_> {
            let mut plain = relaxed_search();
            // Its calls are never outermost, so that it reports no progress.
            plain.open_calls = 1;
            let conditions = conditions.as_ref().map(|layout| {
                let (progress, cache) = (&private, &no_cache);
                let mut search =
                    ContinuousSearch::new(layout, objective, options, clock, progress, cache);
                search.space.directions = directions;
                search.open_calls = 1;
                // Keys do not have the ranks of conditions.
                search.switches.cache = false;
                search
            });
            let relaxation = Relaxation { plain, conditions };
            let mut search =
                Search::over(space, clock, progress, &constrained_cache, level, relaxation);
            search.queue = (threads > 1).then_some(&queue);
            if single {
                search.stop_at_gap = self.request.stop_at_gap;
            }
            search
        };
        let mut undirected = whole.clone();
        let state = constraints.whole();
        let mut whole = whole;
        undirected.state = Some(Arc::new(SubsetState { undirected_root: true, ..state.clone() }));
        whole.state = Some(Arc::new(state));
        let (solution, mut stats) = with_workers(threads - 1, &queue, &searcher, |search| {
            let mut upper = upper;
            let mut first = None;
            if options.incumbent && self.constraints.monotone() {
                // The children of such roots need not fit each other, so good trees are found soon.
                search.open_calls += 1;
                first = search.solve(&undirected, limits, upper, None).tree;
                search.open_calls -= 1;
                if let Some((cost, _)) = first {
                    upper = cost;
                    search.progress.report(cost, 0);
                }
            }
            let mut solution = search.solve(&whole, limits, upper, None);
            solution.tree = solution.tree.or(first);
            let stats = search.workspace.plain.stats.clone();
            search.stats.add(&stats);
            solution
        });
        (stats.cache_entries, stats.cache_bytes, stats.cache_evicted) = constrained_cache.counts();
        let tree = solution.tree.map(|(cost, tree)| (cost, self.in_layout_features(&tree, column)));
        self.stats.add(&stats);
        self.stats.cache_entries = stats.cache_entries;
        self.stats.cache_bytes = stats.cache_bytes;
        self.stats.cache_evicted = stats.cache_evicted;
        (tree, solution.lower)
    }

    /// Takes the best tree that uses no feature with a direction as incumbent: it is monotone.
    fn take_without_directed(&mut self, allowed: &[bool]) {
        let free = |feature: usize| allowed[feature] && self.constraints.directions[feature] == 0;
        let table = self.restricted(free);
        let request = Request { below: UNBOUNDED, stop_at_gap: 0.0, ..self.request.clone() };
        let progress = Progress::default();
        let found =
            crate::spaces::solve::solve(&table, &request, self.options, self.clock, &progress);
        self.stats.add(&found.stats);
        if let Some(tree) = &found.outcome.tree {
            self.take(&self.in_layout_features(tree, |at| table.features[at as usize].index));
        }
    }

    /// The table with some features.
    fn restricted(&self, keeps: impl Fn(usize) -> bool) -> Table {
        let mut table = self.table.clone();
        table
            .features
            .retain(|column| keeps(self.constraints.features[column.index as usize] as usize));
        table
    }
}
