package madang.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Time and failures. The ids are those of clients/behaviours.md. */
@World(number = 7)
class ClockAndFaultsTest {
  private static final Instant START = Instant.parse("2026-01-05T09:00:00Z");

  @Test
  @DisplayName("B13 the clock advances by text such as 25h and by a number of seconds")
  void advances(MadangWorld world) {
    world.clock().advance("25h");
    assertEquals(Duration.ofHours(25), Duration.between(START, world.clock().now()));
    world.clock().advance(1.5);
    assertEquals(Duration.ofHours(25).plusMillis(1500), Duration.between(START, world.clock().now()));
  }

  @Test
  @DisplayName("B14 the clock can be set, frozen, resumed, and run at another speed")
  void speeds(MadangWorld world) {
    MadangClock clock = world.clock();
    clock.set(Instant.parse("2026-02-01T12:00:00Z"));
    assertEquals("2026-02-01T12:00:00Z", clock.now().toString());
    clock.set(START.minusSeconds(1));
    assertEquals(START.minusSeconds(1), clock.now());
    assertEquals(0, clock.rate());
    clock.resume();
    assertEquals(1, clock.rate());
    clock.run(60);
    assertEquals(60, clock.rate());
    clock.freeze();
    assertEquals(0, clock.rate());
  }

  @Test
  @DisplayName("B15 after 25 hours a call with the old access token is refused with E05")
  void expires(MadangWorld world) {
    MadangClient mina = world.signIn("mina@example.com");
    mina.get("workspaces");
    world.clock().advance("25h");
    MadangError refused = assertThrows(MadangError.class, () -> mina.get("workspaces"));
    assertEquals(400, refused.status());
    assertEquals("E05", refused.code());
  }

  @Test
  @DisplayName("B16 a fault applies to the requests that it matches, and its rule counts them")
  void faults(MadangWorld world) {
    MadangClient mina = world.signIn("mina@example.com");
    String channel = Rooms.channel(mina, "ios");
    MadangFaults.Rule rule = world.faults().add(Fault.answerLost(), Match.operation("postToChannel").nth(2));
    mina.post(channel + "/chats", Json.object("content", "one"));
    MadangError lost = assertThrows(MadangError.class, () -> mina.post(channel + "/chats", Json.object("content", "two")));
    assertEquals(0, lost.status());
    List<String> texts = Rooms.texts(mina, channel);
    assertEquals(List.of("one", "two"), texts.subList(texts.size() - 2, texts.size()));
    assertEquals(1, world.faults().rules().size());
    assertEquals("answerLost", rule.kind());
    assertEquals(2, rule.matched());
    assertEquals(1, rule.applied());
  }

  @Test
  @DisplayName("B16 all fields of faults arrive at the server")
  void fields(MadangWorld world) {
    world.faults().add(Fault.status(503).with("retryAfter", 7).with("body", "down").with("contentType", "text/plain"),
        Match.path("/v1/users/*").method("POST").probability(1, 3));
    world.faults().add(Fault.latency("1.5s").jitter("10ms").afterwards(), Match.all().account("mina").every(2).times(3).until(START));
    world.faults().add(Fault.close().with("closeCode", 1001), Match.event("channel").toClient().namespace("/ws-channel-*"));
    world.faults().add(Fault.drop(), Match.packet("ping").fromClient());
    for (Fault fault : List.of(Fault.expiredToken(), Fault.limited(2), Fault.cut(3), Fault.malformedJson(), Fault.contentType("text/html"),
        Fault.drip(4, "5ms"), Fault.slowUpload(10_000), Fault.reset(), Fault.restart("10ms"), Fault.refuseUpgrade(503),
        Fault.refuseNamespace("no"), Fault.delay("1s").with("overtaken", true), Fault.duplicate(2), Fault.reorder(), Fault.truncate(3),
        Fault.silence(), Fault.noPong(), Fault.disconnectNamespace(), Fault.resetSocket())) {
      world.faults().add(fault).remove();
    }
    MadangError down = assertThrows(MadangError.class, () -> world.signIn("mina@example.com"));
    assertEquals(503, down.status());
    assertTrue(down.getMessage().endsWith("503: down"), down.getMessage());
    Json rules = world.call("GET", "faults", null).get("faults");
    assertEquals(7, rules.get(0).get("effect").get("retryAfter").number());
    assertEquals(1500, rules.get(1).get("effect").get("milliseconds").number());
    assertEquals("2026-01-05T09:00:00Z", rules.get(1).get("match").get("until").text());
    assertEquals("toClient", rules.get(2).get("match").get("direction").text());
    assertEquals(4, rules.list().size());
  }

  @Test
  @DisplayName("B16 faults have the fields of their kind, and say them")
  void ofUploads() {
    assertEquals(Json.object("kind", "slowUpload", "bytesPerSecond", 10_000), Fault.slowUpload(10_000).json());
    assertEquals(Json.object("kind", "cutUpload", "bytes", 20_000), Fault.cutUpload(20_000).json());
    assertEquals("kind cutUpload, bytes 20000", Fault.cutUpload(20_000).toString());
  }

  @Test
  @DisplayName("B17 a removed fault applies no longer; removeAll removes every rule")
  void removed(MadangWorld world) {
    MadangClient mina = world.signIn("mina@example.com");
    MadangFaults.Rule rule = world.faults().add(Fault.status(500), Match.operation("me"));
    assertEquals(500, mina.send("GET", "users/me", null).status());
    rule.remove();
    assertEquals(200, mina.send("GET", "users/me", null).status());
    assertThrows(NoSuchElementException.class, rule::applied);
    world.faults().add(Fault.drop(), Match.event("channel"));
    world.faults().add(Fault.limited(1), Match.operation("me"));
    world.faults().removeAll();
    assertEquals(List.of(), world.faults().rules());
  }

  @Test
  @DisplayName("B18 during a restart connections are refused, and data stays")
  void restarts(MadangWorld world) {
    MadangClient mina = world.signIn("mina@example.com");
    String channel = Rooms.channel(mina, "ios");
    mina.post(channel + "/chats", Json.object("content", "before"));
    world.restart("60s");
    assertEquals(0, assertThrows(MadangError.class, () -> mina.get("users/me")).status());
    world.restart("0s");
    List<String> texts = Rooms.texts(mina, channel);
    assertEquals("before", texts.get(texts.size() - 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"25 hours", "", "1e3s", "-5s", "５s", "1.s", "9999999d"})
  @DisplayName("B45 a duration in a wrong notation is an error that names the right ones")
  void wrong(String text, MadangWorld world) {
    IllegalArgumentException error = assertThrows(IllegalArgumentException.class, () -> world.clock().advance(text));
    assertTrue(error.getMessage().contains("500ms, 5s, 10m, 25h, 30d or 2w, or as a number of seconds"), error.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "5", "1.5", "1500ms", "1.5ms", "00000000000000000000000000005s", "1.5m", "2w"})
  @DisplayName("B45 a duration means what it means to the server")
  void same(String text, MadangWorld world) {
    world.call("POST", "clock", Json.object("advance", text));
    assertEquals(Lengths.milliseconds(text), Duration.between(START, world.clock().now()).toMillis());
  }

  @Test
  @DisplayName("B45 durations are exact")
  void exact() {
    assertEquals(500, Lengths.milliseconds("500ms"));
    assertEquals(1500, Lengths.milliseconds("1.5s"));
    assertEquals(90_000_000, Lengths.milliseconds("25h"));
    assertEquals(1_209_600_000, Lengths.milliseconds("2w"));
    assertEquals(5000, Lengths.milliseconds("5"));
    assertEquals(2, Lengths.milliseconds("1.5ms"));
    assertEquals(500, Lengths.milliseconds("0.50000000000000000s"));
    assertEquals("0.1", Lengths.seconds("100ms").toPlainString());
    assertEquals("90000", Lengths.seconds("25h").toPlainString());
    assertEquals("5000ms", Lengths.wait("5s"));
  }
}
