package madang.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that hang, end, or lose answers. The ids are those of clients/behaviours.md. */
class NetworkTest {
  private static final String PROGRAM = System.getenv("MADANG_PROGRAM");

  @TempDir Path temporary;

  private static ServerSocket listener() throws IOException {
    return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  private static String address(ServerSocket socket) {
    return "http://127.0.0.1:" + socket.getLocalPort();
  }

  private static String message(org.junit.jupiter.api.function.Executable call) {
    return assertThrows(MadangError.class, call).getMessage();
  }

  private static boolean runs(Path folder) throws Exception {
    return new ProcessBuilder("pgrep", "-f", folder + "/data").start().waitFor() == 0;
  }

  @Test
  @DisplayName("B02 a server that is silent is asked for a short time")
  void silent() throws Exception {
    try (ServerSocket silent = listener()) {
      ServerFinder finder = new ServerFinder(Map.of("MADANG_DEV_URL", address(silent))::get, address(silent));
      finder.limit = Duration.ofMillis(300);
      String words = message(finder::backend);
      assertTrue(words.contains("but GET /_dev/about: no answer within 0.3 s. Start 'madang serve --dev' there"), words);
    }
  }

  @Test
  @DisplayName("B12 later calls of a silent server take a short time")
  void later() throws Exception {
    try (ServerSocket silent = listener(); Backend backend = new Backend(address(silent), null, null)) {
      backend.limit = Duration.ofMillis(1500);
      backend.limitOfAbout = Duration.ofMillis(300);
      assertEquals("GET /_dev/worlds: no answer within 1.5 s", message(() -> backend.call("GET", "worlds", null)));
      assertEquals("GET /_dev/about: no answer within 0.3 s", message(() -> backend.makeWorld(Map.of(), "10m")));
      assertEquals(
          "the server at " + address(silent) + " does not answer: GET /_dev/about: no answer within 0.3 s", backend.silence(false));
    }
  }

  @Test
  @DisplayName("B12 a lost answer is an error that names the call")
  void refused() throws Exception {
    String url = ServerTest.closedPort();
    try (Backend backend = new Backend(url, null, null)) {
      assertEquals("POST /_dev/worlds: no answer: nothing listens there", message(() -> backend.makeWorld(Map.of(), "10m")));
    }
    assertEquals("GET /v1/users/me: no answer: nothing listens there", message(() -> new MadangClient(url, "key").get("users/me")));
  }

  @Test
  @DisplayName("B12 an answer that is cut is an error that names the call")
  void cut() throws Exception {
    HttpServer stub = stub();
    stub.createContext("/_dev/worlds", exchange -> answer(exchange, 200, "{\"now\": \"2026"));
    try (Backend backend = new Backend(url(stub), null, null)) {
      String words = message(() -> backend.call("GET", "worlds", null));
      assertEquals("GET /_dev/worlds: the answer is cut or is not JSON: {\"now\": \"2026", words);
    } finally {
      stub.stop(0);
    }
  }

  @Test
  @DisplayName("B10 a world is removed again after a lost answer")
  void removedAgain() throws Exception {
    HttpServer stub = stub();
    AtomicInteger removals = new AtomicInteger();
    stub.createContext("/_dev/about", exchange -> answer(exchange, 200, "{\"keys\":{}}"));
    stub.createContext("/_dev/worlds", exchange -> {
      if (!exchange.getRequestMethod().equals("DELETE")) {
        answer(exchange, 200, "{\"id\":\"w1\",\"name\":\"w1\",\"url\":\"" + url(stub) + "\",\"keys\":{}}");
      } else if (removals.incrementAndGet() == 1) {
        exchange.close();
      } else {
        answer(exchange, 200, "{}");
      }
    });
    try (Backend backend = new Backend(url(stub), null, null)) {
      MadangWorld world = new MadangWorld(backend, new WorldPlan());
      assertTrue(message(world::close).startsWith("DELETE /_dev/worlds/w1: no answer: "));
      world.close();
      world.close();
    } finally {
      stub.stop(0);
    }
    assertEquals(2, removals.get());
  }

  @Test
  @DisplayName("B03 a server that does not end is killed, and its folder removed")
  void stubborn() throws Exception {
    Path program = temporary.resolve("stubborn");
    Files.writeString(program, "#!/bin/sh\ntrap '' TERM\necho madang listening on http://127.0.0.1:9\nwhile :; do sleep 0.1; done\n");
    assertTrue(program.toFile().setExecutable(true));
    StartedServer server = StartedServer.start(program.toString(), 1);
    assertTrue(runs(server.folder));
    server.close();
    // A child of the program, `sleep`, may live a moment longer.
    for (long end = System.nanoTime() + 30_000_000_000L; runs(server.folder); Thread.sleep(50)) {
      assertTrue(System.nanoTime() < end, "processes use " + server.folder);
    }
    assertFalse(Files.exists(server.folder));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-STOP", "-KILL"})
  @ResourceLock("Fixtures.Ends")
  @DisplayName("B42 a server that hangs or is killed costs seconds and leaves nothing")
  void ends(String signal) throws Exception {
    assumeTrue(PROGRAM != null, "MADANG_PROGRAM is not set");
    Fixtures.Ends.signal = signal;
    InnerRun run = InnerRun.of(
        Fixtures.Ends.class, Map.of("madang.program", PROGRAM, "junit.jupiter.execution.parallel.enabled", "false"));
    String failure = run.failures.get(0).getMessage();
    String missing = run.entries.get("madang.missing");
    assertTrue(missing.endsWith("\nSo the journals are not here, and the worlds are not removed."), missing);
    if (signal.equals("-STOP")) {
      assertTrue(failure.endsWith("/clock: no answer within 1 s"), failure);
      assertTrue(missing.contains(" does not answer: GET /_dev/about: no answer within 0.5 s\n"), missing);
    } else {
      assertTrue(failure.contains("/clock: no answer: "), failure);
      assertTrue(failure.contains("\nThe server has ended with status 137 (signal 9). The end of its log:"), failure);
    }
    assertEquals(List.of("madang.missing"), List.copyOf(run.entries.keySet()));
    assertFalse(runs(Fixtures.Ends.folder) || Files.exists(Fixtures.Ends.folder));
  }

  @Test
  @DisplayName("B42 different tests have different files")
  void names() {
    assertEquals("ChatTest_Inner.sends", TestName.plain("ChatTest_Inner.sends", "[id]"));
    assertEquals("ChatTest.sends_a_text-ca978112", TestName.plain("ChatTest.sends a text", "a"));
    String name = "ChatTest." + "\uac00".repeat(100);
    assertTrue(TestName.plain(name, "a").startsWith("ChatTest.\uac00\uac00"));
    assertNotEquals(TestName.plain(name + "1", "a"), TestName.plain(name + "2", "b"));
    assertTrue((TestName.plain(name, "a") + "-12.journal.ndjson").getBytes(StandardCharsets.UTF_8).length < 255);
    assertTrue(TestName.plain("ChatTest." + "\ud83d\ude00a".repeat(100), "a").length() < 95);
  }

  private static HttpServer stub() throws IOException {
    HttpServer stub = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    stub.start();
    return stub;
  }

  private static String url(HttpServer stub) {
    return "http://127.0.0.1:" + stub.getAddress().getPort();
  }

  private static void answer(com.sun.net.httpserver.HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
