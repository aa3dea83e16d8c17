/**
 * A recorded request as a test of JUnit 5; the world comes from a server at `MADANG`.
 * @module
 */

import { camel, expressions, factsOf, literal } from "./console-test-facts.js";
import { planOf } from "./console-test-world.js";

/** The body of the call that makes the world. */
function planText(it) {
  const { isShipped, seed, number } = planOf(it);
  if (isShipped) return literal(JSON.stringify({ seed, number: number ?? undefined }));
  const file = 'java.nio.file.Files.readString(java.nio.file.Path.of("seed.yaml"))';
  const escaped = String.raw`.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n")`;
  return `${literal('{"seed":"')} + ${file}${escaped} + ${literal(number === null ? '"}' : `","number":${number}}`)}`;
}

const beginning = (it) =>
  String.raw`import static org.junit.jupiter.api.Assertions.*;

import java.net.URI;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;
import org.junit.jupiter.api.*;

class RecordedTest {
  final String server = System.getenv().getOrDefault("MADANG", "http://127.0.0.1:8080");
  static final String KEY = ${literal(it.key)};
  final HttpClient http = HttpClient.newHttpClient();
  String id, world;

  HttpResponse<String> call(String method, String url, String body, String... headers) throws Exception {
    var sent = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
    var request = HttpRequest.newBuilder(URI.create(url)).method(method, sent);
    if (headers.length > 0) request.headers(headers);
    return http.send(request.build(), BodyHandlers.ofString());
  }

  String find(String json, String pattern) {
    var found = Pattern.compile(pattern).matcher(json);
    assertTrue(found.find(), pattern);
    return found.group(1);
  }

  @BeforeEach void makeWorld() throws Exception {
    var made = call("POST", server + "/_dev/worlds", ${planText(it)}).body();
    id = find(made, "\"id\":\"([^\"]+)");
    world = find(made, "\"url\":\"([^\"]+)");
  }

  @AfterEach void removeWorld() throws Exception { call("DELETE", server + "/_dev/worlds/" + id, null); }

`;

const SIGN_IN = String.raw`  String token(String email, String name) throws Exception {
    var body = "{\"email\":\"" + email + "\",\"password\":\"Passw0rd!\"}";
    return find(call("POST", world + "/v1/users/login", body, "SesacKey", KEY).body(), "\"" + name + "\":\"([^\"]+)");
  }

`;

/** Finds an id in a list by its name. */
const named = (list, key, name) =>
  String.raw`find(${list}, "\"${key}\":\"?([^\",]+)\"?,\"name\":" + Pattern.quote(${literal(JSON.stringify(name))}))`;

const BY_PERSON = String.raw`\"room_id\":\"([^\"]+)\",\"createdAt\":\"[^\"]+\",\"user\":\{\"user_id\":\"[^\"]+\",\"email\":`;

function lookUps(it) {
  const lines = [];
  const listed = (list, path) =>
    `    var ${list} = call("GET", world + ${path}, null, "SesacKey", KEY, "Authorization", finder).body();\n`;
  if (it.outer) {
    lines.push(`    var finder = token(${literal(it.finder)}, "accessToken");\n`, listed("workspaces", '"/v1/workspaces"'));
    lines.push(`    var workspace = ${named("workspaces", "workspace_id", it.outer)};\n`);
  }
  if (it.inner) {
    const { list, key, name, email } = it.inner;
    lines.push(listed(list, `"/v1/workspaces/" + workspace + "/${list}"`));
    const found = name === undefined
      ? `find(${list}, "${BY_PERSON.replace("\\{", "\\\\{")}" + Pattern.quote(${literal(JSON.stringify(email))}))` : named(list, key, name);
    lines.push(`    var room = ${found};\n`);
  }
  if (it.people.length) lines.push('    var people = call("GET", world + "/_dev/people", null).body();\n');
  for (const { email, gap } of it.people) {
    lines.push(String.raw`    var ${gap} = find(people, Pattern.quote(${literal(`"email":${JSON.stringify(email)}`)}) + ",\"id\":\"([^\"]+)");` + "\n");
  }
  return lines.join("");
}

const posted = (path, body) => `call("POST", world + "${path}", ${literal(JSON.stringify(body))})`;

/** The sign-in, and what happens in the world before the call. */
function preparations({ made, person, refreshes, clock, fault }) {
  const lines = [];
  if (made) lines.push(String.raw`    var made = find(${posted(made.path, made.body)}.body(), "\"${made.key}\":\"([^\"]+)");` + "\n");
  if (person) lines.push(`    var access = token(${literal(person)}, "accessToken");\n`);
  if (person && refreshes) lines.push(`    var refresh = token(${literal(person)}, "refreshToken");\n`);
  if (clock) lines.push(`    ${posted("/_dev/clock", { advance: clock })};\n`);
  if (fault) lines.push(`    ${posted("/_dev/faults", fault)};\n`);
  return lines.join("");
}

function headersOf(it) {
  const found = [];
  if (it.type && it.body !== undefined) found.push(literal("Content-Type"), literal(it.type));
  if (it.hadKey) found.push(literal("SesacKey"), it.hasWrongKey ? literal("no-key") : "KEY");
  if (it.person) found.push(literal("Authorization"), "access");
  if (it.person && it.refreshes) found.push(literal("RefreshToken"), "refresh");
  return found.map((one) => `, ${one}`).join("");
}

/** The lines of the test. */
export function junit(entry, world) {
  const it = factsOf(entry, world);
  const path = expressions(it.path, literal).join(" + ");
  const body = it.body === undefined ? "null" : expressions(it.body, literal).join(" + ");
  const call = `call(${literal(it.method)}, world + ${path}, ${body}${headersOf(it)})`;
  const expected = it.code ? `    assertEquals(${literal(`{"errorCode":"${it.code}"}`)}, answer.body());\n` : "";
  const ending = it.ends === "lost"
    ? `    assertThrows(java.io.IOException.class, () -> ${call});\n`
    : `    var answer = ${call};\n    assertEquals(${it.status}, answer.statusCode());\n${expected}`;
  return `${beginning(it)}${it.person || it.outer ? SIGN_IN : ""}\
  @Test void ${camel(it.words)}() throws Exception {
${lookUps(it)}${preparations(it)}${ending}${it.parts ? "    // The request had files: add the multipart body.\n" : ""}\
  }
}
`;
}
