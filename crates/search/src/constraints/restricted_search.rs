//! The search for the best tree on some features, without their prices.

use crate::constraints::cost_family::CostFamily;
use crate::constraints::costs::ConstrainedSpace;
use crate::constraints::feature_choice::FeatureChoice;
use crate::constraints::prepared_constraints::PreparedConstraints;
use crate::constraints::space::{ConstrainedSearch, Relaxation};
use crate::engine::solution::CostedTree;
use crate::engine::space::Search;
use crate::engine::subset::ThresholdTable;
use crate::engine::subset_state::SubsetState;
use crate::engine::threads::with_workers;
use crate::kernels::InstructionSet;
use crate::spaces::continuous::error_space::Directions;
use crate::support::cache::SharedCache;
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Table};
use std::sync::Arc;

impl<K: CostFamily> FeatureChoice<'_, K> {
    /// The best tree on some features, with the prices of those that are paid for, and a lower bound on
    /// these trees without prices.
    pub(crate) fn search(&mut self, allowed: &[bool], price: Cost) -> (Option<CostedTree>, Cost) {
        // Otherwise its incumbents are not those of the problem.
        let single = !self.chooses();
        let (family, statement, request) =
            (self.family, self.problem.constraints, self.problem.request);
        let (clock, options) = (self.clock, self.space.options);
        let table = self.restricted(|feature| allowed[feature]);
        // The relaxation with conditions has further items in slots that are free here.
        let crosses = options.cross_bound && statement.monotone();
        let prepare = || family.prepare(&|| clock.stopped(), &table, crosses);
        let Some(prepared) = prepare() else { return (None, 0) };
        let conditions = if crosses { prepare() } else { None };
        let conditions =
            conditions.and_then(|mut more| family.add_conditions(&mut more).then_some(more));
        let constraints =
            PreparedConstraints::new(statement, self.problem.targets, &table, &prepared);
        let (threads, whole) = (request.threads, family.whole(&prepared));
        let memory = request.memory_limit.map(|bytes| bytes / 2);
        let cache = SharedCache::new(memory, threads);
        let limits = request.limits.normalised();
        let private = Progress::default();
        let by_column: Vec<i8> =
            (0..prepared.features()).map(|column| constraints.direction(column)).collect();
        let restricts = options.monotone_stumps && statement.monotone();
        // A category with several columns has no point for some pairs of their ranks.
        let mut features = constraints.features.clone();
        features.sort_unstable();
        features.dedup();
        let roots = features.len() == prepared.features();
        let directions = restricts.then_some(Directions { by_feature: &by_column, roots });
        let level = InstructionSet::detect(options.wide_lanes);
        let base = family.base(&prepared, directions);
        let relaxed_search =
            || Search::over(base, clock, &private, &cache, level, Default::default());
        let column = |at: u32| table.features[prepared.index(at as usize) as usize].index;
        if options.relaxation {
            let queue = TaskQueue::new();
            let searcher = || {
                let mut search = relaxed_search();
                search.queue = (threads > 1).then_some(&queue);
                search
            };
            if options.incumbent && statement.monotone() {
                self.take_without_directed(allowed);
            }
            let upper = self.upper_without(price);
            let (relaxed, stats) = with_workers(threads - 1, &queue, &searcher, |search| {
                search.solve(&whole, limits, upper, None)
            });
            self.stats.add(&stats);
            if let Some((_, tree)) = &relaxed.tree {
                self.take(&self.in_prepared_features(tree, column));
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
        let space = ConstrainedSpace { base, constraints: &constraints, options };
        let progress = if single { self.progress } else { &private };
        let searcher = || -> ConstrainedSearch<'_, '_, _> {
            let mut plain = relaxed_search();
            // Its calls are never outermost, so that it reports no progress.
            plain.open_calls = 1;
            let conditions = conditions.as_ref().map(|prepared| {
                let base = family.base(prepared, directions);
                let mut search =
                    Search::over(base, clock, &private, &no_cache, level, Default::default());
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
                search.stop_at_gap = request.stop_at_gap;
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
            if options.incumbent && statement.monotone() {
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
        let tree =
            solution.tree.map(|(cost, tree)| (cost, self.in_prepared_features(&tree, column)));
        self.stats.add(&stats);
        self.stats.cache_entries = stats.cache_entries;
        self.stats.cache_bytes = stats.cache_bytes;
        self.stats.cache_evicted = stats.cache_evicted;
        (tree, solution.lower)
    }

    /// Takes the best tree that uses no feature with a direction as incumbent: it is monotone.
    fn take_without_directed(&mut self, allowed: &[bool]) {
        let directions = &self.problem.constraints.directions;
        let table = self.restricted(|feature| allowed[feature] && directions[feature] == 0);
        let (limits, progress) = (self.problem.request.limits, Progress::default());
        let (tree, stats) = self.family.unconstrained(&table, limits, self.clock, &progress);
        self.stats.add(&stats);
        if let Some(tree) = &tree {
            self.take(&self.in_prepared_features(tree, self.column_of(&table)));
        }
    }

    /// The table with some features.
    fn restricted(&self, keeps: impl Fn(usize) -> bool) -> Table {
        let features = &self.problem.constraints.features;
        let mut table = self.problem.table.clone();
        table.features.retain(|column| keeps(features[column.index as usize] as usize));
        table
    }
}
