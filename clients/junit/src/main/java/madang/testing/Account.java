package madang.testing;

import java.util.List;
import java.util.stream.Collectors;

/** An account of a world. */
public final class Account {
  private final Json json;

  Account(Json json) {
    this.json = json;
  }

  /**
   * Its e-mail.
   *
   * @return the e-mail
   */
  public String email() {
    return json.get("email").text();
  }

  /**
   * Its nickname.
   *
   * @return the nickname
   */
  public String nickname() {
    return json.get("nickname").text();
  }

  /**
   * Its id in edition 2024-10.
   *
   * @return the id
   */
  public String id() {
    return json.get("id").text();
  }

  /**
   * Its id in edition 2024-01.
   *
   * @return the id
   */
  public long number() {
    return json.get("number").number();
  }

  /**
   * The workspaces that it belongs to.
   *
   * @return their names
   */
  public List<String> workspaces() {
    return json.get("workspaces").list().stream().map(Json::text).collect(Collectors.toList());
  }

  @Override
  public String toString() {
    return json.toString();
  }
}
