package madang.testing;

import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lengths of time as text. */
final class Lengths {
  private static final Map<String, Long> UNITS =
      Map.of("ms", 1L, "s", 1000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L, "w", 604_800_000L);
  private static final Pattern TEXT = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)(ms|s|m|h|d|w)");

  private Lengths() {}

  static long milliseconds(String text) {
    Matcher match = TEXT.matcher(text);
    if (!match.matches()) {
      throw new IllegalArgumentException("'" + text + "' is no length of time; write 500ms, 5s, 10m, 25h or 30d");
    }
    return new BigDecimal(match.group(1)).multiply(BigDecimal.valueOf(UNITS.get(match.group(2)))).longValue();
  }

  /** For calls that take a number of seconds. */
  static BigDecimal seconds(String text) {
    return BigDecimal.valueOf(milliseconds(text), 3).stripTrailingZeros();
  }

  /** For calls that take text with a unit. */
  static String wait(String text) {
    return milliseconds(text) + "ms";
  }
}
