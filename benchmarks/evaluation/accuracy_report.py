"""Page on the accuracy of smallest ensembles: models, pairs of models, tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean

from benchmarks.evaluation.accuracy_record import Accuracy, Results
from benchmarks.evaluation.differences import Difference, deviation, difference_of
from benchmarks.evaluation.pages import page, table

__all__ = ["COMPARED", "difference", "markdown", "means"]

LEGEND = (
    "Accuracies are percentages of the new examples. Means are over tables, each the mean of its "
    "draws; `±` is the standard deviation over the draws of a table, in the first table its mean "
    "over tables. `nodes`, `largest`: nodes of all trees, and of the largest. `proved`: draws in "
    "which the model is proved to be smallest; otherwise it is the smallest found within the "
    "limit. Differences are in percentage points, with their standard errors over tables; tables "
    "are won or lost by their mean over draws."
)

# What is held against what: the first less the second.
COMPARED = (
    ("3 trees, total size", "smallest tree"),
    ("5 trees, total size", "smallest tree"),
    ("3 trees, largest size", "smallest tree"),
    ("3 trees, total size, 10% errors", "smallest tree, 10% errors"),
    ("3 trees, largest size, 10% errors", "smallest tree, 10% errors"),
    ("3 trees, total size, 20% errors", "smallest tree, 20% errors"),
    ("3 trees, largest size, 20% errors", "smallest tree, 20% errors"),
    ("smallest tree, 10% errors", "smallest tree"),
    ("smallest tree, 20% errors", "smallest tree"),
    ("3 trees, total size", "3 bootstrap trees"),
    ("3 trees, largest size", "3 bootstrap trees"),
    ("5 trees, total size", "5 bootstrap trees"),
    ("3 trees, total size", "random forest"),
    ("3 trees, largest size", "random forest"),
    ("3 trees, total size", "pruned CART"),
    ("3 trees, largest size", "pruned CART"),
    ("smallest tree", "pruned CART"),
    ("smallest tree, 10% errors", "pruned CART"),
    ("smallest tree, 20% errors", "pruned CART"),
    ("3 bootstrap trees", "smallest tree"),
    ("5 bootstrap trees", "smallest tree"),
    ("100 bootstrap trees", "smallest tree"),
    ("100 bootstrap trees", "random forest"),
)


@dataclass(frozen=True)
class Mean:
    """A model over all tables.

    Attributes
    ----------
    accuracy, deviation : float
        In per cent; the standard deviation over draws.
    total_size, largest_size, seconds : float
        Means.
    proved : str
        How many draws of how many, empty where nothing is claimed.
    """

    accuracy: float
    deviation: float
    total_size: float
    largest_size: float
    seconds: float
    proved: str


def means(made: Accuracy) -> dict[str, Mean]:
    """Return the means of every model over the tables."""
    return {model: _mean(by_table) for model, by_table in _by_model(made).items()}


def _mean(by_table: dict[str, Results]) -> Mean:
    runs = list(by_table.values())
    claims = [one for run in runs for one in run.proved if one is not None]
    return Mean(
        100 * mean(mean(run.accuracy) for run in runs),
        100 * mean(deviation(run.accuracy) for run in runs),
        mean(mean(run.total_size) for run in runs),
        mean(mean(run.largest_size) for run in runs),
        mean(mean(run.seconds) for run in runs),
        f"{sum(claims)} of {len(claims)}" if claims else "",
    )


def difference(made: Accuracy, first: str, second: str, *, proved: bool) -> Difference | None:
    """Return the difference in accuracy of two models, None without draws.

    Parameters
    ----------
    made : Accuracy
        The run.
    first, second : str
        Names of models.
    proved : bool
        Whether to compare only draws in which neither lacks a proof that it claims.
    """
    by_model = _by_model(made)
    if not {first, second} <= by_model.keys():
        return None
    points: list[list[float]] = []
    for name, one in by_model[first].items():
        other = by_model[second][name]
        draws = zip(one.accuracy, other.accuracy, one.proved, other.proved, strict=True)
        kept = [100 * (a - b) for a, b, p, q in draws if not proved or False not in (p, q)]
        points.append(kept)
    return difference_of(points)


def markdown(made: Accuracy) -> str:
    """Return the record as a page."""
    facts = {
        **made.machine,
        "limit": f"{made.limit:g} CPU s for each exact search",
        "trained with": f"{made.trained} examples of each table",
        "draws": made.draws,
        "tables": len(made.tables),
    }
    parts = [table(*_models(made)), table(*_pairs(made)), table(*_all(made))]
    return page(f"{made.name}, {made.date}", facts, LEGEND, parts, list(_sentences(made)))


def _models(made: Accuracy) -> tuple[list[str], list[list[str]]]:
    lines = [
        [
            model,
            f"{one.accuracy:.1f} ± {one.deviation:.1f}",
            f"{one.total_size:.1f}",
            f"{one.largest_size:.1f}",
            one.proved,
            f"{one.seconds:.2f}",
        ]
        for model, one in means(made).items()
    ]
    return ["model", "accuracy", "nodes", "largest", "proved", "CPU s"], lines


def _pairs(made: Accuracy) -> tuple[list[str], list[list[str]]]:
    header = ["less", "and", "difference", "won, lost, equal", "where proved", "draws proved"]
    lines = []
    for first, second in COMPARED:
        every = difference(made, first, second, proved=False)
        if every is None:
            continue
        sure = difference(made, first, second, proved=True)
        last = ["", f"0 of {every.draws}"]
        if sure is not None:
            last = [str(sure), f"{sure.draws} of {every.draws}"]
        lines.append([first, second, str(every), every.counts(), *last])
    return ["first", "second", *header[2:]], lines


def _all(made: Accuracy) -> tuple[list[str], list[list[str]]]:
    """Return the accuracy of every model on every table."""
    by_model = _by_model(made)
    lines = []
    for held in made.tables:
        cells = [held.name, *map(str, (held.examples, held.features, held.classes))]
        for by_table in by_model.values():
            right = by_table[held.name].accuracy
            cells.append(f"{100 * mean(right):.1f} ± {100 * deviation(right):.1f}")
        lines.append(cells)
    return ["table", "n", "d", "c", *by_model], lines


def _sentences(made: Accuracy) -> Iterator[str]:
    """Return the numbers of draws in which ensembles have fewer nodes, and the load."""
    by_model = _by_model(made)
    for model, by_table in by_model.items():
        number, _, rest = model.partition(", ")
        tree = ", ".join(["smallest tree", *rest.split(", ")[1:]])
        if number.endswith(" trees") and "size" in rest and tree in by_model:
            yield _smaller(model, tree, by_table, by_model[tree])
    if loads := [one for one in made.loads if one is not None]:
        yield f"Machine load during the run: {min(loads):g} to {max(loads):g}."
    if not made.complete:
        yield "Interrupted: the run is not complete."


def _smaller(model: str, tree: str, ours: dict[str, Results], theirs: dict[str, Results]) -> str:
    """Return the number of proved draws in which an ensemble saves nodes, and mean sizes."""
    pairs = [
        (few, largest, size)
        for name, one in ours.items()
        for few, largest, size, proved in zip(
            one.total_size, one.largest_size, theirs[name].total_size, one.proved, strict=True
        )
        if proved
    ]
    if not pairs:
        return f"{model}: proved in no draw."
    fewer = sum(few < size for few, _, size in pairs)
    few, largest, size = (mean(column) for column in zip(*pairs, strict=True))
    return (
        f"{model}: fewer nodes than {tree} in {fewer} of the {len(pairs)} draws in which it is "
        f"proved; on average {few:.2f} nodes there, {largest:.2f} of them in the largest "
        f"tree, compared with {size:.2f}."
    )


def _by_model(made: Accuracy) -> dict[str, dict[str, Results]]:
    models: dict[str, dict[str, Results]] = {}
    for one in made.results:
        models.setdefault(one.model, {})[one.table] = one
    return models
