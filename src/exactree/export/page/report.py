"""`report`: a self-contained HTML page."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactree.data.parameters import is_number, shown
from exactree.export.feature_use import feature_use
from exactree.export.front import front_entries
from exactree.export.held_out import is_weighted
from exactree.export.leaf_errors import leaf_errors
from exactree.export.model import unwrap
from exactree.export.page.certificate import certificate_on_page
from exactree.export.page.chart import Series, line_chart
from exactree.export.page.follow import as_json, data_of
from exactree.export.page.predicted_table import is_training_table, table_of
from exactree.export.page.proof import proof_statement
from exactree.export.page.purpose import default_title, legend, purpose
from exactree.export.page.results import (
    UNDEFINED,
    Results,
    aligned,
    error_in_unit,
    results_of,
    unit_of_errors,
)
from exactree.export.page.search import searched_front
from exactree.export.page.tree import tree_items
from exactree.export.palette import DARK, LIGHT
from exactree.export.progress import progress_steps
from exactree.export.sentences import leaf_sentences
from exactree.export.wording import one_line, quantity, trees_of
from exactree.problem.parameters import whole_number
from exactree.trees import Ensemble, RegressionTree, Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from exactree.certificates import Certificate
    from exactree.problem import Outcome

__all__ = ["report"]

HERE = Path(__file__).parent
MIN_SECONDS = 0.05  # of a search with a chart; in less time there is nothing to see
MAX_IN_A_PICTURE = 16  # leaves; larger trees are first shown as a list, which is narrower


def report(
    model: Any,
    X: Any,
    y: Any,
    held_out: tuple[Any, Any] | None = None,
    title: str | None = None,
    target: str | None = None,
    front: Sequence[Outcome] | None = None,
    front_seconds: float = 10,
    examples: int = 200,
    certificate: Certificate | None = None,
    sample_weight: Any = None,
    weights_name: str | None = None,
    embed_table: bool = False,
) -> str:
    """Return a page about a tree or an ensemble, for any browser.

    It shows the proof and its limits, measures of the errors with a confusion matrix and the recall
    of each class, scikit-learn's greedy tree (CART) for comparison, the tree, in which nodes can be
    unfolded, searched and followed for an example, its rules as sentences, and the minimum errors
    by size. It loads nothing, and names in it are never executed.

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
        The title of the page; by default it names the target.
    target : str, optional
        The name of what is predicted; by default the name of `y`, if it is a series with a name.
    front : sequence of Outcome, optional
        The result of `pareto_front` for a size and errors. By default the front of trees of at most
        this depth with thresholds and codes is searched, unless the model is an ensemble, uses
        weighted sums or was fitted with weights.
    front_seconds : float
        Time limit of that search; with 0 there is no search.
    examples : int
        Maximum number of examples on the page, whose paths can be followed; the page contains their
        labels and the features that are used. With 0 the page contains no example.
    certificate : Certificate, optional
        The certificate of the tree on X and y, from `certify`. The page contains it, and a button
        that checks it in the reader's browser.
    sample_weight : array-like, optional
        The weights of the certificate, as for `check`.
    weights_name : str, optional
        The name of the column of these weights in the CSV file of a reader; by default the name of
        `sample_weight`, if it is a series with a name, or "sample_weight".
    embed_table : bool
        Whether the page contains all examples, labels and weights for this check, at most 32 MiB.
        By default the reader chooses a CSV file.

    Returns
    -------
    str
        The page.

    Raises
    ------
    ValueError
        If there is no tree, or the examples or the certificate do not fit it.
    CertificateRefused
        If the certificate belongs to another table.
    ImportError
        Without jinja2: ``pip install 'exactree[report]'``.
    """
    if not is_number(front_seconds) or front_seconds < 0:
        content = shown(front_seconds)
        raise ValueError(f"front_seconds must be a number of seconds of at least 0, got {content}.")
    examples = whole_number("examples", examples, 0, "an integer >= 0")
    if certificate is None and (sample_weight is not None or embed_table):
        raise ValueError("sample_weight and embed_table are for a certificate; pass certificate=.")
    template = _template()
    unwrapped = unwrap(model)
    found, outcome = unwrapped.model, unwrapped.outcome
    for tree in trees_of(found):
        tree.check_counted("reports")
    X = unwrapped.table(X)
    if held_out is not None:
        given: object = held_out
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise ValueError(
                "held_out must be a pair of a table and its labels, held_out=(X_test, y_test), got "
                + (f"{len(given)} of 2" if isinstance(given, tuple | list) else "a table")
                + "."
            )
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
    regression = isinstance(found, RegressionTree)
    if front is None and is_training and front_seconds > 0:
        front = searched_front(found, X, y, front_seconds)
    target = target or _name_of(y)
    certified = certificate and certificate_on_page(
        certificate,
        found,
        X,
        y,
        sample_weight,
        target=target,
        weights_name=weights_name or _name_of(sample_weight) or "sample_weight",
        embed_table=embed_table,
    )
    check_data = certified and certified.data
    script, check_script = (_text_of(name) for name in ("page.js", "check.js"))
    programs = [script, check_script] if check_data else [script]
    results = results_of(found, table if is_training else None, unseen_table)
    page: str = template.render(
        title=one_line(title or default_title(found, target)),
        target=one_line(target or ("the number" if regression else "the class")),
        purpose=purpose(found, target),
        kind=kind,
        facts=_facts(found, results),
        results=results,
        legend=legend(found),
        fit=is_training,
        weighted=any(map(is_weighted, trees_of(found))),
        proved=proof_statement(outcome, kind),
        trees=[tree_items(tree) for tree in trees_of(found)],
        view="picture" if found.leaves <= MAX_IN_A_PICTURE else "outline",
        rules=_rules(found, unseen),
        unit=unit_of_errors(found),
        regression=regression,
        front=_front(front, unseen),
        progress=_progress(outcome),
        features=feature_use(found),
        one_line=one_line,
        data=_markup(as_json(data_of(found, table, examples))),
        light=LIGHT,
        dark=DARK,
        style=_markup(_text_of("page.css")),
        script=_markup(script),
        certificate=certified,
        check_data=check_data and _markup(as_json(check_data)),
        check_script=_markup(check_script),
        script_hashes=[b64encode(sha256(text.encode()).digest()).decode() for text in programs],
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
    return environment.get_template("page.html")


def _text_of(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _markup(text: str) -> Any:
    """Mark a text that is not from the user, so that it is inserted without escaping."""
    from markupsafe import Markup

    return Markup(text)


def _name_of(y: Any) -> str | None:
    """Return the name of a series, None for labels without a name."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def _facts(model: Tree | Ensemble, results: Results) -> list[tuple[str, str]]:
    """Return the numbers at the top of the page."""
    trees = trees_of(model)
    facts = [
        ("training examples", f"{int(trees[0].n_node_samples[0]):,}"),
        ("features used", f"{len(feature_use(model))} of {len(model.feature_names)}"),
        ("leaves", str(model.leaves)),
        ("depth", str(max(tree.depth for tree in trees))),
    ]
    if isinstance(model, Ensemble):
        facts[2:2] = [("trees", str(len(trees)))]
    elif "training" not in results.tables and not isinstance(model, RegressionTree):
        errors = float(model.errors[model.children_left < 0].sum())
        rate = 100 * errors / float(model.weighted_n_node_samples[0])
        facts.append(("training error rate", f"{rate:.1f} %"))
    return facts + results.main_measures


def _rules(model: Tree | Ensemble, unseen: tuple[Any, Any] | None) -> list[list[dict[str, Any]]]:
    """Return the rows of the rules of each tree, with their errors on held-out examples."""
    unseen_leaves = iter([] if unseen is None else leaf_errors(model, *unseen))
    content = []
    for tree in trees_of(model):
        sentences = leaf_sentences(tree)
        new = [] if unseen is None else [next(unseen_leaves) for _ in sentences]
        errors = _errors_of_leaves(tree, [(s.errors, s.weight) for s in sentences])
        new_errors = _errors_of_leaves(tree, [(leaf.errors, leaf.examples) for leaf in new])
        content.append(
            [
                {
                    "text": sentence.text,
                    "examples": sentence.examples,
                    "support": f"{100 * sentence.support:.1f} %",
                    "probability": sentence.probability,
                    "errors": errors[at],
                    "held_out": quantity(new[at].examples) if new else None,
                    "held_out_errors": new_errors[at] if new else None,
                }
                for at, sentence in enumerate(sentences)
            ]
        )
    return content


def _errors_of_leaves(tree: Tree, leaves: list[tuple[float, float]]) -> list[str]:
    """Return the errors of leaves, given with their weights; in a regression the mean error."""
    if not isinstance(tree, RegressionTree):
        return [quantity(errors) for errors, _ in leaves]
    means = [error_in_unit(tree, errors / weight) if weight else 0.0 for errors, weight in leaves]
    texts = aligned(means)
    return [text if weight else UNDEFINED for text, (_, weight) in zip(texts, leaves, strict=True)]


def _front(
    front: Sequence[Outcome] | None, held_out: tuple[Any, Any] | None
) -> dict[str, Any] | None:
    """Return the chart and the rows of a front."""
    entries = front_entries(front or [], held_out)
    if not entries:
        return None
    outcome = (front or [])[0]
    model = outcome.trees[0] if outcome.ensemble is None else outcome.ensemble
    errors = [error_in_unit(model, entry.error) for entry in entries]
    bounds = [error_in_unit(model, entry.lower_bound) for entry in entries]
    new = [error_in_unit(model, e.held_out) for e in entries if e.held_out is not None]
    sizes = [float(entry.size) for entry in entries]
    hollow = tuple(not entry.proved for entry in entries)
    series = [Series("training", tuple(zip(sizes, errors, strict=True)), hollow=hollow)]
    if new:
        series.append(Series("held out", tuple(zip(sizes, new, strict=True))))
    unit, percent = unit_of_errors(model), "" if isinstance(model, RegressionTree) else " %"
    chart = line_chart(series, "nodes", f"{unit}{percent and ', %'}", whole=True)
    columns = [aligned(column, percent) for column in (errors, bounds, new)]
    rows = [
        {
            "size": entry.size,
            "error": columns[0][at],
            "proved": "yes" if entry.proved else f"no, at least {columns[1][at]}",
            "held_out": columns[2][at] if new else None,
        }
        for at, entry in enumerate(entries)
    ]
    return {"chart": _markup(chart), "rows": rows, "unit": unit}


def _progress(outcome: Outcome | None) -> Any:
    """Return the chart of a search, None if it has too little progress."""
    if outcome is None or len(outcome.stats.get("progress", ())) < 2:
        return None
    costs, bounds = progress_steps(outcome)
    end = bounds[-1][0]
    if end < MIN_SECONDS:
        return None
    series = [
        Series(name, (*steps, (end, steps[-1][1])), steps=True)
        for name, steps in (("best so far", costs), ("lower bound", bounds))
        if steps
    ]
    return _markup(line_chart(series, "seconds", "cost"))
