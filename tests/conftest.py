"""Settings of hypothesis, and Ctrl-C, for all tests."""

import signal

import pytest
from hypothesis import settings

# Machines that run the tests are loaded at times: no test shall fail for being slow once.
settings.register_profile("long", deadline=None, print_blob=True)
# `make test` tries fewer examples of what says no number itself; `make test-long` all.
settings.register_profile("quick", parent=settings.get_profile("long"), max_examples=30)


def pytest_configure(config: pytest.Config) -> None:
    """Choose before any test is read, as decorators take what is set then."""
    settings.load_profile("quick" if config.option.markexpr == "not long" else "long")


# A shell makes what it starts in the background deaf to interrupts, and whatever that starts. Tests
# of an interrupt would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
