package madang.testing;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Gives tests their {@link MadangWorld} and {@link MadangServer} as parameters. {@link World} brings it; without that annotation,
 * {@code @ExtendWith(MadangExtension.class)} gives worlds of the seed {@code courtyard}.
 *
 * <p>When a test fails, the journals of its worlds become report entries of the test. With {@code MADANG_TEST_RESULTS}, the path of a
 * directory, they are written there as {@code TEST.journal.ndjson} and {@code TEST.har}. With {@code MADANG_TEST_KEEP=1} the worlds of a
 * failed test stay, so that their console can be opened.
 */
public final class MadangExtension implements ParameterResolver, AfterEachCallback {
  private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(MadangExtension.class);

  /** Ends worlds with the test or class, and a started server with the test run. */
  private static final class Kept implements ExtensionContext.Store.CloseableResource {
    final MadangServer server;
    private final Map<String, MadangWorld> worlds = new LinkedHashMap<>();

    Kept(MadangServer server) {
      this.server = server;
    }

    synchronized MadangWorld world(String key, WorldPlan plan) {
      return worlds.computeIfAbsent(key, absent -> server.makeWorld(plan));
    }

    @Override
    public void close() {
      server.close();
    }
  }

  private static final class Run implements ExtensionContext.Store.CloseableResource {
    final Backend backend;

    Run(ExtensionContext context) {
      backend = ServerFinder.find(name -> variable(name, context));
    }

    @Override
    public void close() {
      try {
        backend.close();
      } catch (MadangError error) {
        System.err.println("madang: " + error.getMessage());
      }
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == MadangWorld.class || type == MadangServer.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Kept kept = kept(context);
    if (parameter.getParameter().getType() == MadangServer.class) {
      return kept.server;
    }
    if (context.getTestMethod().isEmpty()) {
      throw new ParameterResolutionException("a MadangWorld belongs to one test: take it in tests, @BeforeEach and @AfterEach methods."
          + " For a world of the whole class, take a MadangServer in @BeforeAll and call makeWorld");
    }
    Optional<World> own = parameter.findAnnotation(World.class);
    String key = own.isPresent() ? parameter.getDeclaringExecutable() + " " + parameter.getIndex() : "";
    return kept.world(key, plan(own.or(() -> world(context)), TestName.of(context)));
  }

  /** JUnit's configuration parameters have system properties as well. */
  static String variable(String name, ExtensionContext context) {
    return ServerFinder.variable(name, property -> context.getConfigurationParameter(property).orElse(null));
  }

  private static Kept kept(ExtensionContext context) {
    Run run = context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent(Run.class, type -> new Run(context), Run.class);
    // By its id, as a store also has what the stores of outer contexts have.
    return context.getStore(NAMESPACE).getOrComputeIfAbsent(
        context.getUniqueId(), id -> new Kept(new MadangServer(run.backend, false)), Kept.class);
  }

  /** The annotation of the method, of its class, or of a class around it. */
  private static Optional<World> world(ExtensionContext context) {
    Optional<World> world = AnnotationSupport.findAnnotation(context.getTestMethod(), World.class);
    for (Class<?> type = context.getRequiredTestClass(); world.isEmpty() && type != null; type = type.getEnclosingClass()) {
      world = AnnotationSupport.findAnnotation(type, World.class);
    }
    return world;
  }

  private static WorldPlan plan(Optional<World> annotation, String name) {
    WorldPlan plan = new WorldPlan().name(name);
    if (annotation.isEmpty()) {
      return plan;
    }
    World world = annotation.get();
    plan = (world.seedFile().isEmpty() ? plan.seed(world.seed()) : plan.seedFile(world.seedFile())).ttl(world.ttl());
    if (world.number() >= 0) {
      plan = plan.number(world.number());
    }
    return world.settings().length == 0 ? plan : plan.settings(settings(world.settings()));
  }

  private static Map<String, String> settings(String[] texts) {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String text : texts) {
      int sign = text.indexOf('=');
      if (sign < 1) {
        throw new IllegalArgumentException("@World: settings: '" + text + "' is not of the form socket.ping.interval=1s");
      }
      settings.put(text.substring(0, sign).trim(), text.substring(sign + 1).trim());
    }
    return settings;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Kept kept = context.getStore(NAMESPACE).get(context.getUniqueId(), Kept.class);
    if (kept != null && context.getExecutionException().filter(FailureReport::isFailure).isPresent()) {
      new FailureReport(context).attach(kept.server.worlds());
    }
  }
}
