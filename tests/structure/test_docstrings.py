"""Every public name and parameter is documented in numpydoc's format."""

import inspect
import pydoc
import re
from enum import Enum

import pytest

import exactree
from exactree import datasets, estimators, export, instances, proper, rules, testing, theory

validate = pytest.importorskip("numpydoc.validate").validate

# numpydoc's codes for: no docstring; parameters without a description; descriptions of unknown
# parameters; descriptions in another order than the signature.
CHECKED = {"GL08", "PR01", "PR02", "PR03"}


def public_names() -> list[str]:
    """Return the dotted names of public functions, classes and methods."""
    found: set[str] = set()
    packages = (
        exactree, datasets, estimators, export, instances, proper, rules, testing, theory,
    )  # fmt: skip
    for package in packages:
        for name in package.__all__:
            public = getattr(package, name)
            if not (inspect.isclass(public) or inspect.isfunction(public)):
                continue
            dotted = f"{public.__module__}.{public.__qualname__}"
            found.add(dotted)
            if inspect.isclass(public):
                members = vars(public).items()
                methods = [n for n, m in members if inspect.isfunction(m) and n[0] != "_"]
                found |= {f"{dotted}.{method}" for method in methods}
    return sorted(found)


def test_docstrings_are_complete() -> None:
    wrong = [f"{name}: {fault}" for name in public_names() for fault in faults_of(name)]
    assert not wrong


def faults_of(name: str) -> list[str]:
    """Return the defects of the docstring of a name."""
    result = validate(name)
    docstring = (result["docstring"] or "").strip()
    # Parameters need no description in a docstring of one sentence; in a class that describes its
    # attributes, because only the package makes its objects; in enumerations and protocols.
    without_parameters = "\n" not in docstring or "Attributes\n" in docstring
    if inspect.isclass(found := pydoc.locate(name)):
        without_parameters |= issubclass(found, Enum) or getattr(found, "_is_protocol", False)
    return [
        f"{code} {text}"
        for code, text in result["errors"]
        if code in CHECKED and not (without_parameters and code == "PR01")
    ]


def test_names_that_end_in_an_underscore_are_quoted() -> None:
    """Without quotes, reStructuredText reads such a word as a link, which is broken."""
    wrong = {name: words for name in public_names() if (words := unquoted_links(name))}
    assert not wrong


def unquoted_links(name: str) -> list[str]:
    """Return the words of a docstring that end in an underscore and are not quoted."""
    text = re.sub(r"``[^`]*``|`[^`]*`", "", inspect.getdoc(pydoc.locate(name)) or "")
    described_names, code = r"^ *\w+(, \w+)*( :|$)", r"^ *(>>>|\.\.\.) .*"
    text = re.sub(rf"{described_names}|{code}", "", text, flags=re.MULTILINE)
    return re.findall(r"\b\w*[^\W_]_(?!\w)", text)
