"""`BoundPrunedTreeClassifier`: a greedy tree, pruned by a risk bound."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from exactree.data import make_dataset
from exactree.estimators.labels import class_labels, refuse_regression_target
from exactree.estimators.one_tree import OneTreeClassifier
from exactree.names import answers_unknown_names
from exactree.prune import Pruning, grow_greedily, prune_with_bound
from exactree.prune.by_bound import Risk
from exactree.prune.first_leaves import GrowthOrder, random_source
from exactree.theory.partitions import Form
from exactree.theory.risk import DEFAULT_R

_FITTED_ATTRIBUTES = ("tree_", "pruning_", "classes_", "n_classes_", "n_features_in_")


@answers_unknown_names
class BoundPrunedTreeClassifier(OneTreeClassifier):
    """A greedy classification tree, pruned by a bound on its errors on new examples.

    Pruning replaces nodes by leaves, one by one, as long as the bound does not increase.
    The bound depends on the shape of the whole tree and on its errors, so that no examples are
    held out and there is no cross-validation. The tree is not optimal.

    Parameters
    ----------
    max_leaves : int or None, default=40
        Maximum number of leaves before pruning; None grows until all leaves are pure.
    order : {"best-first", "depth-first", "purest-first"}, default="best-first"
        The next leaf to split if the number of leaves is limited: the leaf whose split lowers the
        Gini index most, the first leaf in preorder, or the leaf whose split has the purest
        children.
    delta : float, default=0.05
        The probability with which the bound may fail.
    r : float, default=2**-13.7
        The prior of k errors is (1 - r) r^k. The smaller r, the less is pruned;
        `exactree.prune.calibrate_prior` chooses a value.
    risk : {"shawe-taylor", "vapnik"}, default="shawe-taylor"
        The risk bound.
    form : {"loose", "tight", "paper"}, default="loose"
        The bound on the number of partitions, see `exactree.theory.PartitioningBounds`; the time
        of the tight form is quadratic in the number of examples.
    categories : list of str or int, or None, default=None
        Columns, by name or index, whose values are integer codes without an order: a node
        tests whether a value in one of them equals a code. The bound counts them as nominal
        features.
    random_state : int, RandomState or None, default=None
        Breaks ties among equally good rules of the greedy tree.

    Attributes
    ----------
    tree_ : Tree
        The pruned tree.
    pruning_ : Pruning
        Its bound, and the bound after every step of pruning.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; in order of first appearance if they cannot be compared.
    n_classes_ : int
        Number of labels.
    n_features_in_ : int
        Number of features seen by `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features; defined only if the table has names.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Reduction of the errors by each feature, as shares that sum to one.

    Notes
    -----
    There are no weights: the bound assumes examples that are drawn independently.

    Examples
    --------
    >>> from exactree import BoundPrunedTreeClassifier
    >>> X = [[number] for number in range(40)]
    >>> y = ["low"] * 20 + ["high"] * 20
    >>> y[3] = "high"  # a slip: one node for it would not be worth its leaves
    >>> model = BoundPrunedTreeClassifier(r=0.5).fit(X, y)
    >>> model.get_n_leaves(), model.predict([[3], [30]]).tolist()
    (2, ['low', 'high'])
    """

    pruning_: Pruning

    def __init__(
        self,
        max_leaves: int | None = 40,
        *,
        order: GrowthOrder = "best-first",
        delta: float = 0.05,
        r: float = DEFAULT_R,
        risk: Risk = "shawe-taylor",
        form: Form = "loose",
        categories: Any = None,
        random_state: Any = None,
    ) -> None:
        self.max_leaves = max_leaves
        self.order = order
        self.delta = delta
        self.r = r
        self.risk = risk
        self.form = form
        self.categories = categories
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: Any) -> Self:
        """Grow a tree and prune it.

        A fit that raises leaves an earlier fit as it was.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            Finite numbers.
        y : array-like of shape (n_examples,)
            Labels of any hashable kind.

        Returns
        -------
        BoundPrunedTreeClassifier
            This estimator.
        """
        labels = class_labels(y)
        refuse_regression_target(labels)
        dataset = make_dataset(X, labels)
        labels = dataset.classes[dataset.labels]
        full_tree = grow_greedily(
            X,
            labels,
            max_leaves=self.max_leaves,
            order=self.order,
            categories=self.categories,
            random_state=random_source(self.random_state),
        )
        pruning = prune_with_bound(
            full_tree,
            X,
            labels,
            delta=self.delta,
            r=self.r,
            risk=self.risk,
            form=self.form,
            categories=self.categories,
        )
        for name in (*_FITTED_ATTRIBUTES, "feature_names_in_"):
            self.__dict__.pop(name, None)
        self.tree_, self.pruning_ = pruning.tree, pruning
        self.classes_, self.n_classes_ = dataset.classes, len(dataset.classes)
        self.n_features_in_ = dataset.X.shape[1]
        if dataset.named:
            self.feature_names_in_ = np.asarray(dataset.feature_names, dtype=object)
        return self

    def __sklearn_tags__(self) -> Any:
        """Describe the estimator to scikit-learn; two leaves cannot tell three classes apart."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.max_leaves in (1, 2)
        return tags
