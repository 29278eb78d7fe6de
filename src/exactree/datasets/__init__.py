"""Small, freely licensed example tables; NOTICE.md names their licences."""

from exactree.datasets.tables import Table, load_raisin

__all__ = ["Table", "load_raisin"]
