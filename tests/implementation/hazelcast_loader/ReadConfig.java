import java.io.FileInputStream;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What Hazelcast's own loader reads in files, a line of JSON each. By reflection, for names differ between 3.12 and 5.7.
 */
public final class ReadConfig {
    private static final String[][] KINDS = {
        {"map", "getMapConfigs"},
        {"multimap", "getMultiMapConfigs"},
        {"queue", "getQueueConfigs"},
        {"list", "getListConfigs"},
        {"set", "getSetConfigs"},
        {"ringbuffer", "getRingbufferConfigs"},
        {"cache", "getCacheConfigs"},
        {"cardinality-estimator", "getCardinalityEstimatorConfigs"},
    };

    public static void main(String[] files) throws Exception {
        System.setProperty("hazelcast.logging.type", "none");
        for (String file : files) {
            StringBuilder line = new StringBuilder();
            Json.write(read(file), line);
            System.out.println(line);
        }
    }

    private static Map<String, Object> read(String file) throws Exception {
        Map<String, Object> read = new LinkedHashMap<>();
        read.put("file", file);
        try (InputStream text = new FileInputStream(file)) {
            String kind = file.endsWith(".xml") ? "Xml" : "Yaml";
            Class<?> builder = Class.forName("com.hazelcast.config." + kind + "ConfigBuilder");
            Object made = builder.getConstructor(InputStream.class).newInstance(text);
            fill(ask(made, "build"), read);
        } catch (Exception refusal) {
            Throwable cause = refusal;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            read.put("refused", String.valueOf(cause.getMessage()));
        }
        return read;
    }

    private static void fill(Object config, Map<String, Object> read) throws Exception {
        Object name = askIfThere(config, "getClusterName");
        read.put("cluster", name != null ? name : ask(ask(config, "getGroupConfig"), "getName"));
        read.put("lite", ask(config, "isLiteMember"));
        read.put("properties", new LinkedHashMap<>((Map<?, ?>) ask(config, "getProperties")));
        read.put("groups", groups(ask(config, "getPartitionGroupConfig")));
        List<Object> structures = new ArrayList<>();
        for (String[] kind : KINDS) {
            for (Object structure : ((Map<?, ?>) ask(config, kind[1])).values()) {
                structures.add(structure(kind[0], structure, config));
            }
        }
        read.put("structures", structures);
    }

    private static Object groups(Object config) throws Exception {
        Map<String, Object> read = new LinkedHashMap<>();
        read.put("enabled", ask(config, "isEnabled"));
        read.put("type", String.valueOf(ask(config, "getGroupType")));
        List<Object> members = new ArrayList<>();
        for (Object group : (Iterable<?>) ask(config, "getMemberGroupConfigs")) {
            List<Object> interfaces = new ArrayList<>();
            ((Iterable<?>) ask(group, "getInterfaces")).forEach(interfaces::add);
            members.add(interfaces);
        }
        read.put("members", members);
        return read;
    }

    private static Object structure(String kind, Object structure, Object config) throws Exception {
        Map<String, Object> read = new LinkedHashMap<>();
        read.put("kind", kind);
        read.put("name", ask(structure, "getName"));
        read.put("sync", ask(structure, "getBackupCount"));
        read.put("async", ask(structure, "getAsyncBackupCount"));
        Object policy = askIfThere(structure, "getMergePolicyConfig");
        // Caches of 3.12 have the name alone.
        read.put("policy", policy != null ? ask(policy, "getPolicy") : ask(structure, "getMergePolicy"));
        Object guard = askIfThere(structure, "getSplitBrainProtectionName");
        String wanted = "getSplitBrainProtectionConfigs";
        if (guard == null) {
            guard = askIfThere(structure, "getQuorumName");
            wanted = "getQuorumConfigs";
        }
        if (guard != null) {
            Object rule = ((Map<?, ?>) ask(config, wanted)).get(guard);
            read.put("guard", guard);
            read.put("guard_members", rule == null ? null : least(rule));
        }
        return read;
    }

    private static Object least(Object rule) throws Exception {
        Object enabled = ask(rule, "isEnabled");
        Object members = askIfThere(rule, "getMinimumClusterSize");
        return Boolean.FALSE.equals(enabled) ? null : members != null ? members : ask(rule, "getSize");
    }

    private static Object ask(Object what, String method) throws Exception {
        Method found = what.getClass().getMethod(method);
        found.setAccessible(true);
        return found.invoke(what);
    }

    private static Object askIfThere(Object what, String method) throws Exception {
        try {
            return ask(what, method);
        } catch (NoSuchMethodException absent) {
            return null;
        }
    }
}
