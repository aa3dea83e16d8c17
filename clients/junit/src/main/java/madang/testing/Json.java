package madang.testing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;

/**
 * A JSON value that cannot change. Read it by {@link #get(String)}, {@link #get(int)}, {@link #find} and the methods for its type; they
 * name what is there when something else was asked for.
 */
public final class Json {
  static final Json NULL = new Json(null);

  /** Null, Boolean, Long, BigDecimal, String, {@code List<Json>} or {@code Map<String, Json>}. */
  private final Object value;

  private Json(Object value) {
    this.value = value;
  }

  /**
   * Makes a value of null, a boolean, a number, text, a list or other {@link Iterable}, a map with names as keys, or a {@code Json}.
   *
   * @param value may be null
   * @return the value
   * @throws IllegalArgumentException for any other type, and for infinite numbers
   */
  public static Json of(Object value) {
    if (value == null) {
      return NULL;
    }
    if (value instanceof Json) {
      return (Json) value;
    }
    if (value instanceof CharSequence) {
      return new Json(value.toString());
    }
    if (value instanceof Boolean || value instanceof Long || value instanceof java.math.BigDecimal) {
      return new Json(value);
    }
    if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
      return new Json(((Number) value).longValue());
    }
    if (value instanceof Number) {
      return new Json(new java.math.BigDecimal(value.toString()));
    }
    if (value instanceof Map) {
      Map<String, Json> fields = new LinkedHashMap<>();
      ((Map<?, ?>) value).forEach((name, field) -> fields.put((String) name, of(field)));
      return new Json(Collections.unmodifiableMap(fields));
    }
    if (value instanceof Iterable) {
      List<Json> items = new ArrayList<>();
      ((Iterable<?>) value).forEach(item -> items.add(of(item)));
      return new Json(Collections.unmodifiableList(items));
    }
    throw new IllegalArgumentException(value.getClass().getName() + " is no JSON; use text, numbers, booleans, lists and maps");
  }

  /**
   * Makes an object: {@code Json.object("content", "Hi", "files", 2)}.
   *
   * @param namesAndValues a name, its value, the next name, and so on; values may be null
   * @return the object, with its fields in this order
   */
  public static Json object(Object... namesAndValues) {
    if (namesAndValues.length % 2 != 0) {
      throw new IllegalArgumentException("the name '" + namesAndValues[namesAndValues.length - 1] + "' has no value");
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    for (int index = 0; index < namesAndValues.length; index += 2) {
      fields.put((String) namesAndValues[index], namesAndValues[index + 1]);
    }
    return of(fields);
  }

  /**
   * Reads JSON text.
   *
   * @param text at most 128 levels deep
   * @return the value
   * @throws IllegalArgumentException if it is not JSON; the message says where
   */
  public static Json parse(String text) {
    return new JsonReader(text).whole();
  }

  /**
   * A field of an object.
   *
   * @param name the field's name
   * @return its value
   * @throws NoSuchElementException if there is no such field; the message names the fields that are there
   */
  public Json get(String name) {
    Json field = fields().get(name);
    if (field == null) {
      throw new NoSuchElementException("there is no '" + name + "'; there are " + fields().keySet());
    }
    return field;
  }

  /**
   * An item of a list.
   *
   * @param index from 0; -1 is the last item, -2 the one before it
   * @return the item
   * @throws IndexOutOfBoundsException if the list is shorter
   */
  public Json get(int index) {
    List<Json> items = list();
    return items.get(index < 0 ? items.size() + index : index);
  }

  /**
   * The first item of a list that is an object in which this field has this value.
   *
   * @param name the field's name
   * @param value anything that {@link #of} takes
   * @return the item
   * @throws NoSuchElementException if there is none; the message is the list
   */
  public Json find(String name, Object value) {
    Json wanted = of(value);
    return list().stream().filter(item -> item.has(name) && item.get(name).equals(wanted)).findFirst()
        .orElseThrow(() -> new NoSuchElementException("there is no " + name + " " + wanted + " in " + this));
  }

  /**
   * Whether it is an object with this field.
   *
   * @param name the field's name
   * @return also true if the field is null
   */
  public boolean has(String name) {
    return value instanceof Map && fields().containsKey(name);
  }

  /** The field; null if there is none or its value is null. */
  Json field(String name) {
    return has(name) && !get(name).isNull() ? get(name) : null;
  }

  /** The text of a field; null if there is none or its value is null. */
  String textOf(String name) {
    Json field = field(name);
    return field == null ? null : field.text();
  }

  /** The number in a field; 0 if there is none or its value is null. */
  long numberOf(String name) {
    Json field = field(name);
    return field == null ? 0 : field.number();
  }

  /**
   * Whether it is null.
   *
   * @return true if it is
   */
  public boolean isNull() {
    return value == null;
  }

  /**
   * Its text.
   *
   * @return the text
   * @throws IllegalStateException if it is not text
   */
  public String text() {
    return as(String.class, "text");
  }

  /**
   * Its whole number.
   *
   * @return the number
   * @throws IllegalStateException if it is not a whole number
   */
  public long number() {
    return as(Long.class, "a whole number");
  }

  /**
   * Its number, whole or not.
   *
   * @return the number
   * @throws IllegalStateException if it is not a number
   */
  public double decimal() {
    return as(Number.class, "a number").doubleValue();
  }

  /**
   * Its truth value.
   *
   * @return true or false
   * @throws IllegalStateException if it is neither
   */
  public boolean bool() {
    return as(Boolean.class, "true or false");
  }

  /**
   * Its items.
   *
   * @return a list that cannot change
   * @throws IllegalStateException if it is not a list
   */
  @SuppressWarnings("unchecked")
  public List<Json> list() {
    return as(List.class, "a list");
  }

  /**
   * Its fields, by name.
   *
   * @return a map that cannot change
   * @throws IllegalStateException if it is not an object
   */
  @SuppressWarnings("unchecked")
  public Map<String, Json> fields() {
    return as(Map.class, "an object");
  }

  private <T> T as(Class<T> type, String name) {
    if (!type.isInstance(value)) {
      throw new IllegalStateException("this is not " + name + ": " + this);
    }
    return type.cast(value);
  }

  Object value() {
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Json && Objects.equals(value, ((Json) other).value);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(value);
  }

  /**
   * The value as JSON text, in one line.
   *
   * @return the text
   */
  @Override
  public String toString() {
    return JsonWriter.text(this);
  }
}
