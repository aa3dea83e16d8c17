package madang.testing;

import java.math.BigDecimal;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** HTTP requests with texts as bodies. */
final class Http {
  /** The server waits for at most 60 seconds itself. */
  static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Duration LIMIT_TO_CONNECT = Duration.ofSeconds(30);

  /**
   * Clients of worlds have connections of their own: a fault that ends them must not end those of development calls, of which the server
   * ends none.
   */
  static final Http CLIENTS = new Http();
  static final Http CALLS = new Http();

  private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY)
      .connectTimeout(LIMIT_TO_CONNECT).build();

  private Http() {}

  /**
   * Sends a request and reads the whole answer.
   *
   * @param body null for none
   * @throws MadangError with status 0 if there is no whole answer
   */
  HttpResponse<String> send(String method, String url, Map<String, String> headers, Json body) {
    return send(method, url, headers, body == null ? null : body.toString(), "application/json", LIMIT);
  }

  HttpResponse<String> send(String method, String url, Map<String, String> headers, String body, String type, Duration limit) {
    URI address = URI.create(url);
    String call = method + " " + address.getRawPath();
    HttpRequest.Builder request = HttpRequest.newBuilder(address);
    headers.forEach(request::header);
    if (body != null) {
      request.header("Content-Type", type);
    }
    request.method(method, body == null
        ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
    // A request's own limit ends with the head of the answer.
    CompletableFuture<HttpResponse<String>> answer =
        client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    try {
      return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException error) {
      answer.cancel(true);
      throw late(call, limit, error);
    } catch (ExecutionException error) {
      Throwable cause = error.getCause();
      if (cause instanceof HttpTimeoutException) {
        throw late(call, LIMIT_TO_CONNECT, cause);
      }
      throw new MadangError(call + ": no answer: " + words(cause), 0, null, cause);
    } catch (InterruptedException error) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new MadangError(call + " was interrupted", 0, null, error);
    }
  }

  private static MadangError late(String call, Duration limit, Throwable cause) {
    String seconds = BigDecimal.valueOf(limit.toMillis(), 3).stripTrailingZeros().toPlainString();
    return new MadangError(call + ": no answer within " + seconds + " s", 0, null, cause);
  }

  /** Whether the error is that of a call that took too long. */
  static boolean isLate(MadangError error) {
    return error.getCause() instanceof TimeoutException || error.getCause() instanceof HttpTimeoutException;
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
