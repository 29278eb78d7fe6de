"""Reading of the original problems of `exactree generate`: text files of sets and graphs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

COMMENT = "#"


def read_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """List the number and the words of every line that is neither blank nor a comment.

    Parameters
    ----------
    path : Path
        A text file in UTF-8.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text file in UTF-8: {error}.") from error
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition(COMMENT)[0].split()
        if words:
            yield number, words


def read_set_file(path: Path) -> list[list[str]]:
    """Return the sets of a file: one per line, elements separated by blanks.

    Parameters
    ----------
    path : Path
        The file.
    """
    sets = [words for _, words in read_lines(path)]
    if not sets:
        raise ValueError(f"{path} has no sets; write one per line, elements separated by blanks.")
    return sets


def read_graph_file(path: Path) -> Any:
    """Return the networkx.Graph of a file: an edge (two vertices) or a vertex per line.

    Parameters
    ----------
    path : Path
        The file.
    """
    try:
        import networkx
    except ImportError as error:
        raise ValueError(
            "graphs need networkx; install it with: pip install 'exactree[instances]'"
        ) from error
    graph = networkx.Graph()
    for number, words in read_lines(path):
        if len(words) > 2:
            raise ValueError(
                f"line {number} of {path} has {len(words)} words; write two vertices for an edge "
                "or one for a vertex."
            )
        graph.add_nodes_from(words)
        if len(words) == 2:
            graph.add_edge(*words)
    return graph


def read_colour_file(path: Path) -> dict[str, str]:
    """Return the colours of a file: a vertex and its colour per line.

    Parameters
    ----------
    path : Path
        The file.
    """
    colours: dict[str, str] = {}
    for number, words in read_lines(path):
        if len(words) != 2:
            raise ValueError(
                f"line {number} of {path} has {len(words)} words; write a vertex and its colour."
            )
        if colours.setdefault(words[0], words[1]) != words[1]:
            raise ValueError(f"line {number} of {path} gives {words[0]!r} a second colour.")
    return colours
