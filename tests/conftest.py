"""Settings of hypothesis, and Ctrl-C, for all tests."""

import signal

import pytest
from hypothesis import settings

# The machine may be busy, so no test fails because it is slow.
settings.register_profile("long", deadline=None, print_blob=True)
# `make test` runs fewer examples of property tests that do not set their number.
settings.register_profile("quick", parent=settings.get_profile("long"), max_examples=30)


def pytest_configure(config: pytest.Config) -> None:
    """Choose the profile before any test is imported, because decorators read it then."""
    settings.load_profile("quick" if config.option.markexpr == "not long" else "long")


# Processes that a shell starts in the background ignore interrupts, and so do their children. Tests
# of interrupts would wait forever.
signal.signal(signal.SIGINT, signal.default_int_handler)
