package madang.testing;

import java.util.ArrayList;
import java.util.List;

/**
 * The server that makes worlds, and the worlds that were made with this object. It is a parameter of tests and of their
 * {@code @BeforeEach} and {@code @BeforeAll} methods; the worlds end with the test, or with the class.
 *
 * <p>Without JUnit 5: {@code try (MadangServer server = MadangServer.find()) {...}}.
 *
 * <p>Its address is {@code MADANG_DEV_URL}, with the token {@code MADANG_DEV_TOKEN} if it is on another machine. Without it, the program
 * {@code MADANG_PROGRAM} is started on a free port, and ends with the test run. Without both, tests use the server at
 * {@code http://127.0.0.1:8080}, or start {@code madang} of the {@code PATH}. JUnit's configuration parameters and system properties
 * of these names in lower case with points, such as {@code madang.dev.url}, take precedence over the environment.
 */
public final class MadangServer implements AutoCloseable {
  final Backend backend;
  private final boolean isOwner;
  private final List<MadangWorld> worlds = new ArrayList<>();

  MadangServer(Backend backend, boolean isOwner) {
    this.backend = backend;
    this.isOwner = isOwner;
  }

  /**
   * Finds or starts a server.
   *
   * @return the server; close it, which also ends it if it was started
   * @throws MadangError which names the address and the cure, if there is none and none can be started
   */
  public static MadangServer find() {
    return new MadangServer(ServerFinder.find(name -> ServerFinder.variable(name, System::getProperty)), true);
  }

  /**
   * The server's address.
   *
   * @return such as {@code http://127.0.0.1:8080}
   */
  public String url() {
    return backend.url;
  }

  /**
   * Whether it was started for this test run.
   *
   * @return false if it was found
   */
  public boolean isStarted() {
    return backend.isStarted();
  }

  /**
   * Makes a world of a seed. It accepts connections when this returns.
   *
   * @param seed a name such as {@code courtyard}, or a seed in YAML
   * @return the world, which ends with this object at the latest
   */
  public MadangWorld makeWorld(String seed) {
    return makeWorld(new WorldPlan().seed(seed));
  }

  /**
   * Makes a world. It accepts connections when this returns.
   *
   * @param plan what it begins with
   * @return the world, which ends with this object at the latest
   */
  public MadangWorld makeWorld(WorldPlan plan) {
    MadangWorld world = new MadangWorld(backend, plan);
    synchronized (worlds) {
      worlds.add(world);
    }
    return world;
  }

  /**
   * Makes a development call that has no method here (docs/reference/dev.md).
   *
   * @param method such as {@code GET}
   * @param path what follows {@code /_dev/}, such as {@code worlds}
   * @param body anything that {@link Json#of} takes; null for none
   * @return the answer
   */
  public Json call(String method, String path, Object body) {
    return backend.call(method, path, body == null ? null : Json.of(body));
  }

  List<MadangWorld> worlds() {
    synchronized (worlds) {
      return List.copyOf(worlds);
    }
  }

  /** Ends its worlds. */
  @Override
  public void close() {
    MadangError first = null;
    for (MadangWorld world : worlds()) {
      try {
        String silence = world.hasEnded() ? null : backend.silence(false);
        if (silence != null) {
          first = first == null ? new MadangError(silence + "\nSo the world " + world.id() + " is not removed.") : first;
          break;
        }
        world.close();
      } catch (MadangError error) {
        // One that cannot be removed does not keep the others.
        first = first == null ? error : first;
      }
    }
    if (isOwner) {
      backend.close();
    }
    if (first != null) {
      throw first;
    }
  }
}
