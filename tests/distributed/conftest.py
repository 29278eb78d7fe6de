"""A cluster of two worker processes on this machine, for all tests of a file."""

from collections.abc import Iterator
from typing import Any

import pytest

from exactree.distributed import pace, scheduler


@pytest.fixture
def small_shared_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client do nothing alone, and tasks be small, so that there is much to share."""
    monkeypatch.setattr(scheduler, "_ALONE", 0.0)
    monkeypatch.setattr(pace, "_SHORTEST", 0.2)
    monkeypatch.setattr(pace, "_WORTH", 0.0)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client
