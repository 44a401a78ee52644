import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What one member of your system can be asked.
 *
 * <p>Each verb of the agent protocol gets the fields of a question and returns those of its answer. They ask the toy in
 * Toy.java so that all of it runs at once; let them ask a member of your system instead, one after another. The rules are
 * in docs/adapter-protocol.md of gridproof.
 */
public final class ToyAgent extends Agent {
    private final Toy toy = new Toy();

    public static void main(String[] arguments) throws Exception {
        new ToyAgent().run();
    }

    private void run() throws Exception {
        verbs.put("start", this::start);
        // For each partition, the members that hold it, the primary first.
        verbs.put("table", q -> fields("member", toy.name, "rows", toy.rows()));
        // Why the member is not at rest, or null; members it lists; what is equal where tables are equal.
        verbs.put("settled", q -> fields("member", toy.name, "why", toy.mend(), "members", toy.members(),
                "stamp", toy.rows().toString()));
        // Where the system itself puts a key.
        verbs.put("partition", q -> fields("partition", toy.partitionOf(text(q, "key")),
                "owner", toy.rowOf(text(q, "key")).get(0)));
        // Write. "refused" means certainly not done; throw where it may have been done.
        verbs.put("put", q -> ok("confirmed", toy.put(text(q, "key"), text(q, "value"))));
        // Read. A value of null means that there is no such entry; throw where you cannot say.
        verbs.put("get", q -> ok("value", toy.get(text(q, "key"))));
        verbs.put("replicas", this::replicas);
        verbs.put("leave", this::leave);
        // What the documents of your system say of a property (`gridproof properties` lists them), and where.
        hello.put("promises", fields("acknowledged-write-kept",
                fields("word", "promised", "source", "Toy.java: every write is in every copy", "least_backups", 1)));
        serve("toy", "1");
    }

    /** Start your member so that it listens on host:port, and have it join those that `seeds` names. */
    private Map<String, Object> start(Map<String, Object> q) throws Exception {
        toy.join(text(q, "name"), number(q, "partitions"), number(q, "backups"));
        return fields("member", toy.name, "address", text(q, "host") + ":" + number(q, "port"));
    }

    /** What this very member holds, whatever its role; without partitions, of all of them. */
    private Map<String, Object> replicas(Map<String, Object> q) throws Exception {
        List<Object> copies = new ArrayList<>();
        Map<Integer, Map<String, String>> held = toy.held();
        held.keySet().retainAll(numbers(q, "partitions", toy.partitions));
        for (Map.Entry<Integer, Map<String, String>> one : held.entrySet()) {
            int number = one.getKey();
            copies.add(fields("partition", number, "role", toy.role(number), "entries", one.getValue()));
        }
        return fields("copies", copies);
    }

    /** Shut down in good order: what this member holds is with others when you answer. */
    private Map<String, Object> leave(Map<String, Object> q) throws Exception {
        toy.leave();
        return fields("done", true);
    }
}
