package madang.testing;

/**
 * Selects entries of the journal: all conditions must hold. In texts {@code *} matches any text. A filter cannot change: each method
 * returns another one.
 */
public final class Filter {
  private static final Filter ALL = new Filter(Fields.NONE);

  final Fields fields;

  private Filter(Fields fields) {
    this.fields = fields;
  }

  /**
   * All entries.
   *
   * @return the filter
   */
  public static Filter all() {
    return ALL;
  }

  /**
   * All requests.
   *
   * @return the filter
   */
  public static Filter requests() {
    return ALL.with("kind", "request");
  }

  /**
   * All packets of sockets.
   *
   * @return the filter
   */
  public static Filter packets() {
    return ALL.with("kind", "packet");
  }

  /**
   * Requests for an operation.
   *
   * @param name its {@code operationId}, or method and path in an edition's OpenAPI document
   * @return the filter
   */
  public static Filter operation(String name) {
    return ALL.with("operation", name);
  }

  /**
   * Packets with a Socket.IO event.
   *
   * @param name the event's name
   * @return the filter
   */
  public static Filter event(String name) {
    return packet("event").with("event", name);
  }

  /**
   * Packets of a type.
   *
   * @param type such as {@code connect}, {@code disconnect} or {@code ping}
   * @return the filter
   */
  public static Filter packet(String type) {
    return ALL.with("packet", type);
  }

  /**
   * Notifications for an account's devices.
   *
   * @param account the e-mail, or the text before its {@code @}
   * @return the filter
   */
  public static Filter pushTo(String account) {
    return ALL.with("kind", "push").account(account);
  }

  /**
   * Mails to an address.
   *
   * @param address the whole e-mail
   * @return the filter
   */
  public static Filter mailTo(String address) {
    return ALL.with("kind", "mail").account(address);
  }

  /**
   * Connections of sockets.
   *
   * @param event {@code opened}, {@code upgraded}, {@code closed}, or {@code refused} by a fault
   * @return the filter
   */
  public static Filter connection(String event) {
    return ALL.with("kind", "connection").with("event", event);
  }

  /**
   * Payments.
   *
   * @param event {@code recorded}, {@code credited} or {@code refused}
   * @return the filter
   */
  public static Filter payment(String event) {
    return ALL.with("kind", "payment").with("event", event);
  }

  /**
   * Restricts it by a parameter of the journal that has no method here.
   *
   * @param name the parameter's name (docs/reference/dev.md)
   * @param value text, a number, or JSON for {@code body} and {@code answer}
   * @return the filter
   */
  public Filter with(String name, Object value) {
    return new Filter(fields.with(name, value));
  }

  /**
   * Restricts it to one account.
   *
   * @param email the e-mail, or the text before its {@code @}
   * @return the filter
   */
  public Filter account(String email) {
    return with("account", email);
  }

  /**
   * Restricts it to a status.
   *
   * @param status the status
   * @return the filter
   */
  public Filter status(int status) {
    return with("status", String.valueOf(status));
  }

  /**
   * Restricts it to statuses.
   *
   * @param pattern such as {@code 4*}
   * @return the filter
   */
  public Filter status(String pattern) {
    return with("status", pattern);
  }

  /**
   * Restricts it to an error code.
   *
   * @param code such as {@code E05}
   * @return the filter
   */
  public Filter code(String code) {
    return with("code", code);
  }

  /**
   * Restricts it to an HTTP method.
   *
   * @param method such as {@code POST}
   * @return the filter
   */
  public Filter method(String method) {
    return with("method", method);
  }

  /**
   * Restricts it to paths.
   *
   * @param path such as {@code /v1/users/*}
   * @return the filter
   */
  public Filter path(String path) {
    return with("path", path);
  }

  /**
   * Restricts it to requests with a key of an edition, and to notifications in its format.
   *
   * @param edition {@code 2024-10} or {@code 2024-01}
   * @return the filter
   */
  public Filter edition(String edition) {
    return with("edition", edition);
  }

  /**
   * Restricts it to a Socket.IO namespace.
   *
   * @param namespace such as {@code /ws-channel-*}
   * @return the filter
   */
  public Filter namespace(String namespace) {
    return with("namespace", namespace);
  }

  /**
   * Restricts it to an Engine.IO session.
   *
   * @param id its id
   * @return the filter
   */
  public Filter session(String id) {
    return with("session", id);
  }

  /**
   * Restricts it to a transport.
   *
   * @param transport {@code polling} or {@code websocket}
   * @return the filter
   */
  public Filter transport(String transport) {
    return with("transport", transport);
  }

  /**
   * Restricts it to packets that clients sent.
   *
   * @return the filter
   */
  public Filter fromClient() {
    return with("direction", "fromClient");
  }

  /**
   * Restricts it to packets that the server sent.
   *
   * @return the filter
   */
  public Filter toClient() {
    return with("direction", "toClient");
  }

  /**
   * Restricts it to entries to which a fault applied.
   *
   * @param kind the kind of the fault's effect, {@code *} for any
   * @return the filter
   */
  public Filter fault(String kind) {
    return with("fault", kind);
  }

  /**
   * Restricts it to entries whose body, payload or first argument of an event has these fields.
   *
   * @param json anything that {@link Json#of} takes; further fields do not matter
   * @return the filter
   */
  public Filter body(Object json) {
    return with("body", json);
  }

  /**
   * Restricts it to entries whose body, payload or first argument of an event has this field.
   *
   * @param name the field's name
   * @param value anything that {@link Json#of} takes
   * @return the filter
   */
  public Filter body(String name, Object value) {
    return body(Json.object(name, value));
  }

  /**
   * Restricts it to entries whose answer has these fields.
   *
   * @param json anything that {@link Json#of} takes; further fields do not matter
   * @return the filter
   */
  public Filter answer(Object json) {
    return with("answer", json);
  }

  /** Whether it looks into bodies, which only expectations can. */
  boolean readsBodies() {
    return fields.has("body") || fields.has("answer");
  }

  @Override
  public String toString() {
    String words = fields.toString();
    return words.isEmpty() ? "any entry" : words;
  }
}
