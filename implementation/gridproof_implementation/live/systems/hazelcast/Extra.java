import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import java.util.Map;
import java.util.function.Supplier;

/** Verbs that not every release can have: against other releases their class does not compile, and is left out. */
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
