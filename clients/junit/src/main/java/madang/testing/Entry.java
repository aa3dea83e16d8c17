package madang.testing;

import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** An entry of the journal. Secrets are {@code ***}. Which values are there depends on the kind; the others are null. */
public final class Entry {
  /** The most characters of a payload that {@link #toString} shows. */
  private static final int SHOWN = 200;

  private final Json json;

  Entry(Json json) {
    this.json = json;
  }

  /**
   * All its fields (docs/reference/dev.md, "Journal").
   *
   * @return as the server sent them
   */
  public Json json() {
    return json;
  }

  /**
   * Its number. A request gets it when its answer is complete, so a long request has a higher number than one that began later.
   *
   * @return from 1
   */
  public long number() {
    return json.get("number").number();
  }

  /**
   * Its start.
   *
   * @return in real milliseconds since the world was made
   */
  public double elapsed() {
    return json.get("elapsed").decimal();
  }

  /**
   * What it is about.
   *
   * @return {@code request}, {@code connection}, {@code packet}, {@code push}, {@code mail} or {@code payment}
   */
  public String kind() {
    return json.get("kind").text();
  }

  /**
   * The account.
   *
   * @return its e-mail, or null
   */
  public String account() {
    return json.textOf("account");
  }

  /**
   * The operation of a request.
   *
   * @return its {@code operationId}, or null
   */
  public String operation() {
    return json.textOf("operation");
  }

  /**
   * The HTTP method of a request.
   *
   * @return the method, or null
   */
  public String method() {
    return json.textOf("method");
  }

  /**
   * The path of a request.
   *
   * @return the path without the query, or null
   */
  public String path() {
    return json.textOf("path");
  }

  /**
   * The status of a request's answer.
   *
   * @return 0 if the client got no answer
   */
  public int status() {
    return (int) json.numberOf("status");
  }

  /**
   * The error code.
   *
   * @return such as {@code E05}, or null
   */
  public String code() {
    return json.textOf("code");
  }

  /**
   * The event of a packet, connection or payment.
   *
   * @return its name, or null
   */
  public String event() {
    return json.textOf("event");
  }

  /**
   * The type of a packet.
   *
   * @return such as {@code event} or {@code ping}, or null
   */
  public String packet() {
    return json.textOf("packet");
  }

  /**
   * The Socket.IO namespace of a packet.
   *
   * @return its name, or null
   */
  public String namespace() {
    return json.textOf("namespace");
  }

  /**
   * The fault that applied.
   *
   * @return the kind of its effect, or null
   */
  public String fault() {
    Json fault = json.field("fault");
    return fault == null ? null : fault.get("kind").text();
  }

  /**
   * The body of a request.
   *
   * @return its text, or the first 16 KiB of it; null if there is none or it is multipart
   */
  public String body() {
    return bodyOf("request");
  }

  /**
   * The body of the answer to a request.
   *
   * @return its text, or the first 16 KiB of it; null if there is none
   */
  public String answer() {
    return bodyOf("answer");
  }

  /**
   * The content of a packet, notification or mail.
   *
   * @return its text, or the first 16 KiB of it; null if there is none
   */
  public String payload() {
    return json.textOf("payload");
  }

  /**
   * The device of a notification.
   *
   * @return its token, or null
   */
  public String deviceToken() {
    return json.textOf("deviceToken");
  }

  private String bodyOf(String message) {
    Json field = json.field(message);
    return field == null ? null : field.textOf("body");
  }

  /**
   * One line: number, start, account, what happened, and the fault that applied. A long payload is shortened, and control characters are
   * written as their numbers, so that a client cannot forge a report. Entries are in the order of
   * their starts if they are sorted by {@link #elapsed}: the number of a request is given at its end.
   */
  @Override
  public String toString() {
    String who = account() == null ? "-" : account();
    String fault = fault() == null ? "" : ", fault " + fault();
    return Printable.of(
        String.format(Locale.ROOT, "%4d  +%.3f s  %s  %s%s%s", number(), elapsed() / 1000, who, what(), fault, shownPayload()));
  }

  private String what() {
    switch (kind()) {
      case "request":
        String outcome = status() == 0 ? "no answer" : words(Integer.toString(status()), code());
        return method() + " " + path() + " (" + (operation() == null ? "no operation" : operation()) + "): " + outcome;
      case "packet":
        String direction = "fromClient".equals(json.textOf("direction")) ? "from the client" : "to the client";
        return words(packet(), event(), namespace(), direction);
      case "push":
        return "push to " + deviceToken();
      default:
        return words(kind(), event(), json.textOf("reason"), code());
    }
  }

  private static String words(String... words) {
    return Arrays.stream(words).filter(Objects::nonNull).collect(Collectors.joining(" "));
  }

  private String shownPayload() {
    if (payload() == null) {
      return "";
    }
    String line = payload();
    int end = line.codePointCount(0, line.length()) > SHOWN ? line.offsetByCodePoints(0, SHOWN) : line.length();
    return " " + line.substring(0, end) + (end < line.length() ? "..." : "");
  }
}
