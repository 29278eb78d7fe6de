"""The commands `python -m benchmarks witness-ablation`, `ensembles-ablation` and `ensembles`."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.ablation_record import Ablation, Run
from benchmarks.ablation_report import markdown, refuted
from benchmarks.ablations import ABLATIONS, ALL_OFF, ALL_ON, Suite

from exactree import Status
from exactree.engine import accelerators

ROOT = Path(__file__).resolve().parents[2]
RUN = Run(
    table="tiny",
    examples=9,
    features=2,
    classes=2,
    configuration=ALL_ON,
    status=Status.OPTIMAL.value,
    cost=4,
    lower_bound=4,
    steps=10,
    seconds=0.5,
)


def ablation(*runs: Run) -> Ablation:
    """Return a record with these runs."""
    return Ablation(
        name="name",
        date="2026-11-20",
        machine={"packages": {}},
        trees=3,
        limit=10.0,
        runs=runs,
        loads=(1.0,),
        complete=True,
    )


SWITCHED = [suite for suite in ABLATIONS.values() if suite.switched]
each_suite = pytest.mark.parametrize("suite", SWITCHED, ids=lambda suite: suite.name)


def test_without_data_the_command_prints_a_message_and_ends(run: Any) -> None:
    answer = run("witness-ablation", data=None)
    assert answer.returncode == 0
    assert "EXACTREE_DATA is not set" in answer.stdout


@each_suite
def test_an_absent_folder_is_named(suite: Suite, tmp_path: Path, run: Any) -> None:
    answer = run(suite.name, data=tmp_path)
    assert answer.returncode == 1
    assert f"has no {suite.pattern}" in answer.stderr


def write_tiny_table(folder: Path) -> None:
    """Write a table of the suites into a data folder."""
    rng = np.random.default_rng(0)
    X = np.unique(rng.integers(0, 4, (12, 3)), axis=0)
    numbers = np.column_stack([X, rng.integers(0, 2, len(X))])
    path = folder / "min_size" / "tiny_0.2_0.csv.gz"
    path.parent.mkdir()
    np.savetxt(path, numbers, delimiter=",", header="a,b,c,target", comments="")


@each_suite
def test_a_run_leaves_a_record_of_every_configuration(
    suite: Suite, tmp_path: Path, run: Any
) -> None:
    write_tiny_table(tmp_path)
    out = tmp_path / "out"
    answer = run(suite.name, "--tables", "tiny_0.2_0", "--out", str(out), data=tmp_path)
    assert answer.returncode == 0, answer.stderr
    (record,) = out.glob("*.json")
    runs = json.loads(record.read_text(encoding="utf-8"))["runs"]
    expected = [*suite.configurations(), *suite.others]
    assert [entry["configuration"] for entry in runs] == expected
    assert len({entry["cost"] for entry in runs}) == 1
    steps = {entry["configuration"]: entry["steps"] for entry in runs}
    assert steps[ALL_OFF] > steps[ALL_ON]
    page = record.with_suffix(".md").read_text(encoding="utf-8")
    assert "all off still proves 1 of 1 tables" in page
    assert str(tmp_path) not in page


def test_a_comparison_of_methods_leaves_a_record(tmp_path: Path, run: Any) -> None:
    write_tiny_table(tmp_path)
    out = tmp_path / "out"
    answer = run("ensembles", "--tables", "tiny_0.2_0", "--out", str(out), data=tmp_path)
    assert answer.returncode == 0, answer.stderr
    (record,) = out.glob("*.json")
    runs = json.loads(record.read_text(encoding="utf-8"))["runs"]
    assert [entry["configuration"] for entry in runs] == ["witness", "branch-and-bound"]
    assert len({entry["cost"] for entry in runs}) == 1
    page = record.with_suffix(".md").read_text(encoding="utf-8")
    assert "branch-and-bound proves 1 of 1 tables" in page


def test_a_smaller_ensemble_of_another_method_refutes_a_proof() -> None:
    proof = replace(RUN, configuration="witness")
    smaller = replace(RUN, configuration="branch-and-bound", cost=3, lower_bound=3)
    (sentence,) = refuted(replace(ablation(proof, smaller), switched=False))
    assert sentence == "tiny: branch-and-bound found 3 nodes, witness claims at least 4."


@each_suite
def test_configurations_have_all_accelerators_all_but_one_and_none(suite: Suite) -> None:
    switches = suite.configurations()
    assert switches[ALL_ON] == {}
    assert not any(switches[ALL_OFF].values())
    assert all(switches[name] == {name: False} for name in switches[ALL_OFF])
    assert list(switches[ALL_OFF]) == list(accelerators("witness", suite.trees))


def test_a_smaller_ensemble_of_another_configuration_refutes_a_proof() -> None:
    smaller = replace(RUN, configuration=ALL_OFF, cost=3, lower_bound=3)
    sentence = "tiny: all off found 3 nodes, all on claims at least 4."
    assert refuted(ablation(RUN, smaller)) == [sentence]
    assert f"WRONG: {sentence}" in markdown(ablation(RUN, smaller))
    assert refuted(ablation(RUN, replace(RUN, configuration=ALL_OFF))) == []


def test_the_factor_of_a_stopped_search_is_a_lower_bound() -> None:
    stopped = replace(
        RUN,
        configuration=ALL_OFF,
        status=Status.STOPPED.value,
        cost=None,
        lower_bound=3,
        steps=2_500,
        seconds=10.0,
    )
    page = markdown(ablation(RUN, stopped))
    # 2,500 search nodes are 250 times the 10 nodes of the search with all on.
    assert "| optimal | > 2,500 | 10.00 | stopped | > 250 |" in page
    assert "still proves" not in page
    assert "still proves 1 of 1" in markdown(ablation(RUN, replace(RUN, configuration=ALL_OFF)))


def test_other_methods_have_no_factor_and_are_compared_by_their_time() -> None:
    off = replace(RUN, configuration=ALL_OFF)
    slow = replace(RUN, configuration="threshold", steps=7, seconds=2.0)
    unfinished = replace(slow, table="large", status="feasible", lower_bound=3)
    on_large = [replace(entry, table="large") for entry in (RUN, off)]
    runs = [RUN, off, slow, *on_large, unfinished]
    page = markdown(replace(ablation(*runs), others=("threshold",)))
    assert "| threshold | 1 of 2 |  |  | 4 |" in page
    sentence = "Less CPU time than threshold on 2 of 2 tables: tiny (4 times), large (> 4 times)."
    assert sentence in page
    quick = replace(slow, seconds=0.1)
    page = markdown(replace(ablation(RUN, off, quick), others=("threshold",)))
    assert "Less CPU time than threshold on 0 of 1 tables." in page
