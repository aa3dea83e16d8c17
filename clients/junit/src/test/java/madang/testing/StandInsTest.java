package madang.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Payments, tokens, mails, notifications and sockets. The ids are those of clients/behaviours.md. */
@World
class StandInsTest {
  @Test
  @DisplayName("B39 a payment and a social token are accepted by the API")
  void payments(MadangWorld world) {
    MadangClient mina = world.signIn("mina@example.com");
    Json paid = Json.object("imp_uid", world.pay(500, "ios_1"), "merchant_uid", "ios_1");
    mina.post("store/pay/validation", paid);
    assertEquals(300, mina.get("users/me").get("sesacCoin").number());
    Json failed = Json.object("imp_uid", world.pay(500, "ios_2", "failed"), "merchant_uid", "ios_2");
    assertThrows(MadangError.class, () -> mina.post("store/pay/validation", failed));
    String token = world.socialToken("kakao", "42", "new@example.com", "New");
    assertEquals("New", world.client().post("users/login/kakao", Json.object("oauthToken", token)).get("nickname").text());
    assertTrue(world.socialToken("apple", "43").length() > 10);
  }

  @Test
  @DisplayName("B40 mails and notifications are listed")
  void mails(MadangWorld world) throws Exception {
    HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(world.url() + "/password"))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString("email=mina@example.com")).build(), HttpResponse.BodyHandlers.discarding());
    world.person("mina").post("Lunch?", "Weekend/ios");
    world.journal().wait(Filter.pushTo("sora"), "60s");
    Json push = world.pushes().get(0);
    assertEquals("sora-phone", push.get("deviceToken").text());
    assertEquals(List.of(), world.pushesAfter(push.get("id").number()));
    List<Mail> mails = world.mailsTo("mina@example.com", "60s", 1);
    assertEquals(1, mails.size());
    assertEquals("mina@example.com", mails.get(0).to());
    assertTrue(mails.get(0).link().startsWith(world.url() + "/password/"), mails.get(0).link());
    assertEquals(List.of(), world.mailsTo("joon@example.com"));
    assertEquals(1, world.mails().size());
  }

  @Test
  @DisplayName("B41 open sockets are listed, and cut by account")
  void sockets(MadangWorld world) throws Exception {
    MadangClient mina = world.signIn("mina@example.com");
    MadangClient joon = world.signIn("joon@example.com");
    String channel = Rooms.channel(mina, "ios");
    String first = new Polling(world, mina).connect(channel);
    String second = new Polling(world, mina).connect(channel);
    String other = new Polling(world, joon).connect(channel);
    assertEquals(Set.of(first, second, other),
        world.sockets().list().stream().map(socket -> socket.get("session").text()).collect(Collectors.toSet()));
    assertEquals(2, world.sockets().listOf("mina", "60s", 2).size());
    assertEquals(1, world.sockets().listOf("joon", "10ms", 2).size());
    assertEquals(2, world.sockets().cut("mina"));
    assertEquals(1, world.sockets().list().size());
    assertEquals("joon@example.com", world.sockets().list().get(0).get("account").text());
    assertNotEquals(200, new Polling(world, mina).send(first, null).statusCode());
    world.sockets().cutSession(other);
    assertEquals(List.of(), world.sockets().list());
  }
}
