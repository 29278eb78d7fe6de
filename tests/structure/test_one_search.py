"""The search crate has one recursive search over subsets: that of the engine.

`RECURSIONS` lists every function of the crate that calls itself, directly or through others, with
a word of what it is. A new one fails the test: a search belongs in the engine, as a space or a kind
of cost. `rust_calls.py` says how calls are found.
"""

from collections.abc import Iterator
from functools import cache

from tests.structure.rust_calls import Calls, Function, cycles
from tests.structure.test_rust_arrows import CRATE, code_of

# What it is -> the functions that call each other, by file: one recursion a line, or several of a
# file, separated by commas.
RECURSIONS: dict[str, list[str]] = {
    "the search of the engine": [
        """
        engine/search.rs solve solve_unless_cached solve_within branch
        engine/children.rs exact_children solve_children try_threshold
        engine/column_children.rs try_column
        engine/parallel.rs carry_out carry_out_children solve_in_parallel
        engine/space.rs carry_out_stumps
        spaces/continuous/error_space.rs try_split
        spaces/dichotomies/error_space.rs try_split
        spaces/leaf_costs/cost_space.rs carry_out_stumps try_split
        """,
    ],
    "decisions about the size, and bounds on it": [
        """
        minimum_size/decision.rs by_runs decide fits look_up_or_search search
        minimum_size/largest_children.rs largest_child
        minimum_size/root.rs level root root_of_split try_level try_remainders
        """,
        "minimum_size/unlike_pairs.rs needs_more_than",
    ],
    "proofs of lower bounds for certificates": [
        "certificates/prover.rs cited_thresholds prove prove_children",
    ],
    "counts and lists of all trees, and of all pairs of errors": [
        "enumeration/error_pairs.rs nodes pairs",
        "enumeration/graph.rs count",
        "enumeration/plain_count.rs plain_count",
        "enumeration/spectrum.rs min_cost_in min_cost_of_split next_cost",
    ],
    "searches for several trees": [
        "ensembles/cover/error_sets.rs add_rules_of error_sets",
        "ensembles/cover/placement.rs place",
        "ensembles/cover/sizes.rs shares_of",
        """
        ensembles/witness_ensemble/refinements.rs introduce refine_by
        ensembles/witness_ensemble/search.rs put_right put_some_right refine
        """,
    ],
    "methods of the papers": [
        "papers/support_sets/algorithms.rs min_dts",
        "papers/support_sets/find_thresholds.rs binary_search find_th",
        "papers/support_sets/pseudo_trees.rs each_shape",
        "papers/support_sets/shapes_together.rs best_threshold node_within tree_within",
        """
        papers/threshold/algorithms.rs binary_search smallest_decision_tree smallest_split
        papers/threshold/shortcuts.rs threshold
        """,
        """
        papers/witness/refinements.rs introduce refine_above refine_by refine_constrained
        papers/witness/search.rs refine
        """,
    ],
    "greedy trees": [
        "spaces/binary/incumbent.rs grow incumbent",
        "spaces/continuous/incumbent.rs grow grow_children, regrow reroot",
        "spaces/dichotomies/incumbent.rs grow incumbent",
        "spaces/leaf_costs/incumbent.rs grow",
        "spaces/greedy_tree.rs halved, tree",
    ],
    "the nodes of a tree": [
        "constraints/feasible.rs centred, classes_of, collapsed, cost, costed, features_used, "
        "leaves, refitted, stands_below, value_at, with_less",
        "engine/simplify.rs min_leaf_rows_of, refitted, simplified",
        "enumeration/error_pairs.rs without_redundant_nodes",
        "ensembles/mod.rs rows_of_leaves",
        "ensembles/simplify.rs predicts, shorter, simplified",
        "ensembles/witness_ensemble/incumbent.rs lifted",
        "ensembles/witness_ensemble/refinements.rs enough_rows_below",
        "minimum_size/incumbent_improvement.rs improved",
        "minimum_size/tree.rs subtree",
        "papers/box_dp/tree.rs tree",
        "papers/subset_dp/error_budgets.rs tree",
        "papers/subset_dp/labelings.rs tree",
        "papers/subset_dp/own_class.rs tree_of",
        "papers/support_sets/algorithms.rs without_useless",
        "papers/support_sets/pseudo_trees.rs depth, size",
        "papers/witness/bounds.rs gather",
        "papers/witness/tree.rs build_with, nodes_below, route",
        "spaces/error_blocks.rs refitted",
        "spaces/leaf_costs/depth_three.rs tree_of",
        "spaces/post_pruning.rs of, of_size",
    ],
    "halves of an array": [
        "kernels/prefixes.rs at_every_threshold",
        "costs/clusters.rs add_group",
    ],
    "flats in fewer dimensions": [
        "spaces/one_surface/divisions.rs of_points",
    ],
    "the definition that tests compare with": [
        "support/min_size_by_enumeration.rs definition, walk",
    ],
    # They call a function of the same name of another type.
    "no recursion": [
        "constraints/feasible.rs choice, is_monotone",
        "constraints/feature_choice.rs prepare, reduced",
        "constraints/restricted_search.rs prepare",
        "costs/any_cost.rs begin, best, compare, costs_of_stumps, equal_rows_bound, growth, item, "
        "laws, leaf, leaf_error, reach, tree_error",
        "engine/intervals/order.rs lower",
        "engine/parallel.rs enter",
        "engine/space.rs key",
        "engine/subset.rs rules",
        "engine/subset_state.rs encode",
        "ensembles/cover/placement.rs error_sets",
        "ensembles/witness_ensemble/quantity_loop.rs decide, max_total_size, permits",
        "enumeration/graph.rs bytes, whole",
        "enumeration/subsets.rs len",
        "feature_sets/mod.rs each_needed, features",
        "kernels/pairs.rs clear",
        "spaces/binary/path_cache.rs insert",
        "spaces/dichotomies/error_space.rs held_by_both",
        "spaces/leaf_costs/bounds.rs clustering_bound",
        "spaces/leaf_costs/cost_space.rs branching, solve_terminal",
        "spaces/leaf_costs/root_tasks.rs agrees, gap",
        "spaces/root_tasks.rs agrees",
        "support/cache.rs len",
        "support/subset_cache.rs entry",
    ],
}  # fmt: skip

# A recursion: its functions as "file:name".
Recursion = frozenset[str]


def listed() -> Iterator[tuple[str, Recursion]]:
    """List the recursions of the list, with what they are."""
    for kind, recursions in RECURSIONS.items():
        for lines in recursions:
            parts = [line.split() for line in lines.strip().splitlines()]
            if len(parts) > 1:
                yield kind, frozenset(f"{file}:{name}" for file, *names in parts for name in names)
                continue
            file, _, rest = lines.strip().partition(" ")
            for names in rest.split(","):
                yield kind, frozenset(f"{file}:{name}" for name in names.split())


@cache
def calls() -> dict[Function, set[Function]]:
    """Return the calls between the functions of the crate, without its tests."""
    codes = {path.relative_to(CRATE).as_posix(): code_of(path) for path in CRATE.rglob("*.rs")}
    tests = ("differential", "mutants")
    return Calls.between(
        {file: code for file, code in sorted(codes.items()) if not any(t in file for t in tests)}
    )


def recursions(of: dict[Function, set[Function]]) -> list[Recursion]:
    """Return the recursions of a graph of calls."""
    return [frozenset(f"{file}:{name}" for file, _, name in cycle) for cycle in cycles(of)]


def test_every_recursion_of_the_crate_is_listed() -> None:
    found, known = set(recursions(calls())), {recursion for _, recursion in listed()}
    new, gone = found - known, known - found
    # A new recursion: list it with what it is, or make it a space of the engine.
    assert [sorted(recursion) for recursion in new] == []
    assert [sorted(recursion) for recursion in gone] == []


def test_only_the_engine_searches_in_the_folders_of_spaces_and_costs() -> None:
    searches = ("engine/", "costs/", "spaces/", "constraints/", "support/", "kernels/")
    kinds = {
        kind for kind, recursion in listed() if any(name.startswith(searches) for name in recursion)
    }
    assert kinds == {
        "the search of the engine", "greedy trees", "the nodes of a tree", "halves of an array",
        "no recursion", "the definition that tests compare with", "flats in fewer dimensions",
    }  # fmt: skip


def test_the_recursion_of_the_engine_is_defined_once() -> None:
    defined = [file for file, _, name in calls() if name in ("solve_within", "solve_unless_cached")]
    assert defined == ["engine/search.rs"] * 2


def test_recursions_are_found_across_files_and_types() -> None:
    codes = {
        "a.rs": """
            fn search(depth: u32) -> u32 { if depth == 0 { 0 } else { below(depth) } }
            fn below(depth: u32) -> u32 { search(depth - 1) }
            fn alone() { search(3); }
            impl<S: Space<T>> Search<S> {
                fn solve(&mut self, limits: [u32; 2]) { S::try_split(self, limits) }
                fn leaf(&self) { self.space.leaf() }
            }
            pub(crate) trait Space<T> { fn leaf(&self); fn size(&self) -> u32 { 0 } }
        """,
        "b.rs": """
            impl Space<u8> for Rows where u8: Copy {
                fn try_split(search: &mut Search<Self>, limits: [u32; 2]) { search.solve(limits) }
                fn leaf(&self) { self.totals.leaf() }
            }
            impl Tree { fn size(&self) -> u32 { 1 + self.left.size() + Vec::<u8>::new().len() } }
            impl Walk { fn new() -> Self { Self { rows: Vec::new() } } fn go(&self) { self.go() } }
        """,
    }
    assert {*recursions(Calls.between(codes))} == {
        frozenset({"a.rs:search", "a.rs:below"}),
        frozenset({"a.rs:solve", "b.rs:try_split"}),
        frozenset({"b.rs:size"}),
        frozenset({"b.rs:go"}),
    }
