package madang.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a world begins with. A plan cannot change: each method returns another one. */
public final class WorldPlan {
  private final Map<String, Object> fields;
  final String ttl;

  /** The seed {@code courtyard}, without a number, with the server's settings. */
  public WorldPlan() {
    this(Map.of("seed", "courtyard"), "10m");
  }

  private WorldPlan(Map<String, Object> fields, String ttl) {
    this.fields = fields;
    this.ttl = ttl;
  }

  private WorldPlan with(String name, Object value) {
    Map<String, Object> all = new LinkedHashMap<>(fields);
    all.put(name, value);
    return new WorldPlan(all, ttl);
  }

  /**
   * The people and chats of the beginning.
   *
   * @param seed {@code empty}, {@code courtyard}, {@code crowded}, {@code edge}, or a seed in YAML or JSON
   * @return the plan with it
   */
  public WorldPlan seed(String seed) {
    return with("seed", seed);
  }

  /**
   * A seed in a file.
   *
   * @param name a resource on the class path such as {@code seeds/weekend.yaml}, otherwise a file
   * @return the plan with it
   * @throws UncheckedIOException if it is neither or cannot be read
   */
  public WorldPlan seedFile(String name) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    try (InputStream resource = loader == null ? null : loader.getResourceAsStream(name)) {
      return seed(resource == null
          ? Files.readString(Path.of(name)) : new String(resource.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException error) {
      throw new UncheckedIOException("the seed " + name + " is neither a resource on the class path nor a file that can be read", error);
    }
  }

  /**
   * Worlds of one seed and number have the same ids, tokens and dates in every run, and their clock stands still until a test moves it.
   *
   * @param number from 0
   * @return the plan with it
   */
  public WorldPlan number(long number) {
    return with("number", number);
  }

  /**
   * A name for people, shown in the console.
   *
   * @param name 1 to 100 characters
   * @return the plan with it
   */
  public WorldPlan name(String name) {
    return with("name", name);
  }

  /**
   * The world's port.
   *
   * @param port 0 for a free one
   * @return the plan with it
   */
  public WorldPlan port(int port) {
    return with("port", port);
  }

  /**
   * Settings of this world, which are otherwise those of the server.
   *
   * @param settings by their names in docs/reference/settings.md, with values as there: {@code "socket.ping.interval"}, {@code "1s"}
   * @return the plan with them
   */
  public WorldPlan settings(Map<String, ?> settings) {
    return with("settings", settings);
  }

  /**
   * How long the world outlives this process if that is killed, in real time. While the process runs, the world stays.
   *
   * @param ttl a length of time, by default {@code "10m"}
   * @return the plan with it
   */
  public WorldPlan ttl(String ttl) {
    Lengths.milliseconds(ttl);
    return new WorldPlan(fields, ttl);
  }

  Map<String, Object> fields() {
    return fields;
  }
}
