package madang.testing;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A server of this process, on a free port, with a folder of its own in the folder for temporary files. */
final class StartedServer implements Closeable {
  /**
   * Runs the server until its own input ends. So the server ends, and its folder is removed, when this process is killed as well. The
   * signals of a terminal are left to this process.
   */
  private static final String SCRIPT = "folder=$1; shift; trap '' INT HUP; \"$@\" 2>\"$folder/log\" & server=$!; exec >/dev/null; "
      + "cat; kill $server 2>/dev/null; wait $server; rm -rf \"$folder\"";
  private static final String READY = "madang listening on ";
  private static final long SECONDS_TO_START = 60;
  private static final long SECONDS_TO_END = 20;

  final String url;
  private final Process process;

  private StartedServer(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  static StartedServer start(String program) {
    Process process = null;
    try {
      Path folder = Files.createTempDirectory("madang-tests");
      process = new ProcessBuilder("sh", "-c", SCRIPT, "sh", folder.toString(), program, "serve", "--dev", "--port", "0", "--data",
          folder.resolve("data").toString()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String line = firstLine(process);
      if (line == null || !line.startsWith(READY)) {
        throw new MadangError(program + " did not start: " + log(folder));
      }
      return new StartedServer(process, line.substring(READY.length()));
    } catch (IOException error) {
      end(process);
      throw new MadangError(program + " did not start: " + error.getMessage(), 0, null, error);
    } catch (MadangError error) {
      end(process);
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

  private static String log(Path folder) throws IOException {
    String text = Files.readString(folder.resolve("log")).trim();
    return text.isEmpty() ? "it printed nothing" : text.substring(Math.max(0, text.length() - 2000));
  }

  @Override
  public void close() {
    end(process);
  }

  private static void end(Process process) {
    if (process == null) {
      return;
    }
    try {
      process.getOutputStream().close();
      if (process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        return;
      }
    } catch (IOException error) {
      // It has ended already.
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
