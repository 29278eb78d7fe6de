"""Trees as a self-contained C function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactree.export.calls import TEXT, answers_file_names
from exactree.export.model import Model, fitted
from exactree.export.statements import Statement, comparison_of, operand_of, statements_of
from exactree.export.wording import (
    checked_float32_note,
    feature_name,
    one_line,
    predicted,
    trees_of,
)
from exactree.trees.regression_tree import RegressionTree

if TYPE_CHECKING:
    from exactree.trees import Ensemble, Tree


@answers_file_names(TEXT)
def to_c(model: Model) -> str:
    """Return the source of a C99 function ``int predict(const double *x)``, or ``double predict``.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        Trees of an ensemble vote.

    Returns
    -------
    str
        C source without includes. ``predict`` returns the index of the class; comments list the
        labels. For a regression it returns the predicted number. Thresholds are decimals as in all
        formats; compilers read them as the same number. Other numbers are hexadecimal, and so
        exact; NAN is a missing value. Weighted sums are added in the same order as in `predict`, on
        any machine whose ``double`` is computed in 64 bits; pragmas for GCC, Clang and MSVC forbid
        fusing a multiplication with an addition.

    Warns
    -----
    UserWarning
        If features in float32 would send training rows to other leaves.
    """
    found = fitted(model)
    note = f" * Compares in float64; {checked_float32_note(found, 'the C function')}."
    if isinstance(found, RegressionTree):
        return _of_regression(found, note)
    trees = trees_of(found)
    labels = [f" *   {k}: {_comment(one_line(label))}" for k, label in enumerate(found.classes)]
    pragmas = [_NOT_FUSED] if any(len(member.surfaces) for member in trees) else []
    head = [
        "/* Returns the index of the class of a row of features:",
        *labels,
        *_codes(found),
        note,
        " */",
    ]
    if len(trees) == 1:
        return "\n".join([*pragmas, *head, *_function("int predict", trees[0])]) + "\n"
    functions = [
        line
        for k, member in enumerate(trees)
        for line in [*_function(f"static int tree_{k}", member), ""]
    ]
    names = ", ".join(f"tree_{k}" for k in range(len(trees)))
    election = _ELECTION % {"trees": len(trees), "classes": len(found.classes), "names": names}
    return "\n".join([*pragmas, *functions, *head, election])


def _of_regression(tree: RegressionTree, note: str) -> str:
    pragmas = [_NOT_FUSED] if len(tree.surfaces) else []
    text = "/* Returns the number that is predicted for a row of features."
    head = [text, *_codes(tree), note, " */"]
    return "\n".join([*pragmas, *head, *_function("double predict", tree)]) + "\n"


def _codes(tree: Tree | Ensemble) -> list[str]:
    """Return comments with the code of each level; -1 is the code of all other levels."""
    lines = []
    for feature, levels in sorted(tree.levels.items()):
        codes = ", ".join(f"{code} = {one_line(level)}" for code, level in enumerate(levels))
        name = one_line(tree.feature_names[feature])
        lines.append(f" * x[{feature}], {_comment(name)}: {_comment(codes)}; -1 = any other")
    return lines


_NOT_FUSED = """\
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize ("fp-contract=off")
#elif defined(_MSC_VER)
#pragma fp_contract (off)
#endif
"""

_ELECTION = """\
int predict(const double *x)
{
    int (*const trees[%(trees)d])(const double *) = {%(names)s};
    int votes[%(classes)d] = {0};
    int best = 0;
    for (int tree = 0; tree < %(trees)d; tree++) {
        votes[trees[tree](x)]++;
    }
    for (int label = 1; label < %(classes)d; label++) {
        if (votes[label] > votes[best]) {
            best = label;
        }
    }
    return best;
}
"""


def _function(name: str, tree: Tree) -> list[str]:
    """Write the function of a tree."""
    lines = [f"{name}(const double *x)", "{"]
    if tree.size == 0:
        lines.append("    (void)x;")
    open_blocks = 0
    for statement in statements_of(tree):
        indent = "    " * (statement.depth + 1)
        if open_blocks > statement.depth:
            open_blocks -= 1
            lines.append(f"{indent}}}")
        if not statement.comparison:
            text = _comment(predicted(tree, statement.node))
            lines.append(f"{indent}return {_result(tree, statement.node)}; /* {text} */")
            continue
        comment = _comment(feature_name(tree, statement.node))
        lines.append(f"{indent}if ({_condition(tree, statement)}) {{ /* {comment} */")
        open_blocks += 1
    return [*lines, "}"]


def _result(tree: Tree, leaf: int) -> str:
    """Write the result of a leaf: the index of its class, or the predicted number."""
    if isinstance(tree, RegressionTree):
        return float(tree.value[leaf, 0]).hex()
    return str(tree.prediction[leaf])


def _condition(tree: Tree, statement: Statement) -> str:
    operand = operand_of(tree, statement.node, lambda feature: f"x[{feature}]", float.hex)
    return comparison_of(tree, statement, operand, repr)


def _comment(text: str) -> str:
    """Return text that neither ends nor begins a comment."""
    return text.replace("*/", "* /").replace("/*", "/ *")
