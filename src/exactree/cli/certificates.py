"""The commands `exactree certify` and `exactree check`: write and verify certificates."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from exactree.certificates import Certificate, check
from exactree.certificates.format import Header
from exactree.certified_bound import certify
from exactree.cli.certified_problem import CertifiedProblem
from exactree.cli.endings import BadTable, Exit, end, epilog
from exactree.cli.model_file import SavedModel, read_model
from exactree.cli.new_file import Command, NewFile
from exactree.cli.options import json_option, quiet_option, time_limit_option
from exactree.cli.report import cost_in_json
from exactree.cli.table import CellTable
from exactree.cli.table_options import form_options, read
from exactree.cli.target import weights_of
from exactree.cli.text_form import TextForm
from exactree.errors import CertificateRefused, InternalError
from exactree.problem import Outcome, Status
from exactree.problem.quantities import Cost, as_tuple, shown_cost
from exactree.progress import live_progress
from exactree.stopping import Interruptible
from exactree.trees import Tree

CERTIFICATE_FILE = NewFile(".xtc")


weights_option = click.option(
    "--weights", metavar="COLUMN", help="Column of the examples' weights; by default that of fit."
)


@click.command(
    "certify",
    cls=Command,
    short_help="Write a proof that a tree is optimal.",
    epilog=epilog("certify model.json raisin.csv -o model.xtc"),
)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("table", type=click.Path(path_type=Path))
@weights_option
@form_options
@click.option(
    "-o", "--output", type=CERTIFICATE_FILE, required=True, help="Write the certificate here."
)
@time_limit_option("Seconds to prove.")
@click.option(
    "--jobs", type=int, default=1, show_default=True, help="Number of threads; -1 for all cores."
)
@quiet_option
@json_option
def certify_command(
    model: Path,
    table: Path,
    weights: str | None,
    form: TextForm,
    output: Path,
    time_limit: float | None,
    jobs: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Write a certificate for the tree of MODEL: a proof that none costs less on TABLE.

    The table must be that of `exactree fit`; the model file has the options. The proof is of the
    lower bound that the model file has; if it takes longer than --time-limit, the certificate
    proves a smaller one. `exactree check` verifies certificates.
    """
    fitted = read_model(model)
    if fitted.problem is None:
        raise BadTable(
            f"{model} has no problem that a certificate covers.",
            "certificates are for one tree that minimizes errors, size or depth; write the model "
            "again by `exactree fit`.",
        )
    stated = CertifiedProblem.from_dict(fitted.problem)
    rows = read(table, fitted.form(form), quiet=True)
    problem = stated.of_table(*fitted.examples(rows), _weights(rows, weights or stated.weights))
    cost, lower_bound = (_cost(fitted, name) for name in ("cost", "lower_bound"))
    status = Status.OPTIMAL if cost == lower_bound else Status.FEASIBLE
    outcome = Outcome(status, cost, lower_bound, fitted.tree)
    with Interruptible(), live_progress(not (quiet or as_json), text="proving"):
        try:
            proved = certify(problem, outcome, time_limit=time_limit, n_jobs=jobs)
        except InternalError:
            raise BadTable(
                f"{model}: its lower bound {shown_cost(lower_bound)} is wrong.",
                "write the model again by `exactree fit`.",
            ) from None
        proved.save(output)
    if as_json:
        click.echo(json.dumps(_entries(proved) | {"certificate": str(output)}))
    elif not quiet:
        click.echo(f"certified: {proved.statement}")
        click.echo(f"certificate: {output}")
    reached = proved.lower_bound
    if reached is not None and as_tuple(reached) < as_tuple(lower_bound):
        end(
            Exit.NOT_PROVED,
            f"only the lower bound {shown_cost(reached)} is proved, not that of the model, "
            f"{shown_cost(lower_bound)}.",
            f"a longer --time-limit proves more; {output} holds the certificate.",
        )


def _entries(certificate: Certificate) -> dict[str, Any]:
    """Return what a certificate states, for ``--json``."""
    return {
        "statement": certificate.statement,
        "cost": cost_in_json(certificate.cost),
        "lower_bound": cost_in_json(certificate.lower_bound),
    }


def stated_weights(model: SavedModel) -> str | None:
    """Return the column of the weights that a model was fitted with, if it is known."""
    stated = (model.problem or {}).get("weights")
    return stated if isinstance(stated, str) else None


def _weights(table: CellTable, column: str | None) -> NDArray[np.float64] | None:
    return None if column is None else weights_of(table, column)


def _cost(model: SavedModel, name: str) -> Cost:
    """Return a cost of the result in a model file."""
    value = model.result.get(name)
    try:
        if isinstance(value, list):
            return tuple(Fraction(str(number)) for number in value)
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise BadTable(
            f"the model has no {name.replace('_', ' ')} that a certificate can prove: {value!r}.",
            "certificates are for models of `exactree fit` that minimize errors, size or depth.",
        ) from None


@click.command(
    "check",
    cls=Command,
    short_help="Verify a proof that a tree is optimal.",
    epilog=epilog("check model.json raisin.csv model.xtc"),
)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("table", type=click.Path(path_type=Path))
@click.argument("certificate", type=click.Path(path_type=Path))
@weights_option
@form_options
@json_option
def check_command(
    model: Path,
    table: Path,
    certificate: Path,
    weights: str | None,
    form: TextForm,
    as_json: bool,
) -> None:
    """Verify CERTIFICATE for TABLE, and that the tree of MODEL costs what it states.

    The checker shares no code with the search, and trusts neither MODEL nor CERTIFICATE. The exit
    code is 0 only if the statement that it prints is proved.
    """
    fitted = read_model(model)
    rows = read(table, fitted.form(form), quiet=True)
    loaded = Certificate.load(certificate)
    X, labels = fitted.examples(rows)
    weight = _weights(rows, weights or stated_weights(fitted))
    verified = check(loaded, X, labels, sample_weight=weight)
    _check_model(fitted, loaded, X, labels, weight)
    if as_json:
        click.echo(json.dumps({"verified": True} | _entries(loaded)))
    else:
        click.echo(str(verified))


def _errors(header: Header, tree: Tree, X: Any, labels: list[str], weights: Any) -> Fraction:
    """Return the weight that a tree misclassifies, or the costs of its predictions."""
    given = [1] * len(labels) if weights is None else weights.tolist()
    pairs = zip(labels, tree.predict(X).astype(str).tolist(), given, strict=True)
    counted = [(true, predicted, Fraction(w)) for true, predicted, w in pairs if w > 0]
    if header.class_costs is None:
        return sum((w for true, predicted, w in counted if true != predicted), Fraction(0))
    # Classes by first appearance, then labels without examples (`docs/certificate-format.md`).
    classes = dict.fromkeys(true for true, _, _ in counted)
    predictions = [*dict.fromkeys([*classes, *map(str, tree.classes.tolist())])]
    if len(classes) * len(predictions) != len(header.class_costs):
        raise CertificateRefused("The certificate is of a model with other labels.", "model")
    costs = dict(zip(product(classes, predictions), header.class_costs, strict=True))
    total = sum((w * costs[true, predicted] for true, predicted, w in counted), Fraction(0))
    return total / (header.error_price or 1)


def _check_model(
    model: SavedModel, certificate: Certificate, X: Any, labels: Any, weights: Any
) -> None:
    """Refuse a model whose tree is not within the limits of a certificate, or costs more."""
    header, tree = certificate.header, model.tree
    if header.cost is None:
        raise CertificateRefused("The certificate is not of a tree, but the model is.", "model")
    errors = _errors(header, tree, X, [str(label) for label in labels], weights)
    unit = header.error_price * header.weight_scale
    leaves = tree.apply(X if weights is None else X[weights > 0])
    rows_of_leaves = np.unique(leaves, return_counts=True)[1]
    cost = errors + (Fraction(header.leaf_price, unit) * tree.leaves if unit else 0)
    within = (
        tree.depth <= header.max_depth
        and tree.size <= header.max_size
        and errors * header.weight_scale <= header.max_errors
        and rows_of_leaves.min() >= header.min_rows
    )
    costs = {"errors": cost, "size": tree.size, "depth": tree.depth}
    costs_of_tree = tuple(costs[quantity] for quantity in header.minimize)
    if not within or certificate.cost is None or costs_of_tree != as_tuple(certificate.cost):
        raise CertificateRefused(
            "The certificate is of another tree: that of the model costs "
            f"{shown_cost(cost)}, depth {tree.depth}, size {tree.size}.",
            "model",
        )
