import com.hazelcast.config.Config;
import com.hazelcast.config.ListConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.config.MergePolicyConfig;
import com.hazelcast.config.PartitionGroupConfig.MemberGroupType;
import com.hazelcast.config.QueueConfig;
import com.hazelcast.config.SplitBrainProtectionConfig;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionException;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionOn;
import java.util.Map;

/** The configuration of a Hazelcast member that listens on one address of this machine; it joins only named members. */
final class HazelcastSettings {
    private HazelcastSettings() {}

    static Config of(Map<String, Object> q, String map, int syncBackups, int asyncBackups) {
        Config config = new Config(Agent.text(q, "name")).setLiteMember(Agent.truth(q, "lite"));
        config.setProperty("hazelcast.partition.count", String.valueOf(Agent.number(q, "partitions")));
        MapConfig ofMap = new MapConfig(map).setBackupCount(syncBackups).setAsyncBackupCount(asyncBackups)
                .setReadBackupData(Boolean.getBoolean("gridproof.reads.backups"));
        ListConfig lists = new ListConfig("*").setBackupCount(syncBackups).setAsyncBackupCount(asyncBackups);
        QueueConfig queues = new QueueConfig("*").setBackupCount(syncBackups).setAsyncBackupCount(asyncBackups);
        String merges = System.getProperty("gridproof.merge.policy");
        if (merges != null) {
            MergePolicyConfig policy = new MergePolicyConfig(merges, 100);
            ofMap.setMergePolicyConfig(policy).setPerEntryStatsEnabled(true); // some policies compare these
            lists.setMergePolicyConfig(policy);
            queues.setMergePolicyConfig(policy);
        }
        int needed = Integer.getInteger("gridproof.quorum", 0);
        if (needed > 0) {
            config.addSplitBrainProtectionConfig(new SplitBrainProtectionConfig("enough", true, needed)
                    .setProtectOn(SplitBrainProtectionOn.valueOf(System.getProperty("gridproof.protect.on"))));
            ofMap.setSplitBrainProtectionName("enough");
            lists.setSplitBrainProtectionName("enough");
            queues.setSplitBrainProtectionName("enough");
        }
        config.addMapConfig(ofMap).addListConfig(lists).addQueueConfig(queues);
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

    /** Whether split-brain protection refused the call: a cluster that is too small refuses before it does anything. */
    static boolean isProtected(Throwable error) {
        return error instanceof SplitBrainProtectionException || error.getCause() != null && isProtected(error.getCause());
    }
}
