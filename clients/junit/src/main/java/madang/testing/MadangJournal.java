package madang.testing;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.opentest4j.AssertionFailedError;

/** The record of what a world's clients did: requests with answers, sockets and their packets, notifications, mails, payments. */
public final class MadangJournal {
  /** The most entries of one answer. */
  private static final int PAGE = 20_000;

  private final MadangWorld world;

  MadangJournal(MadangWorld world) {
    this.world = world;
  }

  /**
   * All entries so far.
   *
   * @return the newest 20,000, in the order of their numbers; {@link Entry#elapsed} is the start of each
   */
  public List<Entry> entries() {
    return entries(Filter.all());
  }

  /**
   * The entries so far that match.
   *
   * @param filter selects them
   * @return at most 20,000, in the order of their numbers
   */
  public List<Entry> entries(Filter filter) {
    return entries(filter, 0);
  }

  /**
   * The later entries that match.
   *
   * @param filter selects them
   * @param after entries with higher numbers count
   * @return at most 20,000, in the order of their numbers
   */
  public List<Entry> entries(Filter filter, long after) {
    return read(filter, "0ms", 0, after);
  }

  /**
   * Waits at most 5 seconds for an entry.
   *
   * @param filter selects it; it may have come already
   * @return the first entry that matches
   * @throws AssertionFailedError which names the filter, if none comes
   */
  public Entry wait(Filter filter) {
    return wait(filter, "5s");
  }

  /**
   * Waits for an entry.
   *
   * @param filter selects it; it may have come already
   * @param within a length of real time, at most {@code "60s"}
   * @return the first entry that matches
   * @throws AssertionFailedError which names the filter, if none comes
   */
  public Entry wait(Filter filter, String within) {
    return wait(filter, within, 1).get(0);
  }

  /**
   * Waits for entries.
   *
   * @param filter selects them; they may have come already
   * @param within a length of real time, at most {@code "60s"}
   * @param count how many must match
   * @return the entries that match
   * @throws AssertionFailedError which names the filter, if too few come
   */
  public List<Entry> wait(Filter filter, String within, int count) {
    return wait(filter, within, count, 0);
  }

  /**
   * Waits for later entries.
   *
   * @param filter selects them
   * @param within a length of real time, at most {@code "60s"}
   * @param count how many must match
   * @param after entries with higher numbers count
   * @return the entries that match
   * @throws AssertionFailedError which names the filter, if too few come
   */
  public List<Entry> wait(Filter filter, String within, int count, long after) {
    List<Entry> entries = read(filter, within, count, after);
    if (entries.size() < count) {
      throw new AssertionFailedError("came " + entries.size() + " of " + count + " times within " + within + ": " + filter);
    }
    return entries;
  }

  /**
   * The number of the newest entry. Later entries have higher numbers.
   *
   * @return 0 if there was none yet
   */
  public long last() {
    return world.post("journal", Json.object()).get("last").number();
  }

  /** Removes all entries. Numbers continue. */
  public void clear() {
    world.delete("journal");
  }

  /**
   * The entries as an HTTP archive, which browsers open.
   *
   * @return JSON
   */
  public String har() {
    return world.read("journal?format=har&limit=" + PAGE);
  }

  /**
   * The entries as JSON, one in a line.
   *
   * @return the lines
   */
  public String lines() {
    return world.read("journal?format=ndjson&limit=" + PAGE);
  }

  private List<Entry> read(Filter filter, String within, int count, long after) {
    if (filter.readsBodies()) {
      return matched(filter, within, count, after);
    }
    Fields query = filter.fields.with("after", after).with("limit", PAGE);
    if (count > 0) {
      query = query.with("wait", Lengths.wait(within)).with("count", count);
    }
    return world.get("journal?" + query.query()).get("entries").list().stream().map(Entry::new).collect(Collectors.toList());
  }

  /** Only expectations can look into bodies. */
  private List<Entry> matched(Filter filter, String within, int count, long after) {
    Expectation expectation = Expectation.of(Expected.atLeast(count, filter)).within(within).after(after);
    var answer = world.send("POST", "expect", expectation.json());
    if (answer.statusCode() != 200 && answer.statusCode() != 409) {
      throw world.refusal(answer);
    }
    Set<Long> numbers = Json.parse(answer.body()).get("matched").get(0).get("entries").list().stream().map(Json::number)
        .collect(Collectors.toSet());
    return entries(Filter.all(), after).stream().filter(entry -> numbers.contains(entry.number())).collect(Collectors.toList());
  }
}
