"""
What is known while a search runs
=================================

A search that is not finished still knows two numbers: the errors of its best tree and a lower bound
on those of all trees. Both are kept in ``outcome.stats["progress"]``.
"""

import matplotlib.pyplot as plt

import exactree as xt

raisins = xt.datasets.load_raisin()
problem = xt.Problem(raisins.X[::3], raisins.y[::3], limits=xt.Limits(max_depth=4))
outcome = xt.solve(problem, time_limit=60)
print(outcome)
assert outcome.lower_bound <= outcome.cost

# %%
# The least errors lie between the lines at any moment. Where they meet the proof is done.

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
xt.export.plot_progress(outcome, ax=axes)
axes.set_ylabel("errors")
plt.show()
