"""`exactree fit --task regression`, and other commands with a model of a regression."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]

HOUSES = """\
rooms,district,price
1,north,10.5
2,north,11.5
3,north,30
4,south,32
4,south,34
"""


@pytest.fixture
def houses(tmp_path: Path) -> Path:
    path = tmp_path / "houses.csv"
    path.write_text(HOUSES, encoding="utf-8")
    return path


FIT = ("--task", "regression", "--target", "price", "--max-depth", 1)


@pytest.mark.parametrize("implementation", ["spec", "native"])
def test_a_regression_is_fitted_predicted_and_shown(
    run: Run, houses: Path, tmp_path: Path, implementation: str
) -> None:
    model = tmp_path / "model.json"
    result = run("fit", houses, *FIT, "--implementation", implementation, "-o", model)
    assert result.exit_code == 0
    assert "rooms <= 2\n├─ yes: 11   2 examples, standard deviation 0.5" in result.stdout
    assert "optimal, proved" in result.stdout
    assert "squared error 8.5, lower bound 8.5" in result.stdout
    written = json.loads(model.read_text(encoding="utf-8"))["result"]
    assert (written["cost"], written["errors"], written["status"]) == (8.5, 8.5, "optimal")
    # The leaves predict the means 11 and 32; the deviations are 0.5, 0.5, 2, 0 and 2.
    predicted = run("predict", model, houses)
    assert predicted.stdout.split() == ["price", "11.0", "11.0", "32.0", "32.0", "32.0"]
    assert "root of the mean squared error 1.30384, mean absolute error 1 in 5 rows" in (
        predicted.stderr
    )
    assert run("show", model, "--format", "c").stdout.count("double predict") == 1
    assert "standard deviation" in run("show", model).stdout


def test_the_cost_with_a_penalty_is_reported(run: Run, houses: Path) -> None:
    options = ("--minimize", "absolute_error", "--leaf-penalty", "0.2", "--implementation", "spec")
    result = run("fit", houses, *FIT, *options)
    assert "cost 7 (absolute error 5, 2 leaves)" in result.stdout


def test_the_tree_is_compared_with_a_greedy_tree(run: Run, houses: Path) -> None:
    result = run("fit", houses, *FIT, "--implementation", "spec", "--cart")
    assert "mean squared" in result.stdout
    # Errors of both trees (CART is optimal at depth one), cost and lower bound.
    assert result.stdout.count("8.5") == 4
    # A leaf of all five prices predicts their mean 23.6.
    leaf = ("--task", "regression", "--target", "price", "--max-depth", 0, "--cart")
    assert "537.7" in run("fit", houses, *leaf, "--implementation", "spec").stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--minimize", "errors"), "--task regression needs squared_error or absolute_error"),
        (("--max-errors", "1"), "--max-errors, --max-leaves-of and --class-weight need"),
        (("--class-weight", "balanced"), "--max-errors, --max-leaves-of and --class-weight need"),
        (("--max-leaves-of", "a=1"), "--max-errors, --max-leaves-of and --class-weight need"),
    ],
)
def test_options_for_classes_are_refused(
    run: Run, houses: Path, words: tuple[str, ...], sentence: str
) -> None:
    result = run("fit", houses, *FIT, *words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    swapped = run("fit", houses, "--target", "price", "--minimize", "squared_error")
    assert swapped.exit_code == 2


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("high", "Column 'price' has 'high' in row 1 (line 2"),
        ("inf", "numbers must be finite"),
        ("", "Column 'price' has no value in row 1"),
    ],
)
def test_targets_that_are_not_numbers_are_refused(
    run: Run, tmp_path: Path, cell: str, message: str
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(f"x,price\n1,{cell}\n2,3\n", encoding="utf-8")
    result = run("fit", path, *FIT)
    assert result.exit_code == 1
    assert message in result.stderr


def test_prune_refuses_a_model_of_a_regression(run: Run, houses: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    run("fit", houses, *FIT, "--implementation", "spec", "-o", model, "--quiet")
    result = run("prune", model, houses)
    assert result.exit_code == 1
    assert "RegressionTree" in result.stderr
