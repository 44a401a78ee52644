import io.atomix.core.map.AtomicMap;
import io.atomix.utils.time.Versioned;
import java.util.List;
import java.util.function.Supplier;

/** What clients ask of an Atomix node besides puts and gets. */
final class AtomixOperations {
    static final List<String> KINDS = List.of("put-if-absent", "compare-and-set", "compare-and-remove", "contains");
    private final Supplier<AtomicMap<String, String>> map;

    AtomixOperations(Supplier<AtomicMap<String, String>> map) {
        this.map = map;
    }

    Object operate(String kind, String key, String value, String expected) {
        AtomicMap<String, String> entries = map.get();
        return switch (kind) {
            case "put-if-absent" -> Versioned.valueOrNull(entries.putIfAbsent(key, value));
            case "compare-and-set" -> entries.replace(key, expected, value);
            case "compare-and-remove" -> entries.remove(key, expected);
            case "contains" -> entries.containsKey(key);
            default -> throw new IllegalArgumentException(kind);
        };
    }
}
