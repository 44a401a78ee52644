import io.atomix.core.map.AtomicMap;
import io.atomix.utils.time.Versioned;
import java.util.List;

/** The operations of clients on an Atomix node other than put and get. */
final class AtomixOperations {
    static final List<String> KINDS = List.of("put-if-absent", "compare-and-set", "compare-and-remove", "contains");

    static Object operate(AtomicMap<String, String> entries, String kind, String key, String value, String expected) {
        return switch (kind) {
            case "put-if-absent" -> Versioned.valueOrNull(entries.putIfAbsent(key, value));
            case "compare-and-set" -> entries.replace(key, expected, value);
            case "compare-and-remove" -> entries.remove(key, expected);
            case "contains" -> entries.containsKey(key);
            default -> throw new IllegalArgumentException(kind);
        };
    }
}
