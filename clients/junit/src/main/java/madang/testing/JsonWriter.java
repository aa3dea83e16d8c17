package madang.testing;

import java.util.List;
import java.util.Map;

/** Writes JSON in one line. */
final class JsonWriter {
  private JsonWriter() {}

  static String text(Json json) {
    StringBuilder text = new StringBuilder();
    write(json, text);
    return text.toString();
  }

  private static void write(Json json, StringBuilder text) {
    Object value = json.value();
    if (value instanceof String) {
      quote((String) value, text);
    } else if (value instanceof List) {
      String separator = "[";
      for (Json item : json.list()) {
        text.append(separator);
        write(item, text);
        separator = ",";
      }
      text.append(json.list().isEmpty() ? "[]" : "]");
    } else if (value instanceof Map) {
      String separator = "{";
      for (Map.Entry<String, Json> field : json.fields().entrySet()) {
        text.append(separator);
        quote(field.getKey(), text);
        text.append(':');
        write(field.getValue(), text);
        separator = ",";
      }
      text.append(json.fields().isEmpty() ? "{}" : "}");
    } else {
      text.append(value);
    }
  }

  private static void quote(String value, StringBuilder text) {
    text.append('"');
    for (int index = 0; index < value.length(); index++) {
      char unit = value.charAt(index);
      if (unit == '"' || unit == '\\') {
        text.append('\\').append(unit);
      } else if (unit < ' ' || Character.isSurrogate(unit) && !isPaired(value, index)) {
        text.append(String.format("\\u%04x", (int) unit));
      } else {
        text.append(unit);
      }
    }
    text.append('"');
  }

  /** UTF-8 cannot express a surrogate on its own, so it is escaped. */
  private static boolean isPaired(String value, int index) {
    return Character.isHighSurrogate(value.charAt(index))
        ? index + 1 < value.length() && Character.isLowSurrogate(value.charAt(index + 1))
        : index > 0 && Character.isHighSurrogate(value.charAt(index - 1));
  }
}
