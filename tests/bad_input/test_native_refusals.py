"""Every refusal of the native module: how it occurs, its exception, and its sentence."""

import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import exactree as xt
from exactree import _native
from exactree.engine.native import branching_set, error_settings, list_support_sets, list_trees
from exactree.engine.native.call import examples_of
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.settings import ListingRequest
from exactree.engine.native.switches import accelerators
from exactree.errors import InternalError

REFUSALS = Path(__file__).resolve().parents[2] / "crates" / "python" / "src" / "refusal.rs"

PROBLEM = xt.Problem([[0.0], [1.0], [2.0]], [0, 1, 0])
EXAMPLES, NO_LIMITS = examples_of(PROBLEM), SearchOptions.within(None)
SETTINGS = error_settings(PROBLEM, Caps(None, None, None), NO_LIMITS)


def name_unknown_search() -> None:
    accelerators("fastest")


def give_too_few_labels() -> None:
    _native.largest_difference(np.zeros((3, 2), dtype=np.uint32), EXAMPLES.labels[:2])


def name_unknown_feature() -> None:
    branching_set(np.zeros((3, 2), dtype=np.int64), [5])


def repeat_a_shape() -> None:
    request = ListingRequest(None, None, (0, 9), False, shapes=[None, None])
    list_trees(PROBLEM, request, NO_LIMITS)


def read_a_list_in_two_threads() -> None:
    codes = np.eye(40, dtype=np.int64)
    sets, ended = list_support_sets(codes, np.arange(40), None, minimal=False), threading.Event()

    def read() -> None:
        while not ended.is_set():
            sets.next_sets(None)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(1_000_000):
            assert sets.nodes >= 0
    finally:
        ended.set()
        reader.join()


def solve_too_large_a_table() -> None:
    X = np.arange(100.0)[:, None]
    problem = xt.Problem(X, np.arange(100) % 2, minimize="size")
    xt.solve(problem, method="box", memory_limit=1000)


def search_a_table_larger_than_memory() -> None:
    examples = replace(EXAMPLES, columns=np.broadcast_to(0.0, (1 << 44, 8)))
    _native.RootSearch.of_errors(examples, SETTINGS)


def panic() -> None:
    examples = replace(EXAMPLES, labels=EXAMPLES.labels + np.uint32(7))
    _native.RootSearch.of_errors(examples, SETTINGS)


# Variant of the enum `Refusal` -> a call that it refuses, the exception, and its sentence.
CASES: dict[str, tuple[Callable[[], None], type[Exception], str]] = {
    "UnknownName": (name_unknown_search, ValueError, 'There is no search named "fastest".'),
    "LabelsNotOfRows": (
        give_too_few_labels,
        ValueError,
        "`labels` must have one label per row, but there are 2 for 3 rows.",
    ),
    "UnknownFeature": (
        name_unknown_feature,
        ValueError,
        "There is no feature 5 in a table of 2 features.",
    ),
    "UnorderedShapes": (
        repeat_a_shape,
        ValueError,
        "`shapes` repeats a shape, or has one before the shapes of its subtrees.",
    ),
    "ListInUse": (
        read_a_list_in_two_threads,
        ValueError,
        "Another thread is reading this list of feature sets.",
    ),
    "Search": (
        solve_too_large_a_table,
        xt.MethodRefused,
        "method='box': The table of Theorem 3.1 of Kobourov et al. (AAAI 2023) would take 5050 "
        "entries, 1 MB, more than the 0 MB it may take.",
    ),
    "NoMemory": (
        search_a_table_larger_than_memory,
        MemoryError,
        "The system cannot provide the 8589934592 MB that the search needs for a table of "
        "17592186044416 rows and 8 columns.",
    ),
    "NoResult": (panic, _native.CoreError, "The search ended without a result."),
}


@pytest.mark.parametrize(("call", "kind", "sentence"), CASES.values(), ids=CASES)
def test_a_refusal_is_an_exception_with_one_sentence(
    call: Callable[[], None], kind: type[Exception], sentence: str
) -> None:
    with pytest.raises(kind) as refused:
        call()
    assert (refused.type, str(refused.value)) == (kind, sentence)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
def test_a_thread_that_the_system_cannot_create_is_a_memory_error() -> None:
    program = """
import resource
import numpy as np
import exactree.stopping
from exactree import _native
rows = np.zeros((3, 2), dtype=np.uint32), np.zeros(3, dtype=np.uint32)
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (64 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    _native.largest_difference(*rows)
except MemoryError as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    sentence = r"The system cannot create a thread for the search: .*\.\n"
    assert re.fullmatch(sentence, run.stdout), run.stdout + run.stderr


def test_every_refusal_is_tested_here() -> None:
    enum = REFUSALS.read_text(encoding="utf-8").split("pub enum Refusal {")[1].split("\n}")[0]
    assert set(re.findall(r"^    (\w+)", enum, re.MULTILINE)) == {*CASES, "NoThread"}


def test_a_bug_in_the_native_module_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_: object) -> None:
        panic()

    monkeypatch.setattr(_native, "minimum_errors", search)
    with pytest.raises(InternalError, match=r"^The search ended without a result\. Please report"):
        xt.solve(PROBLEM)
