package madang.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.opentest4j.AssertionFailedError;

/** What tests leave. The ids are those of clients/behaviours.md. */
@ExtendWith(MadangExtension.class)
@Execution(ExecutionMode.SAME_THREAD)
@ResourceLock(Fixtures.ON_SHARED_SERVER)
class ReportsTest {
  @TempDir Path folder;
  private Path results;

  private InnerRun run(Class<?> fixtures, MadangServer server, String... more) {
    results = folder.resolve("results");
    Map<String, String> parameters = new HashMap<>(Map.of(
        "madang.dev.url", server.url(), "madang.test.results", results.toString(), "junit.jupiter.execution.parallel.enabled", "false"));
    for (int index = 0; index < more.length; index += 2) {
      parameters.put(more[index], more[index + 1]);
    }
    return InnerRun.of(fixtures, parameters);
  }

  private Set<String> files() throws Exception {
    try (Stream<Path> files = Files.list(results)) {
      return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    }
  }

  private static List<Json> worldsOf(MadangServer server, String fixture) {
    return server.call("GET", "worlds", null).list().stream()
        .filter(world -> world.get("name").text().startsWith("Fixtures_" + fixture)).collect(Collectors.toList());
  }

  @Test
  @DisplayName("B10 a world ends after its test, also after a failed one")
  void ends(MadangServer server) {
    assertEquals(List.of(), run(Fixtures.Good.class, server).failures);
    assertEquals(1, run(Fixtures.Bad.class, server).failures.size());
    assertEquals(List.of(), worldsOf(server, ""));
  }

  @Test
  @DisplayName("B42 a failed test brings its journal, its HAR and a link to the console")
  void failed(MadangServer server) throws Exception {
    InnerRun run = run(Fixtures.Bad.class, server);
    assertEquals("of the test", run.failures.get(0).getMessage());
    assertEquals(Set.of("Fixtures_Bad.bad.journal.ndjson", "Fixtures_Bad.bad.har"), files());
    List<String> lines = Files.readAllLines(results.resolve("Fixtures_Bad.bad.journal.ndjson"));
    assertEquals(List.of("signIn", "me"),
        lines.stream().map(line -> Json.parse(line).get("operation").text()).collect(Collectors.toList()));
    Json archive = Json.parse(Files.readString(results.resolve("Fixtures_Bad.bad.har")));
    assertEquals(2, archive.get("log").get("entries").list().size());
    assertTrue(run.entries.get("madang.journal").contains("  mina@example.com  GET /v1/users/me (me): 200"), run.entries.toString());
    assertEquals("fault 1 answerLost: matched 1, applied 0\nfault 2 silence: matched 0, applied 0", run.entries.get("madang.faults"));
    assertTrue(run.entries.get("madang.files").contains(results.toString()), run.entries.toString());
    assertTrue(run.entries.get("madang.console").matches("http://127.0.0.1:\\d+/_dev/ \\(.*MADANG_TEST_KEEP=1.*"), run.entries.toString());
  }

  @Test
  @DisplayName("B42 a failure in @AfterEach counts, and each world of the test is reported")
  void late(MadangServer server) throws Exception {
    InnerRun run = run(Fixtures.BadAtTheEnd.class, server);
    assertEquals(AssertionFailedError.class, run.failures.get(0).getClass());
    assertEquals(4, files().size());
    assertEquals(Set.of("madang.files", "madang.console"), run.entries.keySet(), "an empty journal and no faults are left out");
    assertTrue(files().contains("Fixtures_BadAtTheEnd.twoWorlds.2.har"), files().toString());
  }

  @Test
  @DisplayName("B42 with MADANG_TEST_KEEP=1 the worlds of failed tests stay")
  void kept(MadangServer server) {
    InnerRun run = run(Fixtures.Bad.class, server, "madang.test.keep", "1");
    run(Fixtures.Good.class, server, "madang.test.keep", "1");
    List<Json> kept = worldsOf(server, "");
    assertEquals(1, kept.size());
    assertEquals(kept.get(0).get("url").text() + "/_dev/", run.entries.get("madang.console"));
    server.call("DELETE", "worlds/" + kept.get(0).get("id").text(), null);
  }

  @Test
  @DisplayName("B42 what cannot be written does not hide the test's failure")
  void unwritable(MadangServer server) throws Exception {
    Files.writeString(folder.resolve("results"), "a file where the directory should be");
    InnerRun run = run(Fixtures.Bad.class, server);
    assertEquals(List.of("of the test"), run.failures.stream().map(Throwable::getMessage).collect(Collectors.toList()));
    assertTrue(run.entries.get("madang.missing").contains(results.toString()), run.entries.toString());
  }

  @Test
  @DisplayName("B43 a passed test writes no files")
  void passed(MadangServer server) {
    InnerRun good = run(Fixtures.Good.class, server);
    InnerRun aborted = run(Fixtures.Aborted.class, server);
    assertEquals(2, good.finished() + aborted.finished());
    assertTrue(good.entries.isEmpty() && aborted.entries.isEmpty());
    assertFalse(Files.exists(results));
  }

  @Test
  @DisplayName("B44 tests in parallel share one server, and each has its own world")
  void parallel(MadangServer server) {
    InnerRun run = run(Fixtures.Many.class, server, "junit.jupiter.execution.parallel.enabled", "true");
    assertEquals(List.of(), run.failures);
    assertEquals(12, run.finished());
    assertEquals(12, Fixtures.Many.WORLDS.size());
    assertEquals(Set.of(server.url()), Fixtures.Many.SERVERS);
    assertEquals(List.of(), worldsOf(server, "Many"));
  }

  @Test
  @DisplayName("a world in the wrong place and wrong settings are errors with the cure")
  void wrong(MadangServer server) {
    String place = run(Fixtures.WrongPlace.class, server).failures.get(0).getMessage();
    assertTrue(place.contains("take a MadangServer in @BeforeAll"), place);
    String settings = run(Fixtures.WrongSettings.class, server).failures.get(0).getMessage();
    assertTrue(settings.contains("'socket.ping.interval' is not of the form"), settings);
  }
}
