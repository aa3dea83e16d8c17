package madang.testing;

import static madang.testing.Expected.atLeast;
import static madang.testing.Expected.atMost;
import static madang.testing.Expected.never;
import static madang.testing.Expected.once;
import static madang.testing.Expected.times;
import static madang.testing.Filter.operation;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** What a client did. The ids are those of clients/behaviours.md. */
@World
class JournalTest {
  private MadangClient mina;
  private String chats;

  @BeforeEach
  void signIn(MadangWorld world) {
    mina = world.signIn("mina@example.com");
    chats = Rooms.channel(mina, "ios") + "/chats";
    world.journal().clear();
  }

  private void post(String text) {
    mina.post(chats, Json.object("content", text));
  }

  @Test
  @DisplayName("B30 the journal lists the entries that a filter selects, also by a part of their body")
  void entries(MadangWorld world) {
    post("Hello");
    post("World");
    List<Entry> posts = world.journal().entries(operation("postToChannel").account("mina").status(200));
    assertEquals(List.of("Hello", "World"),
        posts.stream().map(entry -> Json.parse(entry.body()).get("content").text()).collect(Collectors.toList()));
    List<Entry> found = world.journal().entries(Filter.all().body("content", "World"));
    assertEquals(1, found.size());
    Entry entry = found.get(0);
    assertEquals(posts.get(1).number(), entry.number());
    assertEquals("POST", entry.method());
    assertEquals("World", Json.parse(entry.answer()).get("content").text());
    assertTrue(entry.toString().matches(
        " *\\d+  \\+\\d+\\.\\d{3} s  mina@example.com  POST /v1/workspaces/.*/chats \\(postToChannel\\): 200"), entry.toString());
    assertEquals(List.of(), world.journal().entries(operation("postToChannel"), entry.number()));
    assertEquals(List.of(), world.journal().entries(Filter.requests().path("/v1/users/*").method("GET").edition("2024-10").code("E05")));
    assertEquals(2, world.journal().wait(Filter.pushTo("sora").body(Json.object("type", "channel")), "60s", 2).size());
  }

  @Test
  @DisplayName("B31 waiting for an entry returns when it comes; if it does not come, the failure names the filter")
  void waiting(MadangWorld world) {
    CompletableFuture<Void> later = CompletableFuture.runAsync(() -> post("late"),
        CompletableFuture.delayedExecutor(100, java.util.concurrent.TimeUnit.MILLISECONDS));
    Entry push = world.journal().wait(Filter.pushTo("sora@example.com"), "60s");
    assertTrue(push.payload().contains("late"));
    assertEquals(200, world.journal().wait(operation("postToChannel").body("content", "late")).status());
    later.join();
    AssertionFailedError never = assertThrows(AssertionFailedError.class,
        () -> world.journal().wait(operation("postToChannel").status(404), "50ms", 2));
    assertEquals("came 0 of 2 times within 50ms: operation postToChannel, status 404", never.getMessage());
    never = assertThrows(AssertionFailedError.class, () -> world.journal().wait(Filter.all().body("content", "x"), "50ms"));
    assertEquals("came 0 of 1 times within 50ms: body {\"content\":\"x\"}", never.getMessage());
    assertThrows(AssertionFailedError.class,
        () -> world.journal().wait(operation("postToChannel"), "50ms", 1, world.journal().last()));
  }

  @Test
  @DisplayName("B32 last is the newest number of the journal, and a cleared journal is empty")
  void last(MadangWorld world, @World MadangWorld other) {
    assertEquals(0, other.journal().last());
    long before = world.journal().last();
    mina.get("users/me");
    assertEquals(before + 1, world.journal().last());
    assertEquals(before + 1, world.journal().entries().get(0).number());
    world.journal().clear();
    assertEquals(List.of(), world.journal().entries());
    assertEquals(before + 1, world.journal().last());
  }

  @Test
  @DisplayName("B33 the journal as HAR has the requests")
  void archive(MadangWorld world) {
    mina.get("users/me");
    List<Json> requests = Json.parse(world.journal().har()).get("log").get("entries").list();
    assertEquals(1, requests.size());
    assertEquals(world.url() + "/v1/users/me", requests.get(0).get("request").get("url").text());
    assertEquals("me", Json.parse(world.journal().lines().trim()).get("operation").text());
  }

  @Test
  @DisplayName("B34 once, times, atLeast, atMost and never are met by what happened")
  void expectations(MadangWorld world) {
    mina.get("users/me");
    post("one");
    post("two");
    post("three");
    world.expect(once(operation("me")), times(3, operation("postToChannel")));
    world.expect(atLeast(2, operation("postToChannel")));
    world.expect(Expectation.of(atMost(1, operation("me")), never(operation("signOut"))).within("50ms"));
    world.expect(once(operation("postToChannel").body("content", "two").answer(Json.object("content", "two"))));
  }

  @Test
  @DisplayName("B35 a failed expectation is the runner's own failure, with the server's sentences, one a line")
  void differences(MadangWorld world) {
    mina.get("users/me");
    AssertionFailedError failed = assertThrows(AssertionFailedError.class,
        () -> world.expect(Expectation.of(once(operation("postToChannel")), once(operation("signOut"))).within("0s")));
    List<String> lines = List.of(failed.getMessage().split("\n"));
    assertEquals(2, lines.stream().filter(line -> line.startsWith("missing: operation ")).count(), failed.getMessage());
    assertEquals("moon", assertThrows(MadangError.class, () -> world.expect(once(operation("moon")))).getMessage().replaceAll(
        ".*(moon).*", "$1"));
  }

  @Test
  @DisplayName("B36 inOrder, only, among and after change what an expectation accepts")
  void options(MadangWorld world) {
    mina.get("users/me");
    post("Hi");
    long after = world.journal().last();
    Expectation both = Expectation.of(once(operation("postToChannel")), once(operation("me"))).within("0s");
    world.expect(both);
    assertThrows(AssertionFailedError.class, () -> world.expect(both.inOrder()));
    Expectation one = Expectation.of(once(operation("me"))).within("0s");
    assertThrows(AssertionFailedError.class, () -> world.expect(one.only()));
    world.expect(Expectation.of(once(operation("postToChannel"))).among(Filter.requests().method("POST").path("*/chats")));
    assertThrows(AssertionFailedError.class, () -> world.expect(one.after(after)));
    mina.get("users/me");
    world.expect(one.after(after).settling("50ms"));
  }

  @Test
  @DisplayName("B37 the review finds a habit of a client, and none of a good client")
  void review(MadangWorld world) {
    mina.get("users/me");
    assertEquals(List.of(), world.review());
    world.expectPolite();
    for (int count = 0; count < 6; count++) {
      mina.get("workspaces");
    }
    List<Finding> findings = world.review("mina@example.com");
    assertEquals(1, findings.size());
    assertEquals("polling", findings.get(0).habit());
    assertEquals(6, findings.get(0).entries().size());
    AssertionFailedError impolite = assertThrows(AssertionFailedError.class, world::expectPolite);
    assertTrue(impolite.getMessage().matches("polling: GET /v1/workspaces 6 times .*"
        + " \\(mina@example.com, entries \\d+(, \\d+){5}\\)\\. Instead: ask when .*"), impolite.getMessage());
    assertThrows(AssertionFailedError.class, () -> world.expectPolite("mina"));
    world.expectPolite("joon");
  }

  @Test
  @DisplayName("B38 the coverage counts the operations of the world")
  void coverage(MadangWorld world) {
    long before = world.coverage().count("me");
    mina.get("users/me");
    assertEquals(before + 1, world.coverage().count("me"));
    assertTrue(world.coverage().missing().contains("signOut"));
    assertTrue(world.coverage().percent() > 0);
  }
}
