"""The cache of the search: entries within a limit of bytes, evicted by least recent use.

Evicted entries are computed again when they are needed, so no result depends on the limit. The
bytes of an entry are an upper bound that assumes no sharing with other entries: exact bytes of
arrays and keys, and more than the largest Python objects take.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["BoundedCache"]

# Bytes of the key, the slot in a dictionary, and the size of an entry.
_OF_ENTRY = 600


@dataclass
class BoundedCache:
    """Entries by kind and key.

    Attributes
    ----------
    limit : int or None
        Bytes for all entries.
    bytes : int
        Upper bound on the bytes of all entries.
    evicted : int
        Number of evicted entries.
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
        """Return an entry, None if it is not cached."""
        entry = self._entries.get((kind, key))
        if entry is None:
            return None
        if self.limit is not None:
            self._entries.move_to_end((kind, key))
        return entry[0]

    def put(self, kind: str, key: Hashable, value: Any, size: int) -> None:
        """Store an entry in place of an earlier entry of its key; evict entries above the limit."""
        before = self._entries.pop((kind, key), None)
        if before is not None:
            self.bytes -= before[1]
        self._entries[kind, key] = (value, size + _OF_ENTRY)
        self.bytes += size + _OF_ENTRY
        while self.limit is not None and self.bytes > self.limit:
            _, (_, less) = self._entries.popitem(last=False)
            self.bytes -= less
            self.evicted += 1
