package madang.testing;

import java.time.Instant;

/** The clock of a world. It determines when tokens expire, the dates of chats, and call limits. It stands still in a world with a number. */
public final class MadangClock {
  private final MadangWorld world;

  MadangClock(MadangWorld world) {
    this.world = world;
  }

  /**
   * Its time.
   *
   * @return in whole milliseconds
   */
  public Instant now() {
    return Instant.parse(world.get("clock").get("now").text());
  }

  /**
   * How many times as fast as real time it runs.
   *
   * @return 0 while it stands still
   */
  public double rate() {
    return world.get("clock").get("rate").decimal();
  }

  /**
   * Moves it forward. Everything that is due happens at once.
   *
   * @param length a length of time such as {@code "25h"}
   */
  public void advance(String length) {
    change("advance", Lengths.seconds(length));
  }

  /**
   * Moves it forward. Everything that is due happens at once.
   *
   * @param seconds from 0
   */
  public void advance(double seconds) {
    change("advance", seconds);
  }

  /**
   * Sets it, also back.
   *
   * @param date from 1970 on
   */
  public void set(Instant date) {
    change("set", Instant.ofEpochMilli(date.toEpochMilli()).toString());
  }

  /** Stops it. */
  public void freeze() {
    change("freeze", true);
  }

  /** Lets it run at the speed of real time. */
  public void resume() {
    change("resume", true);
  }

  /**
   * Lets it run at another speed.
   *
   * @param rate how many times as fast as real time, from 0 to 100,000
   */
  public void run(double rate) {
    change("rate", rate);
  }

  private void change(String field, Object value) {
    world.post("clock", Json.object(field, value));
  }
}
