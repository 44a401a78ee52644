import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A toy that stands in for your system; delete it, and the program behind it, toy.py, which answers line by line. */
final class Toy {
    private final Writer questions;
    private final BufferedReader answers;

    Toy() throws IOException {
        Process program = new ProcessBuilder("python3", "toy.py").redirectError(ProcessBuilder.Redirect.INHERIT).start();
        questions = new OutputStreamWriter(program.getOutputStream(), StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Return what a method of the toy returns. */
    synchronized Object ask(String method, Object... asked) throws IOException {
        List<Object> question = new ArrayList<>(List.of(method));
        question.addAll(List.of(asked));
        StringBuilder line = new StringBuilder();
        Json.write(question, line);
        questions.write(line.append('\n').toString());
        questions.flush();
        Map<?, ?> answer = (Map<?, ?>) new Json(answers.readLine()).read();
        if (answer.containsKey("error")) {
            throw new IOException((String) answer.get("error"));
        }
        return answer.get("value");
    }

    @SuppressWarnings("unchecked")
    List<String> list(String method, Object... asked) throws IOException {
        return (List<String>) ask(method, asked);
    }
}
