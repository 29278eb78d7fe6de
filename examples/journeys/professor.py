"""A professor proves facts about trees: the best, the smallest, all of them, and why greedy fails.

Run it as ``python examples/journeys/professor.py [folder]``; it writes a figure for the lecture.
"""

import sys
from pathlib import Path

from sklearn.tree import DecisionTreeClassifier

import exactree as xt


def main(folder: Path) -> None:
    """Print each step of the lecture, and write ``front.svg``."""
    print("# 1. Greedy trees do not see parity: x0 and x1 decide together, x2 only correlates")
    X = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    X += [[a, b, int(a != b)] for a in (0, 1) for b in (0, 1)]
    y = ["odd" if a != b else "even" for a, b, _ in X]
    greedy = DecisionTreeClassifier(random_state=0).fit(X, y)
    smallest = xt.solve(xt.Problem(X, y, minimize="size"))
    print(f"CART without errors: {greedy.tree_.node_count - greedy.get_n_leaves()} splits")
    print(smallest)
    print(smallest.tree)

    print("\n# 2. Two programs without common search code agree")
    raisins = xt.datasets.load_raisin()
    sample = xt.Problem(raisins.X[::16], raisins.y[::16], limits=xt.Limits(max_depth=2))
    for implementation in ("native", "spec"):
        outcome = xt.solve(sample, "branch-and-bound", implementation=implementation)
        print(f"{implementation}: {outcome}")

    print("\n# 3. Every trade-off of size and errors, proved")
    problem = xt.Problem(raisins.frame("pandas"), raisins.y, limits=xt.Limits(max_depth=2))
    front = xt.pareto_front(problem, ("size", "errors"))
    print(front)
    axes = xt.export.plot_front(front)
    axes.figure.savefig(folder / "front.svg")

    print("\n# 4. How many optimal trees are there?")
    print(f"{xt.count_optimal(problem)} optimal trees; the splits of two of them:")
    for tree in xt.enumerate_optimal(problem, limit=2):
        print(xt.export.to_rules(tree))

    print("\n# 5. A bound that a stopped search has proved")
    deep = xt.Problem(raisins.X, raisins.y, limits=xt.Limits(max_depth=6))
    stopped = xt.solve(deep, time_limit=0.2)
    print(f"{stopped.status.value}, lower bound <= cost: {stopped.lower_bound <= stopped.cost}")

    print("\n# 6. Parameters of the table in the papers")
    print(xt.describe(raisins.X, raisins.y))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
