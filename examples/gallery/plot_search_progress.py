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

seen = outcome.stats["progress"]
seconds = [one.seconds for one in seen]
costs = [one.cost for one in seen]
bounds = [one.lower_bound for one in seen]

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.step(seconds, costs, "o-", where="post", color="#0072B2", label="errors of the best tree")
axes.step(seconds, bounds, "s-", where="post", color="#D55E00", label="lower bound")
axes.fill_between(seconds, bounds, costs, step="post", color="#0072B2", alpha=0.15)
axes.set(xlabel="seconds", ylabel="errors", ylim=(0, None))
axes.legend()
plt.show()
