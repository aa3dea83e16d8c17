import static madang.testing.Expected.atLeast;
import static madang.testing.Expected.once;
import static madang.testing.Expected.times;
import static madang.testing.Filter.connection;
import static madang.testing.Filter.operation;
import static madang.testing.Filter.pushTo;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import java.util.List;
import madang.testing.Expectation;
import madang.testing.Fault;
import madang.testing.Json;
import madang.testing.MadangWorld;
import madang.testing.Match;
import madang.testing.World;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@World(seed = "courtyard", number = 7)
class ChatTest {
  private static final String IOS = "Weekend/ios";
  private Chat app;

  /** Mina's client: the only lines that know the client. */
  @BeforeEach
  void start(MadangWorld world) {
    app = new Chat(world.url(), world.key());
    app.signIn("mina@example.com", "Passw0rd!", "minas-phone");
  }

  @AfterEach
  void end() {
    app.close();
  }

  @Test
  void signsIn() {
    assertEquals("Mina", app.nickname());
    Exception refused = assertThrows(Chat.Refused.class, () -> app.signIn("mina@example.com", "wrong", ""));
    assertEquals("E03", refused.getMessage());
  }

  @Test
  void listsTheChatsOfARoom(MadangWorld world) {
    world.person("joon").post("Lunch?", IOS);
    List<Json> chats = app.chats(IOS, "");
    assertEquals("Lunch?", chats.get(chats.size() - 1).get("content").text());
  }

  @Test
  void posts(MadangWorld world) {
    app.post(IOS, "Yes");
    world.expect(once(operation("postToChannel").body("content", "Yes").account("mina")));
  }

  @Test
  void showsAChatAsItComes(MadangWorld world) throws Exception {
    app.open(IOS);
    world.person("joon").post("Lunch?", IOS);
    app.waitFor(IOS, "Lunch?");
  }

  @Test
  void countsUnreadChats(MadangWorld world) {
    String seen = app.newest(IOS);
    world.person("joon").post("Lunch?", IOS);
    world.person("joon").post("Anyone?", IOS);
    assertEquals(2, app.unread(IOS, seen));
  }

  @Test
  void survivesAnExpiredToken(MadangWorld world) {
    world.clock().advance("25h");
    assertFalse(app.chats(IOS, "").isEmpty());
    world.expect(once(operation("refresh").status(200)));
  }

  @Test
  void postsOnceWhenTheAnswerIsLost(MadangWorld world) {
    world.faults().add(Fault.answerLost(), Match.operation("postToChannel").times(1));
    app.post(IOS, "Yes");
    world.expect(once(operation("postToChannel")));
  }

  @Test
  @World(seed = "courtyard", number = 7, settings = {"socket.ping.interval=1s", "socket.ping.timeout=1s"})
  void leavesASilentSocket(MadangWorld world) throws Exception {
    world.faults().add(Fault.silence(), Match.event("channel").times(1));
    app.open(IOS);
    world.person("joon").post("Lunch?", IOS);
    app.waitFor(IOS, "Lunch?");
    world.expect(atLeast(2, connection("opened")));
  }

  @Test
  void aPhoneIsNotifiedOfTheChatsOfOthers(MadangWorld world) {
    world.person("joon").post("Lunch?", IOS);
    app.post(IOS, "Yes");
    // Sora's phone, of the seed, is notified of both chats.
    world.expect(Expectation.of(once(pushTo("mina")), times(2, pushTo("sora"))).within("60s"));
  }

  @Test
  void startsAgain(MadangWorld world) {
    List<Json> first = app.chats(IOS, "");
    app.post(IOS, "Yes");
    world.clock().advance("7d");
    world.reset();
    app.signIn("mina@example.com", "Passw0rd!", "");
    assertEquals(first, app.chats(IOS, ""));
    assertEquals(Instant.parse("2026-01-05T09:00:00Z"), world.clock().now());
  }
}
