//! Root tasks of searches under constraints; `spaces/root_tasks.rs` explains root tasks.
//!
//! A tree with a given root satisfies the constraints if its children satisfy a share of them
//! (`shares.rs`) and fit each other (`children.rs`): this does not depend on other roots, so the
//! best tree with a root and the bounds of a root are those of the search without tasks.
//!
//! *Relaxation.* The search without tasks first solves the relaxation of the whole table. In every
//! task that would take as long as the relaxations of all roots together, so tasks do without it
//! (`space.rs`). Instead the relaxation is a search with root tasks of its own, which comes first:
//! it has the same integers, its lower bound is one under constraints, and its tree is pruned until
//! it satisfies them.
//!
//! Where features are chosen (`feature_choice.rs`) there are no root tasks.

#[cfg(test)]
mod differential;

use crate::constraints::cost_family::CostFamily;
use crate::constraints::feature_choice::{ChoiceRequest, FeatureChoice, Problem};
use crate::constraints::leaf_totals::Targets;
use crate::constraints::restricted_search::{
    RestrictedConstraints, RestrictedSearches, RestrictedTable, SearchSignals,
};
use crate::constraints::statement::TreeConstraints;
use crate::engine::intervals::EvaluatedThresholds;
use crate::engine::request::SearchOutcome;
use crate::engine::root_range::{RootRange, RootTasks, RootsResult, SearchControl};
use crate::engine::solution::CostedTree;
use crate::engine::space::TableCosts;
use crate::engine::subset::ThresholdTable;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::statistics::{Progress, Stats};
use exactree_model::{Cost, Outcome, Table, Tree, UNBOUNDED};
use std::sync::{Arc, Mutex};

/// What the root tasks of a problem search, but for its costs and its table.
pub(crate) struct RootsRequest {
    pub request: ChoiceRequest,
    /// Without `max_features` or prices of features.
    pub constraints: TreeConstraints,
    /// The targets of a regression.
    pub targets: Option<Targets>,
    /// Whether to search the relaxation.
    pub relaxation: bool,
}

/// A table prepared for root tasks.
pub(crate) struct ConstrainedRoots<K: CostFamily> {
    pub family: K,
    restricted: RestrictedTable<K::Prepared>,
    roots: RootsRequest,
    /// A tree from which a search with a first incumbent starts.
    initial: Option<Arc<Tree>>,
    /// The prices of features: none.
    prices: Vec<Cost>,
    evaluated: Mutex<EvaluatedThresholds>,
}

impl<K: CostFamily> ConstrainedRoots<K> {
    /// Prepares a table; `None` if the clock stops. Features of `initial` are those of the table.
    pub(crate) fn prepare(
        family: K,
        table: Table,
        roots: RootsRequest,
        initial: Option<Arc<Tree>>,
        clock: &Clock<'_>,
    ) -> Option<Self> {
        let RootsRequest { request, constraints, .. } = &roots;
        let restricted = table
            .is_read()
            .then(|| RestrictedTable::prepare(&family, table, constraints, request, clock));
        let prices = vec![0; constraints.directions.len()];
        let (restricted, evaluated) = (restricted.flatten()?, Mutex::default());
        Some(ConstrainedRoots { family, restricted, roots, initial, prices, evaluated })
    }

    pub(crate) fn table(&self) -> &Table {
        &self.restricted.table
    }

    pub(crate) fn prepared(&self) -> &K::Prepared {
        &self.restricted.prepared
    }

    /// Searches these roots, with features of the prepared table.
    fn search(
        &self,
        searches: &RestrictedSearches<'_, K>,
        roots: &[RootRange],
        upper: Cost,
        signals: SearchSignals<'_>,
    ) -> (RootsResult, Stats) {
        let (limits, task) = (self.roots.request.limits.normalised(), (roots, &self.evaluated));
        if self.roots.relaxation {
            let whole = searches.whole();
            searches.relaxation(signals, |search| {
                let tried = search.best_of_roots(&whole, limits, upper, task);
                search.count_cache();
                tried
            })
        } else {
            let whole = searches.constrained_whole();
            searches
                .constrained(signals, |search| search.best_of_roots(&whole, limits, upper, task))
        }
    }

    /// Calls `work` with the checks and the searches of trees that cost less than `below`.
    fn with_searches<T>(
        &self,
        below: Cost,
        (clock, progress): (Clock<'_>, &Progress),
        work: impl FnOnce(&mut FeatureChoice<'_, K>, &RestrictedSearches<'_, K>) -> T,
    ) -> T {
        let RootsRequest { request, constraints, targets, .. } = &self.roots;
        let ConstrainedRoots { family, restricted, prices, .. } = self;
        let request = ChoiceRequest { below, ..*request };
        let (table, targets) = (&restricted.table, targets.as_ref());
        let problem = Problem { table, request, constraints, targets, prices };
        let constraints = RestrictedConstraints::new(&problem, restricted);
        let searches =
            RestrictedSearches::new(family, restricted, &constraints, request.threads, clock);
        let table = (family, &restricted.prepared);
        let mut choice =
            FeatureChoice::new(table, &constraints.prepared, &problem, clock, progress);
        work(&mut choice, &searches)
    }

    /// The same without a limit on time.
    fn with_checks<T>(&self, work: impl FnOnce(&mut FeatureChoice<'_, K>) -> T) -> T {
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        self.with_searches(self.roots.request.below, (clock, &progress), |choice, _| work(choice))
    }

    /// The same rules with features of the prepared table.
    fn in_prepared(&self, roots: &[RootRange]) -> Vec<RootRange> {
        let prepared = self.prepared();
        let place = |index: u32| (0..prepared.features()).find(|&at| prepared.index(at) == index);
        let moved =
            |roots: &RootRange| Some(RootRange { feature: place(roots.feature)? as u32, ..*roots });
        roots.iter().filter_map(moved).collect()
    }

    /// The same rules with features of the table.
    fn in_table(&self, roots: &RootRange) -> RootRange {
        RootRange { feature: self.prepared().index(roots.feature as usize), ..*roots }
    }
}

impl<K: CostFamily<Prepared: Send> + Send> RootTasks for ConstrainedRoots<K> {
    fn roots(&self) -> Vec<RootRange> {
        let range = |at: usize| {
            let index = self.prepared().index(at);
            let values = self.table().features[index as usize].values.len() as u32;
            (values > 1).then(|| RootRange::new(index, 0, values - 2))
        };
        (0..self.prepared().features()).filter_map(range).collect()
    }

    /// With `start` the first incumbent is the leaf or the initial tree, pruned until it satisfies
    /// the constraints.
    fn run(
        &self,
        roots: &[RootRange],
        (below, start): (Cost, bool),
        clock: Clock<'_>,
        progress: &Progress,
        control: &SearchControl,
    ) -> (SearchOutcome, Vec<RootRange>) {
        let (roots, below) = (self.in_prepared(roots), below.min(UNBOUNDED));
        let (part, control) = (None, Some(control));
        let signals = SearchSignals { progress, part, stop_at_gap: 0.0, control };
        self.with_searches(below, (clock, progress), |choice, searches| {
            if start && !self.roots.relaxation {
                choice.start(self.initial.as_ref());
            }
            let upper = choice.upper_without(0);
            let (tried, mut stats) = self.search(searches, &roots, upper, signals);
            stats.first_incumbent = choice.incumbent.as_ref().map(|found| found.0);
            stats.seconds = clock.seconds();
            let found = tried.tree.or(choice.incumbent.take()).map(|(cost, tree)| {
                if self.roots.relaxation {
                    // Stumps of the relaxation may have an empty child
                    // (`depth_two/directed_roots.rs`).
                    return (cost, choice.refitted(&tree));
                }
                // Costs with rounding errors stay those of the search, to which its bounds belong.
                let (reduced, tree) = choice.reduced(&tree);
                (cost.min(reduced), tree)
            });
            let outcome = Outcome::of(found, tried.lower, below, clock.stopped_by());
            let open = tried.open.iter().map(|roots| self.in_table(roots)).collect();
            (SearchOutcome { outcome, stats }, open)
        })
    }

    fn agrees(&self, tree: &Arc<Tree>, cost: Cost) -> bool {
        self.with_checks(|choice| {
            let tree = choice.in_prepared_features(tree, choice.column_of(self.table()));
            let (counted, rounding) = (choice.total(&tree), choice.space.rounding(tree.size() + 1));
            match self.roots.relaxation {
                // A leaf may predict another class than its cheapest
                // (`depth_two/directed_roots.rs`).
                true => choice.is_within_limits(&tree) && counted <= cost.saturating_add(rounding),
                false => choice.obeys(&tree) && counted.abs_diff(cost) <= rounding,
            }
        })
    }

    /// The tree, pruned until it satisfies the constraints.
    fn adopted(&self, (_, tree): CostedTree) -> Option<CostedTree> {
        self.with_checks(|choice| {
            choice.take(&choice.in_prepared_features(&tree, choice.column_of(self.table())));
            let (_, tree) = choice.incumbent.take()?;
            Some(choice.reduced(&tree))
        })
    }
}
