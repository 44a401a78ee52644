import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import java.util.Map;
import java.util.function.Supplier;

/** Stream jobs, which are in Hazelcast's members since 5.0: before, their class does not compile and is not there. */
interface Jobs {
    default void configure(Config config) {}

    default void offer(Map<String, Agent.Verb> verbs) {}

    static Jobs of(Supplier<HazelcastInstance> hz) {
        try {
            return (Jobs) Class.forName("HazelcastJobs").getDeclaredConstructor(Supplier.class).newInstance(hz);
        } catch (ReflectiveOperationException absent) {
            return new Jobs() {};
        }
    }
}
