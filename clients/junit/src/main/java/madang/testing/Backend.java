package madang.testing;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in development mode, found or started: its development calls, and the leases of its worlds. */
final class Backend implements Closeable {
  private static final int MILLISECONDS_TO_CONNECT = 2000;
  private static final Pattern CODE = Pattern.compile("\\((E\\d\\d)\\)$");

  final String url;
  private final Map<String, String> headers;
  /** Null for a server that was found. */
  final StartedServer started;
  private final ScheduledExecutorService renewals = Executors.newSingleThreadScheduledExecutor(work -> {
    Thread thread = new Thread(work, "madang-leases");
    thread.setDaemon(true);
    return thread;
  });
  private volatile boolean knowsLeases = true;
  /** The last call got no answer. */
  private volatile boolean isDoubtful;
  /** How long calls may take, and the question whether the server is still there. */
  Duration limit = Http.LIMIT;
  Duration limitOfAbout = Duration.ofSeconds(5);

  /**
   * Makes the connection.
   *
   * @param token null if the server is on this machine
   * @param started null for a server that was found
   */
  Backend(String url, String token, StartedServer started) {
    this.url = url.replaceAll("/+$", "");
    headers = token == null ? Map.of() : Map.of("Authorization", "Bearer " + token);
    this.started = started;
  }

  boolean isStarted() {
    return started != null;
  }

  /** The path follows {@code /_dev/}. A body may be null. */
  HttpResponse<String> send(String method, String path, Json body) {
    return send(method, path, body == null ? null : body.toString(), "application/json");
  }

  /** After a call without an answer the server is asked first whether it is there: then later calls of a hung server take little time. */
  private HttpResponse<String> send(String method, String path, String body, String type) {
    if (isDoubtful) {
      about(limitOfAbout);
    }
    return answer(method, path, body, type, limit);
  }

  /** What the server says about itself, within a limit. */
  HttpResponse<String> about(Duration limit) {
    return answer("GET", "about", null, null, limit);
  }

  private HttpResponse<String> answer(String method, String path, String body, String type, Duration limit) {
    try {
      HttpResponse<String> answer = Http.CALLS.send(method, url + "/_dev/" + path, headers, body, type, limit);
      isDoubtful = false;
      return answer;
    } catch (MadangError error) {
      isDoubtful = true;
      // A server that has ended is not slow.
      String end = started == null || Http.isLate(error) ? "" : started.fate();
      throw end.isEmpty() ? error : new MadangError(error.getMessage() + end, 0, null, error.getCause());
    }
  }

  /**
   * Why the server cannot be used; null if it answers within 5 seconds. It is asked only after a call without an answer, and if
   * {@code isCertain} is true.
   */
  String silence(boolean isCertain) {
    try {
      if (isDoubtful || isCertain) {
        about(limitOfAbout);
      }
      return null;
    } catch (MadangError error) {
      return "the server at " + url + " does not answer: " + error.getMessage();
    }
  }

  void postText(String path, String text) {
    HttpResponse<String> answer = send("POST", path, text, "text/plain");
    if (answer.statusCode() / 100 != 2) {
      throw refusal(answer);
    }
  }

  /** The text of an answer that is no refusal. */
  String read(String method, String path, Json body) {
    HttpResponse<String> answer = send(method, path, body);
    if (answer.statusCode() / 100 == 2) {
      return answer.body();
    }
    throw refusal(answer);
  }

  MadangError refusal(HttpResponse<String> answer) {
    String words = Printable.of(error(answer.body()));
    Matcher code = CODE.matcher(words);
    return new MadangError(words, answer.statusCode(), code.find() ? code.group(1) : null, null);
  }

  private static String error(String body) {
    try {
      return Json.parse(body).get("error").text();
    } catch (RuntimeException notOfMadang) {
      return body;
    }
  }

  Json call(String method, String path, Json body) {
    String text = read(method, path, body);
    try {
      return Json.parse(text);
    } catch (IllegalArgumentException error) {
      String end = text.substring(Math.max(0, text.length() - 100));
      throw new MadangError(method + " /_dev/" + path + ": the answer is cut or is not JSON: " + Printable.of(end), 0, null, error);
    }
  }

  /** Makes a world with a lease, if the server knows leases: the world then also ends if this process is killed. */
  Json makeWorld(Map<String, Object> plan, String ttl) {
    if (knowsLeases) {
      Map<String, Object> leased = new HashMap<>(plan);
      leased.put("ttl", ttl);
      try {
        return call("POST", "worlds", Json.of(leased));
      } catch (MadangError error) {
        if (!error.getMessage().startsWith("ttl: is not a field")) {
          throw error;
        }
        knowsLeases = false;
      }
    }
    return call("POST", "worlds", Json.of(plan));
  }

  /** The address of a world: its own, or that by its host name, if its port cannot be reached. */
  String address(Json made) {
    URI own = URI.create(made.get("url").text());
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(own.getHost(), own.getPort()), MILLISECONDS_TO_CONNECT);
      return own.toString();
    } catch (IOException error) {
      URI server = URI.create(url);
      String port = server.getPort() < 0 ? "" : ":" + server.getPort();
      return server.getScheme() + "://" + made.get("id").text() + ".localhost" + port;
    }
  }

  /** Renews a world's lease, which any call about the world does, until this is cancelled. */
  ScheduledFuture<?> keep(String id, String ttl) {
    long third = Math.max(Lengths.milliseconds(ttl) / 3, 300);
    return renewals.scheduleWithFixedDelay(() -> {
      try {
        send("GET", "worlds/" + id, null);
      } catch (RuntimeException error) {
        // The next call of the test says what is wrong with the server. The lease lasts for more tries.
      }
    }, third, third, TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    renewals.shutdownNow();
    if (started != null) {
      started.close();
    }
  }
}
