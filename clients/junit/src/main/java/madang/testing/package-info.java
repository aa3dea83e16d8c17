/**
 * Tests of clients against Madang, for JUnit 5 and Kotlin: each test gets a server of its own, a <em>world</em>, with people, chats, a
 * clock, failures and a journal.
 *
 * <p>Begin with {@link madang.testing.World} and {@link madang.testing.MadangWorld}.
 *
 * <p>Nothing here takes or returns null unless its comment says so. All classes may be used from several threads. Lengths of time are
 * text: {@code "500ms"}, {@code "5s"}, {@code "10m"}, {@code "25h"}, {@code "30d"}, {@code "2w"}. Calls that the server refuses throw
 * {@link madang.testing.MadangError}; other text for a length of time throws {@link java.lang.IllegalArgumentException}.
 */
package madang.testing;
