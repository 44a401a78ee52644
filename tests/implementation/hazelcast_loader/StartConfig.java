import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import java.util.LinkedHashMap;
import java.util.Map;

/** Whether a member of Hazelcast loads a file, starts with it, and makes each structure that it names: a line of JSON each. */
public final class StartConfig {
    public static void main(String[] files) {
        System.setProperty("hazelcast.logging.type", "none");
        for (String file : files) {
            Map<String, Object> said = new LinkedHashMap<>();
            String step = "load";
            HazelcastInstance member = null;
            try {
                Config config = Config.loadFromFile(new java.io.File(file));
                silence(config);
                step = "start";
                member = Hazelcast.newHazelcastInstance(config);
                step = "use";
                use(member, config);
                step = "fine";
            } catch (Exception | LinkageError refusal) {
                Throwable cause = refusal;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                said.put("why", cause.getClass().getSimpleName() + ": " + cause.getMessage());
            } finally {
                if (member != null) {
                    member.getLifecycleService().terminate();
                }
            }
            said.put("step", step);
            StringBuilder line = new StringBuilder();
            Json.write(said, line);
            System.out.println(line);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static void silence(Config config) {
        config.setProperty("hazelcast.phone.home.enabled", "false").setProperty("hazelcast.shutdownhook.enabled", "false");
        config.setProperty("hazelcast.socket.bind.any", "false").setProperty("hazelcast.wait.seconds.before.join", "0");
        config.getNetworkConfig().getInterfaces().setEnabled(true).clear().addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
    }

    private static void use(HazelcastInstance member, Config config) {
        config.getMapConfigs().keySet().stream().filter(StartConfig::isName).forEach(name -> member.getMap(name).size());
        config.getMultiMapConfigs().keySet().stream().filter(StartConfig::isName).forEach(n -> member.getMultiMap(n).size());
        config.getQueueConfigs().keySet().stream().filter(StartConfig::isName).forEach(name -> member.getQueue(name).size());
        config.getListConfigs().keySet().stream().filter(StartConfig::isName).forEach(name -> member.getList(name).size());
        config.getSetConfigs().keySet().stream().filter(StartConfig::isName).forEach(name -> member.getSet(name).size());
        config.getRingbufferConfigs().keySet().stream().filter(StartConfig::isName)
                .forEach(name -> member.getRingbuffer(name).size());
        config.getCardinalityEstimatorConfigs().keySet().stream().filter(StartConfig::isName)
                .forEach(name -> member.getCardinalityEstimator(name).estimate());
    }

    private static boolean isName(String name) {
        return !name.contains("*");
    }
}
