//! The searches for the best tree on some features, without their prices: of the relaxation, and
//! under constraints.

use crate::constraints::cost_family::CostFamily;
use crate::constraints::costs::ConstrainedSpace;
use crate::constraints::feature_choice::{ChoiceRequest, FeatureChoice, Problem};
use crate::constraints::prepared_constraints::PreparedConstraints;
use crate::constraints::space::{ConstrainedSearch, Relaxation};
use crate::constraints::statement::TreeConstraints;
use crate::engine::root_range::SearchControl;
use crate::engine::solution::CostedTree;
use crate::engine::space::{ProblemPart, Search, SubsetOf};
use crate::engine::subset::ThresholdTable;
use crate::engine::subset_state::SubsetState;
use crate::engine::threads::with_workers;
use crate::kernels::InstructionSet;
use crate::spaces::continuous::error_space::Directions;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Table};
use std::sync::Arc;

/// A table with some features, prepared for searches that share their caches.
pub(crate) struct RestrictedTable<P> {
    pub table: Table,
    pub prepared: P,
    /// With conditions as further items (`cross_bound.rs`); `None` if that bound is off.
    conditions: Option<P>,
    /// The results of the relaxation, and those under constraints.
    caches: [SharedCache; 2],
    /// Not used, but every search has a cache: keys of subsets do not have the ranks of conditions.
    no_cache: SharedCache,
}

impl<P: ThresholdTable + Sync> RestrictedTable<P> {
    /// Prepares a table; `None` if the clock stops.
    pub(crate) fn prepare<K: CostFamily<Prepared = P>>(
        family: &K,
        table: Table,
        statement: &TreeConstraints,
        request: &ChoiceRequest,
        clock: &Clock<'_>,
    ) -> Option<Self> {
        // The relaxation with conditions has further items in slots that are free here.
        let crosses = family.options().cross_bound && statement.orders_classes();
        let read = || family.prepare(&|| clock.stopped(), &table, crosses);
        let prepared = read()?;
        let conditions = if crosses { read() } else { None };
        let conditions =
            conditions.and_then(|mut more| family.add_conditions(&mut more).then_some(more));
        let memory = request.memory_limit.map(|bytes| bytes / 2);
        let cache = || SharedCache::new(memory, request.threads);
        let (caches, no_cache) = ([cache(), cache()], SharedCache::new(memory, 1));
        Some(RestrictedTable { table, prepared, conditions, caches, no_cache })
    }
}

/// The constraints of a problem on the columns of a restricted table.
pub(crate) struct RestrictedConstraints<'a> {
    pub prepared: PreparedConstraints<'a>,
    /// By column: its direction.
    directions: Vec<i8>,
    /// Whether every column is a feature. A category with several columns has no point for some
    /// pairs of their ranks.
    single_columns: bool,
    /// Receives the progress of searches inside others, which nobody reads.
    unread: Progress,
}

impl<'a> RestrictedConstraints<'a> {
    pub(crate) fn new<P: ThresholdTable>(
        problem: &Problem<'a>,
        restricted: &'a RestrictedTable<P>,
    ) -> Self {
        let RestrictedTable { table, prepared, .. } = restricted;
        let constraints =
            PreparedConstraints::new(problem.constraints, problem.targets, table, prepared);
        let mut features = constraints.features.clone();
        features.sort_unstable();
        features.dedup();
        RestrictedConstraints {
            directions: (0..prepared.features()).map(|at| constraints.direction(at)).collect(),
            single_columns: features.len() == prepared.features(),
            prepared: constraints,
            unread: Progress::default(),
        }
    }
}

/// Where a search reports progress, as a part of which problem, the gap at which it stops, and the
/// signals of other workers.
#[derive(Clone, Copy)]
pub(crate) struct SearchSignals<'a> {
    pub progress: &'a Progress,
    pub part: Option<ProblemPart>,
    pub stop_at_gap: f64,
    pub control: Option<&'a SearchControl>,
}

/// The searches of a restricted table.
pub(crate) struct RestrictedSearches<'a, K: CostFamily + 'a> {
    family: &'a K,
    restricted: &'a RestrictedTable<K::Prepared>,
    space: ConstrainedSpace<'a, K::Base<'a>>,
    directions: Option<Directions<'a>>,
    threads: usize,
    clock: Clock<'a>,
    unread: &'a Progress,
    instructions: InstructionSet,
}

impl<'a, K: CostFamily> RestrictedSearches<'a, K> {
    pub(crate) fn new(
        family: &'a K,
        restricted: &'a RestrictedTable<K::Prepared>,
        constraints: &'a RestrictedConstraints<'a>,
        threads: usize,
        clock: Clock<'a>,
    ) -> Self {
        let (options, statement) = (family.options(), constraints.prepared.statement);
        let restricts = options.monotone_stumps && statement.orders_classes();
        let directions = restricts.then_some(Directions {
            by_feature: &constraints.directions,
            roots: constraints.single_columns,
        });
        let base = family.base(&restricted.prepared, directions);
        RestrictedSearches {
            family,
            restricted,
            space: ConstrainedSpace { base, constraints: &constraints.prepared, options },
            directions,
            threads,
            clock,
            unread: &constraints.unread,
            instructions: InstructionSet::detect(options.wide_lanes),
        }
    }

    /// The whole table.
    pub(crate) fn whole(&self) -> SubsetOf<K::Base<'a>> {
        self.family.whole(&self.restricted.prepared)
    }

    /// The whole table, with its constraints.
    pub(crate) fn constrained_whole(&self) -> SubsetOf<K::Base<'a>> {
        let mut whole = self.whole();
        whole.state = Some(Arc::new(self.space.constraints.whole()));
        whole
    }

    /// Runs the search of the relaxation; also returns the statistics of all threads.
    pub(crate) fn relaxation<T>(
        &self,
        signals: SearchSignals<'_>,
        work: impl FnOnce(&mut Search<'_, K::Base<'a>>) -> T,
    ) -> (T, Stats) {
        let queue = TaskQueue::new();
        let searcher = || {
            let mut search = self.relaxed_search(signals.progress);
            search.queue = (self.threads > 1).then_some(&queue);
            (search.part, search.stop_at_gap) = (signals.part, signals.stop_at_gap);
            search.control = signals.control;
            search
        };
        with_workers(self.threads - 1, &queue, &searcher, work)
    }

    /// Runs the search under constraints; also returns the statistics of all threads.
    pub(crate) fn constrained<T>(
        &self,
        signals: SearchSignals<'_>,
        work: impl FnOnce(&mut ConstrainedSearch<'_, 'a, K::Base<'a>>) -> T,
    ) -> (T, Stats) {
        let (queue, cache) = (TaskQueue::new(), &self.restricted.caches[1]);
        let searcher = || -> ConstrainedSearch<'_, 'a, K::Base<'a>> {
            let mut plain = self.relaxed_search(self.unread);
            // Its calls are never outermost, so that it reports no progress.
            plain.open_calls = 1;
            let relaxation = Relaxation { plain, conditions: self.search_with_conditions() };
            let SearchSignals { progress, part, stop_at_gap, control } = signals;
            let mut search = Search::over(
                self.space,
                self.clock,
                progress,
                cache,
                self.instructions,
                relaxation,
            );
            search.queue = (self.threads > 1).then_some(&queue);
            (search.part, search.stop_at_gap, search.control) = (part, stop_at_gap, control);
            search
        };
        let (done, mut stats) = with_workers(self.threads - 1, &queue, &searcher, |search| {
            let done = work(search);
            let stats = search.workspace.plain.stats.clone();
            search.stats.add(&stats);
            done
        });
        (stats.cache_entries, stats.cache_bytes, stats.cache_evicted) = cache.counts();
        (done, stats)
    }

    fn relaxed_search<'s>(&self, progress: &'s Progress) -> Search<'s, K::Base<'a>>
    where
        'a: 's,
    {
        let cache = &self.restricted.caches[0];
        Search::over(
            self.space.base,
            self.clock,
            progress,
            cache,
            self.instructions,
            Default::default(),
        )
    }

    fn search_with_conditions(&self) -> Option<Search<'a, K::Base<'a>>> {
        let prepared = self.restricted.conditions.as_ref()?;
        let (base, cache) =
            (self.family.base(prepared, self.directions), &self.restricted.no_cache);
        let (clock, unread) = (self.clock, self.unread);
        let mut search =
            Search::over(base, clock, unread, cache, self.instructions, Default::default());
        search.open_calls = 1;
        search.switches.cache = false;
        Some(search)
    }
}

impl<K: CostFamily> FeatureChoice<'_, K> {
    /// The best tree on some features, with the prices of those that are paid for, and a lower
    /// bound on these trees without prices.
    pub(crate) fn search(
        &mut self,
        allowed: &[bool],
        part: ProblemPart,
    ) -> (Option<CostedTree>, Cost) {
        // If features are chosen, the incumbents of one of many searches are not those of the
        // problem.
        let (single, price) = (!self.chooses(), part.price);
        let (family, statement, request) =
            (self.family, self.problem.constraints, self.problem.request);
        let (clock, options) = (self.clock, self.space.options);
        let table = self.restricted(|feature| allowed[feature]);
        let restricted = RestrictedTable::prepare(family, table, statement, &request, &clock);
        let Some(restricted) = restricted else { return (None, 0) };
        let constraints = RestrictedConstraints::new(self.problem, &restricted);
        let searches =
            RestrictedSearches::new(family, &restricted, &constraints, request.threads, clock);
        let (table, prepared) = (&restricted.table, &restricted.prepared);
        let column = |at: u32| table.features[prepared.index(at as usize) as usize].index;
        let limits = request.limits.normalised();
        let (progress, stop_at_gap) = (self.progress, request.stop_at_gap);
        let reported = SearchSignals { progress, part: Some(part), stop_at_gap, control: None };
        if options.relaxation {
            if options.incumbent && statement.monotone() {
                self.take_without_directed(allowed);
            }
            let (upper, whole) = (self.upper_without(price), searches.whole());
            let (relaxed, stats) =
                searches.relaxation(reported, |search| search.solve(&whole, limits, upper, None));
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
        let (upper, whole) = (self.upper_without(price), searches.constrained_whole());
        let part = Some(part).filter(|_| !single);
        let signals = SearchSignals { part, ..reported };
        let state = SubsetState { undirected_root: true, ..constraints.prepared.whole() };
        let mut undirected = whole.clone();
        undirected.state = Some(Arc::new(state));
        let (solution, stats) = searches.constrained(signals, |search| {
            let mut upper = upper;
            let mut first = None;
            if options.incumbent && statement.monotone() {
                // The children of such roots need not fit each other, so good trees are found soon.
                search.open_calls += 1;
                first = search.solve(&undirected, limits, upper, None).tree;
                search.open_calls -= 1;
                if let Some((cost, _)) = first {
                    upper = cost;
                    if single {
                        search.progress.report(cost, 0);
                    }
                }
            }
            let mut solution = search.solve(&whole, limits, upper, None);
            solution.tree = solution.tree.or(first);
            solution
        });
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
