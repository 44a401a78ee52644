import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** As much of JSON as one line of the agent protocol needs: maps, lists, texts, numbers, true, false and null. */
final class Json {
    private final String text;
    private int at;

    Json(String text) {
        this.text = text;
    }

    Object read() {
        skipSpace();
        switch (text.charAt(at)) {
            case '{':
                return readObject();
            case '[':
                return readList();
            case '"':
                return readText();
            case 't':
                at += 4;
                return true;
            case 'f':
                at += 5;
                return false;
            case 'n':
                at += 4;
                return null;
            default:
                return readNumber();
        }
    }

    static void write(Object value, StringBuilder out) {
        if (value instanceof Map) {
            char sign = '{';
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                write(entry.getKey(), out.append(sign));
                write(entry.getValue(), out.append(':'));
                sign = ',';
            }
            out.append(sign == '{' ? "{}" : "}");
        } else if (value instanceof Iterable) {
            char sign = '[';
            for (Object one : (Iterable<?>) value) {
                write(one, out.append(sign));
                sign = ',';
            }
            out.append(sign == '[' ? "[]" : "]");
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            writeText(value.toString(), out);
        }
    }

    private static void writeText(String text, StringBuilder out) {
        out.append('"');
        for (char one : text.toCharArray()) {
            if (one == '"' || one == '\\') {
                out.append('\\').append(one);
            } else if (one < ' ' || Character.isSurrogate(one)) {
                out.append(String.format("\\u%04x", (int) one));
            } else {
                out.append(one);
            }
        }
        out.append('"');
    }

    private Map<String, Object> readObject() {
        Map<String, Object> found = new LinkedHashMap<>();
        at++;
        while (next() != '}') {
            String name = readText();
            next();
            at++; // the colon
            found.put(name, read());
            if (next() == ',') {
                at++;
            }
        }
        at++;
        return found;
    }

    private List<Object> readList() {
        List<Object> found = new ArrayList<>();
        at++;
        while (next() != ']') {
            found.add(read());
            if (next() == ',') {
                at++;
            }
        }
        at++;
        return found;
    }

    private String readText() {
        StringBuilder found = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            char one = text.charAt(at);
            if (one != '\\') {
                found.append(one);
                continue;
            }
            one = text.charAt(++at);
            if (one == 'u') {
                found.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                int index = "bfnrt".indexOf(one);
                found.append(index < 0 ? one : "\b\f\n\r\t".charAt(index));
            }
        }
        at++;
        return found.toString();
    }

    private Number readNumber() {
        int begin = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(begin, at);
        if (digits.matches("-?[0-9]+")) {
            return Long.valueOf(digits);
        }
        return Double.valueOf(digits);
    }

    private char next() {
        skipSpace();
        return text.charAt(at);
    }

    private void skipSpace() {
        while (Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }
}
