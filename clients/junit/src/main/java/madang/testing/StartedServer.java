package madang.testing;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** A server of this process, on a free port, with a folder of its own in the folder for temporary files. */
final class StartedServer implements Closeable {
  /**
   * Runs the server until its own input ends or has a line. So the server ends, and its folder is removed, when this process is killed as
   * well. The folder stays until then, with the log and, if the server ended before, its exit status. The signals of a terminal are left
   * to this process.
   */
  private static final String SCRIPT = String.join("\n",
      "patience=$1; folder=$2; shift 2; trap '' INT HUP",
      "exec 3<&0",
      "\"$@\" </dev/null 2>\"$folder/log\" 3<&- & server=$!",
      "exec >/dev/null 2>&1",
      "{",
      "  read -r _ <&3",
      "  [ -e \"$folder/status\" ] || kill $server",
      "  tenths=0",
      "  until [ -e \"$folder/status\" ] || [ $tenths -ge $((patience * 10)) ]; do sleep 0.1; tenths=$((tenths + 1)); done",
      "  [ -e \"$folder/status\" ] || kill -KILL $server",
      "} & watch=$!",
      "exec 3<&-",
      "wait $server; echo $? >\"$folder/status\"",
      "wait $watch",
      "rm -rf \"$folder\"");
  private static final String READY = "madang listening on ";
  private static final long SECONDS_TO_START = 60;
  /** After the signal TERM; then the script kills the server. */
  private static final int SECONDS_TO_END = 15;
  private static final int LINES_SHOWN = 10;
  private static final long MILLISECONDS_TO_KNOW = 10_000;

  final String url;
  final Path folder;
  private final Process process;
  private final int patience;

  private StartedServer(Process process, String url, Path folder, int patience) {
    this.process = process;
    this.url = url;
    this.folder = folder;
    this.patience = patience;
  }

  static StartedServer start(String program) {
    return start(program, SECONDS_TO_END);
  }

  /** With another limit for its end after the signal TERM, in seconds. */
  static StartedServer start(String program, int patience) {
    Process process = null;
    Path folder = null;
    try {
      folder = Files.createTempDirectory("madang-tests");
      process = new ProcessBuilder("sh", "-c", SCRIPT, "sh", Integer.toString(patience), folder.toString(), program, "serve", "--dev",
          "--port", "0", "--data", folder.resolve("data").toString()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String line = firstLine(process);
      if (line == null || !line.startsWith(READY)) {
        String words = String.join(" ", log(folder));
        throw new MadangError(program + " did not start: " + (words.isEmpty() ? "it printed nothing" : words));
      }
      return new StartedServer(process, line.substring(READY.length()), folder, patience);
    } catch (IOException error) {
      end(process, "no address yet", folder, patience);
      throw new MadangError(program + " did not start: " + error.getMessage(), 0, null, error);
    } catch (MadangError error) {
      end(process, "no address yet", folder, patience);
      throw error;
    }
  }

  /** The first line of its output; null if it ended or took too long. All other output is discarded. */
  private static String firstLine(Process process) {
    CompletableFuture<String> first = new CompletableFuture<>();
    Thread reader = new Thread(() -> {
      try (BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        first.complete(output.readLine());
        while (output.readLine() != null) {
          continue;
        }
      } catch (IOException error) {
        first.complete(null);
      }
    }, "madang-output");
    reader.setDaemon(true);
    reader.start();
    try {
      return first.get(SECONDS_TO_START, TimeUnit.SECONDS);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      return null;
    } catch (ExecutionException | TimeoutException error) {
      return null;
    }
  }

  /** How it ended, to be appended to the error of a call; empty if it still runs. */
  String fate() {
    String status = status();
    // The connections of a process end before its status is known.
    for (long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLISECONDS_TO_KNOW);
        status.isEmpty() && System.nanoTime() < end; status = status()) {
      try {
        Thread.sleep(20);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    if (status.isEmpty()) {
      return "";
    }
    int number = Integer.parseInt(status);
    List<String> lines = log(folder);
    return "\nThe server has ended with status " + status + (number > 128 ? " (signal " + (number - 128) + ")" : "")
        + ". The end of its log:" + (lines.isEmpty() ? " (empty)" : "\n  " + String.join("\n  ", lines));
  }

  private String status() {
    try {
      return Files.readString(folder.resolve("status")).trim();
    } catch (IOException error) {
      return "";
    }
  }

  /** The last lines of its log. */
  private static List<String> log(Path folder) {
    try {
      List<String> lines = new String(Files.readAllBytes(folder.resolve("log")), StandardCharsets.UTF_8).lines()
          .filter(line -> !line.isBlank()).map(Printable::of).collect(Collectors.toList());
      return lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size());
    } catch (IOException error) {
      return List.of();
    }
  }

  /**
   * Ends it and removes its folder. A server that does not end is killed.
   *
   * @throws MadangError if that fails
   */
  @Override
  public void close() {
    end(process, url, folder, patience);
  }

  private static void end(Process process, String url, Path folder, int patience) {
    if (process == null) {
      return;
    }
    // The script counts pauses, which are longer on a busy machine.
    int limit = patience * 2 + 60;
    try {
      try (OutputStream input = process.getOutputStream()) {
        input.write("end\n".getBytes(StandardCharsets.US_ASCII));
      } catch (IOException error) {
        // It has ended already.
      }
      if (process.waitFor(limit, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    throw new MadangError("the server at " + url + " did not end within " + limit + " s: look for processes that use " + folder);
  }
}
