"""A lower bound on copies that anyone can check.

Forget rows: only ask how many replicas each member may end with. What members then lack is a flow problem of a few
thousand nodes, solved by networkx; no placement that is fair at every slot copies less.
"""

from collections import Counter
from collections.abc import Sequence

import networkx as nx

from gridproof_model.groups import MemberGroup
from gridproof_model.partition_table import PartitionTable


def copies_at_least(table: PartitionTable, groups: Sequence[MemberGroup], replica_count: int) -> int:
    """Return a number of new replicas that no placement with these groups, fair at every slot, goes below."""
    width = min(len(groups), replica_count)
    held = Counter(slot for row in table.rows for slot in row.replicas)
    least, more = divmod(table.partition_count, len(groups))
    most = least + (more > 0)
    network: nx.DiGraph[str] = nx.DiGraph()
    network.add_node("all", demand=-width * table.partition_count)
    network.add_node("done", demand=width * table.partition_count)
    for group in groups:
        add_bounded(network, "all", group.name, width * least, width * most)
        for member in group.members:
            low, high = width * (least // len(group.members)), width * -(-most // len(group.members))
            add_bounded(network, group.name, str(member.id), low, high)
            network.add_edge(str(member.id), f"{member.id} kept", capacity=held[member.id], weight=0)
            network.add_edge(f"{member.id} kept", "done", weight=0)
            network.add_edge(str(member.id), "done", weight=1)
    cost, _ = nx.network_simplex(network)
    return int(cost)


def add_bounded(network: "nx.DiGraph[str]", tail: str, head: str, low: int, high: int) -> None:
    """Add an edge that carries from `low` to `high`; what it must carry becomes demand at its ends."""
    network.add_edge(tail, head, capacity=high - low, weight=0)
    for node, amount in ((tail, low), (head, -low)):
        network.add_node(node, demand=network.nodes[node].get("demand", 0) + amount)
