package madang.testing;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A client of the app's API, for tests of the API itself. Paths are below {@code /v1}: {@code client.get("workspaces")}. The JDK sends a
 * {@code GET} again by itself if its connection ends without a byte of an answer; other methods are sent once.
 */
public final class MadangClient {
  private final String url;
  private final String key;
  /** Null before the sign-in. */
  private volatile Json user;

  MadangClient(String url, String key) {
    this.url = url;
    this.key = key;
  }

  /**
   * Signs in, and sends the access token from now on.
   *
   * @param email the whole e-mail
   * @param password the password
   */
  public void signIn(String email, String password) {
    user = post("users/login", Json.object("email", email, "password", password));
  }

  /**
   * The answer to the sign-in, with the tokens.
   *
   * @return JSON null before the sign-in
   */
  public Json user() {
    return user == null ? Json.NULL : user;
  }

  /**
   * The access token.
   *
   * @return null before the sign-in
   */
  public String accessToken() {
    // In edition 2024-01 the tokens are beside the other fields.
    return user == null ? null : (user.has("token") ? user.get("token") : user).get("accessToken").text();
  }

  /**
   * Reads.
   *
   * @param path with its query
   * @return the JSON of the answer
   * @throws MadangError with status and code for a status other than 2xx, with status 0 if there is no answer
   */
  public Json get(String path) {
    return send("GET", path, null).accepted();
  }

  /**
   * Posts JSON.
   *
   * @param path with its query
   * @param body anything that {@link Json#of} takes; null for none
   * @return the JSON of the answer
   * @throws MadangError with status and code for a status other than 2xx, with status 0 if there is no answer
   */
  public Json post(String path, Object body) {
    return send("POST", path, body).accepted();
  }

  /**
   * Puts JSON.
   *
   * @param path with its query
   * @param body anything that {@link Json#of} takes; null for none
   * @return the JSON of the answer
   * @throws MadangError with status and code for a status other than 2xx, with status 0 if there is no answer
   */
  public Json put(String path, Object body) {
    return send("PUT", path, body).accepted();
  }

  /**
   * Deletes.
   *
   * @param path with its query
   * @return the JSON of the answer
   * @throws MadangError with status and code for a status other than 2xx, with status 0 if there is no answer
   */
  public Json delete(String path) {
    return send("DELETE", path, null).accepted();
  }

  /**
   * Makes a call whose answer may be a refusal.
   *
   * @param method such as {@code GET}
   * @param path with its query
   * @param body anything that {@link Json#of} takes; null for none
   * @return the answer
   * @throws MadangError with status 0 if there is no answer
   */
  public Answer send(String method, String path, Object body) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("SesacKey", key);
    if (user != null) {
      headers.put("Authorization", accessToken());
    }
    return new Answer(Http.CLIENTS.send(method, url + "/v1/" + belowVersion(path), headers, body == null ? null : Json.of(body)));
  }

  /** {@code workspaces} for {@code workspaces}, {@code /workspaces} and {@code /v1/workspaces}. */
  static String belowVersion(String path) {
    return path.replaceFirst("^/*(v1/)?", "");
  }
}
