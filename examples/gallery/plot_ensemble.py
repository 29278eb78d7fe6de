"""
Three small trees that vote
===========================

Forty raisins, with no error allowed: a single tree needs six nodes, three trees that vote need five
together. That there is nothing smaller is proved for both.
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
# Leaves of an ensemble may be wrong where the other trees outvote them.

figure, axes = plt.subplots(figsize=(11, 4.5), layout="constrained")
xt.export.plot_tree(three.ensemble, ax=axes)
plt.show()
