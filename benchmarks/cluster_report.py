"""The page and the picture of what was measured and played of shared searches: from two records."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.picture import BLACK, BLUE, GREY, picture

__all__ = ["draw", "measured_page", "page", "played_page", "summary"]

Plain = dict[str, Any]
# Two workers are to be so many times as fast as one, and one worker slower than the engine by no
# more than this share.
MARK, WITHIN = 1.6, 0.05
# Where a run is nearly as fast as it gets.
NEARLY = 0.9


def measured_page(record: Plain) -> str:
    """Return what was measured, in Markdown."""
    least = _least(record)
    lines = [*_head(record), "", "| who | wall seconds | least | tasks | at work (s) |"]
    lines += ["| --- | --- | --- | --- | --- |"]
    for workers in sorted(least):
        own = [call for call in record["calls"] if call["workers"] == workers]
        best = min(own, key=lambda call: call["seconds"])
        seconds = ", ".join(f"{call['seconds']:.1f}" for call in own)
        work = f"{best['tasks']} | {best['at_work']:.1f}" if workers else "- | -"
        lines.append(f"| {_who(workers)} | {seconds} | {least[workers]:.1f} | {work} |")
    return "\n".join([*lines, "", *_measured_words(record)])


def _measured_words(record: Plain) -> list[str]:
    found, cost = summary(record), record["overhead"]
    two = "met" if found["ratio"] >= MARK else "missed"
    one = "met" if found["over"] <= WITHIN else "missed"
    return [
        f"- Two workers are {found['ratio']:.2f} times as fast as one (at least {MARK} wanted: "
        f"{two}).",
        f"- One worker takes {found['over']:+.1%} of the time of the engine without a cluster (at "
        f"most {WITHIN:+.0%} wanted: {one}).",
        f"- Of the time of two workers {found['idle']:.1%} was spent without a task.",
        f"- A task with nothing to do takes {1e3 * cost['one_by_one']:.1f} ms from the client to "
        f"a worker and back, {1e3 * cost['together']:.2f} ms where many are on their way.",
    ]


def summary(record: Plain) -> dict[str, float]:
    """Return how much faster two workers are, how much slower one is, and what share is idle."""
    least = _least(record)
    two = min(
        (call for call in record["calls"] if call["workers"] == 2), key=lambda c: c["seconds"]
    )
    return {
        "ratio": least[1] / least[2],
        "over": least[1] / least[0] - 1,
        "idle": 1 - two["at_work"] / (2 * two["seconds"]),
    }


def _least(record: Plain) -> dict[int, float]:
    """Return the least seconds by number of workers."""
    kinds = {call["workers"] for call in record["calls"]}
    return {
        kind: min(call["seconds"] for call in record["calls"] if call["workers"] == kind)
        for kind in kinds
    }


def played_page(record: Plain) -> str:
    """Return what was simulated, in Markdown."""
    runs = record["runs"]
    lines = [*_head(record), ""]
    lines += ["| workers | tasks | seconds | faster | at work (s) | longest task (s) | in use |"]
    lines += ["| --- | --- | --- | --- | --- | --- | --- |"]
    for run in runs:
        faster, use = _faster(runs, run), run["busy"] / run["seconds"] / run["workers"]
        lines.append(
            f"| {run['workers']:,} | {run['tasks']:,} | {run['seconds']:.2f} | {faster:.1f} | "
            f"{run['busy']:.1f} | {run['longest']:.2f} | {use:.1%} |"
        )
    return "\n".join([*lines, "", *_played_words(runs)])


def _played_words(runs: list[Plain]) -> list[str]:
    best = max(_faster(runs, run) for run in runs)
    enough = next(run for run in runs if _faster(runs, run) >= NEARLY * best)
    half = [
        run
        for before, run in pairwise(runs)
        if _faster(runs, run) / _faster(runs, before) < run["workers"] / before["workers"] / 2
    ]
    flattens = (
        f"It flattens at {half[0]['workers']:,} workers: more of them bring less than half of "
        "what they would if all added up."
        if half
        else "It does not flatten within these numbers."
    )
    return [
        f"- At most {best:.1f} times the speed of one worker; {enough['workers']:,} workers "
        f"have {NEARLY:.0%} of it.",
        f"- {flattens}",
    ]


def _faster(runs: list[Plain], run: Plain) -> float:
    faster: float = runs[0]["seconds"] / run["seconds"]
    return faster


def _who(workers: int) -> str:
    return {0: "the engine alone", 1: "one worker"}.get(workers, f"{workers} workers")


def _head(record: Plain) -> list[str]:
    machine = record["machine"]
    return [
        f"{record['examples']:,} examples, {record['features']} features, depth "
        f"{record['depth']} (`{record['date']}`, {machine['cores']} cores of {machine['processor']}"
        f", load before {machine['load_before']}, commit {machine['commit']})."
    ]


def page(measured: tuple[str, Plain], played: tuple[str, Plain], figure: str) -> str:
    """Return the whole page; a record is reported with the path that leads to it from the page."""
    scheduled, way = (1e3 * played[1][name] for name in ("scheduled", "on_the_way"))
    return "\n\n".join(
        [
            "# Scaling on a cluster",
            "Written by `python -m benchmarks.cluster page` from two records; the numbers are "
            "theirs. [cluster.md](cluster.md) says when a cluster is worthwhile.",
            "## Two workers, measured",
            "Wall seconds of `solve` with a Dask cluster of worker processes of one thread each, "
            f"on one machine ([record]({measured[0]})).",
            measured_page(measured[1]),
            "## Any number of workers, simulated",
            "A run is simulated for any number of workers with one process: the plan and its "
            "pace are "
            "the real ones, every task is really done, and its CPU seconds are the time of the "
            f"worker that has it. The scheduler takes {scheduled:.0f} ms for each task, the way "
            f"between it and a worker {way:.0f} ms. So these are predictions, not measurements on "
            f"so many machines ([record]({played[0]})).",
            played_page(played[1]),
            f"![Speed by number of workers, compared with linear scaling]({figure})",
            "What limits it: the client is alone for the first half second; some workers try rules "
            "that one worker alone would have pruned, by bounds not yet received; a "
            "new worker has an empty cache; and no run is shorter than its longest task.\n",
        ]
    )


def draw(played: Plain, path: Path) -> None:
    """Draw the speed of a played run by number of workers, beside that of workers that add up."""
    runs = played["runs"]
    workers = [run["workers"] for run in runs]
    with picture(path, columns=1, width=6, height=4) as axes:
        axes.plot(workers, workers, color=GREY, lw=1, ls="--", label="if all added up")
        faster = [_faster(runs, run) for run in runs]
        axes.plot(workers, faster, "o-", color=BLUE, lw=1, label="played")
        work = [run["busy"] / runs[0]["busy"] for run in runs]
        axes.plot(workers, work, "s:", color=BLACK, lw=1, label="work, as part of that of one")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("workers")
        axes.set_ylabel("times one worker")
        axes.grid(color="#dddddd")
        axes.legend()
