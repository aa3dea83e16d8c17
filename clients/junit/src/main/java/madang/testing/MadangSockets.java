package madang.testing;

import java.util.List;

/** The open sockets of a world. */
public final class MadangSockets {
  private final MadangWorld world;

  MadangSockets(MadangWorld world) {
    this.world = world;
  }

  /**
   * The open sockets: {@code session}, {@code transport}, {@code since}, {@code account}, {@code namespaces} and {@code waitingBytes} of
   * each.
   *
   * @return the newest first, at most 1000
   */
  public List<Json> list() {
    return world.get("sockets").list();
  }

  /**
   * Waits until an account has open sockets.
   *
   * @param account the e-mail, or the text before its {@code @}
   * @param within a length of real time, at most {@code "60s"}
   * @param count how many must be open
   * @return the account's open sockets, the newest first; fewer than {@code count} if the time was over
   */
  public List<Json> listOf(String account, String within, int count) {
    return world.get("sockets?account=" + Http.part(account) + "&wait=" + Lengths.wait(within) + "&count=" + count).list();
  }

  /**
   * Ends an account's sockets and resets their connections, as a network that fails.
   *
   * @param account the e-mail, or the text before its {@code @}
   * @return how many there were
   */
  public int cut(String account) {
    return (int) world.delete("sockets?account=" + Http.part(account)).get("cut").number();
  }

  /**
   * Ends one socket and resets its connection, as a network that fails.
   *
   * @param session the id of its session
   */
  public void cutSession(String session) {
    world.delete("sockets/" + Http.part(session));
  }
}
