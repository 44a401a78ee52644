import java.util.List;
import javax.cache.processor.MutableEntry;
import org.apache.ignite.IgniteCache;
import org.apache.ignite.cache.CacheEntryProcessor;

/** The operations of clients on an Ignite node other than put and get. */
final class IgniteOperations {
    static final List<String> KINDS = List.of("add", "put-if-absent", "compare-and-set", "compare-and-remove", "contains");

    static Object operate(IgniteCache<String, String> entries, String kind, String key, String value, String expected) {
        return switch (kind) {
            case "add" -> entries.invoke(key, new Increment());
            case "put-if-absent" -> entries.getAndPutIfAbsent(key, value);
            case "compare-and-set" -> entries.replace(key, expected, value);
            case "compare-and-remove" -> entries.remove(key, expected);
            case "contains" -> entries.containsKey(key);
            default -> throw new IllegalArgumentException(kind);
        };
    }

    /** An operation that is executed at the primary of the entry; the backups get the new value. */
    static final class Increment implements CacheEntryProcessor<String, String, String> {
        @Override
        public String process(MutableEntry<String, String> entry, Object... arguments) {
            String after = String.valueOf(entry.exists() ? Integer.parseInt(entry.getValue()) + 1 : 1);
            entry.setValue(after);
            return after;
        }
    }
}
