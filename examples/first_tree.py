"""Fit a provably optimal tree of depth 3, compare it with CART, and draw it.

Run it as ``python examples/first_tree.py [picture.svg]``.
"""

import sys
from pathlib import Path

from sklearn.tree import DecisionTreeClassifier

import exactree as xt


def main(picture: Path) -> None:
    """Print the tree, its errors and those of CART, and the proof; write a picture."""
    table = xt.datasets.load_raisin()
    features = table.frame("pandas")

    best = xt.OptimalTreeClassifier(max_depth=3, time_limit=600).fit(features, table.y)
    cart = DecisionTreeClassifier(max_depth=3, random_state=0).fit(features, table.y)

    print(f"{len(table.y)} raisins, {table.source}\n")
    print(best.tree_)
    print()
    for name, model in (("exactree", best), ("CART", cart)):
        errors = int((model.predict(features) != table.y).sum())
        print(f"{name:9} depth {model.get_depth()}, {errors} errors")

    outcome = best.outcome_
    word = "optimal, proved" if outcome.status is xt.Status.OPTIMAL else "not proved"
    print(f"{word} in {outcome.stats['seconds']:.2f} s; lower bound {outcome.lower_bound}")

    picture.write_text(xt.export.to_svg(best.tree_), encoding="utf-8")
    print(f"picture: {picture}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "first_tree.svg"))
