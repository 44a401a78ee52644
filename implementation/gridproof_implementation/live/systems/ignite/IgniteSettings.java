import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.ignite.ShutdownPolicy;
import org.apache.ignite.cache.CacheWriteSynchronizationMode;
import org.apache.ignite.cache.affinity.rendezvous.ClusterNodeAttributeAffinityBackupFilter;
import org.apache.ignite.cache.affinity.rendezvous.RendezvousAffinityFunction;
import org.apache.ignite.configuration.CacheConfiguration;
import org.apache.ignite.configuration.DataRegionConfiguration;
import org.apache.ignite.configuration.DataStorageConfiguration;
import org.apache.ignite.configuration.IgniteConfiguration;
import org.apache.ignite.spi.communication.tcp.TcpCommunicationSpi;
import org.apache.ignite.spi.discovery.tcp.TcpDiscoverySpi;
import org.apache.ignite.spi.discovery.tcp.ipfinder.vm.TcpDiscoveryVmIpFinder;

/** The configuration of a small Ignite node that listens on one address of this machine, and of its cache. */
final class IgniteSettings {
    private static final String GROUP = "group";
    private static final int POOL = 2, DETECTION_MS = 2_000;

    private IgniteSettings() {}

    static IgniteConfiguration ofNode(Map<String, Object> q) throws IOException {
        String host = Agent.text(q, "host"), name = Agent.text(q, "name"), group = Agent.text(q, "group");
        List<String> known = Agent.texts(q, "seeds");
        known.add(host + ":" + Agent.number(q, "port"));
        DataRegionConfiguration region = new DataRegionConfiguration().setInitialSize(16L << 20).setMaxSize(128L << 20);
        return new IgniteConfiguration()
                .setIgniteInstanceName(name).setConsistentId(name).setLocalHost(host)
                .setWorkDirectory(Path.of(System.getenv("GRIDPROOF_FOLDER"), name).toString())
                .setDiscoverySpi(new TcpDiscoverySpi().setLocalPort(Agent.number(q, "port")).setLocalPortRange(0)
                        .setIpFinder(new TcpDiscoveryVmIpFinder().setAddresses(known)))
                .setCommunicationSpi(new TcpCommunicationSpi().setLocalPort(freePort()).setLocalPortRange(0))
                .setConnectorConfiguration(null).setClientConnectorConfiguration(null).setMetricsLogFrequency(0)
                .setPublicThreadPoolSize(POOL).setSystemThreadPoolSize(2 * POOL).setStripedPoolSize(2 * POOL)
                .setManagementThreadPoolSize(POOL).setQueryThreadPoolSize(POOL).setServiceThreadPoolSize(POOL)
                .setDataStreamerThreadPoolSize(POOL).setPeerClassLoadingThreadPoolSize(POOL)
                .setFailureDetectionTimeout(DETECTION_MS)
                .setShutdownPolicy(Agent.number(q, "backups") > 0 ? ShutdownPolicy.GRACEFUL : ShutdownPolicy.IMMEDIATE)
                .setUserAttributes(group == null ? null : Map.of(GROUP, group))
                .setDataStorageConfiguration(new DataStorageConfiguration().setDefaultDataRegionConfiguration(region));
    }

    static CacheConfiguration<String, String> ofCache(Map<String, Object> q, String cache, boolean waits) {
        RendezvousAffinityFunction affinity = new RendezvousAffinityFunction(false, Agent.number(q, "partitions"));
        if (Agent.text(q, "group") != null) {
            affinity.setAffinityBackupFilter(new ClusterNodeAttributeAffinityBackupFilter(GROUP));
        }
        return new CacheConfiguration<String, String>(cache).setBackups(Agent.number(q, "backups")).setAffinity(affinity)
                .setWriteSynchronizationMode(waits
                        ? CacheWriteSynchronizationMode.FULL_SYNC : CacheWriteSynchronizationMode.PRIMARY_SYNC);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
