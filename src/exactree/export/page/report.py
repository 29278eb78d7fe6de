"""`report`: a self-contained HTML page."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactree.data.features import is_number, shown
from exactree.export.feature_use import feature_use
from exactree.export.front import front_entries
from exactree.export.held_out import is_weighted, unit_of
from exactree.export.leaf_errors import leaf_errors
from exactree.export.model import unwrap
from exactree.export.page.chart import Series, line_chart
from exactree.export.page.follow import as_json, data_of
from exactree.export.page.proof import proof_statement
from exactree.export.page.search import searched_front
from exactree.export.page.subject import PredictedTable, is_training_table, table_of
from exactree.export.page.tree import tree_items
from exactree.export.palette import DARK, LIGHT
from exactree.export.progress import progress_steps
from exactree.export.sentences import leaf_sentences
from exactree.export.wording import counted, one_line, quantity, trees_of
from exactree.problem.parameters import whole_number
from exactree.trees import Ensemble, RegressionTree, Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from exactree.problem import Outcome

__all__ = ["report"]

HERE = Path(__file__).parent
MAX_IN_A_PICTURE = 16  # leaves; larger trees are first shown as a list, which is narrower


def report(
    model: Any,
    X: Any,
    y: Any,
    held_out: tuple[Any, Any] | None = None,
    title: str | None = None,
    front: Sequence[Outcome] | None = None,
    front_seconds: float = 10,
    examples: int = 200,
) -> str:
    """Return a page about a tree or an ensemble, for any browser.

    It shows the tree, in which nodes can be unfolded, searched and followed for an example, its
    rules as sentences, the proof and its limits, and the minimum errors by size. It loads nothing,
    and names in it are never executed.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The subject; a tree or an ensemble alone has no proof. The report on a pipeline is about
        the columns that its steps return.
    X, y : array-like
        The training examples and their labels. Other examples count as held out.
    held_out : tuple of (X, y), optional
        Examples that were not used in the search, and their labels.
    title : str, optional
        The title of the page.
    front : sequence of Outcome, optional
        The result of `pareto_front` for a size and errors. By default the front of trees of at most
        this depth with thresholds and codes is searched, unless the model is an ensemble, uses
        weighted sums or was fitted with weights.
    front_seconds : float
        Time limit of that search; with 0 there is no search.
    examples : int
        Maximum number of examples on the page, whose paths can be followed; the page contains their
        labels and the features that are used. With 0 the page contains no example.

    Returns
    -------
    str
        The page.

    Raises
    ------
    ValueError
        If there is no tree, or the examples do not fit it.
    ImportError
        Without jinja2: ``pip install 'exactree[report]'``.
    """
    if not is_number(front_seconds) or front_seconds < 0:
        content = shown(front_seconds)
        raise ValueError(f"front_seconds must be a number of seconds of at least 0, got {content}.")
    examples = whole_number("examples", examples, 0, "an integer >= 0")
    template = _template()
    unwrapped = unwrap(model)
    found, outcome = unwrapped.model, unwrapped.outcome
    X = unwrapped.table(X)
    if held_out is not None:
        held_out = (unwrapped.table(held_out[0]), held_out[1])
    table = table_of(found, X, y)
    is_training = is_training_table(found, table)
    if not is_training and held_out is not None:
        raise ValueError(
            "X, y are not the training examples: the numbers of examples in the leaves differ. "
            "Without held_out, X and y themselves count as held out."
        )
    unseen = held_out if is_training else (X, y)  # examples that were not used in the search
    unseen_table = None if unseen is None else table_of(found, *unseen)
    kind = "ensemble" if isinstance(found, Ensemble) else "tree"
    if front is None and is_training and front_seconds > 0:
        front = searched_front(found, X, y, front_seconds)
    script = (HERE / "page.js").read_text(encoding="utf-8")
    page: str = template.render(
        title=one_line(title or f"A decision {kind}"),
        kind=kind,
        facts=_facts(found, unseen_table),
        fit=is_training,
        weighted=any(map(is_weighted, trees_of(found))),
        proved=proof_statement(outcome, kind),
        trees=[tree_items(tree) for tree in trees_of(found)],
        view="picture" if found.leaves <= MAX_IN_A_PICTURE else "outline",
        rules=_rules(found, unseen),
        unit=unit_of(found),
        regression=isinstance(found, RegressionTree),
        front=_front(front, unseen),
        progress=_progress(outcome),
        features=feature_use(found),
        one_line=one_line,
        data=_markup(as_json(data_of(found, table, examples))),
        light=LIGHT,
        dark=DARK,
        style=_markup((HERE / "page.css").read_text(encoding="utf-8")),
        script=_markup(script),
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
    )
    return page


def _template() -> Any:
    """Return the template of the page; everything that is inserted is escaped."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        raise ImportError(
            "a report needs jinja2; install it with: pip install 'exactree[report]'"
        ) from error
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": _percent, "quantity": quantity, "counted": counted}
    return environment.get_template("page.html")


def _markup(text: str) -> Any:
    """Mark a text that is not from the user, so that it is inserted without escaping."""
    from markupsafe import Markup

    return Markup(text)


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _facts(model: Tree | Ensemble, unseen: PredictedTable | None) -> list[tuple[str, str]]:
    """Return the numbers at the top of the page."""
    trees = trees_of(model)
    weight = float(trees[0].weighted_n_node_samples[0])
    facts = [
        ("examples", quantity(float(trees[0].n_node_samples[0]))),
        ("features used", f"{len(feature_use(model))} of {len(model.feature_names)}"),
        ("leaves", str(model.leaves)),
        ("depth", str(max(tree.depth for tree in trees))),
    ]
    if isinstance(model, Ensemble):
        facts[2:2] = [("trees", str(len(trees)))]
    else:
        wrong = float(model.errors[model.children_left < 0].sum())
        facts.append((f"training {unit_of(model)}", _mean(model, wrong / weight)))
    if unseen is not None:
        facts.append((f"held-out {unit_of(model)}", _mean(model, float(unseen.wrong.mean()))))
    return facts


def _mean(model: Tree | Ensemble, mean: float) -> str:
    return f"{mean:.4g}" if isinstance(model, RegressionTree) else _percent(mean)


def _rules(model: Tree | Ensemble, unseen: tuple[Any, Any] | None) -> list[list[dict[str, Any]]]:
    """Return the sentences of each tree with their errors on held-out examples."""
    content: list[list[dict[str, Any]]] = []
    unseen_leaves = iter([] if unseen is None else leaf_errors(model, *unseen))
    for number, tree in enumerate(trees_of(model)):
        entries = []
        for sentence in leaf_sentences(tree):
            entry: dict[str, Any] = {"tree": number, "sentence": sentence, "held_out": None}
            if unseen is not None:
                entry["held_out"] = next(unseen_leaves)
            entries.append(entry)
        content.append(entries)
    return content


def _front(
    front: Sequence[Outcome] | None, held_out: tuple[Any, Any] | None
) -> dict[str, Any] | None:
    """Return the chart and the rows of a front."""
    entries = front_entries(front or [], held_out)
    if not entries:
        return None
    training = tuple((float(entry.size), entry.error) for entry in entries)
    series = [Series("training", training, hollow=tuple(not entry.proved for entry in entries))]
    new = [(float(e.size), e.held_out) for e in entries if e.held_out is not None]
    if new:
        series.append(Series("held out", tuple(new)))
    unit = unit_of((front or [])[0].trees[0])
    chart = line_chart(series, "nodes", unit, whole=True)
    return {"chart": _markup(chart), "entries": entries, "unit": unit}


def _progress(outcome: Outcome | None) -> Any:
    """Return the chart of a search, None if it has too little progress."""
    if outcome is None or len(outcome.stats.get("progress", ())) < 2:
        return None
    costs, bounds = progress_steps(outcome)
    end = bounds[-1][0]
    series = [
        Series(name, (*steps, (end, steps[-1][1])), steps=True)
        for name, steps in (("best so far", costs), ("lower bound", bounds))
        if steps
    ]
    return _markup(line_chart(series, "seconds", "cost"))
