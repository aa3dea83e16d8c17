package madang.testing;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Names of tests for worlds and files. */
final class TestName {
  private static final int MAX_LENGTH = 90;
  private static final Pattern INVOCATION = Pattern.compile("\\[(?:test-template-invocation|dynamic-test):#(\\d+)\\]$");

  private TestName() {}

  /** {@code ChatTest.sends}, or {@code ChatTest.sends-2} for the second invocation of a repeated or parameterized test. */
  static String of(ExtensionContext context) {
    String type = context.getRequiredTestClass().getName();
    String name = type.substring(type.lastIndexOf('.') + 1) + "." + context.getRequiredTestMethod().getName();
    Matcher invocation = INVOCATION.matcher(context.getUniqueId());
    String number = invocation.find() ? "-" + invocation.group(1) : "";
    String plain = name.replaceAll("[^\\p{L}\\p{N}._-]", "_");
    return plain.substring(0, Math.min(plain.length(), MAX_LENGTH)) + number;
  }
}
