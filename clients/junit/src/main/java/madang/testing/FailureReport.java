package madang.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/** What a failed test leaves: report entries, and files in the directory of {@code MADANG_TEST_RESULTS}. */
final class FailureReport {
  /** The newest entries of the journal that a report shows; files have all. */
  private static final int SHOWN = 30;

  private final ExtensionContext context;
  /** Null for no files. */
  private final String directory;
  private final boolean keepsWorlds;

  FailureReport(ExtensionContext context) {
    this.context = context;
    directory = MadangExtension.variable("MADANG_TEST_RESULTS", context);
    keepsWorlds = "1".equals(MadangExtension.variable("MADANG_TEST_KEEP", context));
  }

  /** Assumptions that do not hold abort a test, which is no failure. */
  static boolean isFailure(Throwable error) {
    return !(error instanceof TestAbortedException);
  }

  void attach(List<MadangWorld> worlds) {
    String silence = worlds.stream().allMatch(MadangWorld::hasEnded) ? null : worlds.get(0).silence();
    if (silence != null) {
      context.publishReportEntry("madang.missing", silence + "\nSo the journals are not here, and the worlds are not removed.");
      return;
    }
    int number = 0;
    for (MadangWorld world : worlds) {
      number++;
      if (!world.hasEnded()) {
        attach(world, TestName.of(context) + (number == 1 ? "" : "." + number));
      }
    }
  }

  private void attach(MadangWorld world, String name) {
    Map<String, String> entries = new LinkedHashMap<>();
    try {
      List<Entry> journal = world.journal().entries();
      if (!journal.isEmpty()) {
        entries.put("madang.journal", lines(journal));
      }
      String faults = world.faults().lines();
      if (!faults.isEmpty()) {
        entries.put("madang.faults", faults);
      }
      if (directory != null) {
        entries.put("madang.files", write(name + ".journal.ndjson", world.journal().lines()) + "\n"
            + write(name + ".har", world.journal().har()));
      }
    } catch (IOException | RuntimeException error) {
      // The failure of the test itself must stay the one that is reported.
      entries.put("madang.missing", "the report is incomplete: " + error);
    }
    entries.put("madang.console",
        world.console() + (keepsWorlds ? "" : " (the world has ended; with MADANG_TEST_KEEP=1 worlds of failed tests stay)"));
    if (keepsWorlds) {
      world.leave();
    }
    context.publishReportEntry(entries);
  }

  /** The entries with the highest numbers, in the order of their starts. */
  static String lines(List<Entry> journal) {
    List<Entry> newest = journal.subList(Math.max(0, journal.size() - SHOWN), journal.size());
    return newest.stream().sorted(Comparator.comparingDouble(Entry::elapsed)).map(Entry::toString)
        .collect(Collectors.joining("\n", newest.size() + " of " + journal.size() + " entries\n", ""));
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(Files.createDirectories(Path.of(directory)).resolve(name), text);
  }
}
