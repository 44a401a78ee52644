import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastJsonValue;
import com.hazelcast.map.IMap;
import com.hazelcast.nio.serialization.ClassDefinitionBuilder;
import com.hazelcast.nio.serialization.genericrecord.GenericRecordBuilder;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** A map whose keys have types, to meet what clients in other languages write. A key is its type and its form. */
final class TypedKeys implements Extra {
    private static final Map<String, Class<?>> ARRAYS = Map.of(
            "boolean[]", boolean.class, "short[]", short.class, "int[]", int.class, "long[]", long.class,
            "float[]", float.class, "double[]", double.class, "string[]", String.class);
    /** What setters of compact records, and adders and setters of portable ones, call the types of fields. */
    private static final Map<String, String> COMPACT = Map.ofEntries(
            Map.entry("byte", "Int8"), Map.entry("short", "Int16"), Map.entry("int", "Int32"), Map.entry("long", "Int64"),
            Map.entry("float", "Float32"), Map.entry("double", "Float64"), Map.entry("bytes", "ArrayOfInt8"),
            Map.entry("short[]", "ArrayOfInt16"), Map.entry("int[]", "ArrayOfInt32"), Map.entry("long[]", "ArrayOfInt64"),
            Map.entry("float[]", "ArrayOfFloat32"), Map.entry("double[]", "ArrayOfFloat64"), Map.entry("boolean", "Boolean"),
            Map.entry("boolean[]", "ArrayOfBoolean"), Map.entry("string", "String"), Map.entry("string[]", "ArrayOfString"),
            Map.entry("char", "Char"), Map.entry("char[]", "ArrayOfChar"), Map.entry("big-decimal", "Decimal"),
            Map.entry("local-time", "Time"), Map.entry("local-date", "Date"), Map.entry("local-date-time", "Timestamp"),
            Map.entry("offset-date-time", "TimestampWithTimezone"), Map.entry("compact", "GenericRecord"));

    private final Supplier<HazelcastInstance> hz;

    TypedKeys(Supplier<HazelcastInstance> hz) {
        this.hz = hz;
    }

    @Override
    public void offer(Map<String, Agent.Verb> verbs) {
        verbs.put("typed_put", q -> Agent.done(() -> map().set(key(q), (String) q.get("value")), Agent.ok()));
        verbs.put("typed_get", q -> Agent.ok("value", map().get(key(q))));
        verbs.put("typed_partition", q -> Agent.fields(
                "partition", hz.get().getPartitionService().getPartition(key(q)).getPartitionId()));
    }

    private IMap<Object, String> map() {
        return hz.get().getMap("typed");
    }

    private static Object key(Map<String, Object> q) {
        return read((List<?>) q.get("key"));
    }

    /** The object of a type and a form. */
    static Object read(List<?> written) {
        return written == null ? null : read((String) written.get(0), written.get(1));
    }

    private static Object read(String type, Object form) {
        if (ARRAYS.containsKey(type)) {
            List<?> forms = (List<?>) form;
            Object array = Array.newInstance(ARRAYS.get(type), forms.size());
            for (int at = 0; at < forms.size(); at++) {
                Array.set(array, at, read(type.substring(0, type.length() - 2), forms.get(at)));
            }
            return array;
        }
        return switch (type) {
            case "list" -> {
                List<Object> elements = new ArrayList<>();
                ((List<?>) form).forEach(one -> elements.add(read((List<?>) one)));
                yield elements;
            }
            case "compact" -> fields(GenericRecordBuilder.compact((String) ((List<?>) form).get(0)), form);
            case "portable" -> fields(portable((List<?>) form), form);
            default -> read(type, (String) form);
        };
    }

    private static Object read(String type, String text) {
        return switch (type) {
            case "string" -> text;
            case "char" -> text.charAt(0);
            case "char[]" -> text.toCharArray();
            case "boolean" -> Boolean.valueOf(text);
            case "byte" -> Byte.valueOf(text);
            case "short" -> Short.valueOf(text);
            case "int" -> Integer.valueOf(text);
            case "long" -> Long.valueOf(text);
            case "float" -> Float.intBitsToFloat(HexFormat.fromHexDigits(text));
            case "double" -> Double.longBitsToDouble(HexFormat.fromHexDigitsToLong(text));
            case "uuid" -> new UUID(HexFormat.fromHexDigitsToLong(text, 0, 16), HexFormat.fromHexDigitsToLong(text, 16, 32));
            case "bytes" -> HexFormat.of().parseHex(text);
            case "big-integer" -> new BigInteger(text);
            case "big-decimal" -> new BigDecimal(text);
            case "date" -> new Date(Long.parseLong(text));
            case "local-date" -> LocalDate.parse(text);
            case "local-time" -> LocalTime.parse(text);
            case "local-date-time" -> LocalDateTime.parse(text);
            case "offset-date-time" -> OffsetDateTime.parse(text);
            case "json" -> new HazelcastJsonValue(text);
            default -> throw new IllegalArgumentException("no key in Java is " + type);
        };
    }

    private static GenericRecordBuilder portable(List<?> form) {
        int[] ids = ((List<?>) form.get(0)).stream().mapToInt(id -> ((Number) id).intValue()).toArray();
        ClassDefinitionBuilder definition = new ClassDefinitionBuilder(ids[0], ids[1], ids[2]);
        for (Object field : (List<?>) form.get(1)) {
            String type = (String) ((List<?>) field).get(1);
            String word = type.equals("bytes") ? "ByteArray" : capital(type.replace("[]", "")) + (type.endsWith("[]") ? "Array" : "");
            call(definition, "add" + word + "Field", ((List<?>) field).get(0));
        }
        return GenericRecordBuilder.portable(definition.build());
    }

    private static Object fields(GenericRecordBuilder record, Object form) {
        for (Object field : (List<?>) ((List<?>) form).get(1)) {
            List<?> parts = (List<?>) field;
            call(record, "set" + COMPACT.get(parts.get(1)), parts.get(0), read((String) parts.get(1), parts.get(2)));
        }
        return record.build();
    }

    private static String capital(String word) {
        return Character.toUpperCase(word.charAt(0)) + word.substring(1);
    }

    /** Calls the method of that name, of which each class has one. */
    private static void call(Object on, String name, Object... with) {
        for (Method method : on.getClass().getMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == with.length) {
                try {
                    method.setAccessible(true);
                    method.invoke(on, with);
                    return;
                } catch (ReflectiveOperationException error) {
                    throw new IllegalArgumentException(name, error);
                }
            }
        }
        throw new IllegalArgumentException("no method " + name);
    }
}
