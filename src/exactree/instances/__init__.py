"""Families of instances: hard problems as tables with `apply`, answers back with `lift`.

Five reductions from the hardness proofs of the sources, one between two original problems, and
three families with known answers. Graphs come from networkx, which is imported when it is needed.
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

# By the name that the command `exactree generate` gives them.
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
