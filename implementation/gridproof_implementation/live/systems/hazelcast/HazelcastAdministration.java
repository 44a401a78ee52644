import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.ClusterState;
import com.hazelcast.internal.partition.impl.InternalPartitionServiceImpl;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What operators do with a Hazelcast member, for live stories about the documents. */
final class HazelcastAdministration {
    private HazelcastAdministration() {}

    static void offer(Map<String, Agent.Verb> verbs, Supplier<Cluster> cluster,
            Supplier<InternalPartitionServiceImpl> table) {
        verbs.put("state", q -> state(cluster.get(), Agent.text(q, "state")));
        verbs.put("promote", q -> Agent.done(() -> cluster.get().promoteLocalLiteMember(), Agent.fields("done", true)));
        verbs.put("completed", q -> Agent.fields("completed", table.get().createPartitionStateInternal()
                .getCompletedMigrations().stream()
                .map(one -> List.of(one.getPartitionId(), one.getStatus().name())).toList()));
    }

    /** Change the state of the cluster, or say what it is. */
    private static Map<String, Object> state(Cluster cluster, String wanted) {
        if (wanted == null) {
            return Agent.fields("state", cluster.getClusterState().name());
        }
        cluster.changeClusterState(ClusterState.valueOf(wanted));
        return Agent.fields("done", true);
    }
}
