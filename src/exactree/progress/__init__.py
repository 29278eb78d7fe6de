"""The progress of a running call, shown where its user works: `verbose=1` and the command line.

`live.py` keeps what is shown, `displays.py` shows it on a terminal, in a notebook or in a log, and
`wording.py` puts the state of a search in words.
"""

from exactree.progress.live import Live, live_progress
from exactree.progress.wording import limits_in_words, state_in_words

__all__ = ["Live", "limits_in_words", "live_progress", "state_in_words"]
