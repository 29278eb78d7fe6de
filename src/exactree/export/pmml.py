"""Trees as PMML 4.4, the Predictive Model Markup Language."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from io import StringIO
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from exactree.export.calls import TEXT, answers_file_names
from exactree.export.model import Model, fitted
from exactree.export.statements import splits_on_surface
from exactree.export.wording import checked_float32_note, only_missing
from exactree.trees import Ensemble, RegressionTree
from exactree.trees.routing import AT_MOST, IN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from exactree.trees import Tree

Element = ElementTree.Element
add = ElementTree.SubElement

# Characters that XML cannot represent or, like a carriage return, does not preserve.
_NO_CHARACTER = re.compile("[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@answers_file_names(TEXT)
def to_pmml(model: Model) -> str:
    """Return a document of PMML 4.4.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        Trees of an ensemble vote; an additional leaf for every class, whose vote counts less than
        1, resolves ties in favour of the earliest class.

    Returns
    -------
    str
        XML. Numeric features are doubles; levels are not encoded. The field ``prediction`` is the
        label or the number of a regression; a tree for classes also has fields ``probability_0``
        and so on. An annotation states the effect of float32.

    Raises
    ------
    ValueError
        If labels, or the levels of a feature, have several types or a type that PMML does not have,
        or if a name has characters that XML does not have.

    Warns
    -----
    UserWarning
        If features in float32 would send training rows to other leaves.
    """
    found = fitted(model)
    document = Element("PMML", version="4.4", xmlns="http://www.dmg.org/PMML-4_4")
    header = add(document, "Header")
    add(header, "Application", name="exactree")
    note = checked_float32_note(found, "the PMML document")
    add(header, "Annotation").text = f"Compares in float64; {note}."
    target = "prediction"
    while target in found.feature_names:
        target += "_"
    _add_fields(add(document, "DataDictionary"), found, target)
    if isinstance(found, Ensemble):
        _add_votes(document, found, target)
    else:
        _add_tree(document, found, target, output=not isinstance(found, RegressionTree))
    return _serialized(document)


def _serialized(document: Element) -> str:
    """Return a document as indented text, without the recursion of ElementTree for deep trees."""
    text = StringIO()
    writer = XMLGenerator(text, short_empty_elements=True)
    stack: list[tuple[Element, int, bool]] = [(document, 0, False)]
    while stack:
        element, level, opened = stack.pop()
        if opened:
            if len(element):
                writer.ignorableWhitespace("  " * level)
            writer.endElement(element.tag)
            writer.ignorableWhitespace("\n")
            continue
        writer.ignorableWhitespace("  " * level)
        writer.startElement(element.tag, AttributesImpl(dict(element.items())))
        writer.characters(element.text or "")
        if len(element):
            writer.ignorableWhitespace("\n")
        stack.append((element, level, True))
        stack += [(child, level + 1, False) for child in reversed(element)]
    return text.getvalue()


def _add_fields(dictionary: Element, found: Tree | Ensemble, target: str) -> None:
    """List the features and the target with their types."""
    for feature, name in enumerate(found.feature_names):
        levels = found.levels.get(feature)
        kind = "double" if levels is None else _kind(levels, f"levels of {name!r}")
        attributes = {
            "optype": "continuous" if kind == "double" else "categorical",
            "dataType": kind,
        }
        add(dictionary, "DataField", {"name": _text(name), **attributes})
    if isinstance(found, RegressionTree):
        add(dictionary, "DataField", name=target, optype="continuous", dataType="double")
        return
    labels = found.classes.tolist()
    kind = _kind(labels, "labels")
    field = add(dictionary, "DataField", name=target, optype="categorical", dataType=kind)
    for label in labels:
        add(field, "Value", value=_text(label))


def _kind(values: Sequence[Any], name: str) -> str:
    """Return the PMML type of labels or levels, or refuse them."""
    kinds = {type(value) for value in values}
    if kinds == {int} and any(abs(value) >= 2**31 for value in values):
        raise ValueError(f"PMML has integers of 32 bits, and the {name} have larger integers.")
    pmml_types = {str: "string", int: "integer", bool: "boolean", float: "double"}
    if len(kinds) != 1 or not kinds <= pmml_types.keys():
        raise ValueError(
            f"PMML takes {name} of one type, strings, integers, booleans or floats, got "
            f"{', '.join(sorted(kind.__name__ for kind in kinds))}."
        )
    return pmml_types[kinds.pop()]


def _text(value: Any) -> str:
    """Return a name, a label or a number as text for XML, or refuse it."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if sign := _NO_CHARACTER.search(text):
        raise ValueError(f"XML has no sign {sign[0]!r}, which is in {value!r}.")
    return text


def _add_schema(model: Element, found: Tree | Ensemble, target: str) -> None:
    """List the features of a model, and its target."""
    schema = add(model, "MiningSchema")
    for name in found.feature_names:
        add(schema, "MiningField", name=name)
    add(schema, "MiningField", name=target, usageType="target")


def _add_votes(document: Element, ensemble: Ensemble, target: str) -> None:
    """Add trees that vote, and for every class a leaf that votes for it with a small weight.

    PMML does not define which of several classes with the most votes wins. The weights of the
    leaves decrease from class to class, are less than 1, and are exact in binary.
    """
    model = add(document, "MiningModel", functionName="classification")
    _add_schema(model, ensemble, target)
    segments = add(model, "Segmentation", multipleModelMethod="weightedMajorityVote")
    for tree in ensemble.trees:
        segment = add(segments, "Segment", weight="1")
        add(segment, "True")
        _add_tree(segment, tree, target)
    classes = len(ensemble.classes)
    scale = 2 ** classes.bit_length()
    for number, label in enumerate(ensemble.classes.tolist()):
        segment = add(segments, "Segment", weight=repr((classes - number) / scale))
        add(segment, "True")
        leaf = add(segment, "TreeModel", functionName="classification")
        _add_schema(leaf, ensemble, target)
        add(add(leaf, "Node", score=_text(label)), "True")


def _add_tree(parent: Element, tree: Tree, target: str, *, output: bool = False) -> None:
    """Add a tree model."""
    regression = isinstance(tree, RegressionTree)
    model = add(
        parent,
        "TreeModel",
        functionName="regression" if regression else "classification",
        missingValueStrategy="defaultChild",
        splitCharacteristic="binarySplit",
    )
    _add_schema(model, tree, target)
    labels = [_text(label) for label in tree.classes.tolist()]
    if output and tree.counts_rows:
        fields = add(model, "Output")
        for number, label in enumerate(labels):
            attributes = {"optype": "continuous", "dataType": "double", "feature": "probability"}
            add(
                fields,
                "OutputField",
                {"name": f"probability_{number}", "value": label, **attributes},
            )
    if len(tree.surfaces):
        _add_sums(add(model, "LocalTransformations"), tree)
    nodes = {0: add(model, "Node", id="0")}
    add(nodes[0], "True")
    for node in range(tree.node_count):
        element = nodes.pop(node)
        element.set("score", labels[tree.prediction[node]])
        if tree.counts_rows:
            element.set("recordCount", repr(float(tree.weighted_n_node_samples[node])))
        if not regression and tree.counts_rows:
            for label, weight in zip(labels, tree.value[node].tolist(), strict=True):
                add(element, "ScoreDistribution", value=label, recordCount=repr(weight))
        if not tree.is_leaf(node):
            left, right = int(tree.children_left[node]), int(tree.children_right[node])
            element.set("defaultChild", str(left if tree.missing_go_to_left[node] else right))
            nodes[left], nodes[right] = (add(element, "Node", id=str(k)) for k in (left, right))
            _add_split(nodes[left], tree, node)
            add(nodes[right], "True")


def _add_split(left: Element, tree: Tree, node: int) -> None:
    """Add the predicate of the examples that go left; all others go right."""
    feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
    if splits_on_surface(tree, node):
        field = _sum_name(tree, feature - tree.n_features)
        add(left, "SimplePredicate", field=field, operator="lessOrEqual", value=repr(threshold))
        return
    field, levels = tree.feature_names[feature], tree.levels.get(feature)
    if only_missing(tree, node):
        operator = "isMissing" if threshold < 0 else "isNotMissing"
        add(left, "SimplePredicate", field=field, operator=operator)
    elif tree.comparison[node] == AT_MOST:
        add(left, "SimplePredicate", field=field, operator="lessOrEqual", value=repr(threshold))
    elif tree.comparison[node] == IN:
        codes = tree.level_set_at(node)
        texts = [_text(code if levels is None else levels[code]) for code in codes]
        predicate = add(left, "SimpleSetPredicate", field=field, booleanOperator="isIn")
        array = add(predicate, "Array", type="string", n=str(len(texts)))
        # Quoted, because spaces would end a level.
        escaped = (text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)
        array.text = " ".join(f'"{text}"' for text in escaped)
    else:
        level = int(threshold) if levels is None else levels[int(threshold)]
        add(left, "SimplePredicate", field=field, operator="equal", value=_text(level))


def _sum_name(tree: Tree, surface: int) -> str:
    """Return the name of a weighted sum, distinct from the names of features."""
    name = f"sum_{surface}"
    while name in tree.feature_names:
        name += "_"
    return name


def _add_sums(fields: Element, tree: Tree) -> None:
    """Add the weighted sums with binary additions, which keep the order of `predict`."""
    for surface in range(len(tree.surfaces)):
        attributes = {"optype": "continuous", "dataType": "double"}
        field = add(fields, "DerivedField", {"name": _sum_name(tree, surface), **attributes})
        total: Element | None = None
        for monomial, weight in tree.surfaces.terms(surface):
            factors = [
                Element("FieldRef", field=tree.feature_names[feature])
                for feature, power in enumerate(monomial)
                for _ in range(power)
            ]
            constant = Element("Constant", dataType="double")
            constant.text = repr(weight)
            product = factors[0]
            for factor in (*factors[1:], constant):
                product = _apply("*", product, factor)
            total = product if total is None else _apply("+", total, product)
        if total is not None:
            field.append(total)


def _apply(function: str, first: Element, second: Element) -> Element:
    applied = Element("Apply", function=function)
    applied.extend([first, second])
    return applied
