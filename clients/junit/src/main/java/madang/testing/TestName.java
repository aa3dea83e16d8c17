package madang.testing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Names of tests for worlds and files. */
final class TestName {
  /** Names of worlds have at most 100 characters, and those of files at most 255 bytes. */
  private static final int MAX_LENGTH = 80;
  private static final int MAX_BYTES = 150;
  private static final Pattern INVOCATION = Pattern.compile("\\[(?:test-template-invocation|dynamic-test):#(\\d+)\\]$");

  private TestName() {}

  /**
   * {@code ChatTest.sends}, or {@code ChatTest.sends-2} for the second invocation of a repeated or parameterized test. Names that lose
   * characters have a hash of the test's id, so that they differ.
   */
  static String of(ExtensionContext context) {
    String type = context.getRequiredTestClass().getName();
    // A nested class is behind a dollar sign.
    String name = type.substring(type.lastIndexOf('.') + 1).replace('$', '_') + "." + context.getRequiredTestMethod().getName();
    Matcher invocation = INVOCATION.matcher(context.getUniqueId());
    String number = invocation.find() ? "-" + invocation.group(1) : "";
    return plain(name, context.getUniqueId()) + number;
  }

  /** The name without characters that names of files may lack, and shortened; with a hash of the id if it lost some. */
  static String plain(String name, String id) {
    String plain = cut(name.replaceAll("^\\.+|[^\\p{L}\\p{N}._-]+", "_"));
    return plain.equals(name) ? name : plain + "-" + hash(id);
  }

  private static String cut(String name) {
    int end = Math.min(name.length(), MAX_LENGTH);
    while (name.substring(0, end).getBytes(StandardCharsets.UTF_8).length > MAX_BYTES
        || end < name.length() && Character.isLowSurrogate(name.charAt(end))) {
      end--;
    }
    return name.substring(0, end);
  }

  private static String hash(String text) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return String.format("%02x%02x%02x%02x", hash[0], hash[1], hash[2], hash[3]);
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException("each JDK has SHA-256", error);
    }
  }
}
