import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
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

  /** What a request sends. */
  private static final class Body {
    static final Body NONE = new Body("application/json", new byte[0]);
    final String type;
    final byte[] bytes;

    Body(String type, byte[] bytes) {
      this.type = type;
      this.bytes = bytes;
    }

    Body(String type, String text) {
      this(type, text.getBytes(StandardCharsets.UTF_8));
    }

    static Body of(Json json) {
      return json == null ? NONE : new Body("application/json", json.toString());
    }

    /** A chat with pictures, as multipart/form-data. */
    static Body form(String text, Map<String, byte[]> files) {
      String mark = UUID.randomUUID().toString();
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      body.writeBytes(("--" + mark + "\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\n" + text + "\r\n")
          .getBytes(StandardCharsets.UTF_8));
      files.forEach((name, file) -> {
        body.writeBytes(("--" + mark + "\r\nContent-Disposition: form-data; name=\"files\"; filename=\"" + name
            + "\"\r\nContent-Type: image/png\r\n\r\n").getBytes(StandardCharsets.UTF_8));
        body.writeBytes(file);
        body.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
      });
      body.writeBytes(("--" + mark + "--\r\n").getBytes(StandardCharsets.UTF_8));
      return new Body("multipart/form-data; boundary=" + mark, body.toByteArray());
    }
  }

  /** How long a call may take. The time for a large body grows with its size. */
  volatile Duration timeout = Duration.ofSeconds(15);
  private final HttpClient http = HttpClient.newHttpClient();
  private final String url;
  private final String key;
  private Json user;
  private volatile String access;
  private final Map<String, String> paths = new ConcurrentHashMap<>();
  /** The chats of each open room, by their ids. */
  private final Map<String, Map<String, Json>> shown = new HashMap<>();
  private final List<Thread> listeners = new ArrayList<>();

  Chat(String url, String key) {
    this.url = url;
    this.key = key;
  }

  void signIn(String email, String password, String deviceToken) {
    Json credentials = Json.object("email", email, "password", password, "deviceToken", deviceToken);
    user = send("POST", "users/login", Body.of(credentials));
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
    return chats.isEmpty() ? "" : date(chats.get(chats.size() - 1));
  }

  long unread(String room, String after) {
    return call("GET", room(room) + "/unreads?after=" + after, null).get("count").number();
  }

  Json post(String room, String text) {
    return post(room, text, Map.of());
  }

  /** Posts once: if no answer comes, it looks in the history before it posts again. {@code files} are pictures by their names. */
  Json post(String room, String text, Map<String, byte[]> files) {
    String path = room(room) + "/chats";
    String newest = newest(room);
    for (int attempt = 0; ; attempt++) {
      try {
        return signedIn("POST", path, files.isEmpty() ? Body.of(Json.object("content", text)) : Body.form(text, files));
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
    isOpen.get(30, TimeUnit.SECONDS);
  }

  /** What the screen of an open room shows, oldest first. */
  synchronized List<String> texts(String room) {
    return shown.getOrDefault(room, Map.of()).values().stream().sorted(Comparator.comparing(Chat::date))
        .map(chat -> chat.get("content").text()).collect(Collectors.toList());
  }

  /** Waits until an open room shows a text. */
  synchronized void waitFor(String room, String text) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!texts(room).contains(text)) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError(room + " did not show '" + text + "' within 30 s");
      }
      wait(left);
    }
  }

  @Override
  public void close() {
    listeners.forEach(Thread::interrupt);
  }

  private synchronized void show(String room, List<Json> chats) {
    Map<String, Json> known = shown.computeIfAbsent(room, absent -> new LinkedHashMap<>());
    chats.forEach(chat -> known.put(chat.get("chat_id").text(), chat));
    notifyAll();
  }

  private synchronized String newestShown(String room) {
    return shown.getOrDefault(room, Map.of()).values().stream().map(Chat::date).max(String::compareTo).orElse("");
  }

  private static String date(Json chat) {
    return chat.get("createdAt").text();
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
    Json opened = Json.parse(http("GET", path, Body.NONE, Map.of(), timeout).body().substring(1));
    String session = path + "&sid=" + opened.get("sid").text();
    String id = room(room).replaceFirst(".*/", "");
    String credentials = Json.object("SesacKey", key, "token", access).toString();
    http("POST", session, new Body("text/plain", "40/ws-channel-" + id + "," + credentials), Map.of(), timeout);
    // A server that is alive sends a ping within this time.
    Duration patience = Duration.ofMillis(opened.get("pingInterval").number() + opened.get("pingTimeout").number());
    while (true) {
      for (String packet : http("GET", session, Body.NONE, Map.of(), patience).body().split("\u001e")) {
        if (packet.equals("2")) {
          http("POST", session, new Body("text/plain", "3"), Map.of(), timeout);
        } else if (packet.startsWith("40/")) {
          show(room, chats(room, newestShown(room)));
          isOpen.complete(null);
        } else if (packet.startsWith("42/")) {
          show(room, List.of(Json.parse(packet.substring(packet.indexOf(',') + 1)).get(1)));
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
    return signedIn(method, path, Body.of(body));
  }

  private Json signedIn(String method, String path, Body body) {
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
      access = send("GET", "auth/refresh", Body.NONE).get("accessToken").text();
    }
  }

  private Json send(String method, String path, Body body) {
    Map<String, String> headers = new LinkedHashMap<>(Map.of("SesacKey", key));
    if (access != null) {
      headers.put("Authorization", access);
      headers.put("RefreshToken", user.get("token").get("refreshToken").text());
    }
    // 10,000 bytes a second, besides.
    Duration limit = timeout.plusMillis(body.bytes.length / 10);
    HttpResponse<String> answer = http(method, "/v1/" + path, body, headers, limit);
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

  private HttpResponse<String> http(String method, String path, Body body, Map<String, String> headers, Duration limit) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path)).timeout(limit).header("Content-Type", body.type)
        .method(method, body == Body.NONE ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(body.bytes));
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
