"""Local search for trees of surfaces: one node after the other is given a better split.

Nothing here is proved. While the rest of a tree stays as it is, the best split of a node is a
problem of one surface: an example counts only if one of the two subtrees below the node predicts
its class and the other does not (tree alternating optimization, Carreira-Perpinan and Tavallali,
NeurIPS 2018). Its surface is improved from several starts: the split that the node has, the best
thresholds, logistic regression, a linear programme on a few examples, and surfaces through examples
that are drawn at random. A tree that cannot be improved in this way is perturbed at a random node,
or a new tree is grown from a part of the examples, until the time is over.

Length: one class, because all steps share the tables that it computes once.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from exactree.engine.oblique.linear_trees import Split
from exactree.engine.oblique.rule_list import tree_of
from exactree.engine.oblique.split_search import (
    Measure,
    best_threshold,
    class_weights,
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
from exactree.problem.reduction import Reduction
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

Rows = NDArray[np.int64]
# Returns rules for the best surface of a family, [] if none with fewer errors than a number is
# found, and None if the search is too long. Its arguments are the family, the rows, the weights of
# their classes, and the number.
OneSurface = Callable[[Hypersurfaces, Rows, NDArray[np.float64], int], list[SurfaceRule] | None]


class LocalSearch:
    """A local search for trees of few errors, with what it computes once for a table.

    Parameters
    ----------
    problem : Problem
        The problem to solve, of one tree with at least two leaves; errors are minimized first.
    start : Tree, optional
        A tree to begin with.
    take : callable
        Called with every tree within the limits that is better than those before.
    one_surface : callable, optional
        Finds the best surface for a node exactly, where that takes little time.
    """

    def __init__(
        self,
        problem: Problem,
        start: Tree | None,
        take: Callable[[Tree], None],
        one_surface: OneSurface | None = None,
    ) -> None:
        self.problem, self.take, self.one_surface = problem, take, one_surface
        self.X, self.labels = problem.dataset.X, problem.dataset.labels
        self.all_rows = np.arange(len(self.X))
        self.classes = class_weights(problem, self.all_rows)
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
        # Equal numbers of errors are compared by their impurity, weighed as less than one error.
        self.tie = 0.25 / max(float(self.classes.sum()), 1.0)
        self.lowest = np.inf
        self.best: tuple[float, SplitTree] | None = None
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
                found = self._best_split(rows, self.classes[rows], impurity, None, few=True)
                if found is not None and self._leaves_enough(found[1][1], reached[leaf]):
                    own = impurity(self.classes[rows].sum(axis=0), self.classes[rows].sum(0)[None])
                    gains[leaf] = (float(own[0]) - found[0], found[1])
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
        return self._split_of(family, rows, self.classes[rows], weights, self._errors)

    def _through_examples(self, family: SurfaceTerms, rows: Rows) -> NDArray[np.float64]:
        """Return the surface through as many random examples as it has products."""
        n_terms = family.terms.shape[1]
        chosen = self.rng.choice(rows, size=min(n_terms - 1, len(rows)), replace=False)
        vectors = np.linalg.svd(family.terms[chosen], full_matrices=True)[2]
        weights: NDArray[np.float64] = vectors[-1].copy()
        return weights

    def _improved(self, nodes: SplitTree) -> SplitTree:
        """Return a tree whose nodes were given better splits until none is found."""
        before = np.inf
        cost = self._cost(nodes)
        while cost < before and self.has_time():
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
            counted, classes, measure = rows, self.classes[rows], self._errors
        else:
            by_left, by_right = (self._correct(nodes, child, rows) for child in (left, right))
            matters = by_left != by_right
            counted, measure = rows[matters], self._misrouted
            weights = self.classes[counted].sum(axis=1)
            classes = np.where(np.stack([by_left, by_right], axis=1)[matters], weights[:, None], 0)
        if len(counted) < 2:
            return nodes
        own = measure(classes.sum(axis=0), classes[split[1][counted]].sum(axis=0)[None])[0]
        found = self._best_split(counted, classes, measure, split)
        if found is None or found[0] >= own:
            return nodes
        changed = nodes.with_split(node, found[1])
        return changed if self._keeps_rows(changed) else nodes

    def _correct(self, nodes: SplitTree, root: int, rows: Rows) -> NDArray[np.bool_]:
        """Return which rows a subtree classifies correctly; its leaves keep their classes."""
        labels = np.zeros(len(self.X), dtype=np.int64)
        own, sent = nodes.reached(self.all_rows), nodes.reached(rows, root)
        for leaf, reached in sent.items():
            if nodes.splits[leaf] is None:
                labels[reached] = int(self.classes[own[leaf]].sum(axis=0).argmax())
        return np.asarray(labels[rows] == self.labels[rows])

    def _keeps_rows(self, nodes: SplitTree) -> bool:
        least = max(self.problem.min_rows, 1)
        return all(len(rows) >= least for rows in nodes.reached(self.all_rows).values())

    def _errors(
        self, totals: NDArray[np.float64], left: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the errors of splits whose children are leaves."""
        right = totals - left
        errors = (left.sum(axis=1) - left.max(axis=1)) + (right.sum(axis=1) - right.max(axis=1))
        cost: NDArray[np.float64] = errors + self.tie * impurity(totals, left)
        return cost

    def _misrouted(
        self, totals: NDArray[np.float64], left: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the weight sent to the wrong child: class 0 should go left, class 1 right."""
        wrong: NDArray[np.float64] = left[:, 1] + totals[0] - left[:, 0]
        return wrong + self.tie * impurity(totals, left)

    def _best_split(
        self,
        rows: Rows,
        classes: NDArray[np.float64],
        measure: Measure,
        current: Split | None,
        few: bool = False,
    ) -> tuple[float, Split] | None:
        """Return the split of least cost that is found, and its cost."""
        best: tuple[float, Split] | None = None
        totals = classes.sum(axis=0)
        for split in self._candidates(rows, classes, measure, current, few):
            left = split[1][rows]
            if left.all() or not left.any():
                continue
            cost = float(measure(totals, classes[left].sum(axis=0)[None])[0])
            if best is None or cost < best[0]:
                best = cost, split
            if not self.has_time():
                break
        return best

    def _candidates(
        self,
        rows: Rows,
        classes: NDArray[np.float64],
        measure: Measure,
        current: Split | None,
        few: bool,
    ) -> Iterator[Split]:
        for column, values in self.columns:
            threshold = best_threshold(values[rows], classes, measure)
            if threshold is not None:
                yield column, values <= threshold
        for family in self.families:
            if self.one_surface is not None and current is not None:
                own = measure(classes.sum(axis=0), classes[current[1][rows]].sum(axis=0)[None])
                # What breaks ties is less than one error.
                rules = self.one_surface(family.family, rows, classes, int(own[0]))
                if rules is not None:
                    yield from ((SurfaceColumn(rule), rule.holds(self.X)) for rule in rules)
                    continue
            for weights in self._starts(family, rows, classes, current, few):
                terms = family.terms[rows]
                improved = locally_improved(terms, classes, weights, measure, self.has_time)
                split = self._split_of(family, rows, classes, improved, measure)
                if split is not None:
                    yield split

    def _split_of(
        self,
        family: SurfaceTerms,
        rows: Rows,
        classes: NDArray[np.float64],
        weights: NDArray[np.float64],
        measure: Measure,
    ) -> Split | None:
        direction = weights[:-1] / family.spread
        if not np.isfinite(direction).all() or not direction.any():
            return None
        rule = rule_along(family.monomials, direction, self.X[rows], classes, measure)
        return None if rule is None else (SurfaceColumn(rule), rule.holds(self.X))

    def _starts(
        self,
        family: SurfaceTerms,
        rows: Rows,
        classes: NDArray[np.float64],
        current: Split | None,
        few: bool,
    ) -> Iterator[NDArray[np.float64]]:
        """List weights from which a surface is improved."""
        terms = family.terms[rows]
        own = self._weights_at(family, current)
        if own is not None:
            yield own
        yield self._best_single(terms, classes)
        sign = self._two_groups(classes)
        if (sign == sign[0]).all():
            return
        root = np.sqrt(classes.sum(axis=1))
        yield np.linalg.lstsq(terms * root[:, None], sign * root, rcond=None)[0]
        if few:
            return
        yield logistic_weights(terms, sign, classes.sum(axis=1))
        if terms.shape[1] <= _MAX_TERMS:
            chosen = self.rng.permutation(len(rows))[:_CORESET]
            programme = least_hinge_weights(
                terms[chosen], sign[chosen], classes[chosen].sum(axis=1)
            )
            if programme is not None:
                yield programme
        yield self._through_examples(family, rows)

    def _weights_at(self, family: SurfaceTerms, split: Split | None) -> NDArray[np.float64] | None:
        if split is None or not isinstance(split[0], SurfaceColumn):
            return None
        return family.weights_of(split[0].rule)

    def _best_single(
        self, terms: NDArray[np.float64], classes: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the weights of the best threshold on a single term."""
        best, lowest = np.zeros(terms.shape[1]), np.inf
        totals = classes.sum(axis=0)
        for j in range(terms.shape[1] - 1):
            threshold = best_threshold(terms[:, j], classes, self._errors)
            if threshold is None:
                continue
            left = classes[terms[:, j] <= threshold].sum(axis=0)
            cost = float(self._errors(totals, left[None])[0])
            if cost < lowest:
                lowest = cost
                best = np.zeros(terms.shape[1])
                above = terms[:, j][terms[:, j] > threshold].min()
                best[j], best[-1] = 1.0, -(threshold + above) / 2
        return best

    def _two_groups(self, classes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return -1 for the examples of a random subset of the classes, 1 for the others."""
        present = np.flatnonzero(classes.any(axis=0))
        if len(present) == 2:
            lower = present[:1]
        else:
            chosen = self.rng.permutation(present)
            lower = chosen[: max(1, int(self.rng.integers(1, max(len(present), 2))))]
        return np.where(classes[:, lower].sum(axis=1) > 0, -1.0, 1.0)

    def _cost(self, nodes: SplitTree) -> float:
        """Return errors plus prices of leaves, by which trees are compared."""
        price, leaves = self.problem.leaf_price, 0
        errors = 0.0
        for node, rows in nodes.reached(self.all_rows).items():
            if nodes.splits[node] is None:
                totals = self.classes[rows].sum(axis=0)
                errors += float(totals.sum() - totals.max())
                leaves += 1
        return errors * price.error_price + leaves * price.leaf_price

    def _compare(self, nodes: SplitTree) -> None:
        """Keep a tree if it is as good as the best one, and offer it if it is better than all."""
        simple = self._reduced(nodes)
        cost = self._cost(simple)
        if cost < self.lowest:
            tree = tree_of(self.problem, simple.splits, simple.children)
            if keeps_limits(self.problem, tree):
                self.lowest = cost
                self.take(tree)
        if self.best is None or cost <= self.best[0]:
            self.best = cost, nodes

    def _reduced(self, nodes: SplitTree) -> SplitTree:
        """Return a tree without the nodes that save less than they cost."""
        left, right = (np.array(side, dtype=np.int64) for side in zip(*nodes.children, strict=True))
        price = self.problem.leaf_price

        def goes_left(node: int, subset: Rows) -> NDArray[np.bool_]:
            split = nodes.splits[node]
            assert split is not None
            return split[1][subset]

        def leaf(subset: Rows) -> int:
            totals = self.classes[subset].sum(axis=0)
            return round(float(totals.sum() - totals.max())) * price.error_price + price.leaf_price

        laws = self.problem.term.laws
        reduction = Reduction(left, right, goes_left, leaf, laws, 0, lambda: False)
        root = reduction.run(0, self.all_rows)
        splits, children = list(nodes.splits), list(nodes.children)
        for node in range(len(splits)):
            children[node] = (int(left[node]), int(right[node]))
            splits[node] = None if left[node] == NO_CHILD else splits[node]
        return SplitTree(splits, children).rooted(root)
