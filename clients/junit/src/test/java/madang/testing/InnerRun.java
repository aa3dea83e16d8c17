package madang.testing;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs a class of {@link Fixtures}, and notes what is reported. */
final class InnerRun implements TestExecutionListener {
  final List<Throwable> failures = new CopyOnWriteArrayList<>();
  final Map<String, String> entries = new LinkedHashMap<>();
  private int finished;

  /** With these configuration parameters. */
  static InnerRun of(Class<?> fixtures, Map<String, String> parameters) {
    InnerRun run = new InnerRun();
    LauncherFactory.create().execute(
        LauncherDiscoveryRequestBuilder.request().selectors(selectClass(fixtures)).configurationParameters(parameters).build(), run);
    return run;
  }

  /** The number of tests that ran. */
  synchronized int finished() {
    return finished;
  }

  @Override
  public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
    finished += test.isTest() ? 1 : 0;
    if (result.getStatus() == TestExecutionResult.Status.FAILED) {
      failures.add(result.getThrowable().orElseThrow());
    }
  }

  @Override
  public synchronized void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
    entry.getKeyValuePairs().forEach((key, value) -> entries.merge(key, value, (one, other) -> one + "\n" + other));
  }

  /** Runs the class of this name and exits with the number of its failures. */
  public static void main(String[] arguments) throws Exception {
    InnerRun run = of(Class.forName(arguments[0]), Map.of());
    run.failures.forEach(failure -> System.out.println(failure.getMessage()));
    System.exit(run.failures.size());
  }
}
