"""Base class of the estimators that choose the size of a tree by cross-validation."""

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch, _safe_indexing, get_tags, indexable
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    _routing_enabled,
    process_routing,
)
from sklearn.utils.parallel import Parallel, delayed

from exactree.data.labels import encode
from exactree.data.parameters import shown
from exactree.data.weights import read_weights
from exactree.errors import NotProvedWarning, level_of_user
from exactree.estimators.base import ExactEstimator, warn_about_data
from exactree.estimators.front_of_rows import FrontOfRows, front_of, fronts_advice
from exactree.estimators.one_tree import OneTree
from exactree.names import NO_GRID, suggestion
from exactree.problem import Outcome
from exactree.problem.outcome import alternatives
from exactree.problem.parameters import checked_verbose, number_of_threads
from exactree.progress import Live, live_progress
from exactree.stopping import (
    Interruptible,
    current_call,
    immediate_interrupts,
)
from exactree.tuning import (
    LIMITED_QUANTITY_OF,
    Choice,
    choose,
    settings_along,
)

_PARAMETER = {"size": "max_size", "depth": "max_depth", "leaf_penalty": "leaf_penalty"}
_FITTED_ATTRIBUTES = (
    "best_estimator_", "best_index_", "best_params_", "best_score_", "classes_", "cv_results_",
    "feature_names_in_", "front_", "n_classes_", "n_features_in_", "n_splits_", "outcome_", "tree_",
    "tried_",
)  # fmt: skip


class TunedTree(OneTree):
    """An estimator of one tree whose size is chosen by scores on held-out examples."""

    outcome_: Outcome
    front_: tuple[Outcome, ...]
    tried_: tuple[Outcome, ...]

    def __init__(
        self,
        estimator: Any = None,
        *,
        along: str = "size",
        cv: Any = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.along = along
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.verbose = verbose

    @staticmethod
    @abstractmethod
    def _default_estimator() -> ExactEstimator:
        """Return the estimator that is tuned if none is given."""

    @staticmethod
    @abstractmethod
    def _labels(y: Any) -> Any:
        """Return the target, after checking it."""

    def _tuned(self) -> Any:
        """Return the estimator that is tuned, unfitted."""
        default = self._default_estimator()
        if self.estimator is None:
            return default
        kind = type(default)
        if not isinstance(self.estimator, kind):
            way_out = "."
            if isinstance(self.estimator, type):
                way_out = f"; call the class: {kind.__name__}()."
            elif isinstance(self.estimator, Mapping):
                way_out = f": {NO_GRID}."
            raise TypeError(
                f"estimator must be an {kind.__name__} or None, got {shown(self.estimator)}"
                f"{way_out}"
            )
        return clone(self.estimator)

    def fit(
        self, X: ArrayLike, y: Any, sample_weight: ArrayLike | None = None, **params: Any
    ) -> Self:
        """Compute the Pareto fronts of every fold and of all examples, and choose a setting.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            As for the estimator that is tuned.
        y : array-like of shape (n_examples,)
            The target.
        sample_weight : array-like of shape (n_examples,), default=None
            Multiplicities, for fits and for scores.
        **params
            For the splitter and the scorer; needs scikit-learn's metadata routing.

        Returns
        -------
        TunedTree
            This estimator.

        Raises
        ------
        Infeasible
            If no tree meets the limits on all examples, or on those of a fold.
        KeyboardInterrupt
            On Ctrl-C; an earlier fit stays unchanged.

        Warns
        -----
        NotProvedWarning
            If some tree of a front is not proved optimal.
        DataWarning
            If a column is text like an identifier, or text because of few values among numbers, or
            there are more than half as many classes as rows.
        """
        _raise_for_params(params, self, "fit")
        if self.along not in LIMITED_QUANTITY_OF:
            raise ValueError(
                f"along must be one of {', '.join(LIMITED_QUANTITY_OF)}, got {self.along!r}."
            )
        if self.n_jobs is not None:
            number_of_threads(self.n_jobs)
        self._scorer()  # refuses an unknown name before any work
        base, labels = self._tuned(), self._labels(y)
        problem = base._problem(X, labels, sample_weight)  # refuses what cannot be fitted
        warn_about_data(problem.dataset, classes=not problem.regression)
        X, labels = indexable(X, labels)
        weights = None if sample_weight is None else read_weights(sample_weight, len(labels))
        routed = self._routed(weights, params)
        folds = self._folds(X, labels, routed)
        with Interruptible():
            seconds = self._longest(base, folds)
            with live_progress(checked_verbose(self.verbose), seconds) as live:
                fronts = self._fronts(base, (X, labels, weights), folds, live)
                live.say(f"scores of {len(folds)} folds")
                settings, choice = self._chosen(base, fronts, (X, labels), folds, routed)
                live.last_sentence = _sentence(choice, self.along, fronts)
            self._keep(base, fronts, settings, choice)
        return self

    def _longest(self, base: Any, folds: list[tuple[Any, Any]]) -> float | None:
        """Return the seconds after which all fronts have ended; None without a time limit."""
        if base.time_limit is None:
            return None
        jobs = 1 if self.n_jobs is None else number_of_threads(self.n_jobs)
        return ceil((len(folds) + 1) / jobs) * float(base.time_limit)

    def _fronts(
        self, base: Any, table: tuple[Any, Any, Any], folds: list[tuple[Any, Any]], live: Live
    ) -> list[FrontOfRows]:
        """Return the front of all rows, and of the fitted rows of every fold."""
        fitted_rows = {"all rows": np.arange(len(table[1]))} | {
            f"fold {number} of {len(folds)}": train for number, (train, _) in enumerate(folds, 1)
        }
        call = current_call()
        live.begin_steps(len(fitted_rows))
        with immediate_interrupts():
            fronts: list[FrontOfRows] = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(front_of)(call, live, name, base, self.along, table, rows)
                for name, rows in fitted_rows.items()
            )
        return fronts

    def _chosen(
        self,
        base: Any,
        fronts: list[FrontOfRows],
        table: tuple[Any, Any],
        folds: list[tuple[Any, Any]],
        routed: Bunch,
    ) -> tuple[list[Any], Choice]:
        """Return all settings, and the one with the best score on held-out examples."""
        X, labels = table
        settings = settings_along(fronts[0].outcomes, self.along, fronts[0].penalty_unit)
        held_out = [
            [
                self._score_of(base, front.best_at(self.along, value), X, labels, test, routed)
                for value in settings
            ]
            for front, (_, test) in zip(fronts[1:], folds, strict=True)
        ]
        scores = np.array(held_out, dtype=float).T
        return settings, choose(_PARAMETER[self.along], settings, scores)

    def _folds(self, X: Any, labels: Any, routed: Bunch) -> list[tuple[Any, Any]]:
        """Return the rows of every fold, for fitting and held out."""
        classifier = is_classifier(self)
        codes = encode(labels, np.arange(len(labels)))[0] if classifier else np.asarray(labels)
        splitter = check_cv(self.cv, codes, classifier=classifier)
        return list(splitter.split(X, codes, **routed.splitter.split))

    def _routed(self, weights: Any, params: dict[str, Any]) -> Bunch:
        """Return the metadata for the splitter and the scorer."""
        weight_params = {} if weights is None else {"sample_weight": weights}
        if _routing_enabled():
            return process_routing(self, "fit", **weight_params, **params)
        return Bunch(splitter=Bunch(split={}), scorer=Bunch(score=weight_params))

    def _score_of(
        self, base: Any, outcome: Outcome, X: Any, labels: Any, test: Any, routed: Bunch
    ) -> float:
        """Return the score of a tree on held-out rows."""
        model = _fitted_as(base, outcome)
        params = {name: value[test] for name, value in routed.scorer.score.items()}
        return float(
            self._scorer()(model, _safe_indexing(X, test), _safe_indexing(labels, test), **params)
        )

    def _scorer(self) -> Any:
        names = get_scorer_names()
        if isinstance(self.scoring, str) and self.scoring not in names:
            near = suggestion(self.scoring, names)
            where = "; sklearn.metrics.get_scorer_names() lists them." if near == "." else near
            raise ValueError(
                f"scoring must be the name of a scorer of scikit-learn or a scorer, got "
                f"{self.scoring!r}{where}"
            )
        return check_scoring(self._tuned(), scoring=self.scoring)

    def _keep(
        self, base: Any, fronts: list[FrontOfRows], settings: list[Any], choice: Choice
    ) -> None:
        """Set the fitted attributes, and warn if some front is not proved."""
        for name in _FITTED_ATTRIBUTES:
            self.__dict__.pop(name, None)
        self.front_ = fronts[0].outcomes
        self.tried_ = tuple(fronts[0].best_at(self.along, value) for value in settings)
        self.cv_results_ = choice.results
        self.best_index_ = choice.index
        self.best_params_ = choice.results["params"][choice.index]
        self.best_score_ = float(choice.results["mean_test_score"][choice.index])
        self.n_splits_ = len(fronts) - 1
        self.outcome_ = self.tried_[choice.index]
        self.best_estimator_ = _fitted_as(base.set_params(**self.best_params_), self.outcome_)
        for name in ("tree_", "n_features_in_", "feature_names_in_", "classes_", "n_classes_"):
            if hasattr(self.best_estimator_, name):
                setattr(self, name, getattr(self.best_estimator_, name))
        if not all(front.proved for front in fronts):
            # The tuned estimator as the user made it, without the chosen setting.
            advice = alternatives(map(str, fronts_advice(self._tuned(), self.along)))
            helps = f" What would help: {advice}." if advice else ""
            warnings.warn(
                f"{_proof(self.along, fronts).capitalize()}: "
                f"{_missing(self.along, fronts)}, and another "
                f"{LIMITED_QUANTITY_OF[self.along]} may be better.{helps}",
                NotProvedWarning,
                stacklevel=level_of_user(),
            )

    def score(self, X: ArrayLike, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the score of the tree on a table, by the scorer that chose it.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            A table with the features of `fit`.
        y : array-like of shape (n_examples,)
            The true target.
        sample_weight : array-like of shape (n_examples,), default=None
            Weights of the rows.
        """
        if self.scoring is None:
            return float(super().score(X, y, sample_weight))
        weight_params = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._scorer()(self, X, y, **weight_params))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata routing.

        Returns
        -------
        MetadataRouter
            The routing of this estimator, the splitter and the scorer.
        """
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(
                splitter=check_cv(self.cv, classifier=is_classifier(self)),
                method_mapping=MethodMapping().add(caller="fit", callee="split"),
            )
            .add(
                scorer=self._scorer(),
                method_mapping=MethodMapping().add(caller="fit", callee="score"),
            )
        )

    def __sklearn_tags__(self) -> Any:
        """Describe the estimator to scikit-learn, with the tags of the tuned estimator."""
        tags, tuned = super().__sklearn_tags__(), get_tags(self._tuned())
        tags.input_tags = tuned.input_tags
        if tags.classifier_tags is not None:
            tags.classifier_tags.poor_score = tuned.classifier_tags.poor_score
        if tags.regressor_tags is not None:
            tags.regressor_tags.poor_score = tuned.regressor_tags.poor_score
        return tags


def _sentence(choice: Choice, along: str, fronts: list[FrontOfRows]) -> str:
    """Return the chosen setting, and for which rows there is a proof, as a sentence."""
    ((parameter, value),) = choice.results["params"][choice.index].items()
    score = choice.results["mean_test_score"][choice.index]
    shown_value = value if isinstance(value, int) else f"{float(value):.4g}"
    compared, missing = "", ""
    if not all(front.proved for front in fronts):
        compared, missing = " among the trees that were found", f"; {_missing(along, fronts)}"
    return (
        f"{parameter}={shown_value} has the best mean score of {len(fronts) - 1} folds{compared}, "
        f"{score:.4g}; {_proof(along, fronts)}{missing}"
    )


def _proof(along: str, fronts: list[FrontOfRows]) -> str:
    """Return for which rows the trees of all sizes are proved optimal."""
    all_rows, *folds = (front.proved for front in fronts)
    proved = "every fold" if all(folds) else f"{sum(folds)} of {len(folds)} folds"
    proved += " and for all rows" if all_rows else ", not for all rows"
    return f"the best tree of each {LIMITED_QUANTITY_OF[along]} is proved for {proved}"


def _missing(along: str, fronts: list[FrontOfRows]) -> str:
    """Return the size from which on trees may be missing, as a clause."""
    reached = max(min(front.proved_to for front in fronts if not front.proved), 0)
    return f"trees may be missing above {LIMITED_QUANTITY_OF[along]} {reached}"


def _fitted_as(base: Any, outcome: Outcome) -> Any:
    """Return an estimator that is fitted with the tree of an outcome."""
    model = clone(base)
    tree = outcome.tree
    assert tree is not None
    model.outcome_, model.tree_, model.n_features_in_ = outcome, tree, tree.n_features
    if tree.named:
        model.feature_names_in_ = np.asarray(tree.feature_names, dtype=object)
    if is_classifier(model):
        model.classes_, model.n_classes_ = tree.classes, tree.n_classes
    return model
