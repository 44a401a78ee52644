import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.BuildInfoProvider;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.map.impl.MapService;
import com.hazelcast.map.impl.MapServiceContext;
import com.hazelcast.map.impl.recordstore.RecordStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** What an audit needs of one Hazelcast member, and no more; the agent that is shipped takes more verbs. */
public final class SmallAgent extends MapAgent {
    private HazelcastInstance hz;
    private Node node;

    public static void main(String[] arguments) {
        new SmallAgent().serveMap("small-hazelcast", BuildInfoProvider.getBuildInfo().getVersion());
    }

    @Override
    protected void start(Map<String, Object> q) {
        Config config = new Config(text(q, "name")).addMapConfig(new MapConfig("map").setBackupCount(backups));
        config.setProperty("hazelcast.partition.count", String.valueOf(partitions));
        config.getNetworkConfig().setPort(number(q, "port")).setPortAutoIncrement(false)
                .getInterfaces().setEnabled(true).addInterface(text(q, "host"));
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).setMembers(texts(q, "seeds"));
        hz = HazelcastInstanceFactory.newHazelcastInstance(config);
        node = ((HazelcastInstanceProxy) hz).getOriginal().node;
        node.partitionService.getPartitionOwner(0); // this makes the first arrangement
    }

    @Override
    protected String me() {
        return node.getThisUuid().toString();
    }

    @Override
    protected List<String> members() {
        return hz.getCluster().getMembers().stream().map(member -> member.getUuid().toString()).toList();
    }

    @Override
    protected int partition(String key) {
        return hz.getPartitionService().getPartition(key).getPartitionId();
    }

    @Override
    protected Row row(int partition) {
        return new Row(Stream.of(node.partitionService.getPartition(partition, false).getReplicasCopy()).limit(1 + backups)
                .map(slot -> slot == null ? null : slot.uuid().toString()).toList(), null);
    }

    @Override
    protected String why() {
        return hz.getPartitionService().isLocalMemberSafe() ? null : "by its own word it is not safe";
    }

    @Override
    protected String get(String key) {
        return hz.<String, String>getMap("map").get(key);
    }

    @Override
    protected void put(String key, String value) {
        hz.getMap("map").set(key, value);
    }

    @Override
    protected void remove(String key) {
        hz.getMap("map").delete(key);
    }

    @Override
    protected Map<?, ?> held(int partition, int index) {
        MapServiceContext maps = node.nodeEngine.<MapService>getService(MapService.SERVICE_NAME).getMapServiceContext();
        RecordStore<?> store = maps.getPartitionContainer(partition).getExistingRecordStore("map");
        Map<Object, Object> entries = new HashMap<>();
        if (store != null) {
            Function<Object, Object> plain = node.nodeEngine::toObject;
            store.forEach((key, record) -> entries.put(plain.apply(key), plain.apply(record.getValue())), true, true);
        }
        return index < 0 && entries.isEmpty() ? null : entries;
    }

    @Override
    protected void leave() {
        hz.shutdown();
    }
}
