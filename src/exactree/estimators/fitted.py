"""Base class of all estimators: input checks of fitted estimators, pickling and HTML."""

import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from exactree.data import make_features
from exactree.data.features import CompleteFeatures
from exactree.errors import OtherVersionWarning
from exactree.names import parameter_answer, refuse_attribute
from exactree.notebook import paragraph
from exactree.trees import Ensemble, Tree


def _version() -> str:
    from exactree import __version__  # exactree/__init__.py imports this file

    return __version__


class FittedEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn is not typed
    """A scikit-learn estimator; `_MODEL_ATTRIBUTE` names the attribute of its tree or ensemble."""

    _MODEL_ATTRIBUTE: ClassVar[str]
    n_features_in_: int

    @property
    def _fitted_kind(self) -> str:
        """The kind of model in a word: "tree" or "ensemble"."""
        return self._MODEL_ATTRIBUTE.removesuffix("_")

    @property
    def _fitted(self) -> Tree | Ensemble:
        """The fitted tree or ensemble; raises NotFittedError if there is no model."""
        check_is_fitted(self)
        found: Tree | Ensemble = getattr(self, self._MODEL_ATTRIBUTE)
        return found

    def _features(self, X: ArrayLike) -> NDArray[np.float64]:
        """Check a table against the table of `fit`."""
        fitted = self._fitted
        if len(getattr(X, "shape", ())) == 2:  # with the messages of scikit-learn
            validate_data(self, X, reset=False, skip_check_array=True)
        refusal: str | CompleteFeatures | None = fitted.complete_features
        if not get_tags(self).input_tags.allow_nan:
            refusal = f"{type(self).__name__} takes no missing values"
        return make_features(X, fitted.feature_names, fitted.named, refusal, fitted.levels)

    if not TYPE_CHECKING:  # a type checker would accept any attribute

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError; for a name such as `save`, it shows the right call."""
            refuse_attribute(self, name)
            return object.__getattribute__(self, name)  # raises the error of a property again

    def set_params(self, **params: Any) -> Self:
        """Set parameters; the error for an unknown name gives ours.

        Parameters
        ----------
        **params
            Parameters of the estimator, and of nested estimators as ``name__parameter``.

        Returns
        -------
        FittedEstimator
            This estimator.
        """
        known = self.get_params(deep=False)
        unknown = {name: value for name, value in params.items() if name not in known}
        if unknown and not any("__" in name for name in unknown):
            answer = parameter_answer(type(self).__name__, known, unknown)
            raise ValueError(f"Invalid parameter {next(iter(unknown))!r} for {self!r}: {answer}")
        super().set_params(**params)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return parameters and fitted attributes, with the version of exactree."""
        return {**super().__getstate__(), "_exactree_version": _version()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state; warn if another version wrote it, as scikit-learn does."""
        state = dict(state)
        version = state.pop("_exactree_version", None)
        if version != _version():
            writer = f"exactree {version}" if version else "an older version of exactree"
            warnings.warn(
                f"{type(self).__name__} was pickled by {writer}, this is {_version()}: "
                "it may fail or give other predictions. Store models as JSON "
                "(exactree.export.to_json), which every later version reads.",
                OtherVersionWarning,
                stacklevel=2,
            )
        super().__setstate__(state)

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is a model; a search can stop before it finds a tree."""
        return hasattr(self, self._MODEL_ATTRIBUTE)

    @property
    def _repr_html_(self) -> Any:
        """scikit-learn's diagram with the parameters, then status, bound and the fitted model."""
        diagram = super()._repr_html_  # raises AttributeError when diagrams are switched off
        return lambda: diagram() + self._picture()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """scikit-learn's bundle with the fitted model after the diagram."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._picture()
        return bundle

    def _picture(self) -> str:
        """Return status, bound and picture of the fitted model as HTML; empty without a search."""
        outcome = getattr(self, "outcome_", None)
        status = "" if outcome is None else paragraph(str(outcome))
        return status + (self._fitted._repr_html_() if self.__sklearn_is_fitted__() else "")
