"""The list of compared solvers. The adapters in this folder are loaded in separate processes.

`prototype` has no adapter: it is an executable given on the command line.
"""

from benchmarks.peers.peer import Answer, Peer

__all__ = ["OURS", "PEERS", "Answer", "Peer"]

OURS = "exactree"

PEERS = {
    peer.name: peer
    for peer in (
        Peer(OURS, distribution="exactree"),
        Peer(
            "pycontree",
            distribution="pycontree",
            weakness="it treats feature values closer than 1e-7 as equal",
        ),
        Peer("pystreed", distribution="pystreed", tolerance=1e-4),
        Peer(
            "pytrees",
            distribution="pytrees-rs",
            weakness="its tree can make more errors than it reports",
        ),
        Peer("pydl85", distribution="pydl8.5"),
        Peer("gosdt", distribution="gosdt"),
        Peer("cart", distribution="scikit-learn", exact=False),
        Peer("prototype", distribution="", program=True),
        Peer(
            "pytrees_anytime",
            distribution="pytrees-rs",
            weakness="its DL8.5 solver called trees optimal that make one error too many",
        ),
    )
}
