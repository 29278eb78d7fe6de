"""Provably optimal decision trees: the public names of the package.

Modules that need scikit-learn, matplotlib or data frames are loaded at first use, so that
``import exactree`` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from exactree.all_optimal import Listing, count_optimal, enumerate_optimal
from exactree.certificates import Certificate, Verified, check
from exactree.certified_bound import certify
from exactree.certified_front import certify_front
from exactree.compress import smallest_equal_tree
from exactree.describe import describe
from exactree.description import Description
from exactree.errors import (
    CertificateRefused,
    DataWarning,
    Infeasible,
    InternalError,
    MethodRefused,
    ModelError,
    NotProvedWarning,
    OtherVersionWarning,
)
from exactree.fronts import pareto_front
from exactree.names import attribute_answer, suggestion
from exactree.problem import Constraints, Limits, Outcome, Problem, Progress, Status
from exactree.solve import solve
from exactree.stopping import Interruptible
from exactree.trees import Ensemble, RegressionTree, Tree

if TYPE_CHECKING:
    from exactree import (
        bound_optimal,
        datasets,
        export,
        feature_sets,
        instances,
        proper,
        prune,
        rules,
        theory,
        tuning,
    )
    from exactree.estimators import (
        BoundOptimalTreeClassifier,
        BoundPrunedTreeClassifier,
        OptimalEnsembleClassifier,
        OptimalTreeClassifier,
        OptimalTreeClassifierCV,
        OptimalTreeRegressor,
        OptimalTreeRegressorCV,
    )
    from exactree.prune import prune_with_bound

__version__ = "0.1.0"

__all__ = [
    "BoundOptimalTreeClassifier",
    "BoundPrunedTreeClassifier",
    "Certificate",
    "CertificateRefused",
    "Constraints",
    "DataWarning",
    "Description",
    "Ensemble",
    "Infeasible",
    "InternalError",
    "Limits",
    "Listing",
    "MethodRefused",
    "ModelError",
    "NotProvedWarning",
    "OptimalEnsembleClassifier",
    "OptimalTreeClassifier",
    "OptimalTreeClassifierCV",
    "OptimalTreeRegressor",
    "OptimalTreeRegressorCV",
    "OtherVersionWarning",
    "Outcome",
    "Problem",
    "Progress",
    "RegressionTree",
    "Status",
    "Tree",
    "Verified",
    "bound_optimal",
    "certify",
    "certify_front",
    "check",
    "count_optimal",
    "datasets",
    "describe",
    "enumerate_optimal",
    "export",
    "feature_sets",
    "instances",
    "pareto_front",
    "proper",
    "prune",
    "prune_with_bound",
    "rules",
    "smallest_equal_tree",
    "solve",
    "theory",
    "tuning",
]

_LATER = {
    "BoundOptimalTreeClassifier": "exactree.estimators",
    "BoundPrunedTreeClassifier": "exactree.estimators",
    "OptimalEnsembleClassifier": "exactree.estimators",
    "OptimalTreeClassifier": "exactree.estimators",
    "OptimalTreeClassifierCV": "exactree.estimators",
    "OptimalTreeRegressor": "exactree.estimators",
    "OptimalTreeRegressorCV": "exactree.estimators",
    "prune_with_bound": "exactree.prune",
}
_PACKAGES = (
    "bound_optimal",
    "datasets",
    "estimators",
    "export",
    "feature_sets",
    "instances",
    "proper",
    "prune",
    "rules",
    "theory",
    "tuning",
)

if not TYPE_CHECKING:  # a type checker reads the imports above instead

    def __getattr__(name: str) -> object:
        """Import a name or a subpackage at its first use; Ctrl-C waits until that is done."""
        if name in _LATER:
            with Interruptible():
                return getattr(import_module(_LATER[name]), name)
        if name in _PACKAGES:
            with Interruptible():
                return import_module(f"exactree.{name}")
        raise AttributeError(f"module 'exactree' has no attribute {name!r}{_place_of(name)}")


def _place_of(name: str) -> str:
    """Return the end of a message: the right call, the package of a name, or the nearest name."""
    for package in ("export", "rules", "tuning", "objectives"):
        if name in import_module(f"exactree.{package}").__all__:
            return f"; it is exactree.{package}.{name}"
    return attribute_answer(name) or suggestion(name, __all__)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
