package madang.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @ParameterizedTest
  @ValueSource(strings = {"null", "true", "0", "-1", "1.50", "1E+3", "123456789012345678901234567890", "\"\"", "[]", "{}",
      "[1,\"a\",null,{\"b\":[false]}]", "{\"소라\":\"\\\"\\\\\\u0001😀\\ud800\"}"})
  @DisplayName("what was read is written as it was")
  void same(String text) {
    assertEquals(text, Json.parse(" " + text + "\n").toString());
  }

  @Test
  @DisplayName("escapes are read")
  void escapes() {
    assertEquals("\"\\/\b\f\n\r\t\u00e9", Json.parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E9\"").text());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "nul", "truex", "01", "1.", "-", "+1", ".5", "1e", "0x1", "[1", "[1,]", "[1 2]", "{", "{\"a\"}", "{\"a\":}",
      "{a:1}", "{\"a\":1,}", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\u00", "\"\t\"", "[] []", "NaN", "１"})
  @DisplayName("what is not JSON is refused with its place")
  void refused(String text) {
    String message = assertThrows(IllegalArgumentException.class, () -> Json.parse(text)).getMessage();
    assertTrue(message.startsWith("this is not JSON: at character "), message);
  }

  @Test
  @DisplayName("depth and numbers have a limit")
  void limits() {
    assertEquals("[", Json.parse("[".repeat(128) + "]".repeat(128)).toString().substring(0, 1));
    assertThrows(IllegalArgumentException.class, () -> Json.parse("[".repeat(129) + "]".repeat(129)));
    assertThrows(IllegalArgumentException.class, () -> Json.parse("[".repeat(1_000_000)));
    assertThrows(IllegalArgumentException.class, () -> Json.parse("9".repeat(1_000_000)));
    assertThrows(IllegalArgumentException.class, () -> Json.parse("1e99999"));
  }

  @Test
  @DisplayName("values are read by name, place and type, and errors say what is there")
  void values() {
    Json json = Json.object("list", Arrays.asList(1, 2.5, "x", null), "yes", true);
    assertEquals(1, json.get("list").get(0).number());
    assertEquals(2.5, json.get("list").get(1).decimal());
    assertEquals("x", json.get("list").get(-2).text());
    assertTrue(json.get("list").get(-1).isNull());
    assertTrue(json.get("yes").bool());
    assertEquals("there is no 'no'; there are [list, yes]", assertThrows(NoSuchElementException.class, () -> json.get("no")).getMessage());
    assertEquals("this is not text: true", assertThrows(IllegalStateException.class, () -> json.get("yes").text()).getMessage());
    assertEquals("this is not a list: true", assertThrows(IllegalStateException.class, () -> json.get("yes").get(0)).getMessage());
    assertThrows(IndexOutOfBoundsException.class, () -> json.get("list").get(4));
    Json people = Json.of(List.of(Json.object("n", 1), Json.object("n", 2, "name", "b")));
    assertEquals("b", people.find("n", 2).get("name").text());
    assertThrows(NoSuchElementException.class, () -> people.find("n", 3));
    assertThrows(IllegalArgumentException.class, () -> Json.of(new Object()));
    assertThrows(IllegalArgumentException.class, () -> Json.of(Double.NaN));
    assertThrows(IllegalArgumentException.class, () -> Json.object("a"));
    assertEquals(Json.parse("{\"a\":1}"), Json.object("a", 1));
  }
}
