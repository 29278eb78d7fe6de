"""
Missing values inside the proof
===============================

A tenth of the values in a table of thirty measurements of tumours is removed at random. The child
to which a split sends missing values is part of the optimization: no value is imputed, and the tree
is proved optimal for the table with missing values.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import exactree as xt

table = load_breast_cancer(as_frame=True)
X, y = table.data, table.target_names[table.target]
gone = np.random.default_rng(0).random(X.shape) < 0.1
with_gaps = X.mask(gone)

whole = xt.solve(xt.Problem(X, y, limits=xt.Limits(max_depth=2)))
gaps = xt.solve(xt.Problem(with_gaps, y, limits=xt.Limits(max_depth=2)))
print("all values:     ", whole)
print("a tenth removed:", gaps)
assert whole.status is gaps.status is xt.Status.OPTIMAL

# %%
# Every node of the picture shows where rows with a missing value go.

figure, axes = plt.subplots(figsize=(10, 4), layout="constrained")
xt.export.plot_tree(gaps.tree, ax=axes)
plt.show()
