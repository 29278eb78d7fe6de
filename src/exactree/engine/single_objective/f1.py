"""The minimum F1 error by searches for minimum weighted errors (Dinkelbach, 1967).

With P the weight of the positives, the F1 error of a tree is (FP + FN) / (2P + FP - FN), a quotient
of sums over leaves. It is less than q if and only if (1 - q) FP + (1 + q) FN < 2 q P. The left side
is the errors with other weights, which the engine minimizes. Starting with the q of some tree, each
search either finds a better tree or proves the current one optimal. There are finitely many q, and
in practice a handful is tried. As 2P + FP - FN is at least P, a lower bound on these errors gives
one on every F1 error.
"""

from fractions import Fraction

from exactree.engine.single_objective.rate_search import LEAF, RateRun
from exactree.problem import Progress, Status
from exactree.problem.cost import Cost, as_tuple
from exactree.problem.limits import Limits
from exactree.trees import grow

__all__ = ["least_f1_error"]


def least_f1_error(run: RateRun, limits: Limits) -> Fraction:
    """Search for the minimum F1 error; return its lower bound.

    Parameters
    ----------
    run : RateRun
        Takes in the trees that are found.
    limits : Limits
        Those of the trees.
    """
    problem, rate = run.problem, run.problem.rate
    assert rate is not None
    positives = Fraction(rate.positives, problem.dataset.weight_scale)
    # A tree that finds all positives has an F1 error below 1, so that all weights are positive.
    least = rate.rate(*run.take(grow(problem.dataset, [LEAF], [problem.positive])))
    if run.tree is not None:  # of fewer leaves
        least = min(least, rate.rate(*run.take(run.tree)))
    bound = Fraction(0)
    while least > 0:
        ratio, known = least, bound

        def callback(progress: Progress, ratio: Fraction = ratio, known: Fraction = known) -> bool:
            proved = _proved(ratio, progress.lower_bound, positives)
            return run.report(max(known, proved), progress.seconds)

        outcome = run.weighed((1 - ratio, 1 + ratio), limits, callback)
        bound = max(bound, _proved(ratio, outcome.lower_bound, positives))
        if outcome.tree is not None:
            least = min(least, rate.rate(*run.take(outcome.tree)))
        if outcome.status is not Status.OPTIMAL:
            return min(bound, least)
        if least == ratio:
            # With rounded weights a tree that is better by less than the rounding is not excluded.
            return min(bound, ratio) if run.rounded else ratio
        if run.report(bound):
            return bound
    return Fraction(0)


def _proved(ratio: Fraction, lower_bound: Cost, positives: Fraction) -> Fraction:
    """Return the lower bound on every F1 error from one on errors weighted by a ratio."""
    (errors,) = as_tuple(lower_bound)
    return max(ratio + (Fraction(errors) - 2 * ratio * positives) / positives, Fraction(0))
