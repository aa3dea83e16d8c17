package madang.testing;

import java.util.LinkedHashMap;
import java.util.Map;

/** Named values that cannot change. */
final class Fields {
  static final Fields NONE = new Fields(Map.of());

  private final Map<String, Object> values;

  private Fields(Map<String, Object> values) {
    this.values = values;
  }

  /** These and one more, which replaces one of the same name. */
  Fields with(String name, Object value) {
    Map<String, Object> all = new LinkedHashMap<>(values);
    all.put(name, Json.of(value));
    return new Fields(all);
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  Json json() {
    return Json.of(values);
  }

  /** The query of a URL, without the {@code ?}. */
  String query() {
    StringBuilder query = new StringBuilder();
    values.forEach((name, value) -> {
      Object content = ((Json) value).value();
      query.append(query.length() == 0 ? "" : "&").append(name).append('=').append(Http.part(String.valueOf(content)));
    });
    return query.toString();
  }

  /** For messages: {@code operation postToChannel, status 200}. */
  @Override
  public String toString() {
    StringBuilder words = new StringBuilder();
    values.forEach((name, value) -> words.append(words.length() == 0 ? "" : ", ").append(name).append(' ')
        .append(((Json) value).value() instanceof String ? ((Json) value).text() : value));
    return words.toString();
  }
}
