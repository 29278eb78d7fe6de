"""What the search remembers, within a limit: what was not requested the longest time goes first.

What is evicted is found again when it is needed, so no answer depends on the limit. The bytes of
an entry are estimated from above, as if it shared nothing with others: arrays and keys as they
are, Python's objects by more than the largest of them take.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["BoundedCache"]

# The key, the place in a dictionary, and the count of bytes.
_OF_ENTRY = 600


@dataclass
class BoundedCache:
    """Entries by kind and key.

    Attributes
    ----------
    limit : int or None
        Bytes for all entries.
    bytes : int
        Bytes that they take at most.
    evicted : int
        How many were given up.
    """

    limit: int | None = None
    bytes: int = 0
    evicted: int = 0
    _entries: OrderedDict[tuple[str, Hashable], tuple[Any, int]] = field(
        default_factory=OrderedDict
    )

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, kind: str, key: Hashable) -> Any:
        """Return what is cached, None if nothing is."""
        entry = self._entries.get((kind, key))
        if entry is None:
            return None
        if self.limit is not None:
            self._entries.move_to_end((kind, key))
        return entry[0]

    def put(self, kind: str, key: Hashable, value: Any, size: int) -> None:
        """Store a value of some bytes in place of the former one; evict what is too much."""
        before = self._entries.pop((kind, key), None)
        if before is not None:
            self.bytes -= before[1]
        self._entries[kind, key] = (value, size + _OF_ENTRY)
        self.bytes += size + _OF_ENTRY
        while self.limit is not None and self.bytes > self.limit:
            _, (_, less) = self._entries.popitem(last=False)
            self.bytes -= less
            self.evicted += 1
