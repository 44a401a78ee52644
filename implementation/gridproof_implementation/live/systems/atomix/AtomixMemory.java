import static java.util.concurrent.TimeUnit.SECONDS;

import io.atomix.core.Atomix;
import io.atomix.primitive.partition.PartitionId;
import io.atomix.primitive.partition.Partitioner;
import io.atomix.primitive.partition.PrimaryElection;
import io.atomix.primitive.partition.PrimaryTerm;
import io.atomix.protocols.backup.partition.PrimaryBackupPartitionGroup;
import io.atomix.utils.serializer.Serializer;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/** The terms of an Atomix node and what it holds of a map, read from its own memory. */
final class AtomixMemory {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private final PrimaryBackupPartitionGroup group;
    private final String map;
    private final Serializer codec;

    AtomixMemory(Atomix atomix, String map, Serializer codec) {
        group = (PrimaryBackupPartitionGroup) atomix.getPartitionService().getPartitionGroup(AtomixSettings.GROUP);
        this.map = map;
        this.codec = codec;
    }

    private PartitionId id(int partition) {
        return group.getPartitionIds().get(partition);
    }

    int partition(String key) {
        String coded = HEX.formatHex(codec.encode(key));
        return group.getPartitionIds().indexOf(Partitioner.MURMUR3.partition(coded, group.getPartitionIds()));
    }

    /** The primary, and then the backups; as in the documentation, the primary does not count as a backup. */
    MapAgent.Row row(int partition, int backups) throws Exception {
        PrimaryElection election = (PrimaryElection) inside(group.getPartition(id(partition)), "election");
        PrimaryTerm term;
        try {
            term = election.getTerm().get(2, SECONDS);
        } catch (TimeoutException silent) {
            throw new TimeoutException("no election answers");
        }
        List<String> row = new ArrayList<>();
        if (term.primary() != null) {
            row.add((String) term.primary().memberId().id());
            term.backups(backups).forEach(one -> row.add((String) one.memberId().id()));
        }
        return new MapAgent.Row(row, term.term());
    }

    Map<String, Object> entries(int partition) throws Exception {
        Map<String, Object> entries = new HashMap<>();
        Object server = inside(group.getPartition(id(partition)), "server");
        Object context = server == null ? null : inside(inside(server, "server"), "context");
        var opened = context == null ? null : (CompletableFuture<?>) ((Map<?, ?>) inside(context, "services")).get(map);
        if (opened == null) {
            return entries;
        }
        Object held = inside(inside(opened.get(2, SECONDS), "service"), "map");
        for (Map.Entry<?, ?> entry : held == null ? Map.<Object, Object>of().entrySet() : ((Map<?, ?>) held).entrySet()) {
            byte[] value = (byte[]) inside(entry.getValue(), "value");
            if (value != null) {
                entries.put(codec.decode(HEX.parseHex((String) entry.getKey())), codec.decode(value));
            }
        }
        return entries;
    }

    /** The value of a private field. */
    private static Object inside(Object owner, String name) throws Exception {
        for (Class<?> type = owner.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field.get(owner);
                }
            }
        }
        throw new NoSuchFieldException(owner.getClass().getSimpleName() + "." + name);
    }
}
