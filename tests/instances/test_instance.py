"""Common behaviour of all families: their list, instances, and tables as CSV."""

from pathlib import Path

import numpy as np
import pytest

from exactree import instances
from exactree.cli.generate import generate
from exactree.instances import FAMILIES, Lemma10, Parity

HERE = Path(__file__).parent


def test_every_family_is_in_the_list_and_has_tests_and_a_command() -> None:
    public = [getattr(instances, name) for name in instances.__all__]
    families = {entry for entry in public if isinstance(entry, type)} - {instances.Instance}
    assert set(FAMILIES.values()) == families
    assert set(generate.commands) == set(FAMILIES)
    for name, family in FAMILIES.items():
        assert any(family.__name__ in path.read_text("utf-8") for path in HERE.glob("test_*.py"))
        assert family.__module__ == f"exactree.instances.{name.replace('-', '_')}"
        assert callable(family.apply)


def test_an_instance_cannot_be_changed() -> None:
    instance = Lemma10().apply()
    assert repr(instance) == "Instance(6 examples, 4 features)"
    with pytest.raises(ValueError, match="read-only"):
        instance.X[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        instance.y[0] = "1"


def test_the_problem_of_an_instance_allows_no_errors() -> None:
    problem = Parity(3, 1).apply().problem()
    assert problem.quantities == ("size",)
    assert problem.max_error_weight == 0


def test_the_csv_file_contains_the_table(tmp_path: Path) -> None:
    instance = Lemma10().apply()
    path = tmp_path / "table.csv"
    instance.write_csv(path)
    lines = path.read_text("utf-8").splitlines()
    assert lines[0] == "feature 0,feature 1,feature 2,feature 3,label"
    cells = [line.split(",") for line in lines[1:]]
    assert (np.array([row[:-1] for row in cells], dtype=float) == instance.X).all()
    assert [row[-1] for row in cells] == instance.y.tolist()
