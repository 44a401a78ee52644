import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.ClusterState;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.partition.impl.InternalPartitionServiceImpl;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What operators do with a Hazelcast member, for the stories of the documents. */
final class HazelcastAdministration {
    private final Supplier<HazelcastInstance> hz;
    private final Supplier<InternalPartitionServiceImpl> table;

    HazelcastAdministration(Supplier<HazelcastInstance> hz, Supplier<InternalPartitionServiceImpl> table) {
        this.hz = hz;
        this.table = table;
    }

    void offer(Map<String, Agent.Verb> verbs) {
        verbs.put("state", q -> state(Agent.text(q, "state")));
        verbs.put("promote", q -> Agent.done(() -> cluster().promoteLocalLiteMember(), Agent.fields("done", true)));
        verbs.put("completed", q -> Agent.fields("completed", table.get().createPartitionStateInternal()
                .getCompletedMigrations().stream()
                .map(one -> List.of(one.getPartitionId(), one.getStatus().name())).toList()));
    }

    private Cluster cluster() {
        return hz.get().getCluster();
    }

    /** Change the state of the cluster, or say what it is. */
    private Map<String, Object> state(String wanted) {
        if (wanted == null) {
            return Agent.fields("state", cluster().getClusterState().name());
        }
        cluster().changeClusterState(ClusterState.valueOf(wanted));
        return Agent.fields("done", true);
    }
}
