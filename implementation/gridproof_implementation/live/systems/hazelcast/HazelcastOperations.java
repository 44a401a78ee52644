import com.hazelcast.collection.IList;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.IMap;
import java.util.List;
import java.util.Map;

/** The operations of clients on a Hazelcast member other than put and get. */
final class HazelcastOperations {
    static final List<String> KINDS = List.of("add", "put-if-absent", "compare-and-set", "compare-and-remove", "contains",
            "append", "items", "offer", "poll");

    static Object operate(HazelcastInstance hz, String kind, String key, String value, String expected) {
        IMap<String, String> entries = hz.getMap(HazelcastAgent.MAP);
        return switch (kind) {
            case "add" -> entries.executeOnKey(key, new Increment());
            case "put-if-absent" -> entries.putIfAbsent(key, value);
            case "compare-and-set" -> entries.replace(key, expected, value);
            case "compare-and-remove" -> entries.remove(key, expected);
            case "contains" -> entries.containsKey(key);
            case "append" -> hz.getList(key).add(value);
            case "items" -> List.of(((IList<?>) hz.getList(key)).toArray());
            case "offer" -> hz.getQueue(key).offer(value);
            case "poll" -> hz.getQueue(key).poll();
            default -> throw new IllegalArgumentException(kind);
        };
    }

    /** An operation that is executed again at each backup. */
    static final class Increment implements EntryProcessor<String, String, Object> {
        public Object process(Map.Entry<String, String> entry) {
            String before = entry.getValue();
            String after = String.valueOf(before == null ? 1 : Integer.parseInt(before) + 1);
            entry.setValue(after);
            return after;
        }
    }
}
