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

# Pairs of models; the difference is the accuracy of the first minus that of the second.
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
    """Means of a model over all tables.

    Attributes
    ----------
    accuracy, deviation : float
        Accuracy in per cent, and its standard deviation over draws.
    total_size, largest_size, seconds : float
        Means of the entries of `Results`.
    proved : str
        Number of draws with a proof and of all draws; empty for models without claims.
    """

    accuracy: float
    deviation: float
    total_size: float
    largest_size: float
    seconds: float
    proved: str


def means(record: Accuracy) -> dict[str, Mean]:
    """Return the means of every model over the tables."""
    return {model: _mean(by_table) for model, by_table in _by_model(record).items()}


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


def difference(record: Accuracy, first: str, second: str, *, proved: bool) -> Difference | None:
    """Return the difference in accuracy of two models, None without draws.

    Parameters
    ----------
    record : Accuracy
        The record.
    first, second : str
        Names of models.
    proved : bool
        Whether to compare only draws in which all exact models of the pair are proved.
    """
    by_model = _by_model(record)
    if not {first, second} <= by_model.keys():
        return None
    points: list[list[float]] = []
    for name, one in by_model[first].items():
        other = by_model[second][name]
        draws = zip(one.accuracy, other.accuracy, one.proved, other.proved, strict=True)
        points.append([100 * (a - b) for a, b, p, q in draws if not proved or False not in (p, q)])
    return difference_of(points)


def markdown(record: Accuracy) -> str:
    """Return the record as a page."""
    facts = {
        **record.machine,
        "limit": f"{record.limit:g} CPU s for each exact search",
        "trained with": f"{record.trained} examples of each table",
        "draws": record.draws,
        "tables": len(record.tables),
    }
    parts = [table(*_models(record)), table(*_pairs(record)), table(*_all(record))]
    return page(f"{record.name}, {record.date}", facts, LEGEND, parts, list(_sentences(record)))


def _models(record: Accuracy) -> tuple[list[str], list[list[str]]]:
    lines = [
        [
            model,
            f"{one.accuracy:.1f} ± {one.deviation:.1f}",
            f"{one.total_size:.1f}",
            f"{one.largest_size:.1f}",
            one.proved,
            f"{one.seconds:.2f}",
        ]
        for model, one in means(record).items()
    ]
    return ["model", "accuracy", "nodes", "largest", "proved", "CPU s"], lines


def _pairs(record: Accuracy) -> tuple[list[str], list[list[str]]]:
    header = ["first", "second", "difference", "won, lost, equal", "where proved", "draws proved"]
    lines = []
    for first, second in COMPARED:
        of_all = difference(record, first, second, proved=False)
        if of_all is None:
            continue
        of_proved = difference(record, first, second, proved=True)
        last = ["", f"0 of {of_all.samples}"]
        if of_proved is not None:
            last = [str(of_proved), f"{of_proved.samples} of {of_all.samples}"]
        lines.append([first, second, str(of_all), of_all.counts(), *last])
    return header, lines


def _all(record: Accuracy) -> tuple[list[str], list[list[str]]]:
    """Return the accuracy of every model on every table."""
    by_model = _by_model(record)
    lines = []
    for measured in record.tables:
        cells = [measured.name, *map(str, (measured.examples, measured.features, measured.classes))]
        for by_table in by_model.values():
            accuracy = by_table[measured.name].accuracy
            cells.append(f"{100 * mean(accuracy):.1f} ± {100 * deviation(accuracy):.1f}")
        lines.append(cells)
    return ["table", "n", "d", "c", *by_model], lines


def _sentences(record: Accuracy) -> Iterator[str]:
    """Yield the numbers of draws in which ensembles have fewer nodes, and the load."""
    by_model = _by_model(record)
    for model, by_table in by_model.items():
        number, _, rest = model.partition(", ")
        tree = ", ".join(["smallest tree", *rest.split(", ")[1:]])
        if number.endswith(" trees") and "size" in rest and tree in by_model:
            yield _smaller(model, tree, by_table, by_model[tree])
    if loads := [one for one in record.loads if one is not None]:
        yield f"Machine load during the run: {min(loads):g} to {max(loads):g}."
    if not record.complete:
        yield "Interrupted: the run is not complete."


def _smaller(model: str, tree: str, ours: dict[str, Results], theirs: dict[str, Results]) -> str:
    """Return a sentence on the proved draws: how often the ensemble has fewer nodes, mean sizes."""
    pairs = [
        (total, largest, size)
        for name, one in ours.items()
        for total, largest, size, proved in zip(
            one.total_size, one.largest_size, theirs[name].total_size, one.proved, strict=True
        )
        if proved
    ]
    if not pairs:
        return f"{model}: proved in no draw."
    fewer = sum(total < size for total, _, size in pairs)
    total, largest, size = (mean(column) for column in zip(*pairs, strict=True))
    return (
        f"{model}: fewer nodes than {tree} in {fewer} of the {len(pairs)} draws in which it is "
        f"proved; on average {total:.2f} nodes there, {largest:.2f} of them in the largest "
        f"tree, compared with {size:.2f}."
    )


def _by_model(record: Accuracy) -> dict[str, dict[str, Results]]:
    models: dict[str, dict[str, Results]] = {}
    for one in record.results:
        models.setdefault(one.model, {})[one.table] = one
    return models
