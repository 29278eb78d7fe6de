"""Trees as a C function that needs nothing from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactree.export.float32 import checked_float32_note
from exactree.export.model import Model, fitted
from exactree.export.statements import Statement, comparison_of, quantity, statements_of
from exactree.export.wording import feature_name, one_line, predicted, trees_of
from exactree.trees.regression_tree import RegressionTree

if TYPE_CHECKING:
    from exactree.trees import Ensemble, Tree


def to_c(model: Model) -> str:
    """Return the source of a C99 function ``int predict(const double *x)``, or ``double predict``.

    Parameters
    ----------
    model : Tree, Ensemble or fitted estimator
        Trees of an ensemble vote.

    Returns
    -------
    str
        C source without includes. ``predict`` returns the number of the class; comments say which
        number is which label. Of a regression it returns the number that the tree predicts.
        Numbers are hexadecimal, so they are those of the tree; a missing value is NAN.
        Weighted sums
        are summed as `predict` does, on any machine whose ``double`` is computed in 64 bits; for
        GCC, Clang and MSVC pragmas say that no multiplication may be fused with an addition.

    Warns
    -----
    UserWarning
        If features in float32 would send training rows to other leaves.
    """
    tree = fitted(model)
    note = f" * Compares in float64; {checked_float32_note(tree, 'the C function')}."
    if isinstance(tree, RegressionTree):
        return _of_regression(tree, note)
    trees = trees_of(tree)
    numbers = [f" *   {k}: {_comment(one_line(label))}" for k, label in enumerate(tree.classes)]
    pragmas = [_NOT_FUSED] if any(len(one.surfaces) for one in trees) else []
    head = [
        "/* Returns the number of the class of a row of features:",
        *numbers,
        *_codes(tree),
        note,
        " */",
    ]
    if len(trees) == 1:
        return "\n".join([*pragmas, *head, *_function("int predict", trees[0])]) + "\n"
    functions = [
        line
        for k, one in enumerate(trees)
        for line in [*_function(f"static int tree_{k}", one), ""]
    ]
    names = ", ".join(f"tree_{k}" for k in range(len(trees)))
    election = _ELECTION % {"trees": len(trees), "classes": len(tree.classes), "names": names}
    return "\n".join([*pragmas, *functions, *head, election])


def _of_regression(tree: RegressionTree, note: str) -> str:
    pragmas = [_NOT_FUSED] if len(tree.surfaces) else []
    text = "/* Returns the number that is predicted for a row of features."
    head = [text, *_codes(tree), note, " */"]
    return "\n".join([*pragmas, *head, *_function("double predict", tree)]) + "\n"


def _codes(tree: Tree | Ensemble) -> list[str]:
    """Tell which number stands for which level; any other one stands for a level never seen."""
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
    """Write a function that walks down a tree."""
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
            lines.append(f"{indent}return {_answer(tree, statement.node)}; /* {text} */")
            continue
        comment = _comment(feature_name(tree, statement.node))
        lines.append(f"{indent}if ({_condition(tree, statement)}) {{ /* {comment} */")
        open_blocks += 1
    return [*lines, "}"]


def _answer(tree: Tree, leaf: int) -> str:
    """Write what a leaf returns: the number of its class, or the number that it predicts."""
    if isinstance(tree, RegressionTree):
        return float(tree.value[leaf, 0]).hex()
    return str(tree.prediction[leaf])


def _condition(tree: Tree, statement: Statement) -> str:
    operand = quantity(tree, statement.node, lambda feature: f"x[{feature}]", float.hex)
    return comparison_of(tree, statement, operand, float.hex)


def _comment(text: str) -> str:
    """Return text that neither ends a comment nor seems to begin one."""
    return text.replace("*/", "* /").replace("/*", "/ *")
