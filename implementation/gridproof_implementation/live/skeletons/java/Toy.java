import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A toy that stands in for your system; delete it.
 *
 * <p>The members are processes that share a folder, each with a file an entry: every one sees everything, so nobody has to
 * send.
 */
final class Toy {
    private static final Path ROOT = Path.of(System.getenv().getOrDefault("GRIDPROOF_FOLDER", "."), "toy");
    String name;
    private int partitions;
    private int backups;

    void join(String name, int partitions, int backups) throws IOException {
        this.name = name;
        this.partitions = partitions;
        this.backups = backups;
        Files.createDirectories(ROOT.resolve(name));
        Files.writeString(ROOT.resolve(name).resolve("pid"), String.valueOf(ProcessHandle.current().pid()));
        share();
    }

    void leave() throws IOException {
        Files.delete(ROOT.resolve(name).resolve("pid"));
        share();
        delete(ROOT.resolve(name));
    }

    List<String> members() throws IOException {
        List<String> members = new ArrayList<>();
        for (Path folder : list(ROOT)) {
            if (lives(folder)) {
                members.add(folder.getFileName().toString());
            }
        }
        return members;
    }

    int partitionOf(String key) {
        return (int) (Long.parseLong(md5(key).substring(0, 8), 16) % partitions);
    }

    List<String> row(int partition) throws IOException {
        return row(members(), partition);
    }

    private List<String> rowOf(String key) throws IOException {
        return row(partitionOf(key));
    }

    private String file(String key) {
        return "=" + partitionOf(key) + "=" + md5(key);
    }

    void put(String key, String value) throws IOException {
        for (String member : rowOf(key)) {
            write(ROOT.resolve(member).resolve(file(key)), key + "\0" + value);
        }
    }

    void remove(String key) throws IOException {
        for (String member : rowOf(key)) {
            Files.deleteIfExists(ROOT.resolve(member).resolve(file(key)));
        }
    }

    String get(String key) throws IOException {
        Path file = ROOT.resolve(rowOf(key).get(0)).resolve(file(key));
        return Files.exists(file) ? entry(file)[1] : null;
    }

    Map<String, String> held(int partition) throws IOException {
        Map<String, String> held = new HashMap<>();
        for (Path file : entries(ROOT.resolve(name))) {
            if (file.getFileName().toString().startsWith("=" + partition + "=")) {
                String[] entry = entry(file);
                held.put(entry[0], entry[1]);
            }
        }
        return held;
    }

    /** Take the folders of the dead away and share anew; return what was done. */
    String mend() throws IOException {
        String died = null;
        for (Path folder : list(ROOT)) {
            if (!lives(folder)) {
                died = folder.getFileName() + " died";
                delete(folder);
            }
        }
        if (died != null) {
            share();
        }
        return died;
    }

    /** Have every entry in its row, and nowhere else. */
    private void share() throws IOException {
        List<String> members = members();
        Map<String, String> values = new HashMap<>();
        for (Path folder : list(ROOT)) {
            for (Path file : entries(folder)) {
                values.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        for (Map.Entry<String, String> value : values.entrySet()) {
            List<String> row = row(members, partitionOf(value.getValue().split("\0", 2)[0]));
            for (Path folder : list(ROOT)) {
                if (row.contains(folder.getFileName().toString())) {
                    write(folder.resolve(value.getKey()), value.getValue());
                } else {
                    Files.deleteIfExists(folder.resolve(value.getKey()));
                }
            }
        }
    }

    private List<String> row(List<String> members, int partition) {
        List<String> row = new ArrayList<>(members);
        row.sort(Comparator.comparing(member -> md5(partition + " " + member)));
        return row.subList(0, Math.min(1 + backups, row.size()));
    }

    private static boolean lives(Path folder) {
        try {
            return ProcessHandle.of(Long.parseLong(Files.readString(folder.resolve("pid")))).isPresent();
        } catch (IOException | NumberFormatException error) {
            return false;
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static List<Path> entries(Path folder) throws IOException {
        return list(folder).stream().filter(file -> file.getFileName().toString().startsWith("=")).toList();
    }

    /** Key and value; a key of the toy holds no character 0. */
    private static String[] entry(Path file) throws IOException {
        return Files.readString(file).split("\0", 2);
    }

    private static void write(Path file, String text) throws IOException {
        Path half = file.resolveSibling(ProcessHandle.current().pid() + "-" + Thread.currentThread().getId());
        Files.writeString(half, text);
        Files.move(half, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void delete(Path folder) throws IOException {
        for (Path file : list(folder)) {
            Files.deleteIfExists(file);
        }
        Files.deleteIfExists(folder);
    }

    private static String md5(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8));
            return String.format("%032x", new BigInteger(1, digest));
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }
}
