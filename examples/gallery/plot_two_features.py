"""
Decision regions of two features
================================

Wines of three growers are classified by two of thirteen measurements. Every region is a leaf; it is
proved that no tree of depth three on these two measurements misclassifies fewer wines.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

import exactree as xt

table = load_wine(as_frame=True)
plane = ["color_intensity", "flavanoids"]
y = table.target
outcome = xt.solve(xt.Problem(table.data[plane], y, limits=xt.Limits(max_depth=3)))
print(outcome)
assert outcome.status is xt.Status.OPTIMAL

# %%

figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
xt.export.plot_regions(outcome.tree, table.data[plane], y, ax=axes)
plt.show()

# %%
# For a tree with more features, the plane goes through a given example, here a wine of the second
# grower. Wines that differ from it in other measurements may be drawn in the region of another
# leaf. Colours are adapted to a dark background.

tree = xt.OptimalTreeClassifier(max_depth=2).fit(table.data, y).tree_
print(tree)
here = table.data.iloc[60].tolist()
two = ["proline", "flavanoids"]
with plt.style.context("dark_background"):
    figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    xt.export.plot_regions(tree, table.data, y, features=two, at=here, ax=axes)
    plt.show()
