package madang.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Which server is used. The ids are those of clients/behaviours.md. */
@ExtendWith(MadangExtension.class)
class ServerTest {
  private static final String PROGRAM = System.getenv("MADANG_PROGRAM");
  /** They hold their ports without listening. */
  private static final List<Socket> CLOSED = Collections.synchronizedList(new ArrayList<>());

  private static Backend find(Map<String, String> environment, String defaultUrl) {
    return new ServerFinder(environment::get, defaultUrl).backend();
  }

  /** A URL at which nothing listens, and at which no other program will. */
  static String closedPort() throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    CLOSED.add(socket);
    return "http://127.0.0.1:" + socket.getLocalPort();
  }

  private static boolean isOpen(String url) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", URI.create(url).getPort()), 2000);
      return true;
    } catch (IOException error) {
      return false;
    }
  }

  private static void untilClosed(String url) throws InterruptedException {
    for (long end = System.nanoTime() + 30_000_000_000L; isOpen(url); Thread.sleep(50)) {
      assertTrue(System.nanoTime() < end, "the server at " + url + " is still there");
    }
  }

  @Test
  @DisplayName("B01 with MADANG_DEV_URL the kit uses the server at that URL and starts none")
  void named(MadangServer server) throws Exception {
    try (Backend found = find(Map.of("MADANG_DEV_URL", server.url() + "/", "MADANG_PROGRAM", "/nonexistent"), closedPort())) {
      assertEquals(server.url(), found.url);
      assertFalse(found.isStarted());
    }
    String host = server.url().replace("http://", "");
    for (String address : List.of(host, host + "/", host + "/_dev", server.url() + "/_dev/", server.url() + "//")) {
      try (Backend found = find(Map.of("MADANG_DEV_URL", address), closedPort())) {
        assertEquals(server.url(), found.url);
      }
    }
    try (Backend found = find(Map.of(), server.url())) {
      assertFalse(found.isStarted());
    }
    assertTrue(isOpen(server.url()));
  }

  @Test
  @DisplayName("B02 if no server answers at MADANG_DEV_URL, the error names the URL and the cure")
  void silent() throws Exception {
    String url = closedPort();
    String words = assertThrows(MadangError.class, () -> find(Map.of("MADANG_DEV_URL", url), url)).getMessage();
    assertTrue(words.contains(url) && words.contains("MADANG_DEV_URL") && words.contains("madang serve --dev"), words);
    for (String wrong : List.of("ftp://localhost:8080", "http://", "http://127.0.0.1:8080/chat", "http://127.0.0.1:8080?a=b")) {
      words = assertThrows(MadangError.class, () -> find(Map.of("MADANG_DEV_URL", wrong), url)).getMessage();
      assertEquals("MADANG_DEV_URL is " + wrong + ", which is no address such as http://127.0.0.1:8080", words);
    }
    words = assertThrows(
        MadangError.class, () -> find(Map.of("MADANG_DEV_URL", "http://192.168.1.20:8080/_dev/hjrb3n7w/..."), url)).getMessage();
    assertTrue(words.contains("set it to http://192.168.1.20:8080, and MADANG_DEV_TOKEN to the token"), words);
  }

  @Test
  @DisplayName("B03 without a running server the kit starts the program of MADANG_PROGRAM, and ends it with the test run")
  void started() throws Exception {
    assumeTrue(PROGRAM != null, "MADANG_PROGRAM is not set");
    String url;
    try (Backend started = find(Map.of("MADANG_PROGRAM", PROGRAM), closedPort())) {
      url = started.url;
      assertTrue(started.isStarted());
      assertEquals(5, new MadangServer(started, false).makeWorld("courtyard").people().size());
    }
    untilClosed(url);
  }

  @Test
  @DisplayName("B03 the server ends with a test run that is killed, and so does its folder")
  void killed() throws Exception {
    assumeTrue(PROGRAM != null, "MADANG_PROGRAM is not set");
    Process run = inner("Endless", Map.of("MADANG_PROGRAM", PROGRAM));
    String line = new java.io.BufferedReader(new java.io.InputStreamReader(run.getInputStream(), StandardCharsets.UTF_8)).lines()
        .filter(one -> one.startsWith("at ")).findFirst().orElseThrow();
    String url = line.substring(3);
    assertTrue(isOpen(url));
    run.destroyForcibly().waitFor();
    untilClosed(url);
  }

  @Test
  @DisplayName("B03 a program that does not start is an error with its words")
  void broken() {
    String words = assertThrows(MadangError.class, () -> StartedServer.start("/usr/bin/false")).getMessage();
    assertTrue(words.contains("/usr/bin/false did not start"), words);
    words = assertThrows(MadangError.class, () -> StartedServer.start("/nonexistent")).getMessage();
    assertTrue(words.contains("not found"), words);
    words = assertThrows(MadangError.class, () -> find(Map.of("MADANG_PROGRAM", "/nonexistent"), closedPort())).getMessage();
    assertTrue(words.startsWith("MADANG_PROGRAM is /nonexistent, but ") && words.contains("not found"), words);
    assertTrue(words.endsWith(". Set MADANG_PROGRAM to the path of the program 'madang'"), words);
  }

  @Test
  @ResourceLock(Fixtures.ON_SHARED_SERVER)
  @DisplayName("B04 one line says whether the server was found or started, and its URL")
  void lines(MadangServer server) throws Exception {
    Process found = inner("Good", Map.of("MADANG_DEV_URL", server.url()));
    assertEquals("madang: found at " + server.url() + "\n", new String(found.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
    assertEquals(0, found.waitFor());
    assumeTrue(PROGRAM != null, "MADANG_PROGRAM is not set");
    Process started = inner("Good", Map.of("MADANG_PROGRAM", PROGRAM));
    String words = new String(started.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(words.matches("madang: started at http://127.0.0.1:\\d+\n"), words);
    assertEquals(0, started.waitFor());
  }

  @Test
  @DisplayName("B05 if there is no server and no program, the error names both and the cure")
  void nothing() throws Exception {
    String url = closedPort();
    String words = assertThrows(MadangError.class, () -> find(Map.of("PATH", "/nonexistent:/proc"), url)).getMessage();
    for (String word : List.of(url, "PATH", "madang serve --dev", "MADANG_DEV_URL", "MADANG_PROGRAM")) {
      assertTrue(words.contains(word), words);
    }
    Process run = inner("Good", Map.of("MADANG_DEV_URL", url));
    String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(1, run.waitFor());
    assertTrue(output.contains(url), output);
  }

  @Test
  @DisplayName("B06 development calls carry the token of MADANG_DEV_TOKEN")
  void token() throws Exception {
    List<String> tokens = Collections.synchronizedList(new ArrayList<>());
    HttpServer stub = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    stub.createContext("/", exchange -> {
      tokens.add(exchange.getRequestHeaders().getFirst("Authorization"));
      byte[] answer = "{\"keys\":{}}".getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
      exchange.close();
    });
    stub.start();
    try {
      String url = "http://127.0.0.1:" + stub.getAddress().getPort();
      find(Map.of("MADANG_DEV_URL", url, "MADANG_DEV_TOKEN", "ci-token-0123456789ab"), url).close();
    } finally {
      stub.stop(0);
    }
    assertEquals(List.of("Bearer ci-token-0123456789ab"), tokens);
  }

  @Test
  @DisplayName("a world whose port cannot be reached has an address by its host name")
  void published() throws Exception {
    try (Backend server = new Backend("http://127.0.0.1:8080", null, null)) {
      assertEquals("http://w3.localhost:8080", server.address(Json.object("id", "w3", "url", closedPort())));
    }
  }

  /** A class of {@link Fixtures} in a process of its own, with these variables of the kit only. */
  private static Process inner(String fixture, Map<String, String> variables) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp", System.getProperty("java.class.path"),
        InnerRun.class.getName(), Fixtures.class.getName() + "$" + fixture);
    new HashMap<>(builder.environment()).keySet().stream().filter(name -> name.startsWith("MADANG_"))
        .forEach(builder.environment()::remove);
    builder.environment().putAll(variables);
    return builder.start();
  }
}
