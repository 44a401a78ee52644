import java.util.List;
import java.util.Map;

/**
 * What one member of your system can be asked.
 *
 * <p>Each method asks a toy so that all of it runs as it is; let them ask a member of your system instead, one after
  * another. MapAgent.java makes the answers of the agent protocol from that, and says what else can be overridden. If a
  * method throws, the answer is an error: the write may have been done, or the read cannot say. The rules are in
 * docs/adapter-protocol.md of gridproof.
 */
public final class ToyAgent extends MapAgent {
    private final Toy toy;
    private String me;

    private ToyAgent() throws Exception {
        toy = new Toy();
    }

    public static void main(String[] arguments) throws Exception {
        new ToyAgent().run();
    }

    private void run() {
        // What the documents of your system say about a property (`gridproof properties` lists them), and where.
        hello.put("promises", fields("acknowledged-write-kept",
                fields("word", "promised", "source", "toy.py: every write is in every copy", "least_backups", 1)));
        serveMap("toy", "1");
    }

    /** Start your member so that it listens on host:port, and let it join the members that `seeds` names. */
    @Override
    protected void start(Map<String, Object> q) throws Exception {
        me = text(q, "name");
        toy.ask("join", me, partitions, backups);
    }

    @Override
    protected String me() {
        return me;
    }

    @Override
    protected List<String> members() throws Exception {
        return toy.list("members");
    }

    /** The partition in which the system itself puts a key. */
    @Override
    protected int partition(String key) throws Exception {
        return ((Number) toy.ask("partition_of", key)).intValue();
    }

    /** The members that hold a partition, the primary first; and the version of that row, here null. */
    @Override
    protected Row row(int partition) throws Exception {
        return new Row(toy.list("row", partition), null);
    }

    /** Why the member is not at rest, or null. */
    @Override
    protected String why() throws Exception {
        return (String) toy.ask("mend");
    }

    /** A value of null means that there is no such entry. */
    @Override
    protected String get(String key) throws Exception {
        return (String) toy.ask("get", key);
    }

    @Override
    protected void put(String key, String value) throws Exception {
        toy.ask("put", key, value);
    }

    @Override
    protected void remove(String key) throws Exception {
        toy.ask("remove", key);
    }

    /** What this very member holds of a partition, whatever its index; null if it has no copy of it. */
    @Override
    protected Map<?, ?> held(int partition, int index) throws Exception {
        Map<?, ?> entries = (Map<?, ?>) toy.ask("held_of", partition);
        return index < 0 && entries.isEmpty() ? null : entries;
    }

    /** Shut down in good order: before you return, other members have what this one holds. */
    @Override
    protected void leave() throws Exception {
        toy.ask("leave");
    }
}
