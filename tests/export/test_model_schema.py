"""The published schema of model files accepts every model, and refuses records of another shape."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from exactree.cli import main
from exactree.errors import ModelError
from exactree.export import from_json, model_schema, to_json
from exactree.trees import Ensemble, Tree
from exactree.trees.label_schema import LABEL_DTYPES
from exactree.trees.schema import NEWEST, OPTIONAL

from .test_model_files import WRONG, paths_in, replaced

jsonschema = pytest.importorskip("jsonschema")
GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def schema() -> Any:
    return jsonschema.Draft202012Validator(model_schema())


@pytest.fixture(scope="module")
def records(zoo: Any) -> dict[str, dict[str, Any]]:
    """Return a model of every kind as parsed JSON."""
    models = {name: case.model for name, case in zoo.items()}
    models["without counts"] = replace(models["numbers"], counts_rows=False)
    return {name: json.loads(to_json(model)) for name, model in models.items()}


def test_the_schema_is_a_valid_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(model_schema())


def test_models_of_every_kind_fit(schema: Any, records: Any) -> None:
    for name, record in records.items():
        assert list(schema.iter_errors(record)) == [], name
    versions = {record["version"] for record in records.values() if "trees" not in record}
    assert versions == {2, 3, 4, 5, 6}
    optional = {entry for record in records.values() for entry in record} & set(OPTIONAL)
    assert optional == set(OPTIONAL)


def test_the_oldest_version_fits(schema: Any) -> None:
    record = json.loads((GOLDEN / "small_version_1.json").read_text("utf-8"))
    schema.validate(record)
    assert not schema.is_valid({**record, "comparison": ["<=", "", "<=", "", ""]})
    assert not schema.is_valid({**record, "version": 2})


def test_the_schema_has_every_version_and_every_type_of_labels() -> None:
    definitions = model_schema()["$defs"]
    kinds = (
        definitions[kind]["properties"]["version"]["enum"]
        for kind in ("classification", "regression")
    )
    assert sorted(version for kind in kinds for version in kind) == list(range(1, NEWEST + 1))
    assert definitions["classes"]["properties"]["dtype"]["enum"] == list(LABEL_DTYPES)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-np.inf, 0.1, np.inf]),
        np.array([-3, 0, 2**62]),
        np.array([0, 1, 255], dtype=np.uint8),
        np.array([0.5, 1, 2], dtype=np.float16),
        np.array(["a", None, 2**70], dtype=object),
        np.array([True, 0.25, float("inf")], dtype=object),
    ],
    ids=lambda labels: labels.dtype.name,
)
def test_labels_of_every_type_fit(schema: Any, small_tree: Tree, labels: Any) -> None:
    fields = {name: getattr(small_tree, name) for name in small_tree.__dataclass_fields__}
    schema.validate(json.loads(to_json(Tree(**{**fields, "classes": labels}))))


# A model, a path in it, and wrong content for that path, which `from_json` refuses as well.
DAMAGED: list[tuple[str, tuple[Any, ...], Any]] = [
    ("numbers", ("format",), "exactree"),
    ("numbers", ("version",), 0),
    ("numbers", ("version",), 99),
    ("numbers", ("version",), "2"),
    ("numbers", ("version",), 4),
    ("numbers", ("version",), 3),
    ("numbers", ("unknown",), 1),
    ("numbers", ("surfaces",), {"monomials": [], "weights": []}),
    ("numbers", ("levels",), {}),
    ("numbers", ("same_in_float32",), False),
    ("numbers", ("classes",), ["a", "b"]),
    ("numbers", ("classes", "dtype"), "complex128"),
    ("numbers", ("classes", "labels"), []),
    ("numbers", ("classes", "labels", 0), 1),
    ("numbers", ("classes", "labels", 1), "high"),
    ("numbers", ("classes", "more"), 1),
    ("numbers", ("feature_names",), "length"),
    ("numbers", ("feature_names", 0), 1),
    ("numbers", ("named",), 1),
    ("numbers", ("children_left",), {}),
    ("numbers", ("children_left",), []),
    ("numbers", ("children_left", 0), -2),
    ("numbers", ("children_right", 0), 1.5),
    ("numbers", ("children_right", 0), True),
    ("numbers", ("feature", 0), "length"),
    ("numbers", ("feature", 0), -3),
    ("numbers", ("comparison", 0), ">"),
    ("numbers", ("comparison",), None),
    ("numbers", ("threshold", 0), None),
    ("numbers", ("threshold", 0), "1"),
    ("numbers", ("value",), [1.0]),
    ("numbers", ("value", 0, 0), -1.0),
    ("numbers", ("value", 0), [0.0, 0.0, 0.0]),
    ("numbers", ("value", 0, 0), None),
    ("numbers", ("prediction", 0), -1),
    ("numbers", ("n_node_samples", 0), 0),
    ("numbers", ("n_node_samples", 0), 2**63),
    ("numbers", ("errors", 0), -0.5),
    ("close", ("same_in_float32",), 0),
    ("missing", ("missing", 0), "up"),
    ("missing", ("missing",), [False]),
    ("levels", ("levels",), []),
    ("levels", ("levels", "colour"), ["red"]),
    ("levels", ("levels", "2"), "red"),
    ("levels", ("levels", "2"), ["red", "red"]),
    ("levels", ("levels", "2"), [["red"]]),
    ("sets", ("level_sets",), {}),
    ("sets", ("level_sets", 0), [0.5]),
    ("sets", ("level_sets", 0), None),
    ("hyperplanes", ("surfaces",), None),
    ("hyperplanes", ("surfaces",), {"weights": []}),
    ("hyperplanes", ("surfaces", "monomials"), None),
    ("hyperplanes", ("surfaces", "monomials"), 1),
    ("hyperplanes", ("surfaces", "monomials", 0, 0), 101),
    ("hyperplanes", ("surfaces", "monomials", 0, 0), -1),
    ("hyperplanes", ("surfaces", "weights"), 0.5),
    ("hyperplanes", ("surfaces", "weights", 0), [None, None]),
    ("hyperplanes", ("version",), 2),
    ("regression", ("error_term",), "errors"),
    ("regression", ("error_term",), None),
    ("regression", ("weight", 0), 0.0),
    ("regression", ("value", 0), [1.0]),
    ("regression", ("version",), 2),
    ("regression", ("prediction",), [0]),
    ("medians with codes", ("version",), 4),
    ("ensemble", ("version",), 2),
    ("ensemble", ("trees",), []),
    ("ensemble", ("trees",), {}),
    ("ensemble", ("trees", 0), 1),
    ("ensemble", ("weights",), [1.0]),
]


@pytest.mark.parametrize(("name", "path", "content"), DAMAGED, ids=str)
def test_damaged_models_are_refused_by_the_schema_and_by_from_json(
    schema: Any, records: Any, name: str, path: tuple[Any, ...], content: Any
) -> None:
    record = replaced(records[name], path, content)
    assert not schema.is_valid(record)
    with pytest.raises(ModelError):
        from_json(json.dumps(record))


def test_every_entry_is_required_unless_only_some_trees_have_it(schema: Any, records: Any) -> None:
    """In version 3 all entries are required."""
    for name, record in records.items():
        for entry in set(record) - (set(OPTIONAL) if record["version"] != 3 else set()):
            without = {key: content for key, content in record.items() if key != entry}
            assert not schema.is_valid(without), (name, entry)
            with pytest.raises(ModelError):
                from_json(json.dumps(without))


@given(data=st.data())
def test_every_record_that_is_read_fits(schema: Any, records: Any, data: Any) -> None:
    """A program that checks files by the schema accepts every file that exactree reads."""
    record: Any = records[data.draw(st.sampled_from(sorted(records)))]
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(paths_in(record)))
        record = replaced(record, path, data.draw(st.sampled_from(WRONG) | st.integers(-3, 9)))
        if not isinstance(record, dict):
            break
    try:
        from_json(json.dumps(record))
    except ModelError:
        return
    assert list(schema.iter_errors(record)) == []


def test_ensembles_of_regression_trees_are_refused(schema: Any, records: Any) -> None:
    voting = {"format": "exactree ensemble", "version": 1, "trees": [records["regression"]]}
    assert not schema.is_valid(voting)
    with pytest.raises(ModelError):
        Ensemble.from_dict(voting)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_files_of_the_command_line_fit(schema: Any, tmp_path: Path, task: str) -> None:
    rows = "\n".join(f"{k},{'red' if k % 3 else 'blue'},{k // 5}" for k in range(9))
    table, model = tmp_path / "table.csv", tmp_path / "model.json"
    table.write_text(f"size,colour,answer\n{rows}\n", encoding="utf-8")
    options = ["--target", "answer", "--task", task, "--max-depth", "2", "--quiet"]
    result = CliRunner().invoke(main, ["fit", str(table), *options, "-o", str(model)])
    assert result.exit_code == 0, result.output
    record = json.loads(model.read_text("utf-8"))
    schema.validate(record)
    # Certificates do not cover regressions, and earlier releases stored no problem.
    assert ("problem" in record) == (task == "classification")
    for entry in record:
        assert not schema.is_valid({**record, entry: None}), entry
        without = {k: v for k, v in record.items() if k != entry}
        assert schema.is_valid(without) == (entry == "problem"), entry
    for entry in record.get("problem", ()):
        without = {k: v for k, v in record["problem"].items() if k != entry}
        assert not schema.is_valid({**record, "problem": without}), entry
