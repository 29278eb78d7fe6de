"""
Which questions are asked, and where the errors are
===================================================

A tumour is benign or malignant, by thirty measurements. Two pictures say what the best tree of
depth three makes of them: how often a patient is requested each, and which leaves to mistrust.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import exactree as xt

table = load_breast_cancer(as_frame=True)
y = table.target_names[table.target]
X, X_new, y, y_new = train_test_split(table.data, y, test_size=0.4, random_state=0)
outcome = xt.solve(xt.Problem(X, y, limits=xt.Limits(max_depth=3)), time_limit=60)
tree = outcome.tree
print(outcome)
print(tree)
assert outcome.status is xt.Status.OPTIMAL

# %%
# How often a patient is requested a measurement on the way to a leaf, on average. It does not say
# how much a measurement matters: another one may tell as much.

figure, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
xt.export.plot_feature_use(tree, ax=axes)
plt.show()

# %%
# The patients of the fit in each leaf, and beside them those that the search has not seen.

figure, both = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
xt.export.plot_leaf_errors(tree, ax=both[0])
xt.export.plot_leaf_errors(tree, X_new, y_new, ax=both[1])
both[0].set_title("patients of the fit", loc="left")
both[1].set_title("held out", loc="left")
plt.show()
