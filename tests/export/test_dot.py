"""to_dot: valid DOT, from which a small parser reads the same nodes, edges and names."""

import re
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from exactree.export import to_dot
from exactree.export.wording import predicted, rule
from exactree.trees import Ensemble, Tree

GOLDEN = Path(__file__).parent / "golden"

STRING = r'"((?:[^"\\]|\\.)*)"'
ATTRIBUTE = rf"(\w+)=(?:{STRING}|(\w+))"
STATEMENT = re.compile(
    rf"\s*(\d+|node|edge)(?: -> (\d+))? \[((?:{ATTRIBUTE}(?:, |(?=\])))+)\];", re.DOTALL
)


def read_dot(text: str) -> tuple[dict[str, dict[str, str]], dict[tuple[str, str], str]]:
    """Return the attributes of nodes and the labels of edges; all text must be statements."""
    assert text.startswith("digraph tree {\n")
    assert text.endswith("\n}\n")
    body, position = text[len("digraph tree {") : -len("\n}\n")], 0
    nodes: dict[str, dict[str, str]] = {}
    edges: dict[tuple[str, str], str] = {}
    while position < len(body):
        match = STATEMENT.match(body, position)
        assert match, body[position : position + 100]
        attributes = {
            name: quoted or plain for name, quoted, plain in re.findall(ATTRIBUTE, match[3])
        }
        if match[2]:
            edges[match[1], match[2]] = attributes["label"]
        else:
            nodes[match[1]] = attributes
        position = match.end()
    return nodes, edges


def test_trees_of_an_ensemble_stand_in_clusters(three_trees: Ensemble) -> None:
    text = to_dot(three_trees)
    clusters = re.findall(r"  subgraph cluster_(\d) \{\n(.*?)\n  \}", text, re.DOTALL)
    assert [number for number, _ in clusters] == ["0", "1", "2"]
    for (number, body), tree in zip(clusters, three_trees.trees, strict=True):
        title, statements = body.split("\n", 1)
        assert f'label="tree {number}"' in title
        plain = statements.replace(f"tree{number}_", "")
        assert plain in to_dot(tree), "the nodes differ from those of the tree alone"


def shown(text: str) -> str:
    """Return what Graphviz shows for the content of a quoted string."""
    unescaped = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)
    assert not re.search(r"&(?!amp;)", unescaped), "an entity other than &amp;"
    return unescaped.replace("&amp;", "&")


def check(tree: Tree) -> None:
    """Check that the DOT text has the nodes, rules, labels and edges of the tree."""
    nodes, edges = read_dot(to_dot(tree))
    del nodes["node"], nodes["edge"]
    assert set(nodes) == {str(node) for node in range(tree.node_count)}
    expected = {}
    for node in range(tree.node_count):
        tooltip = shown(nodes[str(node)]["tooltip"])
        assert tooltip == (predicted if tree.is_leaf(node) else rule)(tree, node)
        if not tree.is_leaf(node):
            expected[str(node), str(tree.children_left[node])] = "yes"
            expected[str(node), str(tree.children_right[node])] = "no"
    assert edges == expected


def test_the_text_of_a_small_tree(small_tree: Tree) -> None:
    check(small_tree)
    assert to_dot(small_tree) == (GOLDEN / "small.dot").read_text(encoding="utf-8")


def test_a_single_leaf_has_its_counts_as_label(single_leaf: Tree) -> None:
    check(single_leaf)
    assert shown(read_dot(to_dot(single_leaf))[0]["0"]["label"]) == (
        "9\n3 examples\nweight 2.25\n0.5 errors"
    )


def test_hostile_names_stay_in_their_quotes(hostile_tree: Tree) -> None:
    check(hostile_tree)


@given(data=st.data())
def test_random_trees_are_written_with_all_nodes_and_edges(fitted_table: Any, data: Any) -> None:
    check(data.draw(fitted_table()).tree)
