package madang.testing;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Texts of clients and servers in reports. */
final class Printable {
  /** Control characters, separators of lines, signs that change the direction of text, and halves of pairs of UTF-16. */
  private static final Pattern UNSAFE = Pattern.compile(
      "[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\p{Cs}]");

  private Printable() {}

  /** A text in one line of a report, which a client cannot forge: its control characters are written as their numbers. */
  static String of(String text) {
    return UNSAFE.matcher(text).replaceAll(
        found -> Matcher.quoteReplacement(String.format("\\u%04x", (int) found.group().charAt(0))));
  }
}
