"""
All optimal trees of a table
============================

Eight trees with two nodes misclassify as few irises as the best tree of depth two, so a single
optimal tree should be interpreted with care. All eight use only the petal measurements.
"""

from collections import Counter

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

import exactree as xt

iris = load_iris()
problem = xt.Problem(
    iris.data, iris.target, minimize=("errors", "size"), limits=xt.Limits(max_depth=2)
)
trees = list(xt.enumerate_optimal(problem))
print(f"{len(trees)} trees with {trees[0].size} nodes are optimal")
assert len(trees) == xt.count_optimal(problem)

used = Counter(int(f) for tree in trees for f in {*tree.feature.tolist()} if f >= 0)

# %%

figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
shares = [used[f] / len(trees) for f in range(len(iris.feature_names))]
axes.barh(iris.feature_names, shares, color="#0072B2")
axes.set(xlabel="share of the optimal trees that use the feature", xlim=(0, 1))
axes.invert_yaxis()
plt.show()
