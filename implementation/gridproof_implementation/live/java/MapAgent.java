import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;

/**
 * A member of a grid that keeps one map: a subclass says what the member knows, and this class answers the verbs of the
 * agent protocol with it.
 *
 * <p>A verb is answered with the error that a method throws. If a change throws, it may have been done or not:
 * the suite counts its outcome as unknown.
 */
public abstract class MapAgent extends Agent {

    /** A partition's members, the primary first, null for a free replica index; and the row's version, or null. */
    record Row(List<String> members, Long version) {}

    /** The numbers of partitions, of backups, and of backups whose acknowledgements a caller waits for. */
    protected int partitions, backups, syncBackups;

    /** Start the member on host:port, and let it join the members that `seeds` names. */
    protected abstract void start(Map<String, Object> question) throws Exception;

    /** The member's own name. */
    protected abstract String me();

    /** The members that it lists. */
    protected abstract List<String> members() throws Exception;

    /** The partition in which the system itself puts a key. */
    protected abstract int partition(String key) throws Exception;

    /** One row of its table; TimeoutException if it cannot say at present. */
    protected abstract Row row(int partition) throws Exception;

    /** What the member is still waiting for; null at rest. */
    protected abstract String why() throws Exception;

    /** A stamp, equal at two members exactly if their tables are equal; null if the tables have to be compared. */
    protected Object stamp() throws Exception {
        return null;
    }

    protected abstract String get(String key) throws Exception;

    protected abstract void put(String key, String value) throws Exception;

    protected abstract void remove(String key) throws Exception;

    /** A partition's entries in the member's own memory, null if it has no copy; `index` is that of its row, or -1. */
    protected abstract Map<?, ?> held(int partition, int index) throws Exception;

    /** How many updates its copy has counted: one number, or one for each backup; none if it does not know. */
    protected List<Long> updates(int partition) {
        return List.of();
    }

    /** Shut down in good order. */
    protected abstract void leave() throws Exception;

    /** Look at one partition, in the system's own thread for it if there is one. */
    protected void lookAt(int partition, Runnable look) {
        look.run();
    }

    /** How many copies have an acknowledged change; `before` is the row at the time when it was asked for. */
    protected long confirmed(List<String> before, int partition) throws Exception {
        return before.stream().limit(1 + syncBackups).filter(Objects::nonNull).count();
    }

    /** Offer the verbs, say hello, and answer until the questions end. The subclass's own verbs are not replaced. */
    protected final void serveMap(String system, String version, String... alsoOffered) {
        verbs.putIfAbsent("start", this::started);
        verbs.putIfAbsent("table", q -> table());
        verbs.putIfAbsent("settled", q -> fields("member", me(), "why", why(), "stamp", stamp(), "members", members()));
        verbs.putIfAbsent("partition", q -> place(partition(text(q, "key"))));
        verbs.putIfAbsent("put", q -> changed(q, () -> put(text(q, "key"), text(q, "value"))));
        verbs.putIfAbsent("remove", q -> changed(q, () -> remove(text(q, "key"))));
        verbs.putIfAbsent("get", q -> ok("value", get(text(q, "key"))));
        verbs.putIfAbsent("replicas", q -> onPartitions(q, this::addCopy));
        verbs.putIfAbsent("leave", q -> {
            leave();
            return fields("done", true);
        });
        serve(system, version, alsoOffered);
    }

    /** Offer `versions`, too: the member can say at little cost which updates its copies have counted. */
    protected final void offerVersions() {
        verbs.put("versions", q -> onPartitions(q, this::addVersions));
    }

    private Map<String, Object> started(Map<String, Object> q) throws Exception {
        partitions = number(q, "partitions");
        backups = number(q, "backups");
        syncBackups = backups - number(q, "async_backups");
        start(q);
        return fields("member", me(), "address", text(q, "host") + ":" + number(q, "port"), "group", text(q, "group"));
    }

    private Map<String, Object> table() throws Exception {
        List<Object> rows = new ArrayList<>(), versions = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            try {
                Row row = row(partition);
                rows.add(row.members());
                versions.add(row.version());
            } catch (TimeoutException silent) {
                return fields("member", me(), "rows", null, "why", silent.getMessage());
            }
        }
        return fields("member", me(), "rows", rows, "versions", versions, "members", members());
    }

    private Map<String, Object> place(int partition) throws Exception {
        List<String> members = row(partition).members();
        return fields("partition", partition, "owner", members.isEmpty() ? null : members.get(0));
    }

    private interface Change {
        void make() throws Exception;
    }

    private Map<String, Object> changed(Map<String, Object> q, Change change) throws Exception {
        if (syncBackups == 0) {
            change.make();
            return ok("confirmed", 1);
        }
        int partition = partition(text(q, "key"));
        List<String> before = row(partition).members();
        change.make();
        return ok("confirmed", confirmed(before, partition));
    }

    private interface Look {
        void add(int partition, Looked looked) throws Exception;
    }

    /** What the looks at partitions have found; each look may have a thread of its own. */
    private static final class Looked {
        final Queue<Object> copies = new ConcurrentLinkedQueue<>(), unknown = new ConcurrentLinkedQueue<>();
        volatile Exception failed;
    }

    private Map<String, Object> onPartitions(Map<String, Object> q, Look look) throws Exception {
        List<Integer> asked = numbers(q, "partitions", partitions);
        Looked looked = new Looked();
        CountDownLatch left = new CountDownLatch(asked.size());
        for (int partition : asked) {
            lookAt(partition, () -> {
                try {
                    look.add(partition, looked);
                } catch (Exception failed) {
                    looked.failed = failed;
                } finally {
                    left.countDown();
                }
            });
        }
        left.await();
        if (looked.failed != null) {
            throw looked.failed;
        }
        return fields("copies", looked.copies, "unknown", looked.unknown);
    }

    private void addCopy(int partition, Looked looked) throws Exception {
        // After one timeout no further partition is asked for: each would take as long.
        if (!looked.unknown.isEmpty()) {
            looked.unknown.add(partition);
            return;
        }
        try {
            int index = row(partition).members().indexOf(me());
            Map<?, ?> entries = held(partition, index);
            if (entries != null) {
                String role = index < 0 ? "left over" : index == 0 ? "primary" : "backup";
                List<Long> counted = updates(partition);
                looked.copies.add(fields("partition", partition, "role", role, "entries", entries,
                        "version", counted.size() == 1 ? counted.get(0) : null, "versions", counted));
            }
        } catch (TimeoutException silent) {
            looked.unknown.add(partition);
        }
    }

    private void addVersions(int partition, Looked looked) throws Exception {
        Row row = row(partition);
        int index = row.members().indexOf(me());
        List<Long> counted = updates(partition);
        if (index >= 0 && !counted.isEmpty() && row.equals(row(partition))) {
            looked.copies.add(fields("partition", partition, "index", index, "row", row.version(), "versions", counted));
        }
    }
}
