package madang.testing;

import java.util.List;

/** What people of a world do by themselves (docs/reference/dev.md, "Scripts"). Pauses and rates follow the world's clock. */
public final class MadangScripts {
  private final MadangWorld world;

  MadangScripts(MadangWorld world) {
    this.world = world;
  }

  /**
   * Adds scripts, all or none. A script replaces another of the same name.
   *
   * @param yaml one script, or a list
   */
  public void add(String yaml) {
    world.postText("scripts", yaml);
  }

  /**
   * Starts a script from its beginning.
   *
   * @param name the script's name
   */
  public void start(String name) {
    world.call("POST", path(name) + "/start", null);
  }

  /**
   * Stops a script and its runs. Their effects stay.
   *
   * @param name the script's name
   */
  public void stop(String name) {
    world.call("POST", path(name) + "/stop", null);
  }

  /**
   * Waits at most 5 seconds of real time until a script has ended.
   *
   * @param name the script's name
   * @return its {@code state}, {@code runs}, {@code failed}, {@code failures}
   * @throws MadangError if it has not ended, and if a run failed
   */
  public Json finished(String name) {
    return finished(name, "5s");
  }

  /**
   * Waits until a script has ended.
   *
   * @param name the script's name
   * @param within a length of real time, at most {@code "60s"}
   * @return its {@code state}, {@code runs}, {@code failed}, {@code failures}
   * @throws MadangError if it has not ended, and if a run failed
   */
  public Json finished(String name, String within) {
    Json script = state(name, within);
    boolean hasEnded = List.of("ended", "stopped").contains(script.get("state").text()) && script.numberOf("underWay") == 0;
    return checked(script, hasEnded, within);
  }

  /**
   * Waits at most 5 seconds of real time until so many runs have ended.
   *
   * @param name the script's name
   * @param runs from 1
   * @return its {@code state}, {@code runs}, {@code failed}, {@code failures}
   * @throws MadangError if fewer have ended, and if one failed
   */
  public Json ran(String name, int runs) {
    return ran(name, runs, "5s");
  }

  /**
   * Waits until so many runs have ended.
   *
   * @param name the script's name
   * @param runs from 1
   * @param within a length of real time, at most {@code "60s"}
   * @return its {@code state}, {@code runs}, {@code failed}, {@code failures}
   * @throws MadangError if fewer have ended, and if one failed
   */
  public Json ran(String name, int runs, String within) {
    Json script = world.get(path(name) + "?wait=" + Lengths.wait(within) + "&runs=" + runs);
    return checked(script, script.numberOf("runs") >= runs, within);
  }

  /**
   * What a script has done, also if runs failed.
   *
   * @param name the script's name
   * @param within the longest time to wait for its end, of real time, at most {@code "60s"}
   * @return its {@code state}, {@code runs}, {@code failed}, {@code failures}
   */
  public Json state(String name, String within) {
    return world.get(path(name) + "?wait=" + Lengths.wait(within));
  }

  private static Json checked(Json script, boolean hasEnded, String within) {
    if (script.numberOf("failed") > 0) {
      throw new MadangError(script.get("failed") + " of " + script.get("runs") + " runs of the script " + script.get("name")
          + " failed, the first one: " + Printable.of(script.get("failures").get(0).toString()));
    }
    if (!hasEnded) {
      throw new MadangError("the script " + script.get("name") + " did not end within " + within + ": it is "
          + script.get("state").text() + ", " + script.get("runs") + " runs have ended. Pauses follow the world's clock: does it stand"
          + " still?");
    }
    return script;
  }

  private static String path(String name) {
    return "scripts/" + Http.part(name);
  }
}
