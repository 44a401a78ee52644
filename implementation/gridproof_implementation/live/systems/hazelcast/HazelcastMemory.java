import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.partition.InternalPartition;
import com.hazelcast.internal.partition.impl.InternalPartitionServiceImpl;
import com.hazelcast.internal.partition.impl.PartitionReplicaManager;
import com.hazelcast.internal.services.ObjectNamespace;
import com.hazelcast.map.impl.MapService;
import com.hazelcast.map.impl.recordstore.RecordStore;
import com.hazelcast.spi.impl.NodeEngineImpl;
import com.hazelcast.spi.impl.PartitionSpecificRunnable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** The table of a Hazelcast member and what it holds of a map, read from its own memory. */
final class HazelcastMemory {
    final InternalPartitionServiceImpl table;
    private final NodeEngineImpl engine;
    private final String map;

    HazelcastMemory(HazelcastInstance hz, String map) {
        engine = ((HazelcastInstanceProxy) hz).getOriginal().node.nodeEngine;
        table = engine.getNode().partitionService;
        this.map = map;
    }

    /** A row and its version may change between two looks: it is taken if the version was the same before and after. */
    MapAgent.Row row(int partition, int length) {
        InternalPartition shown = table.getPartition(partition, false);
        for (;;) {
            long version = shown.version();
            List<String> members = Stream.of(shown.getReplicasCopy()).limit(length)
                    .map(slot -> slot == null ? null : slot.uuid().toString()).toList();
            if (version == shown.version()) {
                return new MapAgent.Row(members, version);
            }
        }
    }

    /** Let the thread that owns a partition look at it. */
    void inThreadOf(int partition, Runnable look) {
        engine.getOperationService().execute(new PartitionSpecificRunnable() {
            public int getPartitionId() {
                return partition;
            }

            public void run() {
                look.run();
            }
        });
    }

    Map<Object, Object> entries(int partition) {
        RecordStore<?> store = engine.<MapService>getService(MapService.SERVICE_NAME).getMapServiceContext()
                .getPartitionContainer(partition).getExistingRecordStore(map);
        Map<Object, Object> entries = new HashMap<>();
        if (store != null) {
            Function<Object, Object> plain = engine::toObject;
            store.forEach((key, record) -> entries.put(plain.apply(key), plain.apply(record.getValue())), true, true);
        }
        return entries;
    }

    /** The replica versions of the map, one for each backup; none if nothing was ever written. */
    List<Long> updates(int partition) {
        PartitionReplicaManager all = table.getReplicaManager();
        return all.getNamespaces(partition).stream()
                .filter(space -> space instanceof ObjectNamespace named && named.getObjectName().equals(map))
                .flatMap(space -> Arrays.stream(all.getPartitionReplicaVersions(partition, space)).boxed()).toList();
    }
}
