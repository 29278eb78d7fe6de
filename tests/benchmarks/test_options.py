"""The command `python -m benchmarks options`: the options, the order of fits, record and page."""

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks import options, options_report
from benchmarks.apart import measure_apart
from benchmarks.measure import attempt
from benchmarks.measurement import End, Measurement, Task
from benchmarks.option_problems import OPTIONS, PLAIN, problem_arguments, with_option
from benchmarks.record import Record, Row, read_record

import exactree as xt
from exactree.objectives import ERROR_TERMS, RATES

DEPTH = 2
ADAPTER = "benchmarks.option_problems"
CLASSES = [name for name, option in OPTIONS.items() if option.minimize == "errors"]
MACHINE = {"packages": {"numpy": "2"}}


def noisy_table(classes: int = 2, rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Return a constant column, one that rises with the label, a random one, one that falls."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, classes, rows)
    rising, falling = y + rng.normal(size=rows), 3 * rng.random(rows) - y
    columns = [np.ones(rows), rising, rng.random(rows), falling]
    return np.column_stack(columns).round(1), y


def write(folder: Path, file: str, X: np.ndarray, y: np.ndarray) -> Path:
    """Write a table into a data folder."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    header = ",".join([*(f"x{column}" for column in range(X.shape[1])), "target"])
    rows = np.column_stack([X, y])
    np.savetxt(path, rows, delimiter=",", header=header, comments="")
    return path


# Arguments of `Problem` that an option changes besides its limits, if not the one in its name.
CHANGED: dict[str, set[str]] = {
    "plain": set(),
    "min_samples_leaf": set(),
    "missing": {"X"},
    "categories": {"X", "categories"},
    "max_features": {"constraints"},
}


@pytest.mark.parametrize("name", CLASSES)
def test_an_option_changes_only_the_argument_in_its_name(name: str) -> None:
    X, y = noisy_table()
    arguments = problem_arguments(name, X, y, DEPTH)
    changed: set[str] = set() if arguments["X"] is X else {"X"}
    assert OPTIONS[name].new_table == bool(changed)
    assert arguments["y"] is y
    changed |= arguments.keys() - {"X", "y", "limits"}
    expected: set[str] = set()
    rows = 1
    for named in name.split(", "):
        argument, _, value = named.partition("=")
        if argument in {**ERROR_TERMS, **RATES}:
            expected.add("minimize")
            assert arguments["minimize"] == named
        else:
            expected |= CHANGED.get(argument, {argument})
        if argument == "min_samples_leaf":
            rows = ast.literal_eval(value)
    assert changed == expected
    assert arguments["limits"] == xt.Limits(max_depth=DEPTH, min_samples_leaf=rows)


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_the_same_problem_every_time(name: str) -> None:
    first, again = (problem_arguments(name, *noisy_table(3), DEPTH) for _ in range(2))
    assert first.keys() == again.keys()
    for argument, value in first.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, again[argument])
        else:
            assert value == again[argument]


def test_every_kind_of_errors_is_an_option() -> None:
    assert ERROR_TERMS.keys() - {"errors"} <= OPTIONS.keys()
    assert set(PLAIN.values()) <= OPTIONS.keys()


COUNTED: dict[str, Callable[[Any, Any, dict], float]] = {
    **dict.fromkeys(
        ("plain", "missing", "categories", "monotonic_cst", "max_features=3"),
        lambda wrong, _, args: wrong.sum(),
    ),
    "min_samples_leaf=5": lambda wrong, _, args: wrong.sum(),
    "sample_weight": lambda wrong, _, args: args["sample_weight"][wrong].sum(),
    "cost_matrix": lambda _, predicted, args: args["cost_matrix"][args["y"], predicted].sum(),
    "balanced_error": lambda wrong, _, args: np.mean(
        [wrong[args["y"] == label].mean() for label in (0, 1)]
    ),
    "f1_error": lambda wrong, predicted, args: wrong.sum() / (args["y"].sum() + predicted.sum()),
}


@pytest.mark.parametrize("name", COUNTED)
def test_the_cost_of_an_option_is_that_of_the_predictions_for_its_table(name: str) -> None:
    X, y = noisy_table()
    answer = with_option(X, y, option=name, depth=DEPTH, time_limit=30.0)()
    assert answer.proved
    assert answer.predict is not None
    predicted = answer.predict(X)
    arguments = problem_arguments(name, X, y, DEPTH)
    counted = COUNTED[name](predicted != y, predicted, arguments)
    assert answer.cost == pytest.approx(float(counted))
    assert answer.lower_bound == answer.cost


def test_monotone_features_are_those_most_correlated_with_the_label() -> None:
    arguments = problem_arguments("monotonic_cst", *noisy_table(), DEPTH)
    assert arguments["monotonic_cst"] == {1: 1, 3: -1}


def test_a_column_of_codes_has_no_order_of_values() -> None:
    X, y = noisy_table()
    arguments = problem_arguments("categories", X, y, DEPTH)
    (column,) = arguments["categories"]
    codes = arguments["X"][:, column]
    assert set(codes) == set(range(8))
    assert not np.array_equal(np.argsort(codes, kind="stable"), np.argsort(X[:, column]))
    kept = np.delete(arguments["X"], column, axis=1)
    np.testing.assert_array_equal(kept, np.delete(X, column, axis=1))


def test_an_option_is_measured_in_a_process_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, "tiny.csv", *noisy_table())
    task = Task(ADAPTER, str(path), DEPTH, 30.0, option="sample_weight")
    measurement = measure_apart(task)
    assert measurement.end is End.PROVED
    assert measurement.cost == measurement.lower_bound == attempt(task).cost
    assert measurement.cost != measurement.errors  # weights are 1 to 9
    assert len(measurement.cpu_seconds) == 3


def test_short_fits_are_measured_again_in_reverse_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    write(tmp_path, "continuous/contree_tiny_train.csv.gz", *noisy_table())
    fits: list[str] = []
    long = "gini"

    def measured(task: Task, grace: float) -> Measurement:
        assert grace > task.limit == 7.0
        fits.append(str(task.option))
        seconds = 5.0 if task.option == long else float(len(fits)) / 10
        return Measurement(End.PROVED, 4, (seconds,), (seconds,), lower_bound=4, cost=4)

    monkeypatch.setattr(options, "measure_apart", measured)
    chosen = ["--options", "sample_weight", long, "--limit", "7", "--out", str(tmp_path / "out")]
    answer = run("options", "--tables", "tiny", *chosen, data=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert fits == ["plain", "sample_weight", long, "sample_weight", "plain"]
    (path,) = (tmp_path / "out").glob("*-options.json")
    (row,) = read_record(path).rows
    seconds = {name: measurement.cpu_seconds for name, measurement in row.measurements.items()}
    assert seconds == {"plain": (0.1, 0.5), "sample_weight": (0.2, 0.4), long: (5.0,)}


def test_equal_fits_of_different_cost_have_failed() -> None:
    first = Measurement(End.PROVED, cpu_seconds=(1.0,), cost=3)
    assert options._joined(first, replace(first, cost=4)).end is End.FAILED


def test_a_second_fit_counts_if_it_fails_but_not_if_the_limit_stops_it() -> None:
    first = Measurement(End.PROVED, cpu_seconds=(1.0,), cost=3)
    assert options._joined(first, Measurement(End.UNFINISHED, cost=3)) == first
    failure = Measurement(End.FAILED, reason="RuntimeError")
    assert options._joined(first, failure) == failure


def test_a_run_leaves_a_record_and_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    monkeypatch.setattr(options, "measure_apart", lambda task, grace: attempt(task))
    X, y = noisy_table(3, rows=15)
    write(tmp_path, "continuous/contree_tiny_train.csv.gz", X, y)
    write(tmp_path, "regression/tiny.csv.gz", X[:, :3], X[:, 3])
    out = tmp_path / "out"
    chosen = ["--tables", "tiny", "--options", "f1_error", "max_features=3", "absolute_error"]
    answer = run("options", *chosen, "--quick", "--out", str(out), data=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert "tiny, depth 3, max_features=3: proved, " in answer.stderr
    (path,) = out.glob("*-options-quick.json")
    record = read_record(path)
    assert {row.limit for row in record.rows} == {options.QUICK_LIMIT}
    measurements = {
        (row.group, name): measurement
        for row in record.rows
        for name, measurement in row.measurements.items()
    }
    ends = {
        place: options_report.status_text(measurement)
        for place, measurement in measurements.items()
    }
    assert ends == {
        ("continuous", "plain"): "proved",
        ("continuous", "f1_error"): "refused",  # F1 is for two classes, this table has three
        ("continuous", "max_features=3"): "proved",
        ("regression", "squared_error"): "proved",
        ("regression", "absolute_error"): "proved",
    }
    plain = xt.solve(xt.Problem(X, y, limits=xt.Limits(max_depth=3)))
    assert measurements["continuous", "plain"].cost == plain.cost
    page = path.with_suffix(".md").read_text(encoding="utf-8")
    assert page == options_report.markdown(record)
    assert str(tmp_path) not in page
    assert f"| tiny | plain | proved | {plain.cost} | {plain.cost} |" in page
    assert "| tiny | f1_error | refused | - | - | - | - |" in page
    assert not path.with_suffix(".svg").exists()
    assert run("options", "--again", str(path), data=None).returncode == 0


def row(table: str, **measurements: Measurement) -> Row:
    """Return a row with the measurements of options."""
    return Row(table, 100, 4, 2, 3, 60.0, measurements, group="continuous", load=1.0)


def proved(cost: int, seconds: float) -> Measurement:
    """Return the measurement of a proof."""
    return Measurement(End.PROVED, cost, (seconds,), lower_bound=cost, cost=cost)


def unproved(cost: int, lower_bound: int) -> Measurement:
    """Return the measurement of a search stopped by its limit."""
    return replace(proved(cost, 60.1), end=End.UNFINISHED, lower_bound=lower_bound)


REFUSED = Measurement(End.FAILED, reason="ValueError")


def test_an_unproved_fit_has_a_lower_bound_as_its_ratio() -> None:
    rows = (
        row("a", plain=proved(5, 2.0), gini=proved(7, 8.0), missing=unproved(6, 3)),
        row("b", plain=proved(5, 2.0), gini=unproved(9, 2), missing=REFUSED),
        row("c", plain=unproved(5, 4), gini=unproved(9, 2), missing=proved(6, 30.0)),
    )
    page = options_report.markdown(Record("n", "2026-11-23", "options", MACHINE, rows))
    assert "| a | gini | proved | 7 | 7 | 8 | 4 |" in page
    assert "| b | gini | unfinished | 9 | 2 | > 60 | >= 30 |" in page
    assert "| b | missing | refused | - | - | - | - |" in page
    assert "| c | gini | unfinished | 9 | 2 | > 60 | - |" in page
    assert "| c | missing | proved | 6 | 6 | 30 | <= 0.5 |" in page
    assert "| gini | continuous | 2 | >= 11 | >= 30 | b | 2 | 0 |" in page
    assert "| missing | continuous | 2 | ~ 3.87 | >= 30 | a | 1 | 1 |" in page
    assert "| plain | continuous | 2 | 1 | 1 | a | 1 | 0 |" in page


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ({"gini": proved(4, 1.0)}, "gini: its tree has errors = 4, and plain claims at least 5."),
        ({"missing": proved(4, 1.0)}, None),  # on another table
        ({"gini": REFUSED}, None),
        ({"gini": replace(REFUSED, reason="RuntimeError")}, "gini: failed (RuntimeError)."),
        ({"gini": Measurement(End.MISSING)}, "gini: not installed."),
        ({"gini": unproved(7, 8)}, "gini: it costs 7, below the proved lower bound."),
    ],
)
def test_a_tree_that_refutes_a_proof_is_wrong(found: dict, sentence: str | None) -> None:
    sentences = list(options_report.contradictions([row("a", plain=proved(5, 1.0), **found)]))
    assert len(sentences) == (sentence is not None)
    assert sentence is None or sentences[0].endswith(sentence)


def test_a_refuted_run_fails_and_its_page_names_the_contradiction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    write(tmp_path, "binary/cp4im_tiny.csv.gz", *noisy_table())

    def measured(task: Task, grace: float) -> Measurement:
        return proved(5 if task.option == "plain" else 4, 2.0)

    monkeypatch.setattr(options, "measure_apart", measured)
    out = str(tmp_path / "out")
    chosen = ["--tables", "tiny", "--options", "max_features=3", "--out", out]
    answer = run("options", *chosen, data=tmp_path)
    assert answer.returncode == 1
    assert "plain claims at least 5" in answer.stderr
    assert "WRONG: tiny, depth 4, max_features=3" in answer.stdout


def test_ctrl_c_keeps_the_finished_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    for table in ("a", "b"):
        write(tmp_path, f"binary/cp4im_{table}.csv.gz", *noisy_table())

    def measured(task: Task, grace: float) -> Measurement:
        if "cp4im_b" in task.table:
            raise KeyboardInterrupt
        return proved(5, 2.0)

    monkeypatch.setattr(options, "measure_apart", measured)
    out = str(tmp_path / "out")
    answer = run("options", "--tables", "a", "b", "--out", out, data=tmp_path)
    assert answer.returncode == 130
    assert "| a | plain | proved |" in answer.stdout
    assert "| b |" not in answer.stdout
    assert "Interrupted" in answer.stdout


def test_missing_data_absent_tables_and_unknown_options_are_named(tmp_path: Path, run: Any) -> None:
    answer = run("options", data=None)
    assert (answer.returncode, "EXACTREE_DATA is not set" in answer.stdout) == (0, True)
    answer = run("options", data=tmp_path)
    assert answer.returncode == 1
    assert "continuous/contree_bank_train.csv.gz" in answer.stderr
    answer = run("options", "--options", "nothing", data=tmp_path)
    assert answer.returncode == 2
    assert "'nothing'" in answer.stderr
