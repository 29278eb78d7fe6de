"""Page and picture of measured and simulated searches on a cluster, made from two records."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.picture import BLACK, BLUE, GREY, picture

__all__ = ["draw", "measured_page", "page", "simulated_page", "summary"]

Plain = dict[str, Any]
# Required speed-up of two workers over one worker, and the maximum share by which one worker may be
# slower than the engine.
MIN_SPEEDUP, MAX_SLOWDOWN = 1.6, 0.05
# The share of the greatest speed-up for which the page names the number of workers.
NEARLY = 0.9


def measured_page(record: Plain) -> str:
    """Return the measurements in Markdown."""
    lines = [*_head(record), "", "| search | wall seconds | fastest | tasks | work (s) |"]
    lines += ["| --- | --- | --- | --- | --- |"]
    for workers, fastest in sorted(_fastest(record).items()):
        calls = [call for call in record["calls"] if call["workers"] == workers]
        seconds = ", ".join(f"{call['seconds']:.1f}" for call in calls)
        work = f"{fastest['tasks']} | {fastest['at_work']:.1f}" if workers else "- | -"
        lines.append(f"| {_who(workers)} | {seconds} | {fastest['seconds']:.1f} | {work} |")
    return "\n".join([*lines, "", *_measured_words(record)])


def _measured_words(record: Plain) -> list[str]:
    ratios, overhead = summary(record), record["overhead"]
    speedup_verdict = "met" if ratios["speedup"] >= MIN_SPEEDUP else "missed"
    slowdown_verdict = "met" if ratios["slowdown"] <= MAX_SLOWDOWN else "missed"
    one_by_one, together = (1e3 * overhead[name] for name in ("one_by_one", "together"))
    return [
        f"- Two workers are {ratios['speedup']:.2f} times as fast as one "
        f"(required: at least {MIN_SPEEDUP}; {speedup_verdict}).",
        f"- One worker takes {ratios['slowdown']:.1%} more time than the engine without a cluster "
        f"(required: at most {MAX_SLOWDOWN:.0%}; {slowdown_verdict}).",
        f"- The two workers were without a task for {ratios['idle']:.1%} of their time.",
        f"- An empty task takes {one_by_one:.1f} ms from the client to a worker and back, and "
        f"{together:.2f} ms on average if many are sent together.",
    ]


def summary(record: Plain) -> dict[str, float]:
    """Return the speed-up of two workers, the slowdown of one worker, and the idle share of two."""
    alone, one, two = (_fastest(record)[workers] for workers in (0, 1, 2))
    return {
        "speedup": one["seconds"] / two["seconds"],
        "slowdown": one["seconds"] / alone["seconds"] - 1,
        "idle": 1 - two["at_work"] / (2 * two["seconds"]),
    }


def _fastest(record: Plain) -> dict[int, Plain]:
    """Return the fastest call for each number of workers."""
    fastest: dict[int, Plain] = {}
    for call in sorted(record["calls"], key=lambda call: call["seconds"]):
        fastest.setdefault(call["workers"], call)
    return fastest


def simulated_page(record: Plain) -> str:
    """Return the simulated runs in Markdown."""
    runs = record["runs"]
    lines = [*_head(record), ""]
    lines += [
        "| workers | tasks | seconds | speed-up | work (s) | longest task (s) | utilization |"
    ]
    lines += ["| --- | --- | --- | --- | --- | --- | --- |"]
    for run in runs:
        speedup, use = _speedup(runs, run), run["busy"] / run["seconds"] / run["workers"]
        lines.append(
            f"| {run['workers']:,} | {run['tasks']:,} | {run['seconds']:.2f} | {speedup:.1f} | "
            f"{run['busy']:.1f} | {run['longest']:.2f} | {use:.1%} |"
        )
    return "\n".join([*lines, "", *_simulated_words(runs)])


def _simulated_words(runs: list[Plain]) -> list[str]:
    best = max(_speedup(runs, run) for run in runs)
    enough = next(run for run in runs if _speedup(runs, run) >= NEARLY * best)
    flattening = [
        (before["workers"], run["workers"])
        for before, run in pairwise(runs)
        if _speedup(runs, run) / _speedup(runs, before) < run["workers"] / before["workers"] / 2
    ]
    flattens = "The curve does not flatten within these numbers of workers."
    if flattening:
        first, last = flattening[0]
        flattens = (
            f"The curve flattens at {last:,} workers: from {first:,} workers to there, the "
            "speed-up grows by less than half of the factor by which the number of workers grows."
        )
    return [
        f"- The greatest speed-up is {best:.1f}; {enough['workers']:,} workers reach "
        f"{NEARLY:.0%} of it.",
        f"- {flattens}",
    ]


def _speedup(runs: list[Plain], run: Plain) -> float:
    speedup: float = runs[0]["seconds"] / run["seconds"]
    return speedup


def _who(workers: int) -> str:
    return {0: "the engine alone", 1: "one worker"}.get(workers, f"{workers} workers")


def _head(record: Plain) -> list[str]:
    machine = record["machine"]
    return [
        f"{record['examples']:,} examples, {record['features']} features, depth "
        f"{record['depth']} (`{record['date']}`, {machine['cores']} cores of {machine['processor']}"
        f", load before {machine['load_before']}, commit {machine['commit']})."
    ]


def page(measured: tuple[str, Plain], simulated: tuple[str, Plain], figure: str) -> str:
    """Return the whole page; each record comes with the link to it from the page."""
    scheduler_ms, message_ms = (
        1e3 * simulated[1][name] for name in ("scheduler_seconds", "message_seconds")
    )
    return "\n\n".join(
        [
            "# Scaling on a cluster",
            "Speed-up of a search by the number of workers: measured for two, simulated for up to "
            "10,000. `python -m benchmarks.cluster page` writes this page from two records. "
            "[Running a search on a cluster](cluster.md) says when a cluster is worthwhile.",
            "## Two workers, measured",
            "Wall seconds of `solve` with a Dask cluster of worker processes of one thread each, "
            f"on one machine ([record]({measured[0]})).",
            measured_page(measured[1]),
            "## Any number of workers, simulated",
            "One process simulates a run with any number of workers: the plan and its pace are "
            "the real ones, every task is really done, and its CPU seconds are the time of the "
            f"worker that has it. The scheduler takes {scheduler_ms:.0f} ms for each task, a "
            f"message between it and a worker {message_ms:.0f} ms. So these numbers are "
            f"predictions, not measurements on that many machines ([record]({simulated[0]})).",
            simulated_page(simulated[1]),
            f"![Speed by number of workers, compared with linear scaling]({figure})",
            "What limits the speed-up: the client searches alone for the first half second; some "
            "workers try rules that a bound not yet received would have pruned; a new worker has "
            "an empty cache; and no run is shorter than its longest task.\n",
        ]
    )


def draw(simulated: Plain, path: Path) -> None:
    """Draw the speed-up of simulated runs by number of workers, and the linear speed-up."""
    runs = simulated["runs"]
    workers = [run["workers"] for run in runs]
    with picture(path, columns=1, width=6, height=4) as axes:
        axes.plot(workers, workers, color=GREY, lw=1, ls="--", label="linear")
        speedup = [_speedup(runs, run) for run in runs]
        axes.plot(workers, speedup, "o-", color=BLUE, lw=1, label="simulated")
        work = [run["busy"] / runs[0]["busy"] for run in runs]
        axes.plot(workers, work, "s:", color=BLACK, lw=1, label="work, relative to one worker")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("workers")
        axes.set_ylabel("times one worker")
        axes.grid(color="#dddddd")
        axes.legend()
