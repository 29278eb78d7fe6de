"""Families of instances: `apply` makes the table of a hard problem, `lift` maps a tree back.

The families are five reductions from the hardness proofs of the sources, a reduction between two
original problems, and three families with known answers. Graphs are networkx graphs; networkx is
imported on first use.
"""

from exactree.instances.dominating_set import DominatingSet
from exactree.instances.hitting_set import HittingSet
from exactree.instances.instance import Instance
from exactree.instances.lemma10 import Lemma10
from exactree.instances.multicoloring import Multicoloring
from exactree.instances.parity import Parity, examples_per_leaf
from exactree.instances.partitioned_subgraph_isomorphism import PartitionedSubgraphIsomorphism
from exactree.instances.planted import Planted
from exactree.instances.set_cover import SetCover
from exactree.instances.set_multicover import SetMulticover

__all__ = [
    "FAMILIES",
    "DominatingSet",
    "HittingSet",
    "Instance",
    "Lemma10",
    "Multicoloring",
    "Parity",
    "PartitionedSubgraphIsomorphism",
    "Planted",
    "SetCover",
    "SetMulticover",
    "examples_per_leaf",
]

# The families by their names in the command `exactree generate`.
FAMILIES = {
    "dominating-set": DominatingSet,
    "hitting-set": HittingSet,
    "lemma10": Lemma10,
    "multicoloring": Multicoloring,
    "parity": Parity,
    "partitioned-subgraph-isomorphism": PartitionedSubgraphIsomorphism,
    "planted": Planted,
    "set-cover": SetCover,
    "set-multicover": SetMulticover,
}
