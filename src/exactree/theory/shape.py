"""The shape of a tree up to mirror image, without rules and labels."""

from __future__ import annotations

from dataclasses import dataclass, field

from exactree.trees import Tree
from exactree.trees.routing import NO_CHILD


@dataclass(frozen=True, repr=False, slots=True)
class TreeShape:
    """The shape of a binary tree; shapes are equal if swapping children makes them identical.

    Parameters
    ----------
    left, right : TreeShape, optional
        The shapes of the two subtrees; without them the shape is a leaf. The shape with more
        leaves becomes ``left``, in either order of the arguments.

    Attributes
    ----------
    code : str
        The canonical form: "." for a leaf, "(left,right)" for a node. Equal for equal shapes.
    leaves, depth : int
        The number of leaves; the number of nodes on the longest path.
    """

    left: TreeShape | None = field(default=None, compare=False)
    right: TreeShape | None = field(default=None, compare=False)
    code: str = field(init=False)
    leaves: int = field(init=False, compare=False)
    depth: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if self.left is None and self.right is None:
            self._set(code=".", leaves=1, depth=0)
            return
        for side, child in (("left", self.left), ("right", self.right)):
            if child is None:
                raise ValueError(
                    f"the {side} child is missing: a TreeShape has two children, or none if it "
                    "is a leaf."
                )
            if not isinstance(child, TreeShape):
                raise TypeError(f"the {side} child must be a TreeShape, found {child!r}.")
        assert self.left is not None
        assert self.right is not None
        small, large = sorted((self.left, self.right), key=lambda s: (s.leaves, s.code))
        self._set(
            left=large,
            right=small,
            code=f"({large.code},{small.code})",
            leaves=large.leaves + small.leaves,
            depth=1 + max(large.depth, small.depth),
        )

    def _set(self, **values: TreeShape | str | int) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return self.code.replace("(", "TreeShape(").replace(".", "TreeShape()").replace(",", ", ")

    @property
    def size(self) -> int:
        """The number of nodes."""
        return self.leaves - 1

    @property
    def children(self) -> tuple[TreeShape, TreeShape] | None:
        """The two subtrees, None for a leaf."""
        return None if self.left is None or self.right is None else (self.left, self.right)

    def proper_subtrees(self) -> list[TreeShape]:
        """Return the different shapes of all proper subtrees, the smallest first."""
        found: set[TreeShape] = set()
        stack = list(self.children or ())
        while stack:
            shape = stack.pop()
            if shape not in found:
                found.add(shape)
                stack += shape.children or ()
        return sorted(found, key=lambda shape: (shape.leaves, shape.code))


def shape_of(tree: Tree) -> TreeShape:
    """Return the shape of a fitted tree.

    Parameters
    ----------
    tree : Tree
        As ``outcome.tree`` or ``classifier.tree_``.
    """
    if not isinstance(tree, Tree):
        raise TypeError(f"tree must be a fitted tree of exactree, found {tree!r}.")
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    shapes = [TreeShape()] * len(left)
    for node in range(len(left) - 1, -1, -1):  # children follow their parents
        if left[node] != NO_CHILD:
            shapes[node] = TreeShape(shapes[left[node]], shapes[right[node]])
    return shapes[0]
