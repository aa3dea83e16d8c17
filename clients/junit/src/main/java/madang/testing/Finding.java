package madang.testing;

import java.util.List;
import java.util.stream.Collectors;

/** A client's habit that will cause trouble in production. */
public final class Finding {
  /** The most numbers of entries in a line. */
  private static final int SHOWN = 10;

  private final Json json;

  Finding(Json json) {
    this.json = json;
  }

  /**
   * The habit.
   *
   * @return such as {@code refreshStorm} (docs/reference/dev.md, "Review")
   */
  public String habit() {
    return json.get("habit").text();
  }

  /**
   * The account of the client.
   *
   * @return its e-mail; null if it is unknown
   */
  public String account() {
    return json.textOf("account");
  }

  /**
   * What the client did.
   *
   * @return a sentence
   */
  public String what() {
    return json.get("what").text();
  }

  /**
   * What it should do instead.
   *
   * @return a sentence
   */
  public String cure() {
    return json.get("cure").text();
  }

  /**
   * Where it did so.
   *
   * @return the numbers of the journal's entries; at most the first 100
   */
  public List<Long> entries() {
    return json.get("calls").list().stream().map(Json::number).collect(Collectors.toList());
  }

  /** What the client did, who it was, where it did so, and what it should do instead. */
  @Override
  public String toString() {
    String who = account() == null ? "" : account() + ", ";
    return Printable.of(habit() + ": " + what() + " (" + who + where() + "). Instead: " + cure());
  }

  private String where() {
    List<Long> numbers = entries();
    String shown = numbers.stream().limit(SHOWN).map(String::valueOf).collect(Collectors.joining(", "));
    String more = numbers.size() > SHOWN ? " and " + (numbers.size() - SHOWN) + " more" : "";
    return (numbers.size() == 1 ? "entry " : "entries ") + shown + more;
  }
}
