package madang.testing;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** HTTP requests with texts as bodies. */
final class Http {
  /** The server waits for at most 60 seconds itself. */
  private static final Duration LIMIT = Duration.ofSeconds(90);

  /**
   * Clients of worlds have connections of their own: a fault that ends them must not end those of development calls, of which the server
   * ends none.
   */
  static final Http CLIENTS = new Http();
  static final Http CALLS = new Http();

  private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY)
      .connectTimeout(Duration.ofSeconds(5)).build();

  private Http() {}

  /**
   * Sends a request and reads the whole answer.
   *
   * @param body null for none
   * @throws MadangError with status 0 if there is no whole answer
   */
  HttpResponse<String> send(String method, String url, Map<String, String> headers, Json body) {
    return send(method, url, headers, body == null ? null : body.toString(), "application/json");
  }

  HttpResponse<String> send(String method, String url, Map<String, String> headers, String body, String type) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).timeout(LIMIT);
    headers.forEach(request::header);
    if (body != null) {
      request.header("Content-Type", type);
    }
    request.method(method, body == null
        ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (IOException error) {
      throw new MadangError(method + " " + url + " was not answered: " + words(error), 0, null, error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new MadangError(method + " " + url + " was interrupted", 0, null, error);
    }
  }

  private static String words(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause.getMessage() != null) {
        return cause.getMessage();
      }
    }
    return error instanceof java.net.ConnectException ? "nothing listens there" : error.getClass().getSimpleName();
  }

  /** A part of a path or query, percent-encoded. */
  static String part(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
