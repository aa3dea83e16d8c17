package madang.testing;

/**
 * The effect of a fault; docs/reference/dev.md says what a client sees. Times are real. A fault cannot change: each method returns another
 * one.
 */
public final class Fault {
  private final Fields fields;

  private Fault(Fields fields) {
    this.fields = fields;
  }

  /**
   * A fault by the name of its kind; {@link #with} sets its fields.
   *
   * @param kind such as {@code answerLost}
   * @return the fault
   */
  public static Fault of(String kind) {
    return new Fault(Fields.NONE.with("kind", kind));
  }

  /**
   * Answers with a status, without a body. {@code with("code", "E11")} gives it the contract's body of a code, {@code with("body", text)}
   * another one, {@code with("retryAfter", 5)} a {@code Retry-After}.
   *
   * @param status the HTTP status
   * @return the fault
   */
  public static Fault status(int status) {
    return of("status").with("status", status);
  }

  /**
   * Answers {@code E05}, as for an expired access token.
   *
   * @return the fault
   */
  public static Fault expiredToken() {
    return of("expiredToken");
  }

  /**
   * Answers {@code E98} with {@code Retry-After}.
   *
   * @param retryAfter in seconds
   * @return the fault
   */
  public static Fault limited(int retryAfter) {
    return of("limited").with("retryAfter", retryAfter);
  }

  /**
   * Delays the operation and so its answer; with {@link #afterwards} only the answer.
   *
   * @param time a length of time, at most {@code "10m"}
   * @return the fault
   */
  public static Fault latency(String time) {
    return of("latency").time("milliseconds", time);
  }

  /**
   * Performs the operation, then ends the connection without a byte of the answer.
   *
   * @return the fault
   */
  public static Fault answerLost() {
    return of("answerLost");
  }

  /**
   * Sends the beginning of the answer's body, then ends the connection.
   *
   * @param bytes how much of the body
   * @return the fault
   */
  public static Fault cut(int bytes) {
    return of("cut").with("bytes", bytes);
  }

  /**
   * Sends the answer's JSON without its last byte.
   *
   * @return the fault
   */
  public static Fault malformedJson() {
    return of("malformedJSON");
  }

  /**
   * Sends the answer with another content type.
   *
   * @param type such as {@code text/html}
   * @return the fault
   */
  public static Fault contentType(String type) {
    return of("contentType").with("contentType", type);
  }

  /**
   * Sends the body in pieces.
   *
   * @param bytes the size of each
   * @param pause a length of time between two
   * @return the fault
   */
  public static Fault drip(int bytes, String pause) {
    return of("drip").with("bytes", bytes).time("milliseconds", pause);
  }

  /**
   * Takes the body of the request at a limited speed. What the systems of both sides hold is sent at once: some hundred kilobytes, on one
   * machine over 1 MB.
   *
   * @param bytesPerSecond the speed, from 1
   * @return the fault
   */
  public static Fault slowUpload(int bytesPerSecond) {
    return of("slowUpload").with("bytesPerSecond", bytesPerSecond);
  }

  /**
   * Resets the connection in the middle of the request's body. The operation is not performed.
   *
   * @param bytes how much of the body the server reads first; at the latest, the reset comes before the last byte
   * @return the fault
   */
  public static Fault cutUpload(int bytes) {
    return of("cutUpload").with("bytes", bytes);
  }

  /**
   * Resets the connection instead of the operation; with {@link #afterwards} after it.
   *
   * @return the fault
   */
  public static Fault reset() {
    return of("reset");
  }

  /**
   * Ends all connections as a crash does, and refuses new ones for a time.
   *
   * @param downFor a length of time, at most {@code "60s"}
   * @return the fault
   */
  public static Fault restart(String downFor) {
    return of("restart").time("milliseconds", downFor);
  }

  /**
   * Answers requests for a WebSocket with a status.
   *
   * @param status the HTTP status
   * @return the fault
   */
  public static Fault refuseUpgrade(int status) {
    return of("refuseUpgrade").with("status", status);
  }

  /**
   * Refuses a Socket.IO namespace.
   *
   * @param message the message of {@code CONNECT_ERROR}
   * @return the fault
   */
  public static Fault refuseNamespace(String message) {
    return of("refuseNamespace").with("message", message);
  }

  /**
   * Drops a packet.
   *
   * @return the fault
   */
  public static Fault drop() {
    return of("drop");
  }

  /**
   * Delays a packet and those behind it; with {@code with("overtaken", true)} the packet alone.
   *
   * @param time a length of time, at most {@code "10m"}
   * @return the fault
   */
  public static Fault delay(String time) {
    return of("delay").time("milliseconds", time);
  }

  /**
   * Sends more copies of a packet.
   *
   * @param count the number of copies beyond the first
   * @return the fault
   */
  public static Fault duplicate(int count) {
    return of("duplicate").with("count", count);
  }

  /**
   * Sends a packet after the next one of its kind, or after a second.
   *
   * @return the fault
   */
  public static Fault reorder() {
    return of("reorder");
  }

  /**
   * Sends the beginning of a packet.
   *
   * @param bytes how much of it, with the digit of its type
   * @return the fault
   */
  public static Fault truncate(int bytes) {
    return of("truncate").with("bytes", bytes);
  }

  /**
   * Leaves a connection open and neither reads from it nor sends.
   *
   * @return the fault
   */
  public static Fault silence() {
    return of("silence");
  }

  /**
   * Drops pings and pongs; events go on.
   *
   * @return the fault
   */
  public static Fault noPong() {
    return of("noPong");
  }

  /**
   * Ends a socket's session with a close packet, or with {@code with("closeCode", 1011)} a close frame.
   *
   * @return the fault
   */
  public static Fault close() {
    return of("close");
  }

  /**
   * Sends the server's DISCONNECT of a namespace.
   *
   * @return the fault
   */
  public static Fault disconnectNamespace() {
    return of("disconnectNamespace");
  }

  /**
   * Resets a socket's connection and ends its session.
   *
   * @return the fault
   */
  public static Fault resetSocket() {
    return of("resetSocket");
  }

  /**
   * With the operation performed first.
   *
   * @return the fault
   */
  public Fault afterwards() {
    return with("after", true);
  }

  /**
   * With up to so much more delay, at random.
   *
   * @param time a length of time
   * @return the fault
   */
  public Fault jitter(String time) {
    return time("jitter", time);
  }

  /**
   * With a field of the effect that has no method here.
   *
   * @param name the field's name (docs/reference/dev.md)
   * @param value text, a number or a boolean
   * @return the fault
   */
  public Fault with(String name, Object value) {
    return new Fault(fields.with(name, value));
  }

  private Fault time(String name, String length) {
    return with(name, Lengths.milliseconds(length));
  }

  Json json() {
    return fields.json();
  }

  /** For names of tests with parameters. */
  @Override
  public String toString() {
    return fields.toString();
  }
}
