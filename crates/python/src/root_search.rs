//! Root tasks of distributed workers: a prepared table, and searches restricted to some of its
//! roots.

use crate::border::{
    ClassCostsConclusion, RegressionConclusion, RootsConclusion, RootsResult, RootsRow, TreeNodes,
};
use crate::class_costs::{ClassCostArguments, ClassCostsSettings};
use crate::constraint_settings::{
    ConstrainedClassCostsSettings, ConstrainedErrorSettings, ConstrainedRegressionSettings,
};
use crate::constraints::{self, ConstrainedClassCosts, ConstrainedRegressionArguments};
use crate::dichotomies::{self, DichotomyArguments, DichotomySettings};
use crate::regression::{RegressionArguments, RegressionSettings, counted, in_table};
use crate::request::{CallLimits, CostSettings};
use crate::result::{self, NodeRow, moments, status, stopped_by};
use crate::root_search_kind::RootSearchKind;
use crate::searches::found_by;
use crate::table::{ExampleArrays, TableArguments};
use crate::watch;
use exactree_model::{Table, Tree, UNBOUNDED};
use exactree_search::{
    Clock, CostRootSearch, DichotomyRootSearch, Options, Progress, ProperStats, RootRange,
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::sync::Arc;

/// A prepared search, and the reason why the preparation was stopped, if it was.
type Prepared = (Option<RootSearch>, Option<&'static str>);

/// Signals to a running search from other workers.
#[pyclass(module = "exactree._native", frozen)]
#[derive(Default)]
pub struct SearchControl(exactree_search::SearchControl);

#[pymethods]
impl SearchControl {
    #[new]
    fn new() -> Self {
        SearchControl::default()
    }

    /// Trees of this cost or more no longer matter.
    fn tighten_upper_bound(&self, cost: u64) {
        self.0.tighten_upper_bound(cost);
    }

    /// Makes the search return its open rules once the rule being evaluated is finished.
    fn return_open(&self) {
        self.0.return_open();
    }
}

/// A table prepared once for several searches, which share a cache. All costs are integers of the
/// search, except those of `in_user_units` and `conclude`.
///
/// The cache outlives each search and may take half of the memory limit. The memory of a search
/// counts from its start.
#[pyclass(module = "exactree._native", frozen)]
pub struct RootSearch {
    search: RootSearchKind,
    /// Whether thresholds of nodes lie between values of the whole table: so under constraints.
    whole_table: bool,
    memory_limit: Option<usize>,
}

#[pymethods]
impl RootSearch {
    /// Prepares a table with the settings of the search "minimum-errors".
    #[staticmethod]
    fn of_errors(
        py: Python<'_>,
        examples: ExampleArrays<'_>,
        settings: CostSettings,
    ) -> PyResult<Prepared> {
        let limits = settings.search.resources.start();
        let (request, options) =
            (settings.request(), settings.search.resources.options(Options::set)?);
        let raw = TableArguments { threads: request.threads, ..examples.copied()? };
        prepared(py, limits, false, |clock| {
            let (stopped, table) = (|| clock.stopped(), raw.table_within(clock));
            exactree_search::RootSearch::prepare(&stopped, table, request, options)
                .map(RootSearchKind::Errors)
        })
    }

    /// Prepares dichotomies with the settings of `proper_tree`.
    #[staticmethod]
    fn of_dichotomies(
        py: Python<'_>,
        bits: PyReadonlyArray2<'_, u8>,
        labels: PyReadonlyArray1<'_, u32>,
        weights: PyReadonlyArray1<'_, u64>,
        n_classes: usize,
        settings: DichotomySettings,
    ) -> PyResult<Prepared> {
        let limits = settings.costs.search.resources.start();
        let arguments = DichotomyArguments::read(bits, labels, weights, n_classes, settings)?;
        prepared(py, limits, false, |clock| {
            let DichotomyArguments { dichotomies, examples, request } = arguments;
            DichotomyRootSearch::prepare(&dichotomies, &examples, request, clock)
                .map(RootSearchKind::Dichotomies)
        })
    }

    /// Prepares a table with the settings of `regression_tree`, and whether to search in
    /// fine units.
    #[staticmethod]
    fn of_regression(
        py: Python<'_>,
        columns: PyReadonlyArray2<'_, f64>,
        targets: PyReadonlyArray1<'_, f64>,
        weights: PyReadonlyArray1<'_, u64>,
        settings: RegressionSettings,
        fine: bool,
    ) -> PyResult<Prepared> {
        let limits = settings.search.resources.start();
        let arguments = RegressionArguments::read(columns, targets, weights, settings)?;
        prepared(py, limits, false, |clock| {
            let examples = arguments.examples(clock)?;
            let request = arguments.request.clone();
            let examples = if fine { examples.in_fine_units(clock, &request)? } else { examples };
            let initial = arguments.incumbent(&examples);
            let search = CostRootSearch::new(examples, request, initial);
            Some(RootSearchKind::CostOutcome(Box::new(search)))
        })
    }

    /// Prepares a table with the settings of `class_costs_tree`.
    #[staticmethod]
    fn of_class_costs(
        py: Python<'_>,
        examples: ExampleArrays<'_>,
        settings: ClassCostsSettings,
    ) -> PyResult<Prepared> {
        let limits = settings.search.resources.start();
        let arguments = ClassCostArguments::new(examples.copied()?, &settings, 0.0)?;
        prepared(py, limits, false, |clock| {
            let (examples, request) = (arguments.examples(clock)?, arguments.request.clone());
            let initial = arguments.incumbent(&examples);
            let search = Box::new(CostRootSearch::new(examples, request, initial));
            Some(RootSearchKind::ClassCosts(search, arguments.exponent, arguments.unit()))
        })
    }

    /// Prepares a table with the settings of `constrained_errors`, without `max_features` or prices
    /// of features, or for its relaxation.
    #[staticmethod]
    fn of_constrained_errors(
        py: Python<'_>,
        examples: ExampleArrays<'_>,
        settings: ConstrainedErrorSettings<'_>,
        relaxation: bool,
    ) -> PyResult<Prepared> {
        let limits = settings.start();
        let (unscaled, request) = (settings.unscaled(), settings.request()?);
        let raw = TableArguments { unscaled, threads: request.threads(), ..examples.copied()? };
        prepared(py, limits, true, |clock| {
            let search = request.roots(raw, relaxation, clock)?;
            Some(RootSearchKind::ConstrainedErrors(Box::new(search)))
        })
    }

    /// The same with the settings of `constrained_class_costs`.
    #[staticmethod]
    fn of_constrained_class_costs(
        py: Python<'_>,
        examples: ExampleArrays<'_>,
        settings: ConstrainedClassCostsSettings,
        relaxation: bool,
    ) -> PyResult<Prepared> {
        let limits = settings.start();
        let call = ConstrainedClassCosts::new(examples.copied()?, settings)?;
        let (exponent, unit) = (call.arguments.exponent, call.arguments.unit());
        prepared(py, limits, true, |clock| {
            let search = call.roots(relaxation, clock)?;
            Some(RootSearchKind::ClassCosts(Box::new(search), exponent, unit))
        })
    }

    /// The same with the settings of `constrained_regression`, and whether to search in fine units.
    #[staticmethod]
    fn of_constrained_regression(
        py: Python<'_>,
        columns: PyReadonlyArray2<'_, f64>,
        targets: PyReadonlyArray1<'_, f64>,
        weights: PyReadonlyArray1<'_, u64>,
        settings: ConstrainedRegressionSettings,
        relaxation: bool,
        fine: bool,
    ) -> PyResult<Prepared> {
        let limits = settings.start();
        let call = ConstrainedRegressionArguments::read(columns, targets, weights, settings)?;
        prepared(py, limits, true, |clock| {
            let search = call.roots((relaxation, fine), clock)?;
            Some(RootSearchKind::CostOutcome(Box::new(search)))
        })
    }

    /// The rules that a root may have.
    fn roots(&self) -> Vec<RootsRow> {
        self.search.tasks().roots().iter().map(|roots| self.row(roots)).collect()
    }

    /// Searches for the best tree that costs less than `upper_bound` with one of these rules at its
    /// root; with `start` the first incumbent is the initial tree or a greedy tree. Otherwise as
    /// `minimum_errors`; "open" in the result has the rules that remain open.
    #[pyo3(signature = (roots, upper_bound, start, time_limit, control, on_progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn run(
        &self,
        py: Python<'_>,
        roots: Vec<RootsRow>,
        upper_bound: Option<u64>,
        start: bool,
        time_limit: Option<f64>,
        control: &SearchControl,
        on_progress: Option<Py<PyAny>>,
    ) -> PyResult<RootsResult> {
        let roots: Vec<RootRange> = roots.into_iter().filter_map(|row| self.range(row)).collect();
        let limits = CallLimits::new(time_limit, self.memory_limit);
        let start = (upper_bound.unwrap_or(UNBOUNDED).min(UNBOUNDED), start);
        let (tasks, control) = (self.search.tasks(), &control.0);
        let run = |clock: &Clock<'_>, progress: &Progress| {
            let (solved, open) = tasks.run(&roots, start, *clock, progress, control);
            (solved, open, progress.curve())
        };
        let (solved, open, curve) = watch::run(py, on_progress, limits, run)?;
        let (choices, relaxation) = (solved.stats.choices, solved.stats.pruned.relaxation);
        let (outcome, stats) = match (&self.search, self.search.table()) {
            (RootSearchKind::Dichotomies(search), _) => {
                let counts =
                    ProperStats { dichotomies: search.dichotomies(), search: solved.stats };
                (solved.outcome, dichotomies::stats_of(py, &counts, &curve)?)
            }
            (RootSearchKind::CostOutcome(_) | RootSearchKind::ClassCosts(..), Some(table)) => {
                let stats = counted(py, table, &solved.stats)?;
                stats.set_item("first_incumbent", solved.stats.first_incumbent)?;
                stats.set_item("progress", moments(&curve))?;
                (solved.outcome, stats)
            }
            (_, table) => {
                let (table, found) = (table.expect("of thresholds"), found_by(solved));
                let stats = result::stats(py, table, &found, &curve)?;
                (found.outcome, stats)
            }
        };
        if self.whole_table {
            constraints::add_counts(&stats, choices, relaxation)?;
        }
        Ok(RootsResult {
            cost: outcome.cost,
            stopped_by: outcome.stopped_by.map(stopped_by),
            nodes: outcome.tree.as_ref().map(|tree| self.nodes(tree)),
            stats: stats.unbind(),
            open: open.iter().map(|roots| self.row(roots)).collect(),
        })
    }

    /// A cost in the unit in which `on_progress` of the search of a whole table receives it; None
    /// if that is this integer.
    fn in_user_units(&self, cost: u64) -> Option<f64> {
        match &self.search {
            RootSearchKind::CostOutcome(search) => Some(search.in_user_units(cost as f64)),
            RootSearchKind::ClassCosts(_, _, unit) => unit.map(|unit| cost as f64 * unit),
            RootSearchKind::Errors(_)
            | RootSearchKind::ConstrainedErrors(_)
            | RootSearchKind::Dichotomies(_) => None,
        }
    }

    /// (cost − lower bound) / cost, rounding included.
    fn gap(&self, cost: u64, lower_bound: u64) -> f64 {
        let exact = || cost.saturating_sub(lower_bound) as f64 / cost.max(1) as f64;
        self.search.costs().map_or_else(exact, |search| search.gap(cost, lower_bound))
    }

    /// Whether a tree, given by its nodes, costs this much, up to rounding.
    fn agrees(&self, py: Python<'_>, nodes: TreeNodes, cost: u64) -> PyResult<bool> {
        watch::run(py, None, CallLimits::new(None, None), |_, _| {
            self.tree(&nodes).is_some_and(|tree| self.search.tasks().agrees(&tree, cost))
        })
    }

    /// Cost and nodes of a tree of this search, made of a tree of a search without some of its
    /// limits and constraints; None if there is none.
    fn adopted(
        &self,
        py: Python<'_>,
        nodes: TreeNodes,
        cost: u64,
    ) -> PyResult<Option<(u64, TreeNodes)>> {
        watch::run(py, None, CallLimits::new(None, None), |_, _| {
            let (cost, tree) = self.search.tasks().adopted((cost, self.tree(&nodes)?))?;
            Some((cost, self.nodes(&tree)))
        })
    }

    /// What the best tree of all tasks, given by its nodes and its cost, and a lower bound for all
    /// tasks prove, as the search of the whole table returns it. None for plain errors, which need
    /// no conversion.
    fn conclude(
        &self,
        py: Python<'_>,
        nodes: Option<TreeNodes>,
        cost: u64,
        lower_bound: u64,
    ) -> PyResult<Option<RootsConclusion>> {
        let Some(search) = self.search.costs() else { return Ok(None) };
        let exponent = match &self.search {
            RootSearchKind::ClassCosts(_, exponent, _) => Some(*exponent),
            _ => None,
        };
        let found = watch::run(py, None, CallLimits::new(None, None), |_, _| {
            let tree = nodes.and_then(|nodes| self.tree(&nodes));
            search.conclude(tree.map(|tree| (cost, tree)), lower_bound)
        })?;
        let outcome = &found.outcome;
        let (status, stopped_by) = (status(outcome.status), outcome.stopped_by.map(stopped_by));
        let nodes = outcome.tree.as_ref().map(|tree| self.threshold_nodes(search.table(), tree));
        Ok(Some(match exponent {
            None => RootsConclusion::CostOutcome(RegressionConclusion {
                status,
                cost: found.cost,
                lower_bound: found.lower_bound,
                stopped_by,
                nodes,
                rounding: found.rounding,
                too_coarse: search.is_too_coarse(&found),
            }),
            Some(exponent) => RootsConclusion::ClassCosts(ClassCostsConclusion {
                status,
                lower_bound: outcome.lower_bound,
                rounding_units: found.rounding_units,
                exponent,
                stopped_by,
                nodes,
            }),
        }))
    }
}

impl RootSearch {
    fn threshold_nodes(&self, table: &Table, tree: &Tree) -> Vec<NodeRow> {
        let nodes = if self.whole_table { result::nodes_of_whole_table } else { result::nodes };
        nodes(table, tree)
    }

    fn nodes(&self, tree: &Tree) -> TreeNodes {
        match self.search.table() {
            Some(table) => TreeNodes::Thresholds(self.threshold_nodes(table, tree)),
            None => TreeNodes::Dichotomies(dichotomies::nodes(tree)),
        }
    }

    /// The tree with these nodes; `None` if they do not fit the table.
    fn tree(&self, nodes: &TreeNodes) -> Option<Arc<Tree>> {
        match (self.search.table(), nodes) {
            (Some(table), TreeNodes::Thresholds(nodes)) => in_table(table, nodes, 0),
            (None, TreeNodes::Dichotomies(nodes)) => dichotomies::tree(nodes, 0),
            (Some(_), TreeNodes::Dichotomies(_)) | (None, TreeNodes::Thresholds(_)) => None,
        }
    }

    fn row(&self, roots: &RootRange) -> RootsRow {
        let RootRange { feature, first, last, lower, left, right } = *roots;
        let column =
            self.search.table().map_or(feature, |table| table.features[feature as usize].index);
        (column, first, last, lower, left, right)
    }

    /// The rules of a row; `None` for a column without rules.
    fn range(&self, row: RootsRow) -> Option<RootRange> {
        let (column, first, last, lower, left, right) = row;
        let feature = match self.search.table() {
            Some(table) => {
                let mut features = table.features.iter();
                features.position(|feature| feature.index == column)? as u32
            }
            None => column,
        };
        Some(RootRange { feature, first, last, lower, left, right })
    }
}

/// Prepares a search within these limits. The memory limit holds for every search, not
/// for the preparation.
fn prepared(
    py: Python<'_>,
    limits: CallLimits,
    whole_table: bool,
    prepare: impl FnOnce(&Clock<'_>) -> Option<RootSearchKind> + Send,
) -> PyResult<Prepared> {
    let (limits, memory_limit) = limits.without_memory();
    watch::run(py, None, limits, |clock, _| {
        let search = prepare(clock).map(|search| RootSearch { search, whole_table, memory_limit });
        let stopped_by = clock.stopped_by().filter(|_| search.is_none());
        (search, stopped_by.map(result::stopped_by))
    })
}
