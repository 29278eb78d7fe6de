"""How hypothesis runs in all tests."""

from hypothesis import settings

# Machines that run the tests are loaded at times: no test shall fail for being slow once.
settings.register_profile("exactree", deadline=None, print_blob=True)
settings.load_profile("exactree")
