"""
Incumbent and lower bound over time
===================================

At any time a search has two numbers: the errors of its best tree so far, and a lower bound on the
errors of all trees. ``outcome.stats["progress"]`` contains both over time.
"""

import matplotlib.pyplot as plt

import exactree as xt

raisins = xt.datasets.load_raisin()
problem = xt.Problem(raisins.X[::3], raisins.y[::3], limits=xt.Limits(max_depth=4))
outcome = xt.solve(problem, time_limit=60)
print(outcome)
assert outcome.lower_bound <= outcome.cost

# %%
# The minimum of the errors lies between the two lines. Where they meet, the proof is complete.

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
xt.export.plot_progress(outcome, ax=axes)
axes.set_ylabel("errors")
plt.show()
