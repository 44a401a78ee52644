import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import java.util.Map;
import java.util.function.Supplier;

/** Verbs that need what not every release has: against others their class does not compile, and is not there. */
interface Extra {
    default void configure(Config config) {}

    default void offer(Map<String, Agent.Verb> verbs) {}

    static Extra of(String name, Supplier<HazelcastInstance> hz) {
        try {
            return (Extra) Class.forName(name).getDeclaredConstructor(Supplier.class).newInstance(hz);
        } catch (ReflectiveOperationException absent) {
            return new Extra() {};
        }
    }
}
