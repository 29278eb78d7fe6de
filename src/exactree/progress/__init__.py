"""Progress of a running call in a terminal, a notebook or a log: `verbose=1`, the command line.

`live.py` keeps the state to show, `displays.py` shows it in each of these places, and `wording.py`
puts the state of a search in words.
"""

from exactree.progress.live import Live, live_progress
from exactree.progress.wording import limits_in_words, state_in_words

__all__ = ["Live", "limits_in_words", "live_progress", "state_in_words"]
