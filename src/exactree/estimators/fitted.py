"""What every estimator does once it is fitted: check new tables against the one of the fit."""

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from exactree.data import make_features
from exactree.data.features import NoMissing
from exactree.errors import OtherVersionWarning
from exactree.trees import Ensemble, Tree


def _version() -> str:
    from exactree import __version__  # the face of the package imports this file

    return __version__


class FittedEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn is not typed
    """A scikit-learn estimator whose fit is in the attribute of the name `_FITTED`.

    That is a tree or an ensemble.
    """

    _FITTED: ClassVar[str]
    n_features_in_: int

    @property
    def _fitted_kind(self) -> str:
        """What is fitted, in a word."""
        return self._FITTED.removesuffix("_")

    @property
    def _fitted(self) -> Tree | Ensemble:
        """What was fitted; refuses if nothing was."""
        check_is_fitted(self)
        found: Tree | Ensemble = getattr(self, self._FITTED)
        return found

    def _features(self, X: ArrayLike) -> NDArray[np.float64]:
        """Check a table against the one this estimator was fitted on."""
        fitted = self._fitted
        if len(getattr(X, "shape", ())) == 2:  # names and counts in scikit-learn's own words
            validate_data(self, X, reset=False, skip_check_array=True)
        why: str | NoMissing | None = fitted.no_missing
        if not get_tags(self).input_tags.allow_nan:
            why = f"{type(self).__name__} takes no missing values"
        return make_features(X, fitted.feature_names, fitted.named, why, fitted.levels)

    def __getstate__(self) -> dict[str, Any]:
        """Return parameters and what was fitted, with the version that did."""
        return {**super().__getstate__(), "_exactree_version": _version()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state over; warn if another version wrote it, as scikit-learn does."""
        state = dict(state)
        written = state.pop("_exactree_version", "an older version")
        if written != _version():
            warnings.warn(
                f"{type(self).__name__} was pickled by exactree {written}, this is {_version()}: "
                "it may not work, or predict otherwise. Keep models as JSON "
                "(exactree.export.to_json), which every later version reads.",
                OtherVersionWarning,
                stacklevel=2,
            )
        super().__setstate__(state)

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is a tree; a search can stop before it finds one."""
        return hasattr(self, self._FITTED)

    @property
    def _repr_html_(self) -> Any:
        """scikit-learn's diagram followed by what was fitted."""
        diagram = super()._repr_html_  # raises AttributeError when diagrams are switched off
        return lambda: diagram() + self._picture()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """scikit-learn's bundle with what was fitted after the diagram."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._picture()
        return bundle

    def _picture(self) -> str:
        """Return what was fitted as HTML with an SVG picture, or nothing."""
        if not self.__sklearn_is_fitted__():
            return ""
        from exactree.export import to_html  # a drawing is not needed to fit

        return to_html(self._fitted)
