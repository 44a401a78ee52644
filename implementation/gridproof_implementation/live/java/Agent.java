import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The Java side of the agent protocol (docs/adapter-protocol.md), without any library.
 *
 * <p>A subclass puts its verbs into {@link #verbs} and calls {@link #serve}. Each question has a thread of its own. The
 * process halts when its standard input ends; output that is printed goes to standard error.
 */
public abstract class Agent {

    /** Takes the fields of a question; returns the fields of the answer. */
    public interface Verb {
        Map<String, Object> answer(Map<String, Object> question) throws Throwable;
    }

    protected final Map<String, Verb> verbs = new LinkedHashMap<>();
    protected final Map<String, Object> hello = new LinkedHashMap<>();
    private final PrintStream lines =
            new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    protected final void serve(String system, String version, String... alsoOffered) {
        System.setOut(System.err);
        Logger.getLogger("").setLevel(Level.WARNING);
        List<Object> offers = new ArrayList<>(verbs.keySet());
        offers.addAll(List.of(alsoOffered));
        hello.putAll(fields("protocol", 1, "system", system, "version", version, "offers", offers));
        say(0, hello);
        try {
            answerAll(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)));
            if (Boolean.getBoolean("gridproof.exit")) { // a class-data archive is only written by a JVM that exits
                System.exit(0);
            }
        } catch (IOException broken) {
            // If the suite dies with answers unread, the connection is reset: an end like any other.
        } finally { // threads of the system would keep the process alive
            Runtime.getRuntime().halt(0);
        }
    }

    /** Answers an operation of clients on a structure, other than put and get, by its kind. */
    public interface Operation<S> {
        Object answer(S structure, String kind, String key, String value, String expected);
    }

    protected final <S> void operations(List<String> kinds, Supplier<S> structure, Operation<S> operation) {
        hello.put("operations", kinds);
        verbs.put("operate", q -> ok("value", operation.answer(structure.get(), text(q, "kind"), text(q, "key"),
                text(q, "value"), text(q, "expected"))));
    }

    private void answerAll(BufferedReader questions) throws IOException {
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            @SuppressWarnings("unchecked")
            Map<String, Object> question = (Map<String, Object>) new Json(line).read();
            Thread thread = new Thread(() -> say(question.get("id"), answer(question)));
            thread.setDaemon(true);
            thread.start();
        }
    }

    private Map<String, Object> answer(Map<String, Object> question) {
        Verb verb = verbs.get((String) question.get("do"));
        try {
            return verb == null ? fields("not_offered", true)
                    : Objects.requireNonNull(verb.answer(question), question.get("do") + " returned no fields");
        } catch (Throwable error) {
            return isRefusal(error) ? refused(error) : fields("error", words(error));
        }
    }

    /** Whether a call that failed with this error was certainly not executed. */
    protected boolean isRefusal(Throwable error) {
        return false;
    }

    private synchronized void say(Object id, Map<String, Object> fields) {
        Map<String, Object> message = fields("id", id);
        message.putAll(fields);
        StringBuilder text = new StringBuilder();
        Json.write(message, text);
        lines.print(text.append('\n'));
        lines.flush();
    }

    /** Fields by name, in order: name, value, name, value. */
    public static Map<String, Object> fields(Object... pairs) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int index = 0; index < pairs.length; index += 2) {
            fields.put((String) pairs[index], pairs[index + 1]);
        }
        return fields;
    }

    /** The answer for a read or write that was done. */
    public static Map<String, Object> ok(Object... pairs) {
        Map<String, Object> answer = fields("outcome", "ok");
        answer.putAll(fields(pairs));
        return answer;
    }

    /** Do something, then give this answer. */
    public static Map<String, Object> done(Runnable action, Map<String, Object> answer) {
        action.run();
        return answer;
    }

    public static Map<String, Object> refused(Throwable why) {
        return fields("outcome", "refused", "why", words(why));
    }

    public static String text(Map<String, Object> question, String name) {
        return (String) question.get(name);
    }

    public static int number(Map<String, Object> question, String name) {
        return ((Number) question.get(name)).intValue();
    }

    public static boolean truth(Map<String, Object> question, String name) {
        return Boolean.TRUE.equals(question.get(name));
    }

    /** The entries to put. */
    public static Map<String, String> entries(Map<String, Object> question) {
        Map<String, String> entries = new LinkedHashMap<>();
        ((Map<?, ?>) question.get("entries")).forEach((key, value) -> entries.put((String) key, (String) value));
        return entries;
    }

    /** The texts in a list. */
    public static List<String> texts(Map<String, Object> question, String name) {
        List<String> texts = new ArrayList<>();
        for (Object one : (List<?>) question.get(name)) {
            texts.add((String) one);
        }
        return texts;
    }

    /** The numbers in a list, or those from 0 to below `end` if there is no list. */
    public static List<Integer> numbers(Map<String, Object> question, String name, int end) {
        List<Integer> numbers = new ArrayList<>();
        if (question.get(name) == null) {
            for (int one = 0; one < end; one++) {
                numbers.add(one);
            }
        } else {
            for (Object one : (List<?>) question.get(name)) {
                numbers.add(((Number) one).intValue());
            }
        }
        return numbers;
    }

    private static String words(Throwable error) {
        return error.getClass().getSimpleName() + (error.getMessage() == null ? "" : ": " + error.getMessage());
    }
}
