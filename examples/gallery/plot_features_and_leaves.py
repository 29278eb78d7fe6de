"""
Feature use and errors of leaves
================================

Tumours are benign or malignant; thirty measurements describe each. Two plots of the best tree of
depth three show how often each measurement is used for a patient, and which leaves are unreliable.
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
# The average number of splits on a measurement along the path of a patient. It does not measure the
# importance of a measurement: another measurement may be equally informative.

figure, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
xt.export.plot_feature_use(tree, ax=axes)
plt.show()

# %%
# Training patients in each leaf, and next to them patients held out from training.

figure, both = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
xt.export.plot_leaf_errors(tree, ax=both[0])
xt.export.plot_leaf_errors(tree, X_new, y_new, ax=both[1])
both[0].set_title("training patients", loc="left")
both[1].set_title("held-out patients", loc="left")
plt.show()
