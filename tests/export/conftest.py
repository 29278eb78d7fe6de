"""For the tests of exporters: strategies for random trees, a few small trees, and a browser."""

import dataclasses
import runpy
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree.data.dataset import make_dataset
from exactree.trees import Ensemble, Tree, grow

HERE = Path(__file__).parent
COMMANDS = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM = next((path for path in map(shutil.which, COMMANDS) if path), None)
# Milliseconds until a step fails: far more than a small page needs, because machines may be busy.
TIMEOUT = 120_000.0
RANDOM_TREES = runpy.run_path(str(HERE.parent / "trees" / "random_trees.py"))


@pytest.fixture(scope="session")
def fitted_table() -> Any:
    """Return the strategy that draws a tree and the table from which it was made."""
    return RANDOM_TREES["fitted_table"]


@pytest.fixture(scope="session")
def voting() -> Any:
    """Return the strategy that draws an ensemble and its table."""
    return RANDOM_TREES["voting"]


@pytest.fixture(scope="session")
def rows_and_neighbours() -> Any:
    """Return a function: the rows of a table, and rows of values, thresholds and their neighbours.

    Every value and every threshold has two neighbours: the next smaller and the next larger number.
    """

    def rows(X: np.ndarray, trees: Any) -> np.ndarray:
        values = np.unique(np.concatenate([X.ravel(), *(tree.threshold for tree in trees)]))
        neighbours = [np.nextafter(values, side) for side in (-np.inf, np.inf)]
        chosen = np.random.default_rng(0).choice(
            np.concatenate([values, *neighbours]), (50, X.shape[1])
        )
        return np.concatenate([X, chosen])

    return rows


@pytest.fixture(scope="session")
def three_trees(small_tree: Tree) -> Ensemble:
    """Return three trees that vote: a tree of size two, a stump and a single leaf."""
    stump = grow(
        _small_table(), [(1, 0.1, 0.2, 1, 2), (-1, 0, 0, -1, -1), (-1, 0, 0, -1, -1)], [0, 1, 0]
    )
    leaf = grow(_small_table(), [(-1, 0, 0, -1, -1)], [2])
    return Ensemble((small_tree, stump, leaf))


@pytest.fixture(scope="session")
def small_tree() -> Tree:
    """Return a tree of size two with names, three classes and one error."""
    dataset = _small_table()
    nodes = [(0, 2.1, 2.9, 1, 2), (-1, 0, 0, -1, -1), (1, 1.71, 1.79, 3, 4)]
    return grow(dataset, [*nodes, (-1, 0, 0, -1, -1), (-1, 0, 0, -1, -1)])


def _small_table() -> Any:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(
        {"length": [1.0, 2.1, 2.9, 4.0, 5.0], "width": [0.1, 0.2, 1.71, 1.79, 2.5]}
    )
    return make_dataset(X, ["round", "round", "long", "flat", "long"])


@pytest.fixture(scope="session")
def single_leaf() -> Tree:
    """Return a tree that is one leaf, with weights."""
    dataset = make_dataset(np.zeros((3, 1)), [7, 9, 9], [0.5, 1.0, 0.75])
    return grow(dataset, [(-1, 0, 0, -1, -1)])


HOSTILE = [
    '"; } digraph evil { "',
    "<script>alert(1)</script>",
    "]]></style><b onmouseover='x'>",
    "line\nbreak\r\n\ttab",
    "back\\slash \\N \\G",
    "&lt;b&gt; &amp; <!-- -->",
    "$x_1$ \\frac{1}{0} %s {0}",
    "\x00\x1b[31m\u202e\ud800\uffff\u2028",
    "",
    "x" * 500,
    "한국어 이름 😀",
]


@pytest.fixture(scope="session")
def hostile_tree() -> Tree:
    """Return a tree whose feature and class names try to break out of every format."""
    rng = np.random.default_rng(0)
    X = rng.permuted(np.tile(np.arange(24.0), (len(HOSTILE), 1)).T, axis=0)
    labels = np.array([HOSTILE[i % len(HOSTILE)] for i in range(24)], dtype=object)
    # No frame: pandas itself refuses lone surrogates as names.
    dataset = make_dataset(X, labels)
    dataset = dataclasses.replace(dataset, feature_names=tuple(HOSTILE), named=True)
    nodes: list[Any] = []

    def branch(subset: np.ndarray, feature: int) -> int:
        node = len(nodes)
        nodes.append((-1, 0.0, 0.0, -1, -1))
        if feature < len(HOSTILE) and len(subset) > 2:
            values = np.sort(dataset.X[subset, feature])
            middle = len(values) // 2
            low, high = float(values[middle - 1]), float(values[middle])
            goes_left = dataset.X[subset, feature] <= low
            left = branch(subset[goes_left], 2 * feature + 1)
            nodes[node] = (feature, low, high, left, branch(subset[~goes_left], 2 * feature + 2))
        return node

    branch(np.arange(len(dataset.X)), 0)
    return grow(dataset, nodes)


@pytest.fixture(scope="session")
def tree_of_codes() -> Tree:
    """Return a tree that splits on a colour by its code, then on a length."""
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"colour": [3, 3, 1, 2, 2], "length": [1.0, 2.0, 3.0, 4.0, 5.0]})
    dataset = make_dataset(X, ["round", "long", "long", "flat", "flat"])
    leaf = (-1, 0, 0, -1, -1)
    return grow(dataset, [(0, 3.0, None, 1, 4), (1, 1.0, 2.0, 2, 3), leaf, leaf, leaf])


ZOO = runpy.run_path(str(HERE / "zoo.py"))


@pytest.fixture(scope="session")
def zoo() -> dict[str, Any]:
    """Return a fitted model of every kind with its table and rows to try."""
    pytest.importorskip("pandas")
    return ZOO["models"]()


@dataclass
class Opened:
    """A page in the browser, its error messages, and the addresses that it requested."""

    page: Any
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def seen(self, selector: str) -> bool:
        return bool(self.page.locator(selector).first.is_visible())

    def on_way(self) -> list[str]:
        """Return the marked nodes: the path of the chosen example."""
        nodes: list[str] = self.page.evaluate(
            "[...document.querySelectorAll('.on-way')].map((item) => item.id)"
        )
        return nodes


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], timeout=TIMEOUT
        )
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Open reports; in the end they must have no error messages and no further requests."""
    pages: list[Opened] = []

    def open_report(text: str, width: int = 1280, scheme: str = "light") -> Opened:
        path = tmp_path / f"report{len(pages)}.html"
        path.write_text(text, encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page.set_default_timeout(TIMEOUT)
        report_page = Opened(page)
        messages, requests = report_page.messages, report_page.requests
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("dialog", lambda dialog: (messages.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        pages.append(report_page)
        return report_page

    yield open_report
    for report_page in pages:
        assert report_page.messages == []
        assert len(report_page.requests) == 1, "the page itself"
        report_page.page.close()
