"""Page on anytime behaviour: comparison with CART, primal integrals, and gaps over time."""

from collections.abc import Iterator
from statistics import mean

from benchmarks.evaluation.anytime_record import Anytime, Curve, TableResult
from benchmarks.evaluation.gaps import best_known, known_by, mean_gaps, primal_integral
from benchmarks.evaluation.pages import page, table
from benchmarks.peers import OURS
from benchmarks.report import load_sentences

__all__ = ["ALLOWED_DELAY", "kinds", "late", "markdown", "refuted"]

# CPU seconds by which a search may be slower than CART to find a tree as good as CART's.
ALLOWED_DELAY = 0.010
TIMES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)

LEGEND = (
    "CPU seconds, beginning when a solver receives the table, so that making the problem counts. "
    "Times of exactree are upper bounds where the clock ran faster than the CPU "
    "(`benchmarks/evaluation/watch.py`). `CART` is scikit-learn's tree of the same depth. Its "
    "time, and the time until our incumbent was at least as good (`caught up`), are minima of "
    "several calls; `late` is the excess of the second over the first plus 10 ms. `first "
    "incumbent` is our first tree throughout. `pytrees_anytime` reports nothing while it runs: "
    "it was restarted with twice the time, and its errors were counted from the predictions of "
    "its tree. The gap of a tree is (its errors - best known) / its errors; the primal integral "
    "is its mean over the limit, 1 while there is no tree, 0 if the best tree is known from the "
    "beginning. Best known: the fewest errors in this record. `proof` is the gap between our "
    "lower bound and our incumbent."
)


def ours(result: TableResult) -> Curve:
    """Return the curve of exactree."""
    return next(curve for curve in result.curves if curve.solver == OURS)


def late(result: TableResult) -> float | None:
    """Return the delay of our incumbent in seconds, None if it never was as good as CART's tree.

    Parameters
    ----------
    result : TableResult
        A table.

    Returns
    -------
    float or None
        0 if it was in time.
    """
    if result.caught_up is None:
        return None
    return max(result.caught_up - result.greedy_seconds - ALLOWED_DELAY, 0.0)


def kinds(record: Anytime) -> list[str]:
    """Return the kinds of tables in a run."""
    return list(dict.fromkeys(result.kind for result in record.tables))


def refuted(record: Anytime) -> list[str]:
    """Return a sentence for every lower bound of ours that another tree refutes."""
    wrong = []
    for result in record.tables:
        claimed, best = ours(result).moments[-1].lower_bound, best_known(result)
        if claimed is not None and claimed > best:
            claim = f"a tree has {best} errors, but exactree claims at least {claimed}."
            wrong.append(f"{result.table}: {claim}")
    return wrong


def markdown(record: Anytime) -> str:
    """Return the record as a page."""
    facts = {**record.machine, "limit": f"{record.limit:g} CPU s", "depth": record.depth}
    parts = [_compared_with_cart(record), _integrals(record)]
    parts += [f"Mean gap, {kind} tables:\n\n{_over_time(record, kind)}" for kind in kinds(record)]
    return page(f"{record.name}, {record.date}", facts, LEGEND, parts, list(_sentences(record)))


def _compared_with_cart(record: Anytime) -> str:
    header = ["table", "n", "d", "c", "CART", "CART, ms", "caught up, ms", "late, ms"]
    lines = []
    for result in record.tables:
        cells = [
            result.table,
            *map(str, (result.examples, result.features, result.classes, result.greedy_errors)),
        ]
        waited = "never" if result.caught_up is None else f"{1000 * result.caught_up:.1f}"
        behind = late(result)
        delay = "never" if behind is None else f"{1000 * behind:.1f}" if behind else ""
        curve = ours(result)
        last = curve.moments[-1]
        proved = f"{curve.seconds:.2f}" if curve.proved else ""
        found = [f"{last.errors}", f"{last.lower_bound}", proved]
        lines.append([*cells, f"{1000 * result.greedy_seconds:.1f}", waited, delay, *found])
    return table([*header, "errors", "lower bound", "proved, s"], lines)


def _integrals(record: Anytime) -> str:
    """Return the primal integral of every solver on every table, and their means."""
    solvers = list(known_by(record.tables[0])) if record.tables else []
    lines = []
    for kind in kinds(record):
        rows = []
        for result in (result for result in record.tables if result.kind == kind):
            best = best_known(result)
            known = known_by(result)
            integrals = [primal_integral(known[name], best, record.limit) for name in solvers]
            rows.append(integrals)
            lines.append([result.table, f"{best}", *(f"{value:.4f}" for value in integrals)])
        means = [f"{mean(column):.4f}" for column in zip(*rows, strict=True)]
        lines.append([f"mean, {kind}", "", *means])
    return table(["primal integral", "best known", *solvers], lines)


def _over_time(record: Anytime, kind: str) -> str:
    times = [seconds for seconds in TIMES if seconds <= record.limit]
    gaps = mean_gaps(record, kind, times)
    lines = [[name, *(f"{value:.3f}" for value in values)] for name, values in gaps.items()]
    return table(["", *(f"{seconds:g} s" for seconds in times)], lines)


def _sentences(record: Anytime) -> Iterator[str]:
    behind = [result for result in record.tables if late(result) != 0.0]
    yield (
        "Our incumbent is at least as good as CART's tree within CART's fitting time plus 10 ms on "
        f"{len(record.tables) - len(behind)} of {len(record.tables)} tables."
    )
    if behind:
        named = (f"{result.table} ({_text(late(result))})" for result in behind)
        yield f"Later, or never: {', '.join(named)}."
    curves = [ours(result) for result in record.tables]
    yield f"Proved within the limit: {sum(c.proved for c in curves)} of {len(curves)} tables."
    rising = sum(
        _floor(c.moments[-1].lower_bound) > _floor(c.moments[0].lower_bound) for c in curves
    )
    yield f"The lower bound improved after the first report on {rising} of {len(curves)} tables."
    yield from (f"WRONG: {sentence}" for sentence in refuted(record))
    yield from load_sentences(record.loads)
    if not record.complete:
        yield "Interrupted: the run is not complete."


def _text(behind: float | None) -> str:
    return "never" if behind is None else f"{1000 * behind:.1f} ms"


def _floor(lower_bound: int | None) -> int:
    return 0 if lower_bound is None else lower_bound
