import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.BuildInfoProvider;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import com.hazelcast.map.IMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** One Hazelcast member: its map is used through the public interface; table and copies are read from its memory. */
public final class HazelcastAgent extends MapAgent {
    static final String MAP = "gridproof";
    private final HazelcastGate gate = new HazelcastGate();
    private final Extra jobs = Extra.of("HazelcastJobs", () -> this.hz);
    private HazelcastInstance hz;
    private HazelcastMemory memory;
    private IMap<String, String> map;

    public static void main(String[] arguments) {
        new HazelcastAgent().run();
    }

    private void run() {
        verbs.put("put_many", q -> done(() -> map.putAll(entries(q)), ok()));
        offerVersions();
        operations(HazelcastOperations.KINDS, () -> hz, HazelcastOperations::operate);
        HazelcastAdministration.offer(verbs, () -> hz.getCluster(), () -> memory.table);
        Extra.of(System.getProperty("gridproof.extra", ""), () -> hz).offer(verbs); // verbs of callers' own sources
        gate.offer(verbs, hello);
        jobs.offer(verbs);
        serveMap("hazelcast", BuildInfoProvider.getBuildInfo().getVersion(), "lite", "groups");
    }

    @Override
    protected void start(Map<String, Object> q) {
        Config config = HazelcastSettings.of(q, MAP, syncBackups, backups - syncBackups);
        jobs.configure(config);
        hz = HazelcastInstanceFactory.newHazelcastInstance(config, config.getInstanceName(), gate);
        memory = new HazelcastMemory(hz, MAP);
        map = hz.getMap(MAP);
        memory.table.getPartitionOwner(0); // the first question makes the first arrangement
    }

    @Override
    protected String me() {
        return hz.getCluster().getLocalMember().getUuid().toString();
    }

    @Override
    protected List<String> members() {
        return hz.getCluster().getMembers().stream().map(one -> one.getUuid().toString()).toList();
    }

    @Override
    protected int partition(String key) {
        return hz.getPartitionService().getPartition(key).getPartitionId();
    }

    /** The row of a partition, with the slots that the map uses. */
    @Override
    protected Row row(int partition) {
        return memory.row(partition, 1 + backups);
    }

    @Override
    protected String why() throws Exception {
        long queued = memory.table.getMigrationQueueSize();
        if (queued > 0 || memory.table.hasOnGoingMigrationLocal()) return queued + " migrations are queued, or one runs";
        // This question asks other members, and waits 10 s for a dead one.
        return CompletableFuture.supplyAsync(hz.getPartitionService()::isLocalMemberSafe)
                .completeOnTimeout(false, 500, MILLISECONDS).get() ? null : "by its own word it is not safe";
    }

    @Override
    protected Object stamp() {
        return memory.table.getPartitionStateStamp();
    }

    @Override
    protected String get(String key) {
        return map.get(key);
    }

    @Override
    protected void put(String key, String value) {
        map.set(key, value);
    }

    @Override
    protected void remove(String key) {
        map.delete(key);
    }

    @Override
    protected void lookAt(int partition, Runnable look) {
        memory.inThreadOf(partition, look);
    }

    @Override
    protected Map<?, ?> held(int partition, int index) {
        Map<?, ?> entries = memory.entries(partition);
        return index < 0 && entries.isEmpty() ? null : entries;
    }

    @Override
    protected List<Long> updates(int partition) {
        return memory.updates(partition);
    }

    @Override
    protected boolean isRefusal(Throwable error) {
        return HazelcastSettings.isProtected(error);
    }

    @Override
    protected void leave() {
        hz.shutdown();
    }
}
