import io.atomix.cluster.Member;
import io.atomix.core.Atomix;
import io.atomix.core.map.AtomicMap;
import io.atomix.utils.serializer.Namespaces;
import io.atomix.utils.serializer.Serializer;
import io.atomix.utils.time.Versioned;
import java.util.List;
import java.util.Map;

/** One Atomix node: its map is used through the public interface; terms and copies are read from its own memory. */
public final class AtomixAgent extends MapAgent {
    private static final String MAP = "gridproof";
    private static final int PARTITIONS = 31;
    private static final long HEARTBEAT_NS = 1_500_000_000L;
    private static final Serializer CODEC = Serializer.using(Namespaces.BASIC);
    private Atomix atomix;
    private AtomixMemory memory;
    private AtomicMap<String, String> map;
    private volatile long changedAt;

    public static void main(String[] arguments) {
        new AtomixAgent().run();
    }

    private void run() {
        hello.putAll(fields("founders", 3, "fixed", true, "partitions", PARTITIONS));
        operations(AtomixOperations.KINDS, () -> map, AtomixOperations::operate);
        // The owner is left out: it would need another question to an election, which may not answer.
        verbs.put("partition", q -> fields("partition", partition(text(q, "key"))));
        serveMap("atomix", System.getProperty("gridproof.version"));
    }

    @Override
    protected void start(Map<String, Object> q) {
        syncBackups = syncBackups < backups ? 0 : backups; // a caller waits for all of them or for none
        atomix = AtomixSettings.ofNode(q, PARTITIONS);
        atomix.start().join();
        memory = new AtomixMemory(atomix, MAP, CODEC);
        map = atomix.<String, String>atomicMapBuilder(MAP).withSerializer(CODEC)
                .withProtocol(AtomixSettings.ofMap(backups, syncBackups == backups)).build();
    }

    @Override
    protected String me() {
        return (String) atomix.getMembershipService().getLocalMember().id().id();
    }

    @Override
    protected List<String> members() {
        return atomix.getMembershipService().getMembers().stream().filter(Member::isReachable)
                .map(one -> (String) one.id().id()).sorted().toList();
    }

    @Override
    protected int partition(String key) {
        return memory.partition(key);
    }

    @Override
    protected Row row(int partition) throws Exception {
        return memory.row(partition, backups);
    }

    /** Not at rest while an election does not answer, nor until a heartbeat has brought backups what is committed. */
    @Override
    protected String why() {
        if (System.nanoTime() - changedAt < HEARTBEAT_NS) {
            return "the heartbeat after the last change may not have come";
        }
        List<String> members = members();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            try {
                List<String> row = row(partition).members();
                if (row.isEmpty() || !members.containsAll(row)) {
                    return "partition " + partition + " has " + row;
                }
            } catch (Exception silent) {
                return "nobody says who has partition " + partition;
            }
        }
        return null;
    }

    @Override
    protected String get(String key) {
        return Versioned.valueOrNull(map.get(key));
    }

    @Override
    protected void put(String key, String value) {
        change(() -> map.put(key, value));
    }

    @Override
    protected void remove(String key) {
        change(() -> map.remove(key));
    }

    private void change(Runnable change) {
        try {
            change.run();
        } finally {
            changedAt = System.nanoTime();
        }
    }

    @Override
    protected Map<?, ?> held(int partition, int index) throws Exception {
        Map<?, ?> entries = memory.entries(partition);
        return index < 0 && entries.isEmpty() ? null : entries;
    }

    @Override
    protected void leave() {
        atomix.stop().join();
    }
}
