package madang.testing;

import java.time.Instant;
import java.util.Map;

/**
 * Which requests or packets a fault hits: all conditions must hold. A match cannot change: each method returns another one.
 */
public final class Match {
  private static final Match ALL = new Match(Fields.NONE);

  private final Fields fields;

  private Match(Fields fields) {
    this.fields = fields;
  }

  /**
   * Everything that the fault can hit.
   *
   * @return the match
   */
  public static Match all() {
    return ALL;
  }

  /**
   * Requests for an operation.
   *
   * @param name its {@code operationId}, or method and path in an edition's OpenAPI document
   * @return the match
   */
  public static Match operation(String name) {
    return ALL.with("operation", name);
  }

  /**
   * Requests by their path.
   *
   * @param path as sent, without the query; {@code *} matches any text
   * @return the match
   */
  public static Match path(String path) {
    return ALL.with("path", path);
  }

  /**
   * Packets with a Socket.IO event.
   *
   * @param name the event's name
   * @return the match
   */
  public static Match event(String name) {
    return ALL.with("event", name);
  }

  /**
   * Packets of a type.
   *
   * @param type such as {@code ping} or {@code connect}
   * @return the match
   */
  public static Match packet(String type) {
    return ALL.with("packet", type);
  }

  /**
   * Only those of an account.
   *
   * @param email the e-mail, or the text before its {@code @}
   * @return the match
   */
  public Match account(String email) {
    return with("account", email);
  }

  /**
   * Only requests with an HTTP method.
   *
   * @param method such as {@code POST}
   * @return the match
   */
  public Match method(String method) {
    return with("method", method);
  }

  /**
   * Only packets of a Socket.IO namespace.
   *
   * @param namespace {@code *} matches any text
   * @return the match
   */
  public Match namespace(String namespace) {
    return with("namespace", namespace);
  }

  /**
   * Only packets that clients send.
   *
   * @return the match
   */
  public Match fromClient() {
    return with("direction", "fromClient");
  }

  /**
   * Only packets that the server sends.
   *
   * @return the match
   */
  public Match toClient() {
    return with("direction", "toClient");
  }

  /**
   * Only requests with these header fields.
   *
   * @param fields patterns by names
   * @return the match
   */
  public Match header(Map<String, String> fields) {
    return with("header", fields);
  }

  /**
   * Only requests whose JSON has these fields.
   *
   * @param json anything that {@link Json#of} takes; further fields do not matter
   * @return the match
   */
  public Match body(Object json) {
    return with("body", json);
  }

  /**
   * Only one of them.
   *
   * @param number from 1
   * @return the match
   */
  public Match nth(int number) {
    return with("nth", number);
  }

  /**
   * Only every second (2), third (3) and so on.
   *
   * @param count from 1
   * @return the match
   */
  public Match every(int count) {
    return with("every", count);
  }

  /**
   * Only a share of them, chosen at random.
   *
   * @param share above 0 and up to 1
   * @param seed equal seeds choose equally
   * @return the match
   */
  public Match probability(double share, long seed) {
    return with("probability", share).with("seed", seed);
  }

  /**
   * At most so many.
   *
   * @param count from 1
   * @return the match
   */
  public Match times(int count) {
    return with("times", count);
  }

  /**
   * Only until a moment of the world's clock.
   *
   * @param date the moment
   * @return the match
   */
  public Match until(Instant date) {
    return with("until", Instant.ofEpochMilli(date.toEpochMilli()).toString());
  }

  /**
   * With a condition that has no method here.
   *
   * @param name the field's name (docs/reference/dev.md)
   * @param value text or a number
   * @return the match
   */
  public Match with(String name, Object value) {
    return new Match(fields.with(name, value));
  }

  Json json() {
    return fields.json();
  }
}
