package madang.testing;

import java.util.NoSuchElementException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A mail that the server would have sent. */
public final class Mail {
  private static final Pattern LINK = Pattern.compile("https?://\\S+");

  private final Json json;

  Mail(Json json) {
    this.json = json;
  }

  /**
   * All its fields (docs/reference/dev.md, "Stand-ins").
   *
   * @return as the server sent them
   */
  public Json json() {
    return json;
  }

  /**
   * The address.
   *
   * @return the e-mail
   */
  public String to() {
    return json.get("to").text();
  }

  /**
   * The subject.
   *
   * @return the subject
   */
  public String subject() {
    return json.get("subject").text();
  }

  /**
   * The text.
   *
   * @return the text without HTML
   */
  public String body() {
    return json.get("body").text();
  }

  /**
   * The first link in the text.
   *
   * @return the URL
   * @throws NoSuchElementException if there is none
   */
  public String link() {
    Matcher match = LINK.matcher(body());
    if (!match.find()) {
      throw new NoSuchElementException("the mail has no link: " + body());
    }
    return match.group();
  }

  @Override
  public String toString() {
    return Printable.of("to " + to() + ": " + subject());
  }
}
