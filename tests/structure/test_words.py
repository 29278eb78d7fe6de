"""Names use the field's terms: no name of the old dialect, and one name for each bound.

The free text of documents and comments is for readers; only names are tested.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from exactree.engine import accelerators
from exactree.engine.constrained.search import ACCELERATORS as CONSTRAINED

ROOT = Path(__file__).resolve().parents[2]
DIALECT = {
    "told",
    "asked",
    "heard",
    "obeyed",
    "grown",
    "served",
    "laid",
    "dearer",
    "crew",
    "numbers_question",
    "at_once",
    "of_shape",
    "one_less",
}
PYTHON = [path for room in ("src", "tests", "benchmarks") for path in (ROOT / room).rglob("*.py")]
RUST = [path for path in (ROOT / "crates").rglob("*.rs") if "target" not in path.parts]
RUST_NAME = re.compile(r"\b(?:struct|enum|trait|type|union|mod|fn)\s+([A-Za-z_]\w*)")

SEARCHES = [
    *((method, 1) for method in ("branch-and-bound", "box", "proper", "subsets", "support-sets")),
    *((method, 1) for method in ("threshold", "witness", "regression")),
    *((method, 2) for method in ("branch-and-bound", "subsets", "witness")),
]

# switch -> what it does. Two switches with the same words would be two names for one bound.
BOUNDS = {
    "all_thresholds": "all thresholds of an interval evaluated together at depth two",
    "binary": "search by counts of pairs of splits on tables of columns with few values",
    "bit_columns": "splits as columns of bits",
    "cache": "results of solved subproblems",
    "cached_bounds": "lower bounds of failed searches in the cache",
    "cell_pairs": "pairs that no tree separates need splits of their own",
    "class_count": "a leaf for every class",
    "clustering_bound": "best clustering of the targets",
    "cores": "few items that prove a refusal",
    "deepening": "splits level by level",
    "depth_three": "three levels solved by counts",
    "depth_two": "two levels solved by counts",
    "descent": "incumbent improved one split at a time",
    "dirty_priority": "branch on the dirty example with the fewest refinements",
    "disjoint_differences": "disjoint differences need a feature each",
    "dominance": "subsets of a subset are no harder",
    "dominated": "labelings that another one betters",
    "early_bound": "small share of the incumbent refuted first",
    "empty_borders": "boxes with empty borders",
    "equal_features": "features with equal ranks",
    "equal_refinements": "refinements that split a subset alike",
    "equal_rules": "splits that split the table alike",
    "equal_trees": "trees of an ensemble that are equal so far",
    "equivalent_points": "equal rows with different labels",
    "error_budgets": "tables of subsets and errors in place of labelings",
    "even_splits": "children of equal size",
    "failed_states": "states from which the search failed",
    "feature_bounds": "lower bounds by root threshold handed to children",
    "few_errors": "labelings within the allowed errors",
    "few_values": "stumps of features with few values",
    "fewer_nodes": "bisection begins at the threshold of fewer nodes",
    "first_found": "first tree found",
    "fixed_errors": "examples that remain errors",
    "fixed_votes": "votes that remain as they are",
    "height_constraints": "higher nodes keep their witnesses",
    "improvement_bound": "refinements that dirty examples need",
    "inclusion": "the one of two remainders inside the other",
    "incumbent": "a first tree or ensemble",
    "incumbent_improvement": "small subtrees of the incumbent made smallest",
    "inner_subsets": "entries of a subset inside",
    "interval_bound": "thresholds between two evaluated ones, by monotonicity",
    "last_node": "whether one node suffices",
    "leaf_pairs": "unlike pairs inside leaves",
    "leaf_support": "best leaf or stump in the other child",
    "light_classes": "classes too light for any leaf",
    "look_ahead": "trees of depth two counted before the search",
    "mergeable_features": "features with nested splits",
    "minimal_differences": "differences that contain no other",
    "needed_improvement": "refinements below the needed improvement",
    "next_tree_bound": "errors that the next tree cannot make up for",
    "nodes_outside": "sets around a support set, by nodes outside it",
    "one_split_runs": "runs that one split solves",
    "one_target": "equal targets are a leaf",
    "one_tree": "fewest errors of one tree as a start",
    "pair_bound": "splits that separate all unlike pairs, in fractions",
    "path_cache": "counts by the path of splits",
    "pure_borders": "splits inside runs of one class",
    "pure_children": "splits with a pure child",
    "pure_runs": "largest subsets of one class",
    "relaxation": "the relaxed problem as a lower bound",
    "required_items": "items that have to be right",
    "shapes_together": "thresholds of all shapes together",
    "similarity_bound": "splits that differ from an evaluated one by little weight",
    "smaller_child": "thresholds by the child with fewer nodes",
    "sparse_lists": "pairs of splits by lists of splits of an item",
    "stump_bounds": "features whose stumps may matter",
    "subset_caching": "leaves solved apart",
    "threshold_constraints": "wider splits keep what they capture",
    "tried_features": "features tried before",
    "two_nodes": "two nodes decided by runs of a class",
    "unlike_pairs": "splits that separate unlike pairs",
    "upper_bound_margin": "children solved a little beyond the upper bound",
    "votes_gained": "refinements that the missing votes need",
    "votes_left": "trees that may still change their vote",
    "votes_needed": "refinements that gain too few votes",
    "wide_lanes": "widest vector instructions",
    "widened_subsets": "all items that a tree solves",
}


def words(name: str) -> list[str]:
    """Return the words of a name in snake_case or CamelCase."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def of_dialect(name: str) -> bool:
    """Return whether a name holds an entry of the dialect, word by word."""
    return any(f"_{entry}_" in f"_{'_'.join(words(name))}_" for entry in DIALECT)


def names() -> Iterator[tuple[str, str]]:
    """Yield the name of every file, type and function, and the file."""
    for path in [*PYTHON, *RUST]:
        yield path.stem, str(path.relative_to(ROOT))
    for path in PYTHON:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield node.name, str(path.relative_to(ROOT))
    for path in RUST:
        for found in RUST_NAME.finditer(path.read_text(encoding="utf-8")):
            yield found[1], str(path.relative_to(ROOT))


def switches() -> dict[str, set[str]]:
    """Return the switches of every native search, and of the search under constraints."""
    tables = {f"{method}, {n} trees": set(accelerators(method, n)) for method, n in SEARCHES}
    return {**tables, "constraints": set(CONSTRAINED)}


@pytest.mark.parametrize(
    ("name", "is_dialect"),
    [("outcome_as_told", True), ("ToldNumbers", True), ("tree_of_shape", True), ("shape", False)],
)
def test_the_dialect_is_found_in_both_spellings(name: str, is_dialect: bool) -> None:
    assert of_dialect(name) == is_dialect


def test_no_file_type_or_function_has_a_name_of_the_dialect() -> None:
    assert [f"{where}: {name}" for name, where in names() if of_dialect(name)] == []


def test_no_switch_has_a_name_of_the_dialect() -> None:
    assert [switch for table in switches().values() for switch in table if of_dialect(switch)] == []


def test_no_bound_has_two_names_in_the_switches_of_all_searches() -> None:
    listed = {switch for table in switches().values() for switch in table}
    assert listed == BOUNDS.keys(), "say in BOUNDS what a switch does"
    by_bound = defaultdict(list)
    for switch, bound in BOUNDS.items():
        by_bound[bound].append(switch)
    assert [same for same in by_bound.values() if len(same) > 1] == []
