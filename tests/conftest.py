"""Settings of hypothesis, and Ctrl-C, for all tests."""

import signal

import pytest
from hypothesis import settings

# Without a deadline, because no test shall fail on a machine that is busy.
settings.register_profile("long", deadline=None, print_blob=True)
# `make test` tries fewer examples in property tests that do not set their number.
settings.register_profile("quick", parent=settings.get_profile("long"), max_examples=30)


def pytest_configure(config: pytest.Config) -> None:
    """Choose the profile before tests are imported: their decorators use the current profile."""
    settings.load_profile("quick" if config.option.markexpr == "not long" else "long")


# A process that a shell starts in the background ignores interrupts, and so do its children: tests
# of interrupts would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
