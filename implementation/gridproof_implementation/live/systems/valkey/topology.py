"""The answer of CLUSTER NODES: nodes, shards, and which shard serves each block of slots."""

from dataclasses import dataclass
from typing import TypeAlias

Address: TypeAlias = tuple[str, int]
SLOTS, BLOCK_SLOTS = 16_384, 64
BLOCKS = SLOTS // BLOCK_SLOTS
"""The number of partitions; each partition is a block of slots."""


@dataclass(frozen=True, slots=True)
class Node:
    """A line of CLUSTER NODES."""

    id: str
    address: Address
    flags: frozenset[str]
    primary: str
    """For a replica, the id of the node that it copies."""
    epoch: int
    ranges: tuple[tuple[int, int], ...]

    @property
    def counts(self) -> bool:
        """Whether the table counts the node as a member."""
        return self.flags.isdisjoint({"fail", "noaddr", "handshake"})


@dataclass(frozen=True, slots=True)
class Shard:
    """A primary that owns slots, with those of its replicas that count as members."""

    primary: str
    epoch: int
    ranges: tuple[tuple[int, int], ...]
    replicas: tuple[str, ...]

    @property
    def members(self) -> list[str]:
        """The members of the shard, the primary first."""
        return [self.primary, *self.replicas]

    def blocks(self) -> list[int]:
        """Return the blocks of the shard's slots; ValueError if they are not whole blocks."""
        for first, last in self.ranges:
            if first % BLOCK_SLOTS or (last + 1) % BLOCK_SLOTS:
                raise ValueError(
                    f"slots {first}-{last} of {self.primary} are not whole blocks of {BLOCK_SLOTS} slots; gridproof "
                    "moves whole blocks only, so another program has moved slots; start a new cluster"
                )
        edges = [(first // BLOCK_SLOTS, (last + 1) // BLOCK_SLOTS) for first, last in self.ranges]
        return [block for first, end in edges for block in range(first, end)]


@dataclass(frozen=True, slots=True)
class Topology:
    """The nodes that one node knows, including itself."""

    nodes: tuple[Node, ...]

    @property
    def me(self) -> str:
        """The node that was asked."""
        return next(node.id for node in self.nodes if "myself" in node.flags)

    @property
    def members(self) -> list[str]:
        """The ids of the nodes that count as members."""
        return [node.id for node in self.nodes if node.counts]

    @property
    def shards(self) -> list[Shard]:
        """The shards, by the ids of their primaries; equal at two nodes whose tables are equal."""
        by_id = sorted(self.nodes, key=lambda node: node.id)
        replicas = {
            primary.id: tuple(node.id for node in by_id if node.primary == primary.id and node.counts)
            for primary in by_id
        }
        return [Shard(one.id, one.epoch, one.ranges, replicas[one.id]) for one in by_id if one.ranges]

    def shards_by_block(self) -> list[Shard | None]:
        """Return the shard that serves each block of slots, by block number; None if no shard does."""
        shards = {block: shard for shard in self.shards for block in shard.blocks()}
        return [shards.get(block) for block in range(BLOCKS)]

    def empty_primaries(self) -> list[Node]:
        """Return the new nodes: nodes that count as members, own no slot and copy no other node."""
        return [node for node in self.nodes if node.counts and "master" in node.flags and not node.ranges]

    def why_doubtful(self) -> str | None:
        """Return which node is suspected or new; None if there is none."""
        doubtful = next((node for node in self.nodes if not node.flags.isdisjoint({"fail?", "handshake"})), None)
        return None if doubtful is None else f"{doubtful.id} is {', '.join(sorted(doubtful.flags))}"


def read_topology(text: str) -> Topology:
    """Return the answer of CLUSTER NODES, parsed.

    The library's own reader identifies nodes by address, which is not unique: of two nodes without an address, it keeps
    only the last.
    """
    return Topology(tuple(_node(line) for line in text.splitlines()))


def address_of(text: str) -> Address:
    """Return the host and port of `host:port`, without the parts that CLUSTER NODES adds."""
    host, _, port = text.partition("@")[0].partition(",")[0].rpartition(":")
    return host, int(port)


def _node(line: str) -> Node:
    name, place, flags, primary, _, _, epoch, _, *ranges = line.split(" ")
    edges = [one.partition("-") for one in ranges if not one.startswith("[")]
    owned = tuple((int(first), int(last or first)) for first, _, last in edges)
    return Node(name, address_of(place), frozenset(flags.split(",")), primary, int(epoch), owned)
