"""Page on the accuracy of trees with lines and curves: by model, pair of models and data set."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean

from benchmarks.evaluation.differences import Difference, deviation, difference_of
from benchmarks.evaluation.pages import page, table
from benchmarks.evaluation.surfaces_record import Surfaces, Trained
from benchmarks.report import load_sentences

__all__ = ["COMPARED", "NODES", "difference", "markdown", "means", "refuted"]

NODES = (1, 2, 3)
Key = tuple[int, str, int]  # maximum number of examples, model, maximum number of nodes

LEGEND = (
    "Trees have at most depth two. Accuracies are percentages, means over data sets, each the mean "
    "of its folds; `±` is the standard deviation over the folds of a data set, averaged over data "
    "sets. `size`: nodes of the tree, possibly fewer than allowed. `proved`: folds in which no "
    "tree of that size with these rules makes fewer errors on the training examples; otherwise it "
    "is the best found within the limit. `left out`: splits of the training examples for which no "
    "rule in floating point was found, over all folds. `CPU s`: mean over all folds; `maximum`: "
    "that of the slowest fold. Differences are in percentage points of test accuracy, with their "
    "standard errors over data sets; a data set is won or lost by its mean over folds. `n`, `d`, "
    "`c`: examples, features, classes; `trained`: examples of a training fold that were used."
)

# Pairs of models; the difference is the accuracy of the first minus that of the second.
COMPARED = (
    ("lines", "thresholds"),
    ("lines", "thresholds, two features"),
    ("lines", "CART"),
    ("lines", "logistic regression"),
    ("lines", "logistic regression, two features"),
    ("thresholds and lines", "thresholds"),
    ("thresholds and lines", "lines"),
    ("thresholds and lines", "CART"),
    ("thresholds and lines", "logistic regression"),
    ("thresholds", "CART"),
    ("planes", "lines"),
    ("planes", "thresholds"),
    ("curves of degree two", "lines"),
    ("curves of degree two", "thresholds"),
    ("curves of degree two", "thresholds, two features"),
    ("curves of degree two", "CART"),
    ("curves of degree two", "logistic regression, two features"),
)

# Pairs of families: the first has all trees of the second.
WIDER = (
    ("thresholds", "CART"),
    ("thresholds", "thresholds, two features"),
    ("lines", "thresholds, two features"),
    ("thresholds and lines", "thresholds"),
    ("thresholds and lines", "lines"),
    ("planes", "lines"),
    ("curves of degree two", "lines"),
)


@dataclass(frozen=True)
class Mean:
    """A model of one size over all tables.

    Attributes
    ----------
    train, test, deviation : float
        Accuracies in per cent, and the standard deviation of `test` over folds.
    size, seconds, longest : float
        Mean nodes and CPU seconds, and the maximum of the seconds of a fold.
    proved : str
        Number of folds with a proof and of all folds; empty for models without claims.
    left_out : int
        Number of splits without a rule, over all folds.
    """

    train: float
    test: float
    deviation: float
    size: float
    seconds: float
    longest: float
    proved: str
    left_out: int


def means(record: Surfaces) -> dict[Key, Mean]:
    """Return the means over the tables, by maximum number of examples, model and nodes."""
    return {key: _mean(list(by_table.values())) for key, by_table in _by_key(record).items()}


def _mean(runs: list[Trained]) -> Mean:
    claims = [proved for run in runs for proved in run.proved if proved is not None]
    return Mean(
        100 * mean(mean(run.train) for run in runs),
        100 * mean(mean(run.test) for run in runs),
        100 * mean(deviation(run.test) for run in runs),
        mean(mean(run.size) for run in runs),
        mean(mean(run.seconds) for run in runs),
        max(max(run.seconds) for run in runs),
        f"{sum(claims)} of {len(claims)}" if claims else "",
        sum(sum(run.left_out) for run in runs),
    )


def difference(
    record: Surfaces, max_examples: int, first: str, second: str, nodes: int
) -> Difference | None:
    """Return the difference in accuracy of two models on new examples.

    Parameters
    ----------
    record : Surfaces
        The run.
    max_examples : int
        Maximum number of examples of a training fold.
    first, second : str
        Names of models. The second may be a model without nodes.
    nodes : int
        Maximum number of nodes of their trees.

    Returns
    -------
    Difference or None
        None if one of the models was not run.
    """
    by_key = _by_key(record)
    of_first = by_key.get((max_examples, first, nodes))
    of_second = by_key.get((max_examples, second, nodes), by_key.get((max_examples, second, 0)))
    if of_first is None or of_second is None:
        return None
    return difference_of(
        [
            [100 * (a - b) for a, b in zip(run.test, of_second[table].test, strict=True)]
            for table, run in of_first.items()
        ]
    )


def refuted(record: Surfaces) -> list[str]:
    """Return a sentence for every proof refuted by a tree with fewer training errors.

    A family that leaves out some splits need not have all trees of a narrower family.
    """
    by_key = _by_key(record)
    wrong = []
    for (max_examples, model, nodes), runs in by_key.items():
        rivals = [(max_examples, other, nodes) for wide, other in WIDER if wide == model]
        rivals += [(max_examples, model, fewer) for fewer in NODES if fewer < nodes]
        for key in rivals:
            for name, run in runs.items():
                theirs = by_key[key][name].train if key in by_key else run.train
                folds = zip(run.train, theirs, run.proved, run.left_out, strict=True)
                if any(proved and not left and a < b for a, b, proved, left in folds):
                    better, worse = _named(*key[1:]), _named(model, nodes)
                    wrong.append(f"{name}: {better} has fewer errors than {worse}.")
    return wrong


def _named(model: str, nodes: int) -> str:
    return f"{model} ({_text(nodes)})"


def markdown(record: Surfaces) -> str:
    """Return the record as a page."""
    facts = {
        **record.machine,
        "limit": f"{record.limit:g} CPU s for each exact search",
        "folds": record.folds,
        "tables": len(record.tables),
    }
    parts = []
    for max_examples in sorted({run.max_examples for run in record.results}, reverse=True):
        parts += [
            f"## At most {max_examples} training examples",
            _models(record, max_examples),
            _pairs(record, max_examples),
        ]
        for nodes in sorted({run.nodes for run in record.results} - {0}):
            parts.append(f"### {_text(nodes)}: training and test accuracy")
            parts.append(_all(record, max_examples, nodes))
    return page(f"{record.name}, {record.date}", facts, LEGEND, parts, list(_sentences(record)))


def _models(record: Surfaces, max_examples: int) -> str:
    lines = [
        [
            model,
            str(nodes or ""),
            f"{mean_of.train:.1f}",
            f"{mean_of.test:.1f} ± {mean_of.deviation:.1f}",
            f"{mean_of.size:.1f}" if nodes else "",
            mean_of.proved,
            str(mean_of.left_out) if mean_of.proved else "",
            f"{mean_of.seconds:.2f}",
            f"{mean_of.longest:.2f}",
        ]
        for (examples, model, nodes), mean_of in means(record).items()
        if examples == max_examples
    ]
    accuracies = ["training", "test", "size", "proved", "left out"]
    return table(["model", "nodes", *accuracies, "CPU s", "maximum"], lines)


def _pairs(record: Surfaces, max_examples: int) -> str:
    """Return a table of the differences for every number of nodes."""
    lines = []
    for first, second in COMPARED:
        cells = [first, second]
        for nodes in NODES:
            found = difference(record, max_examples, first, second, nodes)
            cells += ["", ""] if found is None else [str(found), found.counts()]
        if any(cells[2:]):
            lines.append(cells)
    columns = [name for nodes in NODES for name in (_text(nodes), "won, lost, equal")]
    return table(["first", "second", *columns], lines)


def _text(nodes: int) -> str:
    return f"{nodes} node{'s' if nodes > 1 else ''}"


def _all(record: Surfaces, max_examples: int, nodes: int) -> str:
    """Return training and test accuracy of every model of a size on every table."""
    by_key = {
        key: runs
        for key, runs in _by_key(record).items()
        if key[0] == max_examples and key[2] in (0, nodes)
    }
    lines = []
    for measured in record.tables:
        trained = next(iter(by_key.values()))[measured.name].examples
        sizes = (measured.examples, measured.features, measured.classes)
        cells = [measured.name, *map(str, sizes), f"{mean(trained):.0f}"]
        for runs in by_key.values():
            run = runs[measured.name]
            cells.append(f"{100 * mean(run.train):.1f}, {100 * mean(run.test):.1f}")
        lines.append(cells)
    return table(["table", "n", "d", "c", "trained", *(model for _, model, _ in by_key)], lines)


def _sentences(record: Surfaces) -> Iterator[str]:
    seconds = sum(sum(run.seconds) for run in record.results)
    yield f"All models together took {seconds:.0f} CPU s."
    yield from (f"WRONG: {sentence}" for sentence in refuted(record))
    yield from load_sentences(record.loads)
    if not record.complete:
        yield "Interrupted: the run is not complete."


def _by_key(record: Surfaces) -> dict[Key, dict[str, Trained]]:
    by_key: dict[Key, dict[str, Trained]] = {}
    for run in record.results:
        by_key.setdefault((run.max_examples, run.model, run.nodes), {})[run.table] = run
    return by_key
