import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import madang.testing.Json;

/**
 * A small chat client: the client under test in the examples. Put your own in its place. It keeps the ten rules of docs/build-a-client.md
 * that the tests are about. Only {@link Json} is from the kit.
 */
final class Chat implements AutoCloseable {
  /** The server refused the call; the message is its code, such as {@code E05}. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refused(String code) {
      super(code);
    }
  }

  /** No answer that can be read came. Perhaps the server did what was asked. */
  static final class Unclear extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unclear(String what, Throwable cause) {
      super(what, cause);
    }
  }

  private static final Duration LIMIT = Duration.ofSeconds(5);
  private final HttpClient http = HttpClient.newHttpClient();
  private final String url;
  private final String key;
  private Json user;
  private String access;
  private final Map<String, String> paths = new ConcurrentHashMap<>();
  private final Map<String, Json> shown = new LinkedHashMap<>();
  private final List<Thread> listeners = new ArrayList<>();

  Chat(String url, String key) {
    this.url = url;
    this.key = key;
  }

  void signIn(String email, String password, String deviceToken) {
    user = send("POST", "users/login", Json.object("email", email, "password", password, "deviceToken", deviceToken));
    access = user.get("token").get("accessToken").text();
  }

  String nickname() {
    return user.get("nickname").text();
  }

  /** The path of a channel with a name such as {@code Weekend/ios}. */
  String room(String name) {
    return paths.computeIfAbsent(name, this::find);
  }

  private String find(String name) {
    String[] names = name.split("/");
    String path = "workspaces/" + call("GET", "workspaces", null).find("name", names[0]).get("workspace_id").text() + "/channels";
    return path + "/" + call("GET", path, null).find("name", names[1]).get("channel_id").text();
  }

  /** The chats of a room after a date, oldest first. */
  List<Json> chats(String room, String after) {
    return call("GET", room(room) + "/chats?cursor_date=" + after, null).list();
  }

  /** The date of the newest chat of a room; empty if there is none. */
  String newest(String room) {
    List<Json> chats = chats(room, "");
    return chats.isEmpty() ? "" : chats.get(chats.size() - 1).get("createdAt").text();
  }

  long unread(String room, String after) {
    return call("GET", room(room) + "/unreads?after=" + after, null).get("count").number();
  }

  /** Posts once: if no answer comes, it looks in the history before it posts again. */
  Json post(String room, String text) {
    String path = room(room) + "/chats";
    String newest = newest(room);
    for (int attempt = 0; ; attempt++) {
      try {
        return call("POST", path, Json.object("content", text));
      } catch (Unclear unclear) {
        pause(100);
        for (Json chat : chats(room, newest)) {
          if (chat.get("content").equals(Json.of(text)) && chat.get("user").get("user_id").equals(user.get("user_id"))) {
            return chat;
          }
        }
        if (attempt == 2) {
          throw unclear;
        }
      }
    }
  }

  /** Shows a room: its history, and each new chat as it comes. Returns when the history is there. */
  void open(String room) throws Exception {
    CompletableFuture<Void> isOpen = new CompletableFuture<>();
    Thread listener = new Thread(() -> listen(room, isOpen));
    listener.setDaemon(true);
    listeners.add(listener);
    listener.start();
    isOpen.get(10, TimeUnit.SECONDS);
  }

  /** Waits until the open room shows a text. */
  synchronized void waitFor(String text) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (shown.values().stream().noneMatch(chat -> chat.get("content").equals(Json.of(text)))) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError("'" + text + "' was not shown within 10 s");
      }
      wait(left);
    }
  }

  @Override
  public void close() {
    listeners.forEach(Thread::interrupt);
  }

  private synchronized void show(Json chat) {
    shown.put(chat.get("chat_id").text(), chat);
    notifyAll();
  }

  private synchronized String newestShown() {
    return shown.values().stream().map(chat -> chat.get("createdAt").text()).max(String::compareTo).orElse("");
  }

  /** Connects again whenever a connection ends, and reads what it missed. */
  private void listen(String room, CompletableFuture<Void> isOpen) {
    while (!Thread.currentThread().isInterrupted()) {
      try {
        connection(room, isOpen);
      } catch (Refused | Unclear ended) {
        pause(200);
      }
    }
  }

  /** One Socket.IO connection by long-polling, until it ends or falls silent. */
  private void connection(String room, CompletableFuture<Void> isOpen) {
    String path = "/socket.io/?EIO=4&transport=polling";
    Json opened = Json.parse(http("GET", path, null, Map.of(), LIMIT).body().substring(1));
    String session = path + "&sid=" + opened.get("sid").text();
    String id = room(room).replaceFirst(".*/", "");
    String credentials = Json.object("SesacKey", key, "token", access).toString();
    http("POST", session, "40/ws-channel-" + id + "," + credentials, Map.of(), LIMIT);
    // A server that is alive sends a ping within this time.
    Duration patience = Duration.ofMillis(opened.get("pingInterval").number() + opened.get("pingTimeout").number());
    while (true) {
      for (String packet : http("GET", session, null, Map.of(), patience).body().split("\u001e")) {
        if (packet.equals("2")) {
          http("POST", session, "3", Map.of(), LIMIT);
        } else if (packet.startsWith("40/")) {
          chats(room, newestShown()).forEach(this::show);
          isOpen.complete(null);
        } else if (packet.startsWith("42/")) {
          show(Json.parse(packet.substring(packet.indexOf(',') + 1)).get(1));
        } else if (!packet.equals("6")) {
          // A refused or ended connection. An expired token is renewed by the next call.
          call("GET", "users/me", null);
          throw new Unclear(packet, null);
        }
      }
    }
  }

  /** A call of the API. An access token that has expired is renewed, once for all calls. */
  Json call(String method, String path, Json body) {
    String used = access;
    try {
      return send(method, path, body);
    } catch (Refused refused) {
      if (!"E05".equals(refused.getMessage())) {
        throw refused;
      }
    }
    renew(used);
    return send(method, path, body);
  }

  private synchronized void renew(String used) {
    if (access.equals(used)) {
      access = send("GET", "auth/refresh", null).get("accessToken").text();
    }
  }

  private Json send(String method, String path, Json body) {
    Map<String, String> headers = new LinkedHashMap<>(Map.of("SesacKey", key, "Content-Type", "application/json"));
    if (access != null) {
      headers.put("Authorization", access);
      headers.put("RefreshToken", user.get("token").get("refreshToken").text());
    }
    HttpResponse<String> answer = http(method, "/v1/" + path, body == null ? null : body.toString(), headers, LIMIT);
    Json json;
    try {
      json = answer.body().isEmpty() ? Json.of(null) : Json.parse(answer.body());
    } catch (IllegalArgumentException malformed) {
      throw new Unclear(method + " " + path, malformed);
    }
    if (answer.statusCode() != 200) {
      throw json.isNull() ? new Unclear(method + " " + path, null) : new Refused(json.get("errorCode").text());
    }
    return json;
  }

  private HttpResponse<String> http(String method, String path, String body, Map<String, String> headers, Duration limit) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path)).timeout(limit)
        .method(method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
    headers.forEach(request::header);
    try {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException lost) {
      throw new Unclear(method + " " + path, lost);
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
      throw new Unclear(method + " " + path, closed);
    }
  }

  private static void pause(long milliseconds) {
    try {
      Thread.sleep(milliseconds);
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }
}
