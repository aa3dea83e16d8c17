package madang.testing;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Sockets by long-polling. */
final class Polling {
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final MadangWorld world;
  private final MadangClient client;

  Polling(MadangWorld world, MadangClient client) {
    this.world = world;
    this.client = client;
  }

  /** The session of a new socket in a channel. */
  String connect(String channel) throws Exception {
    String session = open().get("sid").text();
    send(session, "40/ws-channel-" + channel.substring(channel.lastIndexOf('/') + 1) + ",");
    String answer = send(session, null).body();
    if (!answer.startsWith("40/ws-channel-")) {
      throw new AssertionError(answer);
    }
    return session;
  }

  Json open() throws Exception {
    return Json.parse(send(null, null).body().substring(1));
  }

  HttpResponse<String> send(String session, String body) throws Exception {
    String url = world.url() + "/socket.io/?EIO=4&transport=polling" + (session == null ? "" : "&sid=" + session);
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).header("SesacKey", world.key());
    if (client != null) {
      request.header("Authorization", client.accessToken());
    }
    if (body != null) {
      request.header("Content-Type", "text/plain").POST(HttpRequest.BodyPublishers.ofString(body));
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
