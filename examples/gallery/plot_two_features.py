"""
What is predicted in a plane
============================

Wines of three growers by two of thirteen measurements. Every region is a leaf; that no tree of
depth three in this plane misclassifies fewer wines is proved.
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
# A tree that asks for more features has such a plane through every example: here through a wine of
# the second grower. Wines that differ from it in other measurements may lie in a region that is not
# theirs. Colours follow the ground.

tree = xt.OptimalTreeClassifier(max_depth=2).fit(table.data, y).tree_
print(tree)
here = table.data.iloc[60].tolist()
two = ["proline", "flavanoids"]
with plt.style.context("dark_background"):
    figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    xt.export.plot_regions(tree, table.data, y, features=two, at=here, ax=axes)
    plt.show()
