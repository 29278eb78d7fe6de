"""The search crate has one recursive search over subsets: `Search::solve` of the engine.

Functions that call themselves directly walk trees or build them greedily; none of them searches.
The engine's `solve` comes back to itself through the files that solve the children of a split.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.structure.test_rust_arrows import CRATE, code_of

FOLDERS = ("engine", "spaces", "regression", "constraints")

# File -> functions that call themselves: they walk the nodes of a tree, or build one, and do not
# search.
RECURSIVE = {
    "constraints/feasible.rs": {
        "centred", "classes_of", "collapsed", "cost", "costed", "features_used", "leaves",
        "refitted", "stands_below", "value_at", "with_less",
    },  # nodes of a tree
    "constraints/feature_choice.rs": {"in_prepared_features", "in_table_features"},
    "engine/simplify.rs": {"min_leaf_rows_of", "refitted", "simplified"},
    "regression/depth_three.rs": {"tree_of"},
    "regression/error_pairs.rs": {"without_redundant_nodes"},
    "regression/incumbent.rs": {"grow"},  # greedy trees
    "regression/prepared_table.rs": {"in_prepared_features", "in_table_features"},
    "spaces/dichotomies/incumbent.rs": {"grow"},
    "spaces/dichotomies/leaf_quotas.rs": {"leaves_of"},
    "spaces/dichotomies/prepared_table.rs": {"renumbered"},
    "spaces/greedy_tree.rs": {"halved", "tree"},
    "spaces/root_tasks.rs": {"in_layout_features"},
    "spaces/solve.rs": {"in_table_features"},
}  # fmt: skip

# The files that solve the children of a split by the engine's `solve`.
CHILDREN = {"constraints/children.rs", "engine/children.rs", "spaces/binary/children.rs"}

_FUNCTION = re.compile(r"\bfn (\w+)\s*(?:<[^{;(]*>)?\(")


def files() -> Iterator[tuple[str, str]]:
    """List the files of the folders with their code."""
    for folder in FOLDERS:
        for path in sorted((CRATE / folder).rglob("*.rs")):
            name = path.relative_to(CRATE).as_posix()
            if "differential" not in name:
                yield name, code_of(path)


def functions(code: str) -> Iterator[tuple[str, str]]:
    """List the functions of a file with their bodies."""
    for found in _FUNCTION.finditer(code):
        # Types such as [Cost; 2] have semicolons, too.
        signature = re.compile(r"(?:\[[^\[\]]*\]|[^;{])*").match(code, found.end())
        assert signature is not None
        start = signature.end()
        if code[start] == ";":
            continue  # a method without a default
        depth, at = 0, start
        while True:
            depth += {"{": 1, "}": -1}.get(code[at], 0)
            if depth == 0:
                break
            at += 1
        yield found[1], code[start : at + 1]


def test_functions_that_call_themselves_walk_trees_and_do_not_search() -> None:
    recursive: dict[str, set[str]] = {}
    for name, code in files():
        for function, body in functions(code):
            if re.search(rf"(?:self\.|Self::|(?<![\w.:])){function}\(", body):
                recursive.setdefault(name, set()).add(function)
    # Functions that call a function of the same name of another type.
    others = {
        "engine/threads.rs": {"enter"},
        "regression/clusters.rs": {"add_group"},
        "regression/constrained.rs": {"is_too_coarse"},
        "regression/cost_space.rs": {"leaf_of"},
        "regression/root_tasks.rs": {"agrees", "is_too_coarse"},
        "spaces/binary/node.rs": {"leaf_support", "spread"},
        "spaces/dichotomies/error_space.rs": {"divisions"},
        "spaces/root_tasks.rs": {"agrees"},
        "spaces/solve.rs": {"run"},
    }
    for name, same_name in others.items():
        recursive[name] = recursive.get(name, set()) - same_name
    found = {name: names for name, names in recursive.items() if names}
    assert found == RECURSIVE


def test_the_recursion_of_the_engine_is_defined_once() -> None:
    defined = [name for name, code in files() for function, _ in functions(code)
               if function in ("solve_within", "solve_unless_cached")]  # fmt: skip
    assert defined == ["engine/search.rs"] * 2


def test_every_file_of_children_calls_solve_of_the_engine() -> None:
    calls = re.compile(r"self\s*\.solve(?:_unless_cached)?\(")
    of_children = {
        name
        for name, code in files()
        for function, body in functions(code)
        if calls.search(body) and name.endswith("children.rs")
    }
    assert of_children == CHILDREN


def test_every_listed_file_exists() -> None:
    assert all(Path(CRATE / name).is_file() for name in (*RECURSIVE, *CHILDREN))
