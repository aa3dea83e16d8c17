package madang.testing;

import java.util.LinkedHashMap;
import java.util.Map;

/** Something that a client should do. For tests, import the methods of this class and of {@link Filter} statically. */
public final class Expected {
  private final Fields item;

  private Expected(Fields item) {
    this.item = item;
  }

  private static Expected of(Filter filter, Integer least, Integer most) {
    Map<String, Object> times = new LinkedHashMap<>();
    if (least != null) {
      times.put("min", least);
    }
    if (most != null) {
      times.put("max", most);
    }
    return new Expected(filter.fields.with("times", times));
  }

  /**
   * Exactly once.
   *
   * @param filter the entries that count
   * @return the item
   */
  public static Expected once(Filter filter) {
    return of(filter, 1, 1);
  }

  /**
   * An exact number of times.
   *
   * @param count from 0
   * @param filter the entries that count
   * @return the item
   */
  public static Expected times(int count, Filter filter) {
    return of(filter, count, count);
  }

  /**
   * So many times or more.
   *
   * @param count from 0
   * @param filter the entries that count
   * @return the item
   */
  public static Expected atLeast(int count, Filter filter) {
    return of(filter, count, null);
  }

  /**
   * So many times or less, also never. The whole time of the expectation may pass.
   *
   * @param count from 0
   * @param filter the entries that count
   * @return the item
   */
  public static Expected atMost(int count, Filter filter) {
    return of(filter, 0, count);
  }

  /**
   * Not at all. The whole time of the expectation passes.
   *
   * @param filter the entries that count
   * @return the item
   */
  public static Expected never(Filter filter) {
    return times(0, filter);
  }

  /**
   * With limits for the real time from the start of each match to the start of the next.
   *
   * @param atLeast a length of time; null for no limit
   * @param atMost a length of time; null for no limit
   * @return the item
   */
  public Expected spaced(String atLeast, String atMost) {
    Map<String, Object> limits = new LinkedHashMap<>();
    if (atLeast != null) {
      limits.put("atLeast", Lengths.wait(atLeast));
    }
    if (atMost != null) {
      limits.put("atMost", Lengths.wait(atMost));
    }
    return new Expected(item.with("spacing", limits));
  }

  Json json() {
    return item.json();
  }
}
