import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.ignite.Ignite;
import org.apache.ignite.IgniteCache;
import org.apache.ignite.Ignition;
import org.apache.ignite.internal.IgniteKernal;
import org.apache.ignite.internal.IgniteVersionUtils;

/** One Ignite node: its cache is used through the public interface; assignment and copies are read from its memory. */
public final class IgniteAgent extends MapAgent {
    private static final String CACHE = "gridproof";
    private Ignite ignite;
    private IgniteCache<String, String> cache;
    private IgniteMemory memory;

    public static void main(String[] arguments) {
        new IgniteAgent().run();
    }

    private void run() {
        verbs.put("put_many", q -> done(() -> cache.putAll(new TreeMap<>(entries(q))), ok()));
        offerVersions();
        operations(IgniteOperations.KINDS, () -> cache, IgniteOperations::operate);
        serveMap("ignite", IgniteVersionUtils.VER_STR, "groups");
    }

    @Override
    protected void start(Map<String, Object> q) throws Exception {
        syncBackups = syncBackups < backups ? 0 : backups; // a caller waits for all of them or for none
        ignite = Ignition.start(IgniteSettings.ofNode(q));
        cache = ignite.getOrCreateCache(IgniteSettings.ofCache(q, CACHE, syncBackups == backups));
        memory = new IgniteMemory(((IgniteKernal) ignite).internalCache(CACHE).context());
    }

    @Override
    protected String me() {
        return ignite.cluster().localNode().id().toString();
    }

    @Override
    protected List<String> members() {
        return IgniteMemory.ids(ignite.cluster().forServers().nodes());
    }

    @Override
    protected int partition(String key) {
        return ignite.<String>affinity(CACHE).partition(key);
    }

    @Override
    protected Row row(int partition) {
        return memory.row(partition);
    }

    @Override
    protected String why() {
        return memory.why(ignite.cluster().topologyVersion());
    }

    @Override
    protected Object stamp() {
        return row(0).version() + " " + IntStream.range(0, partitions).mapToObj(this::row).toList().hashCode();
    }

    @Override
    protected String get(String key) {
        return cache.get(key);
    }

    @Override
    protected void put(String key, String value) {
        cache.put(key, value);
    }

    @Override
    protected void remove(String key) {
        cache.remove(key);
    }

    /** A change that has returned is on as many nodes as the row has then, or had before if that was fewer. */
    @Override
    protected long confirmed(List<String> before, int partition) {
        return Math.min(before.size(), row(partition).members().size());
    }

    @Override
    protected Map<?, ?> held(int partition, int index) throws Exception {
        return memory.entries(partition);
    }

    @Override
    protected List<Long> updates(int partition) {
        return memory.updates(partition);
    }

    @Override
    protected void leave() {
        Ignition.stop(ignite.name(), false);
    }
}
