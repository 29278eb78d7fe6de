"""Trees as a C function that needs nothing from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactree.export.statements import statements_of
from exactree.export.wording import feature_name, one_line, predicted, refuse_surfaces, trees_of

if TYPE_CHECKING:
    from exactree.trees import Ensemble, Tree


def to_c(tree: Tree | Ensemble) -> str:
    """Return the source of a C99 function ``int predict(const double *x)``.

    Parameters
    ----------
    tree : Tree or Ensemble
        The tree, or an ensemble: its trees vote.

    Returns
    -------
    str
        C source without includes. ``predict`` returns the number of the class; comments say which
        number is which label. Thresholds are hexadecimal, so nothing is rounded.
    """
    refuse_surfaces(tree, "to_c")
    trees = trees_of(tree)
    numbers = [f" *   {k}: {_comment(one_line(label))}" for k, label in enumerate(tree.classes)]
    head = ["/* Returns the number of the class of a row of features:", *numbers, " */"]
    if len(trees) == 1:
        return "\n".join([*head, *_function("int predict", trees[0])]) + "\n"
    functions = [
        line
        for k, one in enumerate(trees)
        for line in [*_function(f"static int tree_{k}", one), ""]
    ]
    names = ", ".join(f"tree_{k}" for k in range(len(trees)))
    election = _ELECTION % {"trees": len(trees), "classes": len(tree.classes), "names": names}
    return "\n".join([*functions, *head, election])


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
            lines.append(
                f"{indent}return {tree.prediction[statement.node]}; /* "
                f"{_comment(predicted(tree, statement.node))} */"
            )
            continue
        threshold = float(tree.threshold[statement.node]).hex()
        asked = f"x[{tree.feature[statement.node]}] {statement.comparison} {threshold}"
        lines.append(
            f"{indent}if ({asked}) {{ /* {_comment(feature_name(tree, statement.node))} */"
        )
        open_blocks += 1
    return [*lines, "}"]


def _comment(text: str) -> str:
    """Return text that neither ends a comment nor seems to begin one."""
    return text.replace("*/", "* /").replace("/*", "/ *")
