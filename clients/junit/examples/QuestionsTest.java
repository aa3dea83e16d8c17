import static madang.testing.Expected.atLeast;
import static madang.testing.Expected.once;
import static madang.testing.Expected.times;
import static madang.testing.Filter.connection;
import static madang.testing.Filter.operation;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import madang.testing.Fault;
import madang.testing.Json;
import madang.testing.MadangFaults;
import madang.testing.MadangWorld;
import madang.testing.Match;
import madang.testing.World;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Questions of docs/test-clients.md, in Java. Copy those that your app should answer. */
@World(seed = "courtyard", number = 7)
class QuestionsTest {
  private static final String IOS = "Weekend/ios";
  private static final Map<String, byte[]> PICTURE = Map.of("hill.png", picture());
  private Chat app;

  /** 240 kB that begin as a PNG. */
  private static byte[] picture() {
    byte[] bytes = new byte[240_000];
    System.arraycopy(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'}, 0, bytes, 0, 8);
    return bytes;
  }

  @BeforeEach
  void start(MadangWorld world) {
    app = minasApp(world);
  }

  @AfterEach
  void end() {
    app.close();
  }

  private static Chat minasApp(MadangWorld world) {
    Chat app = new Chat(world.url(), world.key());
    app.signIn("mina@example.com", "Passw0rd!", "");
    return app;
  }

  /** The texts of the room's history, oldest first. */
  private List<String> history() {
    return app.chats(IOS, "").stream().map(chat -> chat.get("content").text()).collect(Collectors.toList());
  }

  @Test
  void callsAtOnceShareOneRefresh(MadangWorld world) throws Exception {
    world.clock().advance("25h");
    ExecutorService pool = Executors.newFixedThreadPool(5);
    Callable<Json> call = () -> app.call("GET", "users/me", null);
    for (Future<Json> answer : pool.invokeAll(Collections.nCopies(5, call))) {
      answer.get();
    }
    pool.shutdown();
    world.expect(once(operation("refresh").status(200)), times(5, operation("me").status(200)));
  }

  @Test
  void theAppGivesUpAndRecovers(MadangWorld world) {
    List<String> before = history();
    world.faults().add(Fault.latency("1m"), Match.operation("channelHistory").times(1));
    app.timeout = Duration.ofMillis(500);
    assertThrows(Chat.Unclear.class, this::history);
    // Longer than the fault, which this call meets if the one before was given up before it was sent.
    app.timeout = Duration.ofSeconds(90);
    assertEquals(before, history());
  }

  static Stream<Fault> lostAnswers() {
    return Stream.of(Fault.answerLost(), Fault.reset().afterwards(), Fault.cut(10), Fault.malformedJson(), Fault.status(502).afterwards());
  }

  @ParameterizedTest
  @MethodSource("lostAnswers")
  void aChatWhoseAnswerIsLostIsStoredOnce(Fault fault, MadangWorld world) {
    MadangFaults.Rule rule = world.faults().add(fault, Match.operation("postToChannel").times(1));
    app.post(IOS, "Yes");
    assertEquals(1, Collections.frequency(history(), "Yes"));
    assertEquals(1, rule.applied());
  }

  @Test
  @World(seed = "courtyard", number = 7, settings = {"socket.ping.interval=1s", "socket.ping.timeout=1s"})
  void nothingIsMissingAfterASilentSocket(MadangWorld world) throws Exception {
    world.faults().add(Fault.silence(), Match.event("channel").nth(2));
    app.open(IOS);
    for (String text : List.of("Lunch?", "Anyone?", "Hello?")) {
      world.person("joon").post(text, IOS);
    }
    app.waitFor(IOS, "Hello?");
    assertEquals(history(), app.texts(IOS));
    world.expect(atLeast(2, connection("opened")));
  }

  @Test
  void aSlowUploadIsSentOnce(MadangWorld world) {
    // The upload takes 12 s.
    app.timeout = Duration.ofSeconds(10);
    world.faults().add(Fault.slowUpload(20_000), Match.operation("postToChannel"));
    Json chat = app.post(IOS, "Look", PICTURE);
    assertEquals(1, chat.get("files").list().size());
    world.expect(once(operation("postToChannel").status(200)));
  }

  @Test
  void anUploadThatIsCutIsSentAgain(MadangWorld world) {
    MadangFaults.Rule rule = world.faults().add(Fault.cutUpload(20_000), Match.operation("postToChannel").times(1));
    Json chat = app.post(IOS, "Look", PICTURE);
    assertEquals(1, chat.get("files").list().size());
    assertEquals(1, Collections.frequency(history(), "Look"));
    assertEquals(1, rule.applied());
  }

  @Test
  void twoDevicesShowTheSame(MadangWorld world) throws Exception {
    try (Chat tablet = minasApp(world)) {
      tablet.open(IOS);
      app.post(IOS, "Yes");
      tablet.waitFor(IOS, "Yes");
      app.call("GET", "users/logout", null);
      assertFalse(tablet.chats(IOS, "").isEmpty());
    }
  }

  @Test
  void theAppIsPolite(MadangWorld world) throws Exception {
    app.open(IOS);
    app.post(IOS, "Yes");
    app.waitFor(IOS, "Yes");
    world.expectPolite();
  }
}
