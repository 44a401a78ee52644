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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What an audit needs of one Hazelcast member, and no more; the agent that is shipped takes more verbs. */
public final class SmallAgent extends Agent {
    private HazelcastInstance hz;
    private Node node;
    private int backups;

    public static void main(String[] arguments) {
        SmallAgent agent = new SmallAgent();
        agent.verbs.put("start", agent::start);
        agent.verbs.put("table", q -> fields("member", agent.me(), "rows", agent.rows()));
        agent.verbs.put("settled", q -> fields("member", agent.me(), "members", agent.members(), "why", agent.why(),
                "stamp", agent.rows().toString()));
        agent.verbs.put("partition", q -> fields(
                "partition", agent.partition(q), "owner", agent.row(agent.partition(q)).get(0)));
        agent.verbs.put("put", q -> done(() -> agent.hz.getMap("map").put(text(q, "key"), text(q, "value")), ok()));
        agent.verbs.put("get", q -> ok("value", agent.hz.getMap("map").get(text(q, "key"))));
        agent.verbs.put("replicas", agent::replicas);
        agent.verbs.put("leave", q -> done(() -> agent.hz.shutdown(), fields("done", true)));
        agent.serve("small-hazelcast", BuildInfoProvider.getBuildInfo().getVersion());
    }

    private Map<String, Object> start(Map<String, Object> q) {
        backups = number(q, "backups");
        Config config = new Config(text(q, "name")).addMapConfig(new MapConfig("map").setBackupCount(backups));
        config.setProperty("hazelcast.partition.count", String.valueOf(number(q, "partitions")));
        config.getNetworkConfig().setPort(number(q, "port")).setPortAutoIncrement(false)
                .getInterfaces().setEnabled(true).addInterface(text(q, "host"));
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).setMembers(texts(q, "seeds"));
        hz = HazelcastInstanceFactory.newHazelcastInstance(config);
        node = ((HazelcastInstanceProxy) hz).getOriginal().node;
        node.partitionService.getPartitionOwner(0); // this makes the first arrangement
        return fields("member", me(), "address", text(q, "host") + ":" + number(q, "port"));
    }

    private String me() {
        return node.getThisUuid().toString();
    }

    private List<String> members() {
        return hz.getCluster().getMembers().stream().map(member -> member.getUuid().toString()).toList();
    }

    private int partition(Map<String, Object> q) {
        return hz.getPartitionService().getPartition(text(q, "key")).getPartitionId();
    }

    private List<String> row(int partition) {
        return Stream.of(node.partitionService.getPartition(partition, false).getReplicasCopy()).limit(1 + backups)
                .map(slot -> slot == null ? null : slot.uuid().toString()).toList();
    }

    private List<List<String>> rows() {
        return IntStream.range(0, node.partitionService.getPartitionCount()).mapToObj(this::row).toList();
    }

    private String why() {
        return hz.getPartitionService().isLocalMemberSafe() ? null : "by its own word it is not safe";
    }

    private Map<String, Object> replicas(Map<String, Object> q) {
        MapServiceContext maps = node.nodeEngine.<MapService>getService(MapService.SERVICE_NAME).getMapServiceContext();
        List<Object> copies = new ArrayList<>();
        for (int partition : numbers(q, "partitions", node.partitionService.getPartitionCount())) {
            RecordStore<?> store = maps.getPartitionContainer(partition).getExistingRecordStore("map");
            Map<Object, Object> held = new HashMap<>();
            if (store != null) {
                Function<Object, Object> plain = node.nodeEngine::toObject;
                store.forEach((key, record) -> held.put(plain.apply(key), plain.apply(record.getValue())), true, true);
            }
            int slot = row(partition).indexOf(me());
            String role = slot < 0 ? "left over" : slot == 0 ? "primary" : "backup";
            if (slot >= 0 || !held.isEmpty()) {
                copies.add(fields("partition", partition, "role", role, "entries", held));
            }
        }
        return fields("copies", copies);
    }
}
