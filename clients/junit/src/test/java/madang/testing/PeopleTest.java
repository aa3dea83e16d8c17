package madang.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** People, clients and scripts. The ids are those of clients/behaviours.md. */
@World
class PeopleTest {
  @Test
  @DisplayName("B19 a person posts in a channel, and a client reads the chat")
  void posts(MadangWorld world) {
    Json chat = world.person("joon").post("Lunch?", "Weekend/ios", 2);
    MadangClient mina = world.signIn("mina@example.com");
    Json last = mina.get(Rooms.channel(mina, "ios") + "/chats").get(-1);
    assertEquals(chat.get("chat_id"), last.get("chat_id"));
    assertEquals("Lunch?", last.get("content").text());
    assertEquals(2, last.get("files").list().size());
  }

  @Test
  @DisplayName("B20 a person writes a direct message, and its receiver reads it")
  void writes(MadangWorld world) {
    Json sent = world.person("joon").write("only for you", "mina");
    Json inWeekend = world.person("joon").write("with a picture", "mina", "Weekend", 1);
    MadangClient mina = world.signIn("mina@example.com");
    String chats = Rooms.workspace(mina) + "/dms/" + inWeekend.get("room_id").text() + "/chats";
    assertEquals("with a picture", mina.get(chats).get(-1).get("content").text());
    assertEquals("only for you", sent.get("content").text());
  }

  @Test
  @DisplayName("B21 a person joins and leaves a channel")
  void joins(MadangWorld world) {
    MadangPerson joon = world.person("joon");
    MadangClient sora = world.signIn("sora@example.com");
    String members = Rooms.channel(sora, "hiking") + "/members";
    joon.join("Weekend/hiking");
    assertTrue(emails(sora.get(members)).contains("joon@example.com"));
    joon.leave("Weekend/hiking");
    assertFalse(emails(sora.get(members)).contains("joon@example.com"));
  }

  @Test
  @DisplayName("B22 a person calls any operation of the API; a refusal is an error with the contract's code")
  void calls(MadangWorld world) {
    MadangPerson joon = world.person("joon");
    assertEquals("Joon", joon.call("GET", "users/me", null).get("nickname").text());
    assertEquals("Juno", joon.call("PUT", "/v1/users/me", Json.object("nickname", "Juno")).get("nickname").text());
    MadangError unknown = assertThrows(
        MadangError.class, () -> joon.call("GET", "workspaces/00000000-0000-0000-0000-000000000000", null));
    assertEquals(400, unknown.status());
    assertEquals("E13", unknown.code());
    MadangError forbidden = assertThrows(MadangError.class, () -> world.person("guest").post("hi", "Weekend/ios"));
    assertEquals("E13", forbidden.code());
    assertTrue(forbidden.getMessage().contains("guest@example.com"));
    MadangError nobody = assertThrows(MadangError.class, () -> world.person("zoe").call("GET", "users/me", null));
    assertTrue(nobody.getMessage().contains("there is no person"), nobody.getMessage());
  }

  @Test
  @DisplayName("B23 a world lists its people")
  void people(MadangWorld world) {
    List<Account> people = world.people();
    assertEquals(
        List.of("mina@example.com", "joon@example.com", "sora@example.com", "theo@example.com", "guest@example.com"),
        people.stream().map(Account::email).collect(Collectors.toList()));
    assertEquals(List.of("Weekend", "Book club"), people.get(0).workspaces());
    assertEquals("소라", people.get(2).nickname());
    assertEquals(1, people.get(0).number());
    assertEquals(world.signIn("mina@example.com").user().get("user_id").text(), people.get(0).id());
  }

  @Test
  @DisplayName("B24 a signed-in client gets, posts, puts and deletes; a refusal is an error with status and code")
  void clients(MadangWorld world) {
    MadangClient mina = world.signIn("mina@example.com");
    String channels = Rooms.workspace(mina) + "/channels";
    Json made = mina.post(channels, Json.object("name", "plans", "description", "new"));
    String channel = channels + "/" + made.get("channel_id").text();
    assertEquals("newer", mina.put(channel, Json.object("name", "plans", "description", "newer")).get("description").text());
    mina.delete(channel);
    MadangError gone = assertThrows(MadangError.class, () -> mina.get(channel));
    assertEquals(400, gone.status());
    assertEquals("E13", gone.code());
    Answer answer = mina.send("GET", channel, null);
    assertEquals(400, answer.status());
    assertEquals("E13", answer.code());
    assertEquals("E03", assertThrows(MadangError.class, () -> world.signIn("mina@example.com", "Wr0ng!!!")).code());
    assertEquals("Mina", world.signIn("mina").user().get("nickname").text());
    assertEquals("E03", assertThrows(MadangError.class, () -> world.signIn("mina", "Wr0ng!!!")).code());
    MadangClient older = world.client("2024-01");
    older.signIn("mina@example.com", "Passw0rd!");
    assertEquals("Mina", older.get("users/my").get("nickname").text());
  }

  @Test
  @DisplayName("B24 a sign-in with the name of no person, or of two, is the same error as for a person")
  void names(MadangWorld world, @World(seed = "people: [{email: ann@example.com}, {email: ann@example.org}]") MadangWorld two) {
    for (MadangWorld one : List.of(world, two)) {
      MadangError acting = assertThrows(MadangError.class, () -> one.person("ann").join("Weekend"));
      MadangError signingIn = assertThrows(MadangError.class, () -> one.signIn("ann"));
      assertEquals(acting.getMessage(), signingIn.getMessage());
      assertEquals(acting.status(), signingIn.status());
    }
    assertTrue(assertThrows(MadangError.class, () -> two.signIn("ann")).getMessage().contains("write the whole e-mail"));
    assertEquals(List.of(), world.journal().entries());
  }

  @Test
  @DisplayName("B25 a script starts, runs as often as it should, and finishes")
  void scripts(MadangWorld world) {
    world.scripts().add(String.join("\n",
        "scripts:",
        "  - name: answers",
        "    when: {chat: {from: mina, in: Weekend/ios}}",
        "    times: 2",
        "    do: [{as: joon, post: '{nickname}, you said: {text}'}]"));
    world.scripts().start("answers");
    world.person("mina").post("one", "Weekend/ios");
    assertEquals(1, world.scripts().ran("answers", 1, "60s").get("runs").number());
    world.person("mina").post("two", "Weekend/ios");
    assertEquals("ended", world.scripts().finished("answers", "60s").get("state").text());
    MadangClient mina = world.signIn("mina@example.com");
    assertTrue(Rooms.texts(mina, Rooms.channel(mina, "ios")).contains("Mina, you said: two"));
  }

  @Test
  @World(number = 7)
  @DisplayName("B25 a script that does not end in time is an error")
  void slowScripts(MadangWorld world) {
    world.scripts().add("{name: slow, do: [{wait: 1h}, {as: joon, post: late, in: Weekend/ios}]}");
    world.scripts().start("slow");
    MadangError slow = assertThrows(MadangError.class, () -> world.scripts().finished("slow", "50ms"));
    assertTrue(slow.getMessage().contains("\"slow\" did not end within 50ms"), slow.getMessage());
    world.clock().advance("1h");
    world.scripts().finished("slow", "60s");
    world.scripts().start("slow");
    world.scripts().stop("slow");
    assertEquals("stopped", world.scripts().finished("slow", "60s").get("state").text());
  }

  @Test
  @DisplayName("B26 a script with a failed run is an error that names the failure")
  void failedScripts(MadangWorld world) {
    world.scripts().add("{name: cannot, do: [{as: guest, post: hi, in: Weekend/ios}]}");
    world.scripts().start("cannot");
    MadangError failed = assertThrows(MadangError.class, () -> world.scripts().finished("cannot", "60s"));
    assertTrue(failed.getMessage().matches("1 of 1 runs of the script \"cannot\" failed, the first one: .*no such room.*"),
        failed.getMessage());
    assertEquals(1, world.scripts().state("cannot", "60s").get("failed").number());
  }

  private static List<String> emails(Json people) {
    return people.list().stream().map(person -> person.get("email").text()).collect(Collectors.toList());
  }
}
