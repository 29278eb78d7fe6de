"""The results of runs in the unit of the user, converted once, after the last task."""

from dataclasses import replace
from typing import Any, TypeVar, cast

from exactree.distributed.scheduler import SharedResult
from exactree.distributed.worker import add_stats
from exactree.engine.native.border import (
    RegressionConclusion,
    RegressionResult,
    RegressionStats,
    RootsConclusion,
)
from exactree.engine.native.request import SearchOptions

__all__ = ["conclusion_of", "joined_results", "options_after", "result_in_user_units"]

ConclusionT = TypeVar("ConclusionT", bound=RootsConclusion)


def conclusion_of(result: SharedResult, kind: type[ConclusionT]) -> ConclusionT:
    """Return the proof of a run, with costs as in a search without tasks.

    Parameters
    ----------
    result : SharedResult
        The result of the run, which has a prepared table.
    kind : type
        The type of its conclusions.
    """
    assert result.prepared is not None
    found = result.found
    # Without a tree the lower bound is all that is known.
    concluded = result.prepared.conclude(found.nodes, found.cost or 0, found.lower_bound)
    assert isinstance(concluded, kind)
    if concluded.status == "optimal" and result.stopped_by != "interrupt":
        return concluded
    return replace(concluded, stopped_by=result.stopped_by)


def result_in_user_units(
    result: SharedResult, concluded: RegressionConclusion, threads: int
) -> RegressionResult:
    """Return the result of a run of a regression, with statistics in the unit of the user.

    Parameters
    ----------
    result : SharedResult
        The result of the run, which has a prepared table.
    concluded : RegressionConclusion
        Its proof.
    threads : int
        Threads of each worker.
    """
    assert result.prepared is not None
    stats: dict[str, Any] = {**result.found.stats}
    in_units = result.prepared.in_user_units
    stats |= {"rounding": concluded.rounding, "threads": threads}
    stats["progress"] = [
        (None if cost is None else in_units(cost), in_units(bound), seconds)
        for cost, bound, seconds in stats["progress"]
    ]
    if stats["first_incumbent"] is not None:
        stats["first_incumbent"] = in_units(stats["first_incumbent"])
    return RegressionResult(
        status=concluded.status,
        cost=concluded.cost,
        lower_bound=concluded.lower_bound,
        stopped_by=concluded.stopped_by,
        nodes=concluded.nodes,
        stats=cast(RegressionStats, stats),
    )


def options_after(found: RegressionResult, options: SearchOptions) -> SearchOptions:
    """Return the options of a second search, whose progress is not below that of the first.

    Parameters
    ----------
    found : RegressionResult
        The result of the first search.
    options : SearchOptions
        Its options.
    """
    seconds, callback = found.stats["seconds"], options.callback
    rest = options.after(seconds)
    if callback is None:
        return rest

    def in_second_search(_: float | None, bound: float, seconds_of_search: float) -> object:
        lower_bound = max(bound, found.lower_bound)
        return callback(found.cost, lower_bound, seconds + seconds_of_search)

    return replace(rest, callback=in_second_search)


def joined_results(found: RegressionResult, again: RegressionResult) -> RegressionResult:
    """Return the result of a repeated search, with the statistics of both.

    Parameters
    ----------
    found, again : RegressionResult
        The results of both searches.
    """
    first, second = found.stats, again.stats
    stats: dict[str, Any] = {**second, "progress": first["progress"]}
    add_stats(stats, first)
    stats["seconds"] = first["seconds"] + second["seconds"]
    return replace(
        again,
        lower_bound=max(found.lower_bound, again.lower_bound),
        stats=cast(RegressionStats, stats),
    )
