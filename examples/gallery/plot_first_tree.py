"""
The best tree of depth three
============================

Raisins of two varieties have seven measurements each. The greedy tree of depth three misclassifies
94 of the 720 raisins, the best tree 76; the lower bound shows that no tree of depth three
misclassifies fewer.
"""

import matplotlib.pyplot as plt
from sklearn.tree import DecisionTreeClassifier

import exactree as xt

table = xt.datasets.load_raisin()
best = xt.OptimalTreeClassifier(max_depth=3).fit(table.frame("pandas"), table.y)
cart = DecisionTreeClassifier(max_depth=3, random_state=0).fit(table.X, table.y)

errors = int((cart.predict(table.X) != table.y).sum())
print(f"CART: {errors} errors")
print(best.outcome_)
assert best.outcome_.status is xt.Status.OPTIMAL
assert best.outcome_.cost == best.outcome_.lower_bound == 76 < errors

# %%
# The tree as text and as a picture: every node shows its rule and the rows that reach it.

print(best.tree_)

figure, axes = plt.subplots(figsize=(11, 5.5), layout="constrained")
xt.export.plot_tree(best.tree_, ax=axes)
plt.show()
