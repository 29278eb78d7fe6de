"""Every public name and parameter is documented in numpydoc's format."""

import inspect
import pydoc
import re
from enum import Enum

import pytest

import exactree
from exactree import datasets, estimators, export, instances, proper, rules, testing, theory

validate = pytest.importorskip("numpydoc.validate").validate

# numpydoc's names for: no docstring; parameters missing, unknown, or in another order than in
# the signature.
CHECKED = {"GL08", "PR01", "PR02", "PR03"}


def public_names() -> list[str]:
    """Return the dotted names of what users may call, methods included."""
    found: set[str] = set()
    packages = (
        exactree, datasets, estimators, export, instances, proper, rules, testing, theory,
    )  # fmt: skip
    for package in packages:
        for name in package.__all__:
            thing = getattr(package, name)
            if inspect.ismodule(thing):
                continue
            if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            whole = f"{thing.__module__}.{thing.__qualname__}"
            found.add(whole)
            if inspect.isclass(thing):
                own = [n for n, m in vars(thing).items() if inspect.isfunction(m) and n[0] != "_"]
                found |= {f"{whole}.{method}" for method in own}
    return sorted(found)


def test_docstrings_are_complete() -> None:
    wrong = [f"{name}: {fault}" for name in public_names() for fault in faults_of(name)]
    assert not wrong


def faults_of(name: str) -> list[str]:
    """Return the defects of the docstring of a name."""
    result = validate(name)
    docstring = (result["docstring"] or "").strip()
    # Answers, which users do not make, describe their attributes; so do enumerations. A short
    # method's one sentence says all.
    described = "\n" not in docstring or "Attributes\n" in docstring
    if inspect.isclass(found := pydoc.locate(name)):
        described |= issubclass(found, Enum) or getattr(found, "_is_protocol", False)
    return [
        f"{code} {text}"
        for code, text in result["errors"]
        if code in CHECKED and not (described and code == "PR01")
    ]


def test_names_that_end_in_an_underscore_are_quoted() -> None:
    """Without quotes the site takes such a word for a link, which leads nowhere."""
    wrong = {name: found for name in public_names() if (found := with_an_underscore(name))}
    assert not wrong


def with_an_underscore(name: str) -> list[str]:
    """Return the words of a docstring that end so."""
    found = pydoc.locate(name)
    text = re.sub(r"``[^`]*``|`[^`]*`", "", inspect.getdoc(found) or "")
    text = re.sub(r"^ *\w+(, \w+)*( :|$)", "", text, flags=re.MULTILINE)  # what is described
    text = re.sub(r"^ *(>>>|\.\.\.) .*", "", text, flags=re.MULTILINE)  # programs
    return re.findall(r"\b\w*[^\W_]_(?!\w)", text)
