"""How hypothesis runs in all tests, and that all of them hear Ctrl-C."""

import signal

from hypothesis import settings

# Machines that run the tests are loaded at times: no test shall fail for being slow once.
settings.register_profile("exactree", deadline=None, print_blob=True)
settings.load_profile("exactree")

# A shell makes what it starts in the background deaf to interrupts, and whatever that starts. Tests
# of an interrupt would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
