"""
Choosing the size of a tree from the front of size and errors
=============================================================

A larger tree makes fewer errors on its training rows; held-out rows show whether an additional node
is worthwhile. The front has the fewest errors for every size, each proved; here for wines of three
growers, half of them held out.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

import exactree as xt

X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
problem = xt.Problem(X_train, y_train, limits=xt.Limits(max_depth=4))
front = list(xt.pareto_front(problem, ("size", "errors")))

for outcome in front:
    wrong = np.mean(outcome.tree.predict(X_test) != y_test)
    print(outcome.cost, f"held-out error {wrong:.1%}")
assert all(outcome.status is xt.Status.OPTIMAL for outcome in front)
errors = [outcome.cost[1] for outcome in front]
assert errors == sorted(errors, reverse=True)
assert errors[-1] == 0

# %%
# Every mark of the lower line is the minimum error rate of all trees with that many nodes.

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
xt.export.plot_front(front, held_out=(X_test, y_test), ax=axes)
plt.show()
