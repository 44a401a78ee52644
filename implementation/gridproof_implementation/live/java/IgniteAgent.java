import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.ignite.Ignite;
import org.apache.ignite.IgniteCache;
import org.apache.ignite.Ignition;
import org.apache.ignite.ShutdownPolicy;
import org.apache.ignite.cache.CacheWriteSynchronizationMode;
import org.apache.ignite.cache.affinity.rendezvous.ClusterNodeAttributeAffinityBackupFilter;
import org.apache.ignite.cache.affinity.rendezvous.RendezvousAffinityFunction;
import org.apache.ignite.cluster.ClusterNode;
import org.apache.ignite.configuration.CacheConfiguration;
import org.apache.ignite.configuration.DataRegionConfiguration;
import org.apache.ignite.configuration.DataStorageConfiguration;
import org.apache.ignite.configuration.IgniteConfiguration;
import org.apache.ignite.internal.IgniteKernal;
import org.apache.ignite.internal.IgniteVersionUtils;
import org.apache.ignite.internal.processors.affinity.AffinityTopologyVersion;
import org.apache.ignite.internal.processors.cache.GridCacheContext;
import org.apache.ignite.internal.processors.cache.distributed.dht.topology.GridDhtLocalPartition;
import org.apache.ignite.internal.processors.cache.distributed.dht.topology.GridDhtPartitionState;
import org.apache.ignite.internal.processors.cache.persistence.CacheDataRow;
import org.apache.ignite.spi.communication.tcp.TcpCommunicationSpi;
import org.apache.ignite.spi.discovery.tcp.TcpDiscoverySpi;
import org.apache.ignite.spi.discovery.tcp.ipfinder.vm.TcpDiscoveryVmIpFinder;

/** One Ignite node: its cache through the public interface, its assignment and copies out of its own memory. */
public final class IgniteAgent extends Agent {
    private static final String CACHE = "gridproof", GROUP = "group";
    private static final int MINOR_VERSIONS = 1_000, POOL = 2, DETECTION_MS = 2_000;
    private Ignite ignite;
    private IgniteCache<String, String> cache;
    private GridCacheContext<?, ?> inside;
    private boolean waits;

    public static void main(String[] arguments) {
        new IgniteAgent().run();
    }

    private void run() {
        verbs.put("start", this::start);
        verbs.put("table", q -> table(ready()));
        verbs.put("settled", q -> fields("member", me(), "why", why(), "stamp", stamp(ready()),
                "members", members()));
        verbs.put("partition", q -> fields("partition", partition(q), "owner", row(ready(), partition(q)).get(0)));
        verbs.put("put", q -> written(q, () -> cache.put(text(q, "key"), text(q, "value"))));
        verbs.put("remove", q -> written(q, () -> cache.remove(text(q, "key"))));
        verbs.put("put_many", q -> done(() -> cache.putAll(new TreeMap<>(entries(q))), ok()));
        verbs.put("get", q -> ok("value", cache.get(text(q, "key"))));
        verbs.put("replicas", this::replicas);
        verbs.put("versions", this::versions);
        verbs.put("leave", q -> done(() -> Ignition.stop(ignite.name(), false), fields("done", true)));
        operations(IgniteOperations.KINDS, new IgniteOperations(() -> cache)::operate);
        serve("ignite", IgniteVersionUtils.VER_STR, "groups");
    }

    private Map<String, Object> start(Map<String, Object> q) throws Exception {
        String address = text(q, "host") + ":" + number(q, "port"), group = text(q, "group");
        List<String> known = texts(q, "seeds");
        known.add(address);
        int backups = number(q, "backups");
        waits = number(q, "async_backups") == 0;
        DataRegionConfiguration region = new DataRegionConfiguration().setInitialSize(16L << 20).setMaxSize(128L << 20);
        IgniteConfiguration config = new IgniteConfiguration()
                .setIgniteInstanceName(text(q, "name")).setConsistentId(text(q, "name")).setLocalHost(text(q, "host"))
                .setWorkDirectory(Path.of(System.getenv("GRIDPROOF_FOLDER"), text(q, "name")).toString())
                .setDiscoverySpi(new TcpDiscoverySpi().setLocalPort(number(q, "port")).setLocalPortRange(0)
                        .setIpFinder(new TcpDiscoveryVmIpFinder().setAddresses(known)))
                .setCommunicationSpi(new TcpCommunicationSpi().setLocalPort(freePort()).setLocalPortRange(0))
                .setConnectorConfiguration(null).setClientConnectorConfiguration(null).setMetricsLogFrequency(0)
                .setPublicThreadPoolSize(POOL).setSystemThreadPoolSize(2 * POOL).setStripedPoolSize(2 * POOL)
                .setManagementThreadPoolSize(POOL).setQueryThreadPoolSize(POOL).setServiceThreadPoolSize(POOL)
                .setDataStreamerThreadPoolSize(POOL).setPeerClassLoadingThreadPoolSize(POOL)
                .setFailureDetectionTimeout(DETECTION_MS)
                .setShutdownPolicy(backups > 0 ? ShutdownPolicy.GRACEFUL : ShutdownPolicy.IMMEDIATE)
                .setDataStorageConfiguration(new DataStorageConfiguration().setDefaultDataRegionConfiguration(region));
        RendezvousAffinityFunction affinity = new RendezvousAffinityFunction(false, number(q, "partitions"));
        if (group != null) {
            config.setUserAttributes(Map.of(GROUP, group));
            affinity.setAffinityBackupFilter(new ClusterNodeAttributeAffinityBackupFilter(GROUP));
        }
        ignite = Ignition.start(config);
        cache = ignite.getOrCreateCache(new CacheConfiguration<String, String>(CACHE).setBackups(backups)
                .setAffinity(affinity).setWriteSynchronizationMode(waits
                        ? CacheWriteSynchronizationMode.FULL_SYNC : CacheWriteSynchronizationMode.PRIMARY_SYNC));
        inside = ((IgniteKernal) ignite).internalCache(CACHE).context();
        return fields("member", me(), "address", address, "group", group);
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private String me() {
        return ignite.cluster().localNode().id().toString();
    }

    private AffinityTopologyVersion ready() {
        return inside.affinity().affinityTopologyVersion();
    }

    private int partition(Map<String, Object> q) {
        return ignite.<String>affinity(CACHE).partition(text(q, "key"));
    }

    private List<String> row(AffinityTopologyVersion version, int partition) {
        return ids(inside.affinity().assignments(version).get(partition));
    }

    private static List<String> ids(Collection<ClusterNode> nodes) {
        return nodes.stream().map(node -> node.id().toString()).toList();
    }

    /** All rows are of one version: that of the topology, and the number of changes since a node came or went. */
    private Map<String, Object> table(AffinityTopologyVersion version) {
        List<List<String>> rows = inside.affinity().assignments(version).stream().map(IgniteAgent::ids).toList();
        List<Long> versions = Collections.nCopies(rows.size(), number(version));
        return fields("member", me(), "rows", rows, "versions", versions, "members", members());
    }

    private static long number(AffinityTopologyVersion version) {
        return version.topologyVersion() * MINOR_VERSIONS + version.minorTopologyVersion();
    }

    private List<String> members() {
        return ids(ignite.cluster().forServers().nodes());
    }

    private String stamp(AffinityTopologyVersion version) {
        return version + " " + inside.affinity().assignments(version).stream().map(IgniteAgent::ids).toList().hashCode();
    }

    private String why() {
        if (ready().topologyVersion() < ignite.cluster().topologyVersion() || inside.topology().hasMovingPartitions()) {
            return "the assignment of topology " + ignite.cluster().topologyVersion() + " is not complete";
        }
        return inside.topology().localPartitions().stream()
                .filter(one -> one.state() != GridDhtPartitionState.OWNING).findAny()
                .map(one -> "partition " + one.id() + " is " + one.state()).orElse(null);
    }

    /**
     * What a change throws says nothing of what was done: the fleet takes it for unknown. One that returns is on as many
     * nodes as the row has then; where it had fewer before, on those.
     */
    private Map<String, Object> written(Map<String, Object> q, Runnable change) {
        int before = row(ready(), partition(q)).size();
        change.run();
        return ok("confirmed", waits ? Math.min(before, row(ready(), partition(q)).size()) : 1);
    }

    private Map<String, Object> replicas(Map<String, Object> q) throws Exception {
        AffinityTopologyVersion version = ready();
        List<Object> copies = new ArrayList<>();
        for (int number : numbers(q, "partitions", inside.affinity().partitions())) {
            GridDhtLocalPartition held = inside.topology().localPartition(number);
            if (held != null && held.state() != GridDhtPartitionState.EVICTED) {
                Map<String, Object> entries = new HashMap<>();
                for (CacheDataRow row : inside.offheap().cachePartitionIterator(inside.cacheId(), number, null)) {
                    entries.put(row.key().value(inside.cacheObjectContext(), false),
                            row.value().value(inside.cacheObjectContext(), false));
                }
                int slot = row(version, number).indexOf(me());
                String role = slot < 0 ? "left over" : slot == 0 ? "primary" : "backup";
                copies.add(fields("partition", number, "role", role, "version", held.updateCounter(), "entries", entries));
            }
        }
        return fields("copies", copies);
    }

    /** Each copy counts its updates, and one that is still filled knows nothing of its own. */
    private Map<String, Object> versions(Map<String, Object> q) {
        AffinityTopologyVersion version = ready();
        List<Object> copies = new ArrayList<>();
        for (int number : numbers(q, "partitions", 0)) {
            GridDhtLocalPartition held = inside.topology().localPartition(number);
            int slot = row(version, number).indexOf(me());
            if (held != null && slot >= 0 && held.state() == GridDhtPartitionState.OWNING && held.updateCounter() > 0) {
                List<Long> counted = List.of(held.updateCounter());
                if (version.equals(ready())) {
                    copies.add(fields("partition", number, "index", slot, "row", number(version), "versions", counted));
                }
            }
        }
        return fields("copies", copies);
    }
}
