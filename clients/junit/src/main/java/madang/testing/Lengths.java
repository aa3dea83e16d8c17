package madang.testing;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lengths of time as text, in the notation of the server. */
final class Lengths {
  /** Text without a unit is a number of seconds. */
  private static final Map<String, Long> UNITS =
      Map.of("ms", 1L, "s", 1000L, "", 1000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L, "w", 604_800_000L);
  private static final Pattern TEXT = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ms|s|m|h|d|w|)");
  /** The longest text that the server reads. */
  private static final int LONGEST_TEXT = 32;
  /** The server's latest date, the end of the year 9999. */
  private static final BigDecimal LONGEST = BigDecimal.valueOf(253_402_300_799_999L);

  private Lengths() {}

  static long milliseconds(String text) {
    Matcher match = TEXT.matcher(text);
    if (text.length() <= LONGEST_TEXT && match.matches()) {
      BigDecimal milliseconds = new BigDecimal(match.group(1)).multiply(BigDecimal.valueOf(UNITS.get(match.group(2))));
      if (milliseconds.compareTo(LONGEST) <= 0) {
        return milliseconds.setScale(0, RoundingMode.HALF_UP).longValueExact();
      }
    }
    throw new IllegalArgumentException(
        "'" + text + "' is no length of time; write it like 500ms, 5s, 10m, 25h, 30d or 2w, or as a number of seconds");
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
