import static java.util.concurrent.TimeUnit.SECONDS;

import io.atomix.cluster.Member;
import io.atomix.cluster.Node;
import io.atomix.cluster.discovery.BootstrapDiscoveryProvider;
import io.atomix.cluster.protocol.SwimMembershipProtocol;
import io.atomix.core.Atomix;
import io.atomix.core.map.AtomicMap;
import io.atomix.primitive.Consistency;
import io.atomix.primitive.Recovery;
import io.atomix.primitive.Replication;
import io.atomix.primitive.partition.ManagedPartitionGroup;
import io.atomix.primitive.partition.PartitionId;
import io.atomix.primitive.partition.Partitioner;
import io.atomix.primitive.partition.PrimaryElection;
import io.atomix.primitive.partition.PrimaryTerm;
import io.atomix.protocols.backup.MultiPrimaryProtocol;
import io.atomix.protocols.backup.partition.PrimaryBackupPartitionGroup;
import io.atomix.protocols.raft.partition.RaftPartitionGroup;
import io.atomix.utils.net.Address;
import io.atomix.utils.serializer.Namespaces;
import io.atomix.utils.serializer.Serializer;
import java.io.File;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/** One Atomix node: its map through the public interface, its terms and copies out of its own memory. */
public final class AtomixAgent extends Agent {
    private static final String MAP = "gridproof", GROUP = "data", SYSTEM = "system";
    private static final int PARTITIONS = 31, UNKNOWN = -2;
    private static final long HEARTBEAT_NS = 1_500_000_000L;
    private static final Serializer CODEC = Serializer.using(Namespaces.BASIC);
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private Atomix atomix;
    private AtomicMap<String, String> map;
    private PrimaryBackupPartitionGroup group;
    private int backups;
    private boolean waits;
    private volatile long changedAt;

    public static void main(String[] arguments) {
        new AtomixAgent().run();
    }

    private void run() {
        verbs.put("start", this::start);
        verbs.put("table", q -> table());
        verbs.put("settled", q -> fields("member", me(), "why", why(), "members", members()));
        verbs.put("partition", q -> fields("partition", partition(q)));
        verbs.put("put", q -> written(q, () -> map.put(text(q, "key"), text(q, "value"))));
        verbs.put("remove", q -> written(q, () -> map.remove(text(q, "key"))));
        verbs.put("get", q -> {
            var found = map.get(text(q, "key"));
            return ok("value", found == null ? null : found.value());
        });
        verbs.put("replicas", this::replicas);
        verbs.put("leave", q -> done(() -> atomix.stop().join(), fields("done", true)));
        hello.putAll(fields("founders", 3, "fixed", true, "partitions", PARTITIONS));
        serve("atomix", System.getProperty("gridproof.version"));
    }

    private Map<String, Object> start(Map<String, Object> q) {
        backups = number(q, "backups");
        waits = number(q, "async_backups") == 0;
        String host = text(q, "host"), me = host + ":" + number(q, "port");
        List<String> nodes = texts(q, "seeds");
        nodes.add(me);
        atomix = Atomix.builder().withMemberId(me).withAddress(host, number(q, "port")).withMessagingInterface(host)
                .withMulticastEnabled(false).withShutdownHook(false)
                .withMembershipProvider(BootstrapDiscoveryProvider.builder().withNodes(nodes.stream()
                        .map(one -> (Node) Node.builder().withId(one).withAddress(Address.from(one)).build()).toList()).build())
                .withMembershipProtocol(SwimMembershipProtocol.builder().withProbeInterval(Duration.ofMillis(500))
                        .withGossipInterval(Duration.ofMillis(100)).withFailureTimeout(Duration.ofSeconds(3)).build())
                .withManagementGroup(management(nodes, text(q, "name")))
                .withPartitionGroups(PrimaryBackupPartitionGroup.builder(GROUP).withNumPartitions(PARTITIONS).build())
                .build();
        atomix.start().join();
        group = (PrimaryBackupPartitionGroup) atomix.getPartitionService().getPartitionGroup(GROUP);
        map = atomix.<String, String>atomicMapBuilder(MAP).withSerializer(CODEC)
                .withProtocol(MultiPrimaryProtocol.builder(GROUP).withBackups(backups).withMaxRetries(0)
                        .withConsistency(Consistency.LINEARIZABLE).withRecovery(Recovery.RECOVER)
                        .withReplication(waits ? Replication.SYNCHRONOUS : Replication.ASYNCHRONOUS).build())
                .build();
        return fields("member", me(), "address", me);
    }

    /** The data grid's own, or the stronger one that its documents name. */
    private static ManagedPartitionGroup management(List<String> nodes, String name) {
        if (Boolean.getBoolean("gridproof.raft")) {
            return RaftPartitionGroup.builder(SYSTEM).withNumPartitions(1).withMembers(nodes.toArray(String[]::new))
                    .withDataDirectory(new File(System.getenv("GRIDPROOF_FOLDER"), name)).build();
        }
        return PrimaryBackupPartitionGroup.builder(SYSTEM).withNumPartitions(1).build();
    }

    private String me() {
        return (String) atomix.getMembershipService().getLocalMember().id().id();
    }

    private List<String> members() {
        return atomix.getMembershipService().getMembers().stream().filter(Member::isReachable)
                .map(one -> (String) one.id().id()).sorted().toList();
    }

    private PartitionId id(int partition) {
        return group.getPartitionIds().get(partition);
    }

    private int partition(Map<String, Object> q) {
        String coded = HEX.formatHex(CODEC.encode(text(q, "key")));
        return group.getPartitionIds().indexOf(Partitioner.MURMUR3.partition(coded, group.getPartitionIds()));
    }

    private PrimaryTerm term(int partition) throws Exception {
        PrimaryElection election = (PrimaryElection) inside(group.getPartition(id(partition)), "election");
        return election.getTerm().get(2, SECONDS);
    }

    private List<String> row(int partition) throws Exception {
        return row(term(partition));
    }

    /** The primary, and behind it the backups as the documentation means them: the primary is none of them. */
    private List<String> row(PrimaryTerm term) {
        List<String> row = new ArrayList<>();
        if (term.primary() != null) {
            row.add((String) term.primary().memberId().id());
            term.backups(backups).forEach(one -> row.add((String) one.memberId().id()));
        }
        return row;
    }

    private Map<String, Object> table() throws Exception {
        List<Object> rows = new ArrayList<>(), terms = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            PrimaryTerm term;
            try {
                term = term(partition);
            } catch (TimeoutException silent) {
                return fields("member", me(), "rows", null, "why", "no election answers");
            }
            rows.add(row(term));
            terms.add(term.term());
        }
        return fields("member", me(), "rows", rows, "versions", terms, "members", members());
    }

    /** An election that does not answer is no rest, and a backup hears with the next heartbeat what is committed. */
    private String why() {
        if (System.nanoTime() - changedAt < HEARTBEAT_NS) {
            return "the heartbeat after the last change may not have come";
        }
        List<String> members = members();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            try {
                List<String> row = row(partition);
                if (row.isEmpty() || !members.containsAll(row)) {
                    return "partition " + partition + " has " + row;
                }
            } catch (Exception silent) {
                return "nobody says who has partition " + partition;
            }
        }
        return null;
    }

    /** What a change throws says nothing of what was done: the fleet takes it for unknown. */
    private Map<String, Object> written(Map<String, Object> q, Runnable change) throws Exception {
        int copies = waits ? row(partition(q)).size() : 1;
        try {
            return done(change, ok("confirmed", copies));
        } finally {
            changedAt = System.nanoTime();
        }
    }

    private Map<String, Object> replicas(Map<String, Object> q) throws Exception {
        List<Object> copies = new ArrayList<>(), unknown = new ArrayList<>();
        for (int partition : numbers(q, "partitions", PARTITIONS)) {
            Map<String, Object> entries = entries(partition);
            int slot;
            try {
                slot = unknown.isEmpty() ? row(partition).indexOf(me()) : UNKNOWN;
            } catch (TimeoutException silent) {
                slot = UNKNOWN; // and no further one is asked for: each would take as long
            }
            if (slot == UNKNOWN) {
                unknown.add(partition);
                continue;
            }
            if (slot >= 0 || !entries.isEmpty()) {
                String role = slot < 0 ? "left over" : slot == 0 ? "primary" : "backup";
                copies.add(fields("partition", partition, "role", role, "entries", entries));
            }
        }
        return fields("copies", copies, "unknown", unknown);
    }

    private Map<String, Object> entries(int partition) throws Exception {
        Map<String, Object> entries = new HashMap<>();
        Object server = inside(group.getPartition(id(partition)), "server");
        Object context = server == null ? null : inside(inside(server, "server"), "context");
        var opened = context == null ? null : (CompletableFuture<?>) ((Map<?, ?>) inside(context, "services")).get(MAP);
        if (opened == null) {
            return entries;
        }
        Object held = inside(inside(opened.get(2, SECONDS), "service"), "map");
        for (Map.Entry<?, ?> entry : held == null ? Map.<Object, Object>of().entrySet() : ((Map<?, ?>) held).entrySet()) {
            byte[] value = (byte[]) inside(entry.getValue(), "value");
            if (value != null) {
                entries.put(CODEC.decode(HEX.parseHex((String) entry.getKey())), CODEC.decode(value));
            }
        }
        return entries;
    }

    /** The value of a field that is nobody's business. */
    private static Object inside(Object owner, String name) throws Exception {
        for (Class<?> type = owner.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field.get(owner);
                }
            }
        }
        throw new NoSuchFieldException(owner.getClass().getSimpleName() + "." + name);
    }
}
