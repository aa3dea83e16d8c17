package madang.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code try}, with a kit of one class. */
class TryTest {
  @TempDir Path folder;

  @BeforeEach
  void copy() throws IOException {
    assumeTrue(Files.exists(Path.of("/usr/share/java/junit-jupiter-api.jar")), "Debian's package junit5 is not installed");
    for (String file : List.of("try", "classpath")) {
      Files.copy(Path.of(file), folder.resolve(file));
    }
    kit("the first");
  }

  private void kit(String words) throws IOException {
    Path sources = Files.createDirectories(folder.resolve("src/main/java"));
    Files.writeString(sources.resolve("Kit.java"), "/** A kit. */ class Kit { static String words() { return \"" + words + "\"; } }");
  }

  /** The exit status and output of `try` with a class whose test passes if the kit has these words. */
  private String run(String type, String words) throws Exception {
    Path file = folder.resolve(type + ".java");
    Files.writeString(file, "class " + type + " { @org.junit.jupiter.api.Test void words() {"
        + " org.junit.jupiter.api.Assertions.assertEquals(\"" + words + "\", Kit.words()); } }");
    Process process = new ProcessBuilder("bash", folder.resolve("try").toString(), file.toString()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() + "\n" + output;
  }

  private List<Path> kept() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("build"))) {
      return files.collect(Collectors.toList());
    }
  }

  @Test
  @DisplayName("the compiled kit is kept while its sources are the same")
  void keeps() throws Exception {
    String first = run("KitTest", "the first");
    assertTrue(first.startsWith("0\n"), first);
    assertEquals(1, kept().size());
    Path jar = kept().get(0);
    Object made = Files.readAttributes(jar, "unix:ino").get("ino");
    String again = run("KitTest", "the first");
    assertTrue(again.startsWith("0\n"), again);
    assertEquals(made, Files.readAttributes(jar, "unix:ino").get("ino"));
    kit("the second");
    String changed = run("KitTest", "the second");
    assertTrue(changed.startsWith("0\n"), changed);
    assertEquals(1, kept().size());
    assertNotEquals(jar, kept().get(0));
  }

  @Test
  @DisplayName("a class that is not found because of its name is an error that says so")
  void names() throws Exception {
    String output = run("KitCheck", "the first");
    assertTrue(output.startsWith("2\n"), output);
    assertTrue(output.contains("no test ran: class names must end with Test"), output);
    String failed = run("KitTest", "wrong");
    assertTrue(failed.startsWith("1\n") && !failed.contains("no test ran"), failed);
  }
}
