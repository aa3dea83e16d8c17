package madang.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Classes of tests that other tests run, by {@link InnerRun}. Some of them fail. */
final class Fixtures {
  /** The lock of tests that run fixtures on the server of all tests: some count the worlds of fixtures there. */
  static final String ON_SHARED_SERVER = "fixtures on the shared server";

  private Fixtures() {}

  @Tag("fixture")
  static class Good {
    @Test
    @World
    void good(MadangWorld world) {
      assertEquals("Mina", world.signIn("mina@example.com").get("users/me").get("nickname").text());
    }
  }

  @Tag("fixture")
  static class Bad {
    @Test
    @World
    void bad(MadangWorld world) {
      world.faults().add(Fault.answerLost(), Match.operation("me").nth(2));
      world.faults().add(Fault.silence(), Match.event("channel"));
      world.signIn("mina@example.com").get("users/me");
      throw new IllegalStateException("of the test");
    }
  }

  @Tag("fixture")
  @World
  static class BadAtTheEnd {
    @Test
    void twoWorlds(MadangWorld world, MadangServer server) {
      server.makeWorld("edge");
    }

    @AfterEach
    void end(MadangWorld world) {
      world.expect(Expectation.of(Expected.once(Filter.operation("signOut"))).within("0s"));
    }
  }

  @Tag("fixture")
  static class Aborted {
    @Test
    @World
    void aborted(MadangWorld world) {
      Assumptions.assumeTrue(world.people().isEmpty());
    }
  }

  @Tag("fixture")
  @World
  static class WrongPlace {
    @BeforeAll
    static void take(MadangWorld world) {}

    @Test
    void any() {}
  }

  @Tag("fixture")
  static class WrongSettings {
    @Test
    @World(settings = "socket.ping.interval")
    void any(MadangWorld world) {}
  }

  @Tag("fixture")
  @World
  static class Many {
    static final Set<String> WORLDS = ConcurrentHashMap.newKeySet();
    static final Set<String> SERVERS = ConcurrentHashMap.newKeySet();

    @RepeatedTest(12)
    void each(MadangWorld world, MadangServer server) {
      world.person("joon").post("of " + world.id(), "Weekend/quiet");
      MadangClient joon = world.signIn("joon@example.com");
      assertEquals(java.util.List.of("of " + world.id()), Rooms.texts(joon, Rooms.channel(joon, "quiet")));
      assertTrue(WORLDS.add(world.id()));
      SERVERS.add(server.url());
      assertTrue(world.name().startsWith("Fixtures_Many.each-"), world.name());
    }
  }

  /** Its server hangs or is killed. */
  @Tag("fixture")
  static class Ends {
    static volatile String signal;
    static volatile Path folder;

    @Test
    @World
    void ends(MadangWorld world, MadangServer server) throws Exception {
      if (signal.equals("-STOP")) {
        server.backend.limit = Duration.ofSeconds(1);
        server.backend.limitOfAbout = Duration.ofMillis(500);
      }
      folder = server.backend.started.folder;
      ProcessHandle process = ProcessHandle.current().descendants().filter(one -> isServer(one.info().commandLine().orElse("")))
          .findFirst().orElseThrow();
      new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor();
      // A signal takes effect a moment after it was sent: until then, calls are answered.
      for (int calls = 0; calls < 10_000; calls++) {
        world.clock().now();
      }
    }

    /** The shell that watches the server has its arguments as well. */
    private static boolean isServer(String command) {
      return command.contains(folder + "/data") && !command.contains(" -c ");
    }
  }

  /** Runs until its process is killed. */
  @Tag("fixture")
  @org.junit.jupiter.api.extension.ExtendWith(MadangExtension.class)
  static class Endless {
    @Test
    void endless(MadangServer server) throws Exception {
      System.out.println("at " + server.url());
      Thread.sleep(600_000);
    }
  }
}
