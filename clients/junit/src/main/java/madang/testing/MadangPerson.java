package madang.testing;

/**
 * A person of a world, who acts like one more client of the account. A place is a channel such as {@code Weekend/ios}, or a workspace such
 * as {@code Weekend} for its default channel. What the rules of the API forbid is a {@link MadangError} with the contract's code.
 */
public final class MadangPerson {
  private final MadangWorld world;
  private final String name;

  MadangPerson(MadangWorld world, String name) {
    this.world = world;
    this.name = name;
  }

  /**
   * Posts in a channel.
   *
   * @param text the chat's text
   * @param place the channel
   * @return the chat as clients get it
   */
  public Json post(String text, String place) {
    return post(text, place, 0);
  }

  /**
   * Posts in a channel, with generated pictures.
   *
   * @param text the chat's text
   * @param place the channel
   * @param files the number of pictures
   * @return the chat as clients get it
   */
  public Json post(String text, String place, int files) {
    return act("post", Json.object("in", place, "text", text, "files", files));
  }

  /**
   * Writes a direct message in the oldest common workspace.
   *
   * @param text the message's text
   * @param to the receiver: the e-mail, or the text before its {@code @}
   * @return the chat as clients get it
   */
  public Json write(String text, String to) {
    return act("post", Json.object("to", to, "text", text));
  }

  /**
   * Writes a direct message in a workspace, with generated pictures.
   *
   * @param text the message's text
   * @param to the receiver: the e-mail, or the text before its {@code @}
   * @param workspace the workspace's name
   * @param files the number of pictures
   * @return the chat as clients get it
   */
  public Json write(String text, String to, String workspace, int files) {
    return act("post", Json.object("to", to, "text", text, "in", workspace, "files", files));
  }

  /**
   * Joins a channel, or a workspace by an invitation of its owner.
   *
   * @param place the channel or workspace
   */
  public void join(String place) {
    act("join", Json.object("in", place));
  }

  /**
   * Leaves a channel or a workspace.
   *
   * @param place the channel or workspace
   */
  public void leave(String place) {
    act("leave", Json.object("in", place));
  }

  /**
   * Makes any call of the API of edition 2024-10 as this person.
   *
   * @param method such as {@code GET}
   * @param path below {@code /v1}, such as {@code workspaces}
   * @param body anything that {@link Json#of} takes; null for none
   * @return the JSON of the answer
   */
  public Json call(String method, String path, Object body) {
    return new Answer(world.send(method, people() + "/v1/" + MadangClient.belowVersion(path), body == null ? null : Json.of(body)))
        .accepted();
  }

  /** The whole e-mail. A wrong or ambiguous name is the same error as in other calls. */
  String email() {
    return world.get(people() + "/v1/users/me").get("email").text();
  }

  private Json act(String act, Json body) {
    return world.post(people() + "/" + act, body);
  }

  private String people() {
    return "people/" + Http.part(name);
  }

  @Override
  public String toString() {
    return name;
  }
}
