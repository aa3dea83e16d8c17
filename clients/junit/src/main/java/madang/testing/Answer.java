package madang.testing;

import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;

/** The answer to a call of the app's API. */
public final class Answer {
  private final HttpResponse<String> response;

  Answer(HttpResponse<String> response) {
    this.response = response;
  }

  /**
   * The HTTP status.
   *
   * @return the status
   */
  public int status() {
    return response.statusCode();
  }

  /**
   * The header fields.
   *
   * @return the fields; their names are found in any case
   */
  public HttpHeaders headers() {
    return response.headers();
  }

  /**
   * The body.
   *
   * @return its text; empty if there is none
   */
  public String text() {
    return response.body();
  }

  /**
   * The body as JSON.
   *
   * @return its value; JSON null for an empty body
   * @throws IllegalArgumentException if it is not JSON
   */
  public Json json() {
    return text().isEmpty() ? Json.NULL : Json.parse(text());
  }

  /**
   * The error code of the contract, such as {@code E05}.
   *
   * @return null if the answer has none
   */
  public String code() {
    try {
      return json().textOf("errorCode");
    } catch (IllegalArgumentException | IllegalStateException notOfTheContract) {
      return null;
    }
  }

  /** The JSON of an answer that is no refusal. */
  Json accepted() {
    if (status() / 100 == 2) {
      return json();
    }
    String explanation = headers().firstValue("X-Madang-Explanation").orElse(code() == null ? text() : code());
    throw new MadangError(
        response.request().method() + " " + response.uri().getRawPath() + " was refused with " + status() + ": "
            + Printable.of(explanation), status(), code(), null);
  }

  @Override
  public String toString() {
    return status() + " " + text();
  }
}
