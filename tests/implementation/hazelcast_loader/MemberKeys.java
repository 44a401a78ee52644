import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.SerializationService;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedList;
import java.util.List;

/** What a member of Hazelcast makes of keys: a line of a type and a form is answered by payload, hash and partition. */
public final class MemberKeys {
    private static final int HEADER = 8;

    public static void main(String[] words) throws Exception {
        Config config = new Config("member-keys");
        config.getSerializationConfig().setByteOrder(
                words[0].equals("LITTLE_ENDIAN") ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        config.setProperty("hazelcast.logging.type", "none").setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.shutdownhook.enabled", "false").setProperty("hazelcast.socket.bind.any", "false");
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
        HazelcastInstance hz = Hazelcast.newHazelcastInstance(config);
        SerializationService service = ((HazelcastInstanceProxy) hz).getSerializationService();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        StringBuilder out = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Object key = TypedKeys.read((List<?>) new Json(line).read());
            Data data = service.toData(key);
            if (key instanceof List<?> list) {
                same(data, service.toData(new LinkedList<>(list)));
                same(data, service.toData(list.toArray()));
            }
            byte[] bytes = data.toByteArray();
            out.append(HexFormat.of().formatHex(bytes, HEADER, bytes.length)).append(' ').append(data.getPartitionHash())
                    .append(' ').append(hz.getPartitionService().getPartition(key).getPartitionId()).append('\n');
        }
        System.out.print(out);
        hz.shutdown();
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static void same(Data one, Data other) {
        byte[] left = one.toByteArray();
        byte[] right = other.toByteArray();
        if (!Arrays.equals(left, HEADER, left.length, right, HEADER, right.length)) {
            throw new IllegalStateException("lists of another class have other bytes");
        }
    }
}
