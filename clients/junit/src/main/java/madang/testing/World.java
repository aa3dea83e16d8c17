package madang.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test a {@link MadangWorld} as a parameter, which ends after the test.
 *
 * <pre>{@code
 * @World(seed = "courtyard", number = 7)
 * class ChatTest {
 *   @Test void showsWhatJoonSays(MadangWorld world) {...}
 * }
 * }</pre>
 *
 * <p>On a method it replaces that of the class. On a parameter it makes a further world, for this parameter alone.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.PARAMETER, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(MadangExtension.class)
public @interface World {
  /**
   * The people and chats of the beginning.
   *
   * @return {@code empty}, {@code courtyard}, {@code crowded}, {@code edge}, or a seed in YAML
   */
  String seed() default "courtyard";

  /**
   * A file with the seed, instead of {@link #seed}.
   *
   * @return a resource on the class path such as {@code seeds/weekend.yaml}, otherwise a file; empty for none
   */
  String seedFile() default "";

  /**
   * Worlds of one seed and number have the same ids, tokens and dates in every run, and their clock stands still until a test moves it.
   *
   * @return from 0; -1 for none
   */
  long number() default -1;

  /**
   * Settings of this world, by their names in docs/reference/settings.md.
   *
   * @return such as {@code "socket.ping.interval=1s"}
   */
  String[] settings() default {};

  /**
   * How long the world outlives the test run if that is killed, in real time.
   *
   * @return a length of time
   */
  String ttl() default "10m";
}
