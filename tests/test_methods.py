"""The list of native forms of methods."""

from exactree.methods import NATIVE
from exactree.spec.methods import METHODS


def test_every_method_has_a_native_form() -> None:
    assert set(NATIVE) == set(METHODS)
