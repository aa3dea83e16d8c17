package madang.testing;

import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.Collectors;
import org.opentest4j.AssertionFailedError;

/**
 * A server of its own for a test, with its own people, rooms, files, clock, limits and port. It is a parameter of tests and of their
 * {@code @BeforeEach} and {@code @AfterEach} methods, which get the same world; see {@link World}.
 */
public final class MadangWorld implements AutoCloseable {
  private final Backend backend;
  private final Json made;
  private final String path;
  private final String url;
  private final ScheduledFuture<?> lease;
  private volatile boolean hasEnded;

  MadangWorld(Backend backend, WorldPlan plan) {
    this.backend = backend;
    made = backend.makeWorld(plan.fields(), plan.ttl);
    path = "worlds/" + id();
    url = backend.address(made);
    lease = made.field("expires") == null ? null : backend.keep(id(), plan.ttl);
  }

  /**
   * Its id at the server.
   *
   * @return such as {@code w3}
   */
  public String id() {
    return made.get("id").text();
  }

  /**
   * Its name.
   *
   * @return the id, unless its plan has a name
   */
  public String name() {
    return made.get("name").text();
  }

  /**
   * The address for the client under test. If the world's own port cannot be reached, as that of a container which is not published, it is
   * the world's host name at the server's port, such as {@code http://w3.localhost:8080}; the system must know such names.
   *
   * @return such as {@code http://127.0.0.1:38141}
   */
  public String url() {
    return url;
  }

  /**
   * Its port.
   *
   * @return the port
   */
  public int port() {
    return (int) made.get("port").number();
  }

  /**
   * The {@code SesacKey} of clients of edition 2024-10.
   *
   * @return the key
   */
  public String key() {
    return key("2024-10");
  }

  /**
   * The {@code SesacKey} of clients of an edition.
   *
   * @param edition {@code 2024-10} or {@code 2024-01}
   * @return the key
   */
  public String key(String edition) {
    return made.get("keys").get(edition).text();
  }

  /**
   * The page that shows what happens in this world.
   *
   * @return its address
   */
  public String console() {
    return url() + "/_dev/";
  }

  /**
   * Its clock.
   *
   * @return the clock
   */
  public MadangClock clock() {
    return new MadangClock(this);
  }

  /**
   * Failures on demand.
   *
   * @return the rules for them
   */
  public MadangFaults faults() {
    return new MadangFaults(this);
  }

  /**
   * What its clients did.
   *
   * @return the journal
   */
  public MadangJournal journal() {
    return new MadangJournal(this);
  }

  /**
   * What people do by themselves.
   *
   * @return the scripts
   */
  public MadangScripts scripts() {
    return new MadangScripts(this);
  }

  /**
   * The open sockets.
   *
   * @return the sockets
   */
  public MadangSockets sockets() {
    return new MadangSockets(this);
  }

  /**
   * A person, who acts without a client and without signing in.
   *
   * @param name the e-mail, or the text before its {@code @}
   * @return the person; whether there is one shows when it acts
   */
  public MadangPerson person(String name) {
    return new MadangPerson(this, name);
  }

  /**
   * All accounts in the order in which they signed up.
   *
   * @return at most 1000: e-mail, number, id, nickname and workspaces of each
   */
  public List<Account> people() {
    return get("people").list().stream().map(Account::new).collect(Collectors.toList());
  }

  /**
   * Signs in with the password of all seeds, {@code Passw0rd!}, by the API of edition 2024-10.
   *
   * @param name the e-mail, or the text before its {@code @}
   * @return a client with its key and token
   * @throws MadangError if no person, or more than one, has this name
   */
  public MadangClient signIn(String name) {
    return signIn(name, "Passw0rd!");
  }

  /**
   * Signs in by the API of edition 2024-10.
   *
   * @param name the e-mail, or the text before its {@code @}
   * @param password the password
   * @return a client with its key and token
   * @throws MadangError if no person, or more than one, has this name; with the contract's code if the API refuses
   */
  public MadangClient signIn(String name, String password) {
    MadangClient client = client();
    client.signIn(name.contains("@") ? name : person(name).email(), password);
    return client;
  }

  /**
   * A client of edition 2024-10 that has not signed in.
   *
   * @return the client
   */
  public MadangClient client() {
    return client("2024-10");
  }

  /**
   * A client that has not signed in.
   *
   * @param edition {@code 2024-10} or {@code 2024-01}
   * @return the client
   */
  public MadangClient client(String edition) {
    return new MadangClient(url(), key(edition));
  }

  /**
   * Returns to the beginning: people, chats, files, clock, ids and journal. Sockets close, faults stay. With a number, the world then
   * issues the same tokens again: sign clients out first.
   */
  public void reset() {
    post("reset", Json.object());
  }

  /**
   * Saves the present state, and replaces an earlier snapshot of this name.
   *
   * @param name without {@code /}
   */
  public void snapshot(String name) {
    post("snapshots", Json.object("name", name));
  }

  /**
   * Returns to a snapshot. Sockets close; faults and the journal stay.
   *
   * @param name the snapshot's name
   */
  public void restore(String name) {
    post("snapshots/" + Http.part(name) + "/restore", Json.object());
  }

  /**
   * The names of the snapshots.
   *
   * @return the names
   */
  public List<String> snapshots() {
    return get("snapshots").list().stream().map(Json::text).collect(Collectors.toList());
  }

  /**
   * Deletes a snapshot.
   *
   * @param name the snapshot's name
   */
  public void removeSnapshot(String name) {
    delete("snapshots/" + Http.part(name));
  }

  /**
   * The present state as a seed.
   *
   * @return YAML
   */
  public String exportSeed() {
    return read("seed");
  }

  /**
   * Ends all connections as a crash does, and refuses new ones for a time. Data stays.
   *
   * @param downFor a length of real time, at most {@code "60s"}
   */
  public void restart(String downFor) {
    post("restart", Json.object("milliseconds", Lengths.milliseconds(downFor)));
  }

  /**
   * Waits at most 5 seconds until all of this has come, in any order.
   *
   * @param expected 1 to 256 items, such as {@code once(operation("postToChannel"))}; if all are {@code never}, 5 seconds pass
   * @throws AssertionFailedError with the differences, one in a line
   */
  public void expect(Expected... expected) {
    expect(Expectation.of(expected));
  }

  /**
   * Waits until an expectation is met.
   *
   * @param expectation what must come, and how
   * @throws AssertionFailedError with the differences, one in a line
   */
  public void expect(Expectation expectation) {
    var answer = send("POST", "expect", expectation.json());
    if (answer.statusCode() == 200) {
      return;
    }
    if (answer.statusCode() != 409) {
      throw refusal(answer);
    }
    throw new AssertionFailedError(
        Json.parse(answer.body()).get("differences").list().stream().map(Json::text).map(Printable::of)
            .collect(Collectors.joining("\n")));
  }

  /**
   * Habits of all clients that will cause trouble in production.
   *
   * @return the findings; empty for good clients
   */
  public List<Finding> review() {
    return findings("review");
  }

  /**
   * Habits of one person's clients that will cause trouble in production.
   *
   * @param account the e-mail, or the text before its {@code @}
   * @return the findings; empty for a good client
   */
  public List<Finding> review(String account) {
    return findings("review?account=" + Http.part(account));
  }

  /**
   * Fails if clients have habits that will cause trouble in production. For the end of a test.
   *
   * @throws AssertionFailedError with the findings of {@link #review()}, one in a line
   */
  public void expectPolite() {
    expectNone(review());
  }

  /**
   * Fails if one person's clients have habits that will cause trouble in production. For the end of a test.
   *
   * @param account the e-mail, or the text before its {@code @}
   * @throws AssertionFailedError with the findings of {@link #review(String)}, one in a line
   */
  public void expectPolite(String account) {
    expectNone(review(account));
  }

  private static void expectNone(List<Finding> findings) {
    if (!findings.isEmpty()) {
      throw new AssertionFailedError(findings.stream().map(Finding::toString).collect(Collectors.joining("\n")));
    }
  }

  private List<Finding> findings(String query) {
    return get(query).get("findings").list().stream().map(Finding::new).collect(Collectors.toList());
  }

  /**
   * The parts of the API that clients have used since the world was made.
   *
   * @return the coverage
   */
  public Coverage coverage() {
    return new Coverage(get("coverage"));
  }

  /**
   * Records a payment at the stand-in for PortOne.
   *
   * @param amount in won
   * @param merchant the client's name for the order
   * @return the {@code imp_uid} that a client shows
   */
  public String pay(long amount, String merchant) {
    return pay(amount, merchant, "paid");
  }

  /**
   * Records a payment at the stand-in for PortOne.
   *
   * @param amount in won
   * @param merchant the client's name for the order
   * @param status {@code paid}, {@code ready}, {@code cancelled} or {@code failed}
   * @return the {@code imp_uid} that a client shows
   */
  public String pay(long amount, String merchant, String status) {
    return post("payments", Json.object("merchant_uid", merchant, "amount", amount, "status", status)).get("imp_uid").text();
  }

  /**
   * A token as Apple or Kakao would issue it, without an e-mail.
   *
   * @param provider {@code apple} or {@code kakao}
   * @param subject the provider's id of the account
   * @return the token, until the next reset
   */
  public String socialToken(String provider, String subject) {
    return post("social-tokens", Json.object("provider", provider, "subject", subject)).get("token").text();
  }

  /**
   * A token as Apple or Kakao would issue it.
   *
   * @param provider {@code apple} or {@code kakao}
   * @param subject the provider's id of the account
   * @param email the e-mail that the provider discloses
   * @param nickname the nickname that the provider discloses
   * @return the token, until the next reset
   */
  public String socialToken(String provider, String subject, String email, String nickname) {
    return post("social-tokens", Json.object("provider", provider, "subject", subject, "email", email, "nickname", nickname))
        .get("token").text();
  }

  /**
   * The mails that the server would have sent.
   *
   * @return the mails, oldest first
   */
  public List<Mail> mails() {
    return mails("mails");
  }

  /**
   * The mails that the server would have sent to an address.
   *
   * @param address the whole e-mail
   * @return the mails, oldest first
   */
  public List<Mail> mailsTo(String address) {
    return mails("mails?to=" + Http.part(address));
  }

  /**
   * Waits until mails to an address have come.
   *
   * @param address the whole e-mail
   * @param within a length of real time, at most {@code "60s"}
   * @param count how many must have come
   * @return the mails so far, oldest first; fewer than {@code count} if the time was over
   */
  public List<Mail> mailsTo(String address, String within, int count) {
    return mails("mails?to=" + Http.part(address) + "&wait=" + Lengths.wait(within) + "&count=" + count);
  }

  private List<Mail> mails(String query) {
    return get(query).list().stream().map(Mail::new).collect(Collectors.toList());
  }

  /**
   * The notifications that the server would have sent: {@code id}, {@code deviceToken}, {@code edition} and {@code payload} of each.
   *
   * @return the notifications, oldest first
   */
  public List<Json> pushes() {
    return pushesAfter(0);
  }

  /**
   * The notifications that came after another.
   *
   * @param id the id of that other one
   * @return the notifications, oldest first
   */
  public List<Json> pushesAfter(long id) {
    return get("pushes?after=" + id).list();
  }

  /**
   * Waits until notifications have come after another.
   *
   * @param id the id of that other one; 0 for all
   * @param within a length of real time, at most {@code "60s"}
   * @param count how many must have come
   * @return the notifications so far, oldest first; fewer than {@code count} if the time was over
   */
  public List<Json> pushesAfter(long id, String within, int count) {
    return get("pushes?after=" + id + "&wait=" + Lengths.wait(within) + "&count=" + count).list();
  }

  /**
   * Makes a development call that has no method here (docs/reference/dev.md).
   *
   * @param method such as {@code GET}
   * @param call what follows {@code /_dev/} at the world's own port, such as {@code sockets}
   * @param body anything that {@link Json#of} takes; null for none
   * @return the answer
   */
  public Json call(String method, String call, Object body) {
    return backend.call(method, path + "/" + call, body == null ? null : Json.of(body));
  }

  Json get(String call) {
    return call("GET", call, null);
  }

  Json post(String call, Json body) {
    return call("POST", call, body);
  }

  Json delete(String call) {
    return call("DELETE", call, null);
  }

  /** Posts text that is not JSON. */
  void postText(String call, String text) {
    backend.postText(path + "/" + call, text);
  }

  String read(String call) {
    return backend.read("GET", path + "/" + call, null);
  }

  MadangError refusal(java.net.http.HttpResponse<String> answer) {
    return backend.refusal(answer);
  }

  /** An answer also if it is a refusal. */
  java.net.http.HttpResponse<String> send(String method, String call, Json body) {
    return backend.send(method, path + "/" + call, body);
  }

  /** Ends the world and removes its data. Tests need not call this; a second call does nothing. */
  @Override
  public void close() {
    if (hasEnded) {
      return;
    }
    endLease();
    try {
      backend.call("DELETE", path, null);
    } catch (MadangError error) {
      // It has ended before, perhaps by its lease.
      if (error.status() != 400) {
        throw error;
      }
    }
    hasEnded = true;
  }

  /** Leaves the world to its lease, or to the end of its server. */
  void leave() {
    hasEnded = true;
    endLease();
  }

  private void endLease() {
    if (lease != null) {
      lease.cancel(false);
    }
  }

  /** Why its server cannot be used; null if it answers within 5 seconds. */
  String silence() {
    return backend.silence(true);
  }

  boolean hasEnded() {
    return hasEnded;
  }

  @Override
  public String toString() {
    return "world " + name() + " at " + url();
  }
}
