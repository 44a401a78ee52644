import io.atomix.cluster.Node;
import io.atomix.cluster.discovery.BootstrapDiscoveryProvider;
import io.atomix.cluster.protocol.SwimMembershipProtocol;
import io.atomix.core.Atomix;
import io.atomix.primitive.Consistency;
import io.atomix.primitive.Recovery;
import io.atomix.primitive.Replication;
import io.atomix.primitive.partition.ManagedPartitionGroup;
import io.atomix.protocols.backup.MultiPrimaryProtocol;
import io.atomix.protocols.backup.partition.PrimaryBackupPartitionGroup;
import io.atomix.protocols.raft.partition.RaftPartitionGroup;
import io.atomix.utils.net.Address;
import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The configuration of an Atomix node that listens on one address of this machine, and of the protocol of its map. */
final class AtomixSettings {
    static final String GROUP = "data";
    private static final String SYSTEM = "system";

    private AtomixSettings() {}

    static Atomix ofNode(Map<String, Object> q, int partitions) {
        String host = Agent.text(q, "host"), me = host + ":" + Agent.number(q, "port");
        List<String> names = Agent.texts(q, "seeds");
        names.add(me);
        List<Node> nodes = names.stream()
                .map(one -> (Node) Node.builder().withId(one).withAddress(Address.from(one)).build()).toList();
        return Atomix.builder().withMemberId(me).withAddress(host, Agent.number(q, "port")).withMessagingInterface(host)
                .withMulticastEnabled(false).withShutdownHook(false)
                .withMembershipProvider(BootstrapDiscoveryProvider.builder().withNodes(nodes).build())
                .withMembershipProtocol(SwimMembershipProtocol.builder().withProbeInterval(Duration.ofMillis(500))
                        .withGossipInterval(Duration.ofMillis(100)).withFailureTimeout(Duration.ofSeconds(3)).build())
                .withManagementGroup(management(names, Agent.text(q, "name")))
                .withPartitionGroups(PrimaryBackupPartitionGroup.builder(GROUP).withNumPartitions(partitions).build())
                .build();
    }

    static MultiPrimaryProtocol ofMap(int backups, boolean waits) {
        return MultiPrimaryProtocol.builder(GROUP).withBackups(backups).withMaxRetries(0)
                .withConsistency(Consistency.LINEARIZABLE).withRecovery(Recovery.RECOVER)
                .withReplication(waits ? Replication.SYNCHRONOUS : Replication.ASYNCHRONOUS).build();
    }

    /** The management group: the usual one of the data grid, or the stronger one (Raft) that its documents name. */
    private static ManagedPartitionGroup management(List<String> names, String name) {
        if (Boolean.getBoolean("gridproof.raft")) {
            return RaftPartitionGroup.builder(SYSTEM).withNumPartitions(1).withMembers(names.toArray(String[]::new))
                    .withDataDirectory(new File(System.getenv("GRIDPROOF_FOLDER"), name)).build();
        }
        return PrimaryBackupPartitionGroup.builder(SYSTEM).withNumPartitions(1).build();
    }
}
