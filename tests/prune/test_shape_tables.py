"""The shared tables of growth functions agree with `theory` for all shapes, forms and features."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.prune import grow_greedily
from exactree.prune.partly_pruned import PartlyPruned
from exactree.prune.shape_tables import LEAF, ShapeTables
from exactree.theory import Features, TreeShape, enumerate_shapes, log_growth_function_bound
from exactree.trees.routing import node_depths

MIXED_FEATURES = st.builds(
    Features,
    st.integers(0, 3),
    ordinal=st.lists(st.integers(1, 5), max_size=2),
    nominal=st.lists(st.integers(1, 12), min_size=1, max_size=4),
    nominal_rules=st.sampled_from(["one-against-rest", "subset"]),
    surfaces=st.lists(st.integers(1, 9), max_size=2),
    fixed_rules=st.integers(0, 3),
)
SMALL = [shape for leaves in range(1, 8) for shape in enumerate_shapes(leaves)]


def shape_number(tables: ShapeTables, shape: TreeShape, *, mirrored: bool = False) -> int:
    """Return the number by which the tables identify a shape; if mirrored, its mirror image."""
    if shape.children is None:
        return LEAF
    left, right = (shape_number(tables, child, mirrored=mirrored) for child in shape.children)
    join = tables.shapes.join
    return join(right, left) if mirrored else join(left, right)


@given(
    st.lists(st.sampled_from(SMALL), min_size=1, max_size=5),
    st.one_of(
        st.tuples(st.integers(1, 20), st.sampled_from(["loose", "tight", "paper"])),
        st.tuples(MIXED_FEATURES, st.sampled_from(["loose", "tight"])),
    ),
    st.integers(1, 11),
    st.integers(1, 40),
)
def test_the_shared_tables_agree_with_the_theory(
    shapes: list[TreeShape],
    features_and_form: tuple[int | Features, str],
    n_classes: int,
    n_examples: int,
) -> None:
    n_features, form = features_and_form
    tables = ShapeTables(n_features, n_classes, n_examples, 7, form)
    # In two requests, of which the second shares the tables of the first.
    log_growth = tables.log_growth([shape_number(tables, shape) for shape in shapes[:-1]])
    log_growth += tables.log_growth([shape_number(tables, shapes[-1])])
    for shape, found in zip(shapes, log_growth, strict=True):
        assert tables.shapes.leaves[shape_number(tables, shape)] == shape.leaves
        expected = log_growth_function_bound(
            shape,
            n_features=n_features,
            n_examples=n_examples,
            n_classes=n_classes,
            form=form,  # type: ignore[arg-type]
        )
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_mirror_images_share_a_number() -> None:
    tables = ShapeTables(3, 2, 50, 7, "loose")
    numbers = {shape_number(tables, shape) for shape in SMALL}
    assert len(numbers) == len(SMALL)
    assert {shape_number(tables, shape, mirrored=True) for shape in SMALL} == numbers


def test_dropped_tables_are_computed_again() -> None:
    """The values are the same after the tables have been dropped to free memory."""
    tables = ShapeTables(3, 4, 50, 7, "loose")
    numbers = [shape_number(tables, shape) for shape in SMALL]
    first = tables.log_growth(numbers)
    tables._rows.clear()
    tables._growth.clear()
    assert tables.log_growth(numbers[::-1]) == pytest.approx(first[::-1], rel=1e-14)
    assert tables._rows


def test_a_tree_with_one_leaf_less_needs_new_tables_for_a_path_to_the_root_only() -> None:
    """Only the shapes of the nodes above the removed node are new."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, size=500)
    tree = grow_greedily(X, y, max_leaves=100, random_state=0)
    tables = ShapeTables(3, 2, 1000, 100, "loose")
    errors = np.zeros(tree.node_count, dtype=np.int64)  # not used here
    rest = PartlyPruned(tree, errors, tables.shapes)
    lowest = [node for node in rest.nodes() if rest.leaves_below(node) == 2]
    depths = node_depths(tree.children_left, tree.children_right)[lowest]
    assert len(lowest) > 20
    new_tables = []
    for node in lowest:
        before = len(tables._rows)
        tables.log_growth([rest.shape_without(node)])
        new_tables.append(len(tables._rows) - before)
    # The first request also needs tables for the rest of the tree: at most one for each node.
    assert sum(new_tables) <= tree.size + depths.sum()
    assert sum(new_tables) < len(lowest) * tree.size / 4  # far fewer than without sharing


def test_many_classes_are_accepted_with_few_leaves_only() -> None:
    """Up to 7 leaves with a million classes; in small chunks, as for a large number of shapes."""
    tables = ShapeTables(3, 10**6, 80, 7, "loose")
    tables._unions.chunk = 2
    for shape in SMALL:
        [found] = tables.log_growth([shape_number(tables, shape)])
        expected = log_growth_function_bound(shape, n_features=3, n_classes=10**6, n_examples=80)
        assert found == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ValueError, match="200 classes and 150 leaves; bounds are computed when"):
        ShapeTables(3, 200, 1000, 150, "loose")
