"""Page on the accuracy of smallest ensembles: by model, by pair of models, by data set."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean

from benchmarks.evaluation.accuracy_record import Accuracy, Results
from benchmarks.evaluation.differences import Difference, deviation, difference_of
from benchmarks.evaluation.pages import page, table
from benchmarks.report import load_sentences

__all__ = ["COMPARED", "difference", "markdown", "means"]

LEGEND = (
    "Accuracies are percentages of the new examples that are predicted correctly. Means are over "
    "data sets, of the mean over the draws of each. After `±`: the standard deviation over the "
    "draws of a data set, in rows of models its mean over data sets; for differences, their "
    "standard error over data sets. `nodes`: inner nodes of all trees of a model; `largest`: inner "
    "nodes of its largest tree. `proved`: draws in which the model is proved to be smallest; "
    "otherwise it is the smallest found within the limit. A difference is the accuracy of the "
    "first model minus that of the second, in percentage points; `where proved` counts only draws "
    "in which each of the two that is claimed to be smallest is proved so. A data set is won or "
    "lost by its mean over draws."
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
    """Means of a model over all data sets.

    Attributes
    ----------
    accuracy, deviation : float
        Accuracy in per cent, and its standard deviation over draws.
    total_size, largest_size, seconds : float
        Means of the entries of `Results`.
    proved : str
        Number of draws with a proof and of all draws; empty for models that are not claimed to be
        smallest.
    """

    accuracy: float
    deviation: float
    total_size: float
    largest_size: float
    seconds: float
    proved: str


def means(record: Accuracy) -> dict[str, Mean]:
    """Return the means of every model over the data sets."""
    return {model: _mean(by_table) for model, by_table in _by_model(record).items()}


def _mean(by_table: dict[str, Results]) -> Mean:
    runs = list(by_table.values())
    claims = [proved for run in runs for proved in run.proved if proved is not None]
    return Mean(
        100 * mean(mean(run.accuracy) for run in runs),
        100 * mean(deviation(run.accuracy) for run in runs),
        mean(mean(run.total_size) for run in runs),
        mean(mean(run.largest_size) for run in runs),
        mean(mean(run.seconds) for run in runs),
        f"{sum(claims)} of {len(claims)}" if claims else "",
    )


def difference(record: Accuracy, first: str, second: str, *, proved: bool) -> Difference | None:
    """Return the difference in accuracy of two models; None if one is absent or no draw compares.

    Parameters
    ----------
    record : Accuracy
        The record.
    first, second : str
        Names of models.
    proved : bool
        Whether to compare only the draws in which each of the two models that is claimed to be
        smallest is proved so.
    """
    by_model = _by_model(record)
    if not {first, second} <= by_model.keys():
        return None
    points: list[list[float]] = []
    for name, ours in by_model[first].items():
        theirs = by_model[second][name]
        draws = zip(ours.accuracy, theirs.accuracy, ours.proved, theirs.proved, strict=True)
        points.append(
            [
                100 * (accuracy - other_accuracy)
                for accuracy, other_accuracy, *proofs in draws
                if not proved or False not in proofs
            ]
        )
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
            f"{mean_of.accuracy:.1f} ± {mean_of.deviation:.1f}",
            f"{mean_of.total_size:.1f}",
            f"{mean_of.largest_size:.1f}",
            mean_of.proved,
            f"{mean_of.seconds:.2f}",
        ]
        for model, mean_of in means(record).items()
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
    """Return the accuracy of every model on every data set."""
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
        # "3 trees, total size, 10% errors" is compared with "smallest tree, 10% errors".
        name, *details = model.split(", ")
        is_smallest_ensemble = name.endswith(" trees") and "size" in "".join(details[:1])
        tree = ", ".join(["smallest tree", *details[1:]])
        if is_smallest_ensemble and tree in by_model:
            yield _smaller(model, tree, by_table, by_model[tree])
    yield from load_sentences(record.loads)
    if not record.complete:
        yield "Interrupted: the run is not complete."


def _smaller(
    ensemble: str, tree: str, of_ensemble: dict[str, Results], of_tree: dict[str, Results]
) -> str:
    """Return a sentence on the proved draws: how often the ensemble has fewer nodes, mean sizes."""
    sizes = [
        (total, largest, size)
        for name, results in of_ensemble.items()
        for total, largest, size, proved in zip(
            results.total_size,
            results.largest_size,
            of_tree[name].total_size,
            results.proved,
            strict=True,
        )
        if proved
    ]
    if not sizes:
        return f"{ensemble}: proved in no draw."
    fewer = sum(total < size for total, _, size in sizes)
    total, largest, size = (mean(column) for column in zip(*sizes, strict=True))
    return (
        f"{ensemble}: fewer nodes than {tree} in {fewer} of the {len(sizes)} draws in which it is "
        f"proved; on average {total:.2f} nodes there, {largest:.2f} of them in the largest "
        f"tree, compared with {size:.2f}."
    )


def _by_model(record: Accuracy) -> dict[str, dict[str, Results]]:
    models: dict[str, dict[str, Results]] = {}
    for results in record.results:
        models.setdefault(results.model, {})[results.table] = results
    return models
