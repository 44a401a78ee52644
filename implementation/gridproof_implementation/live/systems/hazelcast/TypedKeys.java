import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** A map whose keys have types, to meet what clients in other languages write. A key is its type and its text. */
final class TypedKeys {
    private final Supplier<HazelcastInstance> hz;

    TypedKeys(Supplier<HazelcastInstance> hz) {
        this.hz = hz;
    }

    void offer(Map<String, Agent.Verb> verbs) {
        verbs.put("typed_put", q -> Agent.done(() -> map().set(key(q), (String) q.get("value")), Agent.ok()));
        verbs.put("typed_get", q -> Agent.ok("value", map().get(key(q))));
        verbs.put("typed_partition", q -> Agent.fields(
                "partition", hz.get().getPartitionService().getPartition(key(q)).getPartitionId()));
    }

    private IMap<Object, String> map() {
        return hz.get().getMap("typed");
    }

    private static Object key(Map<String, Object> q) {
        List<?> parts = (List<?>) q.get("key");
        String text = (String) parts.get(1);
        return switch ((String) parts.get(0)) {
            case "string" -> text;
            case "boolean" -> Boolean.valueOf(text);
            case "byte" -> Byte.valueOf(text);
            case "short" -> Short.valueOf(text);
            case "int" -> Integer.valueOf(text);
            case "long" -> Long.valueOf(text);
            case "float" -> Float.intBitsToFloat(HexFormat.fromHexDigits(text));
            case "double" -> Double.longBitsToDouble(HexFormat.fromHexDigitsToLong(text));
            case "uuid" -> new UUID(HexFormat.fromHexDigitsToLong(text, 0, 16), HexFormat.fromHexDigitsToLong(text, 16, 32));
            case "bytes" -> HexFormat.of().parseHex(text);
            default -> throw new IllegalArgumentException("no key in Java is " + parts.get(0));
        };
    }
}
