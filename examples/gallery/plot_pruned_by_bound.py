"""
Pruning by a risk bound
=======================

A greedy tree grown until it makes no errors overfits. A bound on the errors on new rows decides
which nodes to keep, without holding rows back.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import exactree as xt

table = load_breast_cancer(as_frame=True)
X, X_new, y, y_new = train_test_split(table.data, table.target, random_state=0)
grown = DecisionTreeClassifier(random_state=0).fit(X, y)
pruning = xt.prune_with_bound(grown, X, y)

for name, tree in (("grown ", grown), ("pruned", pruning.tree)):
    leaves = grown.get_n_leaves() if tree is grown else tree.leaves
    wrong = int((tree.predict(X_new) != y_new).sum())
    print(f"{name}: {leaves:2} leaves, {wrong} of {len(y_new)} new rows are misclassified")
assert pruning.tree.leaves < grown.get_n_leaves()

# %%

figure, axes = plt.subplots(figsize=(10, 5), layout="constrained")
xt.export.plot_tree(pruning.tree, ax=axes)
plt.show()
