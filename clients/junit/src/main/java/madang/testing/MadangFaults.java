package madang.testing;

import java.util.List;
import java.util.stream.Collectors;

/** The failures of a world: rules, of which the first due one applies. */
public final class MadangFaults {
  private final MadangWorld world;

  MadangFaults(MadangWorld world) {
    this.world = world;
  }

  /**
   * Adds a rule for everything that the fault can hit.
   *
   * @param fault the effect
   * @return the rule
   */
  public Rule add(Fault fault) {
    return add(fault, Match.all());
  }

  /**
   * Adds a rule.
   *
   * @param fault the effect
   * @param match which requests or packets it hits
   * @return the rule
   */
  public Rule add(Fault fault, Match match) {
    return new Rule(world, world.post("faults", Json.object("match", match.json(), "effect", fault.json())).get("id").number());
  }

  /**
   * The rules.
   *
   * @return in the order in which they were added
   */
  public List<Rule> rules() {
    return world.get("faults").get("faults").list().stream().map(rule -> new Rule(world, rule.get("id").number()))
        .collect(Collectors.toList());
  }

  /** The rules with their counts, one in a line: {@code fault 1 silence: matched 2, applied 1}. Empty if there are none. */
  String lines() {
    return world.get("faults").get("faults").list().stream()
        .map(rule -> "fault " + rule.get("id") + " " + Printable.of(rule.get("effect").get("kind").text()) + ": matched "
            + rule.get("matched") + ", applied " + rule.get("applied"))
        .collect(Collectors.joining("\n"));
  }

  /** Removes all rules. */
  public void removeAll() {
    world.delete("faults");
  }

  /** A rule of a world. */
  public static final class Rule {
    private final MadangWorld world;
    private final long id;

    private Rule(MadangWorld world, long id) {
      this.world = world;
      this.id = id;
    }

    /**
     * Its id.
     *
     * @return from 1
     */
    public long id() {
      return id;
    }

    /**
     * The kind of its effect.
     *
     * @return such as {@code answerLost}
     * @throws java.util.NoSuchElementException if it was removed
     */
    public String kind() {
      return now().get("effect").get("kind").text();
    }

    /**
     * How many requests or packets have matched so far.
     *
     * @return the number
     * @throws java.util.NoSuchElementException if it was removed
     */
    public long matched() {
      return now().get("matched").number();
    }

    /**
     * How many times the fault has applied so far.
     *
     * @return the number
     * @throws java.util.NoSuchElementException if it was removed
     */
    public long applied() {
      return now().get("applied").number();
    }

    /** Removes the rule. */
    public void remove() {
      world.delete("faults/" + id);
    }

    private Json now() {
      return world.get("faults").get("faults").find("id", id);
    }
  }
}
