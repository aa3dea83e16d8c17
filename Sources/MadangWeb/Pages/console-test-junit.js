/**
 * A recorded request as a test of JUnit 5; the world comes from a server at `MADANG`.
 * @module
 */

import { camel, expressions, factsOf, literal } from "./console-test-facts.js";

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
    var made = call("POST", server + "/_dev/worlds", "{\"seed\":\"courtyard\"}").body();
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

const findWorkspace = (it) => {
  return `    var finder = token(${literal(it.finder)}, "accessToken");
    var workspaces = call("GET", world + "/v1/workspaces", null, "SesacKey", KEY, "Authorization", finder).body();
    var workspace = ${named("workspaces", "workspace_id", it.outer)};
`;
};

const findRoom = (it) => `    var list = world + "/v1/workspaces/" + workspace + "/channels";
    var channels = call("GET", list, null, "SesacKey", KEY, "Authorization", finder).body();
    var room = ${named("channels", "channel_id", it.inner)};
`;

function headersOf(it) {
  const found = [];
  if (it.type && it.body !== undefined) found.push(literal("Content-Type"), literal(it.type));
  if (it.hadKey) found.push(literal("SesacKey"), "KEY");
  if (it.person) found.push(literal("Authorization"), `token(${literal(it.person)}, "accessToken")`);
  if (it.person && it.refreshes) found.push(literal("RefreshToken"), `token(${literal(it.person)}, "refreshToken")`);
  return found.map((one) => `, ${one}`).join("");
}

/** The lines of the test. */
export function junit(entry) {
  const it = factsOf(entry);
  const path = expressions(it, literal).join(" + ");
  const body = it.body === undefined ? "null" : literal(it.body);
  const expected = it.code ? `    assertEquals(${literal(`{"errorCode":"${it.code}"}`)}, answer.body());\n` : "";
  return `${beginning(it)}${it.person || it.outer ? SIGN_IN : ""}\
  @Test void ${camel(it.words)}() throws Exception {
${it.outer ? findWorkspace(it) : ""}${it.inner ? findRoom(it) : ""}\
    var answer = call(${literal(it.method)}, world + ${path}, ${body}${headersOf(it)});
    assertEquals(${it.status}, answer.statusCode());
${expected}${it.parts ? "    // The request had files: add the multipart body.\n" : ""}\
  }
}
`;
}
