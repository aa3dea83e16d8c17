package madang.testing;

/** An entry of the journal. Secrets are {@code ***}. Which values are there depends on the kind; the others are null. */
public final class Entry {
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
   * Its number.
   *
   * @return from 1
   */
  public long number() {
    return json.get("number").number();
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

  private String bodyOf(String message) {
    Json field = json.field(message);
    return field == null ? null : field.textOf("body");
  }

  @Override
  public String toString() {
    StringBuilder words = new StringBuilder();
    words.append(number()).append(' ').append(kind());
    for (String name : new String[] {"account", "method", "path", "packet", "event", "namespace", "status", "code", "reason", "payload"}) {
      Json field = json.field(name);
      if (field != null) {
        words.append(' ').append(field.value() instanceof String ? field.text() : field);
      }
    }
    words.append("request".equals(kind()) && status() == 0 ? " no answer" : "").append(fault() == null ? "" : " fault " + fault());
    return words.length() > 300 ? words.substring(0, 300) + "..." : words.toString();
  }
}
