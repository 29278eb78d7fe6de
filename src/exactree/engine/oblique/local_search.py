"""Local search for trees of surfaces: one node after the other is given a better split.

Nothing here is proved. While the rest of a tree stays as it is, the best split of a node is a
problem of one surface: an example should go to the subtree where it costs less, and counts by the
difference (tree alternating optimization, Carreira-Perpinan and Tavallali, NeurIPS 2018). Its
surface is improved from several starts: the split that the node has, the best thresholds, logistic
regression, a linear programme on a few examples, and surfaces through examples that are drawn at
random. A tree that cannot be improved in this way is perturbed at a random node, or a new tree is
grown from a part of the examples, until the time is over.

Length: one class, because all steps share the tables that it computes once.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from exactree.engine.oblique.leaf_measures import SplitTask, measure_of, two_groups
from exactree.engine.oblique.linear_trees import Split
from exactree.engine.oblique.rule_list import tree_of
from exactree.engine.oblique.split_search import (
    Measure,
    best_threshold,
    impurity,
    locally_improved,
    rule_along,
)
from exactree.engine.oblique.split_tree import ONE_LEAF, SplitTree
from exactree.engine.oblique.surface_terms import (
    SurfaceTerms,
    least_hinge_weights,
    logistic_weights,
)
from exactree.problem import Problem
from exactree.problem.reduction import ExactCost, Reduction
from exactree.problem.verification.recount import keeps_limits
from exactree.rules import Column, Hypersurfaces, SurfaceColumn, SurfaceRule, families_of
from exactree.trees import Tree
from exactree.trees.routing import AT_MOST, NO_CHILD

__all__ = ["LocalSearch", "OneSurface"]

# The maximum number of nodes of a tree; the time for a round grows with it.
_MAX_NODES = 31
# Examples of a linear programme, which takes about 20 ms for them.
_CORESET = 200
# Surfaces of more terms are not found by a linear programme.
_MAX_TERMS = 60
# The share of the rounds that begin with a new tree.
_NEW_TREES = 0.15

# Costs of examples are whole numbers of this share of their sum in the exact search at a node.
_UNITS = 2**40

Rows = NDArray[np.int64]
# Returns rules for the best surface of a family, [] if none with fewer errors than a number is
# found, and None if the search is too long. Its arguments are the family, the rows, the weights of
# their classes as whole numbers, and the number.
OneSurface = Callable[[Hypersurfaces, Rows, NDArray[np.float64], int], list[SurfaceRule] | None]
# The same for the best leaves in place of classes.
TwoLeaves = Callable[[Hypersurfaces, Rows], list[SurfaceRule] | None]


class LocalSearch:
    """A local search for trees of low cost, with what it computes once for a table.

    Parameters
    ----------
    problem : Problem
        The problem to solve, of one tree with at least two leaves; the costs of its leaves are
        minimized first.
    start : Tree, optional
        A tree to begin with.
    take : callable
        Called with every tree within the limits that is better than those before.
    one_surface, two_leaves : callable, optional
        Find the best surface for a node exactly, where that takes little time; the second where
        the children are leaves, for costs other than errors.
    """

    def __init__(
        self,
        problem: Problem,
        start: Tree | None,
        take: Callable[[Tree], None],
        one_surface: OneSurface | None = None,
        two_leaves: TwoLeaves | None = None,
    ) -> None:
        self.problem, self.take = problem, take
        self.one_surface, self.two_leaves = one_surface, two_leaves
        self.X = problem.dataset.X
        self.all_rows = np.arange(len(self.X))
        self.measure = measure_of(problem)
        self.rng = np.random.default_rng(0)
        families = families_of(problem.rules)
        self.families = [
            SurfaceTerms.of(f, self.X) for f in families if isinstance(f, Hypersurfaces)
        ]
        self.columns: list[tuple[Column | SurfaceColumn, NDArray[np.float64]]] = [
            (column, column.values(self.X))
            for family in families
            if not isinstance(family, Hypersurfaces)
            for column in family.columns(self.X)
        ]
        self.lowest: ExactCost | None = None
        self.best: tuple[ExactCost, SplitTree] | None = None
        begin = None if start is None else self._nodes_of(start)
        self.waiting = [ONE_LEAF] if begin is None else [ONE_LEAF, begin]

    def run(self, has_time: Callable[[], bool]) -> None:
        """Search until the time is over; the next call goes on from there.

        Parameters
        ----------
        has_time : callable
            Returns whether there is time to go on.
        """
        self.has_time = has_time
        while has_time():
            if self.waiting:
                nodes = self._extended(self.waiting.pop(), 1.0)
            elif self.best is None or self.rng.random() < _NEW_TREES:
                nodes = self._extended(ONE_LEAF, float(self.rng.uniform(0.3, 1.0)))
            else:
                nodes = self._perturbed(self.best[1])
            self._compare(self._improved(nodes))

    def _nodes_of(self, tree: Tree) -> SplitTree | None:
        """Return a tree as splits of the rows; None if it has splits by codes."""
        d, X = self.X.shape[1], self.X
        splits: list[Split | None] = []
        for node, feature in enumerate(tree.feature.tolist()):
            if tree.children_left[node] == NO_CHILD:
                splits.append(None)
            elif feature >= d:
                rule = tree.surfaces.rule(feature - d, float(tree.threshold[node]))
                splits.append((SurfaceColumn(rule), rule.holds(X)))
            elif tree.comparison[node] == AT_MOST and not np.isnan(X[:, feature]).any():
                splits.append((Column(feature), X[:, feature] <= tree.threshold[node]))
            else:
                return None
        children = zip(tree.children_left.tolist(), tree.children_right.tolist(), strict=True)
        return SplitTree(splits, list(children))

    def _extended(self, nodes: SplitTree, share: float) -> SplitTree:
        """Return a tree grown to the limits from a share of the examples, the best leaf first."""
        limits, max_nodes = self.problem.limits, min(self.problem.max_leaves - 1, _MAX_NODES)
        sample = self.rng.random(len(self.X)) < share
        gains: dict[int, tuple[float, Split]] = {}
        seen: set[int] = set()
        while sum(split is not None for split in nodes.splits) < max_nodes:
            depths, reached = nodes.depths(), nodes.reached(self.all_rows)
            for leaf in [n for n, split in enumerate(nodes.splits) if split is None]:
                at_limit = limits.max_depth is not None and depths[leaf] >= limits.max_depth
                if leaf in seen or at_limit or not self.has_time():
                    continue
                seen.add(leaf)
                rows = reached[leaf][sample[reached[leaf]]] if share < 1 else reached[leaf]
                task = self.measure.growing(rows)
                found = self._best_split(task, None, few=True)
                if found is not None and self._leaves_enough(found[1][1], reached[leaf]):
                    own = task.cost_of(np.ones(len(rows), dtype=np.bool_))
                    gains[leaf] = (own - found[0], found[1])
            best = max(gains, key=lambda leaf: gains[leaf][0], default=None)
            if best is None or gains[best][0] <= 0:
                break
            nodes = nodes.with_children(best, gains.pop(best)[1])
        return nodes

    def _leaves_enough(self, left: NDArray[np.bool_], rows: Rows) -> bool:
        on_left, least = int(left[rows].sum()), max(self.problem.min_rows, 1)
        return least <= on_left <= len(rows) - least

    def _perturbed(self, nodes: SplitTree) -> SplitTree:
        """Return a tree with other splits at one or two random nodes."""
        inner = [node for node, split in enumerate(nodes.splits) if split is not None]
        for node in self.rng.permutation(inner)[: int(self.rng.integers(1, 3))].tolist():
            rows = nodes.reached(self.all_rows)[node]
            if len(rows) < 2:
                continue
            split = self._random_split(nodes, node, rows)
            changed = nodes if split is None else nodes.with_split(node, split)
            if self._keeps_rows(changed):
                nodes = changed
        return nodes

    def _random_split(self, nodes: SplitTree, node: int, rows: Rows) -> Split | None:
        """Return a split near that of a node, or a surface through random examples."""
        if self.columns and (not self.families or self.rng.random() < 0.5):
            column, values = self.columns[int(self.rng.integers(len(self.columns)))]
            threshold = float(self.rng.choice(values[rows]))
            return column, values <= threshold
        family = self.families[int(self.rng.integers(len(self.families)))]
        weights = self._weights_at(family, nodes.splits[node])
        if weights is None or self.rng.random() < 0.3:
            weights = self._through_examples(family, rows)
        else:
            size = np.abs(weights).max() * 10.0 ** self.rng.uniform(-2, 0)
            weights = weights + size * self.rng.normal(size=len(weights))
        return self._split_of(family, self.measure.task(rows), weights)

    def _through_examples(self, family: SurfaceTerms, rows: Rows) -> NDArray[np.float64]:
        """Return the surface through as many random examples as it has products."""
        n_terms = family.terms.shape[1]
        chosen = self.rng.choice(rows, size=min(n_terms - 1, len(rows)), replace=False)
        vectors = np.linalg.svd(family.terms[chosen], full_matrices=True)[2]
        weights: NDArray[np.float64] = vectors[-1].copy()
        return weights

    def _improved(self, nodes: SplitTree) -> SplitTree:
        """Return a tree whose nodes were given better splits until none is found."""
        before: ExactCost | None = None
        cost = self._cost(nodes)
        while (before is None or cost < before) and self.has_time():
            before = cost
            for node in reversed(range(len(nodes.splits))):
                if nodes.splits[node] is not None and self.has_time():
                    nodes = self._improved_at(nodes, node)
            cost = self._cost(nodes)
        return nodes

    def _improved_at(self, nodes: SplitTree, node: int) -> SplitTree:
        """Return the tree with a better split at a node, if one is found."""
        rows = nodes.reached(self.all_rows).get(node)
        split = nodes.splits[node]
        if rows is None or split is None or not len(rows):
            return nodes
        left, right = nodes.children[node]
        if nodes.splits[left] is None and nodes.splits[right] is None:
            task = self.measure.task(rows)
        else:
            task = self._routing(
                rows, *(self._costs(nodes, child, rows) for child in (left, right))
            )
        if len(task.rows) < 2:
            return nodes
        found = self._best_split(task, split)
        if found is None or found[0] >= task.cost_of(split[1][task.rows]):
            return nodes
        changed = nodes.with_split(node, found[1])
        return changed if self._keeps_rows(changed) else nodes

    def _routing(
        self, rows: Rows, on_left: NDArray[np.float64], on_right: NDArray[np.float64]
    ) -> SplitTask:
        """Return the task to send rows to the child where they cost less."""
        matters = on_left != on_right
        lost = np.abs(on_left - on_right)[matters]
        goes_left = (on_left < on_right)[matters]
        classes = np.where(np.stack([goes_left, ~goes_left], axis=1), lost[:, None], 0.0)
        tie = 0.25 / max(float(self.measure.weights.sum()), 1.0)
        return SplitTask(
            rows[matters], classes, _misrouted(tie), _two_class_errors(tie), two_groups
        )

    def _costs(self, nodes: SplitTree, root: int, rows: Rows) -> NDArray[np.float64]:
        """Return the costs of rows in a subtree, whose leaves keep their predictions."""
        costs = np.zeros(len(self.X))
        own, sent = nodes.reached(self.all_rows), nodes.reached(rows, root)
        for leaf, reached in sent.items():
            if nodes.splits[leaf] is None and len(own[leaf]):
                costs[reached] = self.measure.of_rows(own[leaf], reached)
        return costs[rows]

    def _keeps_rows(self, nodes: SplitTree) -> bool:
        least = max(self.problem.min_rows, 1)
        return all(len(rows) >= least for rows in nodes.reached(self.all_rows).values())

    def _best_split(
        self, task: SplitTask, current: Split | None, few: bool = False
    ) -> tuple[float, Split] | None:
        """Return the split of least cost that is found, and its cost."""
        best: tuple[float, Split] | None = None
        for split in self._candidates(task, current, few):
            left = split[1][task.rows]
            if left.all() or not left.any():
                continue
            cost = task.cost_of(left)
            if best is None or cost < best[0]:
                best = cost, split
            if not self.has_time():
                break
        return best

    def _candidates(self, task: SplitTask, current: Split | None, few: bool) -> Iterator[Split]:
        for column, values in self.columns:
            threshold = best_threshold(values[task.rows], task.sums, task.cost)
            if threshold is not None:
                yield column, values <= threshold
        for family in self.families:
            rules = None if current is None else self._exact_rules(family.family, task, current)
            if rules is not None:
                yield from ((SurfaceColumn(rule), rule.holds(self.X)) for rule in rules)
                continue
            for weights in self._starts(family, task, current, few):
                terms = family.terms[task.rows]
                improved = locally_improved(terms, task.sums, weights, task.cost, self.has_time)
                split = self._split_of(family, task, improved)
                if split is not None:
                    yield split

    def _exact_rules(
        self, family: Hypersurfaces, task: SplitTask, current: Split
    ) -> list[SurfaceRule] | None:
        """Return the best surface, found exactly; None if that takes too long."""
        of_leaves = task.cost == self.measure.split
        if of_leaves and not self.problem.plain_errors:
            return None if self.two_leaves is None else self.two_leaves(family, task.rows)
        if self.one_surface is None:
            return None
        unit = 1.0 if self.problem.plain_errors else float(task.sums.sum()) / _UNITS
        classes = task.sums if unit == 1.0 else np.round(task.sums / max(unit, 1e-300))
        # What breaks ties is less than one error.
        below = int(task.cost_of(current[1][task.rows]) / max(unit, 1e-300))
        return self.one_surface(family, task.rows, classes, below)

    def _split_of(
        self, family: SurfaceTerms, task: SplitTask, weights: NDArray[np.float64]
    ) -> Split | None:
        direction = weights[:-1] / family.spread
        if not np.isfinite(direction).all() or not direction.any():
            return None
        X = self.X[task.rows]
        rule = rule_along(family.monomials, direction, X, task.sums, task.cost)
        return None if rule is None else (SurfaceColumn(rule), rule.holds(self.X))

    def _starts(
        self, family: SurfaceTerms, task: SplitTask, current: Split | None, few: bool
    ) -> Iterator[NDArray[np.float64]]:
        """List weights from which a surface is improved."""
        terms = family.terms[task.rows]
        own = self._weights_at(family, current)
        if own is not None:
            yield own
        yield self._best_single(terms, task)
        sign, counted = task.groups(task.sums, self.rng)
        if (sign == sign[0]).all():
            return
        root = np.sqrt(counted)
        yield np.asarray(
            np.linalg.lstsq(terms * root[:, None], sign * root, rcond=None)[0], dtype=np.float64
        )
        if few:
            return
        yield logistic_weights(terms, sign, counted)
        if terms.shape[1] <= _MAX_TERMS:
            chosen = self.rng.permutation(len(task.rows))[:_CORESET]
            programme = least_hinge_weights(terms[chosen], sign[chosen], counted[chosen])
            if programme is not None:
                yield programme
        yield self._through_examples(family, task.rows)

    def _weights_at(self, family: SurfaceTerms, split: Split | None) -> NDArray[np.float64] | None:
        if split is None or not isinstance(split[0], SurfaceColumn):
            return None
        return family.weights_of(split[0].rule)

    def _best_single(self, terms: NDArray[np.float64], task: SplitTask) -> NDArray[np.float64]:
        """Return the weights of the best threshold on a single term."""
        best, lowest = np.zeros(terms.shape[1]), np.inf
        totals = task.sums.sum(axis=0)
        for j in range(terms.shape[1] - 1):
            threshold = best_threshold(terms[:, j], task.sums, task.unordered)
            if threshold is None:
                continue
            left = task.sums[terms[:, j] <= threshold].sum(axis=0)
            cost = float(task.unordered(totals, left[None])[0])
            if cost < lowest:
                lowest = cost
                best = np.zeros(terms.shape[1])
                above = terms[:, j][terms[:, j] > threshold].min()
                best[j], best[-1] = 1.0, -(threshold + above) / 2
        return best

    def _cost(self, nodes: SplitTree) -> ExactCost:
        """Return the costs of the leaves, by which trees are compared."""
        reached = nodes.reached(self.all_rows)
        leaves = (rows for node, rows in reached.items() if nodes.splits[node] is None)
        return sum((self.measure.leaf(rows) for rows in leaves if len(rows)), 0)

    def _compare(self, nodes: SplitTree) -> None:
        """Keep a tree if it is as good as the best one, and offer it if it is better than all."""
        simple = self._reduced(nodes)
        cost = self._cost(simple)
        if self.lowest is None or cost < self.lowest:
            tree = tree_of(self.problem, simple.splits, simple.children)
            if keeps_limits(self.problem, tree):
                self.lowest = cost
                self.take(tree)
        if self.best is None or cost <= self.best[0]:
            self.best = cost, nodes

    def _reduced(self, nodes: SplitTree) -> SplitTree:
        """Return a tree without the nodes that save less than they cost."""
        left, right = (np.array(side, dtype=np.int64) for side in zip(*nodes.children, strict=True))

        def goes_left(node: int, subset: Rows) -> NDArray[np.bool_]:
            split = nodes.splits[node]
            assert split is not None
            return split[1][subset]

        laws = self.problem.term.laws
        reduction = Reduction(left, right, goes_left, self.measure.leaf, laws, 0, lambda: False)
        root = reduction.run(0, self.all_rows)
        splits, children = list(nodes.splits), list(nodes.children)
        for node in range(len(splits)):
            children[node] = (int(left[node]), int(right[node]))
            splits[node] = None if left[node] == NO_CHILD else splits[node]
        return SplitTree(splits, children).rooted(root)


def _two_class_errors(tie: float) -> Measure:
    """Return the errors of splits whose children are leaves of two classes."""

    def cost(totals: NDArray[np.float64], left: NDArray[np.float64]) -> NDArray[np.float64]:
        right = totals - left
        errors = (left.sum(axis=1) - left.max(axis=1)) + (right.sum(axis=1) - right.max(axis=1))
        found: NDArray[np.float64] = errors + tie * impurity(totals, left)
        return found

    return cost


def _misrouted(tie: float) -> Measure:
    """Return the weight sent to the wrong child: class 0 should go left, class 1 right."""

    def cost(totals: NDArray[np.float64], left: NDArray[np.float64]) -> NDArray[np.float64]:
        wrong: NDArray[np.float64] = left[:, 1] + totals[0] - left[:, 0]
        return wrong + tie * impurity(totals, left)

    return cost
