package madang.testing;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads JSON (RFC 8259). Its work grows with the length of the text, its stack with the depth, which has a limit. */
final class JsonReader {
  static final int MAX_DEPTH = 128;

  /** The lengths are limits as well: reading a number takes time that grows faster than its length. */
  private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d{0,99})(\\.\\d{1,99})?([eE][+-]?\\d{1,3})?(?![\\d.eE+-])");

  private final String text;
  private int place;
  private int depth;

  JsonReader(String text) {
    this.text = text;
  }

  Json whole() {
    Json value = value();
    if (peek() != END) {
      throw wrong("the end");
    }
    return value;
  }

  private static final char END = '\uffff';

  /** The next character after white space; {@link #END} at the end. */
  private char peek() {
    while (place < text.length() && " \t\r\n".indexOf(text.charAt(place)) >= 0) {
      place++;
    }
    return place < text.length() ? text.charAt(place) : END;
  }

  private Json value() {
    switch (peek()) {
      case '{':
        return object();
      case '[':
        return list();
      case '"':
        return Json.of(string());
      case 't':
        return word("true", Json.of(true));
      case 'f':
        return word("false", Json.of(false));
      case 'n':
        return word("null", Json.NULL);
      default:
        return number();
    }
  }

  private Json word(String word, Json value) {
    if (!text.startsWith(word, place)) {
      throw wrong("a value");
    }
    place += word.length();
    return value;
  }

  private Json number() {
    Matcher match = NUMBER.matcher(text).region(place, text.length()).useTransparentBounds(true);
    if (!match.lookingAt()) {
      throw wrong("a value");
    }
    place = match.end();
    BigDecimal number = new BigDecimal(match.group());
    boolean isWhole = match.group(2) == null && match.group(3) == null && number.precision() < 19;
    return Json.of(isWhole ? (Object) number.longValueExact() : number);
  }

  private Json object() {
    Map<String, Json> fields = new LinkedHashMap<>();
    enter();
    if (peek() == '}') {
      place++;
    } else {
      do {
        if (peek() != '"') {
          throw wrong("the name of a field");
        }
        String name = string();
        if (peek() != ':') {
          throw wrong("':'");
        }
        place++;
        fields.put(name, value());
      } while (continues('}'));
    }
    depth--;
    return Json.of(fields);
  }

  private Json list() {
    List<Json> items = new ArrayList<>();
    enter();
    if (peek() == ']') {
      place++;
    } else {
      do {
        items.add(value());
      } while (continues(']'));
    }
    depth--;
    return Json.of(items);
  }

  private void enter() {
    place++;
    if (++depth > MAX_DEPTH) {
      throw wrong("at most " + MAX_DEPTH + " levels");
    }
  }

  private boolean continues(char closing) {
    char next = peek();
    if (next != ',' && next != closing) {
      throw wrong("',' or '" + closing + "'");
    }
    place++;
    return next == ',';
  }

  private String string() {
    StringBuilder string = new StringBuilder();
    place++;
    while (place < text.length()) {
      char unit = text.charAt(place++);
      if (unit == '"') {
        return string.toString();
      }
      if (unit < ' ') {
        place--;
        throw wrong("an escape such as \\n");
      }
      string.append(unit == '\\' ? escape() : unit);
    }
    throw wrong("'\"'");
  }

  private char escape() {
    int index = place < text.length() ? "\"\\/bfnrtu".indexOf(text.charAt(place)) : -1;
    if (index < 0) {
      throw wrong("an escape such as \\n");
    }
    place++;
    if (index < 8) {
      return "\"\\/\b\f\n\r\t".charAt(index);
    }
    int unit = 0;
    for (int end = place + 4; place < end; place++) {
      int digit = place < text.length() ? Character.digit(text.charAt(place), 16) : -1;
      if (digit < 0 || text.charAt(place) > 'f') {
        throw wrong("four hexadecimal digits");
      }
      unit = unit * 16 + digit;
    }
    return (char) unit;
  }

  private IllegalArgumentException wrong(String expected) {
    String found = place < text.length() ? "'" + text.substring(place, Math.min(place + 12, text.length())) + "'" : "the end";
    return new IllegalArgumentException("this is not JSON: at character " + (place + 1) + " there is " + found + " instead of " + expected);
  }
}
