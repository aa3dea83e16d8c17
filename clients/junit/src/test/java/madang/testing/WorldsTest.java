package madang.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Worlds and their states. The ids are those of clients/behaviours.md. */
@World(number = 7)
class WorldsTest {
  private static MadangWorld ofTheClass;
  private MadangWorld before;

  @BeforeAll
  static void makeOne(MadangServer server) {
    ofTheClass = server.makeWorld("empty");
  }

  @BeforeEach
  void remember(MadangWorld world) {
    before = world;
  }

  @Test
  @DisplayName("B07 a test has a world with an id, a name, a URL and a key for each edition")
  void world(MadangWorld world, MadangServer server) {
    assertSame(before, world);
    assertTrue(world.id().matches("w\\d+"), world.id());
    assertEquals("WorldsTest.world", world.name());
    assertNotEquals(server.url(), world.url());
    assertTrue(world.url().endsWith(":" + world.port()));
    assertEquals("dev-key-2024-10", world.key());
    assertEquals("dev-key-2024-01", world.key("2024-01"));
    assertEquals("Mina", world.signIn("mina@example.com").user().get("nickname").text());
    assertTrue(ofTheClass.people().isEmpty());
  }

  @Test
  @World(seed = "edge")
  @DisplayName("B07 the annotation of a method replaces that of its class, and one of a parameter makes a further world")
  void annotations(MadangWorld world, @World(seedFile = "seeds/ann.yaml") MadangWorld other) {
    assertNotSame(world, other);
    assertEquals(6, world.people().size());
    assertEquals(List.of("ann@example.com"), emails(other));
  }

  @Nested
  class Inside {
    @Test
    @DisplayName("B07 the annotation of a class holds for the classes in it")
    void world(MadangWorld world) {
      assertEquals("2026-01-05T09:00:00Z", world.clock().now().toString());
      assertEquals("WorldsTest_Inside.world", world.name());
    }
  }

  @Test
  @DisplayName("B08 worlds of the same seed and number have the same people, ids and time")
  void numbers(MadangWorld one, MadangServer server) {
    MadangWorld two = server.makeWorld(new WorldPlan().number(7));
    assertNotEquals(one.url(), two.url());
    assertEquals(ids(one), ids(two));
    assertEquals(one.clock().now(), two.clock().now());
    assertEquals(one.signIn("mina@example.com").accessToken(), two.signIn("mina@example.com").accessToken());
  }

  @Test
  @DisplayName("B08 a seed is a name, a text, a resource or a file")
  void seeds(MadangServer server, @org.junit.jupiter.api.io.TempDir java.nio.file.Path folder) throws Exception {
    assertEquals(5, server.makeWorld("courtyard").people().size());
    assertEquals(List.of("ann@example.com"), emails(server.makeWorld("people: [{email: ann@example.com}]")));
    java.nio.file.Path file = java.nio.file.Files.writeString(folder.resolve("seed.yaml"), "people: [{email: ben@example.com}]");
    assertEquals(List.of("ben@example.com"), emails(server.makeWorld(new WorldPlan().seedFile(file.toString()))));
    UncheckedIOException missing = assertThrows(UncheckedIOException.class, () -> new WorldPlan().seedFile("seeds/none.yaml"));
    assertTrue(missing.getMessage().contains("seeds/none.yaml"));
  }

  @Test
  @DisplayName("B09 settings of a world change that world only, and a wrong setting is an error that names it")
  void settings(MadangWorld other, MadangServer server) throws Exception {
    assumeTrue(has(server, "settings"), "worlds of this server have no settings");
    MadangWorld changed = server.makeWorld(new WorldPlan().settings(Map.of("socket.ping.interval", "1s")));
    assertEquals(1000, new Polling(changed, null).open().get("pingInterval").number());
    assertEquals(25000, new Polling(other, null).open().get("pingInterval").number());
    WorldPlan wrong = new WorldPlan().settings(Map.of("socket.pong", "1s"));
    assertTrue(assertThrows(MadangError.class, () -> server.makeWorld(wrong)).getMessage().contains("socket.pong"));
  }

  @Test
  @DisplayName("B10 a world that has ended before its test does not disturb it")
  void ended(MadangWorld world, MadangServer server) {
    server.call("DELETE", "worlds/" + world.id(), null);
    server.makeWorld("empty").close();
    world.close();
    world.close();
    assertTrue(assertThrows(MadangError.class, world::people).getMessage().contains(world.id()));
  }

  @Test
  @DisplayName("B11 a world has a lease, and the kit renews it while the test runs")
  void lease(MadangServer server) throws Exception {
    assumeTrue(has(server, "ttl"), "worlds of this server have no lease");
    MadangWorld kept = server.makeWorld(new WorldPlan().ttl("20s"));
    MadangWorld left = server.makeWorld(new WorldPlan().ttl("20s"));
    left.leave();
    long end = System.nanoTime() + 60_000_000_000L;
    while (server.call("GET", "worlds", null).list().stream().anyMatch(world -> world.get("id").text().equals(left.id()))) {
      assertTrue(System.nanoTime() < end, "the world without renewals stays");
      Thread.sleep(50);
    }
    assertEquals(5, kept.people().size());
  }

  @Test
  @DisplayName("B12 a refused development call is a MadangError with the server's text")
  void refusals(MadangWorld world, MadangServer server) {
    MadangError error = assertThrows(MadangError.class, () -> world.faults().add(Fault.of("latency")));
    assertEquals(400, error.status());
    assertTrue(error.getMessage().startsWith("effect."), error.getMessage());
    assertTrue(assertThrows(MadangError.class, () -> server.makeWorld("moon")).getMessage().contains("moon"));
    assertThrows(MadangError.class, () -> world.call("GET", "nothing", null));
  }

  @Test
  @DisplayName("B27 a reset brings back the first state")
  void reset(MadangWorld world) {
    world.person("joon").post("soon gone", "Weekend/quiet");
    world.reset();
    MadangClient joon = world.signIn("joon@example.com");
    assertEquals(List.of(), Rooms.texts(joon, Rooms.channel(joon, "quiet")));
  }

  @Test
  @DisplayName("B28 a restored snapshot brings back the state that it saved; a removed one is gone")
  void snapshots(MadangWorld world) {
    world.person("joon").post("before", "Weekend/quiet");
    world.snapshot("one chat");
    world.person("joon").post("after", "Weekend/quiet");
    assertEquals(List.of("one chat"), world.snapshots());
    world.restore("one chat");
    MadangClient joon = world.signIn("joon@example.com");
    assertEquals(List.of("before"), Rooms.texts(joon, Rooms.channel(joon, "quiet")));
    world.removeSnapshot("one chat");
    assertEquals(List.of(), world.snapshots());
    assertTrue(assertThrows(MadangError.class, () -> world.restore("one chat")).getMessage().contains("one chat"));
  }

  @Test
  @DisplayName("B29 an exported seed makes a world with the same chats")
  void exports(MadangWorld world, MadangServer server) {
    world.person("joon").post("of the first world", "Weekend/quiet");
    MadangClient joon = server.makeWorld(world.exportSeed()).signIn("joon@example.com");
    assertEquals(List.of("of the first world"), Rooms.texts(joon, Rooms.channel(joon, "quiet")));
  }

  private static List<String> emails(MadangWorld world) {
    return world.people().stream().map(Account::email).collect(Collectors.toList());
  }

  private static List<String> ids(MadangWorld world) {
    return world.people().stream().map(Account::id).collect(Collectors.toList());
  }

  /** Older servers' worlds have fewer fields. */
  private static boolean has(MadangServer server, String field) {
    return server.call("GET", "openapi.json", null).get("components").get("schemas").get("NewWorld").get("properties").has(field);
  }
}
