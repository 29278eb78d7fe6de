"""A cluster of two worker processes on this machine, and settings that make tasks small."""

from collections.abc import Iterator
from typing import Any

import pytest

from exactree.distributed import pace, scheduler


@pytest.fixture
def small_shared_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client search nothing by itself, and make tasks small, so that there are many."""
    monkeypatch.setattr(scheduler, "_CLIENT_SECONDS", 0.0)
    monkeypatch.setattr(pace, "_SHORTEST", 0.2)
    monkeypatch.setattr(pace, "_WORTHWHILE", 0.0)


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
