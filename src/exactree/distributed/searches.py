"""The native searches of the engine, each shared by all workers of a cluster.

A search returns what the search in this process returns, so that the loops of the engine around
searches run unchanged. Costs are integers of the search until its last task; only then, here, are
they converted to the unit of the user.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from exactree.distributed.checkpoint import CheckpointFile
from exactree.distributed.conclusions import (
    conclusion_of,
    joined_results,
    options_after,
    result_in_user_units,
)
from exactree.distributed.pool import Cluster, WorkerCount
from exactree.distributed.scheduler import SharedResult, shared
from exactree.distributed.worker import CLUSTER_STATS, add_stats
from exactree.engine.native import (
    constrained_class_costs,
    constrained_errors,
    constrained_regression,
    minimum_class_costs,
    minimum_deviation,
    minimum_errors,
    proper_tree,
)
from exactree.engine.native.border import (
    ClassCostsConclusion,
    ClassCostsResult,
    DichotomyNode,
    RegressionConclusion,
    RegressionResult,
    SearchResult,
    TreeT,
)
from exactree.engine.native.constrained import ConstrainedSearches
from exactree.engine.native.constrained_request import (
    constrained_class_costs_request,
    constrained_errors_request,
    constrained_regression_request,
)
from exactree.engine.native.dichotomy_request import dichotomy_request
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.root_request import (
    RootRequest,
    class_costs_request,
    errors_request,
    regression_request,
)
from exactree.engine.native.settings import (
    ClassCostsSettings,
    ConstrainedClassCostsSettings,
    ConstrainedErrorSettings,
    ConstrainedRegressionSettings,
    CostsByClass,
    CostSettings,
    RegressionSettings,
)
from exactree.problem import Problem
from exactree.stopping import Stopped
from exactree.trees.arrays import ArrayNode

__all__ = ["SharedSearches", "is_deep"]

ConstrainedSettings = (
    ConstrainedErrorSettings | ConstrainedClassCostsSettings | ConstrainedRegressionSettings
)
ConstrainedSettingsT = TypeVar("ConstrainedSettingsT", bound=ConstrainedSettings)


def is_deep(caps: Caps) -> bool:
    """Return whether trees within caps may have more than two levels; only these are shared.

    Parameters
    ----------
    caps : Caps
        The limits.
    """
    return all(limit is None or limit > 2 for limit in (caps.depth, caps.size))


@dataclass(frozen=True)
class SharedSearches:
    """The native searches with the workers of a cluster; shallow trees are found in this process.

    Attributes
    ----------
    cluster : Cluster
        The cluster that provides the workers.
    resume : CheckpointFile or None
        The checkpoint file, from which searches continue and to which they are saved.
    worker_count : WorkerCount
        Updated with the number of workers.
    stats : dict
        Statistics of the cluster, for all searches so far.
    """

    cluster: Cluster
    resume: CheckpointFile | None
    worker_count: WorkerCount
    stats: dict[str, Any] = field(default_factory=dict)

    def errors(
        self, problem: Problem, caps: Caps, options: SearchOptions
    ) -> SearchResult[list[ArrayNode]]:
        """Search for the tree of minimum errors plus leaf prices within caps.

        Parameters
        ----------
        problem, caps, options
            As in `exactree.engine.native.minimum_errors`.
        """
        search_here = partial(minimum_errors, problem, caps)
        request = partial(errors_request, problem, caps)
        return self._errors(request, search_here, caps, options)

    def dichotomies(
        self, problem: Problem, bits: NDArray[np.uint8], caps: Caps, options: SearchOptions
    ) -> SearchResult[list[DichotomyNode]]:
        """Search for the tree of minimum errors plus leaf prices over dichotomies.

        Parameters
        ----------
        problem, bits, caps, options
            As in `exactree.engine.native.proper_tree`.
        """
        search_here = partial(proper_tree, problem, bits, caps)
        request = partial(dichotomy_request, problem, bits, caps)
        return self._errors(request, search_here, caps, options)

    def _errors(
        self,
        request_with: Callable[[SearchOptions], RootRequest[CostSettings, Any]],
        search_here: Callable[[SearchOptions], SearchResult[TreeT]],
        caps: Caps,
        options: SearchOptions,
    ) -> SearchResult[TreeT]:
        """Search for the tree of minimum errors within caps, in this process if it is shallow."""
        if not is_deep(caps):
            return search_here(options)
        request = request_with(_without_gap(options))
        try:
            return self._shared(request, options, request.settings.upper_bound).found
        except Stopped:
            # Returns bounds without a search.
            return search_here(replace(options, time_limit=0.0))

    def class_costs(
        self,
        problem: Problem,
        costs: CostsByClass,
        options: SearchOptions,
        incumbent: Sequence[ArrayNode] | None = None,
    ) -> ClassCostsResult:
        """Search for the tree of minimum class costs.

        Parameters
        ----------
        problem, costs, options, incumbent
            As in `exactree.engine.native.minimum_class_costs`.
        """
        search_here = partial(minimum_class_costs, problem, costs, incumbent=incumbent)
        request = partial(class_costs_request, problem, costs, incumbent=incumbent)
        return self._class_costs(request, search_here, _caps_of(problem), options)

    def _class_costs(
        self,
        request_with: Callable[[SearchOptions], RootRequest[ClassCostsSettings, Any]],
        search_here: Callable[[SearchOptions], ClassCostsResult],
        caps: Caps,
        options: SearchOptions,
    ) -> ClassCostsResult:
        """Search for the tree of minimum class costs, in this process if it is shallow."""
        if not is_deep(caps):
            return search_here(options)
        try:
            result = self._shared(request_with(_without_gap(options)), options)
        except Stopped:
            return search_here(replace(options, time_limit=0.0))
        if result.prepared is None:
            stopped = search_here(replace(options, time_limit=0.0))
            return replace(stopped, nodes=result.found.nodes or stopped.nodes)
        concluded = conclusion_of(result, ClassCostsConclusion)
        return ClassCostsResult(
            status=concluded.status,
            lower_bound=concluded.lower_bound,
            rounding_units=concluded.rounding_units,
            exponent=concluded.exponent,
            stopped_by=concluded.stopped_by,
            nodes=concluded.nodes,
            stats=result.found.stats,
        )

    def regression(
        self,
        problem: Problem,
        leaf_price: float,
        options: SearchOptions,
        incumbent: Sequence[ArrayNode] | None = None,
    ) -> RegressionResult:
        """Search for the tree of minimum squared or absolute error.

        Parameters
        ----------
        problem, leaf_price, options, incumbent
            As in `exactree.engine.native.minimum_deviation`.
        """

        def search_here(options: SearchOptions) -> RegressionResult:
            return minimum_deviation(problem, leaf_price, options, incumbent)

        def request(
            options: SearchOptions, start: Sequence[ArrayNode] | None
        ) -> RootRequest[RegressionSettings, np.float64]:
            fine, first = start is not None, incumbent if start is None else start
            return regression_request(problem, leaf_price, options, first, fine=fine)

        return self._regression(request, search_here, _caps_of(problem), options)

    def _regression(
        self,
        request_with: Callable[
            [SearchOptions, Sequence[ArrayNode] | None],
            RootRequest[RegressionSettings, np.float64],
        ],
        search_here: Callable[[SearchOptions], RegressionResult],
        caps: Caps,
        options: SearchOptions,
    ) -> RegressionResult:
        """Search for the tree of minimum squared or absolute error.

        If the rounding error of the proof exceeds the tolerance, the search is repeated in fine
        units, starting from its tree: `request_with` receives the tree then.
        """
        if not is_deep(caps):
            return search_here(options)
        no_time = replace(options, time_limit=0.0)
        try:
            result = self._shared(request_with(_without_gap(options), None), options)
        except Stopped:
            return search_here(no_time)
        if result.prepared is None:
            stopped = search_here(no_time)
            return replace(stopped, nodes=result.found.nodes or stopped.nodes)
        concluded = conclusion_of(result, RegressionConclusion)
        found = result_in_user_units(result, concluded, options.threads)
        if not concluded.too_coarse:
            return found
        rest = options_after(found, options)
        try:
            finer = self._shared(request_with(_without_gap(rest), found.nodes), rest)
        except Stopped:  # the proof holds up to its rounding error
            return found
        if finer.prepared is None:
            return found
        concluded = conclusion_of(finer, RegressionConclusion)
        again = result_in_user_units(finer, concluded, options.threads)
        return joined_results(found, again)

    @property
    def constrained(self) -> ConstrainedSearches:
        """The searches under constraints."""
        return ConstrainedSearches(
            self.constrained_errors, self.constrained_class_costs, self.constrained_regression
        )

    def constrained_errors(
        self, problem: Problem, settings: ConstrainedErrorSettings, options: SearchOptions
    ) -> SearchResult[list[ArrayNode]]:
        """Search for the tree of minimum errors plus leaf prices under constraints.

        Parameters
        ----------
        problem, settings, options
            As in `exactree.engine.native.constrained_errors`.
        """

        def search_here(options: SearchOptions) -> SearchResult[list[ArrayNode]]:
            return constrained_errors(problem, _with_options(settings, options), options)

        def request(options: SearchOptions) -> RootRequest[CostSettings, np.uint32]:
            return constrained_errors_request(problem, _with_options(settings, options))

        return self._errors(request, search_here, _caps_in(settings), options)

    def constrained_class_costs(
        self, problem: Problem, settings: ConstrainedClassCostsSettings, options: SearchOptions
    ) -> ClassCostsResult:
        """Search for the tree of minimum class costs under constraints.

        Parameters
        ----------
        problem, settings, options
            As in `exactree.engine.native.constrained_class_costs`.
        """

        def search_here(options: SearchOptions) -> ClassCostsResult:
            return constrained_class_costs(problem, _with_options(settings, options), options)

        def request(options: SearchOptions) -> RootRequest[ClassCostsSettings, np.uint32]:
            return constrained_class_costs_request(problem, _with_options(settings, options))

        return self._class_costs(request, search_here, _caps_in(settings), options)

    def constrained_regression(
        self, problem: Problem, settings: ConstrainedRegressionSettings, options: SearchOptions
    ) -> RegressionResult:
        """Search for the tree of minimum squared or absolute error under constraints.

        Parameters
        ----------
        problem, settings, options
            As in `exactree.engine.native.constrained_regression`.
        """

        def search_here(options: SearchOptions) -> RegressionResult:
            return constrained_regression(problem, _with_options(settings, options), options)

        def request(
            options: SearchOptions, start: Sequence[ArrayNode] | None
        ) -> RootRequest[RegressionSettings, np.float64]:
            chosen = _with_options(settings, options)
            if start is not None:
                constraints = replace(chosen.constraints, incumbent=list(start))
                chosen = replace(chosen, constraints=constraints)
            return constrained_regression_request(problem, chosen, fine=start is not None)

        return self._regression(request, search_here, _caps_in(settings), options)

    def _shared(
        self, request: RootRequest[Any, Any], options: SearchOptions, below: int | None = None
    ) -> SharedResult:
        run = (self.cluster, self.resume, self.worker_count)
        result = shared(request, options, below, *run)
        found = {**result.found.stats}
        add_stats(self.stats, {name: found[name] for name in CLUSTER_STATS if name in found})
        return result


def _caps_of(problem: Problem) -> Caps:
    return Caps(problem.limits.max_depth, problem.max_tree_size, None)


def _caps_in(settings: ConstrainedSettings) -> Caps:
    limits = settings.costs.search.limits
    return Caps(limits.max_depth, limits.max_size, None)


def _with_options(settings: ConstrainedSettingsT, options: SearchOptions) -> ConstrainedSettingsT:
    """Return the settings of a search with other options."""
    costs: Any = settings.costs
    search = options.search_settings(costs.search.limits)
    return replace(settings, costs=replace(costs, search=search))


def _without_gap(options: SearchOptions) -> SearchOptions:
    """Return the options of every task: only the whole run stops at a gap."""
    return replace(options, stop_at_gap=0.0)
