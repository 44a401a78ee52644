import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.hazelcast.cluster.ClusterState;
import com.hazelcast.config.Config;
import com.hazelcast.config.ListConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.config.PartitionGroupConfig.MemberGroupType;
import com.hazelcast.config.QueueConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.BuildInfoProvider;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.partition.InternalPartition;
import com.hazelcast.internal.partition.impl.InternalPartitionServiceImpl;
import com.hazelcast.internal.partition.impl.PartitionReplicaManager;
import com.hazelcast.internal.services.ObjectNamespace;
import com.hazelcast.map.IMap;
import com.hazelcast.map.impl.MapService;
import com.hazelcast.map.impl.MapServiceContext;
import com.hazelcast.map.impl.recordstore.RecordStore;
import com.hazelcast.spi.impl.PartitionSpecificRunnable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** One Hazelcast member: its map through the public interface, its table and copies out of its own memory. */
public final class HazelcastAgent extends Agent {
    private static final String MAP = "gridproof";
    private final HazelcastGate gate = new HazelcastGate();
    private HazelcastInstance hz;
    private Jobs jobs;
    private Node node;
    private InternalPartitionServiceImpl table;
    private IMap<String, String> map;
    private int backups, syncBackups;

    public static void main(String[] arguments) throws Exception {
        new HazelcastAgent().run();
    }

    private void run() throws Exception {
        verbs.put("start", this::start);
        verbs.put("table", q -> table());
        verbs.put("settled", q -> fields("member", me(), "why", why(), "stamp", table.getPartitionStateStamp(),
                "members", members()));
        verbs.put("partition", q -> fields(
                "partition", partitionOf(q).getPartitionId(), "owner", row(partitionOf(q)).get(0)));
        verbs.put("put", q -> written(q, () -> map.set(text(q, "key"), text(q, "value"))));
        verbs.put("remove", q -> written(q, () -> map.delete(text(q, "key"))));
        verbs.put("put_many", q -> done(() -> map.putAll(entries(q)), ok()));
        verbs.put("get", q -> ok("value", map.get(text(q, "key"))));
        verbs.put("replicas", q -> onPartitions(q, this::addCopy));
        verbs.put("versions", q -> onPartitions(q, this::addVersions));
        verbs.put("leave", q -> done(() -> hz.shutdown(), fields("done", true)));
        verbs.put("state", q -> q.get("state") == null ? fields("state", hz.getCluster().getClusterState().name())
                : done(() -> change(text(q, "state")), fields("done", true)));
        verbs.put("promote", q -> done(() -> hz.getCluster().promoteLocalLiteMember(), fields("done", true)));
        verbs.put("completed", q -> fields("completed", table.createPartitionStateInternal().getCompletedMigrations()
                .stream().map(one -> List.of(one.getPartitionId(), one.getStatus().name())).toList()));
        operations(HazelcastOperations.KINDS, new HazelcastOperations(() -> hz, () -> map)::operate);
        gate.offer(verbs, hello);
        new TypedKeys(() -> hz).offer(verbs);
        String version = BuildInfoProvider.getBuildInfo().getVersion();
        if (!version.startsWith("4.")) {
            jobs = jobs(() -> hz);
            jobs.offer(verbs);
        }
        serve("hazelcast", version, "lite", "groups");
    }

    /** Stream jobs, which are in the members since 5.0: before, their class does not compile. */
    interface Jobs {
        void configure(Config config);

        void offer(Map<String, Agent.Verb> verbs);
    }

    private static Jobs jobs(Supplier<HazelcastInstance> hz) throws ReflectiveOperationException {
        return (Jobs) Class.forName("HazelcastJobs").getDeclaredConstructor(Supplier.class).newInstance(hz);
    }

    private Map<String, Object> start(Map<String, Object> q) {
        backups = number(q, "backups");
        syncBackups = backups - number(q, "async_backups");
        Config config = new Config(text(q, "name")).setLiteMember(truth(q, "lite"));
        config.setProperty("hazelcast.partition.count", String.valueOf(number(q, "partitions")));
        config.addMapConfig(new MapConfig(MAP).setBackupCount(syncBackups).setAsyncBackupCount(backups - syncBackups)
                .setReadBackupData(Boolean.getBoolean("gridproof.reads.backups")));
        config.addListConfig(new ListConfig("*").setBackupCount(syncBackups).setAsyncBackupCount(backups - syncBackups));
        config.addQueueConfig(new QueueConfig("*").setBackupCount(syncBackups).setAsyncBackupCount(backups - syncBackups));
        if (jobs != null) {
            jobs.configure(config);
        }
        String group = text(q, "group");
        if (group != null) {
            config.getPartitionGroupConfig().setEnabled(true).setGroupType(MemberGroupType.ZONE_AWARE);
            config.getMemberAttributeConfig().setAttribute("hazelcast.partition.group.zone", group);
        }
        NetworkConfig network = config.getNetworkConfig().setPort(number(q, "port")).setPortAutoIncrement(false);
        network.getInterfaces().setEnabled(true).addInterface(text(q, "host"));
        network.getJoin().getAutoDetectionConfig().setEnabled(false);
        network.getJoin().getMulticastConfig().setEnabled(false);
        network.getJoin().getTcpIpConfig().setEnabled(true).setMembers(texts(q, "seeds"));
        hz = HazelcastInstanceFactory.newHazelcastInstance(config, config.getInstanceName(), gate);
        node = ((HazelcastInstanceProxy) hz).getOriginal().node;
        table = node.partitionService;
        map = hz.getMap(MAP);
        table.getPartitionOwner(0); // the first question makes the first arrangement
        String address = node.address.getHost() + ":" + node.address.getPort();
        return fields("member", me(), "address", address, "group", group);
    }

    private String me() {
        return node.getThisUuid().toString();
    }

    private List<String> members() {
        return hz.getCluster().getMembers().stream().map(one -> one.getUuid().toString()).toList();
    }

    private InternalPartition partitionOf(Map<String, Object> q) {
        return table.getPartition(hz.getPartitionService().getPartition(text(q, "key")).getPartitionId(), false);
    }

    /** A row and its version may change between the two looks: of each the version is the same before and behind. */
    private Map<String, Object> table() {
        List<Integer> versions = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        for (InternalPartition partition : table.getInternalPartitions()) {
            int version;
            List<String> row;
            do {
                version = partition.version();
                row = row(partition);
            } while (version != partition.version());
            versions.add(version);
            rows.add(row);
        }
        return fields("member", me(), "rows", rows, "versions", versions, "members", members());
    }

    /** The slots that the map uses. */
    private List<String> row(InternalPartition partition) {
        return Stream.of(partition.getReplicasCopy()).limit(1 + backups)
                .map(slot -> slot == null ? null : slot.uuid().toString()).toList();
    }

    private void change(String state) {
        hz.getCluster().changeClusterState(ClusterState.valueOf(state));
    }

    private String why() throws Exception {
        if (table.getMigrationQueueSize() > 0 || table.hasOnGoingMigrationLocal()) {
            return table.getMigrationQueueSize() + " migrations are queued, or one runs";
        }
        // It asks others, and waits 10 s for one that is dead.
        return CompletableFuture.supplyAsync(hz.getPartitionService()::isLocalMemberSafe)
                .completeOnTimeout(false, 500, MILLISECONDS).get() ? null : "by its own word it is not safe";
    }

    /** What a change throws says nothing of what was done: the fleet takes it for unknown. */
    private Map<String, Object> written(Map<String, Object> q, Runnable change) {
        Stream<String> row = row(partitionOf(q)).stream().limit(1 + syncBackups);
        return done(change, ok("confirmed", row.filter(Objects::nonNull).count()));
    }

    private Map<String, Object> onPartitions(Map<String, Object> q, BiConsumer<Integer, Queue<Object>> add)
            throws InterruptedException {
        List<Integer> asked = numbers(q, "partitions", table.getPartitionCount());
        Queue<Object> copies = new ConcurrentLinkedQueue<>();
        CountDownLatch left = new CountDownLatch(asked.size());
        for (int number : asked) {
            node.nodeEngine.getOperationService().execute(new PartitionSpecificRunnable() {
                public int getPartitionId() {
                    return number;
                }

                public void run() {
                    add.accept(number, copies);
                    left.countDown();
                }
            });
        }
        left.await();
        return fields("copies", copies);
    }

    private void addCopy(int number, Queue<Object> copies) {
        MapServiceContext maps = node.nodeEngine.<MapService>getService(MapService.SERVICE_NAME).getMapServiceContext();
        RecordStore<?> store = maps.getPartitionContainer(number).getExistingRecordStore(MAP);
        Map<Object, Object> entries = new HashMap<>();
        if (store != null) {
            Function<Object, Object> plain = node.nodeEngine::toObject;
            store.forEach((key, record) -> entries.put(plain.apply(key), plain.apply(record.getValue())), true, true);
        }
        int slot = row(table.getPartition(number, false)).indexOf(me());
        if (slot >= 0 || !entries.isEmpty()) {
            String role = slot < 0 ? "left over" : slot == 0 ? "primary" : "backup";
            copies.add(fields("partition", number, "role", role, "versions", versions(number), "entries", entries));
        }
    }

    private void addVersions(int number, Queue<Object> copies) {
        InternalPartition partition = table.getPartition(number, false);
        int row = partition.version(), slot = row(partition).indexOf(me());
        List<Long> versions = versions(number);
        if (slot >= 0 && !versions.isEmpty() && row == partition.version()) {
            copies.add(fields("partition", number, "index", slot, "row", row, "versions", versions));
        }
    }

    /** The replica versions of the map here, one for each backup slot; none where nothing was ever written. */
    private List<Long> versions(int partition) {
        PartitionReplicaManager all = table.getReplicaManager();
        return all.getNamespaces(partition).stream()
                .filter(space -> space instanceof ObjectNamespace named && named.getObjectName().equals(MAP))
                .flatMap(space -> Arrays.stream(all.getPartitionReplicaVersions(partition, space)).boxed()).toList();
    }
}
