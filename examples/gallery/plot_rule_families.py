"""
Thresholds, lines and curves on one table
=========================================

The richer the family of rules, the smaller the tree: the smallest trees without errors for
thresholds, straight lines, and curves of degree two, each proved smallest. The picture reproduces
Figure 3 of He and Little's paper on proper decision trees, with a different table.
"""

import matplotlib.pyplot as plt
import numpy as np

import exactree as xt
from exactree.rules import AxisParallel, Hyperplanes, Hypersurfaces

rng = np.random.default_rng(4)
X = rng.uniform(-2, 2, size=(16, 2)).round(2)
y = np.where(np.hypot(*X.T) < 1.35, "in", "out")
families = {"thresholds": AxisParallel(), "lines": Hyperplanes(), "curves": Hypersurfaces(2)}
limits = xt.Limits(max_errors=0)
trees = {}
for name, rules in families.items():
    outcome = xt.solve(xt.Problem(X, y, rules=rules, minimize="size", limits=limits))
    assert outcome.status is xt.Status.OPTIMAL
    trees[name] = outcome.tree
    print(f"{name}: {outcome}")
sizes = [tree.size for tree in trees.values()]
assert sizes[0] > sizes[1] > sizes[2] == 1

# %%

figure, all_axes = plt.subplots(1, 3, figsize=(13, 4.3), layout="constrained", sharey=True)
for axes, (name, tree) in zip(all_axes, trees.items(), strict=True):
    xt.export.plot_regions(tree, X, y, ax=axes)
    # At the left: the legend stands above the axes at the right.
    axes.set_title(f"{name}: {tree.size} {'node' if tree.size == 1 else 'nodes'}", loc="left")
    axes.label_outer()
plt.show()
