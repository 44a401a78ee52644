import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.ignite.IgniteCheckedException;
import org.apache.ignite.cluster.ClusterNode;
import org.apache.ignite.internal.processors.affinity.AffinityTopologyVersion;
import org.apache.ignite.internal.processors.cache.GridCacheContext;
import org.apache.ignite.internal.processors.cache.distributed.dht.topology.GridDhtLocalPartition;
import org.apache.ignite.internal.processors.cache.distributed.dht.topology.GridDhtPartitionState;
import org.apache.ignite.internal.processors.cache.persistence.CacheDataRow;
import org.apache.ignite.internal.util.lang.GridCursor;

/** The assignment of an Ignite node and its copies, read from its own memory. */
final class IgniteMemory {
    private static final int MINOR_VERSIONS = 1_000;
    private final GridCacheContext<?, ?> inside;

    IgniteMemory(GridCacheContext<?, ?> inside) {
        this.inside = inside;
    }

    static List<String> ids(Collection<ClusterNode> nodes) {
        return nodes.stream().map(node -> node.id().toString()).toList();
    }

    /** A row's version combines the topology's version with the number of changes since a node came or went. */
    MapAgent.Row row(int partition) {
        AffinityTopologyVersion version = inside.affinity().affinityTopologyVersion();
        return new MapAgent.Row(ids(inside.affinity().assignments(version).get(partition)),
                version.topologyVersion() * MINOR_VERSIONS + version.minorTopologyVersion());
    }

    /** What the node waits for in this version of the topology; null at rest. */
    String why(long topologyVersion) {
        long assigned = inside.affinity().affinityTopologyVersion().topologyVersion();
        if (assigned < topologyVersion || inside.topology().hasMovingPartitions()) {
            return "the assignment of topology " + topologyVersion + " is not complete";
        }
        return inside.topology().localPartitions().stream()
                .filter(one -> one.state() != GridDhtPartitionState.OWNING).findAny()
                .map(one -> "partition " + one.id() + " is " + one.state()).orElse(null);
    }

    /** The entries of a copy; null if there is no copy. */
    Map<?, ?> entries(int partition) throws IgniteCheckedException {
        GridDhtLocalPartition held = inside.topology().localPartition(partition);
        if (held == null || held.state() == GridDhtPartitionState.EVICTED) {
            return null;
        }
        Map<Object, Object> entries = new HashMap<>();
        GridCursor<? extends CacheDataRow> rows = held.dataStore().cursor(inside.cacheId());
        while (rows.next()) {
            CacheDataRow row = rows.get();
            entries.put(row.key().value(inside.cacheObjectContext(), false),
                    row.value().value(inside.cacheObjectContext(), false));
        }
        return entries;
    }

    /** Each copy counts its updates; a copy that is still being filled has no count of its own. */
    List<Long> updates(int partition) {
        GridDhtLocalPartition held = inside.topology().localPartition(partition);
        return held != null && held.state() == GridDhtPartitionState.OWNING && held.updateCounter() > 0
                ? List.of(held.updateCounter()) : List.of();
    }
}
