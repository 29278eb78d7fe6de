"""The command `python -m benchmarks.predict`: seconds to predict a million rows of ten features.

The trees have seven nodes, whose rules are random and use all features.
"""

from time import perf_counter, process_time

import numpy as np

from benchmarks.machine import facts
from exactree import Limits, Problem, Tree, solve
from exactree.rules import FixedRules, Hypersurfaces, SurfaceRule

ROWS = 1_000_000
FEATURES = 10
DEGREES = {"hyperplanes": 1, "degree two": 2, "degree three": 3}


def tree(degree: int) -> Tree:
    """Return a tree of depth 3 for random classes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, FEATURES)), rng.integers(0, 3, 300)
    monomials = Hypersurfaces(degree).monomials(FEATURES)
    weights = rng.normal(size=(20, len(monomials))).tolist()
    rules = tuple(SurfaceRule(monomials, tuple(row), float(rng.normal())) for row in weights)
    problem = Problem(X, y, rules=FixedRules(rules), limits=Limits(max_depth=3))
    found = solve(problem, time_limit=20).tree
    assert found is not None
    return found


def page() -> str:
    """Return the page of the record: the machine, and a table of times."""
    X = np.random.default_rng(1).normal(size=(ROWS, FEATURES))
    lines = [f"# Prediction of {ROWS:,} rows of {FEATURES} features", ""]
    lines += [f"- {name}: {fact}" for name, fact in facts(()).items()]
    lines += ["", "| rules | nodes | terms of a sum | wall seconds | CPU seconds |"]
    lines.append("| --- | --- | --- | --- | --- |")
    for name, degree in DEGREES.items():
        model = tree(degree)
        seconds = []
        for _ in range(3):
            wall_start, cpu_start = perf_counter(), process_time()
            model.predict(X)
            seconds.append((perf_counter() - wall_start, process_time() - cpu_start))
        wall, cpu = min(seconds)
        terms = len(model.surfaces.monomials)
        lines.append(f"| {name} | {model.size} | {terms} | {wall:.2f} | {cpu:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(page())
