import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.instance.impl.DefaultNodeContext;
import com.hazelcast.instance.impl.DefaultNodeExtension;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.instance.impl.NodeExtension;
import com.hazelcast.internal.networking.InboundHandler;
import com.hazelcast.internal.nio.Packet;
import com.hazelcast.internal.serialization.DataSerializerHook;
import com.hazelcast.internal.server.ServerConnection;
import com.hazelcast.internal.server.ServerContext;
import com.hazelcast.internal.server.tcp.PacketDecoder;
import com.hazelcast.internal.util.ServiceLoader;
import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.spi.impl.operationservice.impl.responses.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The message gate of a Hazelcast member (docs/sources.md, Hazelcast): what arrives can be held, dropped, and released by name.
 *
 * <p>The gate is inbound, so that a held message outlives its sender, as in a network. TCP keeps order, and the gate
 * does not: a story in which a later message of the same connection passes a held one has to say so.
 */
final class HazelcastGate extends DefaultNodeContext {
    private static final class Rule {
        String operation;
        int port;
        int partition;
        long left;
        boolean drops;
        final List<Packet> held = new ArrayList<>();
        long met;
    }

    private final Map<Long, Rule> rules = new HashMap<>();
    private final Map<Integer, DataSerializableFactory> factories = new HashMap<>();
    private final Map<Long, String> names = new HashMap<>();
    private Node node;
    private long lastRule;

    /** Offer the verbs of the gate. */
    void offer(Map<String, Agent.Verb> verbs, Map<String, Object> hello) {
        hello.put("messages", Agent.fields("backup", "Backup"));
        verbs.put("hold", q -> Agent.fields("rule", add(q, false)));
        verbs.put("drop", q -> Agent.fields("rule", add(q, true)));
        verbs.put("release", q -> Agent.fields("messages", release(Agent.number(q, "rule"))));
        verbs.put("met", q -> Agent.fields("messages", met(Agent.number(q, "rule"))));
    }

    @Override
    public NodeExtension createNodeExtension(Node created) {
        node = created;
        return new DefaultNodeExtension(created) {
            @Override
            public InboundHandler[] createInboundHandlers(
                    EndpointQualifier qualifier, ServerConnection connection, ServerContext context) {
                return new InboundHandler[] {new PacketDecoder(connection, HazelcastGate.this::accept)};
            }
        };
    }

    private void accept(Packet packet) {
        if (!isStopped(packet)) {
            node.nodeEngine.getPacketDispatcher().accept(packet);
        }
    }

    private synchronized boolean isStopped(Packet packet) {
        for (Rule rule : rules.values()) {
            if (rule.left > 0 && fits(rule, packet)) {
                rule.left--;
                rule.met++;
                if (!rule.drops) {
                    rule.held.add(packet);
                }
                return true;
            }
        }
        return false;
    }

    private boolean fits(Rule rule, Packet packet) {
        return (rule.port == 0 || rule.port == portOf(packet))
                && (rule.partition < 0 || rule.partition == packet.getPartitionId())
                && (rule.operation.equals("*") || rule.operation.equals(nameOf(packet)));
    }

    /** The port that the sender listens on. */
    private static int portOf(Packet packet) {
        return packet.getConn().getRemoteAddress() == null ? 0 : packet.getConn().getRemoteAddress().getPort();
    }

    /** The class of the operation, read from the first bytes: some operations cannot be read outside their thread. */
    private String nameOf(Packet packet) {
        if (packet.getPacketType() != Packet.Type.OPERATION) {
            return packet.getPacketType().name();
        }
        byte[] bytes = packet.toByteArray();
        int factory = intAt(bytes, Response.OFFSET_TYPE_FACTORY_ID);
        int type = intAt(bytes, Response.OFFSET_TYPE_ID);
        return names.computeIfAbsent((long) factory << 32 | type & 0xffffffffL, key -> className(factory, type));
    }

    private String className(int factory, int type) {
        try {
            if (factories.isEmpty()) {
                Iterator<DataSerializerHook> hooks = ServiceLoader.iterator(DataSerializerHook.class,
                        "com.hazelcast.DataSerializerHook", node.getConfigClassLoader());
                hooks.forEachRemaining(hook -> factories.put(hook.getFactoryId(), hook.createFactory()));
            }
            return factories.get(factory).create(type).getClass().getSimpleName();
        } catch (Exception unknown) {
            return factory + "/" + type;
        }
    }

    private static int intAt(byte[] bytes, int at) {
        return bytes[at] << 24 | (bytes[at + 1] & 0xff) << 16 | (bytes[at + 2] & 0xff) << 8 | bytes[at + 3] & 0xff;
    }

    private synchronized long add(Map<String, Object> q, boolean drops) {
        Rule rule = new Rule();
        rule.operation = q.get("operation") == null ? "*" : Agent.text(q, "operation");
        rule.port = q.get("port") == null ? 0 : Agent.number(q, "port");
        rule.partition = q.get("partition") == null ? -1 : Agent.number(q, "partition");
        rule.left = q.get("count") == null ? Long.MAX_VALUE : Agent.number(q, "count");
        rule.drops = drops;
        rules.put(++lastRule, rule);
        return lastRule;
    }

    private synchronized long met(long number) {
        return rules.get(number).met;
    }

    /** End a rule and pass on the messages that it held, in order; return how many there were. */
    private long release(long number) {
        Rule rule;
        synchronized (this) {
            rule = rules.remove(number);
        }
        rule.held.forEach(node.nodeEngine.getPacketDispatcher());
        return rule.held.size();
    }
}
