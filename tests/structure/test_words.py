"""Names use the field's terms: no name of the old dialect, and one name for each bound.

Only names of files, types, functions and switches are tested, not the text of documents and
comments.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from exactree.engine import accelerators

ROOT = Path(__file__).resolve().parents[2]
# Words of the project's former dialect.
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
FOLDERS = ("src", "tests", "benchmarks")
PYTHON = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
RUST = [path for path in (ROOT / "crates").rglob("*.rs") if "target" not in path.parts]
RUST_NAME = re.compile(r"\b(?:struct|enum|trait|type|union|mod|fn)\s+([A-Za-z_]\w*)")

# Method and number of trees, for every table of switches.
SEARCHES = [
    *((method, 1) for method in ("branch-and-bound", "box", "proper", "subsets", "support-sets")),
    *((method, 1) for method in ("threshold", "witness", "regression")),
    *((method, 1) for method in ("constrained-errors", "constrained-costs")),
    *((method, 2) for method in ("branch-and-bound", "subsets", "witness")),
]

# Switch -> its accelerator in a few words. Equal words would mean two names for one accelerator.
BOUNDS = {
    "all_thresholds": "all thresholds of an interval evaluated together at depth two",
    "binary": "search by counts of all pairs of rules if columns have few values",
    "bit_columns": "rules as columns of bits",
    "block_bound": "minimum costs of disjoint blocks of rows added up",
    "cache": "results of solved subproblems",
    "cached_bounds": "lower bounds of failed searches in the cache",
    "cell_pairs": "unlike pairs that no tree separates need further rules",
    "class_count": "a leaf for every class",
    "clustering_bound": "lower bound by the best clustering of the targets",
    "cores": "few items that prove a subset infeasible",
    "deepening": "rules tried level by level",
    "depth_three": "three levels solved by counts",
    "cross_bound": "children of a monotone split that do not fit each other",
    "depth_two": "two levels solved by counts",
    "descent": "incumbent improved one split at a time",
    "dirty_priority": "branch on the dirty example with the fewest refinements",
    "disjoint_differences": "disjoint differences need a feature each",
    "dominance": "a subset needs at most as many nodes as a set that contains it",
    "dominated": "labelings dominated by other labelings",
    "early_bound": "a small share of the incumbent's cost proved as lower bound first",
    "empty_borders": "boxes with empty borders",
    "equal_features": "features with equal ranks",
    "equal_rows": "equal rows searched as one item",
    "equal_refinements": "refinements that split a subset in the same way",
    "equal_rules": "rules that split the table in the same way",
    "equal_trees": "only one of equal trees of an ensemble is refined",
    "equivalent_points": "lower bound by equal rows with different labels",
    "error_budgets": "a table of subsets and errors instead of labelings",
    "even_splits": "children of equal size decided by lengths of prefix and suffix",
    "failed_states": "slacks that later trees cannot make up for",
    "feature_bounds": "lower bounds by root threshold passed to other subsets",
    "few_errors": "labelings within the allowed errors",
    "few_values": "stumps of features with few values counted by columns of bits",
    "fewer_nodes": "bisection starts at the threshold found for fewer nodes",
    "first_found": "the first tree found is taken",
    "fixed_errors": "examples that no solution classifies remain errors",
    "fixed_votes": "votes whose change led to no solution are kept",
    "height_constraints": "a higher node keeps some of its dirty examples",
    "improvement_bound": "number of refinements that the dirty examples need",
    "inclusion": "of two nested remainders only the smaller",
    "incumbent": "an initial tree or ensemble",
    "incumbent_improvement": "small subtrees of the incumbent made as small as possible",
    "inner_subsets": "an entry equal to the entry of a subset inside",
    "interval_bound": "thresholds between two evaluated thresholds, by monotonicity",
    "last_node": "whether one more node suffices, decided directly",
    "leaf_classes": "subsets whose leaves can predict one class only",
    "leaf_pairs": "unlike pairs inside leaves counted at every search node",
    "leaf_support": "lower bound by the best leaf or stump in one child",
    "look_ahead": "trees of depth two of a child counted before its search",
    "mergeable_features": "features with nested rules joined",
    "minimal_differences": "differences that contain no other difference",
    "monotone_stumps": "the last two levels of the relaxed problem are monotone",
    "needed_improvement": "refinements that correct too few examples",
    "next_tree_bound": "error sets that the next tree cannot make up for",
    "nodes_outside": "all supersets of a support set in one search",
    "one_split_runs": "items that one rule classifies, found in one pass",
    "one_target": "a leaf if all targets are equal",
    "one_tree": "the fewest errors of one equivalent tree as a start",
    "pair_bound": "fractional number of rules that separate all unlike pairs",
    "path_cache": "counts of subsets cached by the rules on their path",
    "pure_borders": "rules that separate fewer items of one class than other rules",
    "pure_children": "of rules with a pure child only one",
    "pure_runs": "largest children of one class, by the extremes of the classes",
    "relaxation": "the relaxed problem as a lower bound",
    "required_items": "items that have to be classified correctly",
    "shapes_together": "thresholds for all shapes in one search",
    "similarity_bound": "rules that differ on little weight from an evaluated rule",
    "smaller_child": "thresholds by the child with fewer nodes",
    "sparse_lists": "pairs of rules counted by the lists of rules of an item",
    "stump_bounds": "only features whose stumps may matter",
    "subset_caching": "leaves solved separately",
    "threshold_constraints": "a wider rule keeps some of the items it captures",
    "tried_features": "features tried before are excluded from supersets",
    "two_nodes": "two nodes decided by runs of a class",
    "two_set_bound": "errors counted on a smaller and rows on a larger set of examples",
    "unlike_pairs": "number of rules that separate some unlike pairs",
    "upper_bound_margin": "children solved with a slightly greater upper bound",
    "votes_gained": "number of refinements that the missing votes need",
    "votes_left": "trees that may still change their vote",
    "votes_needed": "refinements that gain too few votes",
    "wide_lanes": "widest vector instructions",
    "widened_subsets": "subsets widened to all items that a tree classifies",
}


def words(name: str) -> list[str]:
    """Return the words of a name in snake_case or CamelCase."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def of_dialect(name: str) -> bool:
    """Return whether the words of a name contain the words of an entry of DIALECT."""
    return any(f"_{entry}_" in f"_{'_'.join(words(name))}_" for entry in DIALECT)


def names() -> Iterator[tuple[str, str]]:
    """Yield the names of all files, types and functions, each with its file."""
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
    """Return the switches of every native search."""
    return {f"{method}, {n} trees": set(accelerators(method, n)) for method, n in SEARCHES}


@pytest.mark.parametrize(
    ("name", "is_dialect"),
    [("outcome_as_told", True), ("ToldNumbers", True), ("tree_of_shape", True), ("shape", False)],
)
def test_the_dialect_is_found_in_snake_case_and_camel_case(name: str, is_dialect: bool) -> None:
    assert of_dialect(name) == is_dialect


def test_no_file_type_or_function_has_a_name_of_the_dialect() -> None:
    assert [f"{where}: {name}" for name, where in names() if of_dialect(name)] == []


def test_no_switch_has_a_name_of_the_dialect() -> None:
    assert [switch for table in switches().values() for switch in table if of_dialect(switch)] == []


def test_no_bound_has_two_names_in_the_switches_of_all_searches() -> None:
    listed = {switch for table in switches().values() for switch in table}
    assert listed == BOUNDS.keys(), "describe in BOUNDS what each switch does"
    by_description = defaultdict(list)
    for switch, description in BOUNDS.items():
        by_description[description].append(switch)
    assert [same for same in by_description.values() if len(same) > 1] == []
