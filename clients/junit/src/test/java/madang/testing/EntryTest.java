package madang.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The lines of entries and findings in reports. */
class EntryTest {
  private static String line(Object... fields) {
    Json entry = Json.object(fields);
    return new Entry(Json.parse("{\"number\":7,\"elapsed\":93.4," + entry.toString().substring(1))).toString();
  }

  private static Entry opened(int number, double elapsed) {
    return new Entry(Json.object("number", number, "elapsed", elapsed, "kind", "connection", "event", "opened"));
  }

  @Test
  @DisplayName("a request has its operation and outcome, then its fault")
  void requests() {
    assertEquals("   7  +0.093 s  mina@example.com  POST /v1/users/login (signIn): 400 E03",
        line("kind", "request", "account", "mina@example.com", "method", "POST", "path", "/v1/users/login", "operation", "signIn",
            "status", 400, "code", "E03"));
    assertEquals("   7  +0.093 s  -  GET /moon (no operation): no answer, fault answerLost",
        line("kind", "request", "method", "GET", "path", "/moon", "fault", Json.object("rule", 1, "kind", "answerLost")));
  }

  @Test
  @DisplayName("the fault of a packet stands before its payload, of which the beginning is shown")
  void packets() {
    String line = line("kind", "packet", "account", "joon@example.com", "packet", "event", "event", "channel", "namespace",
        "/ws-channel-1", "direction", "toClient", "fault", Json.object("rule", 1, "kind", "drop"), "payload", "😀".repeat(5000));
    assertEquals("   7  +0.093 s  joon@example.com  event channel /ws-channel-1 to the client, fault drop " + "😀".repeat(200) + "...",
        line);
    assertTrue(line("kind", "packet", "packet", "ping", "direction", "fromClient").endsWith("  -  ping from the client"));
  }

  @Test
  @DisplayName("other entries have their event; a notification has its device, and a mail stays in its line")
  void others() {
    assertTrue(line("kind", "push", "deviceToken", "sora-phone", "payload", "{}").endsWith("  -  push to sora-phone {}"));
    assertTrue(line("kind", "connection", "event", "closed", "reason", "ping timeout").endsWith("  connection closed ping timeout"));
    assertTrue(line("kind", "payment", "event", "refused", "code", "E55").endsWith("  payment refused E55"));
    assertTrue(line("kind", "mail", "event", "passwordReset", "payload", "Hello\n\nMina").endsWith("  mail passwordReset Hello\\u000a\\u000aMina"));
  }

  @Test
  @DisplayName("a client cannot forge the lines of entries and findings")
  void forged() {
    String line = line("kind", "packet", "account", "a\u001b[31m", "packet", "connect", "namespace", "/ws\n\u202enot ok 1", "direction",
        "fromClient", "payload", "\u009b1m\r\nok 1 - fake\ud83d");
    assertEquals("   7  +0.093 s  a\\u001b[31m  connect /ws\\u000a\\u202enot ok 1 from the client "
        + "\\u009b1m\\u000d\\u000aok 1 - fake\\ud83d", line);
    Json finding = Json.object("habit", "polling", "what", "asks\nok 2", "cure", "wait\u0007", "calls", List.of(1));
    assertEquals("polling: asks\\u000aok 2 (entry 1). Instead: wait\\u0007", new Finding(finding).toString());
  }

  @Test
  @DisplayName("a finding shows the first 10 of its entries")
  void findings() {
    Json finding = Json.object(
        "habit", "polling", "what", "asks often", "cure", "wait", "calls", List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    assertEquals("polling: asks often (entries 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more). Instead: wait", new Finding(finding).toString());
  }

  @Test
  @DisplayName("a report has the newest 30 entries in the order of their starts")
  void order() {
    List<Entry> journal = new ArrayList<>(List.of(opened(1, 10), opened(2, 20), opened(3, 40), opened(4, 30)));
    assertEquals(
        List.of("4 of 4 entries", "   1  +0.010 s", "   2  +0.020 s", "   4  +0.030 s", "   3  +0.040 s"), beginnings(journal));
    for (int number = 5; number <= 31; number++) {
      journal.add(opened(number, number * 10));
    }
    assertEquals("30 of 31 entries", beginnings(journal).get(0));
    assertEquals("   2  +0.020 s", beginnings(journal).get(1));
  }

  private static List<String> beginnings(List<Entry> journal) {
    return FailureReport.lines(journal).lines().map(line -> line.replaceFirst("  -  .*", "")).collect(Collectors.toList());
  }
}
