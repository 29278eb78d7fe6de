"""
Thresholds compared with straight lines
=======================================

Irises of three species are classified by length and width of their petals. Among trees of depth
two, the best tree with thresholds misclassifies six irises, the best tree with straight lines
three. Both are proved optimal.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

import exactree as xt

iris = load_iris()
X, y = iris.data[:, 2:], iris.target_names[iris.target]
limits = xt.Limits(max_depth=2)
thresholds = xt.solve(xt.Problem(X, y, limits=limits))
lines = xt.solve(xt.Problem(X, y, rules=xt.rules.Hyperplanes(), limits=limits))
print("thresholds:", thresholds)
print("lines:     ", lines)
assert thresholds.status is lines.status is xt.Status.OPTIMAL
assert (thresholds.cost, lines.cost) == (6, 3)

# %%

figure, both = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained", sharey=True)
names = {"thresholds": thresholds, "lines": lines}
for axes, (name, outcome) in zip(both, names.items(), strict=True):
    xt.export.plot_regions(outcome.tree, X, y, ax=axes)
    axes.set(xlabel="petal length", ylabel="petal width")
    axes.set_title(f"{name}: {outcome.cost} errors", pad=26)  # above the legend
    axes.label_outer()
plt.show()
