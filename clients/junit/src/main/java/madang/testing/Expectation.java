package madang.testing;

import java.util.Arrays;
import java.util.stream.Collectors;

/** What a client should do, and how it is compared with the journal. An expectation cannot change: each method returns another one. */
public final class Expectation {
  private final Fields fields;

  private Expectation(Fields fields) {
    this.fields = fields;
  }

  /**
   * In any order, within 5 seconds.
   *
   * @param expected 1 to 256 items
   * @return the expectation
   */
  public static Expectation of(Expected... expected) {
    return new Expectation(Fields.NONE.with("expected", Arrays.stream(expected).map(Expected::json).collect(Collectors.toList())))
        .within("5s");
  }

  /**
   * In the listed order, by the time at which calls and packets began.
   *
   * @return the expectation
   */
  public Expectation inOrder() {
    return with("order", "strict");
  }

  /**
   * Without other entries of these kinds: requests, packets and so on.
   *
   * @return the expectation
   */
  public Expectation only() {
    return with("only", true);
  }

  /**
   * Without other entries of this filter.
   *
   * @param filter the entries of which none may come but those that are listed
   * @return the expectation
   */
  public Expectation among(Filter filter) {
    return only().with("among", filter.fields.json());
  }

  /**
   * With later entries only.
   *
   * @param number as of {@link MadangJournal#last} before the client acts; entries with higher numbers count
   * @return the expectation
   */
  public Expectation after(long number) {
    return with("after", number);
  }

  /**
   * With another limit than 5 seconds.
   *
   * @param length of real time, at most {@code "60s"}
   * @return the expectation
   */
  public Expectation within(String length) {
    return with("wait", Lengths.wait(length));
  }

  /**
   * With a time after everything has come, in which nothing may come too often.
   *
   * @param length of real time, at most {@code "60s"}
   * @return the expectation
   */
  public Expectation settling(String length) {
    return with("settle", Lengths.wait(length));
  }

  private Expectation with(String name, Object value) {
    return new Expectation(fields.with(name, value));
  }

  Json json() {
    return fields.json();
  }
}
