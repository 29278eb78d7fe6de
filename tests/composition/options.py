"""What the options of `solve` do in a problem, found by trying them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import BuiltinFunctionType
from typing import Any
from unittest import mock

from exactree import Ensemble, Limits, MethodRefused, Problem, _native, solve
from exactree.distributed import searches
from exactree.distributed.pool import LocalCluster
from exactree.engine.native.settings import Resources, SearchSettings

__all__ = ["OPTIONS", "deep", "tried"]

# Native searches that take one thread although other searches of the same call take several.
_SINGLE = {"pairs_between": "the list of pairs", "minimum_size": "sizes"}


def deep(problem: Problem) -> Problem:
    """Return a problem with trees of three levels, because one worker finds shallower trees.

    Parameters
    ----------
    problem : Problem
        A problem with trees of up to two levels.
    """
    limits = problem.limits
    sizes = {name: 7 for name in ("max_size", "max_total_size") if getattr(limits, name)}
    return (
        problem.within(replace(limits, max_depth=3, **sizes)) if problem.n_trees == 1 else problem
    )


def tried(option: str, problem: Problem) -> tuple[str, str]:
    """Return what an option does in a problem, or "refused" and the message.

    Parameters
    ----------
    option : str
        A key of `OPTIONS`.
    problem : Problem
        The problem.
    """
    try:
        return OPTIONS[option](problem), ""
    except (ValueError, MethodRefused) as refusal:
        return "refused", str(refusal)


def _n_jobs(problem: Problem) -> str:
    """Return which native searches get two threads."""
    with _native_settings() as calls:
        solve(problem, n_jobs=2)
    threads = {(name, getattr(_within(settings, SearchSettings), "threads", 1))
               for name, settings in calls}  # fmt: skip
    several = {name for name, number in threads if number == 2}
    if not several:
        return "one thread" if calls else "not needed"
    single = sorted({_SINGLE[name] for name, number in threads if number == 1})
    return f"threads, one for {' and '.join(single)}" if single else "threads"


def _stop_at_gap(problem: Problem) -> str:
    """Return "yes" if a search with a gap ends within it."""
    with _native_settings() as calls:
        outcome = solve(problem, stop_at_gap=0.5)
    assert outcome.cost is None or outcome.gap <= 0.5 + 1e-9
    return "yes" if calls else "not needed"


def _cluster(problem: Problem) -> str:
    """Return whether the search is divided among workers."""
    shared, single = list[int](), list[int]()

    class Workers(LocalCluster):
        def call_on_one_worker(self, function: Callable[..., Any], *arguments: Any) -> Any:
            single.append(1)
            return super().call_on_one_worker(function, *arguments)

    with _recorded(searches, "shared", lambda *_: shared.append(1)):
        solve(problem, cluster=Workers())
    return "all workers" if shared else "one worker" if single else "not needed"


def _resume(problem: Problem) -> str:
    """Return "yes" if a file is written and read."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "run.json"
        first = solve(problem, resume=file)
        assert solve(problem, resume=file).cost == first.cost
        return "yes" if file.exists() else "not needed"


def _incumbent(problem: Problem) -> str:
    """Return "yes" if a search that stops at once still has a solution, if only the incumbent."""
    best = solve(problem)
    found: Any = best.tree or best.ensemble
    if found is None:  # none is within the limits
        stump = problem.with_trees(1).within(Limits(max_depth=1))
        tree = solve(stump.minimizing(stump.error_term)).tree
        assert tree is not None
        found = tree if problem.n_trees == 1 else Ensemble((tree,) * problem.n_trees)
    solve(problem, incumbent=found)
    # A search for one tree finishes a greedy tree in any time; one for ensembles refuses so little
    # memory.
    at_once = {"memory_limit": 1} if problem.n_trees == 1 else {"time_limit": 1e-9}
    stopped = solve(problem, incumbent=found, **at_once)
    assert not best.trees or stopped.cost is not None
    return "yes"


OPTIONS: dict[str, Callable[[Problem], str]] = {
    "n_jobs": _n_jobs,
    "stop_at_gap": _stop_at_gap,
    "cluster": _cluster,
    "resume": _resume,
    "incumbent": _incumbent,
}


@contextmanager
def _native_settings() -> Iterator[list[tuple[str, Any]]]:
    """Record the names and the settings of the native searches that are called."""
    calls: list[tuple[str, Any]] = []
    with ExitStack() as stack:
        for name, function in vars(_native).items():
            if isinstance(function, BuiltinFunctionType):

                def record(*arguments: Any, name: str = name) -> None:
                    settings = [each for each in arguments if _within(each, Resources) is not None]
                    calls.extend((name, each) for each in settings)

                stack.enter_context(_recorded(_native, name, record))
        yield calls


@contextmanager
def _recorded(module: Any, name: str, record: Callable[..., None]) -> Iterator[None]:
    """Call a function before every call of a function of a module, with the same arguments."""
    function = getattr(module, name)

    def recording(*arguments: Any, **options: Any) -> Any:
        record(*arguments)
        return function(*arguments, **options)

    with mock.patch.object(module, name, recording):
        yield


def _within(settings: Any, kind: type) -> Any:
    """Return the object of a type that settings contain, None if there is none."""
    if isinstance(settings, kind):
        return settings
    if not is_dataclass(settings):
        return None
    found = (_within(getattr(settings, field.name), kind) for field in fields(settings))
    return next((each for each in found if each is not None), None)
