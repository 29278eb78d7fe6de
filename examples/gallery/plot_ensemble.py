"""
The smallest ensemble of three trees
====================================

Forty raisins are to be classified without errors. A single tree needs six nodes, three voting trees
need five nodes in total; both numbers are proved to be minimal.
"""

import matplotlib.pyplot as plt

import exactree as xt

raisins = xt.datasets.load_raisin()
X, y = raisins.frame("pandas")[::18], raisins.y[::18]
single = xt.solve(xt.Problem(X, y, minimize="size"))
three = xt.solve(xt.Problem(X, y, minimize="total_size", n_trees=3))
print(single)
print(three)
assert single.status is three.status is xt.Status.OPTIMAL
assert (single.cost, three.cost) == (6, 5)

# %%
# A leaf of an ensemble may be wrong on examples on which the other trees outvote it.

figure, axes = plt.subplots(figsize=(11, 4.5), layout="constrained")
xt.export.plot_tree(three.ensemble, ax=axes)
plt.show()
