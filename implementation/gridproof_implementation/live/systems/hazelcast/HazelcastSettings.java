import com.hazelcast.config.Config;
import com.hazelcast.config.ListConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.config.PartitionGroupConfig.MemberGroupType;
import com.hazelcast.config.QueueConfig;
import java.util.Map;

/** The configuration of a Hazelcast member that listens on one address of this machine, and joins by name alone. */
final class HazelcastSettings {
    private HazelcastSettings() {}

    static Config of(Map<String, Object> q, String map, int syncBackups, int asyncBackups) {
        Config config = new Config(Agent.text(q, "name")).setLiteMember(Agent.truth(q, "lite"));
        config.setProperty("hazelcast.partition.count", String.valueOf(Agent.number(q, "partitions")));
        config.addMapConfig(new MapConfig(map).setBackupCount(syncBackups).setAsyncBackupCount(asyncBackups)
                .setReadBackupData(Boolean.getBoolean("gridproof.reads.backups")));
        config.addListConfig(new ListConfig("*").setBackupCount(syncBackups).setAsyncBackupCount(asyncBackups));
        config.addQueueConfig(new QueueConfig("*").setBackupCount(syncBackups).setAsyncBackupCount(asyncBackups));
        String group = Agent.text(q, "group");
        if (group != null) {
            config.getPartitionGroupConfig().setEnabled(true).setGroupType(MemberGroupType.ZONE_AWARE);
            config.getMemberAttributeConfig().setAttribute("hazelcast.partition.group.zone", group);
        }
        NetworkConfig network = config.getNetworkConfig().setPort(Agent.number(q, "port")).setPortAutoIncrement(false);
        network.getInterfaces().setEnabled(true).addInterface(Agent.text(q, "host"));
        network.getJoin().getAutoDetectionConfig().setEnabled(false);
        network.getJoin().getMulticastConfig().setEnabled(false);
        network.getJoin().getTcpIpConfig().setEnabled(true).setMembers(Agent.texts(q, "seeds"));
        return config;
    }
}
