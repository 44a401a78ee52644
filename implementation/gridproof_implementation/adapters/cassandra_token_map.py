"""The token map of cassandra-driver: which hosts have a key.

Source: `cassandra.metadata`. The driver itself computes the replicas of every token, by the rule of the server's
NetworkTopologyStrategy: distinct hosts, and distinct racks as long as there are unused racks. No server is needed: the
adapter fills the token map with the tokens that a ring of these hosts would have. A zone is a rack; all racks are in
one data centre.
"""

from collections.abc import Sequence

from gridproof_implementation.adapter import Adapter, Kind, Node
from gridproof_implementation.installed import InstalledPlacer, lacks, opens
from gridproof_implementation.promise import promised

_TOKENS = 256
"""The number of tokens of a host of weight 1."""
_KEYSPACE = "audited"
_DATA_CENTRE = "dc1"


class CassandraTokenMap(InstalledPlacer):
    """A placer that puts a key on the hosts that the driver's `Metadata.get_replicas` returns."""

    separates_zones = True

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
        """Build the token map of these hosts and look each key up."""
        from cassandra.metadata import KeyspaceMetadata, Metadata, Murmur3Token
        from cassandra.policies import SimpleConvictionPolicy
        from cassandra.pool import Host

        metadata = Metadata()
        tokens = {}
        for node in nodes:
            host = Host(node.name, SimpleConvictionPolicy, datacenter=_DATA_CENTRE, rack=node.zone)
            points = range(round(_TOKENS * node.weight))
            tokens[host] = [str(Murmur3Token.hash_fn(f"{node.name}-{point}".encode())) for point in points]
        metadata.rebuild_token_map("org.apache.cassandra.dht.Murmur3Partitioner", tokens)
        replication = {_DATA_CENTRE: str(self.copies)}
        metadata.keyspaces = {_KEYSPACE: KeyspaceMetadata(_KEYSPACE, True, "NetworkTopologyStrategy", replication)}
        return [[host.address for host in metadata.get_replicas(_KEYSPACE, key.encode())] for key in keys]


open_cassandra_token_map = opens("cassandra-driver", CassandraTokenMap)
_HOSTS = "cassandra-driver, TokenMap.get_replicas: it returns the set of all hosts with a replica"
_RACKS = "cassandra-driver PYTHON-378: NetworkTopologyStrategy uses different racks, as long as there are racks left"

ADAPTER = Adapter(
    name="cassandra-token-map",
    summary="the token map of cassandra-driver: NetworkTopologyStrategy, zones as racks",
    kind=Kind.PLACER,
    open=open_cassandra_token_map,
    promises={
        "one-replica-per-member": promised(_HOSTS, 1),
        "full-rows": promised(_HOSTS),
        "group-separation": promised(_RACKS, 1, 2),
    },
    requires="systems",
    missing=lacks("cassandra-driver"),
)
