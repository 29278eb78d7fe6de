"""Shapes: equality up to mirror image, and their number by Wedderburn-Etherington."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from exactree import Limits, Problem, solve
from exactree.theory import (
    TreeShape,
    enumerate_shapes,
    enumerate_shapes_within,
    shape_of,
    wedderburn_etherington,
)

PUBLISHED = runpy.run_path(str(Path(__file__).with_name("published.py")))
LEAF = TreeShape()
STUMP = TreeShape(LEAF, LEAF)


def mirrored(shape: TreeShape, rng: np.random.Generator) -> TreeShape:
    """Return the same shape, made with the children of each node in a random order."""
    if shape.children is None:
        return TreeShape()
    children = [mirrored(child, rng) for child in shape.children]
    return TreeShape(*(children if rng.random() < 0.5 else children[::-1]))


def test_a_shape_counts_its_leaves_nodes_and_depth() -> None:
    shape = TreeShape(TreeShape(LEAF, STUMP), STUMP)
    assert (shape.leaves, shape.size, shape.depth) == (5, 4, 3)
    assert (LEAF.leaves, LEAF.size, LEAF.depth, LEAF.children) == (1, 0, 0, None)
    assert shape.proper_subtrees() == [LEAF, STUMP, TreeShape(STUMP, LEAF)]
    assert eval(repr(shape)) == shape


def test_mirror_images_are_equal() -> None:
    rng = np.random.default_rng(0)
    for shape in enumerate_shapes(9):
        image = mirrored(shape, rng)
        assert (image, hash(image), image.code) == (shape, hash(shape), shape.code)
        assert (image.left, image.right) == (shape.left, shape.right)


def test_different_shapes_are_not_equal() -> None:
    """All listed shapes differ also by `invariant`, which does not use their code."""
    assert TreeShape(STUMP, STUMP) != TreeShape(TreeShape(STUMP, LEAF), LEAF)
    for leaves in range(1, 11):
        shapes = list(enumerate_shapes(leaves))
        assert len({invariant(shape) for shape in shapes}) == len(shapes)
        assert {shape.leaves for shape in shapes} == {leaves}


def invariant(shape: TreeShape) -> object:
    """Return a shape as nested sets of subtrees with counts, which have no order."""
    children = [invariant(child) for child in shape.children or ()]
    return frozenset((child, children.count(child)) for child in children)


@pytest.mark.parametrize("leaves", range(1, 21))
def test_the_wedderburn_etherington_numbers_are_the_published_numbers(leaves: int) -> None:
    assert wedderburn_etherington(leaves) == PUBLISHED["WEDDERBURN_ETHERINGTON"][leaves - 1]


def test_the_numbers_of_listed_shapes_are_the_wedderburn_etherington_numbers() -> None:
    for leaves in range(1, 15):
        count = len(set(enumerate_shapes(leaves)))
        assert count == PUBLISHED["WEDDERBURN_ETHERINGTON"][leaves - 1]


@pytest.mark.long
def test_the_numbers_of_listed_shapes_are_the_published_numbers_up_to_20_leaves() -> None:
    for leaves in range(15, 21):
        count = sum(1 for _ in enumerate_shapes(leaves))
        assert count == PUBLISHED["WEDDERBURN_ETHERINGTON"][leaves - 1]


def test_shapes_within_a_depth_are_listed_once() -> None:
    assert {shape.code for shape in enumerate_shapes_within(3)} == set(PUBLISHED["SHAPES"])
    # Of depth at most h + 1: a leaf, and a node for each of the k (k + 1) / 2 pairs of the k shapes
    # of depth at most h.
    for depth, count in enumerate([1, 2, 4, 11, 67]):
        shapes = enumerate_shapes_within(depth)
        assert len(set(shapes)) == len(shapes) == count
        assert {shape.depth for shape in shapes} == set(range(depth + 1))
    # A tree of depth 3 has at most 8 leaves.
    by_leaves = [s for leaves in range(1, 9) for s in enumerate_shapes(leaves) if s.depth <= 3]
    assert set(by_leaves) == set(enumerate_shapes_within(3))


def test_the_shape_of_a_fitted_tree_has_its_size_and_depth() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    tree = solve(Problem(X, [0, 1, 0, 1], minimize="size", limits=Limits(max_errors=0))).tree
    assert tree is not None
    assert shape_of(tree).size == tree.size == 3
    assert shape_of(tree).depth == tree.depth


def test_a_shape_may_be_500_levels_deep() -> None:
    shape = LEAF
    for _ in range(500):
        shape = TreeShape(LEAF, shape)
    assert (shape.leaves, shape.depth, len(shape.proper_subtrees())) == (501, 500, 500)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: TreeShape(LEAF), "the right child is missing"),
        (lambda: TreeShape(right=LEAF), "the left child is missing"),
        (lambda: TreeShape(LEAF, 3), "the right child must be a TreeShape, found 3"),
        (lambda: shape_of(None), "tree must be a fitted tree of exactree, found None"),
        (lambda: wedderburn_etherington(0), "leaves must be at least 1, found 0"),
        (lambda: enumerate_shapes(-1), "leaves must be at least 1, found -1"),
        (lambda: enumerate_shapes(2.5), "leaves must be a whole number, found 2.5"),
        (lambda: enumerate_shapes_within(-1), "depth must be at least 0, found -1"),
    ],
)
def test_invalid_arguments_of_functions_of_shapes_are_refused(make: object, sentence: str) -> None:
    with pytest.raises((ValueError, TypeError), match=sentence):
        make()  # type: ignore[operator]
